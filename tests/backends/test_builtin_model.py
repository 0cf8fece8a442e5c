"""The local backend on the built-in model: a real model, in bfloat16."""

from __future__ import annotations

import dataclasses
import os

import pytest
import torch

from backends import hub
from backends.base import BackendError, Done, Encoded, Prefill, Sampling, Token
from backends.local import LocalBackend
from families.base import Text
from harness.tools import registry


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


@pytest.mark.parametrize("sampling", [Sampling(temperature=0), Sampling(temperature=0.8, top_k=20, top_p=0.95, seed=11)])
def test_prompt_lookup_writes_the_same_turn_in_fewer_passes(backend: LocalBackend, sampling: Sampling) -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "calculator", "arguments": {"expression": "37 * 48"}}}]
    messages = [
        {"role": "user", "content": "What is 37 * 48?"}, {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "name": "calculator", "tool_call_id": "a", "content": "1776"},
        {"role": "assistant", "content": "37 * 48 is 1776."}, {"role": "user", "content": "What is 37 * 49?"},
    ]
    prompt = backend.encode(backend.render(messages, [tool.schema for tool in registry().values()], False))
    turns = []
    for drafter in (None, "prompt_lookup"):
        asked = dataclasses.replace(sampling, drafter=drafter, max_new_tokens=48)
        *events, done = backend.generate(prompt, asked, lambda: False)
        assert isinstance(done, Done)
        turns.append(([event for event in events if isinstance(event, Token)], done))
    (plain, alone), (drafted, done) = turns
    assert [token.id for token in drafted] == [token.id for token in plain]
    assert [token.p for token in drafted] == pytest.approx([token.p for token in plain], rel=1e-3, abs=1e-6)
    assert [token.p_sampled for token in drafted] == pytest.approx([token.p_sampled for token in plain], rel=1e-3)
    assert all(token.draft is None for token in plain)
    assert alone.n_forwards == alone.n_tokens - 1
    held = [token.draft is not None and token.draft.accepted for token in drafted]
    assert sum(held) > 3
    # A pass gives the guesses that hold and one token more, which is not drawn where a guess was the last token.
    assert done.n_forwards == done.n_tokens - 1 - sum(held) + held[-1]
