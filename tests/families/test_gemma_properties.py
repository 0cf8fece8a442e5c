"""What must hold for any text that a model could write in the notation of Gemma 4 and FunctionGemma."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import families
from families.base import Turn
from families.functiongemma import DIALECT as FUNCTIONGEMMA
from families.gemma4 import DIALECT as GEMMA4
from families.gemma_marks import Dialect
from families.gemma_parser import read_turn
from families.reading import ChannelReader, Scanner

TOOLS = [
    {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}}}},
    {"type": "function", "function": {"name": "now"}},
]
DIALECTS = {"gemma4": GEMMA4, "functiongemma": FUNCTIONGEMMA}
each_dialect = pytest.mark.parametrize("key", DIALECTS)
START = "<|turn>model\n"
PREFIXES = ["", START, START + "<|channel>thought\n<channel|>", "<tool_response|><|channel>thought\n", START + "<|channel>"]
FRAGMENTS = [
    "{think}",
    "{think}thought\n",
    "{end_think}",
    "{call}",
    "{call}call:",
    "{end_call}",
    "{string}",
    "<turn|>",
    "<eos>",
    "<|tool_response>",
    "<|turn>",
    "<|image>",
    "<|image|>",
    "<|tool>",
    "<tool_call>",
    "</tool_call>",
    "<|tool_call|>",
    "thought\n",
    "call:add{",
    "call:now{}",
    "call now{}",
    ":add{",
    "{call}call:add{a:1,b:{string}x{string}}{end_call}",
    "a:",
    "b c:",
    "```",
    "`",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    ",",
    ":",
    "\\",
    "\n",
    "  ",
    '{"name": "add", "arguments": {"a": 1}}',
    "true",
    "None",
    "nan",
    "1e999",
    "12",
    "-1.5e-05",
    "add",
    "臺北",
    "👩‍💻",
    "\u2028",
    "\x00",
    "word ",
]
pieces = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=30)


def written(pieces: list[str], dialect: Dialect) -> str:
    """The pieces as a text of this dialect: names of markers in braces become the markers."""
    text = "".join(pieces)
    for name in ("think", "end_think", "call", "end_call", "string"):
        text = text.replace("{" + name + "}", getattr(dialect, name))
    return text


def accounted_for(raw: str, turn: Turn, dialect: Dialect) -> None:
    """Fails where a character of `raw` is neither in a span, nor in a marker, nor white space beside one."""
    spans = sorted([*turn.thinking_spans, *turn.content_spans, *(call.span for call in turn.calls)])
    at, left = 0, ""
    for start, end in spans:
        assert at <= start <= end <= len(raw), f"spans overlap or are out of order: {spans}"
        left += raw[at:start] + "\n"
        at = end
    left += raw[at:]
    markers = [dialect.call, dialect.end_call, dialect.end_think, *dialect.stops, *dialect.control]
    exact = "|".join(map(re.escape, filter(None, markers)))
    # The name of the channel goes with its opener, and stands alone where the prompt or a slip left the opener out.
    channel = rf"|{re.escape(dialect.think)}\s*(?:t(?:h(?:o(?:u(?:g(?:ht?)?)?)?)?)?)?|^\s*t[hought]*\s*$" if dialect.think else ""
    assert not re.sub(exact + channel, "", left, flags=re.MULTILINE).strip(), f"lost: {left!r}"


def unspaced(text: str | None) -> str:
    return "".join((text or "").split())


@each_dialect
@given(pieces=pieces, prefix=st.sampled_from(PREFIXES), tools=st.sampled_from([[], TOOLS]))
@settings(max_examples=500)
def test_any_text_is_read_and_nothing_vanishes(key: str, pieces: list[str], prefix: str, tools: list[Any]) -> None:
    raw = written(pieces, DIALECTS[key])
    turn = families.named(key).parse(raw, tools, prefix)
    accounted_for(raw, turn, DIALECTS[key])
    assert unspaced(turn.thinking) == unspaced("".join(raw[slice(*span)] for span in turn.thinking_spans))
    assert unspaced(turn.content) == unspaced("".join(raw[slice(*span)] for span in turn.content_spans))
    for call in turn.calls:
        assert (call.arguments is None) == (call.error is not None)
        assert call.name or call.error
        assert call.error is None or (0 <= call.error.at <= len(raw) and call.error.text.zh != call.error.text.en)
        json.dumps(call.arguments, allow_nan=False)


@each_dialect
@given(pieces=pieces, prefix=st.sampled_from(PREFIXES), data=st.data())
@settings(max_examples=200)
def test_any_split_gives_each_character_the_same_channel(key: str, pieces: list[str], prefix: str, data: st.DataObject) -> None:
    raw, family = written(pieces, DIALECTS[key]), families.named(key)
    reader = ChannelReader(family, prefix)
    single = [reader.feed(character) for character in raw]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=8)) | {0, len(raw)})
    reader = ChannelReader(family, prefix)
    for start, end in pairwise(cuts):
        channel = reader.feed(raw[start:end])
        assert channel == ("control" if "control" in single[start:end] else single[end - 1])


keys = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters=":,{}[]<\"'"), min_size=1)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
arguments = st.dictionaries(keys, values, max_size=4)


def notation(value: Any, string: str, space: str = "") -> str:
    """A value as the templates' format_argument writes it; `space` stands around commas and brackets."""
    if isinstance(value, dict):
        members = [f"{key}:{space}{notation(part, string, space)}" for key, part in value.items()]
        return "{" + space + f"{space},{space}".join(members) + space + "}"
    if isinstance(value, list):
        return "[" + space + f"{space},{space}".join(notation(part, string, space) for part in value) + space + "]"
    return string + value + string if isinstance(value, str) else json.dumps(value)


