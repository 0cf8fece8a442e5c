"""What must hold for any text that a model could write in the formats of Llama, Mistral, LFM2 and SmolLM3."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from families import lfm2_parser, llama3_parser, mistral_parser, smollm3
from families.base import Turn
from families.delimited import CallFormat, read_turn
from families.json_calls import Tools, offered
from families.reading import Scanner
from tests.families import checks
from tests.families.checks import TOOLS

Reader = Callable[[Scanner, Tools, str], Turn]


@dataclass(frozen=True)
class Case:
    """One format: its reader, what it is written of, its markers, and how it writes calls and ends a turn."""

    read: Reader
    fragments: list[str]
    markers: re.Pattern[str]
    json_call: str | None
    python_calls: tuple[str, str] | None
    stop: str
    joint: str = "\n"
    prefixes: list[str] = field(default_factory=lambda: [""])


SHARED = [
    "```", "```json\n", "`", '"', "'", "{", "}", "[", "]", "(", ")", ",", ";", ":", "=", "\\", "\n", "  ", "\t", "\x00",
    '{"name": "add", "arguments": {"a": 1, "b": 2}}', '{"name": "now", "parameters": {}}', '{"name": "', '"arguments": ',
    '{"a": "x', "\u2028",
    "add(a=1, b='x')", "[add(a=1)", "[now(), add(a=[1, {'k': (2,)}])]", "now()", "add(", "a=", '"""', "r'", "f'{", "\\N{", "\\x4",
    "\\u12", "\\ud83d", "True", "None", "null", "nan", "1e999", "0x1F", "1_000", "12", "-", "add", "now", "臺北", "👩‍💻",
    "e\u0301", "word ",
]  # fmt: skip


def format_reader(form: CallFormat) -> Reader:
    return lambda scanner, tools, prefix: read_turn(scanner, form, tools, prefix)


CASES = {
    "llama3": Case(
        format_reader(llama3_parser.FORM),
        ["<|python_tag|>", "<|python_start|>", "<|python_end|>", "<|eot_id|>", "<|eom_id|>", "<function=add>", "</function>"],
        re.compile(r"<\|python_tag\|>|<\|python_start\|>|<\|python_end\|>|<\|e(?:ot_id|om_id|nd_of_text|ot|om)\|>"),
        '<|python_tag|>{"name": "add", "parameters": %s}',
        ("[", "]"),
        "<|eot_id|>",
    ),
    "mistral": Case(
        format_reader(mistral_parser.FORM),
        ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]", "<think>", "</think>", "</s>", "add[ARGS]"],
        re.compile(r"\[/?THINK\]|</?think>|\[TOOL_CALLS\]|</s>"),
        "[TOOL_CALLS]add[ARGS]%s",
        None,
        "</s>",
        joint="",
    ),
    "lfm2": Case(
        format_reader(lfm2_parser.FORM),
        ["<|tool_call_start|>", "<|tool_call_end|>", "<think>", "</think>", "<|im_end|>", "<|endoftext|>"],
        re.compile(r"</?think>|<\|tool_call_(?:start|end)\|>|<\|im_end\|>|<\|endoftext\|>"),
        '<|tool_call_start|>{"name": "add", "arguments": %s}<|tool_call_end|>',
        ("<|tool_call_start|>[", "]<|tool_call_end|>"),
        "<|im_end|>",
        prefixes=["", "<|im_start|>assistant\n", "<|im_start|>assistant\n<think>\n"],
    ),
    "smollm3": Case(
        smollm3.read_turn,
        ["<code>", "</code>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<code>now()</code>", "<|im_end|>"],
        re.compile(r"</?think>|</ ?think(?:ing)? ?>|<\\think>|</?tool_call>|<\|im_end\|>|<\|endoftext\|>"),
        '<tool_call>\n{"name": "add", "arguments": %s}\n</tool_call>',
        ("<code>", "</code>"),
        "<|im_end|>",
        prefixes=["", "<|im_start|>assistant\n", "<|im_start|>assistant\n<think>\n\n</think>\n"],
    ),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def fragments(case: Case) -> list[str]:
    return [*case.fragments * 2, *SHARED]


