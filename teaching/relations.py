"""Word problems put together from sentences: two of three quantities are told, the third is asked.

A scene (teaching/data/phrases/relations.txt) has sentences that state one or two of its quantities, questions for each of
them, and answers. The same facts with another question make a problem with another operation, so what is asked has to be read.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from teaching import chains, phrases, tasks
from teaching import phrases_calculator as calc
from teaching.tasks import Episode, World

Quantities = dict[str, str]

PRODUCT = {"all": "{each} * {number}", "each": "{all} / {number}", "number": "{all} / {each}"}


def _sum(first: str, second: str, total: str) -> dict[str, str]:
    """The rules of total = first + second."""
    return {total: f"{{{first}}} + {{{second}}}", first: f"{{{total}}} - {{{second}}}", second: f"{{{total}}} - {{{first}}}"}


def _percentage(sign: str) -> dict[str, str]:
    """The rules of what a percentage takes off or puts on top."""
    return {"part": "{percent} / 100 * {whole}", "new": f"{{whole}} * (1 {sign} {{percent}} / 100)"}


@dataclass(frozen=True)
class Scene:
    """`rules` give each quantity from the others; `drawn` says which two are drawn, each with the slots its value may fill."""

    rules: Mapping[str, str]
    drawn: Mapping[str, str]


SCENES: Mapping[str, Scene] = {
    "price": Scene(PRODUCT, {"each": "p", "number": "n k"}),
    "packs": Scene(PRODUCT, {"each": "n k", "number": "n k a"}),
    "wage": Scene(PRODUCT, {"each": "p k", "number": "n k"}),
    "speed": Scene(PRODUCT, {"each": "n k d", "number": "n k"}),
    "saving": Scene(PRODUCT, {"each": "k a p", "number": "n k"}),
    "sharing": Scene(PRODUCT, {"each": "p k a", "number": "n k"}),
    "pace": Scene(PRODUCT, {"each": "n k", "number": "n k"}),
    "weight": Scene(PRODUCT, {"each": "n d", "number": "n k a"}),
    "seats": Scene(PRODUCT, {"each": "n k", "number": "n k"}),
    "use": Scene(PRODUCT, {"each": "k a d", "number": "n k"}),
    "duration": Scene(PRODUCT, {"each": "k", "number": "n k"}),
    "pieces": Scene(PRODUCT, {"each": "n k d", "number": "n k"}),
    "area": Scene({"area": "{length} * {width}", "length": "{area} / {width}", "width": "{area} / {length}"},
                  {"length": "k n d", "width": "k n d"}),
    "grow": Scene(_sum("before", "more", "now"), {"before": "k a L", "more": "n k a"}),
    "parts": Scene(_sum("first", "second", "total"), {"first": "n k a", "second": "n k a"}),
    "joined": Scene(_sum("first", "second", "total"), {"first": "n k a d", "second": "n k a d"}),
    "shrink": Scene(_sum("left", "gone", "had"), {"left": "n k a L", "gone": "n k a"}),
    "leftover": Scene(_sum("left", "gone", "had"), {"left": "n k a d", "gone": "n k d"}),
    "compare": Scene(_sum("smaller", "difference", "larger"), {"smaller": "n k a", "difference": "n k"}),
    "goal": Scene(_sum("have", "missing", "goal"), {"have": "k a L", "missing": "k a"}),
    "change": Scene(_sum("price", "change", "paid"), {"price": "p", "change": "p n"}),
    "rate": Scene(PRODUCT, {"each": "n k", "number": "n"}),
    "surface": Scene({"area": "{length} * {width}"}, {"length": "k n d", "width": "k n d"}),
    "age": Scene(_sum("born", "age", "year"), {"born": "year", "age": "k n"}),
    "percent": Scene({"part": "{percent} / 100 * {whole}", "percent": "{part} / {whole} * 100"},
                     {"whole": "k a L", "percent": "c"}),
    "discount": Scene(_percentage("-"), {"whole": "p k a", "percent": "c"}),
    "rise": Scene(_percentage("+"), {"whole": "p k a", "percent": "c"}),
}
MEASURED = ("pieces", "joined", "leftover", "rate", "surface")
"""Scenes whose question asks in another unit than the facts are told in."""


def _sentences(scene: str) -> Mapping[str, tuple[str, ...]]:
    """What a scene can say: facts by the quantities they state, questions (?) and answers (!) by the one they ask for."""
    return phrases.keyed("relations", scene)


def _values(world: World, scene: Scene) -> Quantities:
    """A value for every quantity, all of which agree."""
    rng = world.rng
    values = {name: tasks.slots(rng)[rng.choice(slots.split())] for name, slots in scene.drawn.items()}
    made = {name: world.call("calculator", {"expression": rule.format_map(values)})
            for name, rule in scene.rules.items() if name not in values}
    return values | made


def _facts(rng: random.Random, said: Mapping[str, tuple[str, ...]], told: tuple[str, str]) -> str:
    """What is told of two quantities: in one sentence, or in one each in either order."""
    both = next((said[key] for key in ("+".join(told), "+".join(reversed(told))) if key in said), ())
    if both and rng.random() < 0.6:
        return rng.choice(both)
    return " ".join(rng.choice(said[name]) for name in rng.sample(told, 2))


def _aside(rng: random.Random) -> str:
    """Now and then a sentence whose number has nothing to do with the question."""
    if rng.random() > 0.07:
        return ""
    return rng.choice(phrases.lines("relations", "asides")).format(n=rng.randint(2, 40)) + " "


def _written(rng: random.Random, name: str, value: str, template: str) -> str:
    """A value as people may write it; money and percentages stay digits."""
    if "." in value or f"${{{name}}}" in template or f"{{{name}}}%" in template or name in ("born", "year"):
        return value
    if int(value) <= 60 and rng.random() < 0.1:
        return tasks.in_words(int(value))
    return f"{int(value):,}" if int(value) > 999 and rng.random() < 0.3 else value


def _asked(rng: random.Random, name: str, asked: str, values: Quantities, words: Mapping[str, str]) -> tuple[str, str, str]:
    """A question of a scene for one of its quantities, with its facts: as a template, as it is written, and a word rule."""
    said, rule = _sentences(name), SCENES[name].rules[asked]
    told = tuple(re.findall(r"\{(\w+)\}", rule))
    facts, question = _facts(rng, said, (told[0], told[1])), rng.choice(said[f"?{asked}"])
    facts = f"{_aside(rng)}{facts}"
    template = f"{facts} {question}" if rng.random() < 0.8 else f"{question} {facts}"
    written = {one: _written(rng, one, values[one], template) for one in told}
    text = re.sub(r"(?:^|(?<=[.?] ))[a-z]", lambda match: match[0].upper(), template.format(**written, **words))
    return template, text, rule


def _named(template: str, asked: str, rule: str, values: Quantities) -> str:
    """What the model thinks: the quantities are called what the sentences' slots are called."""
    return tasks.named(template, rule, f"{asked} = {re.sub('[{}]', '', rule)}", values)


