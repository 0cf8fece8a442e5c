"""The parser of the Hermes format: `<think>…</think>`, text, and `<tool_call>` around a JSON object with name and arguments.

The format is the one that the chat templates of Qwen2.5 and Qwen3 write into the system prompt. A turn is read once from
left to right over its markers (`families/turns.py`); only the JSON of a call is looked at more closely
(`families/hermes_calls.py`), because markers inside its strings are part of the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from families.base import Turn
from families.hermes_calls import STOPS, CallReader, Marks
from families.json_calls import Tools, offered
from families.reading import Scanner
from families.turns import TurnReader, end_of_text


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn in the Hermes format; see `families.base.Family` for what the arguments are."""
    return read_turn(Scanner(raw), offered(tools), prefix)


def read_turn(scanner: Scanner, tools: Tools, prefix: str) -> Turn:
    """`parse` on a scanner, which counts the steps."""
    end = end_of_text(scanner.text, STOPS)
    marks = Marks(scanner, end)
    return TurnReader(scanner, end, marks, CallReader(scanner, tools, marks, end < len(scanner.text)), prefix).read()
