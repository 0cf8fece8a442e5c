"""Where the arguments of a call stand in what the model wrote, in formats that write them in different ways."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import families
from backends.scripted import ScriptedBackend
from harness.places import places
from harness.run import Run
from harness.settings import Settings

TOOL = {
    "type": "function",
    "function": {
        "name": "convert",
        "description": "Convert.",
        "parameters": {
            "type": "object",
            "properties": {
                "value": {"type": "number"}, "unit": {"type": "string"}, "exact": {"type": "boolean"}, "note": {"type": "string"},
            },
        },
    },
}
WRITTEN = {
    "qwen3": (
        '<tool_call>\n{"name": "convert", "arguments": '
        '{"value": 5, "unit": "km", "exact": true, "note": "value 5 km"}}\n</tool_call>'
    ),
    "qwen3_5": (
        "<tool_call>\n<function=convert>\n<parameter=value>\n5\n</parameter>\n<parameter=unit>\nkm\n</parameter>\n"
        "<parameter=exact>\nTrue\n</parameter>\n<parameter=note>\nvalue 5 km\n</parameter>\n</function>\n</tool_call>"
    ),
    "gemma4": '<|tool_call>call:convert{value:5,unit:<|"|>km<|"|>,exact:true,note:<|"|>value 5 km<|"|>}<tool_call|>',
    "gpt_oss": (
        "<|channel|>commentary to=functions.convert <|constrain|>json<|message|>"
        '{"value": 5, "unit": "km", "exact": true, "note": "value 5 km"}<|call|>'
    ),
}


def found(key: str, raw: str) -> tuple[str | None, dict[str, str]]:
    """The argument text and each value's text, as they were written."""
    family = families.named(key)
    (call,) = family.parse(raw, [TOOL], "").calls
    assert call.error is None, call.error
    where = places(raw, call, lambda text: family.parse(text, [TOOL], ""))
    arguments = None if where.arguments is None else raw[slice(*where.arguments)]
    return arguments, {name: raw[slice(*span)] for name, span in where.values.items()}


@pytest.mark.parametrize("before", ["", "Let me convert 5 km, exact: true.\n"])
@pytest.mark.parametrize("key", list(WRITTEN))
def test_each_value_is_found_where_it_was_written(key: str, before: str) -> None:
    raw = WRITTEN[key] if key == "gpt_oss" else before + WRITTEN[key]
    arguments, values = found(key, raw)
    assert arguments is not None
    assert values.pop("exact") in ("true", "True")
    assert values == {"value": "5", "unit": "km", "note": "value 5 km"}


def test_a_value_that_stands_in_another_one_too_is_told_apart_by_reading_again() -> None:
    call = '<tool_call>\n{"name": "convert", "arguments": {"note": "unit: km", "unit": "km"}}\n</tool_call>'
    family = families.named("qwen3")
    (read,) = family.parse(call, [TOOL], "").calls
    where = places(call, read, lambda text: family.parse(text, [TOOL], ""))
    assert where.values["unit"][0] == call.rindex("km")
    assert where.values["note"] == (call.index("unit: km"), call.index("unit: km") + len("unit: km"))


def test_escaped_and_nested_values() -> None:
    arguments: dict[str, Any] = {"note": 'say "hi"\n臺北', "value": {"from": [1, 2.5], "to": None}, "unit": "", "exact": False}
    raw = f'<tool_call>\n{json.dumps({"name": "convert", "arguments": arguments})}\n</tool_call>'
    _, values = found("qwen3", raw)
    assert values == {"note": r'say \"hi\"\n\u81fa\u5317', "value": '1, 2.5], "to": null', "exact": "false"}


def test_a_call_without_arguments_has_no_places() -> None:
    assert found("qwen3", '<tool_call>\n{"name": "convert", "arguments": {}}\n</tool_call>') == ("{}", {})


@pytest.mark.parametrize(
    ("key", "raw"),
    [
        ("llama3", '{"name": "calculator", "parameters": {"expression": "1 + 1"}}'),
        ("mistral", '[TOOL_CALLS]calculator[ARGS]{"expression": "1 + 1"}'),
    ],
)
def test_a_call_that_only_the_end_of_the_turn_ends_has_its_places_in_the_log(key: str, raw: str) -> None:
    run = Run(ScriptedBackend([raw], families.named(key)), "How much?", Settings(max_steps=1))
    run.execute()
    (call,) = next(event for event in run.log.events if event["kind"] == "parsed")["tool_calls"]
    assert list(call["value_spans"]) == ["expression"]


values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12), st.integers(-999, 999), st.booleans(),
    st.floats(-1e3, 1e3, allow_nan=False),
)


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(st.sampled_from(["value", "unit", "exact", "note"]), values, min_size=1))
def test_a_place_that_is_given_holds_the_value_and_nothing_else(arguments: dict[str, Any]) -> None:
    raw = f'<tool_call>\n{json.dumps({"name": "convert", "arguments": arguments}, ensure_ascii=False)}\n</tool_call>'
    family = families.named("qwen3")
    (call,) = family.parse(raw, [TOOL], "").calls
    where = places(raw, call, lambda text: family.parse(text, [TOOL], ""))
    for name, (start, end) in where.values.items():
        value = arguments[name]
        written = raw[start:end]
        assert json.loads(f'"{written}"' if isinstance(value, str) else written) == value
        before = raw.index(json.dumps(name) + ": ")
        assert start > before
