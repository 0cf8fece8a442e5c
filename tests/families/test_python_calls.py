"""Calls written as Python: what is read, what is read through, and where reading breaks."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from families.json_calls import CallText, Tools
from families.lenient_json import JsonError
from families.python_calls import read_python_calls, salvage_python_calls
from families.reading import Scanner

TOOLS: Tools = {"f": frozenset({"a", "b"}), "one": frozenset({"q"}), "none": frozenset()}


def read(text: str, *, closed: bool = True) -> list[CallText]:
    calls, after = read_python_calls(Scanner(text), 0, len(text), TOOLS, closed=closed)
    assert after == len(text.rstrip())
    return calls


def argument(value: str) -> tuple[Any, str | None]:
    """The argument that is written as `value`, and what was repaired."""
    (call,) = read(f"[f(a={value})]")
    assert call.arguments is not None
    return call.arguments["a"], call.repaired.en if call.repaired else None


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("-3", -3),
        ("+ 7", 7),
        ("1_000", 1000),
        ("0x1F", 31),
        ("-0b101", -5),
        (".5", 0.5),
        ("1.", 1.0),
        ("-2e3", -2000.0),
        ("True", True),
        ("None", None),
        ("[]", []),
        ("{}", {}),
        ("()", []),
        ("(1, 'x')", [1, "x"]),
        ("(1,)", [1]),
        ("('x')", "x"),
        ("[1, [2, {'k': (3,)}],]", [1, [2, {"k": [3]}]]),
        ("'a' \"b\"\n 'c'", "abc"),
        ('"""He said "x", \'y\'."""', "He said \"x\", 'y'."),
        (r"r'C:\new'", r"C:\new"),
        ("u'x'", "x"),
        ("f'x'", "x"),
        (r"'\x41\u53f0\U0001F600\N{BULLET}\101\n\t\\\'\"'", "A台😀•A\n\t\\'\""),
        (r"'\ud83d\ude00'", "😀"),
        ("'a\\\nb'", "ab"),
        ("'<|tool_call_end|> )]'", "<|tool_call_end|> )]"),
        ("''", ""),
    ],
)
def test_literals(written: str, value: Any) -> None:
    found = argument(written)
    assert found == (value, None)
    assert type(found[0]) is type(value)


@pytest.mark.parametrize(
    ("written", "value", "slip"),
    [
        ("true", True, "true/false/null"),
        ('{"on": true}', {"on": True}, "a dictionary written as JSON"),
        ('[{"on": null}]', [{"on": None}], "true/false/null"),
        ("{on: false}", {"on": False}, "a key without quotation marks"),
        ("{1: 'x'}", {"1": "x"}, "no text"),
        ("'it's'", "it's", "quotation mark inside a string"),
        ("'I don't, she won't'", "I don't, she won't", "quotation mark inside a string"),
        (r"'\d+'", r"\d+", "backslash"),
        ("'a\nb'", "a\nb", "raw line break"),
    ],
)
def test_slips_with_one_reading(written: str, value: Any, slip: str) -> None:
    found, repaired = argument(written)
    assert found == value
    assert repaired is not None
    assert slip in repaired


@pytest.mark.parametrize(
    ("text", "arguments", "slip"),
    [
        ("f(a=1)", {"a": 1}, "without the brackets"),
        ("[f(a: 1)]", {"a": 1}, "colon"),
        ("[one('x')]", {"q": "x"}, "without its name"),
        ("[f({'a': 1, 'b': 2})]", {"a": 1, "b": 2}, "without its name"),
        ("[f(a=1", {"a": 1}, "missing closing bracket"),
        ("[f(a=1)", {"a": 1}, "missing closing bracket"),
    ],
)
def test_slips_of_a_call(text: str, arguments: dict[str, Any], slip: str) -> None:
    (call,) = read(text)
    assert call.arguments == arguments
    assert call.repaired is not None
    assert slip in call.repaired.en


def test_several_calls_and_where_they_stand() -> None:
    text = "[f(a='x, y'), none(),\n f(b=[1])]"
    calls = read(text)
    assert [(call.name, call.arguments, call.raw_args) for call in calls] == [
        ("f", {"a": "x, y"}, "a='x, y'"),
        ("none", {}, ""),
        ("f", {"b": [1]}, "b=[1]"),
    ]
    assert [text[slice(*call.span)] for call in calls] == ["f(a='x, y')", "none()", "f(b=[1])"]


