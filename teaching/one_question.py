"""Questions with one call, or none: makers of episodes, from the phrases of their kind."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from teaching import phrases, relations, situations, tasks
from teaching import phrases_tools as tools
from teaching.plain_questions import CAPITAL_FORMS, CAPITALS, DEFINE, DEFINE_FORMS
from teaching.small_talk import small_talk
from teaching.tasks import Episode, World

OWN_ANSWERS = Path(__file__).parent / "data" / "own_answers.jsonl"
NO_TOOL_NEEDED = "No tool is needed."
DIRECT, VERBAL, STORIES = (phrases.block(name) for name in ("direct", "verbal", "stories"))
CONVERT = phrases.block("conversions", "CONVERT")
SITUATIONS = {
    kind: phrases.block("conversions", kind.upper())
    for kind in ("length", "mass", "volume", "temperature", "speed", "area", "time", "data")
}
TIME = phrases.block("times", "TIME")
FACTS = phrases.lines("no_tool", "FACTS")

Maker = Callable[[World], Episode]


@functools.cache
def own_answers() -> tuple[tuple[str, str], ...]:
    """Questions without a tool and the base model's answers."""
    lines = OWN_ANSWERS.read_text(encoding="utf-8").splitlines()
    return tuple((line["q"], line["a"]) for line in map(json.loads, lines))


def _reworded(rng: random.Random, question: str) -> str:
    """The same question in another of the forms it could have been asked in."""
    for forms, names in ((DEFINE_FORMS, DEFINE), (CAPITAL_FORMS, CAPITALS)):
        for form in forms:
            before, after = form.split("{}")
            name = question[len(before) : len(question) - len(after)]
            if question == before + name + after and name.replace(" ", "_" if names is DEFINE else " ") in names:
                return rng.choice(forms).format(name)
    return question


def conversion(world: World) -> Episode:
    if world.rng.random() < 0.45:
        return situations.conversion(world)
    return tasks.conversion(world, CONVERT, SITUATIONS)


def clock(world: World) -> Episode:
    return tasks.clock(world, TIME, tools.PLACES)


def direct(world: World) -> Episode:
    hard = world.rng.random() < 0.35
    return tasks.calculation(world, DIRECT, "direct", tasks.expression(world.rng, hard=hard))


def verbal(world: World) -> Episode:
    return tasks.calculation(world, VERBAL, "verbal")


def story(world: World) -> Episode:
    return tasks.calculation(world, STORIES, "story")


def yes_no(world: World) -> Episode:
    return tasks.clock_yes_no(world, phrases.block("times", "TIME_YES_NO"), phrases.block("times", "WEEKEND"), tools.PLACES)


def plain(world: World) -> Episode:
    """A question that needs no tool."""
    kind = world.rng.random()
    if kind < 0.45:
        return fact(world)
    question, answer = world.rng.choice(own_answers() if kind < 0.9 else small_talk())
    return Episode("plain", _reworded(world.rng, question), (), NO_TOOL_NEEDED, answer)


def fact(world: World) -> Episode:
    """A fact, with a short answer."""
    question, answer = world.rng.choice(FACTS).split("|")
    return Episode("plain", question, (), NO_TOOL_NEEDED, answer)


def now(world: World) -> Episode:
    return tasks.clock_here(world, phrases.block("times", "NOW"))


ONE_CALL: Sequence[Maker] = (conversion, clock, direct, verbal, story, relations.problem)
