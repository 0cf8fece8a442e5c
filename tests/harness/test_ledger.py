"""The prompt ledger against small templates, each of which does one thing to the messages that real templates do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.base import Encoded, Message, ToolSchema
from backends.scripted import ScriptedBackend
from families.hermes import QWEN3
from harness.ledger import PromptLedger
from harness.origins import authored
from harness.run import Run
from harness.settings import DEFAULT_SYSTEM_PROMPT, Settings
from tests.harness.scripts import QUESTION, calculate, call, finished, of_kind

Template = Callable[[Message], str]
THOUGHT = "<think>\nI should calculate.\n</think>\n\n"
BROKEN = '<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>'


class Small(ScriptedBackend):
    """A scripted backend whose template writes each message as `body` says, between <|im_start|>role and <|im_end|>."""

    def __init__(self, turns: Sequence[Any], body: Template, *, with_ends: bool = True) -> None:
        super().__init__(turns, QWEN3)
        self.body, self.with_ends = body, with_ends

    def render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], thinking: bool, generation_prompt: bool = True,
    ) -> str:
        offered = "".join(f"{json.dumps(tool)}\n" for tool in tools)
        parts = [f"<|im_start|>{message['role']}\n{self.body(message)}<|im_end|>\n" for message in messages]
        return offered + "".join(parts) + "<|im_start|>assistant\n" * generation_prompt

    def encode(self, prompt: str) -> Encoded:
        encoded = super().encode(prompt)
        return encoded if self.with_ends else Encoded(prompt, encoded.ids, None, encoded.special)


def as_written(message: Message) -> str:
    """A message as the model of these tests writes it."""
    thinking = message.get("reasoning_content")
    calls = calls_of(message)
    return (f"<think>\n{thinking}\n</think>\n\n" if thinking else "") + "\n".join(filter(None, [message["content"], *calls]))


def calls_of(message: Message, **how: Any) -> list[str]:
    """The calls of a message; `how` says how JSON writes them."""
    made = [json.dumps(each["function"], ensure_ascii=False, **how) for each in message.get("tool_calls", ())]
    return [f"<tool_call>\n{each}\n</tool_call>" for each in made]


def without_thinking(message: Message) -> str:
    return as_written({**message, "reasoning_content": None})


def compact(message: Message) -> str:
    return "\n".join(calls_of(message, separators=(",", ":"))) or as_written(message)


def sorted_keys(message: Message) -> str:
    return "\n".join(calls_of(message, sort_keys=True)) or as_written(message)


def with_line(message: Message) -> str:
    return as_written(message).replace("</tool_call>", "</tool_call>\n")


def without_text(message: Message) -> str:
    return as_written({**message, "content": ""}) if "tool_calls" in message else as_written(message)


def text_behind(message: Message) -> str:
    return without_text(message) + (message["content"] if "tool_calls" in message else "")


CONVERT = call("convert_units", value=5, from_unit="km", to_unit="m")
CHANGES: dict[str, tuple[Template, str, str, str]] = {
    "thinking": (without_thinking, THOUGHT + calculate("1 + 1"), "<think>", "<tool_call>"),
    "arguments": (compact, calculate("1 + 1"), '":', '":"'),
    "white_space": (with_line, calculate("1 + 1"), "<|im_end|>", "\n<|im_end|>"),
    "text": (without_text, "Let me see. " + calculate("1 + 1"), "Let", "<tool_call>"),
    "order": (text_behind, "Let me see.\n" + calculate("1 + 1"), "Let", "<tool_call>"),
}


def second_context(body: Template, turn: Any, **options: Any) -> dict[str, Any]:
    run = Run(Small([turn, "Done."], body, **options), QUESTION, Settings())
    run.execute()
    assert run.log.events[-1]["stop_reason"] == "answer", run.log.events[-1]
    return of_kind(run, "context")[1]


def test_nothing_departs_where_the_template_writes_what_the_model_wrote() -> None:
    context = second_context(as_written, THOUGHT + calculate("1 + 1"))
    assert context["departs"] is None
    assert [(author, state) for author, state, _, _ in context["origins"]] == [
        ("template", "new"), ("tool", "new"), ("template", "new"),
    ]


@pytest.mark.parametrize("kind", list(CHANGES))
def test_each_kind_of_change_is_named_with_what_stood_and_stands_there(kind: str) -> None:
    body, turn, was, now = CHANGES[kind]
    departs = second_context(body, turn)["departs"]
    assert departs["kind"] == kind
    assert departs["was"].startswith(was)
    assert departs["now"].startswith(now)
    assert not departs["was"].startswith(now)


def test_sorted_arguments_are_the_call_in_another_form() -> None:
    departs = second_context(sorted_keys, CONVERT)["departs"]
    assert departs["kind"] == "arguments"
    assert "convert_units" in departs["was"]


def test_dropped_thinking_is_counted_in_tokens() -> None:
    context = second_context(without_thinking, THOUGHT + calculate("1 + 1"))
    backend = Small([], as_written)
    assert context["departs"]["changes"] == [["thinking", len(backend.encode(THOUGHT).ids), 0, 1]]
    again = len(backend.encode(calculate("1 + 1") + "<|im_end|>").ids)
    assert context["departs"]["n_again"] == again
    assert sum(n for _, state, n, _ in context["origins"] if state == "again") == again


class Forgetful(Small):
    """Its template drops all thinking once a user speaks again."""

    def render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], thinking: bool, generation_prompt: bool = True,
    ) -> str:
        spoken = sum(message["role"] == "user" for message in messages)
        self.body = without_thinking if spoken > 1 else as_written
        return super().render(messages, tools, thinking, generation_prompt)


def test_each_turn_that_lost_its_thinking_is_a_place_of_its_own() -> None:
    turns = [THOUGHT + calculate("1 + 1"), THOUGHT + calculate("2 + 2"), BROKEN, "Done."]
    run = Run(Forgetful(turns, as_written), QUESTION, Settings())
    run.execute()
    context = of_kind(run, "context")[3]
    n_thought = len(Small([], as_written).encode(THOUGHT).ids)
    assert context["departs"]["changes"] == [["thinking", 2 * n_thought, 0, 2]]
    states = [(author, state) for author, state, _, _ in context["origins"]]
    assert ("tool", "again") in states
    assert ("harness", "new") in states
    assert not any(state == "rewritten" for _, state in states)


def test_other_tokens_for_the_same_text_are_a_change_too() -> None:
    pieces = ["<tool_call>", "\n", '{"name": "calculator", "arguments": ', '{"expression": "1 + 1"}', "}", "\n", "</tool_call>"]
    context = second_context(as_written, pieces)
    assert context["departs"]["kind"] == "tokens"
    ((kind, n_was, n_now, _),) = context["departs"]["changes"]
    tokenized = Small([], as_written).encode("".join(pieces[2:5])).ids
    assert (kind, n_was, n_now) == ("tokens", 3, len(tokenized))


def test_without_ends_there_are_no_numbers_of_tokens() -> None:
    context = second_context(without_thinking, THOUGHT + calculate("1 + 1"), with_ends=False)
    assert context["departs"]["kind"] == "thinking"
    assert context["departs"]["n_again"] is None
    assert context["departs"]["changes"] == [["thinking", None, None, 1]]
    assert {n for _, _, n, _ in context["origins"]} == {None}
    assert sum(run[3] for run in context["origins"]) == len(context["text"])


def test_what_the_harness_says_is_its_own() -> None:
    run = finished([BROKEN, "Done."])
    context = of_kind(run, "context")[1]
    at, said = 0, []
    for author, _, _, n in context["origins"]:
        said += [context["text"][at : at + n]] if author == "harness" else []
        at += n
    assert said == [event["text"] for event in of_kind(run, "feedback")]


def test_a_run_that_goes_on_reuses_what_the_one_before_left() -> None:
    model = Small(["Two.", "Four."], as_written)
    first = Run(model, "One and one?", Settings())
    first.execute()
    second = Run(model, "And twice that?", Settings(), history=first.messages, continues=first.run_id, memory=first.memory)
    second.execute()
    (context,) = of_kind(second, "context")
    assert (context["ids_from"], context["added_from"], context["departs"]) == (0, 0, None)
    before = model.generated[0][0].n_tokens + len(of_kind(first, "token"))
    assert sum(n for _, state, n, _ in context["origins"] if state == "reused") == before
    assert context["text"].startswith(model.generated[0][0].text)


@pytest.mark.parametrize(
    ("of_one", "of_other", "state"),
    [
        ({"path": "/runs/a/final"}, {"path": "/runs/b/final"}, "new"),
        ({"path": "/cache", "commit": "a" * 40}, {"path": "/cache", "commit": "b" * 40}, "new"),
        ({"path": "/cache", "commit": "a" * 40}, {"path": "/moved", "commit": "a" * 40}, "reused"),
    ],
)
def test_another_checkpoint_of_the_same_name_is_another_model(
    of_one: dict[str, str], of_other: dict[str, str], state: str,
) -> None:
    model, other = Small(["Two."], as_written), Small(["Four."], as_written)
    model.info, other.info = {**model.info, **of_one}, {**other.info, **of_other}
    first = Run(model, "One and one?", Settings())
    first.execute()
    second = Run(other, "And twice that?", Settings(), history=first.messages, memory=first.memory)
    second.execute()
    assert of_kind(second, "context")[0]["origins"][0][1] == state


def test_what_another_model_has_read_is_of_no_use() -> None:
    model, other = Small(["Two."], as_written), Small(["Four."], as_written)
    other.model_id = "other"
    first = Run(model, "One and one?", Settings())
    first.execute()
    second = Run(other, "And twice that?", Settings(), history=first.messages, memory=first.memory)
    second.execute()
    assert {state for _, state, _, _ in of_kind(second, "context")[0]["origins"]} == {"new"}


def test_a_changed_system_message_is_named() -> None:
    model = Small(["Two.", "Four."], as_written)
    first = Run(model, "One and one?", Settings())
    first.execute()
    second = Run(model, "And?", Settings(system_prompt="Be brief."), history=first.messages, memory=first.memory)
    second.execute()
    departs = of_kind(second, "context")[0]["departs"]
    assert departs["kind"] == "system"
    assert departs["was"].startswith(DEFAULT_SYSTEM_PROMPT.split()[0])
    assert departs["now"].startswith("Be")


def refuses_marks(message: Message) -> str:
    """Like a template that looks closely at a text: an answer that is no number raises."""
    return str(int(message["content"])) if message["role"] == "tool" else as_written(message)


def test_a_text_that_the_template_looks_at_is_left_out_and_the_others_are_found() -> None:
    context = second_context(refuses_marks, calculate("1 + 1"))
    assert {author for author, _, _, _ in context["origins"]} == {"template"}
    body = Small([], refuses_marks)
    messages = [{"role": "user", "content": "How much?"}, {"role": "tool", "content": "2"}]
    prompt = body.render(messages, [], True)
    found = authored(prompt, messages, [], lambda marked, _: body.render(marked, [], True), QWEN3, {})
    assert [prompt[each.start : each.end] for each in found.stretches if each.author != "template"] == ["How much?"]


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>[]"), max_size=30)
ways = st.sampled_from([str, str.strip, lambda text: json.dumps(text, ensure_ascii=False), lambda text: text[: len(text) // 2]])


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(["user", "tool", "assistant"]), texts), min_size=1, max_size=6), ways)
def test_whatever_a_template_does_to_texts_their_characters_are_found(
    said: list[tuple[str, str]], way: Callable[[str], str],
) -> None:
    """Every character of a text that can be told from a template's is its author's, and none of the template's words is."""
    messages = [{"role": role, "content": text} for role, text in said]
    model = Small([], lambda message: f"[{way(message['content'])}]")
    prompt = model.render(messages, [], True)
    found = authored(prompt, messages, [], lambda marked, _: model.render(marked, [], True), QWEN3, {})
    assert "".join(prompt[each.start : each.end] for each in found.stretches) == prompt
    rest = "".join(prompt[each.start : each.end] for each in found.stretches if each.author == "template")
    frame = "".join(f"<|im_start|>{role}\n[]<|im_end|>\n" for role, _ in said) + "<|im_start|>assistant\n"
    assert [letter for letter in rest if letter.isalnum()] == [letter for letter in frame if letter.isalnum()]


def test_the_ledger_is_linear_in_what_it_keeps() -> None:
    """A later prompt's fields are about its own new part, however long the conversation is."""
    model = Small([], as_written)
    ledger = PromptLedger(model)
    sizes = []
    messages: list[Message] = [{"role": "user", "content": "Count."}]
    for number in range(30):
        fields = ledger.read(model.encode(model.render(messages, [], True)), messages, [], True)
        sizes.append(len(json.dumps(fields)))
        text = f"{number}.<|im_end|>"
        encoded = model.encode(text)
        ledger.wrote((len(messages), "assistant"), [text], encoded.ids[:1], QWEN3.parse(text, [], ""))
        messages += [{"role": "assistant", "content": f"{number}."}, {"role": "user", "content": "And now?"}]
    assert sizes[-1] <= 2 * sizes[1]
