"""The real chat templates of the families whose calls are tags: what they render as history is read back as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer
from transformers.utils.chat_template_utils import render_jinja_template

import families
from families.base import Family
from families.reading import ChannelReader
from tests.families import checks

TEMPLATES = Path(__file__).parents[1] / "data" / "templates"
FAMILIES = {
    "qwen3_5-nothink": "qwen3_5",
    "qwen3_5-think": "qwen3_5",
    "qwen3_6": "qwen3_5",
    "qwen3_8": "qwen3_5",
    "qwen3_coder": "qwen3_coder",
    "glm4_6": "glm4_5",
}
each_template = pytest.mark.parametrize("name", FAMILIES)
TOOL = {
    "type": "function",
    "function": {
        "name": "put",
        "description": "Puts it.",
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "whole": {"type": "integer"},
                "yes": {"type": "boolean"},
                "items": {"type": "array"},
            },
        },
    },
}
QUESTION = {"role": "user", "content": "Please put it."}


@cache
def template(name: str) -> str:
    return (TEMPLATES / f"{name}.jinja").read_text("utf-8")


def render(name: str, messages: list[dict[str, Any]], generation_prompt: bool, **switches: Any) -> str:
    (text,), _ = render_jinja_template(
        [messages], tools=[TOOL], chat_template=template(name), add_generation_prompt=generation_prompt, **switches
    )
    return str(text)


def family_of(name: str) -> Family:
    return families.named(FAMILIES[name])


@each_template
def test_a_template_leads_to_its_family(name: str) -> None:
    family = family_of(name)
    model_type = min(family.model_types)
    assert families.for_checkpoint({"model_type": model_type}, family.required_tokens, template(name)) is family


@each_template
@pytest.mark.parametrize("thinking", [True, False])
def test_how_the_prompt_ends(name: str, thinking: bool) -> None:
    """GLM-4.6 and Qwen3-Coder leave the thinking, if any, to the model; Qwen3.5 and later open it."""
    prompt = render(name, [QUESTION], True, enable_thinking=thinking)
    family = family_of(name)
    assert (family.opening_channel(prompt) == "thought") is (thinking and family.key == "qwen3_5")
    assert prompt.rstrip().endswith("</think>") is (not thinking and family.thinking_argument is not None)


@pytest.mark.parametrize(("name", "thinks"), [("qwen3_5-nothink", False), ("qwen3_5-think", True)])
def test_what_the_template_does_when_nothing_is_said(name: str, thinks: bool) -> None:
    """The thinking help says so: small models do not think unless told to, larger ones do."""
    assert (family_of(name).opening_channel(render(name, [QUESTION], True)) == "thought") is thinks


@each_template
def test_tools_results_and_user_turns_stand_in_the_prompt_as_the_tables_say(name: str) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "put", "arguments": {}}}
    answer = {"role": "assistant", "content": "I put it.", "tool_calls": [call]}
    prompt = render(name, [QUESTION, answer, {"role": "tool", "content": "kept"}], True)
    family = family_of(name)
    assert family.user_turn_start + QUESTION["content"] in prompt
    assert "# Tools" in prompt
    assert "<tools>\n" in prompt
    assert "<tool_response>\nkept\n</tool_response>" in prompt
    assert ("I put it." in prompt) is family.keeps_text_before_call


@each_template
def test_a_turn_ends_with_a_stop_token(name: str) -> None:
    answer = {"role": "assistant", "content": "It is put."}
    text = render(name, [QUESTION, answer, QUESTION], False)
    assert any(f"It is put.{stop}" in text for stop in family_of(name).stop_tokens)


words = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>`")).map(str.strip)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "text": checks.unicode,
        "whole": st.integers(),
        "yes": st.booleans(),
        "items": st.lists(checks.json_values(words, words, leaves=5), max_size=3),
    },
)


@each_template
@given(thinking=words, content=words, written=st.lists(arguments, max_size=3))
@settings(max_examples=40)
def test_what_is_rendered_as_history_is_read_back(name: str, thinking: str, content: str, written: list[dict[str, Any]]) -> None:
    family = family_of(name)
    calls = [{"type": "function", "function": {"name": "put", "arguments": each}} for each in written]
    answer: dict[str, Any] = {"role": "assistant", "content": content, "tool_calls": calls}
    if family.thinking_field:
        answer[family.thinking_field] = thinking
    else:
        thinking = ""
    start = render(name, [QUESTION], False)
    whole = render(name, [QUESTION, answer], False)
    assert whole.startswith(start)
    prefix = {"glm4_5": "<|assistant|>"}.get(family.key, "<|im_start|>assistant")
    raw = whole.removeprefix(start).removeprefix(prefix) + ("<|observation|>" if family.key == "glm4_5" else "")
    turn = family.parse(raw, [TOOL], start + prefix)
    assert (turn.thinking or "", turn.content) == (thinking, content)
    assert [call.arguments for call in turn.calls] == written
    assert all(call.error is None and call.repaired is None for call in turn.calls)


@pytest.fixture(scope="module")
def qwen3_5(real_tokenizer: Callable[[str], Path]) -> Any:
    return AutoTokenizer.from_pretrained(real_tokenizer("qwen3_5"), local_files_only=True)


def test_the_tables_name_every_control_token_of_the_vocabulary(qwen3_5: Any) -> None:
    family, added = families.named("qwen3_5"), qwen3_5.get_added_vocab()
    assert families.for_checkpoint({"model_type": "qwen3_5"}, added) is family
    assert {token for group in family.token_groups for token in group.tokens} == set(added)


def test_channels_of_real_tokens(qwen3_5: Any) -> None:
    """The tags inside a call are ordinary tokens, several each; they stand in the call."""
    call = "\n<function=put>\n<parameter=text>\n臺北😀\n</parameter>\n</function>\n"
    raw = f"Put it.\n</think>\n\nDone.\n\n<tool_call>{call}</tool_call><|im_end|>"
    reader = ChannelReader(families.named("qwen3_5"), render("qwen3_5-think", [QUESTION], True))
    tokens = [qwen3_5.decode([token]) for token in qwen3_5(raw, add_special_tokens=False)["input_ids"]]
    shown = [(reader.feed(token), token) for token in tokens]
    assert [text for channel, text in shown if channel == "control"] == ["</think>", "<tool_call>", "</tool_call>", "<|im_end|>"]
    assert "".join(text for channel, text in shown if channel == "thought") == "Put it.\n"
    called = "".join(text for channel, text in shown if channel == "tool_call")
    assert called.startswith("\n<function=put>\n<parameter=text>\n")
    assert called.endswith("\n</parameter>\n</function>\n")
