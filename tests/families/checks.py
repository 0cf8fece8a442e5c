"""What the tests of families share: how a turn that was read is checked, and what turns are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from families.base import Turn
from families.reading import Scanner

REPAIRED = True
Calls = list[tuple[Any, ...]]
"""What is right of each call: (name, arguments) or (name, kind of error), and REPAIRED where it was repaired."""


def tool(name: str, *parameters: str, **types: str) -> dict[str, Any]:
    """A tool's schema, with parameters of any type or of the type that is given."""
    typed = {key: {"type": kind} for key, kind in types.items()}
    schema = {"type": "object", "properties": {**{key: {} for key in parameters}, **typed}}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}


TOOLS = [tool("add", "a", "b"), {"type": "function", "function": {"name": "now"}}]


class Case(NamedTuple):
    """A turn written by hand, how its prompt ended, and what is right."""

    id: str
    prefix: str
    raw: str
    thinking: str | None
    content: str
    calls: Calls


def outcome(turn: Turn) -> Calls:
    """The calls of a turn as a case tells them."""
    made = [(call.name, call.error.kind if call.error else call.arguments, call.repaired) for call in turn.calls]
    return [(name, result, REPAIRED) if repaired else (name, result) for name, result, repaired in made]


def squeezed(text: str | None) -> str | None:
    """White space runs as one space: how pieces are joined is a matter of taste."""
    return None if text is None else " ".join(text.split())


def assert_read(turn: Turn, case: Case) -> None:
    assert outcome(turn) == case.calls
    assert squeezed(turn.thinking) == squeezed(case.thinking)
    assert squeezed(turn.content) == squeezed(case.content)


def left_over(raw: str, turn: Turn, seam: str = "\n") -> str:
    """What stands in none of a turn's spans, `seam` where one was taken out; fails where they run into each other."""
    spans = sorted([*turn.thinking_spans, *turn.content_spans, *(call.span for call in turn.calls)])
    at, left = 0, ""
    for start, end in spans:
        assert at <= start <= end <= len(raw), f"spans overlap or are out of order: {spans}"
        left += raw[at:start] + seam
        at = end
    return left + raw[at:]


def unspaced(text: str | None) -> str:
    return "".join((text or "").split())


def assert_whole(raw: str, turn: Turn, markers: re.Pattern[str]) -> None:
    """What must hold for any turn; `markers` are those that may stand in none of its spans, beside white space."""
    left = left_over(raw, turn)
    assert not markers.sub("", left).strip(), f"lost: {left!r}"
    assert_told(raw, turn)


def assert_told(raw: str, turn: Turn) -> None:
    """The spans hold what the turn says, and every call says what it is or why it is none."""
    assert unspaced(turn.thinking) == unspaced("".join(raw[slice(*span)] for span in turn.thinking_spans))
    assert unspaced(turn.content) == unspaced("".join(raw[slice(*span)] for span in turn.content_spans))
    for call in turn.calls:
        assert (call.arguments is None) == (call.error is not None)
        assert call.name or call.error
        json.dumps(call.arguments, allow_nan=False).encode("utf-8")
        assert call.error is None or 0 <= call.error.at <= len(raw)
        for text in filter(None, (call.repaired, call.error and call.error.text)):
            assert text.zh.strip()
            assert text.en.strip()
            assert text.zh != text.en


def assert_as_written(turn: Turn, arguments: Sequence[dict[str, Any]]) -> None:
    """The turn is nothing but calls with these arguments, of which none was repaired."""
    assert [call.arguments for call in turn.calls] == arguments
    assert all(call.error is None and call.repaired is None for call in turn.calls)
    assert (turn.thinking, turn.content) == (None, "")


def assert_cut_runs_nothing(parse: Callable[[str], Turn], raw: str, ends: int | None = None) -> None:
    """No call is whole in the text cut off anywhere before the character `ends`, or before its own end."""
    for cut in range(len(raw) if ends is None else ends):
        assert all(call.error for call in parse(raw[:cut]).calls), raw[:cut]


def steps(read: Callable[[Scanner], Turn], raw: str) -> int:
    """The characters that reading may touch."""
    scanner = Scanner(raw)
    read(scanner)
    return scanner.steps


def assert_linear(read: Callable[[Scanner], Turn], unit: str, start: str = "", end: str = "") -> None:
    """Ten times the text between `start` and `end` takes hardly more than ten times the steps."""
    short, long = (steps(read, start + unit * times + end) for times in (20, 200))
    assert long <= 13 * short, f"{long} steps for ten times {unit!r} between {start!r} and {end!r}, {short} before"


def pieces(fragments: Sequence[str], most: int = 30) -> st.SearchStrategy[list[str]]:
    """What a text is put together from: the fragments, and any other text."""
    return st.lists(st.sampled_from(fragments) | st.text(max_size=8), max_size=most)


def mixtures(fragments: Sequence[str]) -> st.SearchStrategy[str]:
    """A few fragments, to be repeated."""
    return st.lists(st.sampled_from(fragments), min_size=1, max_size=6).map("".join)


def json_values(keys: st.SearchStrategy[str], texts: st.SearchStrategy[str], leaves: int = 12) -> st.SearchStrategy[Any]:
    """Any value that JSON can hold, made of these keys and texts."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=leaves,
    )


unicode = st.text(st.characters(exclude_categories=["Cs"]))
"""Any text that UTF-8 can hold."""
values = json_values(unicode, unicode)
arguments = st.dictionaries(unicode, values, max_size=4)
indents = st.sampled_from([None, 1])
