"""What the tests of the loop share: turns as the Hermes format writes them, and runs of a scripted model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from backends.base import BackendEvent, Encoded, Sampling
from backends.scripted import ScriptedBackend, ScriptedTurn
from families.hermes import QWEN3
from harness.replay import conversation_of
from harness.run import Run
from harness.settings import Settings
from harness.tools import registry

QUESTION = "What is 37 * 48?"


def call(name: str, **arguments: Any) -> str:
    """A tool call as the model writes it."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"


def calculate(expression: str) -> str:
    return call("calculator", expression=expression)


class SlowPrefill(ScriptedBackend):
    """Reads its prompt until `may_go_on` is set, and asks nobody whether to stop, as a real model does."""

    def __init__(self, *turns: str) -> None:
        super().__init__(turns, QWEN3)
        self.reads = threading.Event()
        self.may_go_on = threading.Event()

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        self.reads.set()
        self.may_go_on.wait()
        yield from super().generate(encoded, sampling, should_stop)


def backend(turns: Iterable[ScriptedTurn], **options: Any) -> ScriptedBackend:
    return ScriptedBackend(turns, QWEN3, **options)


def finished(turns: Iterable[ScriptedTurn], settings: Settings | None = None, **options: Any) -> Run:
    """A run of the scripted turns, over; its log must tell the conversation that it left, and what of it the harness said."""
    run = Run(backend(turns), QUESTION, settings or Settings(), **options)
    run.execute()
    tools = options.get("tools") or registry()
    schemas = [tools[name].schema for name in run.log.events[0]["tools"]]
    told = options["memory"].by_harness if "memory" in options else frozenset()
    read_back = conversation_of(run.log.events, QWEN3, schemas, options.get("history", ()), told)
    assert read_back() == run.messages
    assert read_back.by_harness == run.memory.by_harness
    return run


def sampling(**values: Any) -> Settings:
    return Settings(sampling=Sampling(**values))


def of_kind(run: Run, kind: str) -> list[dict[str, Any]]:
    return [event for event in run.log.events if event["kind"] == kind]


def end(run: Run) -> Mapping[str, Any]:
    """The run_end event, which must be the last and the only one."""
    assert [event["kind"] for event in run.log.events].index("run_end") == len(run.log.events) - 1
    return run.log.events[-1]


def tool_messages(run: Run) -> Sequence[str]:
    return [message["content"] for message in run.messages if message["role"] == "tool"]
