"""The parser of Llama's formats: a call as a JSON object or a Python list, mostly without any marker around it.

Llama 3.1 to 3.3 write `{"name": …, "parameters": {…}}`, after `<|python_tag|>` where the prompt names the environment
"ipython", and the built-in tools as `<|python_tag|>name.call(key="value")`. Llama 4 writes `[name(key="value")]`, at times
between `<|python_start|>` and `<|python_end|>`; Llama 3.2 does without them. `<function=name>{…}</function>` is the form that
Meta's documentation shows for a prompt that defines it. The chat template of Llama 4 puts the text before the calls between the
two markers, be there any or none, and the calls as JSON after them.
"""

from __future__ import annotations

import re
from functools import partial

from families.base import Text
from families.delimited import CallFormat, parse_turn, read_json_or_python
from families.json_calls import SEVERAL, CallText, Tools, arguments_under, likely_name
from families.lenient_json import JsonError, read_json
from families.python_calls import NO_LIST
from families.reading import Scanner

PYTHON_TAG, PYTHON_START, PYTHON_END = "<|python_tag|>", "<|python_start|>", "<|python_end|>"
STOPS = ("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>")

_FUNCTION = re.compile(r"<function=([\w.\-]++)>")
_END_FUNCTION = re.compile(r"\s*+</function>")
_NATIVE = (SEVERAL, arguments_under("parameters"))


def _read(scanner: Scanner, opener: str, at: int, end: int, tools: Tools, *, closed: bool) -> tuple[list[CallText], int]:
    """Calls as Llama writes them; see `families.delimited.ReadCalls`."""
    function = _FUNCTION.fullmatch(opener)
    if function:
        return _read_function(scanner, function[1], at, end, closed)
    calls, after = read_json_or_python(scanner, opener, at, end, tools, closed=closed)
    for call in calls:
        call.slips = [slip for slip in call.slips if slip not in _NATIVE and not (opener == PYTHON_TAG and slip == NO_LIST)]
        if call.name not in tools:
            call.name = call.name.removesuffix(".call")
    return calls, after


def _read_function(scanner: Scanner, name: str, at: int, end: int, closed: bool) -> tuple[list[CallText], int]:
    """`{arguments}</function>` after `<function=name>`."""
    at = scanner.past_space(at, end)
    if at == end or not scanner.startswith("{", at):
        return [], at
    reading = read_json(scanner, at, end, closed=closed)
    call = CallText(name, reading.value, scanner.text[at : reading.end], (at, reading.end), reading.slips)
    closer = scanner.match(_END_FUNCTION, reading.end, end)
    if closer:
        call.closed = True
        return [call], closer.end()
    if not closed and end - reading.end < len("</function>"):
        raise JsonError(end, Text("少了 </function>", "</function> is missing"), cut=True)
    call.slips.append(Text("少了結尾的 </function>", "a missing </function>"))
    return [call], reading.end


def _name(scanner: Scanner, opener: str, at: int, end: int) -> str:
    function = _FUNCTION.fullmatch(opener)
    return function[1] if function else likely_name(scanner, at, end)


FORM = CallFormat(
    marks=re.compile(
        r"(?P<stop><\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|eot\|>|<\|eom\|>|<\|python_end\|>"
        r"|<\|python_start\|>(?=(?!\s*+[\[{])[^<]*+<\|python_end\|>\s*+\{\s*+\"))"
        r"|(?P<call><\|python_tag\|>|<\|python_start\|>|<function=[\w.\-]++>"
        r"|(?m:^|(?<=<\|python_end\|>))(?=[ \t]*+(?:```[a-z]*+\s*+)?(?:\{\s*+\"|\[\s*+(?:\{\s*+\"|[^\W\d][\w.\-]*+\s*+\())))"
    ),
    begins=re.compile(""),
    unmarked=re.compile(r"(?!)"),
    opener=PYTHON_TAG,
    closer="",
    stops=STOPS,
    read=_read,
    name=_name,
)

parse = partial(parse_turn, FORM)
