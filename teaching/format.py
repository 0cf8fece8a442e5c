"""A conversation as the token ids that the model reads and writes, and which of them it is taught to write.

Knows the chat template and the tokenizer; knows nothing about weights. What is rendered here is what a backend renders,
so training and use see the same ids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from transformers.utils.chat_template_utils import render_jinja_template

SLOTS: Mapping[int, str] = {
    11: "<think>",
    12: "</think>",
    13: "<tool_call>",
    14: "</tool_call>",
    15: "<tool_response>",
    16: "</tool_response>",
}
"""Ids of control tokens that chat never uses, and what they are called from now on."""

FOLDER = Path(__file__).parent / "builtin"
TEMPLATE = (FOLDER / "chat_template.jinja").read_text(encoding="utf-8")
ANSWER_WEIGHT = 0.4
"""How much a token of an answer counts beside one of a call."""
NO_THINKING = "<think>\n\n</think>\n\n"
_ASSISTANT = "<|im_start|>assistant\n"
_END = "<|im_end|>"
_QUESTION = re.compile(r"<\|im_start\|>user\n(?!<tool_response>)")
_AFTER_THINKING = re.compile(r"(?<=</think>\n\n)")


@dataclass(frozen=True)
class Conversation:
    """Messages up to the answer of the last question, the tools that were offered, and whether thinking is on."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    thinking: bool


@dataclass(frozen=True)
class Taught:
    """`ids` of a conversation; `weights[i]` says how much it counts that the model writes ids[i], 0 where it is not taught to."""

    ids: list[int]
    weights: list[float]


def render(conversation: Conversation) -> str:
    """The text that the chat template writes for a whole conversation."""
    texts, _ = render_jinja_template(
        conversations=[list(conversation.messages)],
        tools=list(conversation.tools) or None,
        chat_template=TEMPLATE,
        add_generation_prompt=False,
        enable_thinking=conversation.thinking,
    )
    return str(texts[0])


def taught(conversation: Conversation, tokenizer: Tokenizer) -> Taught:
    """The ids, and the weights of all that the assistant writes after the last question.

    What decides (thinking, calls, how a turn begins and that it ends) counts fully. The rest of an answer counts less: it
    repeats what was found, in one of many good wordings.

    The text is cut after each thinking block before it is encoded, because there the prompt ends when thinking is off:
    "\\n\\n" and the first word are then never one stretch of text to the tokenizer.
    """
    text = render(conversation)
    start = text.index(_ASSISTANT, [match.end() for match in _QUESTION.finditer(text)][-1])
    pieces: list[tuple[str, float]] = [(text[:start], 0.0)]
    for turn in re.split(f"(?={re.escape(_ASSISTANT)})", text[start:])[1:]:
        written, rest = turn.removeprefix(_ASSISTANT).split(_END, 1)
        opening = _ASSISTANT if conversation.thinking else _ASSISTANT + NO_THINKING
        if not conversation.thinking:
            written = written.removeprefix(NO_THINKING)
        *thought, said = _AFTER_THINKING.split(written)
        weight = 1.0 if SLOTS[13] in said else ANSWER_WEIGHT
        pieces += [(opening, 0.0), *((piece, 1.0) for piece in thought), (said, weight), (_END, 1.0), (rest, 0.0)]
    return _encoded(pieces, tokenizer)


def _encoded(pieces: Sequence[tuple[str, float]], tokenizer: Tokenizer) -> Taught:
    ids: list[int] = []
    weights: list[float] = []
    for text, weight in pieces:
        new = tokenizer.encode(text, add_special_tokens=False).ids if text else []
        ids += new
        weights += ([1.0] if weight else [weight])[: len(new)] + [weight] * (len(new) - 1)
    return Taught(ids, weights)
