"""Conversations as token ids: what stands in the prompt, and what the model is to write.

Knows tokenizer and chat template; knows nothing about weights. Prompts are rendered as a backend renders them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import torch
from torch import Tensor

from backends.prompts import render
from families.base import Family
from harness.tools import Tool
from teaching.tiny.conversations import Exchange, messages, tools


@dataclass(frozen=True)
class Example:
    """`turn[i]` is the number of the turn in which the model writes ids[i], from 1; 0 where ids[i] stands in a prompt."""

    ids: tuple[int, ...]
    turn: tuple[int, ...]


@dataclass(frozen=True)
class Batch:
    """Examples that begin alike: `prefix` [tokens] is what all of them begin with, `ids` and `turn` [examples, tokens] are what
    comes behind it, padded to one length at the end."""

    prefix: Tensor
    ids: Tensor
    turn: Tensor

    @classmethod
    def of(cls, examples: Sequence[Example], shared: int) -> Batch:
        """`shared` is how many tokens all of them begin with."""

        def padded(rows: list[tuple[int, ...]]) -> Tensor:
            longest = max(map(len, rows))
            return torch.tensor([[*row[shared:], *([0] * (longest - len(row)))] for row in rows])

        prefix = torch.tensor(examples[0].ids[:shared])
        return cls(prefix, padded([example.ids for example in examples]), padded([example.turn for example in examples]))

    def written(self, ahead: int) -> Tensor:
        """Where a token and the one `ahead` of it are of one turn, [examples, tokens - ahead]."""
        first, last = self.turn[:, :-ahead], self.turn[:, ahead:]
        return (last > 0) & (first == last)


def n_shared(examples: Sequence[Example]) -> int:
    """How many tokens all examples begin with."""
    columns = zip(*(example.ids for example in examples), strict=False)
    return next(place for place, column in enumerate(columns) if len(set(column)) > 1)


def texts(exchange: Exchange, tokenizer: Any, family: Family, thinking: bool, now: Callable[[], datetime]) -> list[str]:
    """What stands in the prompt and what the model writes, in turn, of the exchange's question; joined, the whole text."""
    offered = tools(now)
    spoken = messages(exchange, offered, thinking)
    asked = max(place for place, message in enumerate(spoken) if message["role"] == "user")
    pieces: list[str] = []
    for place in range(asked + 1, len(spoken)):
        if spoken[place]["role"] == "assistant":
            prompt = _rendered(spoken[:place], offered, tokenizer, family, thinking, True)
            whole = _rendered(spoken[: place + 1], offered, tokenizer, family, thinking, False)
            before = "".join(pieces)
            if not (prompt.startswith(before) and whole.startswith(prompt)):
                raise ValueError(f"the template rewrites the turns of {exchange.name!r}")
            pieces += [prompt[len(before) :], _to_stop(whole[len(prompt) :], family)]
    return pieces


def _rendered(
    spoken: Sequence[Mapping[str, Any]], offered: Mapping[str, Tool], tokenizer: Any, family: Family, thinking: bool,
    generation_prompt: bool,
) -> str:
    schemas = [tool.schema for tool in offered.values()]
    return render(tokenizer, family, [dict(message) for message in spoken], schemas, thinking, generation_prompt)


def _to_stop(text: str, family: Family) -> str:
    """A turn up to its stop token; what the template writes behind that is no longer the model's."""
    ends = [text.find(stop) + len(stop) for stop in family.stop_tokens if stop in text]
    return text[: min(ends)]


def example(pieces: Sequence[str], tokenizer: Any) -> Example:
    """The ids of what `texts` gives. Each piece is encoded alone, as a model's tokens end where its prompt ends."""
    ids: list[int] = []
    turn: list[int] = []
    for number, piece in enumerate(pieces):
        new = tokenizer(piece, add_special_tokens=False)["input_ids"]
        ids += new
        turn += [(number + 1) // 2 if number % 2 else 0] * len(new)
    return Example(tuple(ids), tuple(turn))
