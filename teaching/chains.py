"""Episodes in two steps: the second call needs what the first one found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from teaching.tasks import (
    Episode,
    Step,
    UnfitError,
    World,
    amount,
    calculate_step,
    convert_step,
    done,
    named,
    singular,
    slots,
    spoken,
    time_step,
    units,
)


def convert_then_calculate(world: World, block: str) -> Episode:
    rng = world.rng
    dimension, source, target = units(rng, rng.choice(("length", "mass", "volume", "length", "time", "area")))
    value, written = amount(rng, dimension)
    question, expr, answer = world.line(block)
    values = slots(rng)
    asked = question.format(v=written, f=source, t=target, s=singular(target), **spoken(rng, values))
    return converted_then(world, asked, (value, source, target), expr, answer, values)


def converted_then(
    world: World, asked: str, conversion: tuple[float | int, str, str], expr: str, answer: str, values: Mapping[str, str],
) -> Episode:
    """A conversion (value, unit, wanted unit), then a calculation with its result, which `expr` has as {r1}."""
    value, source, target = conversion
    first, converted = convert_step(world, value, source, target)
    expr = expr.format(r1=converted.split(" ")[0], **values)
    result = world.result("calculator", {"expression": expr})
    first = Step(f"First {first.thinking.removesuffix('.')}, then I calculate.", first.calls, first.results)
    second = calculate_step(expr, result, f"That is {converted}. Now ")
    said = answer.format(r=result, t=target, f=source, s=singular(target), **values)
    return Episode("convert_calculate", asked, (first, second), done(result), said, (result,))


def calculate_then_convert(world: World, block: str, fixed_block: str) -> Episode:
    rng = world.rng
    values = slots(rng)
    if rng.random() < 0.4:
        question, expr, source, target, answer, *rule = world.line(fixed_block)
    else:
        _, source, target = units(rng, rng.choice(("length", "mass", "volume", "length", "time", "area")))
        question, expr, answer, *rule = world.line(block)
    asked = question.format(f=source, t=target, **spoken(rng, values))
    known = named(question, expr, rule[0], values) if rule else ""
    return then_convert(world, asked, expr.format(**values), (source, target), known, answer.format_map({
        "r": "{r}", "t": target, "f": source, **values,
    }))


def then_convert(world: World, asked: str, expr: str, between_units: tuple[str, str], rule: str, answer: str) -> Episode:
    """A calculation in one unit, then the conversion of its result to another. `answer` has a slot {r} for what that says."""
    source, target = between_units
    between = world.result("calculator", {"expression": expr})
    if "." in between and len(between) > 13:
        raise UnfitError
    first = calculate_step(expr, between, "First: " if rule else "First ", rule)
    first = Step(f"{first.thinking.removesuffix('.')}, then I convert {source} to {target}.", first.calls, first.results)
    second, result = convert_step(world, float(between) if "." in between else int(between), source, target)
    second = Step(f"That is {between}. Now {second.thinking}", second.calls, second.results)
    said = answer.format(r=result)
    return Episode("calculate_convert", asked, (first, second), done(result), said, (result.split(" ")[0],))


def age(world: World, block: str, places: Sequence[str]) -> Episode:
    """The year from the clock, then a subtraction."""
    rng = world.rng
    place, values = rng.choice(places), slots(rng)
    question, answer = world.line(block)
    first, parts = time_step(world, place)
    expr = f"{parts['year']} - {values['year']}"
    result = world.result("calculator", {"expression": expr})
    first = Step(f"First {first.thinking.removesuffix('.')}, then I calculate.", first.calls, first.results)
    second = calculate_step(expr, result, f"The year is {parts['year']}. Now ")
    said = answer.format(r=result, y=parts["year"], place=place, **values)
    asked = question.format(place=place, **values)
    return Episode("time_calculate", asked, (first, second), done(result), said, (result,))


def difference(world: World, block: str, places: Sequence[str]) -> Episode:
    """Two clocks, then the difference of their offsets from UTC."""
    one, other = world.rng.sample(places, 2)
    clocks = [time_step(world, place) for place in (one, other)]
    hours = [_offset(parts["offset"]) for _, parts in clocks]
    expr = f"{hours[0]} - {hours[1]}" if not hours[1].startswith("-") else f"{hours[0]} - ({hours[1]})"
    result = world.result("calculator", {"expression": expr})
    calls = tuple(call for step, _ in clocks for call in step.calls)
    thinking = f"First I look up the time in {one} and in {other}, then I calculate."
    first = Step(thinking, calls, tuple(text for step, _ in clocks for text in step.results))
    found = f"{one} is at {clocks[0][1]['offset']} and {other} at {clocks[1][1]['offset']}. Now "
    second = calculate_step(expr, result, found)
    shown = result.removeprefix("-")
    said = f"{one} is {shown} hours {'behind' if result.startswith('-') else 'ahead of'} {other}."
    if result == "0":
        said = f"{one} and {other} have the same time: the difference is 0 hours."
    question = world.line(block)[0].format(p1=one, p2=other)
    return Episode("difference", question, (first, second), done(result), said, (shown,))


def _offset(text: str) -> str:
    """UTC-03:30 as -3.5."""
    hours, minutes = text.removeprefix("UTC").split(":")
    value = (int(hours[1:]) + int(minutes) / 60) * (-1 if hours[0] == "-" else 1)
    return f"{value:g}"


def compared(world: World, block: str) -> Episode:
    """One amount in the unit of another, then which of them is more."""
    rng = world.rng
    dimension, one, other = units(rng, rng.choice(("length", "mass", "volume", "speed", "area", "time")))
    value, written = amount(rng, dimension)
    step, result = convert_step(world, value, one, other)
    converted = float(result.split(" ")[0])
    rival = round(converted * rng.choice((0.4, 0.7, 0.8, 1.2, 1.5, 2.5)))
    if rival < 2 or rival == converted:
        raise UnfitError
    more = f"{value} {one} is more" if converted > rival else f"{rival} {other} is more"
    question = world.line(block)[0].format(v1=written, u1=one, v2=rival, u2=other)
    said = f"{value} {one} is {result}, so {more}."
    return Episode("compared", question, (step,), f"{result} against {rival} {other}: {more}.", said, (result.split(" ")[0],))
