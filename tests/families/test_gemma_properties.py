"""What must hold for any text that a model could write in the notation of Gemma 4 and FunctionGemma."""

from __future__ import annotations

import json
import re
from functools import partial
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
from families.json_calls import offered
from families.reading import ChannelReader, Scanner
from tests.families import checks
from tests.families.checks import TOOLS

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
pieces = checks.pieces(FRAGMENTS)


def written(pieces: list[str], dialect: Dialect) -> str:
    """The pieces as a text of this dialect: names of markers in braces become the markers."""
    text = "".join(pieces)
    for name in ("think", "end_think", "call", "end_call", "string"):
        text = text.replace("{" + name + "}", getattr(dialect, name))
    return text


def markers_of(dialect: Dialect) -> re.Pattern[str]:
    markers = [dialect.call, dialect.end_call, dialect.end_think, *dialect.stops, *dialect.control]
    exact = "|".join(map(re.escape, filter(None, markers)))
    # The name of the channel goes with its opener, and stands alone where the prompt or a slip left the opener out.
    channel = rf"|{re.escape(dialect.think)}\s*(?:t(?:h(?:o(?:u(?:g(?:ht?)?)?)?)?)?)?|^\s*t[hought]*\s*$" if dialect.think else ""
    return re.compile(exact + channel, re.MULTILINE)


@each_dialect
@given(pieces=pieces, prefix=st.sampled_from(PREFIXES), tools=st.sampled_from([[], TOOLS]))
@settings(max_examples=500)
def test_any_text_is_read_and_nothing_vanishes(key: str, pieces: list[str], prefix: str, tools: list[Any]) -> None:
    raw = written(pieces, DIALECTS[key])
    checks.assert_whole(raw, families.named(key).parse(raw, tools, prefix), markers_of(DIALECTS[key]))


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
arguments = st.dictionaries(keys, checks.json_values(keys, checks.unicode), max_size=4)


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
    checks.assert_as_written(families.named(key).parse(raw + dialect.stops[0], TOOLS, ""), calls)


@each_dialect
@given(marker=st.sampled_from([*GEMMA4.stops, *GEMMA4.control, *FUNCTIONGEMMA.stops, *FUNCTIONGEMMA.control,
                               GEMMA4.call, GEMMA4.end_call, GEMMA4.think, GEMMA4.end_think, "<|image|>", "<|image>"]),
       before=st.text(max_size=5), after=st.text(max_size=5))
def test_a_string_may_hold_any_marker(key: str, marker: str, before: str, after: str) -> None:
    dialect, text = DIALECTS[key], before + marker + after
    raw = f"{dialect.call}call:add{{a:{dialect.string}{text}{dialect.string}}}{dialect.end_call}{dialect.stops[0]}"
    checks.assert_as_written(families.named(key).parse(raw, TOOLS, ""), [{"a": text}])


@each_dialect
@given(one=arguments)
@settings(max_examples=60)
def test_a_call_cut_off_anywhere_is_never_run(key: str, one: dict[str, Any]) -> None:
    dialect = DIALECTS[key]
    raw = f"{dialect.call}call:add{notation(one, dialect.string)}{dialect.end_call}"
    checks.assert_cut_runs_nothing(lambda text: families.named(key).parse(text, TOOLS, ""), raw)


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


def read(scanner: Scanner, dialect: Dialect, prefix: str) -> Turn:
    return read_turn(scanner, dialect, offered(TOOLS), prefix)


@pytest.mark.parametrize("start", ["", "{think}", "```\n", "{call}call:add{a:{string}", "{call}call:add{a:["])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(unit: str, start: str) -> None:
    for end in ("", GEMMA4.stops[0], "{string}}{end_call}{end_think}"):
        parts = (written([part], GEMMA4) for part in (unit, start, end))
        checks.assert_linear(partial(read, dialect=GEMMA4, prefix=START), *parts)


@each_dialect
@given(unit=checks.mixtures(FRAGMENTS), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=150)
def test_reading_a_repeated_mixture_is_linear(key: str, unit: str, prefix: str) -> None:
    checks.assert_linear(partial(read, dialect=DIALECTS[key], prefix=prefix), written([unit], DIALECTS[key]))
