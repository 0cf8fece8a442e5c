"""What a tool is: a name, a description, a JSON Schema and a function from arguments to text.

Knows nothing about models, prompts or the loop; `harness/run.py` decides when a tool runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError


class ToolError(Exception):
    """What went wrong in words that the model can act upon; it reads "error: " and this text."""


@dataclass(frozen=True)
class Tool:
    """One tool. `parameters` is the JSON Schema of its arguments (an object); `function` gets them by name.

    The function returns the result as text, and raises ToolError for what the model can mend.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    function: Callable[..., str]

    @property
    def schema(self) -> dict[str, Any]:
        """The form in which chat templates offer a tool (OpenAI's)."""
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}


_WORDS = {"string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
          "array": "a list", "object": "an object", "null": "null"}


def _given(value: object) -> str:
    """A value as the model wrote it, with its type named, because "5" and 5 look alike in a sentence."""
    kind = {str: "text", bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object"}
    written = json.dumps(value, ensure_ascii=False, default=str)
    return f"{written[:80]} ({kind.get(type(value), 'null')})"


def _looks_like_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return isinstance(value, str)


def _in_words(error: ValidationError) -> str:
    """One finding of the schema validator as a sentence for the model."""
    where = ".".join(str(part) for part in error.absolute_path)
    if error.validator != "type":
        return f"argument '{where}': {error.message[:200]}" if where else error.message[:200]
    kinds = error.validator_value
    wanted = [str(kind) for kind in (kinds if isinstance(kinds, list) else [kinds])]
    text = f"argument '{where}' must be {' or '.join(_WORDS[kind] for kind in wanted)}, but {_given(error.instance)} was given"
    return f"{text}; write it without quotes" if "number" in wanted and _looks_like_number(error.instance) else text


def validate(tool: Tool, arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments of a call, in words for the model; None where nothing is.

    Arguments that the schema does not name are refused even where the schema would let them pass: the function
    does not take them. Nothing is converted: a number in quotes is an error that says so.
    """
    properties = tool.parameters.get("properties", {})
    wanted = ", ".join(f"{name} ({rule.get('type', 'anything')})" for name, rule in properties.items()) or "none"
    missing = [name for name in tool.parameters.get("required", ()) if name not in arguments]
    if missing:
        return f"missing argument '{missing[0]}'; {tool.name} takes: {wanted}"
    unknown = [name for name in arguments if name not in properties]
    if unknown:
        return f"unknown argument '{unknown[0]}'; {tool.name} takes: {wanted}"
    errors = sorted(Draft202012Validator(dict(tool.parameters)).iter_errors(dict(arguments)), key=lambda error: error.json_path)
    return _in_words(errors[0]) if errors else None
