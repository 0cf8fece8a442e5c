"""From a phrase to an episode: a question, the calls it needs, what the real tools answer, and what to say then.

The builders take their phrases as arguments, so that training and evaluation share them and nothing else.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from harness.tools import Tool, ToolError, registry, validate
from harness.tools.current_time import current_time
from teaching import phrases_calculator as calc
from teaching import phrases_mixed as mixed
from teaching import phrases_tools as tools

Arguments = dict[str, Any]
NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_N = r"-?[\d.]+"
REASONS = (
    (rf"{_N} \* {_N}", "I multiply: {x}."),
    (rf"{_N} / {_N}", "I divide: {x}."),
    (rf"{_N} - {_N}", "I subtract: {x}."),
    (rf"{_N}( \+ {_N})+", "I add: {x}."),
    (rf"{_N} % {_N}", "I need the remainder: {x}."),
    (rf"{_N} / 100 \* {_N}", "I take the percentage: {x}."),
    (rf"{_N} \* \(1 - {_N} / 100\)", "I take the percentage off: {x}."),
    (rf"{_N} \* \(1 \+ {_N} / 100\)", "I put the percentage on top: {x}."),
    (rf"\({_N}( \+ {_N})+\) / \d", "I take the average: {x}."),
    (rf"{_N} \*\* {_N}", "I take the power: {x}."),
    (r"sqrt\(.*\)", "I take the square root: {x}."),
    (r".*", "I calculate: {x}."),
)
"""What a whole expression looks like, and how its calculation is announced; the first that fits counts."""
HALVES = ((1.5, "one and a half"), (2.5, "two and a half"), (3.5, "three and a half"))
TOLD = {"clock": "time", "day": "day", "date": "date", "month": "month", "year": "year", "part": "part of the day",
        "zone": "time zone", "offset": "offset from UTC"}
"""What the parts of the clock's answer are called."""
SINGULAR = {"feet": "foot", "inches": "inch"}


@dataclass(frozen=True)
class Step:
    """One turn of the assistant that calls tools, and what they answered."""

    thinking: str
    calls: tuple[tuple[str, Arguments], ...]
    results: tuple[str, ...]


@dataclass(frozen=True)
class Episode:
    """A question and all that follows from it. `key` holds the results that a right answer must show."""

    kind: str
    question: str
    steps: tuple[Step, ...]
    thinking: str
    answer: str
    key: tuple[str, ...] = ()
    state: Mapping[str, str] = field(default_factory=dict)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(name for step in self.steps for name, _ in step.calls)


class UnfitError(Exception):
    """The drawn values make no sensible question; draw again."""


class World:
    """A source of chance, and the real tools with a clock that stands at a random moment."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        moment = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=rng.randrange(8 * 365 * 24 * 60))
        self.moment = moment
        self.tools: dict[str, Tool] = registry() | {"current_time": current_time(lambda: moment)}

    def line(self, block: str) -> list[str]:
        """One line of a block of phrases, cut at its bars."""
        return self.rng.choice(block.strip().split("\n")).split("|")

    def call(self, name: str, arguments: Arguments) -> str:
        """What the model reads as the tool's answer."""
        wrong = validate(self.tools[name], arguments)
        if wrong:
            return f"error: {wrong}"
        try:
            return self.tools[name].function(**arguments)
        except ToolError as error:
            return f"error: {error}"

    def result(self, name: str, arguments: Arguments) -> str:
        """The same for calls that must work."""
        text = self.call(name, arguments)
        if text.startswith("error") or len(text) > 60 or "e" in text.split(" ")[0]:
            raise UnfitError
        return text


def number(rng: random.Random, low: int = 2, high: int = 999) -> str:
    """A whole number, fewer digits as often as more."""
    digits = rng.randint(len(str(low)), len(str(high)))
    return str(rng.randint(max(low, 10 ** (digits - 1)), min(high, 10**digits - 1)))


def decimal(rng: random.Random) -> str:
    places = rng.choice((1, 1, 2, 2, 3))
    return f"{rng.choice((number(rng, 1, 99), number(rng, 1, 999), '0'))}.{rng.randrange(1, 10**places):0{places}}".rstrip("0")


