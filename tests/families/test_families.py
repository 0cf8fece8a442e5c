"""The registry, and the tables that every family must have complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import families
from families.base import Family, Text, pick

CHATML = {"<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"}
THINKING = {"<think>", "</think>"}
each_family = pytest.mark.parametrize("family", families.FAMILIES, ids=lambda family: family.key)


def texts_of(value: Any, path: str = "") -> Iterator[tuple[str, Text]]:
    """Every Text inside a value, with where it stands."""
    if isinstance(value, Text):
        yield path, value
    elif is_dataclass(value):
        for part in fields(value):
            yield from texts_of(getattr(value, part.name), f"{path}.{part.name}")
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from texts_of(part, f"{path}[{key}]")
    elif isinstance(value, tuple):
        for number, part in enumerate(value):
            yield from texts_of(part, f"{path}[{number}]")


@each_family
def test_every_text_is_there_in_both_languages(family: Family) -> None:
    found = dict(texts_of(family))
    assert len(found) > 25
    for path, text in found.items():
        assert text.zh.strip(), path
        assert text.en.strip(), path
        assert text.zh != text.en, path
        assert any("\u4e00" <= char <= "\u9fff" for char in text.zh), path
        assert not any("\u4e00" <= char <= "\u9fff" for char in text.en), path


@each_family
def test_every_control_token_has_a_purpose_and_stands_in_one_group(family: Family) -> None:
    for token in {*family.channels, *family.stop_tokens, *family.required_tokens, *family.call_closers}:
        assert family.purpose_of(token), token
    grouped = [token for group in family.token_groups for token in group.tokens]
    assert len(grouped) == len(set(grouped))
    assert family.purpose_of("<|no_such_token|>") is None


@each_family
def test_tables_fit_together(family: Family) -> None:
    assert set(family.sampling) == {"temperature", "top_p", "top_k"}
    assert set(family.call_closers) <= set(family.channels)
    if family.thinking_openers or family.thinking_argument or family.thinking_field:
        assert "thought" in family.channels.values() or family.headers
    assert {note.file for note in family.file_notes} >= {
        "config.json",
        "generation_config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "chat_template.jinja",
        "model.safetensors",
    }


def test_keys_and_aliases_are_unique_and_lead_somewhere() -> None:
    keys = [family.key for family in families.FAMILIES]
    assert len(set(keys)) == len(keys)
    assert not set(families.ALIASES) & set(keys)
    assert set(families.ALIASES.values()) <= set(keys)


@pytest.mark.parametrize(
    ("model_type", "tokens", "key"),
    [
        ("qwen3", CHATML | THINKING, "qwen3"),
        ("qwen3_moe", CHATML | THINKING, "qwen3"),
        ("qwen2", CHATML, "qwen2_5"),
        ("llama", CHATML | THINKING, "hermes"),
        ("smollm3", CHATML | THINKING, "smollm3"),
        ("lfm2", CHATML | {"<|tool_call_start|>", "<|tool_call_end|>"}, "lfm2"),
        ("llama", {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|python_tag|>"}, "llama3"),
        ("llama4", {"<|header_start|>", "<|header_end|>", "<|eot|>", "<|python_start|>", "<|python_end|>"}, "llama4"),
        ("ministral3", {"[INST]", "[/INST]", "[TOOL_CALLS]"}, "mistral"),
    ],
)
def test_a_checkpoint_finds_its_family(model_type: str, tokens: set[str], key: str) -> None:
    assert families.for_checkpoint({"model_type": model_type}, tokens).key == key
    assert families.for_checkpoint(model_type, tokens).key == key


@pytest.mark.parametrize(
    ("config", "tokens"),
    [
        ({"model_type": "llama"}, {"<|eot_id|>"}),
        ({"model_type": "llama"}, CHATML),
        ({"model_type": "mamba"}, CHATML | THINKING),
        ({}, CHATML),
    ],
)
def test_no_family_names_what_came_and_what_is_known(config: dict[str, Any], tokens: set[str]) -> None:
    with pytest.raises(families.UnknownFamily) as caught:
        families.for_checkpoint(config, tokens)
    assert caught.value.model_type == config.get("model_type")
    assert {"qwen2", "qwen3", "llama"} <= set(caught.value.known)
    assert "qwen3" in str(caught.value)


def test_aliases_name_a_family() -> None:
    assert families.named("builtin") is families.named("hermes")
    with pytest.raises(families.UnknownFamily, match="no_such_family"):
        families.named("no_such_family")


@pytest.mark.parametrize(("lang", "word"), [("zh", "提示"), ("en", "prompt"), ("fr", "prompt")])
def test_pick(lang: str, word: str) -> None:
    assert pick(lang, *Text("提示", "prompt")) == word


@pytest.mark.parametrize(
    ("prompt", "channel"),
    [
        ("<|im_start|>assistant\n", "content"),
        ("<|im_start|>assistant\n<think>\n", "thought"),
        ("<think>\n\n</think>\n\n", "content"),
    ],
)
def test_the_prompt_decides_where_a_turn_begins(prompt: str, channel: str) -> None:
    assert families.named("qwen3").opening_channel(prompt) == channel
