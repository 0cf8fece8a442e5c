"""SmolLM3's tables against its chat template: how the prompt ends, and what of a message comes back in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import families
from backends.prompts import render
from tests.backends import tiny

TEMPLATE = (Path(__file__).parents[1] / "data" / "templates" / "smollm3.jinja").read_text("utf-8")
QUESTION = {"role": "user", "content": "What time is it?"}
CALL = {"id": "call00000", "type": "function", "function": {"name": "now", "arguments": {}}}


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    made = tiny.tokenizer()
    made.chat_template = TEMPLATE
    return made


@pytest.mark.parametrize(("thinking", "end"), [(True, "<|im_start|>assistant\n"), (False, "<think>\n\n</think>\n")])
def test_the_thinking_switch_sets_the_reasoning_mode(thinking: bool, end: str, tokenizer: Any) -> None:
    family = families.named("smollm3")
    prompt = render(tokenizer, family, [QUESTION], [], thinking)
    assert f"Reasoning Mode: {'/think' if thinking else '/no_think'}\n" in prompt
    assert prompt.endswith(end)
    assert family.opening_channel(prompt) == "content"
    assert family.user_turn_start + "What time is it?" in prompt
    assert family.parse("Noon.<|im_end|>", [], prompt).content == "Noon."


def test_the_system_message_overrules_the_switch(tokenizer: Any) -> None:
    messages = [{"role": "system", "content": "Be brief. /no_think"}, QUESTION]
    assert "Reasoning Mode: /no_think" in render(tokenizer, families.named("smollm3"), messages, [], thinking=True)


def test_of_earlier_messages_the_text_and_the_calls_come_back(tokenizer: Any) -> None:
    answer = {"role": "assistant", "content": "I look.", "reasoning_content": "Hm.", "tool_calls": [CALL]}
    result = {"role": "tool", "name": "now", "tool_call_id": "call00000", "content": "12:00"}
    prompt = render(tokenizer, families.named("smollm3"), [QUESTION, answer, result], [], thinking=True)
    call = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
    assert f"<|im_start|>assistant\nI look.\n{call}<|im_end|>" in prompt
    assert "<|im_start|>user\n12:00<|im_end|>" in prompt
    assert "Hm." not in prompt
