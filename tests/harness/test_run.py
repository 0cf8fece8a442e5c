"""The loop from question to answer, and every other way in which it can end by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backends.base import BackendError, Sampling
from backends.scripted import ScriptedBackend
from families.hermes import QWEN3
from harness import calls
from harness.run import Run
from harness.run_file import read_run
from harness.settings import DEFAULT_SYSTEM_PROMPT, Settings
from harness.tools import Tool, ToolError
from tests.harness.scripts import QUESTION, backend, calculate, call, end, finished, of_kind, sampling, tool_messages

BROKEN = '<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>'


def tool(name: str, function: object) -> Tool:
    return Tool(name, "A tool for tests.", {"type": "object", "properties": {"x": {"type": "string"}}}, function)  # type: ignore[arg-type]


def test_an_answer_without_a_tool() -> None:
    run = finished(["Hello there."])
    assert end(run)["stop_reason"] == "answer"
    assert end(run)["final"] == "Hello there."
    assert [event["kind"] for event in run.log.events if event["kind"] != "token"] == [
        "run_start", "step_start", "context", "prefill", "model_end", "parsed", "run_end",
    ]


def test_a_call_then_an_answer() -> None:
    run = finished(["<think>\nI should calculate.\n</think>\n\n" + calculate("37 * 48"), "37 * 48 is 1776."])
    assert end(run)["final"] == "37 * 48 is 1776."
    assert end(run)["n_steps"] == 2
    (result,) = of_kind(run, "tool_result")
    assert (result["name"], result["result"], result["error"], result["truncated"]) == ("calculator", "1776", None, False)
    assert of_kind(run, "tool_start")[0]["arguments"] == {"expression": "37 * 48"}
    assert end(run)["n_tokens"] == len(of_kind(run, "token"))


def test_the_conversation_as_the_template_gets_it() -> None:
    model = backend(["<think>\nhm\n</think>\n\nLet me see. " + calculate("1 + 1"), "It is 2."])
    run = Run(model, QUESTION, Settings())
    run.execute()
    system, user, assistant, answer = model.rendered[1].messages
    assert system == {"role": "system", "content": DEFAULT_SYSTEM_PROMPT}
    assert user == {"role": "user", "content": QUESTION}
    assert assistant["content"] == "Let me see."
    assert assistant["reasoning_content"] == "hm"
    assert assistant["tool_calls"][0]["function"] == {"name": "calculator", "arguments": {"expression": "1 + 1"}}
    assert answer == {
        "role": "tool", "name": "calculator", "tool_call_id": assistant["tool_calls"][0]["id"], "content": "2",
    }
    assert [tool["function"]["name"] for tool in model.rendered[0].tools] == ["calculator", "convert_units", "current_time"]
    assert run.messages[-1] == {"role": "assistant", "content": "It is 2."}


def test_several_calls_in_a_turn_are_answered_in_order() -> None:
    three = [calculate("1 + 1"), call("convert_units", value=5, from_unit="miles", to_unit="km"), calculate("2 * 3")]
    run = finished(["\n".join(three), "Done."])
    assert tool_messages(run) == ["2", "8.04672 km", "6"]
    assert [event["call"] for event in of_kind(run, "tool_result")] == [0, 1, 2]
    ids = [message["tool_call_id"] for message in run.messages if message["role"] == "tool"]
    assert ids == [made["id"] for made in run.messages[1]["tool_calls"]]
    assert len(set(ids)) == 3


def test_an_error_of_a_tool_is_a_result() -> None:
    run = finished([calculate("1 / 0"), "That cannot be done."])
    (result,) = of_kind(run, "tool_result")
    assert (result["result"], result["error"]) == (None, "division by zero")
    assert tool_messages(run) == ["error: division by zero"]
    assert end(run)["stop_reason"] == "answer"


def test_arguments_that_do_not_fit_are_a_result_and_the_tool_does_not_run() -> None:
    run = finished([call("calculator", expr="1 + 1"), "Sorry."])
    assert tool_messages(run) == ["error: missing argument 'expression'; calculator takes: expression (string)"]
    assert not of_kind(run, "tool_start")
    assert of_kind(run, "tool_result")[0]["error"].startswith("missing argument")


@pytest.mark.parametrize("raised", [RuntimeError("no disk"), SystemExit("no disk"), KeyError("no disk")])
def test_whatever_a_tool_raises_is_a_result(raised: BaseException) -> None:
    def fail() -> str:
        raise raised

    run = finished([call("fail"), "It failed."], Settings(tools=("fail",)), tools={"fail": tool("fail", fail)})
    assert tool_messages(run)[0].startswith(f"error: {type(raised).__name__}: ")
    assert "no disk" in tool_messages(run)[0]
    assert end(run)["stop_reason"] == "answer"


def test_a_long_result_is_cut_and_says_so() -> None:
    long = tool("long", lambda: "x" * (calls.LONGEST_RESULT + 500))
    run = finished([call("long"), "Long."], Settings(tools=("long",)), tools={"long": long})
    (result,) = of_kind(run, "tool_result")
    assert result["truncated"] is True
    assert result["result"] == "x" * calls.LONGEST_RESULT + "\n[cut here: 500 more characters]"
    assert tool_messages(run) == [result["result"]]


def test_an_unknown_tool_is_answered_with_those_there_are() -> None:
    run = finished([call("google", q="37 * 48"), "I cannot search."])
    (feedback,) = of_kind(run, "feedback")
    assert (feedback["why"], feedback["call"], feedback["given_as"]) == ("unknown_tool", 0, "tool")
    assert feedback["text"] == "error: unknown tool 'google'; the tools are: calculator, convert_units, current_time"
    assert tool_messages(run) == [feedback["text"]]


def test_a_tool_that_is_not_offered_is_unknown() -> None:
    run = finished([call("current_time", place="Taipei"), "No."], Settings(tools=("calculator",)))
    assert tool_messages(run) == ["error: unknown tool 'current_time'; the tools are: calculator"]


def test_the_same_call_runs_once_is_told_off_once_and_then_ends_the_run() -> None:
    run = finished([calculate("1 + 1")] * 3)
    assert end(run)["stop_reason"] == "repeated_calls"
    assert end(run)["final"] is None
    assert len(of_kind(run, "tool_start")) == 1
    (feedback,) = of_kind(run, "feedback")
    assert feedback["why"] == "repeated_call"
    assert tool_messages(run)[:2] == ["2", feedback["text"]]


def test_a_call_is_the_same_whatever_its_order_and_its_zeros() -> None:
    first = '<tool_call>\n{"name": "convert_units", "arguments": {"value": 5, "from_unit": "m", "to_unit": "km"}}\n</tool_call>'
    again = '<tool_call>\n{"name": "convert_units", "arguments": {"to_unit": "km", "from_unit": "m", "value": 5.0}}\n</tool_call>'
    run = finished([first, again, "Done."])
    assert [event["why"] for event in of_kind(run, "feedback")] == ["repeated_call"]


def test_other_arguments_are_another_call() -> None:
    run = finished([calculate("1 + 1"), calculate("1 + 2"), calculate("1 + 3"), "Done."])
    assert tool_messages(run) == ["2", "3", "4"]
    assert not of_kind(run, "feedback")


def test_an_unknown_tool_again_and_again_ends_the_run() -> None:
    assert end(finished([call("google", q="x")] * 3))["stop_reason"] == "repeated_calls"


def test_a_broken_call_is_told_in_the_models_own_words() -> None:
    model = backend([BROKEN, calculate("37 * 48"), "1776."])
    run = Run(model, QUESTION, Settings())
    run.execute()
    (feedback,) = of_kind(run, "feedback")
    assert (feedback["why"], feedback["call"], feedback["given_as"]) == ("format_error", 0, "user")
    assert '"expression":' in feedback["text"]
    messages = model.rendered[1].messages
    assert messages[-1] == {"role": "user", "content": feedback["text"]}
    assert messages[-2]["role"] == "assistant"
    assert '"expression":' in messages[-2]["content"]
    assert "tool_calls" not in messages[-2]
    assert end(run)["final"] == "1776."


def test_format_errors_are_forgiven_twice() -> None:
    run = finished([BROKEN, BROKEN, "Never mind: 1776."])
    assert end(run)["stop_reason"] == "answer"
    run = finished([BROKEN, BROKEN, BROKEN, "Too late."])
    assert end(run)["stop_reason"] == "format_errors"
    assert len(of_kind(run, "feedback")) == 2


def test_a_broken_call_does_not_harm_a_whole_one() -> None:
    run = finished([calculate("1 + 1") + "\n" + BROKEN, "Two."])
    assert tool_messages(run) == ["2"]
    assert [message["role"] for message in run.messages] == ["user", "assistant", "tool", "user", "assistant"]
    parsed = of_kind(run, "parsed")[0]["tool_calls"]
    assert parsed[0]["error"] is None
    assert parsed[1]["error"]["kind"] in ("bad_arguments", "unterminated")
    assert parsed[1]["arguments"] is None


@pytest.mark.parametrize("turn", ["", "<think>\nonly thought\n</think>\n\n", "   \n"])
def test_a_turn_without_answer_or_call_is_a_format_error(turn: str) -> None:
    run = finished([turn, turn, turn])
    assert end(run)["stop_reason"] == "format_errors"
    assert [(event["why"], event["call"]) for event in of_kind(run, "feedback")] == [("format_error", None)] * 2


def test_the_steps_can_run_out() -> None:
    run = finished([calculate("1 + 1"), calculate("1 + 2"), "Never asked."], Settings(max_steps=2))
    assert end(run)["stop_reason"] == "max_steps"
    assert end(run)["n_steps"] == 2
    assert tool_messages(run) == ["2", "3"]


def test_a_turn_that_is_cut_ends_with_what_there_is() -> None:
    run = finished(["One two three four five six."], sampling(max_new_tokens=3))
    assert end(run)["stop_reason"] == "max_new_tokens"
    assert end(run)["final"] == "One two three"
    assert of_kind(run, "model_end")[0]["finish"] == "max_new_tokens"


def test_a_turn_that_is_cut_while_thinking_has_no_answer() -> None:
    run = finished(["<think>\nOne two three four five six.</think>"], sampling(max_new_tokens=5))
    assert (end(run)["stop_reason"], end(run)["final"]) == ("max_new_tokens", None)


def test_a_call_that_is_cut_never_runs() -> None:
    text = calculate("37 * 48")
    run = finished([text], sampling(max_new_tokens=8))
    assert end(run)["stop_reason"] == "max_new_tokens"
    assert of_kind(run, "parsed")[0]["tool_calls"][0]["error"]["kind"] == "unterminated"
    assert not of_kind(run, "tool_start")


def test_a_whole_call_before_the_cut_runs() -> None:
    whole = calculate("1 + 1")
    n_tokens = len(backend([]).encode(whole).ids)
    run = finished([whole + " and then more words", "Two."], sampling(max_new_tokens=n_tokens + 2))
    assert of_kind(run, "model_end")[0]["finish"] == "max_new_tokens"
    assert tool_messages(run) == ["2"]
    assert end(run)["stop_reason"] == "answer"


def test_a_prompt_that_leaves_no_room() -> None:
    run = Run(backend(["Never."], context_length=5), QUESTION, Settings())
    run.execute()
    assert (end(run)["stop_reason"], end(run)["final"], end(run)["error"]) == ("context_full", None, None)
    assert not of_kind(run, "prefill")
    assert of_kind(run, "model_end")[0]["raw"] == ""


def test_the_context_fills_while_the_model_writes() -> None:
    probe = finished(["x"])
    room = of_kind(probe, "context")[0]["n_tokens"] + 2
    run = Run(backend(["One two three four."], context_length=room), QUESTION, Settings())
    run.execute()
    assert (end(run)["stop_reason"], end(run)["final"]) == ("context_full", "One two")


@pytest.mark.parametrize(
    ("raised", "zh", "en"),
    [
        (BackendError("The server is gone.", "伺服器不見了。"), "伺服器不見了。", "The server is gone."),
        (MemoryError("no memory"), "模型執行時出錯：MemoryError: no memory", "The model failed: MemoryError: no memory"),
    ],
)
def test_an_error_of_the_backend_ends_the_run(raised: Exception, zh: str, en: str) -> None:
    run = finished([raised])
    assert (end(run)["stop_reason"], end(run)["error"]) == ("backend_error", {"zh": zh, "en": en})


def test_an_error_in_the_middle_of_a_turn() -> None:
    run = finished([["One", " two", BackendError("Gone.", "沒了。")]])
    assert end(run)["stop_reason"] == "backend_error"
    assert [event["text"] for event in of_kind(run, "token")] == ["One", " two"]
    assert not of_kind(run, "model_end")


def test_a_template_that_fails_is_an_error_of_the_backend() -> None:
    class Unrenderable(ScriptedBackend):
        def render(self, *_args: object, **_options: object) -> str:
            raise ValueError("the template is broken")

    run = Run(Unrenderable([], QWEN3), QUESTION, Settings())
    run.execute()
    assert end(run)["error"]["en"] == "The model failed: ValueError: the template is broken"


def test_the_settings_reach_the_backend() -> None:
    model = backend(["Hi."])
    drawn = Sampling(temperature=0.5, top_p=0.9, top_k=7, max_new_tokens=99, seed=3)
    settings = Settings(drawn, thinking=False, system_prompt="")
    Run(model, QUESTION, settings).execute()
    assert model.generated[0][1] == settings.sampling
    assert model.rendered[0].thinking is False
    assert model.rendered[0].messages[0]["role"] == "user"


def test_a_run_without_a_seed_draws_one_and_says_it() -> None:
    """So that it can be repeated; at temperature 0 nothing is drawn, and a seed that is given stays."""
    model = backend(["Hi.", "Hi."])
    used = []
    for _ in range(2):
        run = Run(model, QUESTION, Settings())
        run.execute()
        used.append(run.log.events[0]["settings"]["seed"])
        assert model.generated[-1][1].seed == used[-1]
    assert all(type(seed) is int and 0 <= seed < 10**6 for seed in used)
    assert len({Settings().seeded().sampling.seed for _ in range(20)}) > 15
    assert Settings(Sampling(temperature=0)).seeded().sampling.seed is None
    assert Settings(Sampling(seed=0)).seeded().sampling.seed == 0


def test_run_start_says_what_was_asked_of_whom() -> None:
    run = finished(["Hi."], Settings(Sampling(seed=11)), lang="zh", continues="earlier")
    start = run.log.events[0]
    assert start["kind"] == "run_start"
    assert start["run_id"] == run.run_id
    assert (start["model"], start["family"], start["question"], start["lang"]) == ("scripted", QWEN3.key, QUESTION, "zh")
    assert (start["commit"], start["path"]) == (None, None)
    assert start["continues"] == "earlier"
    assert start["tools"] == ["calculator", "convert_units", "current_time"]
    assert start["settings"] == {
        "temperature": 1.0, "top_p": 1.0, "top_k": 0, "max_new_tokens": 512, "seed": 11, "drafter": None,
        "max_steps": 8, "time_limit_s": 300.0, "thinking": True, "system_prompt": DEFAULT_SYSTEM_PROMPT,
    }
    assert start["control_tokens"]["<tool_call>"] == QWEN3.purpose_of("<tool_call>")._asdict()  # type: ignore[union-attr]
    assert set(start["stop_tokens"]) == set(QWEN3.stop_tokens)
    assert start["vocabulary"] == "byte_level"


def test_a_conversation_goes_on() -> None:
    first = finished([calculate("37 * 48"), "1776."])
    model = backend(["3552."])
    second = Run(model, "And twice that?", Settings(system_prompt="Be brief."), history=first.messages, continues=first.run_id)
    second.execute()
    roles = [message["role"] for message in model.rendered[0].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert model.rendered[0].messages[0]["content"] == "Be brief."
    assert of_kind(second, "context")[0]["roles"] == {"system": 1, "user": 2, "assistant": 2, "tool": 1}
    assert len(first.messages) == 4  # The second run does not write into the first one's conversation.


def test_calls_that_an_end_left_open_are_answered_so_that_the_conversation_can_go_on() -> None:
    run = finished([calculate("1 + 1"), calculate("1 + 1"), calculate("1 + 1") + "\n" + calculate("2 + 2")])
    assert end(run)["stop_reason"] == "repeated_calls"
    asked = [made["id"] for message in run.messages for made in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in run.messages if message["role"] == "tool"]
    assert sorted(asked) == sorted(answered)


def test_a_tool_that_there_is_none_of_is_a_bug() -> None:
    with pytest.raises(ValueError, match="no tool 'google'; there are: calculator"):
        Run(backend([]), QUESTION, Settings(tools=("google",)))


@pytest.mark.parametrize("wrong", [{"max_steps": 0}, {"time_limit_s": 0.0}, {"time_limit_s": -1.0}])
def test_settings_that_make_no_sense_are_a_bug(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Settings(**wrong)  # type: ignore[arg-type]


def test_a_bug_is_raised_after_run_end_was_written() -> None:
    def broken(*_args: object) -> None:
        raise ZeroDivisionError("a bug in a parser")

    run = Run(ScriptedBackend(["Hi."], replace(QWEN3, parse=broken)), QUESTION, Settings())  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        run.execute()
    assert end(run)["stop_reason"] == "backend_error"
    assert "a bug in a parser" in end(run)["error"]["en"]


def test_run_ids_sort_by_time_and_differ() -> None:
    ids = [Run(backend([]), QUESTION, Settings()).run_id for _ in range(50)]
    assert len(set(ids)) == 50
    times = [run_id.split("-")[0] for run_id in ids]
    assert times == sorted(times)


def test_the_run_file_holds_the_log(tmp_path: Path) -> None:
    run = finished([calculate("1 + 1"), "Two."], folder=tmp_path / "runs")
    assert run.log.path == tmp_path / "runs" / f"{run.run_id}.jsonl"
    header, events = read_run(run.log.path)
    assert events == run.log.events
    assert (header["loopglass"], header["run_id"], header["model"], header["family"]) == (1, run.run_id, "scripted", QWEN3.key)


def test_text_that_utf8_cannot_hold(tmp_path: Path) -> None:
    escaped = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "\\ud83d"}}\n</tool_call>'
    run = Run(backend([escaped, "Odd."]), "What is \ud83d?", Settings(), folder=tmp_path)
    run.execute()
    assert end(run)["stop_reason"] == "answer"
    assert read_run(tmp_path / f"{run.run_id}.jsonl")[1] == run.log.events
    assert run.question == "What is ??"


def test_numbers_that_json_lacks() -> None:
    turn = '<tool_call>\n{"name": "convert_units", "arguments": {"value": NaN, "from_unit": "m", "to_unit": "km"}}\n</tool_call>'
    run = finished([turn, "Odd."])
    assert end(run)["stop_reason"] == "answer"
    assert not of_kind(run, "tool_start")


def test_a_tool_error_class_is_for_the_model() -> None:
    def fail() -> str:
        raise ToolError("say it otherwise")

    run = finished([call("fail"), "It failed."], Settings(tools=("fail",)), tools={"fail": tool("fail", fail)})
    assert tool_messages(run) == ["error: say it otherwise"]