@pytest.mark.parametrize(
    ("text", "at", "word"),
    [
        ("[f(a=b)]", "b)", "no value"),
        ("[f(a=1 + 2)]", "+", "comma"),
        ("[f(a=g(1))]", "g(1", "no value"),
        ("[f(a=f'{x}')]", "f'{", "evaluated"),
        ("[f(a=b'x')]", "b'x", "prefix"),
        ("[f(a='x)]", "'x", "closing quotation mark"),
        ("[f(a=1, a=2)]", "a=2", "twice"),
        ("[f(a={'k': 1, 'k': 2})]", "})]", "twice"),
        ("[f(1, 2)]", "1,", "without a name"),
        ("[f(a={'k' 1})]", "1}", "colon"),
        ("[f(a=[1 2])]", "2]", "comma"),
        (r"[f(a='C:\new\data')]", "C:", "two ways"),
        (r"[f(a='\ud800')]", r"\ud8", "half a character"),
        (r"[f(a='\N{no such}')]", r"\N", "no character"),
        ("[f(a=007)]", "007", "does not begin a value"),
        ("[f(a=1e999)]", "1e9", "too large"),
        ("[f(a=?)]", "?", "does not begin"),
        ("[f(a=" + "[" * 300 + ")]", None, "levels deep"),
        ("[f(a=" + "9" * 5000 + ")]", "9", "too long"),
        # Fewer digits than may be written, which stand for more decimal ones.
        ("[f(a=0x" + "f" * 3990 + ", a=1)]", "0x", "too long"),
        ("[f(a=-0x" + "f" * 3990 + ")]", "-0x", "too long"),
        ("[f(a='\\N{\ud800}')]", "\\N", "no character"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(text: str, at: str | None, word: str) -> None:
    with pytest.raises(JsonError, match=word) as caught:
        read(text)
    assert at is None or caught.value.at == text.index(at)


@given(
    start=st.sampled_from(["", "-", "0x", "-0x", "0o", "0b"]),
    digit=st.sampled_from(["1", "7", "f"]),
    length=st.integers(1, 4400),
    twice=st.booleans(),
)
@example(start="0x", digit="f", length=3990, twice=True)
@settings(max_examples=40)
def test_a_number_is_one_that_can_be_written_again_or_refused(start: str, digit: str, length: int, twice: bool) -> None:
    number = start + digit * length
    try:
        calls = read(f"[f(a={number}{', a=1' if twice else ''})]")
    except JsonError:
        return
    assert json.loads(json.dumps(calls[0].arguments)) == calls[0].arguments


@given(st.text(st.characters(codec=None, exclude_characters="'\\\n\r\0"), max_size=6))
@example("\ud800")
@example("BULLET")
@settings(max_examples=40)
def test_the_name_of_a_character_may_be_any_text(name: str) -> None:
    written = f"'\\N{{{name}}}'"
    try:
        meant = ast.literal_eval(written)
    except (SyntaxError, UnicodeError):
        with pytest.raises(JsonError):
            read(f"[f(a={written})]")
    else:
        assert read(f"[f(a={written})]")[0].arguments == {"a": meant}


@pytest.mark.parametrize("text", ["", "f", "1(2)", "[1, 2]", "[]", "text [with a bracket]"])
def test_what_does_not_begin_calls(text: str) -> None:
    assert read_python_calls(Scanner(text), 0, len(text), TOOLS, closed=True)[0] == []


def test_one_broken_call_leaves_the_others() -> None:
    text = "[f(a=1), f(a=?, b='none()'), none()]"
    calls = salvage_python_calls(Scanner(text), 0, len(text), TOOLS, cut=False)
    assert [(call.name, call.arguments) for call in calls] == [("f", {"a": 1}), ("f", None), ("none", {})]
    error = calls[1].error
    assert error is not None
    assert (error.kind, error.at) == ("bad_arguments", text.index("?"))


def test_of_a_list_that_was_cut_off_no_call_is_whole() -> None:
    text = "[none(), f(a='x"
    calls = salvage_python_calls(Scanner(text), 0, len(text), TOOLS, cut=True)
    assert [call.name for call in calls] == ["none", "f"]
    assert [call.error.kind for call in calls if call.error] == ["unterminated", "unterminated"]
