"""What holds for every backend: one test file, run over each implementation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from backends.base import Backend, BackendEvent, Done, Encoded, Message, Prefill, Sampling, Token
from backends.local import LocalBackend
from backends.scripted import ScriptedBackend
from families.hermes import HERMES

MESSAGES: list[Message] = [{"role": "user", "content": "What is 37 * 48?"}]
TURN = "<think>\nA product.\n</think>\n\n<tool_call>\n{\"name\": \"calculator\"}\n</tool_call> 你好 👩‍👩‍👧"


def never() -> bool:
    return False


def local(folder: Path) -> Backend:
    backend = LocalBackend.load(folder, "tiny", device="cpu")
    backend.context_length = 100
    return backend


def scripted(folder: Path) -> Backend:
    return ScriptedBackend([TURN] * 4, HERMES, context_length=100)


def without_numbers(folder: Path) -> Backend:
    return ScriptedBackend([TURN] * 4, HERMES, context_length=100, numbers=False)


@pytest.fixture(params=[local, scripted, without_numbers], ids=lambda make: make.__name__)
def backend(request: pytest.FixtureRequest, tiny_folder: Path) -> Backend:
    made: Callable[[Path], Backend] = request.param
    return made(tiny_folder)


def prompt(backend: Backend) -> Encoded:
    return backend.encode(backend.render(MESSAGES, [], True))


def tokens_of(events: Sequence[BackendEvent]) -> list[Token]:
    return [event for event in events if isinstance(event, Token)]


def test_it_says_what_it_is(backend: Backend) -> None:
    assert backend.model_id
    assert backend.family is HERMES
    assert backend.modalities <= {"image", "audio", "video"}
    assert set(backend.info["defaults"]) == {"temperature", "top_p", "top_k"}
    assert backend.info["defaults_from"] in {"checkpoint", "family"}
    assert {"<|im_start|>", "<|im_end|>", "<think>"} <= set(backend.info["control_tokens"])
    backend.warmup()
    backend.warmup()


def test_prompts(backend: Backend) -> None:
    rendered = backend.render(MESSAGES, [], True)
    assert "37 * 48" in rendered
    assert "37 * 48" in backend.render(MESSAGES, [], False, generation_prompt=False)
    encoded = backend.encode(rendered)
    assert encoded.text == rendered
    assert encoded.n_tokens == len(encoded.ids)
    assert encoded.ends is not None
    assert list(encoded.ends) == sorted(encoded.ends)
    assert encoded.ends[-1] == len(rendered)
    control = set(backend.info["control_tokens"].values())
    assert encoded.special == {place for place, token_id in enumerate(encoded.ids) if token_id in control}
    assert encoded == backend.encode(rendered)


ALL_KINDS = [Sampling(temperature=0), Sampling(temperature=0.8, top_k=3, top_p=0.9), Sampling()]


@pytest.mark.parametrize("sampling", ALL_KINDS, ids=str)
def test_a_turn(backend: Backend, sampling: Sampling) -> None:
    encoded = prompt(backend)
    events = list(backend.generate(encoded, Sampling(sampling.temperature, sampling.top_p, sampling.top_k, 60, seed=1), never))
    begin, *written, end = events
    assert isinstance(begin, Prefill)
    assert begin.n_tokens == encoded.n_tokens
    assert begin.n_reused < begin.n_tokens
    assert isinstance(end, Done)
    tokens = tokens_of(events)
    assert list(written) == tokens
    assert end.n_tokens == len(tokens) > 0
    if end.finish == "stop_token":
        assert end.stop_piece == tokens[-1].piece
        assert tokens[-1].special
        assert end.stop_piece in backend.family.stop_tokens
    else:
        assert end.stop_piece is None
    for token in tokens:
        check_numbers(token, sampling)


def check_numbers(token: Token, sampling: Sampling) -> None:
    if token.p is None:
        assert (token.logprob, token.rank, token.entropy, token.p_sampled, token.kept, token.top) == (None,) * 6
        return
    assert token.logprob is not None
    assert token.rank is not None
    assert token.entropy is not None
    assert token.p_sampled is not None
    assert token.kept is not None
    assert token.top is not None
    assert 0 < token.p <= 1
    assert token.logprob == pytest.approx(math.log(token.p), abs=1e-6)
    assert token.entropy >= 0
    assert 0 < token.p_sampled <= 1
    probabilities = [candidate.p for candidate in token.top]
    assert probabilities == sorted(probabilities, reverse=True)
    assert len(probabilities) == 5
    assert sum(candidate.p for candidate in token.top) <= 1 + 1e-6
    own = [place for place, candidate in enumerate(token.top, start=1) if candidate.id == token.id]
    assert [token.rank] == own or (not own and token.rank > 5)
    assert all(candidate.piece == token.piece for candidate in token.top if candidate.id == token.id)
    assert all(candidate.kept for candidate in token.top if candidate.id == token.id)
    assert sum(candidate.kept for candidate in token.top) == min(token.kept, 5)
    if sampling.temperature == 0:
        assert (token.p_sampled, token.kept, token.rank) == (1.0, 1, 1)
    if sampling.top_k:
        assert token.kept <= sampling.top_k


def test_a_stop_is_the_last_token(backend: Backend) -> None:
    seen: list[BackendEvent] = []
    for event in backend.generate(prompt(backend), Sampling(temperature=0), lambda: len(tokens_of(seen)) == 2):
        seen.append(event)
    assert len(tokens_of(seen)) == 3
    assert isinstance(seen[-1], Done)
    assert (seen[-1].finish, seen[-1].stop_piece, seen[-1].n_tokens) == ("user_stopped", None, 3)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_the_limit_of_tokens(backend: Backend, most: int) -> None:
    events = list(backend.generate(prompt(backend), Sampling(temperature=0, max_new_tokens=most), never))
    assert len(tokens_of(events)) == most
    assert isinstance(events[-1], Done)
    assert (events[-1].finish, events[-1].n_tokens) == ("max_new_tokens", most)


def test_no_tokens_and_no_room(backend: Backend) -> None:
    encoded = prompt(backend)
    assert list(backend.generate(encoded, Sampling(max_new_tokens=0), never)) == [Done("max_new_tokens", None, 0, 0.0)]
    full = Encoded("", tuple(encoded.ids[:1]) * 100)
    assert list(backend.generate(full, Sampling(), never)) == [Done("context_full", None, 0, 0.0)]


def test_the_end_of_the_context(backend: Backend) -> None:
    encoded = prompt(backend)
    nearly_full = Encoded("", tuple(encoded.ids[:1]) * 98)
    events = list(backend.generate(nearly_full, Sampling(temperature=0), never))
    assert len(tokens_of(events)) == 2
    assert isinstance(events[-1], Done)
    assert events[-1].finish == "context_full"


def test_an_abandoned_turn_does_not_block_the_next(backend: Backend) -> None:
    abandoned = backend.generate(prompt(backend), Sampling(temperature=0), never)
    for _ in range(3):
        next(abandoned)
    events = list(backend.generate(prompt(backend), Sampling(temperature=0, max_new_tokens=4), never))
    assert isinstance(events[-1], Done)
    assert isinstance(events[0], Prefill)
    assert events[0].n_reused == events[0].n_tokens - 1
