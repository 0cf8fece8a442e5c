"""What became of the guesses of a turn, as model_end tells it: scripted guesses through a whole run, counts written by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backends.base import Draft, Sampling
from backends.scripted import Drafted, Forward, Item, ScriptedTurn
from harness.run import Run
from harness.run_file import read_run
from harness.settings import Settings
from tests.harness.scripts import backend, of_kind

CALL = '\n{"name": "calculator", "arguments": {"expression": "1 + 1"}}\n'
TURN: list[Item] = [
    "<think>",
    Forward(), Drafted("\n", Draft("\n", True, 0)), Drafted("I", Draft("You", False, 1, (" should", " add"))),
    Forward(), " add",
    Forward(), Drafted(".", Draft(".", True, 0)), Drafted("</think>", Draft("</think>", True, 1)), "\n\n",
    Forward(), Drafted("<tool_call>", Draft("<tool_call>", True, 0)), Drafted(CALL, Draft("\n", False, 1)),
    Forward(), Drafted("</tool_call>", Draft("</tool_call>", True, 0)), Drafted("<|im_end|>", Draft("<|im_end|>", True, 1)),
]
COUNTED = {
    "drafted": 10,
    "accepted": 6,
    "forwards": 5,
    "by_place": [[4, 4], [4, 2]],
    "by_channel": {"thought": [3, 2], "control": [4, 4], "tool_call": [1, 0]},
}


def run_of(turns: Iterable[ScriptedTurn], drafter: str | None = "prompt_lookup", **options: Any) -> Run:
    run = Run(backend(turns, drafters={"prompt_lookup": None}), "What is 1 + 1?", Settings(Sampling(drafter=drafter)), **options)
    run.execute()
    return run


def counts(run: Run) -> list[Any]:
    return [event["mtp"] for event in of_kind(run, "model_end")]


def test_guesses_are_counted_by_place_and_by_channel(tmp_path: Any) -> None:
    run = run_of([TURN, "2."], path=tmp_path / "run.jsonl")
    assert counts(run)[0] == COUNTED
    written = [event for event in read_run(tmp_path / "run.jsonl")[1] if event["kind"] == "model_end"]
    assert written[0]["mtp"] == COUNTED


def test_each_turn_is_counted_by_itself() -> None:
    answer: list[Item] = ["It", Forward(), Drafted(" is", Draft(" is", True, 0)), Drafted(" 2", Draft(" two", False, 1, (".",)))]
    assert counts(run_of([TURN, answer]))[1] == {
        "drafted": 3, "accepted": 1, "forwards": 1, "by_place": [[1, 1], [1, 0]], "by_channel": {"content": [2, 1]},
    }


def test_passes_that_the_backend_does_not_tell_are_null() -> None:
    silent = [item for item in TURN if not isinstance(item, Forward)]
    assert counts(run_of([silent, "2."])) == [
        {**COUNTED, "forwards": None},
        {"drafted": 0, "accepted": 0, "forwards": None, "by_place": [], "by_channel": {}},
    ]


def test_where_nobody_was_to_guess_nothing_is_counted() -> None:
    assert counts(run_of(["2."], drafter=None)) == [None]


def test_a_turn_that_is_cut_off_counts_what_was_looked_at() -> None:
    run = Run(backend([TURN]), "What is 1 + 1?", Settings(Sampling(drafter="prompt_lookup", max_new_tokens=5)))
    run.execute()
    assert counts(run) == [
        {"drafted": 5, "accepted": 2, "forwards": 3, "by_place": [[2, 2], [1, 0]], "by_channel": {"thought": [3, 2]}},
    ]


def test_each_token_carries_what_was_guessed_for_it() -> None:
    drafts = [event.get("draft") for event in of_kind(run_of([TURN, "2."]), "token") if event["step"] == 1]
    assert drafts[:4] == [
        None,
        {"piece": "Ċ", "accepted": True, "place": 0, "dropped": []},
        {"piece": "You", "accepted": False, "place": 1, "dropped": ["Ġshould", "Ġadd"]},
        None,
    ]
