"""Turns of the local backend, and what the tests read of them."""

from __future__ import annotations

from collections.abc import Sequence

from backends.base import BackendEvent, Done, Encoded, Prefill, Sampling, Token
from backends.local import LocalBackend

GREEDY = Sampling(temperature=0, max_new_tokens=40)


def never() -> bool:
    return False


def tokens_of(events: Sequence[BackendEvent]) -> list[Token]:
    return [event for event in events if isinstance(event, Token)]


def ids_of(events: Sequence[BackendEvent]) -> list[int]:
    return [token.id for token in tokens_of(events)]


def prefill_of(events: Sequence[BackendEvent]) -> Prefill:
    assert isinstance(events[0], Prefill)
    return events[0]


def done_of(events: Sequence[BackendEvent]) -> Done:
    assert isinstance(events[-1], Done)
    return events[-1]


def write(backend: LocalBackend, prompt: Encoded, sampling: Sampling = GREEDY) -> list[BackendEvent]:
    return list(backend.generate(prompt, sampling, never))


def prompt_for(backend: LocalBackend, text: str) -> Encoded:
    return backend.encode(backend.render([{"role": "user", "content": text}], [], True))


def ids_prompt(*ids: int) -> Encoded:
    return Encoded("", ids)
