"""From messages to the string that the chat template writes, and from there to token ids. Needs a tokenizer, no model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from backends.base import Encoded, Message, ToolSchema
from families.base import Family

BROKEN_OFF = "…"
"""The model's words in place of an answer that never came, where a template demands one."""


def render(
    tokenizer: Any,
    family: Family,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    thinking: bool,
    generation_prompt: bool = True,
) -> str:
    """The prompt that the tokenizer's chat template writes; `thinking` sets the template's switch for it, if it has one."""
    switch = {family.thinking_argument: family.thinking_values[thinking]} if family.thinking_argument else {}
    schemas = [dict(tool) for tool in tools] or None
    taken = accepted(family, messages, str(tokenizer.chat_template or ""))
    prompt: str = tokenizer.apply_chat_template(
        taken, tools=schemas, tokenize=False, add_generation_prompt=generation_prompt, **switch
    )
    return prompt


def accepted(family: Family, messages: Sequence[Message], template: str = "") -> list[Message]:
    """The messages as the family's chat template accepts them; `template` is its text, "" for one that reads every field.

    Some templates refuse a message with several calls: each call then stands in one of its own, with its answer after it.
    Some refuse text beside the thinking before a call, and have no other place for it: there it is left out. Some write the
    id of a call where the model wrote the tool's name: there the ids are such as the model writes. Some refuse or cut an answer
    that speaks of their markers: it is written so that all of it stays. Some read of an earlier message its content alone: there
    its calls and thinking stand in that. Some want user and model to take turns.
    """
    taken = [_without_text(family, message) for message in messages]
    if family.call_ids is not None:
        taken = _with_ids(taken, family.call_ids)
    if family.one_call_a_message:
        taken = _one_call_each(taken)
    taken = [_uncut(family, message, template) for message in taken]
    if template:
        taken = [_in_content(family, message, template) for message in taken]
    return _taking_turns(taken) if family.alternates else taken


def _without_text(family: Family, message: Message) -> Message:
    thought = family.thinking_field is not None and message.get(family.thinking_field)
    if message.get("tool_calls") and thought and not family.keeps_text_before_call:
        return {**message, "content": ""}
    return message


def _with_ids(messages: Sequence[Message], form: str) -> list[Message]:
    """The messages with each call's id in the form that `families.base.Family.call_ids` describes."""
    ids: dict[str, str] = {}
    taken: list[Message] = []
    for message in messages:
        if calls := message.get("tool_calls"):
            for call in calls:
                ids[call["id"]] = form.format(name=call["function"]["name"], number=len(ids))
            message = {**message, "tool_calls": [{**call, "id": ids[call["id"]]} for call in calls]}
        elif message.get("tool_call_id") in ids:
            message = {**message, "tool_call_id": ids[message["tool_call_id"]]}
        taken.append(message)
    return taken


def _one_call_each(messages: Sequence[Message]) -> list[Message]:
    taken: list[Message] = []
    place = 0
    while place < len(messages):
        message, place = messages[place], place + 1
        calls = message.get("tool_calls") or []
        if len(calls) < 2:
            taken.append(message)
            continue
        answers = list(takewhile(lambda later: later["role"] == "tool", messages[place:]))
        place += len(answers)
        for number, call in enumerate(calls):
            own = message if number == 0 else {"role": message["role"], "content": ""}
            taken.append({**own, "tool_calls": [call]})
            taken += [answer for answer in answers if answer["tool_call_id"] == call["id"]]
    return taken


def _uncut(family: Family, message: Message, template: str) -> Message:
    """A message of the model from which the template takes nothing away, though it speaks of the template's markers.

    Where a message has no field for its thinking, some templates look for thinking in its content: an empty field stops them.
    Markers that a template looks for in any case are broken up by a space.
    """
    if message["role"] != "assistant":
        return message
    taken = dict(message)
    thinking = family.thinking_field
    for name in filter(None, ("content", thinking)):
        if family.cut_in_text and isinstance(taken.get(name), str):
            taken[name] = family.cut_in_text.sub(_broken_up, taken[name])
    speaks_of_it = any(token in taken["content"] for token in family.thinking_tokens)
    if thinking and thinking not in taken and speaks_of_it and _reads_thinking(family, template):
        taken[thinking] = ""
    return taken


def _broken_up(marker: re.Match[str]) -> str:
    return f"{marker[0][0]} {marker[0][1:]}"


def _in_content(family: Family, message: Message, template: str) -> Message:
    """A message of the model with all of it in its content that the template reads from no other field."""
    taken = dict(message)
    if family.write_turn and taken.get("tool_calls") and "tool_calls" not in template:
        functions = [call["function"] for call in taken.pop("tool_calls")]
        calls = [(function["name"], function["arguments"]) for function in functions]
        taken["content"] = family.write_turn(taken["content"], calls)
    if taken["role"] == "assistant" and family.thinking_marks and _only_in_content(family, template):
        opener, closer = family.thinking_marks
        taken["content"] = re.sub(re.escape(closer), _broken_up, taken["content"])
        if family.thinking_field in taken:
            taken["content"] = f"{opener}{taken.pop(family.thinking_field)}{closer}{taken['content']}"
    return taken


def _only_in_content(family: Family, template: str) -> bool:
    """Whether the template knows thinking, but reads it from no field of its own."""
    if family.thinking_marks is None or family.thinking_marks[1] not in template:
        return False
    return not _reads_thinking(family, template)


def _reads_thinking(family: Family, template: str) -> bool:
    """Whether the template reads the family's field of thinking."""
    name = family.thinking_field
    return name is not None and re.search(rf"""\.{name}\b|["']{name}["']""", template) is not None


def _taking_turns(messages: Sequence[Message]) -> list[Message]:
    """The messages without empty ones of the model; those of the user that then follow each other are one, and a tool's result
    that the user follows has the model's word between."""
    taken: list[Message] = []
    for message in messages:
        role, before = message["role"], taken[-1]["role"] if taken else ""
        if role == "assistant" and not message["content"] and not message.get("tool_calls"):
            continue
        if role == before == "user":
            taken[-1] = {**taken[-1], "content": f"{taken[-1]['content']}\n\n{message['content']}"}
            continue
        if role == "user" and before == "tool":
            taken.append({"role": "assistant", "content": BROKEN_OFF})
        taken.append(message)
    return taken


def encode(tokenizer: Any, control: Mapping[str, int], prompt: str) -> Encoded:
    """The ids of a rendered prompt, as `apply_chat_template(tokenize=True)` gives them: the template has written every
    control token that belongs there, so that none is added. `control` is what `control_tokens` returns."""
    with_offsets: bool = tokenizer.is_fast
    encoding = tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=with_offsets)
    ids = tuple(encoding["input_ids"])
    ends = tuple(end for _, end in encoding["offset_mapping"]) if with_offsets else None
    control_ids = frozenset(control.values())
    return Encoded(prompt, ids, ends, frozenset(place for place, token_id in enumerate(ids) if token_id in control_ids))


def control_tokens(tokenizer: Any, family: Family) -> dict[str, int]:
    """The vocabulary's control tokens and their ids: the added tokens that it marks as special, and those that the family
    gives a meaning (Qwen's <tool_call> is not marked special)."""
    named = {*family.channels, *family.stop_tokens, *(token for group in family.token_groups for token in group.tokens)}
    added = tokenizer.added_tokens_decoder
    return {token.content: token_id for token_id, token in added.items() if token.special or token.content in named}
