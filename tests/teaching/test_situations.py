"""Conversion questions from sentences: every fact goes with every question, and each needs the calls it says."""

from __future__ import annotations

import operator
import random
import re

import pint
import pytest

from teaching import phrases, relations, situations, two_questions
from teaching.curriculum import group
from teaching.situations import KINDS
from teaching.tasks import Episode, UnfitError, World

LINES = [(kind, *line.split(": ", 1)) for kind in KINDS for line in phrases.lines("situations", kind)]
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
NEEDS = {"fact": ({"v"}, {"f", "g"}), "ask": ({"t"}, {"t"}), "whole": ({"v", "t"}, {"f", "g"})}
"""The slots that a sentence has, and those of which it has one at least."""
PLAIN = {
    f"{name}{plural}" for plural in ("", "s") for name in (
        "meter", "mile", "yard", "kilometer", "gram", "kilogram", "milligram", "ounce", "liter", "milliliter", "cup", "pint",
        "quart", "tablespoon", "teaspoon", "hour", "minute", "second", "day", "week", "kilobyte", "megabyte", "gigabyte",
        "terabyte",
    )
}
"""Units whose names pint reads as they are."""


def _slots(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def _of_two(expression: str) -> float:
    first, sign, second = expression.split(" ")
    return OPERATORS[sign](float(first), float(second))


def _drawn(make: object, n: int = 80) -> list[list[Episode]]:
    """What a maker of siblings gives from some seeds."""
    found = []
    for seed in range(n):
        try:
            found.append(make(World(random.Random(seed))))  # type: ignore[operator]
        except UnfitError:
            continue
    assert len(found) > n * 0.7
    return found


def test_a_sentence_has_the_slots_of_its_kind_and_no_others() -> None:
    assert {key for _, key, _ in LINES} == {*NEEDS, "then"}
    for kind, key, sentence in LINES:
        if key == "then":
            question, expression, answer = sentence.split("|")
            assert _slots(expression) - {"r1"} <= _slots(question), sentence
            assert "r1" in _slots(expression)
            assert "r" in _slots(answer)
            continue
        every, one = NEEDS[key]
        assert every <= _slots(sentence), (kind, sentence)
        assert one & _slots(sentence), (kind, sentence)
        assert _slots(sentence) <= every | one, (kind, sentence)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_all_sorts_of_sentences(kind: str) -> None:
    assert {key for name, key, _ in LINES if name == kind} == {*NEEDS, "then"}


def test_one_fact_makes_a_conversion_a_chain_and_a_calculation() -> None:
    """The calls differ by what is asked alone; pint and Python agree with what they found."""
    registry = pint.UnitRegistry()
    agreed = 0
    for convert, chain, same in _drawn(situations.problems):
        fact = re.split(r"(?<=[.?]) ", convert.question)[0].rstrip(".")
        assert fact in chain.question
        assert fact in same.question
        assert [name for step in chain.steps for name, _ in step.calls] == ["convert_units", "calculator"]
        assert convert.steps[0].calls == chain.steps[0].calls
        assert [name for step in same.steps for name, _ in step.calls] == ["calculator"]
        arguments = convert.steps[0].calls[0][1]
        converted = float(convert.steps[0].results[0].split(" ")[0])
        expression = chain.steps[1].calls[0][1]["expression"]
        assert str(chain.steps[0].results[0].split(" ")[0]) in expression
        assert float(chain.key[0]) == pytest.approx(_of_two(expression), rel=1e-9)
        assert str(arguments["value"]) in same.steps[0].calls[0][1]["expression"]
        if {arguments["from_unit"], arguments["to_unit"]} <= PLAIN:
            wanted = registry.Quantity(arguments["value"], arguments["from_unit"]).to(arguments["to_unit"]).magnitude
            assert converted == pytest.approx(wanted, rel=1e-4)
            agreed += 1
    assert agreed > 10


def test_the_same_problem_in_the_same_unit_needs_no_conversion() -> None:
    for other, same in _drawn(relations.measured):
        assert [name for step in other.steps for name, _ in step.calls] == ["calculator", "convert_units"]
        assert [name for step in same.steps for name, _ in step.calls] == ["calculator"]
        assert other.steps[0].calls == same.steps[0].calls


def test_two_unlike_questions_are_said_again_one_by_one() -> None:
    """What stands in the thinking before a calculation is its own question, so that it is the nearest to copy from."""
    for pair in _drawn(two_questions.exchanged):
        for episode in pair:
            words = re.findall(r"[a-z]+", episode.question.lower())
            thinking = re.findall(r"[a-z]+", episode.steps[0].thinking.lower())
            assert len(episode.steps[0].calls) == 2
            assert len(thinking) > 0.6 * len(words)
            assert episode.thinking.startswith("1. ")
            assert " 2. " in episode.thinking


def test_siblings_of_every_kind_stand_in_some_group() -> None:
    found = set()
    for step in range(150):
        first, second = (str(conversation.messages) for conversation in group(1, step)[:2])
        calls = [tuple(re.findall(r"'name': '(\w+)', 'arguments'", text)) for text in (first, second)]
        found.add(tuple(calls))
    assert (("convert_units",), ("convert_units", "calculator")) in found
    assert (("calculator", "convert_units"), ("calculator",)) in found
