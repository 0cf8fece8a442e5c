"""The prompt ledger against every chat template of the tests, with thinking and without, also with one that is closed at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from transformers import AddedToken, AutoTokenizer

import families
from harness.run import Run
from harness.settings import Settings
from tests.families.test_template_matrix import MATRIX, TEMPLATES
from tests.harness.scripts import QUESTION, of_kind
from tests.harness.templated import TemplatedBackend
from tests.harness.test_ledger_templates import (
    ANSWER,
    CHATML,
    FOLLOWING,
    FORMATS,
    Format,
    as_json,
    as_tags,
    n_common,
    read_and_written,
)

THOUGHT = "I should multiply first."
CALLS = [{"expression": "37 * 48"}, {"expression": "1776 / 2"}]


def as_r1(name: str, arguments: Mapping[str, Any]) -> str:
    call = f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{json.dumps(arguments)}\n```<｜tool▁call▁end｜>"
    return f"<｜tool▁calls▁begin｜>{call}<｜tool▁calls▁end｜>"


def as_v3(name: str, arguments: Mapping[str, Any]) -> str:
    call = f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{json.dumps(arguments)}<｜tool▁call▁end｜>"
    return f"<｜tool▁calls▁begin｜>{call}<｜tool▁calls▁end｜>"


def as_keys(name: str, arguments: Mapping[str, Any]) -> str:
    values = "".join(f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n" for key, value in arguments.items())
    return f"\n<tool_call>{name}\n{values}</tool_call>"


DEEPSEEK = ("<｜end▁of▁sentence｜>", "<｜end▁of▁sentence｜>")
WRITTEN = {
    **FORMATS,
    "qwen3_5": FORMATS["qwen3_5"]._replace(thought="<think>\n{}\n</think>\n\n"),
    "qwen3_coder": Format(as_tags, "", CHATML),
    "smollm3": Format(as_json, "<think>\n{}\n</think>\n\n", CHATML),
    "deepseek_r1": Format(as_r1, "<think>\n{}\n</think>\n\n", DEEPSEEK),
    "deepseek_v3_1": Format(as_v3, "<think>{}</think>", DEEPSEEK),
    "glm4_5": Format(as_keys, "\n<think>{}</think>", ("<|observation|>", "<|user|>")),
}
"""How each family's models write, with the mark that opens the thinking."""


class Loop(TemplatedBackend):
    """Plays a turn with a thought and a call, one with a call whose thinking is closed at once, and the answer."""

    def __init__(self, tokenizer: Any, key: str, thinking: bool) -> None:
        super().__init__(tokenizer, key, [])
        self.turns.extend(self._written(thinking))

    def _written(self, thinking: bool) -> list[str]:
        written = WRITTEN[self.family.key]
        prompt = self.render([{"role": "user", "content": QUESTION}], [], thinking)
        openers = self.family.thinking_openers
        opened = next((opener for opener in openers if prompt.endswith(opener)), "")
        texts = [written.thought.format(text).removeprefix(opened) for text in (THOUGHT, "")]
        thoughts = texts if thinking or opened else ["", ""]
        calls = [written.call("calculator", arguments) + written.ends[0] for arguments in CALLS]
        final = "<|channel|>final<|message|>" if self.family.key == "gpt_oss" else ""
        answers = [thoughts[1] + final + ANSWER + written.ends[1]] * 2
        return [thought + call for thought, call in zip(thoughts, calls, strict=True)] + answers


@pytest.fixture(scope="module")
def load(real_tokenizer: Callable[[str], Path]) -> Callable[[str], Any]:
    return cache(lambda key: AutoTokenizer.from_pretrained(real_tokenizer(key), local_files_only=True))


def runs(name: str, thinking: bool, load: Callable[[str], Any]) -> list[Run]:
    """A run of three steps with this template, and one that goes on after it."""
    key, tokenizer = MATRIX[name][0], load(MATRIX[name][1])
    tokenizer.chat_template = (TEMPLATES / f"{name}.jinja").read_text("utf-8")
    # Where the tokenizer is another family's, it gets the control tokens that this one's has.
    missing = {*families.named(key).channels, *families.named(key).stop_tokens} - set(tokenizer.get_vocab())
    tokenizer.add_tokens([AddedToken(token, special=True, normalized=False) for token in sorted(missing)])
    backend, chosen = Loop(tokenizer, key, thinking), Settings(tools=("calculator",), thinking=thinking)
    first = Run(backend, QUESTION, chosen)
    first.execute()
    second = Run(backend, FOLLOWING, chosen, history=first.messages, continues=first.run_id, memory=first.memory)
    second.execute()
    return [first, second]


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("name", MATRIX)
def test_what_is_said_of_each_prompt_is_true(name: str, thinking: bool, load: Callable[[str], Any]) -> None:
    both = runs(name, thinking, load)
    assert [run.log.events[-1]["stop_reason"] for run in both] == ["answer", "answer"]
    assert [event["result"] for event in of_kind(both[0], "tool_result")] == ["1776", "888"]
    for context, ids, before in read_and_written(both):
        states = [state for _, state, n, _ in context["origins"] for _ in range(n)]
        reused = context["ids_from"] + states.count("reused")
        departs = context["departs"]
        assert len(states) == len(context["ids"])
        assert reused == n_common(before, ids)
        assert (departs is None) == (reused == len(before))
        if departs:
            assert (departs["token"], departs["n_again"]) == (reused, states.count("again") + states.count("rewritten"))
            assert all(was + now > 0 for _, was, now, _ in departs["changes"])


def test_a_token_of_the_prompt_that_merges_with_the_models_first_is_counted_with_it(load: Callable[[str], Any]) -> None:
    """The prompt ends with a line break and the model, which closes the thinking at once, begins with one: read again, they are
    one token."""
    for name in ("qwen3_5-think", "qwen3_6", "qwen3_8"):
        first, _ = runs(name, True, load)
        departs = of_kind(first, "context")[2]["departs"]
        assert departs["changes"] == [["tokens", 2, 1, 1]]


def test_a_mark_of_thinking_that_the_template_leaves_out_is_told_as_thinking(load: Callable[[str], Any]) -> None:
    """DeepSeek V3.1 closes the thinking once more where the prompt, which ends with a tool's answer, has not opened it."""
    first, _ = runs("deepseek_v3_1", True, load)
    departs = [context["departs"] for context in of_kind(first, "context")[1:]]
    assert [[kind for kind, _, _, _ in each["changes"]] for each in departs] == [["thinking"], ["empty_thinking"]]
