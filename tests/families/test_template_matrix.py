"""Every shape of conversation through every real chat template: our prompts are those of apply_chat_template, id for id.

Messages are made as the harness makes them, rendered and encoded as a backend does. A template whose own tokenizer cannot be had
is tried with another one: what is compared is the way from messages to ids, whatever the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

import families
from backends.prompts import accepted, control_tokens, encode, render
from families.base import Call, CallError, Family, Text, Turn
from harness.conversation import Conversation, call_id

TEMPLATES = Path(__file__).parents[1] / "data" / "templates"
MATRIX = {
    "deepseek_r1_distill": ("deepseek_r1", "qwen2_5"),
    "deepseek_v3_1": ("deepseek_v3_1", "qwen3"),
    "gemma4-31b": ("gemma4", "gemma4"),
    "gemma4-e2b-r1": ("gemma4", "gemma4"),
    "gemma4-e2b-r3": ("gemma4", "gemma4"),
    "gemma4-e2b-r5": ("gemma4", "gemma4"),
    "glm4_6": ("glm4_5", "qwen3"),
    "gpt_oss": ("gpt_oss", "gpt_oss"),
    "qwen2_5": ("qwen2_5", "qwen2_5"),
    "qwen3": ("qwen3", "qwen3"),
    "qwen3_5-nothink": ("qwen3_5", "qwen3_5"),
    "qwen3_5-think": ("qwen3_5", "qwen3_5"),
    "qwen3_6": ("qwen3_5", "qwen3_5"),
    "qwen3_8": ("qwen3_5", "qwen3_5"),
    "qwen3_coder": ("qwen3_coder", "qwen3"),
    "smollm3": ("smollm3", "qwen2_5"),
}
"""Template: the family whose models it belongs to, and the tokenizer it is tried with."""

SYSTEM = "You are helpful. 請用繁體中文回答。"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Its name."},
                    "days": {"type": "integer"},
                    "options": {"type": "object", "properties": {"wind": {"type": "boolean"}}},
                },
                "required": ["city"],
            },
        },
    },
    {
        "type": "function",
        "function": {"name": "now", "description": "The time.", "parameters": {"type": "object", "properties": {}}},
    },
]
WEATHER = Call("get_weather", {"city": "臺北", "days": 2, "options": {"wind": True, "at": [1.5, None, "“noon”"]}}, "", (0, 0))
NOW = Call("now", {}, "", (0, 0))
BROKEN = Call("now", None, "", (0, 14), CallError("bad_arguments", 3, Text("壞了。", "It is broken.")))

Messages = list[dict[str, Any]]
Shape = Callable[[str | None], Messages]
SHAPES: dict[str, Shape] = {}


def shape(make: Shape) -> Shape:
    SHAPES[make.__name__] = make
    return make


def asked(turns: Sequence[tuple[Turn, Sequence[str]]], field: str | None, system: str = "", raw: str = "") -> Messages:
    """A question, and turns of the model with what the tools answered to their calls."""
    talk = Conversation([], "How is the weather?", field)
    for step, (turn, answers) in enumerate(turns):
        talk.turn_with_calls(step, turn, raw)
        for index, answer in enumerate(answers):
            talk.tool(call_id(step, index), answer)
    return talk(system)


@shape
def question(field: str | None) -> Messages:
    return asked([], field)


@shape
def system_and_question(field: str | None) -> Messages:
    return asked([], field, SYSTEM)


@shape
def call_and_answer(field: str | None) -> Messages:
    return asked([(Turn(None, "", (WEATHER,)), ['{"sky": "clear", "wind": null}'])], field, SYSTEM)


@shape
def call_without_arguments(field: str | None) -> Messages:
    return asked([(Turn(None, "", (NOW,)), ["12:00"])], field)


@shape
def thinking_before_a_call(field: str | None) -> Messages:
    return asked([(Turn("They want the weather.\nI ask.", "", (WEATHER,)), ["clear"])], field)


@shape
def text_before_a_call(field: str | None) -> Messages:
    return asked([(Turn("So.", "I look that up.", (WEATHER,)), ["clear"])], field, SYSTEM)


@shape
def parallel_calls(field: str | None) -> Messages:
    return asked([(Turn(None, "", (WEATHER, NOW)), ["clear", "12:00"])], field)


@shape
def call_after_call(field: str | None) -> Messages:
    return asked([(Turn("First.", "", (WEATHER,)), ["clear"]), (Turn("Then.", "", (NOW,)), ["12:00"])], field)


@shape
def tool_error(field: str | None) -> Messages:
    return asked([(Turn(None, "", (WEATHER,)), ["error: no city of this name: <unknown> & “so”"])], field)


@shape
def broken_call(field: str | None) -> Messages:
    talk = Conversation([], "How is the weather?", field)
    talk.turn_with_calls(0, Turn("So.", "One moment.", (BROKEN,)), "<now arguments")
    talk.user("The call could not be read. Write it again.", by_harness=True)
    return talk()


@shape
def whole_and_broken_call(field: str | None) -> Messages:
    talk = Conversation([], "How is the weather?", field)
    talk.turn_with_calls(0, Turn("So.", "One moment.", (WEATHER, BROKEN)), "<now arguments")
    talk.tool(call_id(0, 0), "clear")
    talk.user("One call could not be read. Write it again.", by_harness=True)
    return talk()


@shape
def empty_turn(field: str | None) -> Messages:
    talk = Conversation([], "How is the weather?", field)
    talk.assistant("", "I wonder.")
    talk.user("There was no answer.", by_harness=True)
    return talk()


@shape
def question_after_no_answer(field: str | None) -> Messages:
    return Conversation(asked([], field), "Are you there?", field)(SYSTEM)


@shape
def question_after_a_result(field: str | None) -> Messages:
    before = asked([(Turn("They ask.", "", (WEATHER, NOW)), ["clear", "12:00"])], field, SYSTEM)
    return Conversation(before, "And tomorrow?", field)(SYSTEM)


@shape
def continued_conversation(field: str | None) -> Messages:
    before = asked([(Turn("They ask.", "I look.", (WEATHER,)), ["clear"])], field, SYSTEM)
    talk = Conversation(before, "And tomorrow?", field)
    talk.turn_with_calls(1, Turn("Again.", "", (WEATHER,)), "")
    talk.tool(call_id(1, 0), "rain")
    talk.assistant("Rain.", "I know it now.")
    return Conversation(talk(), "Thank you.", field)(SYSTEM)


@pytest.fixture(scope="module")
def load(real_tokenizer: Callable[[str], Path]) -> Callable[[str], Any]:
    return cache(lambda key: AutoTokenizer.from_pretrained(real_tokenizer(key), local_files_only=True))


def switch(family: Family, thinking: bool) -> dict[str, Any]:
    return {family.thinking_argument: family.thinking_values[thinking]} if family.thinking_argument else {}


@pytest.mark.parametrize("name", MATRIX)
def test_our_prompts_are_those_of_apply_chat_template(name: str, load: Callable[[str], Any]) -> None:
    family, tokenizer = families.named(MATRIX[name][0]), load(MATRIX[name][1])
    tokenizer.chat_template = (TEMPLATES / f"{name}.jinja").read_text("utf-8")
    control = control_tokens(tokenizer, family)
    for messages in [make(family.thinking_field) for make in SHAPES.values()]:
        for tools in ([], TOOLS):
            for thinking in (False, True):
                for generation_prompt in (False, True):
                    prompt = render(tokenizer, family, messages, tools, thinking, generation_prompt)
                    encoded = encode(tokenizer, control, prompt)
                    right = tokenizer.apply_chat_template(
                        accepted(family, messages, tokenizer.chat_template),
                        tools=tools or None,
                        tokenize=True,
                        return_dict=True,
                        add_generation_prompt=generation_prompt,
                        **switch(family, thinking),
                    )
                    assert list(encoded.ids) == right["input_ids"]
                    assert encoded.ends is not None
                    assert encoded.ends[-1] == len(prompt)
                    assert list(encoded.ends) == sorted(encoded.ends)


@pytest.mark.parametrize("key", sorted({key for _, key in MATRIX.values()}))
def test_every_tokenizer_reads_the_prompts_of_every_template(key: str, load: Callable[[str], Any]) -> None:
    """The control tokens of one family are plain text to the tokenizer of another."""
    tokenizer = load(key)
    for name, (family_key, _) in MATRIX.items():
        family = families.named(family_key)
        tokenizer.chat_template = (TEMPLATES / f"{name}.jinja").read_text("utf-8")
        messages = continued_conversation(family.thinking_field)
        encoded = encode(tokenizer, control_tokens(tokenizer, family), render(tokenizer, family, messages, TOOLS, True))
        right = tokenizer.apply_chat_template(
            accepted(family, messages, tokenizer.chat_template),
            tools=TOOLS,
            return_dict=True,
            add_generation_prompt=True,
            **switch(family, True),
        )
        assert list(encoded.ids) == right["input_ids"]


@pytest.mark.parametrize("name", MATRIX)
def test_the_switch_of_a_family_is_one_that_its_template_reads(name: str, load: Callable[[str], Any]) -> None:
    family, tokenizer = families.named(MATRIX[name][0]), load(MATRIX[name][1])
    tokenizer.chat_template = (TEMPLATES / f"{name}.jinja").read_text("utf-8")
    off, on = (render(tokenizer, family, question(None), [], thinking) for thinking in (False, True))
    reads = family.thinking_argument is not None and family.thinking_argument in tokenizer.chat_template
    assert (on != off) is reads


def test_every_template_is_in_the_matrix() -> None:
    assert set(MATRIX) == {path.stem for path in TEMPLATES.glob("*.jinja")}
