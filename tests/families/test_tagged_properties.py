"""What must hold for any text that a model could write in the formats whose calls are tags."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import families
from families import glm4_5, minimax_m2, qwen3_5
from families.base import Turn
from families.reading import Scanner
from families.tagged_calls import read_turn
from families.tags import TagFormat
from tests.families import checks

KINDS = {"string": "text", "integer": "whole", "number": "any_number", "boolean": "yes", "array": "items", "object": "fields"}
TOOLS = [checks.tool("put", **{name: kind for kind, name in KINDS.items()}), checks.TOOLS[1]]


@dataclass(frozen=True)
class Written:
    """A format, and how a model writes calls in it: `values` are pairs of a name and a text, `begin` and `end` stand around."""

    family: str
    form: TagFormat
    begin: str
    end: str
    function: Callable[[str, list[tuple[str, str]]], str]
    stop: str

    def calls(self, calls: list[tuple[str, list[tuple[str, str]]]]) -> str:
        return "\n".join(self.begin + self.function(name, values) + self.end for name, values in calls)


def qwen(name: str, values: list[tuple[str, str]]) -> str:
    return f"<function={name}>\n" + "".join(f"<parameter={key}>\n{text}\n</parameter>\n" for key, text in values) + "</function>"


def glm(name: str, values: list[tuple[str, str]]) -> str:
    tags = "".join(f"<arg_key>{key}</arg_key>\n<arg_value>{text}</arg_value>\n" for key, text in values)
    return f"<tool_call>{name}\n{tags}</tool_call>"


def minimax(name: str, values: list[tuple[str, str]]) -> str:
    return f'<invoke name="{name}">\n' + "".join(f'<parameter name="{k}">{v}</parameter>\n' for k, v in values) + "</invoke>"


FORMATS = [
    Written("qwen3_5", qwen3_5.FORMAT, "<tool_call>\n", "\n</tool_call>", qwen, "<|im_end|>"),
    Written("glm4_5", glm4_5.FORMAT, "", "", glm, "<|user|>"),
    Written("minimax_m2", minimax_m2.FORMAT, "<minimax:tool_call>\n", "\n</minimax:tool_call>", minimax, "[e~["),
]
each_format = pytest.mark.parametrize("written", FORMATS, ids=lambda written: written.family)
PREFIXES = ["", "<think>", "<|im_start|>assistant\n<think>\n", "<|im_start|>assistant\n<think>\n\n</think>\n\n"]


def fragments(written: Written) -> list[str]:
    form = written.form
    opener = form.call + "put" if not form.end_call else written.function("put", []).partition("\n")[0]
    parameter = written.function("put", [("text", "\0")]).partition("\0")[0].removeprefix(opener)
    return [
        "<think>", "</think>", "</thinking>", form.call, form.end_call, form.end_function, form.end_parameter, opener, parameter,
        parameter.replace("text", "whole"), "</param>", "</func>", "</tool", "<tool_response>", *form.stops, "<function=put>",
        "<parameter=text>", "<parameter=", "<arg_key>text</arg_key>", "<arg_key>", '<invoke name="now">', "<|im_end|>",
        "<|user|>", "```", "```json\n", "`",
        '"', "'", "{", "}", "[", '{"name": "put", "arguments": {}}', '{"whole": 1}', "\\", "\n", "  ", "<",
        ">", "</", "True", "None", "12", "1.0", "1e999", "put", "now", "臺北", "👩‍💻", "e\u0301", "\u2028", "\x00", "\t", "word ",
        written.calls([("now", [])]), written.calls([("put", [("whole", "1")])]), written.calls([("put", [("text", "a\nb")])]),
    ]  # fmt: skip


ALL_FRAGMENTS = sorted({fragment for written in FORMATS for fragment in fragments(written)})


def markers(form: TagFormat) -> re.Pattern[str]:
    known = [form.call, form.end_call or form.end_function, *form.stops]
    return re.compile(r"</?think>|</ ?think(?:ing)? ?>|<\\think>|" + "|".join(map(re.escape, known)))


@each_format
@given(raw=checks.pieces(ALL_FRAGMENTS).map("".join), prefix=st.sampled_from(PREFIXES), tools=st.sampled_from([[], TOOLS]))
@settings(max_examples=400)
def test_any_text_is_read_and_nothing_vanishes(written: Written, raw: str, prefix: str, tools: list[Any]) -> None:
    checks.assert_whole(raw, families.named(written.family).parse(raw, tools, prefix), markers(written.form))


untagged = checks.unicode.filter(lambda text: "<" not in text)
values = checks.json_values(untagged, untagged, leaves=8)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "text": untagged,
        "whole": st.integers(),
        "any_number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "yes": st.booleans(),
        "items": st.lists(values, max_size=3),
        "fields": st.dictionaries(untagged, values, max_size=3),
    },
)


def as_text(value: Any, python: bool) -> str:
    """A value as the templates write it: text as it is, all else as JSON, or true and false as Python does."""
    if isinstance(value, str):
        return value
    return str(value) if python and isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


@each_format
@given(all_arguments=st.lists(arguments, min_size=1, max_size=4), python=st.booleans())
@settings(max_examples=100)
def test_any_arguments_come_back_as_they_were(written: Written, all_arguments: list[dict[str, Any]], python: bool) -> None:
    calls = [("put", [(name, as_text(value, python)) for name, value in each.items()]) for each in all_arguments]
    turn = families.named(written.family).parse(written.calls(calls) + written.stop, TOOLS, "")
    checks.assert_as_written(turn, all_arguments)


tagged_pieces = st.sampled_from(["x", " ", "\n", "</p>", "<b>", "&lt;", *(f.form.call for f in FORMATS), "`", "</param"])


@each_format
@given(text=st.lists(tagged_pieces | checks.unicode, max_size=8).map("".join), closers=st.integers(0, 2))
@settings(max_examples=150)
def test_text_with_tags_inside_a_value_is_the_value(written: Written, text: str, closers: int) -> None:
    """Only a closing tag that something fitting follows ends a value; or a call that begins in it, as where the end is missing,
    which a marker before a name and a brace is."""
    assume(not re.search(f"{re.escape(written.form.call)}[^{{]*{{", text))
    text = "a" + text + f"{written.form.end_parameter} and so on" * closers + "z"
    raw = written.calls([("put", [("text", text), ("whole", "1")])]) + written.stop
    turn = families.named(written.family).parse(raw, TOOLS, "")
    assert [(call.arguments, call.repaired) for call in turn.calls] == [({"text": text, "whole": 1}, None)]


@each_format
@given(one=arguments)
@settings(max_examples=20)
def test_a_call_cut_off_anywhere_is_never_run(written: Written, one: dict[str, Any]) -> None:
    raw = written.calls([("put", [(name, as_text(value, False)) for name, value in one.items()])])
    for cut in range(len(raw)):
        turn = families.named(written.family).parse(raw[:cut], TOOLS, "")
        assert all(call.error and call.error.kind == "unterminated" for call in turn.calls), raw[:cut]


def read(scanner: Scanner, prefix: str, form: TagFormat) -> Turn:
    return read_turn(scanner, form, TOOLS, prefix)


HOSTILE = [
    "{call}", "{call}x", "{end_call}", "{open}", "{open}x", "{open}{par}", "{open}{par}1", "{open}{par}1{endpar}",
    "{open}{par}1{endpar}x", "{call}{open}{par}1{endpar}{par}2{endpar}{end}", "{par}", "{endpar}", "{end}", "{open}{end}",
    "{call}{open}{end}{end_call}", "{par}1{endpar}", "{endpar}{par}", "{endpar}{end}", "{open}{par}<think>", "</think>",
    "<think>", "<think>x</think>", "`{call}`", "```{call}", "```\n{open}{par}", "{call}{{", "{call}[", '{call}{{"', "{open}{{",
    '{open}{{"a',
    '{call}{{"name": "put"', "{stop}", "{stop}x", "{call} " + " " * 50, "<", "</", "<parameter=", "<function=", "<arg_key>",
    "x {call} y", "x {open} y", "\n", " ", "a", "{open}{par}\n{{1", "{open}{par}1</param>{par}", "{open}{par}1{endpar}{end_call}",
]  # fmt: skip


def hostile(unit: str, written: Written) -> str:
    form = written.form
    opener = written.function("put", []).removesuffix(form.end_function).strip()
    parameter = written.function("put", [("text", "\0")]).partition("\0")[0].removeprefix(opener).strip()
    return unit.format(
        call=form.call, end_call=form.end_call, open=opener, par=parameter, endpar=form.end_parameter, end=form.end_function,
        stop=form.stops[0],
    )  # fmt: skip


@each_format
@pytest.mark.parametrize("start", ["", "<think>", "```\n", "{call}{open}{par}"])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(unit: str, start: str, written: Written) -> None:
    closing = hostile("{endpar}{end}{end_call}", written)
    for end in ("", written.stop, closing + "</think>", closing * 99):
        as_read = partial(read, prefix=PREFIXES[1], form=written.form)
        checks.assert_linear(as_read, hostile(unit, written), hostile(start, written), end)


@each_format
@given(unit=checks.mixtures(ALL_FRAGMENTS), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=120)
def test_reading_a_repeated_mixture_is_linear(written: Written, unit: str, prefix: str) -> None:
    checks.assert_linear(partial(read, prefix=prefix, form=written.form), unit)
