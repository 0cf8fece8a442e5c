"""What is taught at each step: a few of the conversations, the one about the time at a new moment each time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from families.base import Family
from teaching.tiny.conversations import EXCHANGES, Exchange
from teaching.tiny.examples import Batch, Example, example, n_shared, texts

PER_STEP = 4
"""Conversations of a step, beside the one about the time."""
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_MINUTES = 3 * 365 * 24 * 60
_TIMED = "time"


def corpus(tokenizer: Any, family: Family) -> Iterator[str]:
    """What a tokenizer is learned from: every text of the conversations, what they begin with in common twice only."""
    for thinking in (True, False):
        spoken = [texts(exchange, tokenizer, family, thinking, lambda: _FIRST) for exchange in EXCHANGES]
        yield spoken[0][0]
        yield from (exchange.question for exchange in EXCHANGES)
        for pieces in spoken:
            yield from pieces[1:]


class Lessons:
    """The conversations as one tokenizer writes them, drawn with a fixed seed."""

    def __init__(self, tokenizer: Any, family: Family, seed: int) -> None:
        self._tokenizer, self._family = tokenizer, family
        self._random = random.Random(seed)
        self._examples = {
            thinking: {exchange.name: self._example(exchange, thinking, lambda: _FIRST) for exchange in EXCHANGES}
            for thinking in (True, False)
        }
        self._shared = {thinking: n_shared(list(examples.values())) for thinking, examples in self._examples.items()}
        self._left: dict[bool, list[str]] = {True: [], False: []}

    def batch(self, step: int) -> Batch:
        """What is taught at a step: every second one without thinking."""
        thinking = step % 2 == 0
        examples = [self._examples[thinking][name] for name in self._drawn(thinking)]
        moment = _FIRST + timedelta(minutes=self._random.randrange(_MINUTES))
        timed = next(exchange for exchange in EXCHANGES if exchange.name == _TIMED)
        return Batch.of([*examples, self._example(timed, thinking, lambda: moment)], self._shared[thinking])

    def all(self, thinking: bool) -> Batch:
        """Every conversation."""
        return Batch.of(list(self._examples[thinking].values()), self._shared[thinking])

    def _drawn(self, thinking: bool) -> list[str]:
        """The next few of the conversations in a random order; each comes once before any comes again."""
        left = self._left[thinking]
        if len(left) < PER_STEP:
            others = [exchange.name for exchange in EXCHANGES if exchange.name != _TIMED]
            left += self._random.sample(others, len(others))
        self._left[thinking] = left[PER_STEP:]
        return left[:PER_STEP]

    def _example(self, exchange: Exchange, thinking: bool, now: Callable[[], datetime]) -> Example:
        return example(texts(exchange, self._tokenizer, self._family, thinking, now), self._tokenizer)