def read(scanner: Scanner, case: Case) -> Turn:
    return case.read(scanner, offered(TOOLS), "")


@each_case
@given(data=st.data())
@settings(max_examples=250)
def test_any_text_is_read_and_nothing_vanishes(case: Case, data: st.DataObject) -> None:
    raw = "".join(data.draw(checks.pieces(fragments(case))))
    turn = case.read(Scanner(raw), offered(data.draw(st.sampled_from([[], TOOLS]))), data.draw(st.sampled_from(case.prefixes)))
    checks.assert_whole(raw, turn, case.markers)


names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)


@each_case
@given(written=st.lists(checks.arguments, min_size=1, max_size=4), ascii_only=st.booleans())
@settings(max_examples=60)
def test_any_arguments_come_back_from_json(case: Case, written: list[dict[str, Any]], ascii_only: bool) -> None:
    assert case.json_call is not None
    raw = case.joint.join(case.json_call % json.dumps(one, ensure_ascii=ascii_only) for one in written)
    checks.assert_as_written(read(Scanner(raw + case.stop), case), written)


def as_python(arguments: dict[str, Any]) -> str:
    return f"add({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


@pytest.mark.parametrize("case", [CASES["llama3"], CASES["lfm2"], CASES["smollm3"]], ids=["llama3", "lfm2", "smollm3"])
@given(written=st.lists(st.dictionaries(names, checks.values, max_size=4), min_size=1, max_size=3))
@settings(max_examples=100)
def test_any_arguments_come_back_from_python(case: Case, written: list[dict[str, Any]]) -> None:
    assert case.python_calls is not None
    opener, closer = case.python_calls
    calls = ("\n" if opener == "<code>" else ", ").join(as_python(one) for one in written)
    if opener == "<code>" and "<" in calls:
        return  # A snippet ends at its first tag: it has no delimiters for text.
    checks.assert_as_written(read(Scanner(opener + calls + closer + case.stop), case), written)


@each_case
@given(written=st.dictionaries(names, checks.values, max_size=3), ascii_only=st.booleans())
@settings(max_examples=25)
def test_a_call_cut_off_anywhere_is_never_run(case: Case, written: dict[str, Any], ascii_only: bool) -> None:
    assert case.json_call is not None
    forms = [case.json_call % json.dumps(written, ensure_ascii=ascii_only)]
    if case.python_calls:
        opener, closer = case.python_calls
        forms.append(opener + ("" if opener == "<code>" else "now(), ") + as_python(written) + closer)
    for raw in forms:
        checks.assert_cut_runs_nothing(lambda text: read(Scanner(text), case), raw)


HOSTILE = [
    *SHARED,
    "[", "{", "(", "[add(a=", "[add(a='", "add(a=1), ", "[add(a=?), ", "[[", "{'a':", "'a' ", '"a" ', "'''", "[add(a=1) ",
    "\n[add(", '\n{"name": "add", "parameters": {"a": ', '{"name":"', "\n{\"", "\n{", "x\n", " \n", "\\'", "'x", "add(a='x'y",
    "''", "<", "[now()]", "[add(a='\\'<", '\n[add("', "null\n[add(\n'''\"",
]  # fmt: skip


@each_case
@pytest.mark.parametrize("start", ["", "opener", "[add(a='"])
def test_reading_is_linear(case: Case, start: str) -> None:
    opener, end = case.fragments[0], case.stop if start else ""
    start = start.replace("opener", opener)
    for unit in [*HOSTILE, *case.fragments, *(opener + unit for unit in HOSTILE[len(SHARED) :])]:
        checks.assert_linear(partial(read, case=case), unit, start, end)


@each_case
@given(data=st.data())
@settings(max_examples=60)
def test_reading_a_repeated_mixture_is_linear(case: Case, data: st.DataObject) -> None:
    checks.assert_linear(partial(read, case=case), data.draw(checks.mixtures(fragments(case))))
