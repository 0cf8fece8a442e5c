"""The parser of Kimi K2's turns: thinking, text, and calls whose identifier carries the tool's name.

    <|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>…
    <|tool_calls_section_end|>

The format is the one of the chat template of Kimi K2 Thinking; the number counts the calls of the conversation.
"""

from __future__ import annotations

from functools import partial

from families.json_calls import Tools
from families.token_calls import CallTokens, parse_turn

END = "<|im_end|>"


def _name(head: str, tools: Tools) -> str:
    """The tool's name in a call's identifier `functions.NAME:NUMBER`, of which the model may leave out either end."""
    if head in tools:
        return head
    name, colon, number = head.rpartition(":")
    return (name if colon and number.strip().isdecimal() else head).removeprefix("functions.").strip()


FORMAT = CallTokens(
    section="<|tool_calls_section_begin|>",
    end_section="<|tool_calls_section_end|>",
    call="<|tool_call_begin|>",
    separator="<|tool_call_argument_begin|>",
    end_call="<|tool_call_end|>",
    stops=(END, "[EOS]"),
    name_of=_name,
)

parse = partial(parse_turn, FORMAT)
