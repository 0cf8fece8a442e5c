"""Turns that families write into a message's content: what is written is read back as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import families
from tests.families import checks

WRITERS = [family.key for family in families.FAMILIES if family.write_turn]
names = st.sampled_from(["a", "text", "臺北"])
words = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>`[]{}()")).map(str.strip)
call = st.tuples(st.sampled_from(["add", "now"]), st.dictionaries(names, checks.values, max_size=3))


@pytest.mark.parametrize("key", WRITERS)
@given(text=words, written=st.lists(call, min_size=1, max_size=3))
def test_what_is_written_is_read_back(key: str, text: str, written: list[tuple[str, dict[str, Any]]]) -> None:
    family = families.named(key)
    assert family.write_turn is not None
    turn = family.parse(family.write_turn(text, written) + next(iter(family.stop_tokens)), checks.TOOLS, "")
    assert [(call.name, call.arguments) for call in turn.calls] == written
    assert all(call.error is None and call.repaired is None for call in turn.calls)
    assert (turn.thinking, turn.content) == (None, text)


def test_how_the_calls_are_written() -> None:
    written = [("add", {"a": {"on": True}, "b": ["“x”", None, 1.5]}), ("now", {})]
    assert turn_of("lfm2", "I look.", written) == (
        '<|tool_call_start|>[add(a={"on": True}, b=["“x”", None, 1.5]), now()]<|tool_call_end|>I look.'
    )
    assert turn_of("smollm3", "I look.", written[1:]) == 'I look.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


def turn_of(key: str, text: str, written: list[tuple[str, dict[str, Any]]]) -> str:
    writer = families.named(key).write_turn
    assert writer is not None
    return writer(text, written)
