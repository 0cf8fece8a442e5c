"""A turn of any family, cut into any tokens: the log ends with what the family reads in the whole turn."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import families
from backends.scripted import ScriptedBackend
from families.base import Family
from families.plain import KEY, plain
from harness.run import Run
from harness.settings import Settings
from harness.tools import registry
from tests.families.written import recorded, texts

PLAIN = plain({"</s>": "eos_token"}, ("</s>",), "byte_level", None)
"""The family of a checkpoint that no family knows, with a tokenizer that has nothing but an end."""


def family_of(key: str) -> Family:
    return PLAIN if key == KEY else families.named(key)


def logged(key: str, tokens: list[str]) -> list[dict[str, Any]]:
    """The log of one step in which a model of this family writes these tokens."""
    run = Run(ScriptedBackend([tokens], family_of(key)), "What is it?", Settings(max_steps=1))
    run.execute()
    return run.log.events


@pytest.mark.parametrize("key", [family.key for family in families.FAMILIES])
@given(data=st.data())
@settings(max_examples=12)
def test_the_log_ends_with_the_reading_of_the_whole(key: str, data: st.DataObject) -> None:
    turns = texts(key)
    if recorded()[key]:
        turns |= st.sampled_from(recorded()[key])
    raw = data.draw(turns.filter(bool))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw)), max_size=40)) | {0, len(raw)})
    events = logged(key, [raw[start:end] for start, end in pairwise(cuts)])
    written = next(event["raw"] for event in events if event["kind"] == "model_end")
    assert "".join(event["text"] for event in events if event["kind"] == "token") == written
    assert written.startswith(raw) or raw.startswith(written)  # A stop token among the others ends the turn.
    parsed = next(event for event in events if event["kind"] == "parsed")
    prompt = next(event["text"] for event in events if event["kind"] == "context")
    whole = family_of(key).parse(written, schemas(events), prompt)
    assert (parsed["thinking"], parsed["content"]) == (whole.thinking, whole.content)
    assert [(call["name"], call["arguments"], call["error"] and call["error"]["kind"]) for call in parsed["tool_calls"]] == [
        (call.name, call.arguments, call.error and call.error.kind) for call in whole.calls
    ]
    for forming in (event for event in events if event["kind"] == "call_forming"):
        assert 0 <= forming["span_from"] < len(cuts)


def schemas(events: list[dict[str, Any]]) -> list[Any]:
    """The tools that the run offered."""
    tools = registry()
    return [tools[name].schema for name in events[0]["tools"]]
