"""gpt-oss and DeepSeek against their real chat templates, gpt-oss with its own vocabulary: what is rendered, and read back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

import families
from backends.prompts import render
from families.reading import ChannelReader
from tests.families import checks

TEMPLATES = Path(__file__).parents[1] / "data" / "templates"
TOKENIZERS = {"gpt_oss": "gpt_oss", "deepseek_r1": "qwen2_5", "deepseek_v3_1": "qwen2_5"}
"""DeepSeek's vocabularies cannot be had; the text that its templates write needs none."""
FILES = {"gpt_oss": "gpt_oss", "deepseek_r1": "deepseek_r1_distill", "deepseek_v3_1": "deepseek_v3_1"}
TOOL = {
    "type": "function",
    "function": {"name": "note", "description": "Keep a note.", "parameters": {"type": "object", "properties": {}}},
}
QUESTION = {"role": "user", "content": "Please note it."}
each_family = pytest.mark.parametrize("key", FILES)


@pytest.fixture(scope="module")
def load(real_tokenizer: Callable[[str], Path]) -> Callable[[str], Any]:
    @cache
    def loaded(key: str) -> Any:
        tokenizer = AutoTokenizer.from_pretrained(real_tokenizer(TOKENIZERS[key]), local_files_only=True)
        tokenizer.chat_template = (TEMPLATES / f"{FILES[key]}.jinja").read_text("utf-8")
        return tokenizer

    return loaded


