"""What must hold for any text that gpt-oss could write in the harmony format."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import families
from families.base import Turn
from families.harmony import parse, read_turn
from families.reading import ChannelReader, Scanner

TOOLS = [
    {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}}}},
    {"type": "function", "function": {"name": "now"}},
]
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


turns = st.lists(st.sampled_from(FRAGMENTS) | st.text(st.characters(exclude_characters=SEAM), max_size=8), max_size=30).map(
    "".join
)


def accounted_for(raw: str, turn: Turn) -> None:
    """Fails where a character of `raw` is neither in a span, nor in a header or marker, nor white space beside one."""
    spans = sorted([*turn.thinking_spans, *turn.content_spans, *(call.span for call in turn.calls)])
    at, left = 0, ""
    for start, end in spans:
        assert at <= start <= end <= len(raw), f"spans overlap or are out of order: {spans}"
        left += raw[at:start] + SEAM
        at = end
    left += raw[at:]
    remaining = MARKERS.sub("", HEADERS.sub("", CUT.sub("", SEAM + left)))
    assert not remaining.replace(SEAM, "").strip(), f"lost: {remaining!r} of {left!r}"


def unspaced(text: str | None) -> str:
    return "".join((text or "").split())


@given(raw=turns, prefix=st.sampled_from(PREFIXES), tools=st.sampled_from([[], TOOLS]))
@settings(max_examples=400)
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


characters = st.characters(exclude_categories=["Cs"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(characters),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(characters), inner, max_size=4),
    max_leaves=12,
)
arguments = st.dictionaries(st.text(characters), values | st.sampled_from(["<|call|>", "x <|end|><|start|>"]), max_size=4)


@given(written=st.lists(arguments, min_size=1, max_size=4), ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
@settings(max_examples=120)
def test_any_arguments_come_back_as_they_were(written: list[dict[str, Any]], ascii_only: bool, indent: int | None) -> None:
    bodies = [json.dumps(one, ensure_ascii=ascii_only, indent=indent) for one in written]
    raw = HEAD.join(f"<|channel|>commentary to=functions.add <|constrain|>json<|message|>{body}<|call|>" for body in bodies)
    turn = parse(raw, TOOLS, HEAD)
    assert [call.arguments for call in turn.calls] == written
    assert all(call.error is None and call.repaired is None for call in turn.calls)
    assert turn.content == ""


@given(written=arguments)
@settings(max_examples=40)
def test_a_call_cut_off_anywhere_is_never_run(written: dict[str, Any]) -> None:
    raw = f" to=functions.add<|channel|>commentary json<|message|>{json.dumps(written)}<|call|>"
    ends = [place for place in range(len(raw)) if not raw[:place].endswith(("<|call|>", "<|return|>"))]
    for cut in ends:
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


def steps(raw: str, prefix: str) -> int:
    scanner = Scanner(raw)
    read_turn(scanner, {"add": frozenset({"a", "b"})}, prefix)
    return scanner.steps


@pytest.mark.parametrize("start", ["", "<|channel|>final<|message|>```\n", '<|channel|>c to=functions.add<|message|>{"a": "'])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(unit: str, start: str) -> None:
    for end in ("", "<|return|>", '"}<|call|>'):
        short, long = steps(start + unit * 20 + end, HEAD), steps(start + unit * 200 + end, HEAD)
        assert long <= 13 * short, f"{long} steps for ten times the text, {short} before"


@given(unit=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=100)
def test_reading_a_repeated_mixture_is_linear(unit: str, prefix: str) -> None:
    assert steps(unit * 200, prefix) <= 13 * steps(unit * 20, prefix)


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
