"""The local backend on the built-in model: a real model, in bfloat16."""

from __future__ import annotations

import os

import pytest
import torch

from backends import hub
from backends.base import BackendError, Done, Encoded, Prefill, Sampling, Token
from backends.local import LocalBackend
from families.base import Text


def ignore(what: Text, done: float | None) -> None:
    pass


@pytest.fixture(scope="module")
def backend() -> LocalBackend:
    try:
        checkpoint = hub.resolve("builtin", ignore)
    except BackendError as error:
        if os.environ.get("LOOPGLASS_REQUIRE_ALL"):
            raise
        pytest.skip(f"the built-in model cannot be built here: {error}")
    return LocalBackend.load(checkpoint.path, checkpoint.model_id, device="cpu")


@pytest.fixture(scope="module")
def prompt(backend: LocalBackend) -> Encoded:
    return backend.encode(backend.render([{"role": "user", "content": "Name three colours of the rainbow."}], [], False))


def test_greedy_equals_generate(backend: LocalBackend, prompt: Encoded) -> None:
    n_tokens = 24
    *events, done = backend.generate(prompt, Sampling(temperature=0, max_new_tokens=n_tokens), lambda: False)
    written = [event.id for event in events if isinstance(event, Token)]
    ids = torch.tensor([prompt.ids])
    settings = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None, "max_new_tokens": n_tokens}
    ends = [backend.info["control_tokens"][token] for token in backend.info["stop_tokens"]]
    whole = backend._model.generate(ids, attention_mask=torch.ones_like(ids), eos_token_id=ends, **settings)
    assert written == whole[0, prompt.n_tokens :].tolist()
    assert isinstance(done, Done)
    assert done.n_tokens == len(written) > 1


def test_what_it_says_about_itself(backend: LocalBackend) -> None:
    assert backend.model_id == hub.BUILTIN_ID
    assert backend.family.key == "hermes"
    assert backend.info["defaults_from"] == "checkpoint"
    assert {"<think>", "</think>", "<tool_call>", "</tool_call>"} <= set(backend.info["control_tokens"])


def test_a_longer_prompt_reuses_what_was_read(backend: LocalBackend, prompt: Encoded) -> None:
    backend._cache.clear()
    for n_reused in (0, prompt.n_tokens - 1):
        first = next(iter(backend.generate(prompt, Sampling(max_new_tokens=1), lambda: False)))
        assert isinstance(first, Prefill)
        assert first.n_reused == n_reused
