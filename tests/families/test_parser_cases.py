"""The shared cases of `tests/data/parser_cases.jsonl`, for the families that there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import families
from families.read import read_case

CASES = [json.loads(line) for line in (Path(__file__).parents[1] / "data" / "parser_cases.jsonl").read_text("utf-8").splitlines()]
NOT_YET = {
}
"""The families of the file that have no parser; one that gets its parser must leave this set."""


def known(key: str) -> bool:
    try:
        families.named(key)
    except families.UnknownFamily:
        return False
    return True


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


@pytest.mark.parametrize("case", [case for case in CASES if case["family"] not in NOT_YET], ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    accepted = [comparable(turn) for turn in (case["expect"], *case.get("alternatives", []))]
    assert comparable(read_case(case)) in accepted


def test_every_family_of_the_file_is_read_or_named_as_missing() -> None:
    assert {case["family"] for case in CASES if not known(case["family"])} == NOT_YET
    assert len(CASES) == 80
