"""Reads arguments that stand as plain text, by the schema of the tool: the text 5 is a number where the schema says so.

For the formats that write values between tags, without quotation marks. Text that fits no type that the schema allows
stays text and is flagged; what no schema speaks of is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from families.base import Text
from families.json_calls import excerpt
from families.lenient_json import MAX_DIGITS, JsonError, read_json
from families.reading import Scanner

_MAX_SCHEMAS = 100
"""How many parts of one parameter's schema are looked at: references can lead in circles."""
_TYPES = ("null", "boolean", "integer", "number", "array", "object")
"""The order in which types are tried; text comes last, because anything can be text."""
_TYPE_OF = {
    type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object",
}  # fmt: skip

_JSON_NAMES = {name: name for name in (*_TYPES, "string")} | {
    "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    "dict": "object", "list": "array", "tuple": "array",
}  # fmt: skip
"""What a schema may call a type. Those of programming languages are no JSON Schema, yet many tools are described with them."""

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LIKE_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CONSTANTS: dict[str, bool | None] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None,
}  # fmt: skip
_EXACT = 2**53
"""Up to here every whole number is one floating-point number."""

Value = tuple[Any, tuple[Text, ...]]
"""A value that was read, and the slips that were read through."""


class Schemas:
    """The schemas of the parameters of the tools that are offered, from OpenAI-style tool schemas."""

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        self._parameters: dict[str, Mapping[str, Any]] = {}
        for tool in tools:
            function = tool.get("function", tool) if isinstance(tool, Mapping) else None
            if isinstance(function, Mapping) and isinstance(function.get("name"), str):
                parameters = function.get("parameters")
                self._parameters[function["name"]] = parameters if isinstance(parameters, Mapping) else {}

    def __contains__(self, tool: str) -> bool:
        return tool in self._parameters

    def parameters(self, tool: str) -> frozenset[str]:
        """The names of the parameters of a tool; none where it is not offered or names none."""
        return frozenset(self._properties(tool))

    def types(self, tool: str, parameter: str) -> frozenset[str]:
        """The JSON types that an argument may have; none where the schema does not say."""
        schema = self._parameters.get(tool, {})
        found = self._properties(tool).get(parameter, schema.get("additionalProperties"))
        types: set[str] = set()
        for part in _parts(found, schema):
            named = _named_types(part)
            if not named:
                return frozenset()
            types |= named
        return frozenset(types)

    def _properties(self, tool: str) -> Mapping[str, Any]:
        properties = self._parameters.get(tool, {}).get("properties")
        return properties if isinstance(properties, Mapping) else {}


def _parts(schema: Any, root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The parts of a schema of which a value must fit one, references into `root` followed."""
    waiting = [schema]
    for _ in range(_MAX_SCHEMAS):
        if not waiting:
            return
        part = waiting.pop()
        if not isinstance(part, Mapping):
            continue
        if isinstance(part.get("$ref"), str):
            waiting.append(_referred(part["$ref"], root))
            continue
        combined = next((part[key] for key in ("anyOf", "oneOf", "allOf") if isinstance(part.get(key), Sequence)), None)
        if combined is None or "type" in part:
            yield part
        else:
            waiting += combined
            if part.get("nullable") is True:
                yield {"type": "null"}


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    """What a reference such as "#/$defs/Colour" leads to in `root`, None where it leads nowhere."""
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _named_types(part: Mapping[str, Any]) -> set[str]:
    """The types that a schema without alternatives allows; none where it allows any."""
    named = part.get("type")
    names = [named] if isinstance(named, str) else named if isinstance(named, Sequence) else []
    types = {_JSON_NAMES[name] for name in names if isinstance(name, str) and name in _JSON_NAMES}
    if not types and isinstance(part.get("enum"), Sequence):
        types = {_TYPE_OF[type(value)] for value in part["enum"] if type(value) in _TYPE_OF}
    if not types and "const" in part and type(part["const"]) in _TYPE_OF:
        types = {_TYPE_OF[type(part["const"])]}
    if not types and isinstance(part.get("properties"), Mapping):
        types = {"object"}
    return types | {"null"} if types and part.get("nullable") is True else types


def read_value(scanner: Scanner, text: str, types: frozenset[str], name: str) -> Value:
    """The value that `text` stands for where `types` are allowed; `name` is the parameter's, for the wording of slips."""
    if not types or types == {"string"}:
        return text, ()
    scanner.steps += len(text)
    bare = text.strip()
    for kind in _TYPES:
        if kind in types:
            read = _READERS[kind](scanner, bare, kind, name)
            if read and not (read[1] and "string" in types):
                return read
    if "string" in types:
        return text, ()
    kept = f"a value of {name!r} that does not fit the tool's schema, kept as text"
    return text, (Text(f"「{name}」的值不合工具說明裡的型別，照文字讀", kept),)


def _slip(name: str, bare: str) -> tuple[Text, ...]:
    return (Text(f"「{name}」的值寫成 {excerpt(bare, 0)}", f"the value of {name!r} written {excerpt(bare, 0)}"),)


def _constant(_: Scanner, bare: str, kind: str, name: str) -> Value | None:
    """true, false or null, also as Python writes them, which some chat templates do too."""
    if kind == "null":
        return (None, ()) if bare in ("null", "None") else None
    if isinstance(_CONSTANTS.get(bare), bool):
        return _CONSTANTS[bare], ()
    if bare.lower() in ("true", "false"):
        return bare.lower() == "true", _slip(name, bare)
    return None


def _number(_: Scanner, bare: str, kind: str, name: str) -> Value | None:
    if len(bare) > MAX_DIGITS or not _LIKE_NUMBER.fullmatch(bare):
        return None
    if _WHOLE.fullmatch(bare):
        return int(bare), ()
    value = float(bare)
    if value in (float("inf"), float("-inf")):
        return None
    if kind == "integer":
        return (int(value), _slip(name, bare)) if value.is_integer() and abs(value) <= _EXACT else None
    return value, () if _NUMBER.fullmatch(bare) else _slip(name, bare)


def _container(scanner: Scanner, bare: str, kind: str, _: str) -> Value | None:
    """An array or object in JSON, also where it is JSON inside a string."""
    slips: list[Text] = []
    for _attempt in range(2):
        inner = Scanner(bare)
        try:
            reading = read_json(inner, 0, len(bare), closed=True)
        except JsonError:
            return None
        finally:
            scanner.steps += inner.steps
        slips += reading.slips
        if reading.end != len(bare):
            return None
        if isinstance(reading.value, list if kind == "array" else dict):
            return reading.value, tuple(slips)
        if not isinstance(reading.value, str):
            return None
        slips.append(Text("JSON 包在字串裡", "JSON inside a string"))
        bare = reading.value.strip()
    return None


_READERS: Mapping[str, Callable[[Scanner, str, str, str], Value | None]] = {
    "null": _constant, "boolean": _constant, "integer": _number, "number": _number, "array": _container, "object": _container,
}  # fmt: skip
