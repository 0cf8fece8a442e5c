"""A run ends at once, whatever it is doing, and always with run_end. Nothing here measures time: a run that did not stop
would wait for an event that never comes, and the test would not end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.base import BackendEvent, Encoded, Sampling, Token
from backends.scripted import Pause, ScriptedBackend
from families.hermes import QWEN3
from harness import calls
from harness.line import line_for
from harness.replay import conversation_of
from harness.run import Run
from harness.run_file import read_run
from harness.settings import Settings
from harness.tools import Tool, registry
from tests.harness.scripts import QUESTION, SlowPrefill, backend, calculate, call, end, of_kind, tool_messages

ROOT = Path(__file__).resolve().parents[2]
LONG_S = 30.0


def waiting_tool(started: threading.Event, release: threading.Event) -> dict[str, Tool]:
    def wait() -> str:
        started.set()
        release.wait()
        return "late"

    return {"wait": Tool("wait", "Waits.", {"type": "object", "properties": {}}, wait)}


def wait_for(run: Run, kind: str, count: int = 1) -> None:
    while len(of_kind(run, kind)) < count:
        assert run.log.wait(len(run.log.events) - 1, LONG_S), f"no {kind} came"


def over(run: Run) -> str:
    assert run.join(LONG_S)
    reason = end(run)["stop_reason"]
    assert isinstance(reason, str)
    return reason


def test_between_tokens() -> None:
    run = Run(backend([["One", " two", threading.Event(), " three"]]), QUESTION, Settings())
    run.start()
    wait_for(run, "token", 2)
    run.stop()
    assert over(run) == "user_stopped"
    assert of_kind(run, "model_end")[0]["finish"] == "user_stopped"
    assert of_kind(run, "parsed")[0]["content"].startswith("One two")
    assert run.messages[-1]["role"] == "assistant"


def test_while_the_prompt_is_read() -> None:
    model = SlowPrefill("Never heard.")
    run = Run(model, QUESTION, Settings())
    run.start()
    assert model.reads.wait(LONG_S)
    run.stop()
    assert over(run) == "user_stopped"
    (end_of_turn,) = of_kind(run, "model_end")
    assert (end_of_turn["n_tokens"], end_of_turn["decode_ms"], end_of_turn["tok_per_s"]) == (0, 0.0, None)
    model.may_go_on.set()


def test_a_run_waits_until_the_generation_that_was_left_is_over() -> None:
    model = SlowPrefill("Left.", "Second.")
    first, second = Run(model, QUESTION, Settings()), Run(model, QUESTION, Settings())
    first.start()
    assert model.reads.wait(LONG_S)
    first.stop()
    assert over(first) == "user_stopped"
    second.start()
    assert not second.log.wait(0, 0.1)  # Only run_start: the model is still busy.
    model.may_go_on.set()
    assert over(second) == "answer"
    assert end(second)["final"] == "Second."


class Unhurried(ScriptedBackend):
    """Writes three tokens, each `EACH_S` after the last, and then asks nobody whether to stop until `may_go_on` is set."""

    EACH_S = 0.05

    def __init__(self) -> None:
        super().__init__([["One", " two", " three", " never"]], QWEN3)
        self.may_go_on = threading.Event()
        self.wrote = threading.Event()
        self.spent_s = 0.0

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        began = time.monotonic()
        for event in super().generate(encoded, sampling, lambda: False):
            if isinstance(event, Token):
                time.sleep(self.EACH_S)
            yield event
            if isinstance(event, Token) and event.text == " three":
                self.spent_s = time.monotonic() - began
                self.wrote.set()
                self.may_go_on.wait()


def test_how_long_a_generation_wrote_that_a_stop_left_is_measured() -> None:
    model = Unhurried()
    run = Run(model, QUESTION, Settings())
    run.start()
    wait_for(run, "token", 3)
    assert model.wrote.wait(LONG_S)
    run.stop()
    assert over(run) == "user_stopped"
    model.may_go_on.set()
    (end_of_turn,) = of_kind(run, "model_end")
    assert 3 * 1000 * model.EACH_S <= end_of_turn["decode_ms"] <= 1000 * model.spent_s + 0.001, "the wait after it is no writing"
    assert end_of_turn["tok_per_s"] == pytest.approx(2000 / end_of_turn["decode_ms"], rel=1e-4)


def test_a_generation_without_a_thread_leaves_the_model_to_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    model = backend(["Second."])

    def no_thread(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    first, second = Run(model, QUESTION, Settings()), Run(model, QUESTION, Settings())
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            first.execute()
    assert "can't start new thread" in end(first)["error"]["en"]
    second.start()
    assert over(second) == "answer"


def test_in_a_tool() -> None:
    started, release = threading.Event(), threading.Event()
    run = Run(backend([call("wait")]), QUESTION, Settings(tools=("wait",)), tools=waiting_tool(started, release))
    run.start()
    assert started.wait(LONG_S)
    run.stop()
    assert over(run) == "user_stopped"
    (start,), (result,) = of_kind(run, "tool_start"), of_kind(run, "tool_result")
    assert result["error"] == "the run ended before the tool answered"
    assert 0 < result["ms"] <= 1000 * (result["t"] - start["t"]) + 0.2, "an event's time is rounded"
    release.set()


def test_while_waiting_for_the_model() -> None:
    gate = threading.Event()
    model = backend([["One", gate], "Second."])
    first, second = Run(model, QUESTION, Settings()), Run(model, QUESTION, Settings())
    first.start()
    wait_for(first, "token")
    second.start()
    wait_for(second, "run_start")
    second.stop()
    assert over(second) == "user_stopped"
    assert [event["kind"] for event in second.log.events] == ["run_start", "run_end"]
    assert end(second)["n_steps"] == 0
    gate.set()
    assert over(first) == "answer"


def test_before_it_starts() -> None:
    run = Run(backend(["Never."]), QUESTION, Settings())
    run.stop()
    run.execute()
    assert end(run)["stop_reason"] == "user_stopped"
    assert not of_kind(run, "context")


def test_after_its_end_it_changes_nothing() -> None:
    run = Run(backend(["Done."]), QUESTION, Settings())
    run.execute()
    run.stop()
    assert end(run)["stop_reason"] == "answer"


def test_runs_of_one_model_come_one_after_another_in_order() -> None:
    model = backend(["First."] + ["Next."] * 4)
    place = line_for(model).enter(lambda: False)
    assert place is not None
    runs = [Run(model, f"Question {number}", Settings()) for number in range(5)]
    for run in runs:
        run.start()
        wait_for(run, "run_start")
        while len(line_for(model)._waiting) < runs.index(run) + 2:
            threading.Event().wait(0.001)
    place.release()
    for run in runs:
        assert over(run) == "answer"
    asked = [messages[-1]["content"] for messages in (rendered.messages for rendered in model.rendered)]
    assert asked == [f"Question {number}" for number in range(5)]


def test_models_do_not_wait_for_each_other() -> None:
    gate = threading.Event()
    slow, quick = Run(backend([["One", gate]]), QUESTION, Settings()), Run(backend(["Done."]), QUESTION, Settings())
    slow.start()
    wait_for(slow, "token")
    quick.start()
    assert over(quick) == "answer"
    gate.set()
    assert over(slow) == "answer"


def test_the_time_limit_ends_a_turn() -> None:
    run = Run(backend([["One", Pause(LONG_S * 10), " two"]]), QUESTION, Settings(time_limit_s=0.3))
    run.start()
    assert over(run) == "timed_out"
    assert of_kind(run, "model_end")[0]["finish"] == "timed_out"


def test_the_time_limit_ends_a_tool() -> None:
    release = threading.Event()
    tools = waiting_tool(threading.Event(), release)
    run = Run(backend([call("wait")]), QUESTION, Settings(tools=("wait",), time_limit_s=0.3), tools=tools)
    run.start()
    assert over(run) == "timed_out"
    release.set()


def test_the_time_limit_does_not_count_the_wait_for_the_model() -> None:
    model = backend(["Done."])
    place = line_for(model).enter(lambda: False)
    assert place is not None
    run = Run(model, QUESTION, Settings(time_limit_s=5.0))
    run.start()
    wait_for(run, "run_start")
    assert run._deadline is None
    place.release()
    assert over(run) == "answer"


def test_a_tool_that_takes_too_long_is_left() -> None:
    release = threading.Event()
    (tool,) = waiting_tool(threading.Event(), release).values()
    outcome = calls.run_tool(tool, {}, lambda: False, limit_s=0.05)
    assert (outcome.failed, outcome.text) == (True, "wait took longer than 0.05 s and was left")
    release.set()


def test_ctrl_c_in_the_callers_thread_still_writes_run_end() -> None:
    class Interrupted(ScriptedBackend):
        def render(self, *_args: Any, **_options: Any) -> str:
            raise KeyboardInterrupt

    run = Run(Interrupted([], QWEN3), QUESTION, Settings())
    with pytest.raises(KeyboardInterrupt):
        run.execute()
    assert end(run)["stop_reason"] == "user_stopped"
    again = line_for(run._backend).enter(lambda: False)  # The place in the line is free again.
    assert again is not None


KILLED = """
import sys, threading
from pathlib import Path
from tests.harness.scripts import backend, calculate
from harness.run import Run
from harness.settings import Settings