def _words(rng: random.Random) -> dict[str, str]:
    thing = rng.choice(calc.THINGS)
    return {"who": rng.choice(calc.NAMES), "thing": thing, "things": f"{thing}s"}


def _free(rng: random.Random, name: str, asked: str, values: Quantities) -> Quantities:
    """The values, or for a share of something sometimes others: most amounts cannot be divided without a rest."""
    if asked == "each" and rng.random() < 0.6:
        return values | {"all": tasks.slots(rng)[rng.choice(("p", "k", "a"))]}
    return values


def _problem(world: World, name: str, asked: str, values: Quantities, words: Mapping[str, str]) -> Episode:
    rng = world.rng
    values = _free(rng, name, asked, values)
    template, question, rule = _asked(rng, name, asked, values, words)
    expr = rule.format(**values)
    result = world.result("calculator", {"expression": expr})
    answer = rng.choice(_sentences(name)[f"!{asked}"]).format(r=result, **words)
    step = tasks.calculate_step(expr, result, rule=_named(template, asked, rule, values))
    return Episode("relation", question, (step,), tasks.done(result), answer, (result,), {"result": result})


def problems(world: World) -> list[Episode]:
    """Up to three problems of one scene about the same values, each for another quantity."""
    rng = world.rng
    name = rng.choice([scene for scene in SCENES if scene not in MEASURED])
    values, words = _values(world, SCENES[name]), _words(rng)
    asked = rng.sample(sorted(SCENES[name].rules), len(SCENES[name].rules))
    return [_problem(world, name, quantity, values, words) for quantity in asked]


def problem(world: World) -> Episode:
    """One of them."""
    return world.rng.choice(problems(world))


def _units(world: World, name: str, asked: str) -> tuple[dict[str, str], tuple[str, str]]:
    """The units that a measured scene speaks of, and those of the quantity asked: as it is told, and as it is wanted."""
    rng = world.rng
    if name == "surface":
        told = rng.choice(("meters", "feet", "yards", "inches"))
        wanted = tasks.units(rng, "area")[1]
        return {"f": told, "t": wanted}, (f"square {told}", wanted)
    kind = "length" if name == "rate" else rng.choice(("length", "mass", "volume", "length", "time", "area"))
    _, told, wanted = tasks.units(rng, kind)
    if name == "rate" and asked == "each":
        return {"f": told, "t": wanted}, (f"{told} per hour", f"{wanted} per hour")
    return {"f": told, "t": wanted}, (told, wanted)


def measured(world: World) -> list[Episode]:
    """A problem about amounts in one unit with a question in another, and with the same question in the same unit.

    The first needs the calculation, then the conversion, the second the calculation alone.
    """
    rng = world.rng
    name = rng.choice(MEASURED)
    values = _values(world, SCENES[name])
    asked = rng.choice([key[1:] for key in _sentences(name) if key[0] == "?"])
    values = _free(rng, name, asked, values)
    units, (source, target) = _units(world, name, asked)
    words, rule = _words(rng) | units, SCENES[name].rules[asked]
    template, other, _ = _asked(rng, name, asked, values, words)
    answer, known = rng.choice(_sentences(name)[f"!{asked}"]), _named(template, asked, rule, values)
    expr = rule.format(**values)
    two = chains.then_convert(world, other, expr, (source, target), known, answer.format_map({"r": "{r}", **words}))
    words = words | {"t": source if name == "surface" else units["f"]}
    template, same, _ = _asked(rng, name, asked, values, words)
    result = world.result("calculator", {"expression": expr})
    step = tasks.calculate_step(expr, result, rule=_named(template, asked, rule, values))
    said = answer.format_map({"r": f"{result} {source}", **words})
    return [two, Episode("relation", same, (step,), tasks.done(result), said, (result,), {"result": result})]
