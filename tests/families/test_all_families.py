"""What must hold for every family, whatever a model writes.

The texts are those of `tests/families/written.py`. What is checked knows the families by their tables alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import families
from benchmarks.families import OWN_CASES, accepted, comparable, own_cases
from families.base import Family, Turn
from families.read import main
from families.reading import MAX_HEADER, ChannelReader, Scanner
from tests.families import checks
from tests.families.checks import TOOLS
from tests.families.written import COMMON, SHARED, fragments, markers, recorded, texts

each_family = pytest.mark.parametrize("key", [family.key for family in families.FAMILIES])


def prompts(key: str) -> st.SearchStrategy[str]:
    """How prompts end: nowhere in particular, with the thinking opened, or with it closed again."""
    family = families.named(key)
    closers = [name for name, channel in family.channels.items() if channel == "content"]
    opened = [family.user_turn_start + "Hi" + opener for opener in family.thinking_openers]
    closed = [prompt + closer for prompt in opened for closer in closers]
    heads = [family.headers.openers[0] + "assistant"] if family.headers else []
    return st.sampled_from(["", family.user_turn_start + "Hi\n", *opened, *closed, *heads])


# Thinking.


@pytest.mark.parametrize("end", ["", "stop"])
@pytest.mark.parametrize(
    ("thought", "answer"), [("回「你好」", "「你好」是問候。"), ("So “hi”", "“hi” it is."), ('"hi"', '"hi"'), ("`a`\n`b`", "`b`")]
)
@pytest.mark.parametrize("key", [family.key for family in families.FAMILIES if family.thinking_openers and not family.headers])
def test_an_answer_may_begin_with_a_quotation_after_one_in_the_thinking(key: str, thought: str, answer: str, end: str) -> None:
    family = families.named(key)
    closer = next(token for token in family.thinking_tokens if family.channels[token] == "content")
    raw = thought + closer + answer
    turn = family.parse(family.ended(raw) if end else raw, [], family.thinking_openers[0])
    assert (turn.thinking, turn.content) == (thought, answer)


@pytest.mark.parametrize("mark", ["``", "「」", '""'])
@pytest.mark.parametrize("key", [family.key for family in families.FAMILIES if family.thinking_openers and not family.headers])
def test_the_name_of_a_closer_in_the_thinking_does_not_end_it(key: str, mark: str) -> None:
    family = families.named(key)
    closer = next(token for token in family.thinking_tokens if family.channels[token] == "content")
    thought = f"The marker {mark[0]}{closer}{mark[1]} ends it"
    turn = family.parse(thought + closer + "Yes.", [], family.thinking_openers[0])
    assert (turn.thinking, turn.content) == (thought, "Yes.")
    turn = family.parse(thought, [], family.thinking_openers[0])
    assert (turn.thinking, turn.content) == (thought, "")


# Nothing vanishes.

THINKING = r"<think>|</ ?think(?:ing)? ?>|<\\think>"
"""Thinking is read in most families, and its end also where it is misspelt."""
NAMES = {
    "gemma4": r"<\|channel>\s*t?h?o?u?g?h?t?|^\s*t?h?o?u?g?h?t?\s*$",
    "gpt_oss": r"<\|channel\|>\s*(?:analysis|commentary|final)|<\|start\|>\s*assistant",
}
"""Words that belong to a marker: the name of the channel follows its opener, or the prompt's."""


def lost(family: Family, raw: str, turn: Turn) -> str:
    """What is neither thinking nor content nor a call nor a marker nor white space; fails where spans run into each other."""
    left = checks.left_over(raw, turn, "\0\n")
    tokens = {*markers(family.key), *markers(SHARED.get(family.key, family.key))}
    exact = map(re.escape, sorted(tokens, key=len, reverse=True))
    known = "|".join([*([NAMES[family.key]] if family.key in NAMES else []), *exact, THINKING])
    if family.headers:
        opener, closer = "|".join(map(re.escape, family.headers.openers)), re.escape(family.headers.closer)
        # Its opener may be missing, or be the end of the prompt.
        header = rf"(?:{opener})(?:(?!{closer})[^\0])*{closer}|[^\0<]{{0,{MAX_HEADER}}}{closer}"
        known = rf"{header}|(?:{opener})[^\0]{{0,{MAX_HEADER}}}\Z|{known}"
    return re.sub(known, "", left, flags=re.MULTILINE).replace("\0", "").strip()


@each_family
@given(data=st.data())
@settings(max_examples=40)
def test_any_text_is_read_and_nothing_vanishes(key: str, data: st.DataObject) -> None:
    family, raw, prefix = families.named(key), data.draw(texts(key)), data.draw(prompts(key))
    turn = family.parse(raw, data.draw(st.sampled_from([[], TOOLS])), prefix)
    assert not lost(family, raw, turn)
    checks.assert_told(raw, turn)


def runnable(turn: Turn) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in turn.calls if call.error is None]


