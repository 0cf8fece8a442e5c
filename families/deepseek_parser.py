"""The parser of DeepSeek's turns: thinking, text, and calls as V3 and R1 write them or as V3.1 does.

    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\\n```json\\n{…}\\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜><｜tool▁calls▁end｜>

Both are the formats of the models' chat templates. What stands after the separator tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from families.base import Turn
from families.json_calls import Tools, offered
from families.reading import Scanner
from families.token_calls import CallTokens, read_turn

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


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of a DeepSeek model; see `families.base.Family` for what the arguments are."""
    return read_turn(Scanner(raw), FORMAT, offered(tools), prefix)