def price(rng: random.Random) -> str:
    cents = rng.choice((rng.randrange(1, 100), 99, 50, 25, 95, 49))
    return f"{number(rng, 1, 300)}.{cents:02}"


def slots(rng: random.Random) -> dict[str, str]:
    """A value for each slot of a phrase, numbers in digits."""
    thing = rng.choice(calc.THINGS)
    return {
        "a": number(rng, 11), "b": number(rng, 3),
        "n": str(rng.randint(2, 12)), "m": str(rng.randint(2, 12)), "k": str(rng.randint(13, 60)),
        "L": number(rng, 100, 999999), "M": number(rng, 1000, 999999), "d": decimal(rng), "e": decimal(rng), "p": price(rng),
        "q": price(rng), "c": str(rng.choice((5, 8, 10, 12, 15, 18, 20, 25, 30, 35, 40, 60, 75, rng.randint(2, 99)))),
        "year": str(rng.randint(1930, 2022)), "who": rng.choice(calc.NAMES), "thing": thing, "things": thing + "s",
    }


def spoken(rng: random.Random, values: Mapping[str, str]) -> dict[str, str]:
    """The same values as people may write them: thousands commas, small numbers in words."""
    written = dict(values)
    for name in ("L", "M", "a"):
        if len(values[name]) > 3 and rng.random() < 0.3:
            written[name] = f"{int(values[name]):,}"
    for name in ("n", "m", "k"):
        if rng.random() < 0.1:
            written[name] = in_words(int(values[name]))
    return written


