"""The parser of Mistral's formats: `[TOOL_CALLS]` before a JSON list of calls, or before each `name[ARGS]{…}`.

The list is what tokenizers up to version 7 were trained on, the names with `[ARGS]` since version 11; version 11 may put
`[CALL_ID]` and an id between the two. Thinking stands in `[THINK]…[/THINK]`; Magistral of June 2025 writes `<think>…</think>`.
"""

from __future__ import annotations

import re
from functools import partial

from families.base import Text
from families.delimited import CallFormat, parse_turn
from families.json_calls import SEVERAL, CallText, Tools, likely_name, read_calls
from families.lenient_json import JsonError, read_json
from families.reading import Scanner

CALL, ARGUMENTS, CALL_ID, THINK, END_THINK = "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"
STOPS = ("</s>",)

_NO_ARGS = Text("少了 [ARGS]", "a missing [ARGS]")
_NO_MARKER = Text("少了後一個呼叫的 [TOOL_CALLS]", "a missing [TOOL_CALLS] before a later call")
_NAMED = re.compile(r"\s*+([\w.\-]++)\s*+(?:\[CALL_ID\]\s*+[\w\-]*+\s*+)?(?P<mark>\[ARGS\])?\s*+(?=\{|$)")
_NAME = re.compile(r"\s*+([\w.\-]++)\s*+(?=[\[{]|$)")
_BETWEEN = re.compile(r"\s*+,?\s*+(?=[\w.\-]++\s*+(?:\[CALL_ID\]\s*+[\w\-]*+\s*+)?\[ARGS\])")


def _read(scanner: Scanner, opener: str, at: int, end: int, tools: Tools, *, closed: bool) -> tuple[list[CallText], int]:
    """Calls as a JSON list or with their names before the arguments; see `families.delimited.ReadCalls`."""
    named = scanner.match(_NAMED, at, end)
    if not named:
        calls, after = read_calls(scanner, at, end, tools, closed=closed)
        for call in calls:
            call.slips = [slip for slip in call.slips if slip != SEVERAL]
        return calls, after
    if not opener and not named["mark"]:
        return [], at
    return _read_named(scanner, at, end, closed)


def _read_named(scanner: Scanner, at: int, end: int, closed: bool) -> tuple[list[CallText], int]:
    calls: list[CallText] = []
    while named := scanner.match(_NAMED, at, end):
        if named.end() == end:
            raise JsonError(end, Text("文字在引數之前就結束了", "the text ends before the arguments"), cut=True)
        reading = read_json(scanner, named.end(), end, closed=closed)
        slips = ([] if named["mark"] else [_NO_ARGS]) + ([_NO_MARKER] if calls else [])
        raw_args = scanner.text[named.end() : reading.end]
        calls.append(CallText(named[1], reading.value, raw_args, (named.start(1), reading.end), slips + reading.slips))
        at = reading.end
        between = scanner.match(_BETWEEN, at, end)
        if not between:
            break
        at = between.end()
    return calls, at


def _name(scanner: Scanner, opener: str, at: int, end: int) -> str:
    named = scanner.match(_NAME, at, end)
    return named[1] if named else likely_name(scanner, at, end)


FORM = CallFormat(
    marks=re.compile(
        r"(?P<think>\[THINK\]|<think>)|(?P<end_think>\[/THINK\]|</think>)|(?P<call>\[TOOL_CALLS\])|(?P<stop></s>)"
    ),
    begins=re.compile(""),
    unmarked=re.compile(r"[\w.\-]++\[ARGS\]"),
    opener=CALL,
    closer="",
    stops=STOPS,
    read=_read,
    name=_name,
)

parse = partial(parse_turn, FORM)