@each_family
def test_a_recorded_turn_cut_off_anywhere_is_read_and_runs_no_half_call(key: str) -> None:
    """Turns without a call are left out: a call drafted in thinking counts until the thinking closes."""
    family = families.named(key)
    calls = [(raw, whole) for raw in recorded()[key] if (whole := runnable(family.parse(raw, TOOLS, "")))]
    assert calls or key == "plain"
    for raw, whole in calls[:6]:
        for cut in range(0, len(raw), 1 + len(raw) // 40):
            turn = family.parse(raw[:cut], TOOLS, "")
            assert not lost(family, raw[:cut], turn)
            run = runnable(turn)
            assert run == whole[: len(run)]


# Reading as the tokens come.


@each_family
@given(data=st.data())
@settings(max_examples=30)
def test_any_split_gives_the_same_channels(key: str, data: st.DataObject) -> None:
    """A token is "control" where a marker ends in it, else it stands in the channel that holds after it; and which one holds
    does not depend on how the text before came."""
    family, raw, prefix = families.named(key), data.draw(texts(key)), data.draw(prompts(key))
    reader = ChannelReader(family, prefix)
    single = [(reader.feed(character), reader.channel) for character in raw]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=8)) | {0, len(raw)})
    reader = ChannelReader(family, prefix)
    for start, end in pairwise(cuts):
        shown = reader.feed(raw[start:end])
        assert reader.channel == single[end - 1][1]
        marked = any(shown == "control" != held for shown, held in single[start:end])
        assert shown == ("control" if marked else reader.channel) or (
            family.headers and shown in ("control", reader.channel)
        )


@each_family
def test_no_marker_is_the_beginning_of_another(key: str) -> None:
    """Else, what a token means would hang on the next one."""
    family = families.named(key)
    names = [*family.channels, *family.stop_tokens, *family.call_closers]
    assert not [(one, other) for one in names for other in names if one != other and other.startswith(one)]


# Linear time, in steps that are counted.


class CountedText(str):
    """A text that counts the characters which slices of it copy and searches in it pass."""

    steps = 0

    def __getitem__(self, place: Any) -> str:
        part = super().__getitem__(place)
        CountedText.steps += len(part)
        return part

    def find(self, part: str, start: Any = 0, end: Any = None) -> int:
        found = super().find(part, start, end)
        CountedText.steps += max(0, (found if found >= 0 else len(self) if end is None else end) - start)
        return found

    def rfind(self, part: str, start: Any = 0, end: Any = None) -> int:
        found = super().rfind(part, start, end)
        CountedText.steps += max(0, (len(self) if end is None else end) - (found if found >= 0 else start))
        return found

    def strip(self, chars: str | None = None) -> str:
        CountedText.steps += len(self)
        return super().strip(chars)


@contextmanager
def counting() -> Iterator[list[int]]:
    """Counts while it holds: the steps of every scanner, the characters that slices and searches touch, and function calls."""
    scanners: list[Scanner] = []
    begin, total, calls = Scanner.__init__, [0], 0

    def watched(self: Scanner, text: str) -> None:
        begin(self, text)
        scanners.append(self)

    def called(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    CountedText.steps = 0
    Scanner.__init__ = watched  # type: ignore[method-assign]
    sys.setprofile(called)
    try:
        yield total
    finally:
        sys.setprofile(None)
        Scanner.__init__ = begin  # type: ignore[method-assign]
        total[0] = calls + CountedText.steps + sum(scanner.steps for scanner in scanners)


def steps(family: Family, raw: str, prefix: str) -> int:
    with counting() as total:
        family.parse(CountedText(raw), TOOLS, prefix)
    return total[0]


def assert_linear(family: Family, start: str, unit: str, prefix: str = "") -> None:
    short, long = steps(family, start + unit * 80, prefix), steps(family, start + unit * 800, prefix)
    assert long <= 13 * short, f"{long} steps for ten times {unit!r} after {start!r}, {short} before"


@each_family
def test_reading_is_linear(key: str) -> None:
    family = families.named(key)
    names = list(dict.fromkeys([*family.channels, *family.call_closers, *family.stop_tokens, *family.string_marks]))
    openers = [name for name, channel in family.channels.items() if channel in ("tool_call", "thought")]
    for unit in [*names[:12], "{", '{"a": "', "[(", "<", "\\", "` "]:
        assert_linear(family, "", unit)
    for opener in openers[:3]:
        for unit in ["{", '"x', "a:", "x <", opener + "{"]:
            assert_linear(family, opener, unit)


@each_family
@given(data=st.data())
@settings(max_examples=8)
def test_reading_a_repeated_mixture_is_linear(key: str, data: st.DataObject) -> None:
    unit = "".join(data.draw(st.lists(st.sampled_from(fragments(key) + tuple(COMMON)), min_size=1, max_size=4)))
    assert_linear(families.named(key), "", unit[:120], data.draw(prompts(key)))


# The command over all of them.


def test_the_command_reads_the_cases_of_all_families(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", str(OWN_CASES)]) == 0
    read = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["id"] for each in read] == [case["id"] for case in own_cases()]
    assert [each["id"] for each, case in zip(read, own_cases(), strict=True) if comparable(each) not in accepted(case)] == []
