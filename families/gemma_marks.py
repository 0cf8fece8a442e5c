"""The markers of the Gemma families, and where they stand in a turn.

Gemma 4 and FunctionGemma write the same notation with other markers: a `Dialect` names them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from families.reading import Scanner, Span
from families.turns import Kind, Mark

NAME = r"[^\s{}()\[\]<>,\"'`]++"
"""A pattern for a tool's name, as far as it can be told from what stands around it."""
_SPACE = re.compile(r"\s*+")
_CALL_BEGINS = re.compile(rf"\s*+(?:call\s*+:|:\s*+{NAME}\s*+[{{(]|{NAME}\s*+[{{(]|[{{\[])")
_LIKE_CALL = r"<\|?(?:start_)?(?:tool|function)s?(?:_calls?)?\|?>(?=\s*+call\s*+:)"
_QUOTES = "`\"'“”‘’「」『』"


@dataclass(frozen=True)
class Dialect:
    """The markers of one family. `think` and `end_think` are "" where it does not think; `control` are further control
    tokens that belong to no text."""

    call: str
    end_call: str
    string: str
    stops: tuple[str, ...]
    control: tuple[str, ...]
    think: str = ""
    end_think: str = ""

    @cached_property
    def marks(self) -> re.Pattern[str]:
        """A pattern for any marker, its kind as the group's name."""
        kinds: list[tuple[str, tuple[str, ...]]] = [
            ("string", (self.string,)),
            ("call", (self.call,)),
            ("end_call", (self.end_call,)),
            ("think", (self.think,)),
            ("end_think", (self.end_think,)),
            ("stop", self.stops),
        ]
        exact = [(kind, "|".join(map(re.escape, filter(None, tokens)))) for kind, tokens in kinds]
        # What looks like an opener comes before the other control tokens: `<|tool>` may stand where `<|tool_call>` should.
        exact += [("like_call", _LIKE_CALL), ("control", "|".join(map(re.escape, self.control)))]
        return re.compile("|".join(f"(?P<{kind}>{tokens})" for kind, tokens in exact if tokens))


class Marks:
    """The markers of a text up to `end`, and what stands nearest to a place; each look-up is a binary search."""

    def __init__(self, scanner: Scanner, end: int, dialect: Dialect) -> None:
        self._text, self.end, self.string_mark = scanner.text, end, dialect.string
        self.all: list[Mark] = []
        self._strings: list[int] = []
        self._starts: list[int] = []
        for found in scanner.all(dialect.marks, 0, end):
            if found.lastgroup == "string":
                self._strings.append(found.start())
            else:
                self.all.append(Mark(_kind(found), found.start(), found.end()))
                self._starts.append(found.start())
        self._closers = [mark.start for mark in self.all if mark.kind == "end_call"]
        self._openers = [mark.start for mark in self.all if mark.kind == "call" and scanner.match(_CALL_BEGINS, mark.end, end)]
        self._run_ends: dict[int, int] = {}
        for mark in reversed([mark for mark in self.all if mark.kind == "call"]):
            space = scanner.match(_SPACE, mark.end, end)
            self._run_ends[mark.start] = self._run_ends.get(space.end() if space else mark.end, mark.end)

    def at(self, at: int) -> Mark | None:
        index = bisect_left(self._starts, at)
        return self.all[index] if index < len(self.all) and self.all[index].start == at else None

    def marker_at(self, at: int) -> bool:
        return self.at(at) is not None

    def string_end(self, at: int) -> int | None:
        return _first(self._strings, at)

    def closer_in(self, span: Span) -> bool:
        return self.closer(*span) is not None

    def closer(self, at: int, limit: int) -> int | None:
        """Where the first marker that ends a call in [at, limit) begins."""
        start = _first(self._closers, at)
        return start if start is not None and start < limit else None

    def next(self, at: int) -> int:
        """Where the first marker from `at` on begins, or the end."""
        start = _first(self._starts, at)
        return self.end if start is None else start

    def next_call(self, at: int) -> int:
        """Where the first marker from `at` on that a call follows begins, or the end."""
        start = _first(self._openers, at)
        return self.end if start is None else start

    def past_run(self, mark: Mark) -> int:
        """The character after a marker, or where the opener of a call is repeated at once after the last of them."""
        return self._run_ends.get(mark.start, mark.end)

    def quoted(self, mark: Mark) -> bool:
        """Whether the marker stands between quotation marks, as its name does in a sentence."""
        before, after = self._text[mark.start - 1 : mark.start] if mark.start else "", self._text[mark.end : mark.end + 1]
        return before != "" and after != "" and before in _QUOTES and after in _QUOTES


def _first(places: list[int], at: int) -> int | None:
    index = bisect_left(places, at)
    return places[index] if index < len(places) else None


def _kind(found: re.Match[str]) -> Kind:
    kind = found.lastgroup
    assert kind is not None, "every alternative of the pattern is named"
    return "stop" if kind == "control" else kind  # type: ignore[return-value]
