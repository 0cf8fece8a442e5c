"""The parser of Kimi K2's turns: thinking, text, and calls whose identifier carries the tool's name.

    <|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>…
    <|tool_calls_section_end|>

The format is the one of the chat template of Kimi K2 Thinking; the number counts the calls of the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from families.base import Turn
from families.json_calls import Tools, offered
from families.reading import Scanner
from families.token_calls import CallTokens, read_turn

END = "<|im_end|>"

_IDENTIFIER = re.compile(r"(?:functions\.)?(.*?)(?:\s*:\s*\d+)?", re.DOTALL)


def _name(head: str, tools: Tools) -> str:
    """The tool's name in a call's identifier `functions.NAME:NUMBER`, of which the model may leave out either end."""
    found = _IDENTIFIER.fullmatch(head)
    return head if head in tools or found is None else found[1].strip()


FORMAT = CallTokens(
    section="<|tool_calls_section_begin|>",
    end_section="<|tool_calls_section_end|>",
    call="<|tool_call_begin|>",
    separator="<|tool_call_argument_begin|>",
    end_call="<|tool_call_end|>",
    stops=(END, "[EOS]"),
    name_of=_name,
)


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of Kimi K2; see `families.base.Family` for what the arguments are."""
    return read_turn(Scanner(raw), FORMAT, offered(tools), prefix)
