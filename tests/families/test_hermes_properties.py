"""What must hold for any text that a model could write in the Hermes format."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from families.base import Turn
from families.hermes import parse
from families.hermes_parser import read_turn
from families.reading import Scanner

TOOLS = [
    {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}}}},
    {"type": "function", "function": {"name": "now"}},
]
PREFIXES = ["", "<|im_start|>assistant\n", "<|im_start|>assistant\n<think>\n", "<|im_start|>assistant\n<think>\n\n</think>\n\n"]
FRAGMENTS = [
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<|im_end|>",
    "<|endoftext|>",
    "</thinking>",
    "<tools>",
    "</tools>",
    "</tool_cal>",
    "<tool_call",
    "</tool_",
    "<tool_response>",
    "<|im_start|>",
    "```",
    "```json\n",
    "`",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\n",
    "  ",
    '{"name": "add", "arguments": {"a": 1, "b": 2}}',
    '{"name": "now", "arguments": {}}',
    '{"name": "',
    '"arguments": ',
    '{"a": "x',
    "\\u12",
    "\\ud83d",
    "True",
    "None",
    "nan",
    "1e999",
    "12",
    "-",
    "add",
    "now",
    "臺北",
    "👩‍💻",
    "e\u0301",
    "\u2028",
    "\x00",
    "\t",
    "word ",
    " </tool_call> ",
]
turns = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=30).map("".join)
MARKERS = re.compile(r"</?think>|</?tool_call>|<\|im_end\|>|<\|endoftext\|>|</ ?think(?:ing)? ?>|<\\think>")


def accounted_for(raw: str, turn: Turn) -> None:
    """Fails where a character of `raw` is neither in a span, nor in a marker, nor white space beside one."""
    spans = sorted([*turn.thinking_spans, *turn.content_spans, *(call.span for call in turn.calls)])
    at, left = 0, ""
    for start, end in spans:
        assert at <= start <= end <= len(raw), f"spans overlap or are out of order: {spans}"
        left += raw[at:start] + "\n"
        at = end
    left += raw[at:]
    assert not MARKERS.sub("", left).strip(), f"lost: {left!r}"


def unspaced(text: str | None) -> str:
    return "".join((text or "").split())


@given(raw=turns, prefix=st.sampled_from(PREFIXES), tools=st.sampled_from([[], TOOLS]))
@settings(max_examples=600)
def test_any_text_is_read_and_nothing_vanishes(raw: str, prefix: str, tools: list[Any]) -> None:
    turn = parse(raw, tools, prefix)
    accounted_for(raw, turn)
    assert unspaced(turn.thinking) == unspaced("".join(raw[slice(*span)] for span in turn.thinking_spans))
    assert unspaced(turn.content) == unspaced("".join(raw[slice(*span)] for span in turn.content_spans))
    for call in turn.calls:
        assert (call.arguments is None) == (call.error is not None)
        assert call.name or call.error
        assert call.error is None or (0 <= call.error.at <= len(raw) and call.error.text.zh != call.error.text.en)
        json.dumps(call.arguments, allow_nan=False).encode("utf-8")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)
arguments = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), values, max_size=4)


@given(written=st.lists(arguments, min_size=1, max_size=4), ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
@settings(max_examples=150)
def test_any_arguments_come_back_as_they_were(written: list[dict[str, Any]], ascii_only: bool, indent: int | None) -> None:
    calls = [{"name": "add", "arguments": one} for one in written]
    raw = "\n".join(f"<tool_call>\n{json.dumps(call, ensure_ascii=ascii_only, indent=indent)}\n</tool_call>" for call in calls)
    turn = parse(raw + "<|im_end|>", TOOLS, "")
    assert [call.arguments for call in turn.calls] == written
    assert all(call.error is None and call.repaired is None for call in turn.calls)
    assert turn.content == ""


@given(written=arguments, ascii_only=st.booleans())
@settings(max_examples=60)
def test_a_call_cut_off_anywhere_is_never_run(written: dict[str, Any], ascii_only: bool) -> None:
    raw = "<tool_call>\n" + json.dumps({"name": "add", "arguments": written}, ensure_ascii=ascii_only) + "\n</tool_call>"
    for cut in range(len(raw)):
        assert all(call.error for call in parse(raw[:cut], TOOLS, "").calls), raw[:cut]


HOSTILE = [
    "<tool_call>",
    "<tool_call>x",
    "</tool_call>",
    "<think>",
    "</think>",
    "<think>x</think>",
    "`<tool_call>`",
    "`</think>`x",
    "<|im_end|>",
    "<|im_end|>x",
    '<tool_call>{"',
    '<tool_call>{"a',
    '<tool_call>["',
    "<tool_call>{'\"",
    "<tool_call>[\",'",
    "<tool_call>[\"','\",",
    '<tool_call>{"name":"add"',
    '<tool_call>{"name":"add","arguments":{"a":"',
    "<tool_call>[",
    "<tool_call>{",
    "<tools>{",
    '<tools>{"name": "',
    "[",
    "{",
    '{"name": ',
    '{"a":',
    '{"name": "x"}</tool_call>',
    '{"name": "x" </tool_call>',
    "```<tool_call>",
    "```\n<tool_call>{1}",
    "x <think> y",
    "<think> <think>x",
    "\\",
    '"',
    " ",
    "\n",
    "}",
    "<tool_call>{}",
    "<tool_call>\n```json\n",
    "</tool_cal",
    "<",
    "<tool_call>" + " " * 50,
    '<tool_call>{"a": 1 ',
    "x</tool_call>{",
    '{"name":"',
    '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}',
    '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>',
    '<tool_call>{"name": "no", "arguments": {"a": "<tool_call>{"}}',
    'a <tool_call>{"name": "no", "arguments": {}}</tool_call> b',
]


def steps(raw: str, prefix: str) -> int:
    scanner = Scanner(raw)
    read_turn(scanner, {"add": frozenset({"a", "b"})}, prefix)
    return scanner.steps


@pytest.mark.parametrize("start", ["", "<think>", "```\n", '<tool_call>{"name": "add", "arguments": {"a": "', "<tool_call>["])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(unit: str, start: str) -> None:
    for end in ("", "<|im_end|>", '"}}</tool_call></think>'):
        short, long = steps(start + unit * 20 + end, PREFIXES[1]), steps(start + unit * 200 + end, PREFIXES[1])
        assert long <= 13 * short, f"{long} steps for ten times the text, {short} before"


@given(unit=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=150)
def test_reading_a_repeated_mixture_is_linear(unit: str, prefix: str) -> None:
    assert steps(unit * 200, prefix) <= 13 * steps(unit * 20, prefix)
