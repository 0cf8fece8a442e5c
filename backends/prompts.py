"""From messages to the string that the chat template writes, and from there to token ids. Needs a tokenizer, no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from backends.accepted import accepted
from backends.base import Encoded, Message, ToolSchema
from families.base import Family


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
