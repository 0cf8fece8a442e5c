"""The prompt ledger against the real chat templates and tokenizers: what is said of each prompt is checked from the outside."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from transformers import AutoTokenizer

from harness.ledger import rebuild
from harness.run import Run
from harness.settings import DEFAULT_SYSTEM_PROMPT, Settings
from tests.harness.scripts import QUESTION, of_kind
from tests.harness.templated import TemplatedBackend

FOLLOWING = "And half of that?"
THOUGHTS = ("I should multiply first.", "Now two things at once, one of which fails.")
ANSWER = "It is 1776."


class Format(NamedTuple):
    """How a family's model writes: a call, a thought before what follows it, and what ends a turn with and without calls."""

    call: Callable[[str, Mapping[str, Any]], str]
    thought: str
    ends: tuple[str, str]
    parallel: bool = True


def as_json(name: str, arguments: Mapping[str, Any]) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def as_tags(name: str, arguments: Mapping[str, Any]) -> str:
    values = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
    return f"<tool_call>\n<function={name}>\n{values}</function>\n</tool_call>"


def as_gemma(name: str, arguments: Mapping[str, Any]) -> str:
    values = ",".join(f'{key}:<|"|>{value}<|"|>' for key, value in arguments.items())
    return f"<|tool_call>call:{name}{{{values}}}<tool_call|>"


def as_harmony(name: str, arguments: Mapping[str, Any]) -> str:
    return f" to=functions.{name}<|channel|>commentary json<|message|>{json.dumps(arguments)}"


CHATML = ("<|im_end|>", "<|im_end|>")
FORMATS = {
    "qwen2_5": Format(as_json, "", CHATML),
    "qwen3": Format(as_json, "<think>\n{}\n</think>\n\n", CHATML),
    "qwen3_5": Format(as_tags, "{}\n</think>\n\n", CHATML),
    "gemma4": Format(as_gemma, "<|channel>thought\n{}\n<channel|>", ("<|tool_response>", "<turn|>")),
    "gpt_oss": Format(
        as_harmony, "<|channel|>analysis<|message|>{}<|end|><|start|>assistant", ("<|call|>", "<|return|>"), parallel=False,
    ),
}


def turns(key: str) -> list[str]:
    """Two turns with calls, of which one fails, and an answer."""
    written, first, second = FORMATS[key], *(FORMATS[key].thought.format(each) for each in THOUGHTS)
    calls = [written.call("calculator", {"expression": text}) for text in ("37 * 48", "1 / 0", "2 + 2")]
    both = "\n".join(calls[1:]) if key != "gemma4" else "".join(calls[1:])
    answer = f"<|channel|>final<|message|>{ANSWER}" if key == "gpt_oss" else ANSWER
    empty = "\n</think>\n\n" if key == "qwen3_5" else ""
    return [
        first + calls[0] + written.ends[0],
        second + (both if written.parallel else calls[1]) + written.ends[0],
        empty + answer + written.ends[1],
    ]


@pytest.fixture(scope="module")
def load(real_tokenizer: Callable[[str], Path]) -> Callable[[str], Any]:
    return cache(lambda key: AutoTokenizer.from_pretrained(real_tokenizer(key), local_files_only=True))


@pytest.fixture(scope="module", params=list(FORMATS))
def conversation(request: pytest.FixtureRequest, load: Callable[[str], Any]) -> tuple[TemplatedBackend, Run, Run]:
    """A run of three steps, and one that goes on after it."""
    key = request.param
    backend = TemplatedBackend(load(key), key, [*turns(key), turns(key)[-1]])
    first = Run(backend, QUESTION, Settings(tools=("calculator",)))
    first.execute()
    second = Run(
        backend, FOLLOWING, Settings(tools=("calculator",)), history=first.messages, continues=first.run_id, memory=first.memory,
    )
    second.execute()
    return backend, first, second


def texts_by(context: Mapping[str, Any], *authors: str) -> list[str]:
    """The text of each run of the authors' in the new part of a prompt."""
    found, at = [], 0
    for author, _, _, n in context["origins"]:
        if author in authors:
            found.append(context["text"][at : at + n])
        at += n
    return found


