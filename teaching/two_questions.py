"""Two questions, or three, in one message."""

from __future__ import annotations

import random
from dataclasses import replace

from teaching import phrases, tasks
from teaching import phrases_mixed as mixed
from teaching import phrases_tools as tools
from teaching.one_question import ONE_CALL, fact
from teaching.tasks import Episode, UnfitError, World


def places(world: World) -> Episode:
    first, second = world.rng.sample(tools.PLACES, 2)
    said = world.rng.choice(("It is {clock} in {place}.", "It is {clock} in {place} ({day}, {date})."))
    episodes = [tasks.clock(world, f"x|{said}", [place]) for place in (first, second)]
    question = world.rng.choice(phrases.lines("times", "TWO_PLACES")).format(p1=first, p2=second)
    return tasks.together("two_places", question, episodes)


def calculations(world: World) -> Episode:
    pairs = [tasks.expression(world.rng, hard=world.rng.random() < 0.25) for _ in range(2)]
    episodes = [tasks.calculation(world, "{x}|{x}|{x} is {r}.", "direct", pair) for pair in pairs]
    question = world.rng.choice(phrases.lines("two_questions", "TWO_CALCULATIONS")).format(x1=pairs[0][1], x2=pairs[1][1])
    return tasks.together("two_calculations", question, episodes)


def conversions(world: World) -> Episode:
    episodes = [tasks.conversion(world, "{v}|{v} {f} is {r}.", {}) for _ in range(2)]
    values = {f"{name}{n}": text for n, episode in enumerate(episodes, 1) for name, text in episode.state.items()}
    question = world.rng.choice(phrases.lines("conversions", "TWO_CONVERSIONS")).format(**values)
    return tasks.together("two_conversions", question, episodes)


def units(world: World) -> Episode:
    """One value in two units."""
    rng = world.rng
    dimension, source, one = tasks.units(rng, rng.choice(("length", "mass", "volume", "length", "time")))
    other = tasks.units(rng, dimension)[1]
    if other in (source, one):
        raise UnfitError
    value, written = tasks.amount(rng, dimension)
    steps = [tasks.convert_step(world, value, source, target) for target in (one, other)]
    said = f"{value} {source} is"
    episodes = [
        Episode("", "", (step,), tasks.done(result), f"{said} {result}.", (result.split(" ")[0],)) for step, result in steps
    ]
    question = rng.choice(mixed.ONE_VALUE_TWO_UNITS).format(v=written, f=source, t1=one, t2=other)
    return tasks.together("two_units", question, episodes)


def _joined(rng: random.Random, first: str, second: str) -> str:
    """Two whole questions as one message."""
    first = first if first[-1] in ".?!" else first + rng.choice((".", "?"))
    joiner = rng.choice(phrases.lines("two_questions", "JOINERS"))
    return joiner.format(q1=first, q2=second, l1=phrases.lowered(first), l2=phrases.lowered(second))


def unlike(world: World) -> Episode:
    """Two questions that have nothing to do with each other, both for a tool."""
    episodes = [maker(world) for maker in world.rng.choices(ONE_CALL, k=2)]
    return tasks.together("two_any", _joined(world.rng, *(episode.question for episode in episodes)), episodes, restated=True)


def exchanged(world: World) -> list[Episode]:
    """Two pairs of unlike questions of the same kinds in either order, so that place and topic do not tell the number."""
    makers = world.rng.choices(ONE_CALL, k=2)
    found = []
    for pair in (makers, makers[::-1]):
        episodes = [maker(world) for maker in pair]
        question = _joined(world.rng, *(episode.question for episode in episodes))
        found.append(tasks.together("two_any", question, episodes, restated=True))
    return found


def with_fact(world: World) -> Episode:
    """Two questions of which one needs no tool."""
    rng = world.rng
    asked = rng.choice(ONE_CALL)(world)
    both = rng.sample((asked, fact(world)), 2)
    step = replace(asked.steps[0], thinking=f"One question needs no tool. {asked.steps[0].thinking}")
    question = _joined(rng, *(episode.question for episode in both))
    return Episode("with_fact", question, (step,), asked.thinking, " ".join(episode.answer for episode in both), asked.key)


def three_places(world: World) -> Episode:
    places = world.rng.sample(tools.PLACES, 3)
    episodes = [tasks.clock(world, "x|It is {clock} in {place}.", [place]) for place in places]
    question = world.rng.choice(mixed.THREE_PLACES).format(*places)
    return tasks.together("three_places", question, episodes)
