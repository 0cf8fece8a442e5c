"""Messages as a family's chat template accepts them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

import families
from backends.prompts import BROKEN_OFF, accepted, render
from families.base import Family
from harness.conversation import Conversation
from harness.marks import found_texts
from tests.families.test_template_matrix import MATRIX, TEMPLATES

GPT_OSS, QWEN3, KIMI_K2, LFM2, MISTRAL, FUNCTIONGEMMA = map(
    families.named, ("gpt_oss", "qwen3", "kimi_k2", "lfm2", "mistral", "functiongemma")
)
USER = {"role": "user", "content": "How?"}


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """One without any vocabulary: only its chat template is used."""
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), bos_token="<s>", eos_token="</s>")


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


# Templates that read of an earlier message nothing but its content.

CONTENT_ALONE = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}{% endfor %}"
DROPS_THINKING = CONTENT_ALONE.replace("['content']", "['content'].split('</think>')[-1]")
READS_FIELDS = CONTENT_ALONE.replace("{% endfor %}", "{{ message.tool_calls }}{{ message.thinking }}</think>{% endfor %}")
PLAIN_NAME = DROPS_THINKING + "{{ keep_past_thinking }}"
CALL_TEXT = "<|tool_call_start|>[add(a=1)]<|tool_call_end|>"


@pytest.mark.parametrize(
    ("template", "content"),
    [
        (CONTENT_ALONE, f"{CALL_TEXT}I add."),
        (DROPS_THINKING, f"<think>Hm.</think>{CALL_TEXT}I add."),
        (PLAIN_NAME, f"<think>Hm.</think>{CALL_TEXT}I add."),
        (READS_FIELDS, "I add."),
        ("", "I add."),
    ],
    ids=["content alone", "drops thinking itself", "a name that only holds the field's", "reads the fields", "not known"],
)
def test_what_a_template_reads_from_no_field_stands_in_the_content(template: str, content: str) -> None:
    whole = turn(call("a"), text="I add.", thinking="Hm.")
    (taken,) = accepted(LFM2, [whole], template)
    assert taken["content"] == content
    assert ("tool_calls" in taken) is (content == "I add.")
    assert whole == turn(call("a"), text="I add.", thinking="Hm.")


def test_other_messages_and_other_families_are_not_touched() -> None:
    plain = [USER, {"role": "assistant", "content": "Two."}, answer("a")]
    assert accepted(LFM2, plain, DROPS_THINKING) == plain
    thought = turn(call("a"), reasoning_content="Hm.")
    assert accepted(QWEN3, [thought], DROPS_THINKING) == [thought]


# Templates that look for markers in an answer.

ABOUT = {
    "<think>": "The tag `<think>` opens and `</think>` ends thinking.",
    "<|channel>": "Gemma thinks between `<|channel>` and `<channel|>`.",
    "<|channel|>": "```\n<|start|>assistant<|channel|>final<|message|>Hi\n```",
}
BROKEN_UP = {"deepseek": "<think>", "gemma4": "<|channel>", "gpt_oss": "<|channel|>"}
"""Templates (the beginnings of their names) that look for their markers in any case, and the marker of the text about them."""


@pytest.mark.parametrize("thinking", ["", "Hm."])
@pytest.mark.parametrize("about", ABOUT)
@pytest.mark.parametrize("name", MATRIX)
def test_an_answer_about_markers_stays_whole_in_the_prompt(name: str, about: str, thinking: str, tokenizer: Any) -> None:
    family, text = families.named(MATRIX[name][0]), ABOUT[about]
    tokenizer.chat_template = (TEMPLATES / f"{name}.jinja").read_text("utf-8")
    talk = Conversation([], "How?", family.thinking_field)
    talk.assistant(text, thinking)
    talk.user("And then?")
    prompt = render(tokenizer, family, talk(), [], thinking=True)
    broken_up = any(name.startswith(start) and marker == about for start, marker in BROKEN_UP.items())
    assert (text in prompt) is not broken_up
    found = found_texts(prompt, talk(), lambda marked: render(tokenizer, family, marked, [], thinking=True), family, ())
    answers = [prompt[one.start : one.end] for one in found if one.source[:2] == ((1, "assistant"), "content")]
    assert [answer.replace("< ", "<") for answer in answers] == [text]


def test_thinking_that_speaks_of_a_header_is_accepted_too() -> None:
    (taken,) = accepted(GPT_OSS, [{**said("So."), "thinking": ABOUT["<|channel|>"]}])
    assert taken["thinking"] == ABOUT["<|channel|>"].replace("<|channel|>", "< |channel|>")


def test_a_broken_call_stays_as_the_model_wrote_it() -> None:
    wrote = said("<|channel|>commentary to=functions.add <|constrain|>json<|message|>{")
    assert accepted(GPT_OSS, [wrote]) == [wrote]


def test_a_marker_in_an_answer_does_not_end_the_thinking_that_stands_before_it() -> None:
    (taken,) = accepted(LFM2, [{**said("`</think>` ends it."), "thinking": "Hm."}], DROPS_THINKING)
    assert taken["content"] == "<think>Hm.</think>`< /think>` ends it."


# Templates that want user and model to take turns.


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize("family", [MISTRAL, FUNCTIONGEMMA], ids=lambda family: family.key)
def test_a_user_who_goes_on_after_a_result_finds_the_answer_broken_off(family: Family) -> None:
    messages = [USER, turn(call("a")), answer("a"), USER]
    assert accepted(family, messages) == [*messages[:3], said(BROKEN_OFF), USER]


def test_messages_of_the_user_around_an_empty_turn_are_one() -> None:
    both = {"role": "user", "content": "How?\n\nGo on."}
    assert accepted(MISTRAL, [USER, said(""), {"role": "user", "content": "Go on."}]) == [both]


def test_an_empty_turn_with_thinking_stays_where_the_template_writes_thinking() -> None:
    thought = {**said(""), "reasoning_content": "Hm."}
    assert accepted(MISTRAL, [USER, thought, USER], "[/THINK]") == [USER, said("[THINK]Hm.[/THINK]"), USER]
    assert len(accepted(MISTRAL, [USER, thought, USER], CONTENT_ALONE)) == 1


@given(st.lists(st.sampled_from([USER, said(""), said("Two."), turn(call("a")), answer("a")])))
def test_user_and_model_always_take_turns(messages: list[dict[str, Any]]) -> None:
    taken = accepted(MISTRAL, messages)
    roles = [message["role"] for message in taken]
    assert not {("user", "user"), ("tool", "user")} & set(pairwise(roles))
    assert all(message["content"] or message.get("tool_calls") for message in taken)
    kept = [message["content"] for message in taken if message["content"] != BROKEN_OFF]
    assert "".join(kept).replace("\n\n", "") == "".join(message["content"] for message in messages)