def n_common(one: Sequence[int], other: Sequence[int]) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def read_and_written(runs: Sequence[Run]) -> list[tuple[dict[str, Any], list[int], list[int]]]:
    """Each prompt's context, its ids, and the ids that the model had read and written before."""
    found, before = [], list[int]()
    for run in runs:
        prompts = [ids for _, ids in rebuild(run.log.events)]
        for context, ids in zip(of_kind(run, "context"), prompts, strict=True):
            found.append((context, ids, before))
            before = ids + [token["id"] for token in of_kind(run, "token") if token["step"] == context["step"]]
    return found


def test_the_origins_are_the_whole_new_part(conversation: tuple[TemplatedBackend, Run, Run]) -> None:
    backend, first, second = conversation
    assert (first.log.events[-1]["stop_reason"], first.log.events[-1]["n_steps"]) == ("answer", 3)
    prompts = [(encoded.text, list(encoded.ids)) for encoded, _ in backend.generated]
    assert [*rebuild(first.log.events), *rebuild(second.log.events)] == prompts
    for context, _, _ in read_and_written([first, second]):
        assert sum(run[2] for run in context["origins"]) == len(context["ids"])
        assert sum(run[3] for run in context["origins"]) == len(context["text"])


def test_every_text_is_its_authors(conversation: tuple[TemplatedBackend, Run, Run]) -> None:
    _, first, second = conversation
    start, *later = of_kind(first, "context")
    assert [text.strip() for text in texts_by(start, "system")] == [DEFAULT_SYSTEM_PROMPT]
    assert texts_by(start, "user") == [QUESTION]
    assert texts_by(start, "model", "tool", "harness") == []
    tools = "".join(texts_by(start, "tools"))
    assert "calculator" in tools
    assert "Evaluate an arithmetic expression" in tools
    answers = [event["result"] or f"error: {event['error']}" for event in of_kind(first, "tool_result")]
    told = [text.strip() for context in later for text in texts_by(context, "tool")]
    assert told == answers
    (following,) = of_kind(second, "context")
    assert texts_by(following, "user") == [QUESTION, FOLLOWING]
    assert [text.strip() for text in texts_by(following, "tool")] == answers


def test_what_is_reused_new_and_read_again(conversation: tuple[TemplatedBackend, Run, Run]) -> None:
    """Counted from the ids alone: reused is what the two have in common, new what comes after all that is old."""
    _, first, second = conversation
    for context, ids, before in read_and_written([first, second]):
        same = n_common(before, ids)
        departs = context["departs"]
        states = [run[1] for run in context["origins"] for _ in range(run[2])]
        reused = context["ids_from"] + states.count("reused")
        assert reused == same
        assert (departs is None) == (same == len(before))
        if departs is None:
            assert "again" not in states
            assert "rewritten" not in states
        else:
            assert departs["token"] == same
            assert departs["n_again"] == states.count("again") + states.count("rewritten")
            assert departs["n_again"] + reused + states.count("new") == context["n_tokens"]


def test_new_is_what_the_messages_since_the_turn_add(conversation: tuple[TemplatedBackend, Run, Run]) -> None:
    """No text of a message that was there before counts as new, and all text of one that was not does."""
    _, first, second = conversation
    for context in [*of_kind(first, "context")[1:], *of_kind(second, "context")]:
        new = {author for author, state, _, _ in context["origins"] if state == "new"}
        assert new & {"system", "tools", "model"} == set()
        assert ("user" in new) == (context["step"] == 1)
        assert ("tool" in new) == (context["step"] > 1)


def test_thinking_that_the_template_drops_is_counted(conversation: tuple[TemplatedBackend, Run, Run]) -> None:
    backend, _, second = conversation
    written = FORMATS[backend.model_id]
    (context,) = of_kind(second, "context")
    if not written.thought:
        assert context["departs"] is None
        return
    assert context["departs"]["kind"] == "thinking"
    assert not any(thought in context["text"] for thought in THOUGHTS)
    dropped = {change[0]: change[1:] for change in context["departs"]["changes"]}["thinking"]
    opened = "<think>\n" if backend.model_id == "qwen3_5" else ""
    counted = [backend.n_tokens(opened + written.thought.format(thought)) for thought in THOUGHTS]
    assert dropped == [sum(counted), 0, 2]
    assert context["departs"]["was"].startswith((opened + written.thought.format(THOUGHTS[0]))[:60])


