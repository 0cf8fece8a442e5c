"""Plain text to values, by the tool's schema."""

from __future__ import annotations

from typing import Any

import pytest

from families.reading import Scanner
from families.schema_values import Schemas, read_value


def schemas(parameter: Any, **more: Any) -> Schemas:
    parameters = {"type": "object", "properties": {"x": parameter}, **more}
    return Schemas([{"type": "function", "function": {"name": "f", "parameters": parameters}}])


@pytest.mark.parametrize(
    ("parameter", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["integer", "null"]}, {"integer", "null"}),
        ({"type": "number", "nullable": True}, {"number", "null"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"string", "null"}),
        ({"oneOf": [{"type": "array"}, {"anyOf": [{"type": "object"}, {"type": "boolean"}]}]}, {"array", "object", "boolean"}),
        ({"anyOf": [{"type": "integer"}], "nullable": True}, {"integer", "null"}),
        ({"allOf": [{"$ref": "#/$defs/Colour"}]}, {"string"}),
        ({"$ref": "#/$defs/Level"}, {"integer"}),
        ({"enum": ["a", 1, None]}, {"string", "integer", "null"}),
        ({"const": True}, {"boolean"}),
        ({"properties": {}}, {"object"}),
        ({}, set()),
        ({"description": "anything"}, set()),
        ({"anyOf": [{"type": "integer"}, {}]}, set()),
        ({"$ref": "#/$defs/Circle"}, set()),
        ({"$ref": "#/nowhere/at/all"}, set()),
        (True, set()),
        (None, set()),
        ({"type": "int"}, {"integer"}),
        ({"type": ["float", "null"]}, {"number", "null"}),
        ({"type": "colour"}, set()),
        ({"type": 3}, set()),
        ({"type": [3, {}]}, set()),
    ],
)
def test_types_of_a_parameter(parameter: Any, types: set[str]) -> None:
    definitions = {
        "Colour": {"enum": ["red", "blue"]},
        "Level": {"type": "integer"},
        "Circle": {"anyOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Circle"}]},
    }
    assert schemas(parameter, **{"$defs": definitions}).types("f", "x") == types


def test_parameters_that_no_schema_names() -> None:
    found = schemas({"type": "string"}, additionalProperties={"type": "integer"})
    assert found.types("f", "other") == {"integer"}
    assert schemas({"type": "string"}, additionalProperties=True).types("f", "other") == set()
    assert found.types("g", "x") == set()
    assert (found.parameters("f"), found.parameters("g")) == ({"x"}, frozenset())
    assert "f" in found
    assert "g" not in found


def test_a_tool_without_the_wrapper() -> None:
    assert Schemas([{"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}]).types("f", "x") == {"integer"}


def read(text: str, *types: str) -> tuple[Any, bool]:
    value, slips = read_value(Scanner(text), text, frozenset(types), "x")
    return value, bool(slips)


@pytest.mark.parametrize(
    ("text", "types", "value", "slipped"),
    [
        # What no schema speaks of is text, and so is what should be text.
        ("5", (), "5", False),
        (" 5 ", ("string",), " 5 ", False),
        ("null", ("string",), "null", False),
        # One type.
        ("5", ("integer",), 5, False),
        (" 5\n", ("integer",), 5, False),
        ("-12", ("number",), -12, False),
        ("1e20", ("number",), 1e20, False),
        ("0.50", ("number",), 0.5, False),
        ("+5.", ("number",), 5.0, True),
        (".5", ("number",), 0.5, True),
        ("1e3", ("integer",), 1000, True),
        ("True", ("boolean",), True, False),
        ("None", ("null",), None, False),
        ("[]", ("array",), [], False),
        ("[1,]", ("array",), [1], True),
        ('"[1]"', ("array",), [1], True),
        # What fits no type that is allowed stays text and is flagged.
        ("007", ("integer",), "007", True),
        ("1_000", ("integer",), "1_000", True),
        ("1e999", ("number",), "1e999", True),
        ("NaN", ("number",), "NaN", True),
        ("9" * 5000, ("integer",), "9" * 5000, True),
        ("yes", ("boolean",), "yes", True),
        ("{}", ("array",), "{}", True),
        ("[1] and more", ("array",), "[1] and more", True),
        ('"x"', ("object",), '"x"', True),
        ("", ("integer",), "", True),
        # Several types: text only where nothing else fits exactly.
        ("null", ("string", "null"), None, False),
        ("None", ("string", "null"), None, False),
        ("x", ("string", "null"), "x", False),
        ("42", ("string", "integer"), 42, False),
        ("042", ("string", "integer"), "042", False),
        ("2.0", ("string", "integer"), "2.0", False),
        ('{"a": 1}', ("string", "object"), {"a": 1}, False),
        ("{'a': 1}", ("string", "object"), "{'a': 1}", False),
        ("5", ("integer", "null"), 5, False),
        ("5.5", ("integer", "number"), 5.5, False),
    ],
)
def test_value(text: str, types: tuple[str, ...], value: Any, slipped: bool) -> None:
    found, flagged = read(text, *types)
    assert (found, type(found), flagged) == (value, type(value), slipped)


def test_a_flag_names_the_parameter_in_both_languages() -> None:
    _, (slip,) = read_value(Scanner("two"), "two", frozenset({"integer"}), "n_days")
    assert "n_days" in slip.zh
    assert "n_days" in slip.en
