"""Conversion questions put together from sentences: an amount is told, then asked for in another unit, or calculated with.

A kind of unit (teaching/data/phrases/situations.txt) has facts, questions that fit any of them, whole questions in one sentence,
and second questions that need a calculation. The same fact makes a conversion, a conversion with a calculation behind it,
and, asked in its own unit, a calculation alone: what is asked has to be read.
"""

from __future__ import annotations

from teaching import chains, phrases, tasks
from teaching.tasks import Episode, World

KINDS = ("length", "mass", "volume", "time", "temperature", "speed", "area", "data")
OFTEN = (*KINDS, "length", "mass", "volume", "time")
SAID = ("That is {r}.", "It is {r}.", "{v} {f} is {r}.", "{v} {f} is {r}.")
"""Answers that fit every question: one that takes up its words fits only what it was written for."""


class Told:
    """An amount, its unit and another, and the fact that tells it."""

    def __init__(self, world: World, kind: str) -> None:
        _, self.source, self.target = tasks.units(world.rng, kind)
        self.value, written = tasks.amount(world.rng, kind)
        self.kind, self.sentences = kind, phrases.keyed("situations", kind)
        self.words = {"v": written, "f": self.source, "t": self.target}

    def ask(self, world: World, sentence: str, **more: str) -> tuple[str, str]:
        """A sentence in words, and the unit of the amount as it stands there: before a noun in the singular."""
        words = self.words | {"g": tasks.singular(self.source), "s": tasks.singular(str(more.get("t", self.target)))} | more
        unit = str(words["g"] if "{g}" in sentence else self.source)
        if world.rng.random() < 0.25 and not str(words["v"]).startswith(("minus", "negative")):
            sentence = sentence.replace("{v} {g}", "{v}-{g}")
        text = sentence.format(**words)
        return text[0].upper() + text[1:] if sentence[0] == "{" else text, unit


def conversion(world: World) -> Episode:
    """A fact and a question behind it, or both in one sentence."""
    told = Told(world, world.rng.choice(OFTEN))
    if world.rng.random() < 0.4:
        return _conversion(world, told, *told.ask(world, world.rng.choice(told.sentences["whole"])))
    fact, unit = told.ask(world, world.rng.choice(told.sentences["fact"]))
    return _conversion(world, told, f"{fact} {_ask(world, told)}", unit)


def _ask(world: World, told: Told) -> str:
    return told.ask(world, world.rng.choice(told.sentences["ask"]))[0]


def _conversion(world: World, told: Told, question: str, unit: str) -> Episode:
    step, result = tasks.convert_step(world, told.value, unit, told.target)
    said = world.rng.choice(SAID).format(r=result, v=told.value, f=unit)
    return Episode("convert", question, (step,), tasks.done(result), said, (result.split(" ")[0],), {
        "v": str(told.value), "f": unit, "t": told.target, "dimension": told.kind,
    })


def problems(world: World) -> list[Episode]:
    """One fact with three questions: in another unit; that and a calculation; the calculation in the fact's own unit."""
    rng = world.rng
    told = Told(world, rng.choice(OFTEN))
    fact, unit = told.ask(world, rng.choice(told.sentences["fact"]))
    question, expr, answer = rng.choice(told.sentences["then"]).split("|")
    values = tasks.slots(rng)
    written = tasks.spoken(rng, values)
    for_chain = told.ask(world, question, **written)[0]
    for_same = told.ask(world, question, **written | {"t": told.source})[0]
    asked = f"{fact} {_ask(world, told)} {for_chain}" if rng.random() < 0.7 else f"{fact} {for_chain}"
    result = world.result("calculator", {"expression": expr.format(r1=told.value, **values)})
    said = answer.format(r=result, t=told.source, s=tasks.singular(told.source), **values)
    step = tasks.calculate_step(expr.format(r1=told.value, **values), result)
    return [
        _conversion(world, told, f"{fact} {_ask(world, told)}", unit),
        chains.converted_then(world, asked, (told.value, unit, told.target), expr, answer, values),
        Episode("relation", f"{fact} {for_same}", (step,), tasks.done(result), said, (result,), {"result": result}),
    ]


def chain(world: World) -> Episode:
    """The second of them, with two calls."""
    return problems(world)[1]
