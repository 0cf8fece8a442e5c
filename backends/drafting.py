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
from dataclasses import dataclass, replace
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

    For each guess it looks where the last `_LONGEST` tokens stood, guesses before it among them, then fewer, down to
    `_SHORTEST`. It guesses nothing where they stood more than once and were not followed by the same token the last two times:
    there something new begins, such as the value of an argument, and a pass that reads wrong guesses costs more than one that
    reads none. A token costs the same however long the text is.
    """

    _LONGEST, _SHORTEST = 4, 2
    _AHEAD = 3
    """How many tokens are guessed at most. More seldom hold, and every one makes the pass longer."""

    def __init__(self) -> None:
        self._last: list[int] = []
        self._after: dict[tuple[int, ...], int | None] = {}
        """The token that came after these; None where it was not the same the last two times."""
        self._latest: dict[tuple[int, ...], int] = {}

    def take(self, ids: Sequence[int]) -> None:
        for token in ids:
            for before in self._ends(self._last):
                self._after[before] = token if self._latest.get(before, token) == token else None
                self._latest[before] = token
            self._last = [*self._last, token][-self._LONGEST :]

    def guess(self, at_most: int) -> list[int]:
        guesses: list[int] = []
        while len(guesses) < min(at_most, self._AHEAD):
            known = (before for before in self._ends([*self._last, *guesses]) if before in self._after)
            token = self._after[before] if (before := next(known, None)) else None
            if token is None:
                break
            guesses.append(token)
        return guesses

    def _ends(self, ids: Sequence[int]) -> list[tuple[int, ...]]:
        """The last of `ids` that are looked for, the most first."""
        return [tuple(ids[-n:]) for n in range(min(self._LONGEST, len(ids)), self._SHORTEST - 1, -1)]


@dataclass(frozen=True)
class Checked:
    """What had been guessed for a token's place: `place` counts from 0 in its draft, `dropped` are the guesses behind one that
    fell, or behind the turn's last token, which were never looked at."""

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

    def ended(self, checked: Checked | None) -> Checked | None:
        """What `draw` gave of the last token, once it is known that no other one follows: the guesses behind it are dropped."""
        unread = tuple(self._guesses[self._place :])
        return replace(checked, dropped=unread) if checked is not None and unread else checked

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
