"""The parser of the Hermes format: `<think>…</think>`, text, and `<tool_call>` around a JSON object with name and arguments.

The format is the one that the chat templates of Qwen2.5 and Qwen3 write into the system prompt. A turn is read once from
left to right over its markers (`families/turns.py`); only the JSON of a call is looked at more closely
(`families/delimited.py`), because markers inside its strings are part of the value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from families.delimited import CallFormat, parse_turn
from families.json_calls import CallText, Tools, likely_name, read_calls
from families.reading import Scanner

CALL, END_CALL = "<tool_call>", "</tool_call>"
STOPS = ("<|im_end|>", "<|endoftext|>")


def _read(scanner: Scanner, opener: str, at: int, end: int, tools: Tools, *, closed: bool) -> tuple[list[CallText], int]:
    """Calls as JSON; see `families.delimited.ReadCalls`."""
    return read_calls(scanner, at, end, tools, closed=closed)


FORM = CallFormat(
    marks=re.compile(
        r"(?P<think><think>)"
        r"|(?P<end_think></think>|</ ?think(?:ing)? ?>|<\\think>)"
        r"|(?P<call><tool_call>)"
        r"|(?P<end_call></tool_call>)"
        r"|(?P<stop><\|im_end\|>|<\|endoftext\|>)"
        r"|(?P<like_end_call><[/\\]{1,2} ?\|?(?:tool|func|call)[a-z_\- ]{0,16}(?<!response)\|?>|<[/\\]{1,2}tool_call\b)"
        r"|(?P<like_call><\|?(?:tool|function)s?(?:[_\- ]?ca?l{0,2}s?)?\|?>?(?=\s*+[\[{`]))"
    ),
    begins=re.compile(r"\s*+(?:```[a-zA-Z]*+\s*+)?[{\[]"),
    unmarked=re.compile(r"""\{\s*+["'](?:name|function|arguments|parameters|type)["']\s*:"""),
    opener=CALL,
    closer=END_CALL,
    stops=STOPS,
    read=_read,
    name=lambda scanner, opener, at, end: likely_name(scanner, at, end),
)

parse = partial(parse_turn, FORM)


def write_turn(text: str, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """The text, then each call as JSON between tags."""
    written = [json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False) for name, arguments in calls]
    return "\n".join([*([text] if text else []), *(f"{CALL}\n{call}\n{END_CALL}" for call in written)])
