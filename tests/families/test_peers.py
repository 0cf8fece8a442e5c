"""The benchmark of families: what a peer makes of a turn is scored as ours is, and the README tells what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.families import Transformers, measure, own_cases, score, table

README = Path(__file__).parents[2] / "README.md"

CALL = '<|tool_call>call:now{zone:<|"|>UTC<|"|>}<tool_call|>'


@pytest.fixture(scope="module")
def peer() -> Transformers:
    return Transformers()


def test_transformers_reads_a_turn(peer: Transformers) -> None:
    read = peer.read("gemma4", "Hm." + CALL, "<|turn>model\n", [])
    assert (read.content, [(call.name, call.arguments()) for call in read.tool_calls]) == ("Hm.", [("now", {"zone": "UTC"})])


def test_what_transformers_raises_is_an_outcome(peer: Transformers) -> None:
    assert peer.read("gemma4", "<|tool_call>call:now{a:b:c}<tool_call|>", "<|turn>model\n", []).exception


def test_a_broken_call_is_not_asked_of_a_peer(peer: Transformers) -> None:
    case = next(case for case in own_cases() if case["id"] == "gemma4-think-call")
    broken = {"name": "x", "error": "bad_arguments"}
    case["expect"] = {**case["expect"], "tool_calls": [*case["expect"]["tool_calls"], broken]}
    assert peer.own_is_right(case)
    assert not peer.own_is_right({**case, "expect": {**case["expect"], "content": "another"}})


def test_no_template_no_score(peer: Transformers) -> None:
    assert peer.reads("gemma4")
    assert not peer.reads("gpt-oss")


def test_the_table_shows_who_reads_what() -> None:
    assert score([("a", True), ("a", False), ("b", True)]) == {"a": [1, 2], "b": [1, 1]}
    lines = table({"canitoolcall": {"a": [1, 2], "b": [1, 1]}, "peers": {"other": {"a": [2, 2]}}}).splitlines()
    assert [line.split() for line in lines] == [["family", "Loopglass", "other"], ["a", "1/2", "2/2"], ["b", "1/1", "–"]]


def column(scores: Mapping[str, Any], heading: str) -> Mapping[str, Any] | None:
    """The scores that stand under a heading of the README's table; None where it is of a version that is not installed."""
    if heading == "Loopglass":
        return {**scores["canitoolcall"], "own": scores["own"]}
    return next((each for peer, each in scores["peers"].items() if f"{peer}.".startswith(f"{heading}.")), None)


def test_the_readme_has_these_figures() -> None:
    """In every row and column; those of transformers as long as its version is the README's."""
    lines = README.read_text("utf-8").partition("| turns | ")[2].partition("\n\n")[0].splitlines()
    headings, _, *rows = [[cell.strip() for cell in line.strip("| ").split(" |")] for line in lines]
    scores = measure()
    told = {row[0]: row[1:] for row in rows}
    assert set(told) == {*scores["canitoolcall"], "our own cases"}
    for place, heading in enumerate(headings):
        figures = column(scores, heading)
        if figures is None:
            assert heading.startswith("transformers ")
            continue
        for name, cells in told.items():
            right = figures.get("own" if name == "our own cases" else name)
            cell = cells[place] if place < len(cells) else ""
            assert cell == "/".join(map(str, right)) if right else cell in ("", "–")
