"""Where the arguments of a call were written: found in the turn, and proven by reading the call again with that place changed.

A parser says which characters are a call's and which are its arguments', not which are one value's, because formats differ: the
same number may stand in quotes, in tags, or escaped. So a place is taken only if a change there changes that value alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from families.base import Call, Turn
from families.reading import Span

MOST_VALUES = 60
"""Values of a call that are looked for; each costs one more reading of the call."""
_TRIES = 8  # Places that are tried for one value.
_NUMBER = re.compile(r"-?\d[\d.eE+-]*")
_WORDS = {True: ("true", "True"), False: ("false", "False"), None: ("null", "None")}
_OTHER = {"true": "false", "True": "False", "false": "true", "False": "True", "null": "true", "None": "True"}

Read = Callable[[str], Turn]
_Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Places:
    """Characters of the turn: `arguments` is where the argument text stands, `values` where each argument's value does."""

    arguments: Span | None
    values: Mapping[str, Span]


def places(raw: str, call: Call, read: Read) -> Places:
    """Where the arguments of a call of the turn `raw` stand; `read` parses a text as the turn was parsed.

    Values that hold nothing, and those whose place cannot be proven, have none.
    """
    start = raw.rfind(call.raw_args, *call.span) if call.raw_args.strip() else -1
    if start < 0:
        return Places(None, {})
    whole = (start, start + len(call.raw_args))
    leaves = dict(_leaves(call.arguments, ()))
    if not leaves or len(leaves) > MOST_VALUES:
        return Places(whole, {})
    search = _Search(raw[slice(*call.span)], (whole[0] - call.span[0], whole[1] - call.span[0]), leaves, read)
    values: dict[str, Span] = {}
    for path, (first, last) in search.found():
        name = str(path[0])
        first, last = first + call.span[0], last + call.span[0]
        before = values.get(name, (first, last))
        values[name] = (min(before[0], first), max(before[1], last))
    return Places(whole, values)


def _leaves(value: Any, path: _Path) -> Iterator[tuple[_Path, Any]]:
    """Every value that holds no others, with the keys and positions that lead to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*path, number))
    elif path:
        yield path, value


class _Search:
    """Looks for values in the text of one call, in the order in which they stand in the arguments."""

    def __init__(self, text: str, within: Span, leaves: Mapping[_Path, Any], read: Read) -> None:
        self._text, self._within, self._leaves, self._read = text, within, leaves, read

    def found(self) -> Iterator[tuple[_Path, Span]]:
        cursor = self._within[0]
        for path, value in self._leaves.items():
            place = self._place(path, value, cursor)
            if place is not None:
                cursor = place[1]
                yield path, place

    def _place(self, path: _Path, value: Any, cursor: int) -> Span | None:
        candidates = sorted(set(self._candidates(value)), key=lambda span: (span[0] < cursor, span[0], span[0] - span[1]))
        return next((span for span in candidates[:_TRIES] if self._proven(path, value, span)), None)

    def _candidates(self, value: Any) -> Iterator[Span]:
        """Where the value may be written, in any of the ways in which formats write it."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            for number in _NUMBER.finditer(self._text, *self._within):
                if _as_number(number[0]) == value:
                    yield number.span()
            return
        if isinstance(value, str):
            forms = {value, json.dumps(value, ensure_ascii=False)[1:-1], json.dumps(value)[1:-1], repr(value)[1:-1]} - {""}
        else:
            forms = set(_WORDS[value])
        for form in forms:
            at = self._text.find(form, *self._within)
            while at >= 0:
                yield at, at + len(form)
                at = self._text.find(form, at + 1, self._within[1])

    def _proven(self, path: _Path, value: Any, span: Span) -> bool:
        """Whether a change at this place changes this value, and nothing else."""
        written = self._text[slice(*span)]
        other = f"x{written}" if isinstance(value, str) else _OTHER.get(written) or re.sub(r"\d", _next_digit, written, count=1)
        calls = self._read(self._text[: span[0]] + other + self._text[span[1] :]).calls
        if len(calls) != 1 or calls[0].arguments is None:
            return False
        changed = dict(_leaves(calls[0].arguments, ()))
        if changed.keys() != self._leaves.keys():
            return False
        expected = f"x{value}" if isinstance(value, str) else None
        if changed[path] == value or (expected is not None and changed[path] != expected):
            return False
        return all(changed[each] == self._leaves[each] for each in changed if each != path)


def _next_digit(digit: re.Match[str]) -> str:
    return str(int(digit[0]) % 9 + 1)


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