def test_a_turn_that_is_written_as_the_template_writes_it_is_reused_whole(
    conversation: tuple[TemplatedBackend, Run, Run],
) -> None:
    _, first, _ = conversation
    for context in of_kind(first, "context")[1:]:
        assert context["departs"] is None
        assert {run[1] for run in context["origins"]} == {"new"}
        assert "model" not in {run[0] for run in context["origins"]}


TWO = {"from_unit": "km", "value": 5, "to_unit": "m"}
COMPACT = f'<tool_call>\n{{"name":"convert_units","arguments":{json.dumps(TWO, separators=(",", ":"))}}}\n</tool_call>'
OTHERWISE = {
    "qwen2_5": COMPACT + "<|im_end|>",
    "qwen3": COMPACT + "<|im_end|>",
    "qwen3_5": "\n</think>\n\n" + as_tags("convert_units", TWO).replace("\n</parameter>\n<", "</parameter><") + "<|im_end|>",
    "gemma4": '<|tool_call>call:convert_units{value:5,to_unit:<|"|>m<|"|>,from_unit:<|"|>km<|"|>}<tool_call|><|tool_response>',
    "gpt_oss": (
        f"<|channel|>commentary to=functions.convert_units <|constrain|>json<|message|>{json.dumps(TWO)}<|call|>"
    ),
}
"""A call as models of the family write it too, which the template writes in another form."""


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("key", list(FORMATS))
def test_a_call_in_another_form_is_named_and_all_of_it_is_the_models(
    key: str, thinking: bool, load: Callable[[str], Any],
) -> None:
    written = OTHERWISE[key] if thinking else OTHERWISE[key].removeprefix("\n</think>\n\n")
    backend = TemplatedBackend(load(key), key, [written, turns(key)[-1]])
    run = Run(backend, QUESTION, Settings(tools=("convert_units",), thinking=thinking))
    run.execute()
    context = of_kind(run, "context")[1]
    kinds = [change[0] for change in context["departs"]["changes"]]
    merged = {"tokens"} if written.startswith("\n") else set()  # The prompt's last line break and the model's first become one.
    assert {"arguments", *merged} <= set(kinds) <= {"arguments", "empty_thinking", *merged}
    again = "".join(texts_by(context, "model"))
    assert "to_unit" in again
    assert {state for author, state, _, _ in context["origins"] if author == "model"} <= {"again", "rewritten"}
    assert {state for author, state, _, _ in context["origins"] if author == "tool"} == {"new"}
    assert again.rstrip().endswith(FORMATS[key].ends[0])


def test_text_that_the_template_puts_behind_the_answer_of_a_tool_is_said_to_have_moved(load: Callable[[str], Any]) -> None:
    written = "Let me see." + as_gemma("calculator", {"expression": "37 * 48"}) + "<|tool_response>"
    backend = TemplatedBackend(load("gemma4"), "gemma4", [written, turns("gemma4")[-1]])
    run = Run(backend, QUESTION, Settings(tools=("calculator",)))
    run.execute()
    context = of_kind(run, "context")[1]
    assert context["departs"]["kind"] == "order"
    assert "".join(texts_by(context, "tool")) == "1776"
    states = [(author, state) for author, state, _, _ in context["origins"] if author != "template"]
    assert states == [("model", "again"), ("tool", "new"), ("model", "again")]


def test_the_empty_thinking_block_that_a_template_opens_is_not_repeated(load: Callable[[str], Any]) -> None:
    backend = TemplatedBackend(load("qwen3"), "qwen3", [ANSWER + "<|im_end|>"] * 2)
    first = Run(backend, QUESTION, Settings(thinking=False))
    first.execute()
    second = Run(backend, FOLLOWING, Settings(thinking=False), history=first.messages, memory=first.memory)
    second.execute()
    departs = of_kind(second, "context")[0]["departs"]
    assert departs["changes"] == [["empty_thinking", backend.n_tokens("<think>\n\n</think>\n\n"), 0, 1]]
