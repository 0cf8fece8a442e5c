"""What the benchmark counts as right."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from benchmarks import teaching_phrases
from benchmarks.teaching import FREE, generated, marked, marked_free
from teaching import one_question, phrases
from teaching.small_talk import small_talk


def log(final: str, *calls: tuple[str, str]) -> list[dict[str, Any]]:
    parsed = {"kind": "parsed", "tool_calls": [{"name": name, "raw_args": ""} for name, _ in calls]}
    results = [{"kind": "tool_result", "name": name, "result": result} for name, result in calls]
    return [parsed, *results, {"kind": "run_end", "final": final}]


CALCULATED = {"q": "6 * 7?", "tools": ["calculator"], "answer": [[42]]}
ROUNDED = {"q": "", "tools": ["convert_units"], "answer": [[8.04672]]}
FACT = {"q": "", "tools": [], "answer": [["paris"], ["city", "light"]]}
CLOCK = {"q": "", "tools": ["current_time"], "answer": [], "from_result": True}
TOKYO = ("current_time", "Sunday 2026-11-29 14:05 (Asia/Tokyo, UTC+09:00)")


@pytest.mark.parametrize(
    ("entry", "events", "right"),
    [
        (CALCULATED, log("It is 42.", ("calculator", "42")), True),
        (CALCULATED, log("It is 42."), False),
        (CALCULATED, log("It is 420.", ("calculator", "42")), False),
        (CALCULATED, log("It is 42.", ("calculator", "42"), ("calculator", "42")), False),
        (ROUNDED, log("About 8.05 km.", ("convert_units", "8.04672 km")), True),
        (ROUNDED, log("About 8.2 km.", ("convert_units", "8.04672 km")), False),
        (FACT, log("PARIS, of course."), True),
        (FACT, log("The city of light."), True),
        (FACT, log("The city."), False),
        (FACT, log("Paris.", ("calculator", "1")), False),
        (CLOCK, log("It is 2:05 PM there.", TOKYO), True),
        (CLOCK, log("It is 14:05.", TOKYO), True),
        (CLOCK, log("It is 2:05 AM.", TOKYO), False),
        (CLOCK, log("", TOKYO), False),
    ],
)
def test_free_questions(entry: dict[str, Any], events: list[dict[str, Any]], right: bool) -> None:
    assert marked_free(entry, events).right is right


def test_an_episode_played_back_is_right_and_without_a_call_wrong() -> None:
    for episode, _ in generated(60):
        calls = [call for step in episode.steps for call in zip((name for name, _ in step.calls), step.results, strict=True)]
        final = " ".join(key for key in episode.key) or "something"
        if episode.kind == "plain":
            final = next(iter(episode.key)) or "something"
        assert marked(episode, log(final, *calls)).right, episode.question
        if calls:
            assert not marked(episode, log(final)).right
            assert not marked(episode, log("nothing", *calls)).right


def letters(text: str) -> str:
    """What is left where only case, punctuation, digits and the names of slots are taken away."""
    return "".join(filter(str.isalpha, re.sub(r"\{\w+\}", "", text).lower()))


def test_the_benchmark_asks_what_was_never_taught() -> None:
    """No phrase, no simple fact and no free question stands in what the model is taught on, word for word."""
    files = [path.read_text("utf-8").splitlines() for path in phrases.FOLDER.glob("*.txt")]
    taught = {letters(part) for lines in files for line in lines if not line.startswith("## ") for part in line.split("|")[:2]}
    taught |= {letters(question) for question, _ in (*one_question.own_answers(), *small_talk())}
    blocks = [value for name, value in vars(teaching_phrases).items() if name.isupper() and isinstance(value, str)]
    templates = [line.split("|")[0] for block in blocks for line in block.strip().split("\n")]
    free = [json.loads(line)["q"] for line in FREE.read_text("utf-8").splitlines()]
    asked = [letters(text) for text in (*templates, *(question for question, _ in teaching_phrases.PLAIN), *free)]
    assert len(taught) > 1500
    assert len(asked) > 150
    assert [text for text in asked if text and text in taught] == []
