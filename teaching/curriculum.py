"""The conversations that the built-in model is taught on: seeded, generated, as many as wanted.

`group(seed, step)` gives the conversations of one training step, which share system prompt and tools. What the tools say
comes from the real tools; what needs no tool is in the base model's own words (own_answers.py).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from harness.settings import DEFAULT_SYSTEM_PROMPT
from harness.tools import registry
from teaching import chains, decoys, phrases, relations, situations, tasks
from teaching import one_question as one
from teaching import phrases_calculator as calc
from teaching import phrases_mixed as mixed
from teaching import phrases_tools as tools
from teaching import two_questions as two
from teaching.format import Conversation
from teaching.tasks import Episode, Step, UnfitError, World

GROUP = 6
"""Conversations that share a system prompt and tools."""
TYPOS = {"what": "waht", "What": "Waht", "time": "tiem", "convert": "convrt", "Convert": "Covnert", "calculate": "calcualte",
         "many": "mnay", "much": "mcuh", "you": "u", "please": "pls", "the": "teh", "is": "si", "are": "r", "times": "tiems",
         "divided": "devided"}
NO_TOOL_FITS = "No tool here can do that."
DRAWS = 60
"""How often a question is drawn again where the values did not fit."""

LIVE = [line.split("|") for line in phrases.lines("no_tool", "LIVE")]


def _chain(world: World) -> Episode:
    kind = world.rng.random()
    if kind < 0.22:
        return chains.convert_then_calculate(world, phrases.block("chains", "CONVERT_THEN_CALCULATE"))
    if kind < 0.40:
        return situations.chain(world)
    if kind < 0.64:
        return relations.measured(world)[0]
    if kind < 0.94:
        fixed = phrases.block("chains", "AREA_AND_SPEED")
        return chains.calculate_then_convert(world, phrases.block("chains", "CALCULATE_THEN_CONVERT"), fixed)
    return chains.age(world, mixed.AGE_AT_PLACE, tools.PLACES)


def _failing(world: World) -> Episode:
    if world.rng.random() < 0.35:
        return tasks.mended(world, one.TIME)
    return tasks.failing(world, one.CONVERT, one.TIME)


def _difference(world: World) -> Episode:
    return chains.difference(world, mixed.DIFFERENCE, tools.PLACES)


def _compared(world: World) -> Episode:
    return chains.compared(world, mixed.WHICH_IS_MORE)


OURS: Sequence[tuple[float, one.Maker]] = (
    (0.11, one.direct), (0.14, one.verbal), (0.14, one.story), (0.03, relations.problem), (0.14, one.conversion),
    (0.10, one.clock), (0.02, one.yes_no), (0.01, one.now), (0.015, two.places), (0.04, two.calculations),
    (0.02, two.conversions), (0.01, two.units),
    (0.10, two.unlike), (0.015, two.with_fact), (0.01, two.three_places), (0.20, _chain), (0.045, _failing),
    (0.01, _difference), (0.01, _compared),
)
"""How often each kind of question comes up where all of our tools are offered."""


def _live(world: World, offered: frozenset[str]) -> Episode:
    """A wish that no offered tool can serve."""
    rng = world.rng
    what, question = rng.choice(LIVE)
    if any(decoy.name in offered for decoy in decoys.DECOYS) and rng.random() < 0.5:
        raise UnfitError
    words = {name: rng.choice(values) for name, values in decoys.WORDS.items()}
    question = question.format(**words)
    return Episode("live", question, (), NO_TOOL_FITS, rng.choice(mixed.NO_TOOL_FOR).format(what=what))


_SERVED_BY = {
    "get_weather": "the weather", "send_message": "sending messages", "create_event": "your calendar",
    "stock_price": "stock prices", "play_music": "playing music", "set_timer": "timers or alarms",
    "turn_on_light": "your home", "find_restaurant": "restaurants", "book_train": "tickets", "read_file": "files",
}
"""Which of the wishes that nothing serves a decoy does serve."""
_MAKERS_FOR: dict[str, tuple[one.Maker, ...]] = {
    "calculator": (one.direct, one.verbal, one.story),
    "convert_units": (one.conversion,),
    "current_time": (one.clock, one.yes_no),
}


def _without_tool(world: World, offered: frozenset[str]) -> Episode:
    """What cannot be done with these tools: a wish for none of them, or a question for one of ours that is missing."""
    rng = world.rng
    missing = [name for name in registry() if name not in offered]
    if missing and rng.random() < 0.6:
        name = rng.choice(missing)
        episode = rng.choice(_MAKERS_FOR[name])(world)
        return Episode("missing", episode.question, (), NO_TOOL_FITS, rng.choice(mixed.CANNOT[name]))
    episode = _live(world, offered)
    if any(served in episode.answer for name, served in _SERVED_BY.items() if name in offered):
        raise UnfitError
    return episode


def _decoy(world: World, offered: frozenset[str]) -> Episode:
    decoy = world.rng.choice([decoy for decoy in decoys.DECOYS if decoy.name in offered])
    question, arguments, result, answer = decoys.ask(decoy, world.rng)
    step = Step(f"{decoy.name} fits.", ((decoy.name, arguments),), (result,))
    return Episode("decoy", question, (step,), "I have the result.", answer)


def sloppy(rng: random.Random, text: str) -> str:
    """The question as people type it: bare, in lower case, with a slip, or wrapped in politeness."""
    if rng.random() < 0.5:
        return text
    if rng.random() < 0.25:
        before = rng.choice(mixed.BEFORE)
        text = before + (phrases.lowered(text) if before.endswith((": ", ", ", "so ")) else text)
    if rng.random() < 0.2 and text[-1] in ".?!":
        text += rng.choice(mixed.AFTER)
    if rng.random() < 0.4:
        text = text.rstrip("?.")
    if rng.random() < 0.25:
        words = text.split(" ")
        place = rng.randrange(len(words))
        words[place] = TYPOS.get(words[place], words[place])
        text = " ".join(words)
    return text.lower() if rng.random() < 0.2 and not any(sign in text for sign in "°/MGT") else text


def _episode(world: World, offered: frozenset[str]) -> Episode:
    """One question with its episode, of a kind that the offered tools allow."""
    rng = world.rng
    for _ in range(DRAWS):
        try:
            kind = rng.random()
            ours = not offered.isdisjoint(registry())
            if kind < (0.25 if offered else 0.7):
                episode = one.plain(world)
            elif not offered or kind < (0.29 if offered.issuperset(registry()) else 0.36):
                episode = _without_tool(world, offered)
            elif not offered <= registry().keys() and (rng.random() < 0.3 or not ours):
                episode = _decoy(world, offered)
            else:
                episode = rng.choices([maker for _, maker in OURS], [weight for weight, _ in OURS])[0](world)
        except UnfitError:
            continue
        if episode.needs <= offered:
            return episode
    return one.plain(world)


def _follow_up(world: World, before: Episode) -> Episode | None:
    """A question that only makes sense after the one before; None where there is none."""
    rng, state = world.rng, before.state
    if before.kind in ("direct", "verbal", "story") and len(state["result"]) < 14:
        return tasks.calculation(world, calc.FOLLOW_UPS.replace("{before}", state["result"]), "follow_up")
    if before.kind in ("time", "yes_no"):
        place = rng.choice(tools.PLACES)
        return tasks.clock(world, f"{rng.choice(tools.PLACE_FOLLOW_UPS)}|It is {{clock}} in {{place}}.", [place])
    if before.kind == "convert":
        source, target = state["f"], tasks.units(rng, state["dimension"])[2]
        value: float | int = float(state["v"]) if "." in state["v"] else int(state["v"])
        question = rng.choice(tools.UNIT_FOLLOW_UPS).format(t=target)
        if target == source or rng.random() < 0.5:
            target = state["t"]
            value, written = tasks.amount(rng, state["dimension"])
            question = rng.choice(tools.VALUE_FOLLOW_UPS).format(v=written, f=source)
        step, result = tasks.convert_step(world, value, source, target)
        said = f"{value} {source} is {result}."
        return Episode("follow_up", question, (step,), f"It is {result}.", said, (result.split(" ")[0],))
    return None


def messages_of(episode: Episode, thinking: bool, question: str | None = None) -> list[dict[str, Any]]:
    """The episode as chat messages; thinking is written where it is on."""
    found: list[dict[str, Any]] = [{"role": "user", "content": question or episode.question}]
    for step in episode.steps:
        calls = [{"type": "function", "function": {"name": name, "arguments": arguments}} for name, arguments in step.calls]
        thought = step.thinking if thinking else ""
        found.append({"role": "assistant", "content": "", "reasoning_content": thought, "tool_calls": calls})
        for (name, _), result in zip(step.calls, step.results, strict=True):
            found.append({"role": "tool", "name": name, "content": result})
    thought = episode.thinking if thinking else ""
    found.append({"role": "assistant", "content": episode.answer, "reasoning_content": thought})
    return found


def _offer(rng: random.Random) -> tuple[str | None, list[dict[str, Any]]]:
    """A system prompt (None: none) and the tools that are offered."""
    ours = [tool.schema for tool in registry().values()]
    others = [decoys.schema(decoy) for decoy in rng.sample(decoys.DECOYS, rng.randint(1, 3))]
    kind = rng.random()
    prompt: str | None = DEFAULT_SYSTEM_PROMPT if kind < 0.5 or rng.random() < 0.4 else rng.choice(mixed.SYSTEM_PROMPTS)
    if kind >= 0.5 and rng.random() < 0.12:
        prompt = None
    if kind < 0.5:
        return prompt, ours
    if kind < 0.62:
        return prompt, rng.sample(ours, 3)
    if kind < 0.75:
        return prompt, rng.sample(ours, rng.randint(1, 2))
    if kind < 0.9:
        offered = rng.sample(ours, rng.randint(1, 3)) + others
        return prompt, rng.sample(offered, len(offered))
    return prompt, others if kind < 0.95 else []


def conversation(rng: random.Random, system: str | None, offered: Sequence[dict[str, Any]]) -> Conversation:
    """One conversation; about one in ten has an earlier question in it."""
    world = World(rng)
    names = frozenset(str(schema["function"]["name"]) for schema in offered)
    thinking = rng.random() < 0.7
    found: list[dict[str, Any]] = [] if system is None else [{"role": "system", "content": system}]
    episode = _episode(world, names)
    if rng.random() < 0.1:
        found += messages_of(episode, False, sloppy(rng, episode.question))
        try:
            later = _follow_up(world, episode) if rng.random() < 0.7 else None
        except UnfitError:
            later = None
        episode = later or _episode(world, names)
    found += messages_of(episode, thinking, sloppy(rng, episode.question))
    return Conversation(found, list(offered), thinking)


SIBLINGS: Sequence[tuple[float, Callable[[World], list[Episode]]]] = (
    (0.66, relations.problems), (0.10, relations.measured), (0.14, situations.problems), (0.10, two.exchanged),
)
"""Questions that are alike and need unlike calls: how often each kind of them stands side by side."""


def _siblings(rng: random.Random, system: str | None, offered: Sequence[dict[str, Any]]) -> list[Conversation]:
    """Conversations of one such kind, those whose calls the offered tools allow."""
    names = frozenset(str(schema["function"]["name"]) for schema in offered)
    found: list[Conversation] = []
    for _ in range(DRAWS):
        makers, weights = [maker for _, maker in SIBLINGS], [weight for weight, _ in SIBLINGS]
        try:
            episodes = rng.choices(makers, weights)[0](World(rng))
        except UnfitError:
            continue
        before: list[dict[str, Any]] = [] if system is None else [{"role": "system", "content": system}]
        for episode in (episode for episode in episodes if episode.needs <= names):
            thinking = rng.random() < 0.7
            asked = before + messages_of(episode, thinking, sloppy(rng, episode.question))
            found.append(Conversation(asked, list(offered), thinking))
        break
    return found


def group(seed: int, step: int) -> list[Conversation]:
    """The conversations of one training step; the same for the same seed and step."""
    rng = random.Random(f"{seed}/{step}")
    system, offered = _offer(rng)
    calculates = any(schema["function"]["name"] == "calculator" for schema in offered)
    found = _siblings(rng, system, offered) if calculates and rng.random() < 0.5 else []
    return found + [conversation(rng, system, offered) for _ in range(GROUP - len(found))]