def in_words(value: int) -> str:
    """A number from 0 to 99 as people say it."""
    if value < 20:
        return (NUMBER_WORDS + TEENS)[value]
    return TENS[value // 10] + (f"-{NUMBER_WORDS[value % 10]}" if value % 10 else "")


def expression(rng: random.Random, hard: bool = False) -> tuple[str, str]:
    """Random arithmetic: as the calculator reads it, and as somebody may type it.

    `hard`: more operands, brackets and long numbers than people usually type, which are what is copied wrongly.
    """
    short, long = (lambda: number(rng, 10, 99)), (lambda: number(rng, 1000, 10**9 - hard))
    kinds = (lambda: number(rng), lambda: number(rng), short, lambda: decimal(rng), long, *(long, long) * hard)
    count = rng.choices((2, 3, 4), (0.3, 0.4, 0.3) if hard else (0.68, 0.24, 0.08))[0]
    operands = [rng.choice(kinds)() for _ in range(count)]
    signs = [rng.choice("+-**//") for _ in range(count - 1)]
    if rng.random() < 0.06:
        operands, signs = [number(rng, 2, 40), str(rng.randint(2, 6))], ["**"]
    if rng.random() < 0.05:
        operands[0] = f"-{operands[0]}"
    text = operands[0]
    for place, (sign, operand) in enumerate(zip(signs, operands[1:], strict=True)):
        if place and rng.random() < (0.6 if hard else 0.4) and signs[place - 1] in "+-":
            text = f"({text})"
        text = f"{text} {sign} {operand}"
    if count == 3 and rng.random() < (0.5 if hard else 0.25) and len(signs) == 2:
        text = f"{operands[0]} {signs[0]} ({operands[1]} {signs[1]} {operands[2]})"
    typed = text.replace("**", "^") if "**" in text and rng.random() < 0.7 else text
    if "**" not in typed:
        typed = typed.replace("*", rng.choice(("*", "*", "×", "x"))).replace("/", rng.choice(("/", "/", "÷")))
    if rng.random() < (0.3 if hard else 0.12):
        typed = re.sub(r"(?<![\d.])\d{4,}(?!\d*\.)", lambda match: f"{int(match[0]):,}", typed)
    if rng.random() < 0.35:
        typed = typed.replace(" ", "")
    return text, typed


def reason(expr: str) -> str:
    """What the model thinks before it calculates: the operation in words, then the expression that it is about to send."""
    return next(words for pattern, words in REASONS if re.fullmatch(pattern, expr)).format(x=expr)


def calculation(world: World, block: str, kind: str, x: tuple[str, str] | None = None) -> Episode:
    """One call of the calculator for a phrase of `block`."""
    rng = world.rng
    question, form, answer, *rule = world.line(block)
    values = slots(rng)
    text, typed = x or (expression(rng) if kind == "direct" else ("", ""))
    expr = form.format(x=text, **values)
    asked = question.format(x=typed, **spoken(rng, values))
    result = world.result("calculator", {"expression": expr})
    said = answer.format(x=text, r=result, **values)
    step = calculate_step(expr, result, rule=named(question, form, rule[0], values) if rule else "")
    return Episode(kind, asked, (step,), done(result), said, (result,), {"result": result})


def named(question: str, expr: str, rule: str, values: Mapping[str, str]) -> str:
    """What each number of a question is, in the order they are read, then the word rule: "2 is number, 5 is all, so each = …".

    Question and expression are phrases with slots; the operands of the rule stand in the order of those of the expression.
    """
    operands = re.findall(r"\{(\w+)\}|[\d.]+|\bpi\b", expr)
    names = re.findall(r"[a-z]+(?: [a-z]+)*|[\d.]+", re.sub(r"[a-z]+\(", "(", rule.split(" = ", 1)[1]))
    found = {slot: name for slot, name in zip(operands, names, strict=False) if slot and f"{{{slot}}}" in question}
    numbers = (f"{values[slot]} is {found[slot]}" for slot in sorted(found, key=lambda slot: question.index(f"{{{slot}}}")))
    return f"{', '.join(numbers)}, so {rule}"


def calculate_step(expr: str, result: str, before: str = "", rule: str = "") -> Step:
    """One calculation. `rule` may hold the words that lead to it; the model thinks of them in place of the operation."""
    thinking = before + (f"{rule}: {expr}." if rule else reason(expr))
    return Step(thinking[0].upper() + thinking[1:], (("calculator", {"expression": expr}),), (result,))


def done(result: str) -> str:
    """What the model thinks when a tool has said what it needed."""
    return f"The result is {result}."


def units(rng: random.Random, dimension: str | None = None) -> tuple[str, str, str]:
    """A dimension and two different units of it as somebody may write them."""
    dimension = dimension or rng.choice([*tools.UNITS, "length", "mass", "volume", "temperature", "length", "temperature"])
    first, second = rng.sample(tools.UNITS[dimension].split(","), 2)

    def pick(names: str) -> str:
        options = names.split("|")
        return options[0] if rng.random() < 0.55 else rng.choice(options)

    return dimension, pick(first), pick(second)


def singular(unit: str) -> str:
    """The unit as it stands before a noun or after "a": a mile, a foot, a kg."""
    return SINGULAR.get(unit) or (unit.removesuffix("s") if len(unit) > 2 else unit)


def amount(rng: random.Random, dimension: str) -> tuple[float | int, str]:
    """A value as a number and as somebody may write it."""
    text = rng.choice((number(rng, 2, 99), number(rng), number(rng, 100, 99999), decimal(rng), decimal(rng)))
    if dimension == "temperature":
        whole = rng.choice((rng.randint(-40, -1), rng.randint(0, 120), rng.randint(20, 450)))
        text = str(whole) if rng.random() < 0.75 else f"{rng.randint(10, 110)}.{rng.randint(1, 9)}"
    value = float(text) if "." in text else int(text)
    if value < 0 and rng.random() < 0.6:
        return value, f"{rng.choice(('minus', 'minus', 'negative'))} {-value}"
    if isinstance(value, int) and 1 < value <= 12 and rng.random() < 0.25:
        return value, NUMBER_WORDS[value]
    if dimension != "temperature" and rng.random() < 0.04:
        return rng.choice(HALVES)
    return value, f"{value:,}" if isinstance(value, int) and value > 999 and rng.random() < 0.3 else text


def conversion(world: World, block: str, stories: Mapping[str, str], kind: str = "convert") -> Episode:
    """One call of convert_units."""
    rng = world.rng
    dimension, source, target = units(rng)
    value, written = amount(rng, dimension)
    if dimension != "temperature" and source.endswith(("s", "feet")) and rng.random() < 0.12:
        source = singular(source)
        value, written = rng.choice(((1, "a"), (1, "one"), (1, "1"), (0.5, "half a")))
        if source[0] in "aeiou":
            written = written.replace("a", "an") if written in ("a", "half a") else written
    use_story = dimension in stories and written[0].isdigit() and rng.random() < 0.4
    question, answer = world.line(stories[dimension] if use_story else block)
    step, result = convert_step(world, value, source, target)
    shown = {"v": str(value), "f": source, "t": target}
    asked = question.format(v=written, f=source, t=target)
    state = {"v": str(value), "f": source, "t": target, "dimension": dimension}
    return Episode(kind, asked, (step,), done(result), answer.format(r=result, **shown), (result.split(" ")[0],), state)


def convert_step(world: World, value: float | int, source: str, target: str) -> tuple[Step, str]:
    arguments: Arguments = {"value": value, "from_unit": source, "to_unit": target}
    result = world.result("convert_units", arguments)
    return Step(f"I convert {value} {source} to {target}.", (("convert_units", arguments),), (result,)), result


def told(result: str) -> dict[str, str]:
    """The parts of what current_time says."""
    match = re.fullmatch(r"(\w+) ((\d+)-(\d+)-\d+) ((\d+):\d+) \((\S+), (\S+)\)", result)
    if match is None:
        raise UnfitError
    day, date, year, month, clock, hour, zone, offset = match.groups()
    h = int(hour)
    part = "morning" if 5 <= h < 12 else "afternoon" if 12 <= h < 18 else "evening" if 18 <= h < 22 else "night"
    return {
        "clock": clock, "day": day, "date": date, "year": year, "month": MONTHS[int(month) - 1], "zone": zone,
        "offset": offset, "part": part,
    }


def time_step(world: World, place: str) -> tuple[Step, dict[str, str]]:
    result = world.result("current_time", {"place": place})
    return Step(f"I look up the time in {place}.", (("current_time", {"place": place}),), (result,)), told(result)


def clock(world: World, block: str, places: Sequence[str]) -> Episode:
    """One call of current_time for a plain question about a place."""
    place = world.rng.choice(places)
    question, answer = world.line(block)
    step, parts = time_step(world, place)
    key = tuple(parts[name] for name in parts if "{" + name + "}" in answer)
    said = answer.format(place=place, **parts)
    wanted = ", ".join(f"the {TOLD[name]} is {parts[name]}" for name in TOLD if "{" + name + "}" in answer)
    thinking = f"In {place} {wanted}."
    return Episode("time", question.format(place=place), (step,), thinking, said, key[:1], {"place": place})


def clock_yes_no(world: World, block: str, weekend: str, places: Sequence[str]) -> Episode:
    """Whether it is morning, night, the weekend there."""
    place = world.rng.choice(places)
    step, parts = time_step(world, place)
    if world.rng.random() < 0.3:
        question = world.line(weekend)[0].format(place=place)
        off = parts["day"] in ("Saturday", "Sunday")
        working = "working" in question
        said = f"{'Yes' if off else 'No'}, it is {parts['day']} in {place}, "
        said += "so it is the weekend." if off else "a working day."
        said = said.removeprefix("Yes, ").removeprefix("No, ").replace("it is", "It is", 1) if working else said
        return Episode("yes_no", question, (step,), f"It is {parts['day']} there.", said, (parts["day"],), {"place": place})
    question, part = world.line(block)
    right = parts["part"] == part
    said = f"{'Yes' if right else 'No'}, it is {parts['clock']} in {place}, so it is {parts['part']}."
    thinking = _clock_thinking(parts, place)
    return Episode("yes_no", question.format(place=place), (step,), thinking, said, (parts["clock"],), {"place": place})


def clock_here(world: World, block: str) -> Episode:
    """The time without a place: UTC."""
    question, answer = world.line(block)
    result = world.result("current_time", {"place": "UTC"})
    step = Step("No place is named, so I take UTC.", (("current_time", {"place": "UTC"}),), (result,))
    parts = told(result)
    said = answer.format(**parts)
    return Episode("now", question, (step,), _clock_thinking(parts, "UTC"), said, (parts["date"],), {"place": "UTC"})


def _clock_thinking(parts: Mapping[str, str], place: str) -> str:
    return f"In {place} the time is {parts['clock']}."


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def together(kind: str, question: str, episodes: Sequence[Episode], restated: bool = False) -> Episode:
    """Independent episodes as one: all calls in one turn, announced one by one, as are their results.

    `restated`: the model says each question again before it thinks about it, which keeps their numbers apart.
    """
    calls = tuple(call for episode in episodes for call in episode.steps[0].calls)
    results = tuple(result for episode in episodes for result in episode.steps[0].results)
    said = " ".join(episode.answer for episode in episodes)
    keys = tuple(key for episode in episodes for key in episode.key)
    thoughts = [f"{_sentence(episode.question)} " * restated + episode.steps[0].thinking for episode in episodes]
    thinking = " ".join(f"{n}. {thought}" for n, thought in enumerate(thoughts, 1))
    found = " ".join(f"{n}. {episode.thinking}" for n, episode in enumerate(episodes, 1))
    return Episode(kind, question, (Step(thinking, calls, results),), found, said, keys)


def failing(world: World, convert_block: str, time_block: str) -> Episode:
    """A call that must fail; the answer says why, in the tool's terms."""
    rng, values = world.rng, slots(world.rng)
    which = rng.choice(("place", "unit", "mismatch", "arithmetic"))
    name, arguments, question, said = "", {}, "", ""
    if which == "place":
        place = rng.choice(mixed.UNKNOWN_PLACES)
        name, arguments = "current_time", {"place": place}
        question = world.line(time_block)[0].format(place=place)
        said = rng.choice((f"I could not find the time: {place} is not a place I know. Try a large city.",
                           f"The clock does not know {place}. Give me a large city or a time zone."))
    elif which == "arithmetic":
        expr = rng.choice(mixed.IMPOSSIBLE).format(**values)
        name, arguments = "calculator", {"expression": expr}
        question = rng.choice(("What is {x}?", "Calculate {x}.", "{x}", "how much is {x}")).format(x=expr)
        why = "division by zero is not possible"
        if "sqrt" in expr:
            why = "the square root of a negative number is not a real number"
        said = rng.choice((f"That cannot be calculated: {why}.", f"There is no result: {why}."))
    else:
        unit = rng.choice(mixed.UNKNOWN_UNITS)
        source, target = rng.choice(((unit, units(rng)[1]), (units(rng)[1], unit)))
        if which == "mismatch":
            source, target = rng.choice(mixed.MISMATCHED)
        value, written = amount(rng, "length")
        name, arguments = "convert_units", {"value": value, "from_unit": source, "to_unit": target}
        question = world.line(convert_block)[0].format(v=written, f=source, t=target)
        said = f"I cannot convert that: {unit} is not a unit I know."
        if which == "mismatch":
            said = f"I cannot convert {source} to {target}: they measure different things."
    result = world.call(name, arguments)
    if not result.startswith("error"):
        raise UnfitError
    thinking = f"I look up the time in {arguments.get('place')}."
    if which == "arithmetic":
        thinking = reason(str(arguments["expression"]))
    elif which != "place":
        thinking = f"I convert {arguments['value']} {arguments['from_unit']} to {arguments['to_unit']}."
    step = Step(thinking, ((name, arguments),), (result,))
    return Episode(f"error_{which}", question, (step,), "The tool reports an error; I say why.", said)


def mended(world: World, time_block: str) -> Episode:
    """An unknown small town, then a large city with the same clock."""
    town, city = world.rng.choice(list(mixed.SMALL_TOWNS.items()) + list(mixed.WIDE_COUNTRIES.items()) * 2)
    failed = world.call("current_time", {"place": town})
    if not failed.startswith("error"):
        raise UnfitError
    question, _ = world.line(time_block)
    first = Step(f"I look up the time in {town}.", (("current_time", {"place": town}),), (failed,))
    second, parts = time_step(world, city)
    if town in mixed.WIDE_COUNTRIES:
        second = Step(f"{town} has several time zones. I take {city}.", second.calls, second.results)
        said = f"{town} has several time zones. In {city} it is {parts['clock']} ({parts['day']}, {parts['date']})."
    else:
        second = Step(f"{town} is not known. {city} has the same time.", second.calls, second.results)
        said = f"It is {parts['clock']} in {town} ({parts['day']}, {parts['date']}), the same time as in {city}."
    return Episode("mended", question.format(place=town), (first, second), _clock_thinking(parts, city), said, (parts["clock"],))
