"""Writes calls as models write them, for chat templates that read of an earlier message nothing but its content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from families.hermes_parser import CALL, END_CALL
from families.lfm2_parser import CALL as LIST_CALL
from families.lfm2_parser import END_CALL as END_LIST_CALL

Calls = Sequence[tuple[str, Mapping[str, Any]]]


def hermes_turn(text: str, calls: Calls) -> str:
    """The text, then each call as JSON between tags."""
    written = [json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False) for name, arguments in calls]
    return "\n".join([*([text] if text else []), *(f"{CALL}\n{call}\n{END_CALL}" for call in written)])


def lfm2_turn(text: str, calls: Calls) -> str:
    """The calls as one Python list between markers, then the text: the order of the example on LFM2's model cards."""
    written = [f"{name}({', '.join(f'{key}={_python(value)}' for key, value in arguments.items())})" for name, arguments in calls]
    return f"{LIST_CALL}[{', '.join(written)}]{END_LIST_CALL}{text}"


def _python(value: Any) -> str:
    """A value of JSON as a literal of Python."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # Every string of JSON is one of Python too.
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_python(key)}: {_python(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    return repr(value)
