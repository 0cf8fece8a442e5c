"""What training sees is what the model will see in use."""

from __future__ import annotations

import random
import re

import pytest
from tokenizers import Tokenizer

from harness.tools import registry
from teaching import curriculum
from teaching.format import ANSWER_WEIGHT, NO_THINKING, SLOTS, Conversation, render, taught

TOOLS = [tool.schema for tool in registry().values()]
CALL = {"type": "function", "function": {"name": "calculator", "arguments": {"expression": "37 * 48"}}}


def conversation(thinking: bool) -> Conversation:
    thought = "I need 37 * 48." if thinking else ""
    return Conversation(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "Hello!", "reasoning_content": "Small talk."},
            {"role": "user", "content": "What is 37 * 48, twice?"},
            {"role": "assistant", "content": "", "reasoning_content": thought, "tool_calls": [CALL, CALL]},
            {"role": "tool", "name": "calculator", "content": "1776"},
            {"role": "tool", "name": "calculator", "content": "1776"},
            {"role": "assistant", "content": "It is 1776.", "reasoning_content": thought},
        ],
        TOOLS,
        thinking,
    )


def written(taught_ids: list[int], weights: list[float], tokenizer: Tokenizer) -> str:
    return tokenizer.decode([id for id, weight in zip(taught_ids, weights, strict=True) if weight], skip_special_tokens=False)


@pytest.mark.parametrize("thinking", [True, False])
def test_the_ids_are_those_of_the_rendered_text(tokenizer: Tokenizer, thinking: bool) -> None:
    one = conversation(thinking)
    assert tokenizer.decode(taught(one, tokenizer).ids, skip_special_tokens=False) == render(one)


def test_with_thinking_the_model_writes_its_turns_whole(tokenizer: Tokenizer) -> None:
    one = taught(conversation(True), tokenizer)
    call = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "37 * 48"}}\n</tool_call>'
    thought = "<think>\nI need 37 * 48.\n</think>\n\n"
    assert written(one.ids, one.weights, tokenizer) == f"{thought}{call}\n{call}<|im_end|>{thought}It is 1776.<|im_end|>"


def test_without_thinking_the_prompt_holds_the_empty_block(tokenizer: Tokenizer) -> None:
    one = taught(conversation(False), tokenizer)
    assert "<think>" not in written(one.ids, one.weights, tokenizer)
    assert render(conversation(False)).count(NO_THINKING) == 2


@pytest.mark.parametrize("thinking", [True, False])
def test_only_the_rest_of_an_answer_counts_less(tokenizer: Tokenizer, thinking: bool) -> None:
    one = taught(conversation(thinking), tokenizer)
    less = [id for id, weight in zip(one.ids, one.weights, strict=True) if weight == ANSWER_WEIGHT]
    first, rest = tokenizer.encode("It is 1776.", add_special_tokens=False).ids[0], tokenizer.decode(less)
    assert tokenizer.decode([first]) + rest == "It is 1776."


def test_earlier_questions_lose_their_thinking(tokenizer: Tokenizer) -> None:
    assert "Small talk." not in render(conversation(True))


def test_a_prompt_is_encoded_as_training_saw_it(tokenizer: Tokenizer) -> None:
    """Up to each turn that the model writes, the whole prompt in one piece gives the ids that were taught from."""
    for thinking in (True, False):
        one = taught(conversation(thinking), tokenizer)
        text = render(conversation(thinking))
        opening = "<|im_start|>assistant\n" + ("" if thinking else NO_THINKING)
        for match in list(re.finditer(re.escape(opening), text))[-2:]:
            prompt = tokenizer.encode(text[: match.end()], add_special_tokens=False).ids
            assert one.ids[: len(prompt)] == prompt
            assert one.weights[len(prompt) - 1 : len(prompt) + 1] == [0.0, 1.0]


def test_each_marker_is_one_token(tokenizer: Tokenizer) -> None:
    assert {id: tokenizer.id_to_token(id) for id in SLOTS} == dict(SLOTS)
    for id, name in SLOTS.items():
        assert tokenizer.encode(f"a{name}b", add_special_tokens=False).ids.count(id) == 1


def test_a_group_shares_its_prefix_and_only_calls_what_is_offered(tokenizer: Tokenizer) -> None:
    for step in range(12):
        conversations = curriculum.group(1, step)
        assert len({render(one).split("<|im_start|>user")[0] for one in conversations}) == 1
        for one in conversations:
            offered = {schema["function"]["name"] for schema in one.tools}
            called = {
                call["function"]["name"] for message in one.messages for call in message.get("tool_calls", ())
            }
            assert called <= offered


def test_the_same_seed_gives_the_same_conversations() -> None:
    assert curriculum.group(5, 3) == curriculum.group(5, 3)
    assert curriculum.group(5, 3) != curriculum.group(6, 3)


def test_an_answer_states_what_the_tool_said() -> None:
    rng = random.Random(0)
    for _ in range(60):
        one = curriculum.conversation(rng, None, TOOLS)
        question = max(n for n, message in enumerate(one.messages) if message["role"] == "user")
        results = [message["content"] for message in one.messages[question:] if message["role"] == "tool"]
        calculated = [text for text in results if re.fullmatch(r"-?\d+(\.\d+)?", text)]
        if calculated and len(results) == 1:
            assert calculated[0] in one.messages[-1]["content"]