def answer(arguments: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    calls = [
        {"id": str(n), "type": "function", "function": {"name": "note", "arguments": one}} for n, one in enumerate(arguments)
    ]
    return {"role": "assistant", "content": "", **fields, "tool_calls": calls}


def test_the_tables_name_every_control_token_of_gpt_oss(load: Callable[[str], Any]) -> None:
    family, added = families.named("gpt_oss"), load("gpt_oss").get_added_vocab()
    assert families.for_checkpoint({"model_type": "gpt_oss"}, added) is family
    used = {token for token in added if not token.startswith("<|reserved_")}
    assert {token for group in family.token_groups for token in group.tokens} == used


@each_family
def test_user_turns_stand_in_the_prompt_as_the_tables_say(key: str, load: Callable[[str], Any]) -> None:
    family = families.named(key)
    prompt = render(load(key), family, [{"role": "system", "content": "Be brief."}, QUESTION], [TOOL], thinking=True)
    assert family.user_turn_start + QUESTION["content"] in prompt
    assert "Be brief." in prompt
    assert ("Keep a note." in prompt) is (key == "gpt_oss")


@pytest.mark.parametrize(
    ("key", "thinking", "ends", "channel"),
    [
        ("gpt_oss", True, "<|start|>assistant", "control"),
        ("gpt_oss", False, "<|start|>assistant", "control"),
        ("deepseek_r1", True, "<｜Assistant｜><think>\n", "thought"),
        ("deepseek_r1", False, "<｜Assistant｜><think>\n</think>", "content"),
        ("deepseek_v3_1", True, "<｜Assistant｜><think>", "thought"),
        ("deepseek_v3_1", False, "<｜Assistant｜><think></think>", "content"),
    ],
)
def test_how_the_prompt_ends(key: str, thinking: bool, ends: str, channel: str, load: Callable[[str], Any]) -> None:
    prompt = render(load(key), families.named(key), [QUESTION], [], thinking)
    assert prompt.endswith(ends)
    assert families.named(key).opening_channel(prompt) == channel


@pytest.mark.parametrize(("thinking", "effort"), [(True, "medium"), (False, "low")])
def test_the_switch_of_gpt_oss_sets_the_effort(thinking: bool, effort: str, load: Callable[[str], Any]) -> None:
    assert f"Reasoning: {effort}\n" in render(load("gpt_oss"), families.named("gpt_oss"), [QUESTION], [], thinking)


words = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>`|｜")).map(str.strip)
checked = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@given(thinking=words.filter(bool), one=checks.arguments)
@checked
def test_a_call_that_gpt_oss_renders_as_history_is_read_back(
    load: Callable[[str], Any], thinking: str, one: dict[str, Any]
) -> None:
    tokenizer, family = load("gpt_oss"), families.named("gpt_oss")
    prompt = render(tokenizer, family, [QUESTION], [TOOL], thinking=True)
    whole = render(tokenizer, family, [QUESTION, answer([one], thinking=thinking)], [TOOL], True, generation_prompt=False)
    assert whole.startswith(prompt)
    turn = family.parse(whole[len(prompt) :], [TOOL], prompt)
    assert (turn.thinking, turn.content) == (thinking, "")
    assert [(call.name, call.arguments, call.repaired) for call in turn.calls] == [("note", one, None)]


@each_family
@given(content=words.filter(bool))
@checked
def test_an_answer_rendered_as_history_is_read_back(load: Callable[[str], Any], key: str, content: str) -> None:
    tokenizer, family = load(key), families.named(key)
    before = render(tokenizer, family, [QUESTION], [], thinking=False, generation_prompt=False)
    prompt = render(tokenizer, family, [QUESTION], [], thinking=False)
    message = {"role": "assistant", "content": content}
    whole = render(tokenizer, family, [QUESTION, message], [], thinking=False, generation_prompt=False)
    assert whole.startswith(before)
    turn = family.parse(whole[len(before) :].removeprefix(prompt[len(before) :]).removeprefix("<｜Assistant｜>"), [], prompt)
    assert (turn.thinking, turn.content, turn.calls) == (None, content, ())


@pytest.mark.parametrize("key", ["deepseek_r1", "deepseek_v3_1"])
@given(written=st.lists(checks.arguments, min_size=1, max_size=3))
@checked
def test_calls_that_deepseek_renders_as_history_are_read_back(
    load: Callable[[str], Any], key: str, written: list[dict[str, Any]]
) -> None:
    tokenizer, family = load(key), families.named(key)
    before = render(tokenizer, family, [QUESTION], [], thinking=False, generation_prompt=False)
    whole = render(tokenizer, family, [QUESTION, answer(written)], [], thinking=False, generation_prompt=False)
    raw = whole[len(before) :].removeprefix("<｜Assistant｜>").removeprefix("<think></think>")
    turn = family.parse(raw.removesuffix("<｜Assistant｜><｜end▁of▁sentence｜>"), [TOOL], "")
    assert [call.arguments for call in turn.calls] == written
    assert all(call.error is None and call.repaired is None for call in turn.calls)
    assert (turn.thinking, turn.content) == (None, "")


def test_channels_of_real_tokens(load: Callable[[str], Any]) -> None:
    tokenizer, family = load("gpt_oss"), families.named("gpt_oss")
    arguments = '{"text": "臺北😀 <|end|>"}'
    raw = (
        "<|channel|>analysis<|message|>Note it.<|end|><|start|>assistant<|channel|>commentary to=functions.note "
        f"<|constrain|>json<|message|>{arguments}<|call|>"
    )
    reader = ChannelReader(family, "<|start|>user<|message|>Hi<|end|><|start|>assistant")
    ids = tokenizer(raw, add_special_tokens=False)["input_ids"]
    shown = [(reader.feed(text), text) for text in decoded(tokenizer, ids)]
    assert "".join(text for _, text in shown) == raw
    assert "".join(text for channel, text in shown if channel == "thought") == "Note it."
    assert "".join(text for channel, text in shown if channel == "tool_call") == arguments
    assert {channel for channel, _ in shown} == {"control", "thought", "tool_call"}


def decoded(tokenizer: Any, ids: list[int]) -> list[str]:
    """The text that each token completes."""
    texts, done = [], ""
    for number in range(1, len(ids) + 1):
        so_far = tokenizer.decode(ids[:number]).rstrip("\ufffd")
        texts.append(so_far[len(done) :])
        done = so_far
    return texts
