"""The local backend with drafters: where a turn ends, and what is told of guesses."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import pytest

from backends.base import Sampling
from backends.drafters import Usable
from backends.local import LocalBackend
from harness.drafts import DraftCount
from tests.backends.local_turns import GREEDY, done_of, ids_of, ids_prompt, never, prompt_for, tokens_of, write


@pytest.mark.parametrize("drafter", [None, "prompt_lookup"])
def test_limits_and_stops_hold_with_a_drafter_as_without(seldom_stops: LocalBackend, drafter: str | None) -> None:
    prompt = prompt_for(seldom_stops, "ab ab ab ab ab ab ab ab")
    alone = write(seldom_stops, prompt, dataclasses.replace(GREEDY, max_new_tokens=30))
    for limit in (1, 2, 5, 30):
        events = write(seldom_stops, prompt, dataclasses.replace(GREEDY, max_new_tokens=limit, drafter=drafter))
        assert ids_of(events) == ids_of(alone)[:limit]
        assert done_of(events).finish == "max_new_tokens"
    for n_before in range(8):
        answers = itertools.chain([False] * n_before, itertools.repeat(True))
        events = list(seldom_stops.generate(prompt, dataclasses.replace(GREEDY, drafter=drafter), answers.__next__))
        assert ids_of(events) == ids_of(alone)[: len(tokens_of(events))]
        assert done_of(events).finish == "user_stopped"


def test_prompt_lookup_ends_where_the_turn_does(seldom_stops: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a stop token and at the end of the context, in the middle of a draft or not; the next turn is right all the same."""
    looks_up = dataclasses.replace(GREEDY, drafter="prompt_lookup")
    prompt = ids_prompt(*[20, 21, 22, 23] * 6)
    whole = ids_of(write(seldom_stops, prompt))
    for room in (1, 2, 3, 5, 9):
        with monkeypatch.context() as patched:
            patched.setattr(seldom_stops, "context_length", prompt.n_tokens + room)
            events = write(seldom_stops, prompt, looks_up)
        assert (ids_of(events), done_of(events).finish) == (whole[:room], "context_full")
    for stop in dict.fromkeys(whole[:12]):
        with monkeypatch.context() as patched:
            patched.setattr(seldom_stops, "_stop_ids", frozenset([stop]))
            events = write(seldom_stops, prompt, looks_up)
        assert (ids_of(events), done_of(events).finish) == (whole[: whole.index(stop) + 1], "stop_token")
        assert ids_of(write(seldom_stops, prompt, looks_up)) == whole


class Knows:
    """A drafter that knows the whole text, and guesses four tokens of it."""

    def __init__(self, whole: Sequence[int]) -> None:
        self._whole = whole
        self._n = 0

    def take(self, ids: Sequence[int]) -> None:
        self._n += len(ids)

    def guess(self, at_most: int) -> list[int]:
        return list(self._whole[self._n : self._n + min(4, at_most)])


@pytest.mark.parametrize("n", range(2, 12))
def test_guesses_behind_the_last_token_are_told_with_it(
    seldom_stops: LocalBackend, n: int, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stop by the user at the n-th token. The first comes with the prompt, and each pass writes five, four of them guessed."""
    prompt = ids_prompt(*range(30, 45))
    whole = ids_of(write(seldom_stops, prompt))
    monkeypatch.setitem(seldom_stops._drafters, "knows", Usable(lambda cache: Knows([*prompt.ids, *whole])))
    answers = itertools.chain([False] * (n - 1), itertools.repeat(True))
    events = list(seldom_stops.generate(prompt, dataclasses.replace(GREEDY, drafter="knows"), answers.__next__))
    assert ids_of(events) == whole[:n]
    drafts = DraftCount()
    for token in tokens_of(events):
        drafts.add(token.draft, "content")
    n_passes = (n - 2) // 5 + 1
    assert done_of(events).n_forwards == n_passes
    assert drafts.drafted == 4 * n_passes
    last = tokens_of(events)[-1].draft
    if last is not None:
        unread = whole[n : 5 * n_passes]
        assert last.accepted
        assert last.dropped == tuple(seldom_stops._vocabulary.pieces[token_id] for token_id in unread)


def test_a_drafter_that_there_is_not(backend: LocalBackend) -> None:
    with pytest.raises(ValueError, match="no drafter 'mtp'; there are \\['prompt_lookup'\\]"):
        backend.generate(prompt_for(backend, "Hi"), Sampling(drafter="mtp"), never)
