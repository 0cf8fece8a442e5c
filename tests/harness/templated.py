"""The scripted model with a real tokenizer and chat template: what it reads and writes is cut into real tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import families
from backends.base import Encoded, Message, Token, ToolSchema
from backends.prompts import control_tokens, encode, render
from backends.scripted import Item, ScriptedBackend, ScriptedTurn


class TemplatedBackend(ScriptedBackend):
    """Plays `turns` as the tokens that the tokenizer makes of them. A turn writes its stop token itself."""

    def __init__(self, tokenizer: Any, key: str, turns: Iterable[str]) -> None:
        super().__init__(turns, families.named(key), model_id=key)
        self.tokenizer = tokenizer
        self.control = control_tokens(tokenizer, self.family)

    def render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], thinking: bool, generation_prompt: bool = True,
    ) -> str:
        return render(self.tokenizer, self.family, messages, tools, thinking, generation_prompt)

    def encode(self, prompt: str) -> Encoded:
        return encode(self.tokenizer, self.control, prompt)

    def _items(self, turn: ScriptedTurn) -> list[Item]:
        assert isinstance(turn, str)
        encoded = self.encode(turn)
        assert encoded.ends is not None
        begins = (0, *encoded.ends)
        return [
            Token(number, self.tokenizer.convert_ids_to_tokens(number), turn[begin:end], place in encoded.special)
            for place, (number, begin, end) in enumerate(zip(encoded.ids, begins, encoded.ends, strict=False))
        ]

    def n_tokens(self, text: str) -> int:
        return len(self.encode(text).ids)
