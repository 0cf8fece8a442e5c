"""Word problems from sentences: every scene can be told and asked, and its rules agree with its numbers."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import pytest

from teaching import phrases, relations
from teaching.curriculum import GROUP, group
from teaching.relations import SCENES
from teaching.tasks import UnfitError, World

WORDS = {"who", "thing", "things", "f", "t"}
LINES = [(scene, *line.split(": ", 1)) for scene in SCENES for line in phrases.lines("relations", scene)]


def _slots(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_a_sentence_states_what_its_key_says_and_nothing_else() -> None:
    for scene, key, sentence in LINES:
        said = {"r"} if key[0] == "!" else set() if key[0] == "?" else set(key.split("+"))
        assert said <= _slots(sentence) <= said | WORDS, (scene, key, sentence)


@pytest.mark.parametrize("scene", SCENES)
def test_what_can_be_asked_can_be_told_and_answered(scene: str) -> None:
    keys = {key for name, key, _ in LINES if name == scene}
    asked = {key[1:] for key in keys if key[0] == "?"}
    only = {"pieces": {"all", "each"}, "rate": {"all", "each"}, "joined": {"total"}, "leftover": {"left"}}
    assert asked == only.get(scene, set(SCENES[scene].rules))
    for quantity in asked:
        assert f"!{quantity}" in keys
        assert _slots(SCENES[scene].rules[quantity]) <= keys


def test_each_answer_is_the_number_that_the_sibling_questions_are_told() -> None:
    """What the calculator finds for one quantity is what the other questions of the scene state it as.

    Percentages have no question whose result another one states; shares may be drawn with a rest and stand alone.
    """
    checked = set()
    for seed in range(300):
        try:
            episodes = relations.problems(World(random.Random(seed)))
        except UnfitError:
            continue
        told = {Decimal(number) for episode in episodes for number in re.findall(r"\d+(?:\.\d+)?", str(episode.steps[0].calls))}
        for episode in episodes:
            rule = episode.steps[0].thinking.partition(", so ")[2].partition(":")[0]
            if "each =" not in rule and "percent" not in rule:
                assert Decimal(episode.key[0]) in told, episode
                checked.add(rule)
    assert len(checked) > 20


def test_problems_about_the_same_numbers_stand_in_one_group() -> None:
    """Where the calculator is offered, some groups hold a scene with each of its questions, under the same tools."""
    with_siblings = 0
    for step in range(60):
        conversations = group(1, step)
        assert len(conversations) == GROUP
        assert len({str(conversation.tools) for conversation in conversations}) == 1
        rules = [re.findall(r"so (\w+) = ", str(conversation.messages)) for conversation in conversations[:2]]
        with_siblings += all(rules) and rules[0] != rules[1]
    assert with_siblings > 5