@each_dialect
@given(calls=st.lists(arguments, min_size=1, max_size=4), space=st.sampled_from(["", " ", "\n  "]))
@settings(max_examples=200)
def test_any_arguments_come_back_as_they_were(key: str, calls: list[dict[str, Any]], space: str) -> None:
    dialect = DIALECTS[key]
    raw = "".join(f"{dialect.call}call:add{notation(one, dialect.string, space)}{dialect.end_call}" for one in calls)
    turn = families.named(key).parse(raw + dialect.stops[0], TOOLS, "")
    assert [call.arguments for call in turn.calls] == calls
    assert all(call.error is None and call.repaired is None for call in turn.calls)
    assert turn.content == ""


@each_dialect
@given(marker=st.sampled_from([*GEMMA4.stops, *GEMMA4.control, *FUNCTIONGEMMA.stops, *FUNCTIONGEMMA.control,
                               GEMMA4.call, GEMMA4.end_call, GEMMA4.think, GEMMA4.end_think, "<|image|>", "<|image>"]),
       before=st.text(max_size=5), after=st.text(max_size=5))
def test_a_string_may_hold_any_marker(key: str, marker: str, before: str, after: str) -> None:
    dialect, text = DIALECTS[key], before + marker + after
    raw = f"{dialect.call}call:add{{a:{dialect.string}{text}{dialect.string}}}{dialect.end_call}{dialect.stops[0]}"
    turn = families.named(key).parse(raw, TOOLS, "")
    assert [call.arguments for call in turn.calls] == [{"a": text}]
    assert turn.calls[0].repaired is None


@each_dialect
@given(one=arguments)
@settings(max_examples=60)
def test_a_call_cut_off_anywhere_is_never_run(key: str, one: dict[str, Any]) -> None:
    dialect = DIALECTS[key]
    raw = f"{dialect.call}call:add{notation(one, dialect.string)}{dialect.end_call}"
    for cut in range(len(raw)):
        assert all(call.error for call in families.named(key).parse(raw[:cut], TOOLS, "").calls), raw[:cut]


HOSTILE = [
    "{call}",
    "{call}x",
    "{end_call}",
    "{think}",
    "{end_think}",
    "{think}thought\n",
    "{think}x{end_think}",
    "`{call}`",
    "<turn|>",
    "<turn|>x",
    "{string}",
    "{call}call:add{a:{string}",
    "{call}call:add{a:{string},b:{string}",
    "{call}call:add{a:[{string},",
    "{call}call:add{a:\"",
    "{call}call:add{a:'\"",
    "{call}call:add{",
    "{call}call:add{a:{",
    "{call}call:add{a:[",
    "{call}call:add{a:1,",
    "{call}call:add(a=",
    "{call}{\"name\": \"add\", ",
    "{call}[{'",
    "call:add{",
    "call:add{}",
    "call:add{a:1}{end_call}",
    "call:add{a:1 {end_call}",
    "call:add{a:\"",
    "{",
    "[",
    "}",
    "a:",
    "thought\n",
    "<tool_call>call:",
    "</tool_call>",
    "```{call}",
    "```\n{call}call:add{a}",
    " ",
    "\n",
    "\\",
    "<",
    "<|",
    "{call}" + " " * 50,
    "{call}call" + " " * 50,
    "{call}call:add{a:1}{end_call}",
    "{call}call:no{a:{string}{call}call:add{{string}}",
    "a {call}call:no{}{end_call} b",
]


def steps(raw: str, dialect: Dialect, prefix: str) -> int:
    scanner = Scanner(raw)
    read_turn(scanner, dialect, {"add": frozenset({"a", "b"})}, prefix)
    return scanner.steps


@pytest.mark.parametrize("start", ["", "{think}", "```\n", "{call}call:add{a:{string}", "{call}call:add{a:["])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(unit: str, start: str) -> None:
    dialect = GEMMA4
    for end in ("", dialect.stops[0], "{string}}{end_call}{end_think}"):
        few, many = written([start, unit * 20, end], dialect), written([start, unit * 200, end], dialect)
        short, long = steps(few, dialect, START), steps(many, dialect, START)
        assert long <= 13 * short, f"{long} steps for ten times the text, {short} before"


@each_dialect
@given(unit=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=150)
def test_reading_a_repeated_mixture_is_linear(key: str, unit: list[str], prefix: str) -> None:
    dialect = DIALECTS[key]
    assert steps(written(unit * 200, dialect), dialect, prefix) <= 13 * steps(written(unit * 20, dialect), dialect, prefix)
