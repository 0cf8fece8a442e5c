"""Gemma 4 against its real chat templates: how each ends the prompt, and what it makes of a turn when that is history."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

import families
from backends.prompts import render
from families.base import Family
from families.functiongemma import FUNCTIONGEMMA
from families.gemma4 import GEMMA4
from families.reading import ChannelReader
from tests.families import checks
from tests.real_tokenizers import GEMMA4_TOKENS

TEMPLATES = Path(__file__).parents[1] / "data" / "templates"
REVISIONS = ["gemma4-31b", "gemma4-e2b-r1", "gemma4-e2b-r3", "gemma4-e2b-r5"]
each_revision = pytest.mark.parametrize("revision", REVISIONS)
TOOL = {
    "type": "function",
    "function": {"name": "note", "description": "Keep a note.", "parameters": {"type": "object", "properties": {}}},
}
QUESTION = {"role": "user", "content": "Please note it."}
RESULT = {"role": "tool", "name": "note", "tool_call_id": "0", "content": "kept"}


@pytest.fixture(scope="module")
def load(real_tokenizer: Callable[[str], Path]) -> Callable[[str], Any]:
    """The real tokenizer with the chat template of a revision."""

    loaded = AutoTokenizer.from_pretrained(real_tokenizer("gemma4"), local_files_only=True)

    @cache
    def tokenizer(revision: str) -> Any:
        found = copy(loaded)
        found.chat_template = (TEMPLATES / f"{revision}.jinja").read_text("utf-8")
        return found

    return tokenizer


def answer(*arguments: dict[str, Any], content: str = "", thinking: str = "") -> dict[str, Any]:
    functions = [{"name": "note", "arguments": one} for one in arguments]
    calls = [{"id": str(number), "type": "function", "function": function} for number, function in enumerate(functions)]
    return {"role": "assistant", "content": content, "reasoning_content": thinking, "tool_calls": calls}


OPEN, EMPTY, PLAIN = "<|channel>thought\n", "<|turn>model\n<|channel>thought\n<channel|>", "<|turn>model\n"


@pytest.mark.parametrize(
    ("revision", "thinking", "asked", "after_a_tool"),
    [
        ("gemma4-31b", False, EMPTY, "<tool_response|>"),
        ("gemma4-31b", True, PLAIN, "<tool_response|>"),
        ("gemma4-e2b-r1", False, PLAIN, "<tool_response|>"),
        ("gemma4-e2b-r1", True, PLAIN, "<tool_response|>"),
        ("gemma4-e2b-r3", False, PLAIN, "<tool_response|>"),
        ("gemma4-e2b-r3", True, PLAIN, "<tool_response|>"),
        ("gemma4-e2b-r5", False, PLAIN, "<tool_response|>"),
        ("gemma4-e2b-r5", True, PLAIN, "<tool_response|>" + OPEN),
    ],
)
def test_how_the_prompt_ends(revision: str, thinking: bool, asked: str, after_a_tool: str, load: Callable[[str], Any]) -> None:
    for messages, ending in (([QUESTION], asked), ([QUESTION, answer({"text": "it"}), RESULT], after_a_tool)):
        prompt = render(load(revision), GEMMA4, messages, [TOOL], thinking)
        assert prompt.endswith(ending)
        assert not prompt.removesuffix(ending).endswith(("<channel|>", OPEN))
        assert ("<|think|>" in prompt) is thinking
        opened = ending.endswith(OPEN)
        assert GEMMA4.opening_channel(prompt) == ("thought" if opened else "content")
        turn = GEMMA4.parse("It is kept.<channel|>Done.<turn|>", [TOOL], prompt)
        assert (turn.thinking, turn.content) == ((None, "It is kept.\nDone.") if ending == EMPTY else ("It is kept.", "Done."))


def test_the_tables_name_every_control_token(load: Callable[[str], Any]) -> None:
    added = load("gemma4-31b").get_added_vocab()
    assert families.for_checkpoint({"model_type": "gemma4"}, added) is GEMMA4
    document = {"<bos>", "<eos>", "<pad>", "<unk>", "<mask>"}
    assert {token for group in GEMMA4.token_groups for token in group.tokens} == {*GEMMA4_TOKENS.values(), *document}
    assert document <= set(added)


@pytest.mark.parametrize(
    ("model_type", "family"),
    [("gemma4", GEMMA4), ("gemma4_text", GEMMA4), ("gemma4_unified", GEMMA4), ("gemma3_text", FUNCTIONGEMMA)],
)
def test_a_checkpoint_finds_its_family(model_type: str, family: Family) -> None:
    tokens = {token for group in family.token_groups for token in group.tokens}
    assert families.for_checkpoint({"model_type": model_type}, tokens) is family


@each_revision
def test_turns_and_tools_stand_in_the_prompt_as_the_tables_say(revision: str, load: Callable[[str], Any]) -> None:
    messages = [QUESTION, answer({"text": "it", "B": 1}, content="I keep it."), RESULT]
    prompt = render(load(revision), GEMMA4, messages, [TOOL], thinking=True)
    assert GEMMA4.user_turn_start + QUESTION["content"] in prompt
    assert prompt.index("<|think|>") < prompt.index("<|tool>declaration:note{") < prompt.index(GEMMA4.user_turn_start)
    assert 'type:<|"|>OBJECT<|"|>' in prompt
    call = prompt.index('<|tool_call>call:note{B:1,text:<|"|>it<|"|>}<tool_call|>')
    result = prompt.index('<|tool_response>response:note{value:<|"|>kept<|"|>}<tool_response|>')
    assert call < result < prompt.index("I keep it.")
    assert GEMMA4.keeps_text_before_call


@each_revision
def test_thinking_of_an_earlier_question_is_dropped(revision: str, load: Callable[[str], Any]) -> None:
    earlier = [QUESTION, answer({"text": "it"}, thinking="I keep it."), RESULT]
    tokenizer = load(revision)
    assert "I keep it." in render(tokenizer, GEMMA4, earlier, [TOOL], thinking=True)
    later = [*earlier, {"role": "assistant", "content": "Kept."}, QUESTION]
    assert "I keep it." not in render(tokenizer, GEMMA4, later, [TOOL], thinking=True)


words = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>`")).map(str.strip)
keys = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=6)
values = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | checks.unicode,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@each_revision
@given(thinking=words, content=words, written=st.lists(st.dictionaries(keys, values, max_size=3), max_size=3))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_what_is_rendered_as_history_is_read_back(
    revision: str, load: Callable[[str], Any], thinking: str, content: str, written: list[dict[str, Any]]
) -> None:
    tokenizer = load(revision)
    prompt = render(tokenizer, GEMMA4, [QUESTION], [TOOL], thinking=True)
    messages = [QUESTION, answer(*written, content=content, thinking=thinking)]
    whole = render(tokenizer, GEMMA4, messages, [TOOL], thinking=True, generation_prompt=False)
    assert whole.startswith(prompt)
    turn = GEMMA4.parse(whole[len(prompt) :], [TOOL], prompt)
    kept = thinking if written or revision == "gemma4-e2b-r5" else ""  # The others keep only what led to a call.
    assert (turn.thinking or "", turn.content) == (kept, content)
    assert [call.arguments for call in turn.calls] == written
    assert all(call.error is None and call.repaired is None for call in turn.calls)


@each_revision
def test_null_is_written_by_the_newest_template_and_read_from_all(revision: str, load: Callable[[str], Any]) -> None:
    messages = [QUESTION, answer({"a": None})]
    whole = render(load(revision), GEMMA4, messages, [TOOL], thinking=True, generation_prompt=False)
    assert ("note{a:null}" in whole) is (revision == "gemma4-e2b-r5")
    call = GEMMA4.parse(whole[whole.rindex("<|tool_call>") :], [TOOL], "").calls[0]
    assert call.arguments == {"a": None}


def test_channels_of_real_tokens(load: Callable[[str], Any]) -> None:
    tokenizer = load("gemma4-31b")
    call = '<|tool_call>call:note{text:<|"|>臺北😀 <channel|><|"|>}<tool_call|>'
    raw = f"<|channel>thought\nNote.\n<channel|>Done.{call}<|tool_response>"
    reader = ChannelReader(GEMMA4, "<|turn>model\n")
    ids = tokenizer(raw, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids) == raw
    shown = [(reader.feed(tokenizer.decode([token])), tokenizer.decode([token])) for token in ids]
    control = ["<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", "<|tool_response>"]
    assert [text for channel, text in shown if channel == "control"] == control
    assert "".join(text for channel, text in shown if channel == "thought") == "thought\nNote.\n"
    assert "".join(text for channel, text in shown if channel == "content") == "Done."
    assert [text for channel, text in shown if channel == "tool_call"].count("<channel|>") == 1
