"""The parser of LFM2's format: a Python list of calls, `<|tool_call_start|>[name(key="value")]<|tool_call_end|>`.

LFM2 writes JSON there when it is asked to. The chat template of LFM2.5 writes an object among the arguments as JSON, everything
else as Python. The newer models think first, in `<think>…</think>`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from families.delimited import CallFormat, parse_turn, read_json_or_python
from families.json_calls import CallText, Tools, likely_name
from families.python_arguments import JSON_DICTIONARY
from families.reading import Scanner

CALL, END_CALL = "<|tool_call_start|>", "<|tool_call_end|>"
STOPS = ("<|im_end|>", "<|endoftext|>")


def _read(scanner: Scanner, opener: str, at: int, end: int, tools: Tools, *, closed: bool) -> tuple[list[CallText], int]:
    """Calls as a Python list or as JSON; see `families.delimited.ReadCalls`."""
    calls, after = read_json_or_python(scanner, opener, at, end, tools, closed=closed)
    for call in calls:
        call.slips = [slip for slip in call.slips if slip != JSON_DICTIONARY]
    return calls, after


FORM = CallFormat(
    marks=re.compile(
        r"(?P<think><think>)|(?P<end_think></think>)"
        r"|(?P<call><\|tool_call_start\|>)|(?P<end_call><\|tool_call_end\|>)"
        r"|(?P<stop><\|im_end\|>|<\|endoftext\|>)"
    ),
    begins=re.compile(r"\s*+(?:```[a-zA-Z]*+\s*+)?(?:[\[{]|[^\W\d][\w.\-]*+\s*+\()"),
    unmarked=re.compile(r"\[\s*+(?:\{|[^\W\d][\w.\-]*+\s*+\()|\{\s*+[\"']name[\"']"),
    opener=CALL,
    closer=END_CALL,
    stops=STOPS,
    read=_read,
    name=lambda scanner, opener, at, end: likely_name(scanner, at, end),
)

parse = partial(parse_turn, FORM)


def write_turn(text: str, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """The calls as one Python list between markers, then the text: the order of the example on LFM2's model cards."""
    written = [f"{name}({', '.join(f'{key}={_python(value)}' for key, value in arguments.items())})" for name, arguments in calls]
    return f"{CALL}[{', '.join(written)}]{END_CALL}{text}"


def _python(value: Any) -> str:
    """A value of JSON as a literal of Python."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # Every string of JSON is one of Python too.
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_python(key)}: {_python(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    return repr(value)
