"""What must hold for any text that a model could write in the Hermes format."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from families.base import Turn
from families.delimited import read_turn
from families.hermes import parse
from families.hermes_parser import FORM
from families.json_calls import offered
from families.reading import Scanner
from tests.families import checks
from tests.families.checks import TOOLS

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
MARKERS = re.compile(r"</?think>|</?tool_call>|<\|im_end\|>|<\|endoftext\|>|</ ?think(?:ing)? ?>|<\\think>")


@given(raw=checks.pieces(FRAGMENTS).map("".join), prefix=st.sampled_from(PREFIXES), tools=st.sampled_from([[], TOOLS]))
@settings(max_examples=600)
def test_any_text_is_read_and_nothing_vanishes(raw: str, prefix: str, tools: list[Any]) -> None:
    checks.assert_whole(raw, parse(raw, tools, prefix), MARKERS)


def call(arguments: dict[str, Any], ascii_only: bool, indent: int | None = None) -> str:
    body = json.dumps({"name": "add", "arguments": arguments}, ensure_ascii=ascii_only, indent=indent)
    return f"<tool_call>\n{body}\n</tool_call>"


@given(written=st.lists(checks.arguments, min_size=1, max_size=4), ascii_only=st.booleans(), indent=checks.indents)
@settings(max_examples=150)
def test_any_arguments_come_back_as_they_were(written: list[dict[str, Any]], ascii_only: bool, indent: int | None) -> None:
    raw = "\n".join(call(one, ascii_only, indent) for one in written)
    checks.assert_as_written(parse(raw + "<|im_end|>", TOOLS, ""), written)


@given(written=checks.arguments, ascii_only=st.booleans())
@settings(max_examples=60)
def test_a_call_cut_off_anywhere_is_never_run(written: dict[str, Any], ascii_only: bool) -> None:
    checks.assert_cut_runs_nothing(lambda raw: parse(raw, TOOLS, ""), call(written, ascii_only))


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


def read(scanner: Scanner, prefix: str) -> Turn:
    return read_turn(scanner, FORM, offered(TOOLS), prefix)


@pytest.mark.parametrize("start", ["", "<think>", "```\n", '<tool_call>{"name": "add", "arguments": {"a": "', "<tool_call>["])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(unit: str, start: str) -> None:
    for end in ("", "<|im_end|>", '"}}</tool_call></think>'):
        checks.assert_linear(partial(read, prefix=PREFIXES[1]), unit, start, end)


@given(unit=checks.mixtures(FRAGMENTS), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=150)
def test_reading_a_repeated_mixture_is_linear(unit: str, prefix: str) -> None:
    checks.assert_linear(partial(read, prefix=prefix), unit)
