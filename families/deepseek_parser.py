"""The parser of DeepSeek's turns: thinking, text, and calls as V3 and R1 write them or as V3.1 does.

    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\\n```json\\n{…}\\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜><｜tool▁calls▁end｜>

Both are the formats of the models' chat templates. What stands after the separator tells them apart.
"""

from __future__ import annotations

from functools import partial

from families.json_calls import Tools
from families.token_calls import CallTokens, parse_turn

END = "<｜end▁of▁sentence｜>"


def _name(head: str, tools: Tools) -> str:
    """The tool's name; the type "function" is none, unless a tool is called so."""
    return head if head != "function" or head in tools else ""


FORMAT = CallTokens(
    section="<｜tool▁calls▁begin｜>",
    end_section="<｜tool▁calls▁end｜>",
    call="<｜tool▁call▁begin｜>",
    separator="<｜tool▁sep｜>",
    end_call="<｜tool▁call▁end｜>",
    stops=(END, "<|EOT|>"),
    name_of=_name,
    typed=True,
)

parse = partial(parse_turn, FORMAT)
