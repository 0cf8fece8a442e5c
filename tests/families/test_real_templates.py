"""Families against the real tokenizers and chat templates: what is rendered, and what is read back from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

import families
from backends.prompts import control_tokens, encode, render
from families.reading import ChannelReader
from tests.families import checks

PROMPT_218 = json.loads((Path(__file__).parents[1] / "data" / "qwen2_5_prompt_218.json").read_text("utf-8"))
TOOL = {
    "type": "function",
    "function": {"name": "note", "description": "Keep a note.", "parameters": {"type": "object", "properties": {}}},
}
QUESTION = {"role": "user", "content": "Please note it."}


@pytest.fixture(scope="module")
def load(real_tokenizer: Callable[[str], Path]) -> Callable[[str], Any]:
    return cache(lambda key: AutoTokenizer.from_pretrained(real_tokenizer(key), local_files_only=True))


def test_qwen2_5_prompt_has_exactly_the_218_ids(load: Callable[[str], Any]) -> None:
    tokenizer, family = load("qwen2_5"), families.named("qwen2_5")
    prompt = render(tokenizer, family, PROMPT_218["messages"], PROMPT_218["tools"], thinking=True)
    assert len(PROMPT_218["prompt_ids"]) == 218
    assert list(encode(tokenizer, control_tokens(tokenizer, family), prompt).ids) == PROMPT_218["prompt_ids"]


@pytest.mark.parametrize("key", ["qwen2_5", "qwen3"])
def test_the_tables_name_every_control_token_of_the_vocabulary(key: str, load: Callable[[str], Any]) -> None:
    family, added = families.named(key), load(key).get_added_vocab()
    assert families.for_checkpoint({"model_type": "qwen2" if key == "qwen2_5" else "qwen3"}, added) is family
    assert [token for token in added if family.purpose_of(token) is None] == []
    assert {token for group in family.token_groups for token in group.tokens} == set(added)


@pytest.mark.parametrize("thinking", [True, False])
def test_a_turn_of_qwen3_begins_outside_the_thinking(thinking: bool, load: Callable[[str], Any]) -> None:
    """The model opens it itself, or the template has closed an empty one."""
    prompt = render(load("qwen3"), families.named("qwen3"), [QUESTION], [], thinking)
    assert prompt.endswith("</think>\n\n") is not thinking
    assert families.named("qwen3").opening_channel(prompt) == "content"


@pytest.mark.parametrize("key", ["qwen2_5", "qwen3"])
def test_user_turns_and_tools_stand_in_the_prompt_as_the_tables_say(key: str, load: Callable[[str], Any]) -> None:
    family = families.named(key)
    result = {"role": "tool", "name": "note", "content": "kept"}
    call = {"id": "1", "type": "function", "function": {"name": "note", "arguments": {}}}
    messages = [QUESTION, {"role": "assistant", "content": "I keep it.", "tool_calls": [call]}, result]
    prompt = render(load(key), family, messages, [TOOL], thinking=True)
    assert family.user_turn_start + QUESTION["content"] in prompt
    assert "# Tools" in prompt
    assert "<tools>\n" in prompt
    assert "<tool_response>\nkept\n</tool_response>" in prompt
    assert ("I keep it." in prompt) is family.keeps_text_before_call


words = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>`")).map(str.strip)
calls = st.lists(checks.arguments, max_size=3)


@given(thinking=words, content=words, written=calls)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_what_qwen3_renders_as_history_is_read_back(
    load: Callable[[str], Any], thinking: str, content: str, written: list[dict[str, Any]]
) -> None:
    tokenizer, family = load("qwen3"), families.named("qwen3")
    tool_calls = [
        {"id": str(n), "type": "function", "function": {"name": "note", "arguments": one}} for n, one in enumerate(written)
    ]
    answer = {"role": "assistant", "content": content, "reasoning_content": thinking, "tool_calls": tool_calls}
    prompt = render(tokenizer, family, [QUESTION], [TOOL], thinking=True)
    whole = render(tokenizer, family, [QUESTION, answer], [TOOL], thinking=True, generation_prompt=False)
    assert whole.startswith(prompt)
    turn = family.parse(whole[len(prompt) :], [TOOL], prompt)
    assert (turn.thinking or "", turn.content) == (thinking, content)
    assert [call.arguments for call in turn.calls] == written
    assert all(call.error is None and call.repaired is None for call in turn.calls)


def test_channels_of_real_tokens(load: Callable[[str], Any]) -> None:
    tokenizer, family = load("qwen3"), families.named("qwen3")
    call = '{"name": "note", "arguments": {"text": "臺北😀"}}'
    raw = f"<think>\nNote.\n</think>\n\nDone.\n<tool_call>\n{call}\n</tool_call><|im_end|>"
    reader = ChannelReader(family, "<|im_start|>assistant\n")
    ids = tokenizer(raw, add_special_tokens=False)["input_ids"]
    shown = [(reader.feed(tokenizer.decode([token])), tokenizer.decode([token])) for token in ids]
    assert [text for channel, text in shown if channel == "control"] == [
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<|im_end|>",
    ]
    assert "".join(text for channel, text in shown if channel == "thought") == "\nNote.\n"
    assert "".join(text for channel, text in shown if channel == "content").strip() == "Done."
