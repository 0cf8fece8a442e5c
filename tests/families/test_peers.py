"""The benchmark of families: what a peer makes of a turn is scored as ours is."""

from __future__ import annotations

import pytest

from benchmarks.families import Transformers, own_cases, score, table

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
