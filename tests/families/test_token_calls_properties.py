"""What must hold for any text that a model could write with the control tokens of DeepSeek or Kimi K2."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from families.deepseek_parser import FORMAT as DEEPSEEK
from families.kimi_parser import FORMAT as KIMI
from families.reading import Scanner
from families.token_calls import read_turn

FORMS = {"deepseek": DEEPSEEK, "kimi": KIMI}
HEADS = {"deepseek": "add", "kimi": "functions.add:0"}
TOOLS = {"add": frozenset({"a", "b"}), "now": frozenset[str]()}
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


turns = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=30).map("".join)


@each_form
@given(text=turns, prefix=st.sampled_from(PREFIXES))
@settings(max_examples=250)
def test_any_text_is_read_and_nothing_vanishes(key: str, text: str, prefix: str) -> None:
    raw, form = filled(key, text), FORMS[key]
    turn = read_turn(Scanner(raw), form, TOOLS, prefix)
    spans = sorted([*turn.thinking_spans, *turn.content_spans, *(call.span for call in turn.calls)])
    at, left = 0, ""
    for start, end in spans:
        assert at <= start <= end <= len(raw), f"spans overlap or are out of order: {spans}"
        left += raw[at:start] + "\n"
        at = end
    assert not form.pattern.sub("", left + raw[at:]).strip(), f"lost: {left + raw[at:]!r}"
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
markers = st.sampled_from([DEEPSEEK.end_call, KIMI.end_call + KIMI.call, "</think>", "\n```", "<|im_end|>"])
arguments = st.dictionaries(st.text(characters), values | markers, max_size=4)


def written(key: str, bodies: list[str]) -> str:
    form = FORMS[key]
    calls = [form.call + HEADS[key] + form.separator + body + form.end_call for body in bodies]
    return form.section + "".join(calls) + form.end_section + form.stops[0]


@each_form
@given(each=st.lists(arguments, min_size=1, max_size=4), ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
@settings(max_examples=80)
def test_any_arguments_come_back_as_they_were(key: str, each: list[dict[str, Any]], ascii_only: bool, indent: int | None) -> None:
    raw = written(key, [json.dumps(one, ensure_ascii=ascii_only, indent=indent) for one in each])
    turn = read_turn(Scanner(raw), FORMS[key], TOOLS, "")
    assert [call.arguments for call in turn.calls] == each
    assert all(call.error is None and call.repaired is None for call in turn.calls)
    assert (turn.thinking, turn.content) == (None, "")


@each_form
@given(one=arguments)
@settings(max_examples=30)
def test_a_call_cut_off_anywhere_is_never_run(key: str, one: dict[str, Any]) -> None:
    whole = written(key, [json.dumps(one)])
    for cut in range(whole.rindex(FORMS[key].end_call) + len(FORMS[key].end_call)):
        assert all(call.error for call in read_turn(Scanner(whole[:cut]), FORMS[key], TOOLS, "").calls), whole[:cut]


HOSTILE = [
    *("{section}", "{end_section}", "{call}", "{separator}", "{end_call}", "{stop}", "{stop}x", "<think>", "</think>"),
    *("`</think>`x", "{section}{call}", "{section}x", "{call}x", "{call}{head}{separator}", "{call}{head}{separator}["),
    *('{call}{head}{separator}{"a": "', '{call}{head}{separator}{"a": 1}', '{call}{head}{separator}{"a": 1} x{end_call}'),
    *('{section}{call}{head}{separator}{"a"{end_section}', 'x{separator}{"', "{section}{separator}", "{call}{head}{"),
    *('{call}`{head}`{separator}{"a": 1}{end_call}', "```{call}", "{end_call} x"),
    *('{end_call}"', '{call}{head}{separator}\n```json\n{"a', " ", "\n", '"', "\\", "[", "{", "<", "word "),
]


def steps(raw: str, key: str) -> int:
    scanner = Scanner(raw)
    read_turn(scanner, FORMS[key], TOOLS, "")
    return scanner.steps


@each_form
@pytest.mark.parametrize("start", ["", "<think>", '{section}{call}{head}{separator}{"a": "'])
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_is_linear(key: str, unit: str, start: str) -> None:
    for end in ("", "{stop}", '"}{end_call}{end_section}</think>'):
        short, long = (steps(filled(key, start + unit * times + end), key) for times in (20, 200))
        assert long <= 13 * short, f"{long} steps for ten times the text, {short} before"


@each_form
@given(unit=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join))
@settings(max_examples=60)
def test_reading_a_repeated_mixture_is_linear(key: str, unit: str) -> None:
    short, long = (steps(filled(key, unit * times), key) for times in (20, 200))
    assert long <= 13 * short
