"""What is known of a turn while it is written and after it was read: markers of several tokens, calls that form, token spans."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from backends.base import BackendEvent, Done, Encoded, Prefill, Sampling
from backends.scripted import Item, ScriptedBackend, ScriptedTurn
from families.hermes import QWEN3
from families.reading import ChannelReader
from harness.forming import FormingCalls
from harness.run import Run
from harness.settings import Settings
from harness.tools import Tool
from tests.harness.scripts import backend, calculate, call, finished, of_kind

CALL = [
    "<tool_call>", "\n", '{"name": "', "calc", "ulator", '", "arguments": ', '{"expression": "', "1 + ", "1", '"}', "}", "\n",
    "</tool_call>",
]
BROKEN = '<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>'


def written(run: Run, span: Sequence[int]) -> str:
    tokens = [event for event in of_kind(run, "token") if event["step"] == 1]
    return "".join(token["text"] for token in tokens[span[0] : span[1]])


def test_a_marker_of_several_tokens_says_how_many_when_it_ends() -> None:
    turn: list[Item] = ["Hm", ".", "<tool", "_ca", "ll>", "\n", '{"name": "f", "arguments": {}}', "\n", "</", "tool_call>"]
    run = Run(backend([turn, "Done."]), "Go.", Settings())
    run.execute()
    tokens = [event for event in of_kind(run, "token") if event["step"] == 1]
    assert {token["index"]: token["marker"] for token in tokens if "marker" in token} == {4: 3, 9: 2}
    assert [tokens[index]["channel"] for index in (4, 5, 6, 9)] == ["control", "tool_call", "tool_call", "control"]


def test_a_marker_within_one_token_reaches_back_to_none() -> None:
    reader = ChannelReader(QWEN3)
    reaches = []
    for text in ("a", "<tool_call>", "b</tool_", "call>", "c"):
        reader.feed(text)
        reaches.append(reader.reach)
    assert reaches == [0, 0, 0, len("</tool_"), 0]


def forming(turn: Any) -> list[dict[str, Any]]:
    run = Run(backend([turn, "Done."]), "Go.", Settings())
    run.execute()
    return [{key: event[key] for key in ("call", "name", "span_from", "args_from")} for event in of_kind(run, "call_forming")]


def test_a_call_is_known_as_soon_as_it_has_a_name_and_again_when_its_arguments_begin() -> None:
    known = forming(["Hm", ".", *CALL])
    assert known[-1] == {"call": 0, "name": "calculator", "span_from": 2, "args_from": 8}
    assert all(each["name"] == "calculator" and each["span_from"] == 2 for each in known)
    assert len(known) <= 2


def test_it_is_said_while_the_call_is_written() -> None:
    run = Run(backend([CALL, "Done."]), "Go.", Settings())
    run.execute()
    events = [event for event in run.log.events if event.get("step") == 1]
    begun = [place for place, event in enumerate(events) if event["kind"] == "call_forming" and event["args_from"] is not None]
    after = [event["text"] for event in events[begun[0] :] if event["kind"] == "token"]
    assert "</tool_call>" in after
    assert "1" in after


def test_calls_of_one_turn_are_counted() -> None:
    known = forming([*CALL, "\n", *CALL])
    assert [each["call"] for each in known if each["args_from"] is not None] == [0, 1]
    assert known[-1]["args_from"] == 8 - 2 + len(CALL) + 1


def test_a_long_call_is_not_read_at_every_token() -> None:
    looks = 0

    def parse(raw: str, tools: Sequence[Any], prefix: str) -> Any:
        nonlocal looks
        looks += len(raw)
        return QWEN3.parse(raw, tools, prefix)

    costs = []
    for n in (1000, 10_000):
        looks = 0
        calls = FormingCalls(replace(QWEN3, parse=parse), [], "")
        for _ in range(n):
            calls.feed("word ", "tool_call", "tool_call")
        costs.append(looks)
    assert costs[1] <= 13 * costs[0]


def test_thinking_content_and_arguments_know_their_tokens() -> None:
    turn = "<think>\nhm, well\n</think>\n\nSee here: " + call("convert_units", value=5, from_unit="km", to_unit="m")
    run = finished([turn, "Done."])
    parsed = of_kind(run, "parsed")[0]
    assert [written(run, span).strip() for span in parsed["thinking_spans"]] == ["hm, well"]
    assert [written(run, span).strip() for span in parsed["content_spans"]] == ["See here:"]
    (made,) = parsed["tool_calls"]
    assert '"value": 5' in written(run, made["args_span"])
    assert {name: written(run, span).strip() for name, span in made["value_spans"].items()} == {
        "value": "5", "from_unit": "km", "to_unit": "m",
    }


def test_a_broken_call_has_no_values() -> None:
    (made,) = of_kind(finished([BROKEN, "Done."]), "parsed")[0]["tool_calls"]
    assert made["value_spans"] == {}
    assert made["error"] is not None


def test_an_answer_without_calls_forms_none() -> None:
    assert of_kind(finished(["It is 2."]), "call_forming") == []
    assert of_kind(finished([calculate("1 + 1"), "2."]), "call_forming") != []


class Timed(ScriptedBackend):
    """Says that each turn was written in `decode_ms`, and its prompt read in 12.3456 ms, 3 of its tokens from the cache."""

    decode_ms = 250.0

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        for event in super().generate(encoded, sampling, should_stop):
            if isinstance(event, Prefill):
                yield Prefill(event.n_tokens, 3, 12.3456)
            elif isinstance(event, Done):
                yield Done(event.finish, event.stop_piece, event.n_tokens, self.decode_ms)
            else:
                yield event


def test_speed_is_what_was_written_over_the_time_that_writing_took() -> None:
    model = Timed([["One", " two", " three", " four"], "Never."], QWEN3)
    run = Run(model, "Count.", Settings())
    run.execute()
    (end,) = of_kind(run, "model_end")
    assert (end["n_tokens"], end["decode_ms"], end["tok_per_s"]) == (5, 250.0, 16.0), "four came after the first"
    (prefill,) = of_kind(run, "prefill")
    assert (prefill["ms"], prefill["n_reused"]) == (12.346, 3)
    assert prefill["n_tokens"] == model.generated[0][0].n_tokens


@pytest.mark.parametrize(("turn", "decode_ms"), [("One.", 0.0), ([], 250.0)])
def test_there_is_no_speed_where_no_time_passed_or_nothing_followed_the_first_token(turn: ScriptedTurn, decode_ms: float) -> None:
    model = Timed([turn, "One."], QWEN3)
    model.decode_ms = decode_ms
    run = Run(model, "Count.", Settings())
    run.execute()
    assert of_kind(run, "model_end")[0]["tok_per_s"] is None


def test_the_time_of_a_tool_is_the_tools_own_and_the_runs_time_holds_all_events() -> None:
    def wait() -> str:
        time.sleep(0.02)
        return "done"

    tools = {"wait": Tool("wait", "Waits.", {"type": "object", "properties": {}}, wait)}
    run = Run(backend([call("wait"), "Done."]), "Wait.", Settings(tools=("wait",)), tools=tools)
    run.execute()
    (start,), (result,) = of_kind(run, "tool_start"), of_kind(run, "tool_result")
    assert 20 <= result["ms"] <= 1000 * (result["t"] - start["t"]) + 0.2, "an event's time is rounded"
    times = [event["t"] for event in run.log.events]
    assert times == sorted(times)
    assert times[-2] <= run.log.events[-1]["seconds"] <= times[-1]


def test_a_call_that_was_refused_took_no_time_that_could_be_told() -> None:
    run = finished([call("calculator", number=1), "Done."])
    (result,) = of_kind(run, "tool_result")
    assert not of_kind(run, "tool_start")
    assert (result["ms"], result["result"]) == (None, None)
