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
        return {"id": case.get("id"), "unknown_family": case["family"]}
    raw = family.ended(case["raw"]) if case.get("finish") == "stop" else case["raw"]
    turn = family.parse(raw, case.get("tools") or [], case.get("prefix") or "")
    calls = [{"name": call.name, "arguments": call.arguments, "error": call.error and call.error.kind} for call in turn.calls]
    return {"id": case.get("id"), "thinking": turn.thinking, "content": turn.content, "tool_calls": calls}


def _print(fields: Mapping[str, Any], indent: int | None = None) -> None:
    """Prints JSON. Half a character (a lone surrogate), which no encoding can hold, is printed as its escape."""
    text = json.dumps(fields, ensure_ascii=False, indent=indent)
    print(re.sub(r"[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m families.read", description="Read raw turns of a model as its family does.",
        epilog='A case is a JSON object a line: {"id", "family", "prefix", "raw", "finish", "tools"}; family and raw are needed.',
    )
    keys = ", ".join(family.key for family in families.FAMILIES)
    parser.add_argument("family", nargs="?", help=f"the family's key; the raw turn comes from standard input. They are: {keys}")
    parser.add_argument("--prefix", help="the prompt before the turn, or its end")
    parser.add_argument("--tools", type=Path, metavar="FILE", help="JSON file with the list of tool schemas that were offered")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="JSON lines file of cases to read instead")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if (options.family is None) == (options.cases is None):
        parser.error("give either a family or --cases FILE")
    if options.cases and (options.prefix is not None or options.tools):
        parser.error("each case of --cases has its own prefix and tools: leave out --prefix and --tools")
    try:
        return _read_cases(options.cases) if options.cases else _read_turn(options.family, options.prefix or "", options.tools)
    except (families.UnknownFamily, _WrongInputError) as error:
        parser.error(str(error))


class _WrongInputError(Exception):
    """A file that is not what it should be, said so that it can be mended."""


def _read_cases(path: Path) -> int:
    for number, line in enumerate(_content(path).split("\n"), 1):  # Other line breaks may stand inside a string.
        where = f"{path}, line {number}"
        if line.strip():
            _print(read_case(_case(_json(line, where), where)))
    return 0


def _read_turn(key: str, prefix: str, tools: Path | None) -> int:
    family = families.named(key)
    offered = _json(_content(tools), str(tools)) if tools else []
    if not isinstance(offered or [], list):
        raise _WrongInputError(f"{tools} holds no list of tools")
    _print(turn_fields(family.parse(sys.stdin.read(), offered or [], prefix)), indent=1)
    return 0


def _content(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _WrongInputError(f"{path} cannot be read: {error}") from error


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _WrongInputError(f"{where} is no JSON: {error}") from error


def _case(given: Any, where: str) -> Mapping[str, Any]:
    """A case that has what reading it needs."""
    if not isinstance(given, dict):
        raise _WrongInputError(f"{where} is no JSON object")
    missing = [name for name in ("family", "raw") if not isinstance(given.get(name), str)]
    if missing:
        raise _WrongInputError(f"{where} lacks text under {' and '.join(missing)}")
    return given


if __name__ == "__main__":
    sys.exit(main())
