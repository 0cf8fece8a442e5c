"""Reads raw turns from the command line, so that anyone can try a text.

    python -m families.read qwen3 --prefix $'<|im_start|>assistant\\n' --tools tools.json < raw.txt
    python -m families.read --cases cases.jsonl

The first prints the turn as JSON. The second reads a case a line, {"id", "family", "prefix", "raw", "finish", "tools"},
and prints {"id", "thinking", "content", "tool_calls": [{"name", "arguments", "error"}]} for each, where error is the
error's kind or null. A case of a family that is not known is answered with {"id", "unknown_family"}.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import families
from families.base import Call, Text, Turn


def _text(text: Text | None) -> dict[str, str] | None:
    return text._asdict() if text else None


def _call_fields(call: Call) -> dict[str, Any]:
    error = {"kind": call.error.kind, "at": call.error.at, **call.error.text._asdict()} if call.error else None
    return {
        "name": call.name, "arguments": call.arguments, "raw_args": call.raw_args, "span": call.span, "error": error,
        "repaired": _text(call.repaired),
    }


def turn_fields(turn: Turn) -> dict[str, Any]:
    """A turn as it goes to JSON."""
    return {
        "thinking": turn.thinking, "content": turn.content, "calls": [_call_fields(call) for call in turn.calls],
        "thinking_spans": turn.thinking_spans, "content_spans": turn.content_spans,
    }


def read_case(case: Mapping[str, Any]) -> dict[str, Any]:
    """One case of a file of cases, read.

    A turn that finished by itself ends with a stop token; where the case left it out, it is put back, because without one
    a turn counts as cut off.
    """
    try:
        family = families.named(case["family"])
    except families.UnknownFamily:
        return {"id": case["id"], "unknown_family": case["family"]}
    raw = family.ended(case["raw"]) if case.get("finish") == "stop" else case["raw"]
    turn = family.parse(raw, case.get("tools") or [], case.get("prefix") or "")
    calls = [{"name": call.name, "arguments": call.arguments, "error": call.error and call.error.kind} for call in turn.calls]
    return {"id": case["id"], "thinking": turn.thinking, "content": turn.content, "tool_calls": calls}


def _print(fields: Mapping[str, Any], indent: int | None = None) -> None:
    """Prints JSON. Half a character (a lone surrogate), which no encoding can hold, is printed as its escape."""
    text = json.dumps(fields, ensure_ascii=False, indent=indent)
    print(re.sub(r"[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m families.read", description="Read raw turns of a model as its family does.")
    parser.add_argument("family", nargs="?", help="the family's key, such as qwen3; the raw turn comes from standard input")
    parser.add_argument("--prefix", default="", help="the prompt before the turn, or its end")
    parser.add_argument("--tools", type=Path, metavar="FILE", help="JSON file with the list of tool schemas that were offered")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="JSON lines file of cases to read instead")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if (options.family is None) == (options.cases is None):
        parser.error("give either a family or --cases FILE")
    if options.cases:
        for line in options.cases.read_text("utf-8-sig").split("\n"):  # Other line breaks may stand inside a string.
            if line.strip():
                _print(read_case(json.loads(line)))
        return 0
    try:
        family = families.named(options.family)
    except families.UnknownFamily as error:
        parser.error(str(error))
    tools = json.loads(options.tools.read_text("utf-8-sig")) if options.tools else []
    _print(turn_fields(family.parse(sys.stdin.read(), tools or [], options.prefix)), indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
