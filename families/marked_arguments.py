"""Reads the arguments of calls that end at a marker: JSON up to `<|call|>`, `<|tool_call_end|>` and their like.

Knows nothing about what stands before the arguments; `families/token_calls.py` and `families/harmony.py` ask here. A marker
inside a string of the JSON is part of the value.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from families.base import CallError, Text
from families.json_calls import NO_ARGUMENTS, bad_arguments, read_arguments, unterminated
from families.lenient_json import OPEN_STRING, JsonError
from families.reading import Scanner

_SPACE_AND_FENCE = re.compile(r"\s*+(?:```)?\s*+")
_MORE_TEXT = Text("JSON 後面還有別的文字", "more text follows the JSON")


class Bound(NamedTuple):
    """A marker at the characters [start, end): the one that closes a call, one that ends something else, or any other."""

    start: int
    end: int
    kind: Literal["closer", "end", "other"]


@dataclass
class Arguments:
    """What stands where the arguments of a call belong, up to `end`: the character after the marker that closes the call.

    `value` is None when and only when `error` is set.
    """

    value: dict[str, Any] | None
    raw: str
    end: int
    slips: list[Text] = field(default_factory=list)
    error: CallError | None = None


class ArgumentReader:
    """Reads arguments from one text. `bounds` are its markers in order; `ended` says whether the model ended its turn itself."""

    def __init__(self, scanner: Scanner, bounds: Sequence[Bound], closer: str, ended: bool) -> None:
        self._scanner, self._text, self._end = scanner, scanner.text, len(scanner.text)
        self._bounds, self._closer, self._ended = bounds, closer, ended
        self._starts = [bound.start for bound in bounds]
        self._convincing = [bound for bound in bounds if bound.kind == "closer" and self._convinces(bound)]
        self._convincing_starts = [bound.start for bound in self._convincing]
        # Reading that fails is lost work, and a hostile text could make every attempt run to its end. So the steps of all
        # of it together are limited; after that an attempt ends at the next marker.
        self._patience = 8 * len(self._text) + 1000

    def at(self, at: int) -> Bound | None:
        """The marker that begins at the character `at`."""
        bound = self.next(at)
        return bound if bound and bound.start == at else None

    def next(self, at: int) -> Bound | None:
        """The first marker from the character `at` on."""
        index = bisect_left(self._starts, at)
        return self._bounds[index] if index < len(self._bounds) else None

    def _convinces(self, closer: Bound) -> bool:
        """Whether nothing or another marker follows: inside a string words would."""
        after = self._scanner.past_space(closer.end)
        return after == self._end or self.at(after) is not None

    def _closing(self, at: int) -> Bound | None:
        """The first convincing closing marker from `at` on."""
        index = bisect_left(self._convincing_starts, at)
        return self._convincing[index] if index < len(self._convincing) else None

    def read(self, at: int, *, fenced: bool = False) -> Arguments:
        """The arguments that begin at `at`; `fenced` says that the format puts a code fence around them."""
        began = self._scanner.steps
        found = self._attempt(at, fenced)
        if found.error:
            self._patience -= self._scanner.steps - began
        return found

    def _attempt(self, at: int, fenced: bool) -> Arguments:
        begins = self._scanner.past_space(at)
        bound = self.next(at)
        if begins == self._end:
            return Arguments(None, "", self._end, error=unterminated(self._end))
        if bound and bound.start == begins:
            end, slips = self._closed_by(bound, at)
            return Arguments({}, "", end, [NO_ARGUMENTS, *slips])
        limit = self._end if self._patience > 0 or bound is None else bound.start
        try:
            value, slips, after = read_arguments(self._scanner, at, limit, closed=False, fenced=fenced)
        except JsonError as error:
            return self._retry(begins, error, fenced)
        return self._closed(begins, after, value, slips)

    def _retry(self, at: int, error: JsonError, fenced: bool) -> Arguments:
        """JSON that broke off: read again up to the marker where it broke, which closes it; else it is broken."""
        behind = self._scanner.past(_SPACE_AND_FENCE, error.at) if fenced else self._scanner.past_space(error.at)
        bound = self.at(behind)
        if bound and error.at > at:
            try:
                value, slips, after = read_arguments(self._scanner, at, error.at, closed=True, fenced=fenced)
            except JsonError as second:
                error = second
            else:
                return self._closed(at, max(after, behind), value, slips)
        return self._broken(at, error)

    def _closed(self, begins: int, after: int, value: dict[str, Any], slips: list[Text]) -> Arguments:
        """Finds the end of arguments that were read whole."""
        raw = self._text[begins:after].strip()
        at = self._scanner.past_space(after)
        bound = self.at(at)
        rest = self._text[at:] if self._end - at < len(self._closer) else None
        if bound:
            end, missing = self._closed_by(bound, after)
            return Arguments(value, raw, end, [*slips, *missing])
        if rest is not None and self._closer.startswith(rest):
            return Arguments(None, raw, self._end, error=unterminated(self._end))
        return self._broken(begins, JsonError(at, _MORE_TEXT))

    def _closed_by(self, bound: Bound, after: int) -> tuple[int, list[Text]]:
        """Where a call ends that `bound` follows, and the slip where that is not the marker that should close it."""
        if bound.kind == "closer":
            return bound.end, []
        if bound.kind == "end":
            written = self._text[bound.start : bound.end]
            instead = Text(f"結尾寫成 {written}，不是 {self._closer}", f"{written} at the end instead of {self._closer}")
            return bound.end, [instead]
        return after, [Text(f"少了結尾的 {self._closer}", f"a missing {self._closer}")]

    def _broken(self, at: int, error: JsonError) -> Arguments:
        """Arguments that cannot be read: they end where the call's closing marker stands, or another marker after the break."""
        convincing = self._closing(at) if self._patience > 0 else self.next(at)
        later = self.next(error.at)
        bound = min((bound for bound in (convincing, later) if bound), key=lambda bound: bound.start, default=None)
        if bound is None:
            return Arguments(None, self._scanner.broken(at, len(self._text)), self._end, error=self._error_at_end(error))
        why = error.text if error.at <= bound.start else OPEN_STRING
        problem = bad_arguments(self._text, min(error.at, bound.start), why, bound.start)
        end = bound.start if bound.kind == "other" else bound.end
        return Arguments(None, self._scanner.broken(at, bound.start), end, error=problem)

    def _error_at_end(self, error: JsonError) -> CallError:
        if error.cut or not self._ended:
            return unterminated(min(error.at, self._end))
        return bad_arguments(self._text, error.at, error.text)
