"""Speculative drafting: who guesses the next tokens, and how the guesses are checked.

One forward pass over the last token and the guesses behind it gives the model's distribution at every place. At each place
the token is drawn from what the settings leave, as it would be without guesses; a guess holds where the token drawn is the
token guessed. A guess is thus kept with exactly the probability that the settings give it, and what replaces it comes from
the other candidates in their proportions. This is the rule of speculative sampling for a drafter that names one token a place
(Leviathan et al. 2023, arXiv:2211.17192), and with one random number a token the same seed writes the same text either way.
"Exactly" is up to rounding: a model may compute several places at once with other kernels than one, so that the last bits of
its logits differ, and with them the pick between tokens that are as good as equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from backends.cache import ConversationCache
from backends.sampling import Report, Sampler


class Drafter(Protocol):
    """Guesses what comes next in one turn."""

    def take(self, ids: Sequence[int]) -> None:
        """Hears of ids that stand now: the prompt first, then each token that was written."""

    def guess(self, at_most: int) -> list[int]:
        """The ids that may come next, at most so many; none where it has no idea."""


class PromptLookup:
    """Guesses that what followed the last few tokens where they stood before follows again. Needs no second model.

    It looks for the latest place of the last `_LONGEST` tokens, then of fewer, down to `_SHORTEST`. A token costs the same
    however long the text is.
    """

    _LONGEST, _SHORTEST = 4, 2
    _AHEAD = 6
    """How many tokens are guessed at most."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}
        """Where the token stands that came after these, at their latest place."""

    def take(self, ids: Sequence[int]) -> None:
        for token in ids:
            end = len(self._ids)
            for length in range(self._SHORTEST, min(self._LONGEST, end) + 1):
                self._after[tuple(self._ids[end - length :])] = end
            self._ids.append(token)

    def guess(self, at_most: int) -> list[int]:
        for length in range(min(self._LONGEST, len(self._ids)), self._SHORTEST - 1, -1):
            start = self._after.get(tuple(self._ids[-length:]))
            if start is not None:
                return self._ids[start : start + min(at_most, self._AHEAD)]
        return []


@dataclass(frozen=True)
class Checked:
    """What had been guessed for a token's place: `place` counts from 0 in its draft, `dropped` are the guesses behind one that
    fell, which were never looked at."""

    id: int
    accepted: bool
    place: int
    dropped: tuple[int, ...] = ()


class Rounds:
    """Draws one token after another. A round is one forward pass: over the last token, and over guesses where there are any."""

    def __init__(
        self, cache: ConversationCache, sampler: Sampler, drafter: Drafter | None, prompt: Sequence[int], logits: Tensor
    ) -> None:
        self._cache = cache
        self._sampler = sampler
        self._drafter = drafter
        self._rows = logits.unsqueeze(0)
        self._guesses: list[int] = []
        self._place = 0
        self._last = prompt[-1]
        self.n_forwards = 0
        """Forward passes since the prompt was read."""
        if drafter is not None:
            drafter.take(prompt)

    def draw(self, room: float) -> tuple[Report, Checked | None]:
        """The next token and what had been guessed for it. `room` is how many tokens may still be written, this one included."""
        if self._place == len(self._rows):
            self._read(room)
        place, self._place = self._place, self._place + 1
        report = self._sampler(self._rows[place])
        checked = self._check(place, report.id) if place < len(self._guesses) else None
        self._last = report.id
        if self._drafter is not None:
            self._drafter.take([report.id])
        return report, checked

    def close(self) -> None:
        """Takes back what was read beyond the last token drawn."""
        self._drop(max(0, len(self._guesses) - self._place))

    def _read(self, room: float) -> None:
        at_most = int(min(room - 1, self._cache.most_ahead))
        guesses = self._drafter.guess(at_most) if self._drafter is not None and at_most > 0 else []
        self._rows = self._cache.read_all([self._last, *guesses])
        self._guesses, self._place = guesses, 0
        self.n_forwards += 1

    def _check(self, place: int, drawn: int) -> Checked:
        guess = self._guesses[place]
        if guess == drawn:
            return Checked(guess, True, place)
        dropped = tuple(self._guesses[place + 1 :])
        self._drop(len(self._guesses) - place)
        self._rows = self._rows[: place + 1]
        return Checked(guess, False, place, dropped)

    def _drop(self, n: int) -> None:
        self._guesses = self._guesses[: len(self._guesses) - n]
        self._cache.drop(n)
