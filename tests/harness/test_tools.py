"""The toolbox as a whole: what models are shown of it."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from harness.tools import Tool, registry


def test_the_order_and_the_names() -> None:
    assert list(registry()) == ["calculator", "convert_units", "current_time"]


@pytest.mark.parametrize("tool", registry().values(), ids=lambda tool: tool.name)
def test_a_schema_is_valid_describes_everything_and_requires_all(tool: Tool) -> None:
    Draft202012Validator.check_schema(dict(tool.parameters))
    properties = tool.parameters["properties"]
    assert tool.parameters["required"] == list(properties)
    assert all(rule["description"] and rule["type"] for rule in properties.values())
    assert tool.description.endswith(".")


def test_the_form_that_templates_read() -> None:
    schema = registry()["calculator"].schema
    assert schema["type"] == "function"
    assert list(schema["function"]) == ["name", "description", "parameters"]
    assert json.loads(json.dumps(schema)) == schema
