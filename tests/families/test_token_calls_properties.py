"""What must hold for any text that a model could write with the control tokens of DeepSeek or Kimi K2."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from families.base import Turn
from families.deepseek_parser import FORMAT as DEEPSEEK
from families.json_calls import offered
from families.kimi_parser import FORMAT as KIMI
from families.reading import Scanner
from families.token_calls import read_turn
from tests.families import checks

FORMS = {"deepseek": DEEPSEEK, "kimi": KIMI}
HEADS = {"deepseek": "add", "kimi": "functions.add:0"}
PREFIXES = ["", "<think>", "<think>\n", "<think></think>"]
FRAGMENTS = [
    *("{section}", "{end_section}", "{call}", "{separator}", "{end_call}", "{stop}", "<think>", "</think>", "</thinking>"),
    *("{section}{call}", "{end_call}{end_section}", "{call}{head}{separator}", '{call}{head}{separator}{"a": 1}{end_call}'),
    *("function", "functions.", ":0", "add", "now", "\n```json\n", "```", "`", '"', "'", "{", "}", "[", "]", ",", ":"),
    *("\\", "\n", "  "),
    *('{"a": 1, "b": 2}', '{"a": "x', "\\u12", "True", "nan", "12", "-", "臺北", "👩‍💻", "e\u0301", "\u2028", "\x00", "word "),
]
each_form = pytest.mark.parametrize("key", FORMS)


def filled(key: str, text: str) -> str:
    """A fragment in the tokens of one format."""
    form = FORMS[key]
    for name in ("section", "end_section", "call", "separator", "end_call"):
        text = text.replace("{" + name + "}", getattr(form, name))
    return text.replace("{stop}", form.stops[0]).replace("{head}", HEADS[key])


def read(scanner: Scanner, key: str, prefix: str = "") -> Turn:
    return read_turn(scanner, FORMS[key], offered(checks.TOOLS), prefix)


@each_form
@given(text=checks.pieces(FRAGMENTS).map("".join), prefix=st.sampled_from(PREFIXES))
@settings(max_examples=250)
def test_any_text_is_read_and_nothing_vanishes(key: str, text: str, prefix: str) -> None:
    raw = filled(key, text)
    checks.assert_whole(raw, read(Scanner(raw), key, prefix), FORMS[key].pattern)


markers = st.sampled_from([DEEPSEEK.end_call, KIMI.end_call + KIMI.call, "</think>", "\n```", "<|im_end|>"])
arguments = st.dictionaries(checks.unicode, checks.values | markers, max_size=4)


def written(key: str, bodies: list[str]) -> str:
    form = FORMS[key]
    calls = [form.call + HEADS[key] + form.separator + body + form.end_call for body in bodies]
    return form.section + "".join(calls) + form.end_section + form.stops[0]


@each_form
@given(each=st.lists(arguments, min_size=1, max_size=4), ascii_only=st.booleans(), indent=checks.indents)
@settings(max_examples=80)
def test_any_arguments_come_back_as_they_were(key: str, each: list[dict[str, Any]], ascii_only: bool, indent: int | None) -> None:
    raw = written(key, [json.dumps(one, ensure_ascii=ascii_only, indent=indent) for one in each])
    checks.assert_as_written(read(Scanner(raw), key), each)


@each_form
@given(one=arguments)
@settings(max_examples=30)
def test_a_call_cut_off_anywhere_is_never_run(key: str, one: dict[str, Any]) -> None:
    whole = written(key, [json.dumps(one)])
    end = whole.rindex(FORMS[key].end_call) + len(FORMS[key].end_call)
    checks.assert_cut_runs_nothing(lambda raw: read(Scanner(raw), key), whole, end)


HOSTILE = [
    *("{section}", "{end_section}", "{call}", "{separator}", "{end_call}", "{stop}", "{stop}x", "<think>", "</think>"),
    *("`</think>`x", "{section}{call}", "{section}x", "{call}x", "{call}{head}{separator}", "{call}{head}{separator}["),
    *('{call}{head}{separator}{"a": "', '{call}{head}{separator}{"a": 1}', '{call}{head}{separator}{"a": 1} x{end_call}'),
    *('{section}{call}{head}{separator}{"a"{end_section}', 'x{separator}{"', "{section}{separator}", "{call}{head}{"),
    *('{call}`{head}`{separator}{"a": 1}{end_call}', "```{call}", "{end_call} x"),
    *('{end_call}"', '{call}{head}{separator}\n```json\n{"a', " ", "\n", '"', "\\", "[", "{", "<", "word "),
]


@each_form
@pytest.mark.parametrize("start", ["", "<think>", '{section}{call}{head}{separator}{"a": "'])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(key: str, unit: str, start: str) -> None:
    for end in ("", "{stop}", '"}{end_call}{end_section}</think>'):
        checks.assert_linear(partial(read, key=key), *(filled(key, part) for part in (unit, start, end)))


@each_form
@given(unit=checks.mixtures(FRAGMENTS))
@settings(max_examples=60)
def test_reading_a_repeated_mixture_is_linear(key: str, unit: str) -> None:
    checks.assert_linear(partial(read, key=key), filled(key, unit))