words = [" word"] * 50
run = Run(backend([calculate("37 * 48"), [*words, threading.Event()]]), "What is 37 * 48?", Settings(), path=Path(sys.argv[1]))
run.start()
while len([event for event in run.log.events if event["kind"] == "token" and event["step"] == 2]) < 50:
    run.log.wait(len(run.log.events) - 1, 10.0)
print("ready", flush=True)
run.join()
"""


def test_a_killed_run_leaves_a_file_that_reads_up_to_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "killed.jsonl"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == "ready\n"
        process.kill()
    header, events = read_run(path)
    assert header["model"] == "scripted"
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert sum(event["kind"] == "token" and event["step"] == 2 for event in events) == 50
    assert [event["result"] for event in events if event["kind"] == "tool_result"] == ["1776"]
    assert events[-1]["kind"] == "token"
    with path.open("a", encoding="utf-8") as file:
        file.write('{"seq": 999, "kind": "tok')
    assert read_run(path)[1] == events


def test_the_answers_of_tools_reach_the_conversation_before_a_stop() -> None:
    started, release = threading.Event(), threading.Event()
    tools = registry() | waiting_tool(started, release)
    turn = calculate("1 + 1") + "\n" + call("wait")
    run = Run(backend([turn]), QUESTION, Settings(tools=("calculator", "wait")), tools=tools)
    run.start()
    assert started.wait(LONG_S)
    run.stop()
    assert over(run) == "user_stopped"
    assert tool_messages(run) == ["2", "error: the run ended before the tool answered"]
    release.set()


def test_after_a_stop_before_the_first_token_the_next_question_follows_a_turn_of_the_assistant() -> None:
    slow = SlowPrefill("never")
    first = Run(slow, QUESTION, Settings())
    first.start()
    slow.reads.wait()
    first.stop()
    slow.may_go_on.set()
    first.join(None)
    model = backend(["Yes."])
    second = Run(model, "Are you there?", Settings(system_prompt=""), history=first.messages, continues=first.run_id)
    second.execute()
    assert [message["role"] for message in model.rendered[0].messages] == ["user", "assistant", "user"]


TURNS: dict[str, str] = {
    "call": calculate("1 + 1"),
    "same call": calculate("1 + 1"),
    "failing call": calculate("1 / 0"),
    "no such tool": call("guess", a=1),
    "wrong arguments": call("calculator", number=1),
    "slow": call("wait"),
    "broken": '<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>',
    "text": "Let me see. ",
    "nothing": "",
}


class StoppingAt(ScriptedBackend):
    """Has `run` stopped while it writes its token `at`, counted over all turns."""

    run: Run
    at: int

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        for event in super().generate(encoded, sampling, should_stop):
            self.at -= 1
            if self.at == 0:
                self.run.stop()
            yield event


@settings(deadline=None, max_examples=80)
@given(st.lists(st.lists(st.sampled_from(list(TURNS)), max_size=3), min_size=1, max_size=5), st.integers(1, 200))
def test_wherever_a_run_ends_its_file_tells_the_conversation_that_it_left(kinds: list[list[str]], at: int) -> None:
    """The run is stopped in the middle of a turn, or in the tool that waits, if it comes to that."""
    release = threading.Event()

    def wait() -> str:
        run.stop()
        release.wait()
        return "late"

    tools = {**registry(), "wait": Tool("wait", "Waits.", {"type": "object", "properties": {}}, wait)}
    model = StoppingAt(["\n".join(TURNS[kind] for kind in each) for each in kinds], QWEN3)
    run = Run(model, QUESTION, Settings(tools=("calculator", "wait")), tools=tools)
    model.run, model.at = run, at
    run.execute()
    release.set()
    read_back = conversation_of(run.log.events, QWEN3, [tools[name].schema for name in ("calculator", "wait")])
    assert read_back() == run.messages
    assert read_back.by_harness == run.memory.by_harness
