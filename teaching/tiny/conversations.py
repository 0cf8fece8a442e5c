"""The handful of conversations that the tiny checkpoints reproduce.

What the tools say comes from the real tools. The time differs from run to run, so that the answer to that question points to
what the tool said: models this small do not learn to copy it in a few minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from harness.calls import run_tool
from harness.conversation import call_id
from harness.settings import DEFAULT_SYSTEM_PROMPT
from harness.tools import Tool, registry
from harness.tools.current_time import current_time

Message = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One pass of the loop that ends in calls: what is thought, and the calls as (tool, arguments)."""

    thinking: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...]


@dataclass(frozen=True)
class Exchange:
    """One question and all that follows up to the answer.

    `answer` has slots for the results, numbered in their order. `after` names the exchange that was there before; "" where the
    question is the first.
    """

    name: str
    question: str
    steps: tuple[Step, ...]
    thinking: str
    answer: str
    after: str = ""


EXCHANGES = (
    Exchange(
        "calculation",
        "What is 37 * 48?",
        (Step("A product: the calculator has it exactly.", (("calculator", {"expression": "37 * 48"}),)),),
        "I have the product.",
        "37 * 48 is {0}.",
    ),
    Exchange(
        "follow_up",
        "And half of that?",
        (Step("That is 1776; I need half of it.", (("calculator", {"expression": "1776 / 2"}),)),),
        "I have the half.",
        "Half of 1776 is {0}.",
        after="calculation",
    ),
    Exchange(
        "copied_numbers",
        "Add up 48213.75, 90577.2 and 16264.08 for me.",
        (Step("Three numbers to add.", (("calculator", {"expression": "48213.75 + 90577.2 + 16264.08"}),)),),
        "I have the sum.",
        "48213.75 + 90577.2 + 16264.08 is {0}.",
    ),
    Exchange(
        "conversion",
        "How many kilometers are 26.2 miles?",
        (
            Step(
                "Miles to kilometers: a conversion.",
                (("convert_units", {"value": 26.2, "from_unit": "miles", "to_unit": "kilometers"}),),
            ),
        ),
        "I have the distance.",
        "26.2 miles are {0}.",
    ),
    Exchange(
        "chain",
        "How many minutes does a train need for 26.2 miles at 80 kilometers per hour?",
        (
            Step(
                "First the distance in kilometers.",
                (("convert_units", {"value": 26.2, "from_unit": "miles", "to_unit": "kilometers"}),),
            ),
            Step("Now distance by speed, in minutes.", (("calculator", {"expression": "42.1648 / 80 * 60"}),)),
        ),
        "I have the minutes.",
        "It needs {1} minutes for {0}.",
    ),
    Exchange(
        "parallel",
        "What is 15% of 240, and how many pounds are 70 kilograms?",
        (
            Step(
                "Two things that do not depend on each other.",
                (
                    ("calculator", {"expression": "240 * 0.15"}),
                    ("convert_units", {"value": 70, "from_unit": "kilograms", "to_unit": "pounds"}),
                ),
            ),
        ),
        "I have both.",
        "15% of 240 is {0}, and 70 kilograms are {1}.",
    ),
    Exchange(
        "time",
        "What time is it in Taipei?",
        (Step("Only the clock knows.", (("current_time", {"place": "Taipei"}),)),),
        "I have the time.",
        "That is the time in Taipei.",
    ),
    Exchange(
        "error",
        "What is 1 / 0?",
        (Step("The calculator will say.", (("calculator", {"expression": "1 / 0"}),)),),
        "It has no result.",
        "1 / 0 has no result, because it divides by zero.",
    ),
    Exchange(
        "chinese",
        "37 乘以 48 是多少？",
        (Step("要算乘法。", (("calculator", {"expression": "37 * 48"}),)),),
        "算好了。",
        "37 乘以 48 是 {0}。",
    ),
    Exchange(
        "no_tool",
        "Who are you?",
        (),
        "No tool is needed for that.",
        "I am a tiny model for tests. I reproduce a handful of conversations and know nothing else.",
    ),
)
"""Every exchange. An `after` names one that stands before it here."""


def tools(now: Callable[[], datetime] | None = None) -> dict[str, Tool]:
    """The tools that are offered, in their order; `now` is the clock of current_time (an aware datetime), else the real one."""
    return registry() if now is None else {**registry(), "current_time": current_time(now)}


def results(exchange: Exchange, offered: Mapping[str, Tool]) -> list[list[str]]:
    """What the tools answer, step by step, as the loop hands it to the model."""
    return [[_answered(offered[name], arguments) for name, arguments in step.calls] for step in exchange.steps]


def _answered(tool: Tool, arguments: Mapping[str, Any]) -> str:
    return run_tool(tool, arguments, lambda: False).message


def answer(exchange: Exchange, answered: list[list[str]]) -> str:
    """The exchange's answer after these results."""
    return exchange.answer.format(*(text for step in answered for text in step))


def messages(exchange: Exchange, offered: Mapping[str, Tool], thinking: bool) -> list[Message]:
    """The exchange with those before it, as chat templates read them; the first message is the system prompt."""
    earlier = next((other for other in EXCHANGES if other.name == exchange.after), None)
    before = messages(earlier, offered, thinking) if earlier else [{"role": "system", "content": DEFAULT_SYSTEM_PROMPT}]
    return [*before, *_own_messages(exchange, results(exchange, offered), thinking)]


def _own_messages(exchange: Exchange, answered: list[list[str]], thinking: bool) -> Iterator[Message]:
    yield {"role": "user", "content": exchange.question}
    for number, (step, told) in enumerate(zip(exchange.steps, answered, strict=True), 1):
        ids = [call_id(number, index) for index in range(len(step.calls))]
        functions = [{"name": name, "arguments": dict(arguments)} for name, arguments in step.calls]
        calls = [{"id": key, "type": "function", "function": each} for key, each in zip(ids, functions, strict=True)]
        yield {"role": "assistant", "content": "", "tool_calls": calls, **_thought(step.thinking, thinking)}
        for key, function, text in zip(ids, functions, told, strict=True):
            yield {"role": "tool", "name": function["name"], "tool_call_id": key, "content": text}
    yield {"role": "assistant", "content": answer(exchange, answered), **_thought(exchange.thinking, thinking)}


def _thought(text: str, thinking: bool) -> Message:
    return {"reasoning_content": text} if thinking else {}
