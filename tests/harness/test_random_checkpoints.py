"""The whole loop on checkpoints of Qwen3.5 and Gemma 4 with random weights: real tokenizer, real template, the whole vocabulary.

What each token's numbers should be is computed by transformers in float64, from the prompt and the whole turn at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoTokenizer

from backends.base import Sampling
from backends.local import LocalBackend
from harness.run import Run
from harness.run_file import read_run
from harness.settings import Settings
from harness.tools import registry
from tests import random_checkpoints

QUESTION = "What is 37 * 48? 用中文回答。👩‍👩‍👧"
N_TOKENS = 24
CLOSE = 1e-3
"""How far float32 may be from float64 in a logit."""


@dataclass(frozen=True)
class Subject:
    """A checkpoint as our backend has it, and transformers' own tokenizer and model of it."""

    key: str
    backend: LocalBackend
    tokenizer: Any
    exact: Any


@pytest.fixture(scope="module", params=sorted(random_checkpoints.KINDS))
def subject(
    request: pytest.FixtureRequest, real_tokenizer: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory,
) -> Subject:
    key = request.param
    folder = tmp_path_factory.mktemp("models") / f"random-{key}"
    network = random_checkpoints.write(folder, key, real_tokenizer(key))
    backend = LocalBackend.load(folder, folder.name, device="cpu", dtype="float32")
    exact = network.from_pretrained(folder, dtype=torch.float64, local_files_only=True).eval()
    return Subject(key, backend, AutoTokenizer.from_pretrained(folder, local_files_only=True), exact)


@pytest.mark.parametrize("thinking", [True, False])
def test_a_question_goes_through_the_loop_into_the_run_file(subject: Subject, thinking: bool, tmp_path: Path) -> None:
    settings = Settings(Sampling(seed=3, max_new_tokens=N_TOKENS), thinking=thinking)
    run = Run(subject.backend, QUESTION, settings, folder=tmp_path)
    run.execute()
    (path,) = tmp_path.iterdir()
    header, events = read_run(path)
    assert events == run.log.events
    start, end = events[0], events[-1]
    assert set(subject.backend.info["stop_tokens"]) == set(start["stop_tokens"]), "the ids in its generation config"
    assert header["family"] == start["family"] == subject.key
    assert (end["kind"], end["stop_reason"], end["n_tokens"], end["error"]) == ("run_end", "max_new_tokens", N_TOKENS, None)
    prompt = prompt_ids(subject.tokenizer, settings)
    (context,) = of_kind(events, "context")
    assert context["ids"] == prompt
    tokens = of_kind(events, "token")
    ids = [token["id"] for token in tokens]
    decoded = subject.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    assert "".join(token["text"] for token in tokens) == decoded
    (written,) = of_kind(events, "model_end")
    assert (written["raw"], written["finish"]) == (decoded, "max_new_tokens")
    for token, logits in zip(tokens, exact_logits(subject.exact, prompt, ids), strict=True):
        agrees(token, logits)


def of_kind(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["kind"] == kind]


def prompt_ids(tokenizer: Any, settings: Settings) -> list[int]:
    """What transformers makes of the question."""
    messages = [{"role": "system", "content": settings.system_prompt}, {"role": "user", "content": QUESTION}]
    found: list[int] = tokenizer.apply_chat_template(
        messages, tools=[dict(registry()[name].schema) for name in settings.tools], tokenize=True, add_generation_prompt=True,
        enable_thinking=settings.thinking, return_dict=False,
    )
    return found


def exact_logits(model: Any, prompt: list[int], written: list[int]) -> Tensor:
    """The logits of each written token's place, read in one go without a cache, [tokens, vocabulary]."""
    with torch.inference_mode():
        read = model(input_ids=torch.tensor([prompt + written]), use_cache=False, logits_to_keep=len(written) + 1)
    assert read.logits.dtype == torch.float64
    found: Tensor = read.logits[0, :-1]
    return found


def agrees(token: dict[str, Any], logits: Tensor) -> None:
    """The token's numbers are those of these logits. Ranks are counted over the whole vocabulary, where rounding may change the
    order of tokens that are as good as equal."""
    logprobs = logits.log_softmax(0)
    own = logprobs[token["id"]]
    assert token["logprob"] == pytest.approx(own.item(), abs=CLOSE)
    assert token["p"] == pytest.approx(own.exp().item(), rel=CLOSE)
    assert int((logprobs > own + CLOSE).sum()) < token["rank"] <= int((logprobs >= own - CLOSE).sum())
    assert [p for _, _, p, _ in token["top"]] == pytest.approx(logprobs.topk(5).values.exp().tolist(), rel=CLOSE)
    assert token["entropy"] == pytest.approx(-(logprobs.exp() @ logprobs).item() / math.log(2), rel=CLOSE)
