"""What becomes of a tool call: told off, refused, or run; always an answer in words for the model."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from harness.handover import Handover, LeftAlone
from harness.records import clean
from harness.tools import Tool, ToolError, validate

TOOL_LIMIT_S = 20.0
LONGEST_RESULT = 4000  # Characters of a result that the model gets to read.
ALLOWED_CALLS = 2  # The same call: the first runs, the second is told off, the third ends the run.

Why = Literal["unknown_tool", "repeated_call"]


@dataclass(frozen=True)
class Outcome:
    """What a tool answered: `text` is the result, or the error where `failed`. `ms` is how long it took, or how long it was
    waited for where it was left; None where it did not run."""

    text: str
    failed: bool
    ms: float | None = None
    truncated: bool = False

    @property
    def message(self) -> str:
        """What the model reads."""
        return f"error: {self.text}" if self.failed else self.text


def _whole_numbers(value: Any) -> Any:
    """5.0 as 5, so that a call cannot pass for a new one by writing its numbers differently."""
    if isinstance(value, dict):
        return {key: _whole_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Repeats:
    """Counts the calls of a run by name and arguments."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def count(self, name: str, arguments: Mapping[str, Any]) -> int:
        """How often this call has been made now, this time included."""
        key = (name, json.dumps(_whole_numbers(dict(arguments)), sort_keys=True))
        self._seen[key] += 1
        return self._seen[key]


def unknown_tool(name: str, tools: Mapping[str, Tool]) -> str:
    known = f"the tools are: {', '.join(tools)}" if tools else "there are no tools; answer directly"
    return f"error: unknown tool '{name[:60]}'; {known}"


def repeated_call(name: str) -> str:
    return f"error: you have already called {name} with these arguments; use the answer you got, or call it differently"


def run_tool(tool: Tool, arguments: Mapping[str, Any], give_up: Callable[[], bool], limit_s: float = TOOL_LIMIT_S) -> Outcome:
    """Runs the tool beside the run and waits for it. Raises LeftAlone where `give_up` said yes first."""
    began = time.monotonic()

    def late() -> bool:
        return time.monotonic() - began > limit_s

    try:
        return next(Handover(lambda: [_attempt(tool, arguments)]).take(lambda: give_up() or late(), grace_s=0.0))
    except LeftAlone:
        if give_up():
            raise
        return Outcome(f"{tool.name} took longer than {limit_s:g} s and was left", True, ms_since(began))


def _attempt(tool: Tool, arguments: Mapping[str, Any]) -> Outcome:
    """Whatever a tool raises is data, even an exit: a tool's mistake must not end the run."""
    began = time.monotonic()
    try:
        return _outcome(str(tool.function(**arguments)), False, ms_since(began))
    except ToolError as error:
        return _outcome(str(error), True, ms_since(began))
    except BaseException as error:
        return _outcome(f"{type(error).__name__}: {error}", True, ms_since(began))


def ms_since(began: float) -> float:
    """Milliseconds since `began`, a time of `time.monotonic()`."""
    return round((time.monotonic() - began) * 1000, 3)


def refuse(tool: Tool, arguments: Mapping[str, Any]) -> Outcome | None:
    """The answer to arguments that do not fit the tool's schema; None where they fit."""
    wrong = validate(tool, arguments)
    return None if wrong is None else Outcome(wrong, failed=True)


def _outcome(text: str, failed: bool, ms: float) -> Outcome:
    """The outcome, cut to what the model gets to read."""
    text = clean(text)
    more = len(text) - LONGEST_RESULT
    shown = text if more <= 0 else f"{text[:LONGEST_RESULT]}\n[cut here: {more} more characters]"
    return Outcome(shown, failed, ms, truncated=more > 0)
