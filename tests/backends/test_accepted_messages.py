"""Messages as a family's chat template accepts them."""

from __future__ import annotations

from typing import Any

import families
from backends.prompts import accepted

GPT_OSS, QWEN3, KIMI_K2 = (families.named(key) for key in ("gpt_oss", "qwen3", "kimi_k2"))
USER = {"role": "user", "content": "How?"}


def call(id_: str, name: str = "add") -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": {"a": 1}}}


def answer(id_: str, text: str = "1") -> dict[str, Any]:
    return {"role": "tool", "name": "add", "tool_call_id": id_, "content": text}


def turn(*calls: dict[str, Any], text: str = "", **thinking: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **thinking, "tool_calls": list(calls)}


def test_messages_that_a_template_takes_stay_as_they_are() -> None:
    messages = [USER, turn(call("a"), call("b"), text="So.", reasoning_content="Two."), answer("a"), answer("b"), USER]
    assert accepted(QWEN3, messages) == messages


def test_each_call_stands_in_a_message_of_its_own_with_its_answer() -> None:
    messages = [USER, turn(call("a"), call("b"), thinking="Two."), answer("b", "B"), answer("a", "A"), USER]
    assert accepted(GPT_OSS, messages) == [
        USER,
        turn(call("a"), thinking="Two."),
        answer("a", "A"),
        turn(call("b")),
        answer("b", "B"),
        USER,
    ]


def test_calls_without_answers_are_kept() -> None:
    assert accepted(GPT_OSS, [turn(call("a"), call("b"))]) == [turn(call("a")), turn(call("b"))]


def test_text_beside_the_thinking_before_a_call_is_left_out_where_the_template_refuses_it() -> None:
    with_both = turn(call("a"), text="I look.", thinking="Look.")
    assert accepted(GPT_OSS, [with_both])[0]["content"] == ""
    assert with_both["content"] == "I look."
    assert accepted(GPT_OSS, [turn(call("a"), text="I look.")])[0]["content"] == "I look."
    answered = {"role": "assistant", "content": "Two.", "thinking": "So."}
    assert accepted(GPT_OSS, [answered]) == [answered]


def test_ids_that_the_template_writes_are_those_that_the_model_writes() -> None:
    messages = [turn(call("x", "now"), call("y")), answer("x"), answer("y"), turn(call("z")), answer("z")]
    taken = accepted(KIMI_K2, messages)
    ids = ["functions.now:0", "functions.add:1", "functions.add:2"]
    assert [each["id"] for message in taken for each in message.get("tool_calls", [])] == ids
    assert [message["tool_call_id"] for message in taken if message["role"] == "tool"] == ids
    assert messages[0]["tool_calls"][0]["id"] == "x"
