"""The shared cases of `tests/data/parser_cases.jsonl`, of all the families."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from families.read import read_case

CASES = [json.loads(line) for line in (Path(__file__).parents[1] / "data" / "parser_cases.jsonl").read_text("utf-8").splitlines()]


def comparable(turn: dict[str, Any]) -> dict[str, Any]:
    """What is compared: white space runs count as one space, and a call has its arguments or the kind of its error."""
    calls = [
        {"name": call["name"], "error": call["error"]}
        if call.get("error")
        else {"name": call["name"], "arguments": call["arguments"]}
        for call in turn["tool_calls"]
    ]
    text = {key: None if turn[key] is None else " ".join(turn[key].split()) for key in ("thinking", "content")}
    return {**text, "tool_calls": calls}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    accepted = [comparable(turn) for turn in (case["expect"], *case.get("alternatives", []))]
    assert comparable(read_case(case)) in accepted


def test_the_file_is_whole() -> None:
    assert len(CASES) == 80
