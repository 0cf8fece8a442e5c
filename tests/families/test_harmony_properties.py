"""What must hold for any text that gpt-oss could write in the harmony format."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import families
from families.base import Turn
from families.harmony import parse, read_turn
from families.json_calls import offered
from families.reading import ChannelReader, Scanner
from tests.families import checks
from tests.families.checks import TOOLS

HEAD = "<|start|>assistant"
PREFIXES = [
    "",
    HEAD,
    f"{HEAD}<|channel|>analysis<|message|>",
    f"{HEAD}<|channel|>final<|message|>So ",
    f"{HEAD} to=functions.add",
]
FRAGMENTS = [
    "<|start|>",
    "<|end|>",
    "<|message|>",
    "<|channel|>",
    "<|constrain|>",
    "<|return|>",
    "<|call|>",
    "<|endoftext|>",
    "<|end",
    "end|>",
    "assistant",
    "analysis",
    "commentary",
    "final",
    " to=functions.add",
    " to=functions.",
    " to=assistant",
    "to=",
    "json",
    " code",
    "<|channel|>analysis<|message|>",
    "<|channel|>final<|message|>",
    "<|channel|>commentary to=functions.now<|message|>{}<|call|>",
    f"<|end|>{HEAD}",
    '{"a": 1, "b": 2}',
    '{"a": "x',
    "{",
    "}",
    "[",
    ",",
    ":",
    '"',
    "'",
    "`",
    "```",
    "```json\n",
    "\\",
    "\n",
    "  ",
    "\\u12",
    "True",
    "nan",
    "12",
    "-",
    "add",
    "臺北",
    "👩‍💻",
    "e\u0301",
    "\u2028",
    "\x00",
    "\t",
    "word ",
]
MARKERS = re.compile(r"<\|(?:start|end|message|channel|constrain|return|call|endoftext)\|>")
SEAM = "\ue000"
"""Stands where a span was taken out; no text that is tried here has it."""
_WORD = r"(?:(?!to=)[\w.\-]+)?"
_TO = rf"(?:\s*to=[^\s<{{{SEAM}]*)*"
_CHANNEL = rf"\s*<\|channel\|>\s*(?:analysis|commentary|final)?{_TO}"
_HEAD = rf"(?:<\|start\|>|(?<=^{SEAM}))\s*{_WORD}{_TO}(?:{_CHANNEL})*"
_BEGUN = rf"\s*(?:{_HEAD}|\s+to=[^\s<{{{SEAM}]*(?:{_CHANNEL})*|(?:{_CHANNEL})+)(?:\s*<\|constrain\|>)?(?:\s*json\b)?"
_ANY_CHANNEL = rf"\s*<\|channel\|>\s*[^\s<{SEAM}]*{_TO}"
_WHOLE = rf"(?:<\|start\|>)?\s*{_WORD}{_TO}(?:{_ANY_CHANNEL})*(?:\s*<\|constrain\|>)?(?:\s*[\w.\-/]+)?\s*<\|message\|>"
HEADERS = re.compile(rf"{_WHOLE}|{_BEGUN}")
"""A whole header, or the words of one that nothing closes; at the beginning of a turn the prompt has begun it."""
CUT = re.compile(r"(?:(?:<\|channel\|>\s*)(?:[a-z]{1,10})|<(?:\|(?:[a-z]{1,9}\|?)?)?)\s*\Z")
"""A header in which the turn was cut off."""


turns = checks.pieces(FRAGMENTS).map(lambda pieces: "".join(pieces).replace(SEAM, ""))


def lost(raw: str, turn: Turn) -> str:
    """What is neither in a span, nor in a header or marker, nor white space beside one."""
    left = CUT.sub("", SEAM + checks.left_over(raw, turn, SEAM))
    return MARKERS.sub("", HEADERS.sub("", left)).replace(SEAM, "").strip()


@given(raw=turns, prefix=st.sampled_from(PREFIXES), tools=st.sampled_from([[], TOOLS]))
@settings(max_examples=400)
def test_any_text_is_read_and_nothing_vanishes(raw: str, prefix: str, tools: list[Any]) -> None:
    turn = parse(raw, tools, prefix)
    assert not lost(raw, turn)
    checks.assert_told(raw, turn)


markers = st.sampled_from(["<|call|>", "x <|end|><|start|>"])
arguments = st.dictionaries(checks.unicode, checks.values | markers, max_size=4)


@given(written=st.lists(arguments, min_size=1, max_size=4), ascii_only=st.booleans(), indent=checks.indents)
@settings(max_examples=120)
def test_any_arguments_come_back_as_they_were(written: list[dict[str, Any]], ascii_only: bool, indent: int | None) -> None:
    bodies = [json.dumps(one, ensure_ascii=ascii_only, indent=indent) for one in written]
    raw = HEAD.join(f"<|channel|>commentary to=functions.add <|constrain|>json<|message|>{body}<|call|>" for body in bodies)
    checks.assert_as_written(parse(raw, TOOLS, HEAD), written)


@given(written=arguments)
@settings(max_examples=40)
def test_a_call_cut_off_anywhere_is_never_run(written: dict[str, Any]) -> None:
    raw = f" to=functions.add<|channel|>commentary json<|message|>{json.dumps(written)}<|call|>"
    for cut in [cut for cut in range(len(raw)) if not raw[:cut].endswith(("<|call|>", "<|return|>"))]:
        assert all(call.error for call in parse(raw[:cut], TOOLS, HEAD).calls), raw[:cut]


HOSTILE = [
    "<|start|>",
    "<|channel|>",
    "<|message|>",
    "<|end|>",
    "<|call|>",
    "<|return|>x",
    "<|constrain|>",
    "<|end|> ",
    "<|end|>x",
    "`<|end|>`",
    "<|start|>assistant",
    "<|channel|>final",
    "<|channel|>analysis<|message|>",
    "<|channel|>final<|message|>```",
    "```<|end|> x",
    "<|channel|>commentary to=functions.add<|message|>",
    '<|channel|>commentary to=functions.add<|message|>{"a": "',
    '<|channel|>commentary to=functions.add<|message|>{"a": "<|call|>"',
    "<|channel|>commentary to=functions.add<|message|>[",
    "<|channel|>commentary to=functions.add<|message|>{}<|call|>",
    " to=functions.add",
    " to=functions.add{",
    "to=",
    '<|channel|>commentary to=functions.add<|message|>{"a": 1} x',
    "<|call|> x",
    '{"a',
    "[",
    "{",
    '"',
    "\\",
    " ",
    "\n",
    "word <|end|>, ",
    "<|start|> <|channel|> ",
    "<|channel|> ",
    "-",
    "a.",
]


def read(scanner: Scanner, prefix: str) -> Turn:
    return read_turn(scanner, offered(TOOLS), prefix)


@pytest.mark.parametrize("start", ["", "<|channel|>final<|message|>```\n", '<|channel|>c to=functions.add<|message|>{"a": "'])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(unit: str, start: str) -> None:
    for end in ("", "<|return|>", '"}<|call|>'):
        checks.assert_linear(partial(read, prefix=HEAD), unit, start, end)


@given(unit=checks.mixtures(FRAGMENTS), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=100)
def test_reading_a_repeated_mixture_is_linear(unit: str, prefix: str) -> None:
    checks.assert_linear(partial(read, prefix=prefix), unit)


@given(text=turns, prefix=st.sampled_from(PREFIXES), data=st.data())
@settings(max_examples=150)
def test_the_channels_end_alike_however_the_text_comes(text: str, prefix: str, data: st.DataObject) -> None:
    family = families.named("gpt_oss")
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    whole, single = ChannelReader(family, prefix), ChannelReader(family, prefix)
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        whole.feed(text[start:end])
    for char in text:
        single.feed(char)
    assert whole.channel == single.channel
