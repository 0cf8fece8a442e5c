"""A backend that plays a script: the public fake at the one seam where tests and demonstrations may fake anything.

Knows nothing about models: no torch, no transformers. It reads and writes text in words, writes a plain ChatML prompt and
reports made-up numbers that fit together as a model's would. Its model has five candidates at each place, the token that
the script wants and four others; p, rank, entropy, p_sampled and kept are those of that small distribution under the settings.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from backends.base import (
    BackendError,
    BackendEvent,
    Candidate,
    Done,
    Draft,
    Encoded,
    Finish,
    Message,
    Prefill,
    Sampling,
    Token,
    ToolSchema,
)
from families.base import Family, Text
from families.pieces import BYTE_OF

_WORDS = re.compile(r" ?\w+| ?[^\w\s]+|\s+(?!\S)|\s+")
_FILLERS = (" the", " a", " is", " of", " and")
_POLL_S = 0.005
_CHARACTER_OF = {byte: character for character, byte in BYTE_OF.items()}


@dataclass(frozen=True)
class Pause:
    """In a script: wait this long before the next token. A stop ends the wait."""

    seconds: float


@dataclass(frozen=True)
class Drafted:
    """In a script: a text that is one token, and what a drafter had guessed for its place; the guesses are texts too."""

    text: str
    draft: Draft


@dataclass(frozen=True)
class Forward:
    """In a script: a forward pass of the model begins. A turn that holds none does not tell how many it took."""


Item = str | Drafted | Token | Forward | Pause | threading.Event | Exception
"""A piece of text that is one token, with a guess or without; a token as it is; a forward pass; a wait, for a time or until an
event is set; an error to raise."""
ScriptedTurn = str | Exception | Sequence[Item]
"""A text, split into words and control tokens; an error to raise in place of the first token; or item after item."""


@dataclass(frozen=True)
class Rendered:
    """What `render` was given, and what it wrote."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    thinking: bool
    prompt: str


class ScriptedBackend:
    """Plays `turns` in order, one a call of `generate`.

    A turn ends with the family's first stop token unless it holds a stop token itself. `delay_s` passes before each token.
    `drafters` are those that it claims to have; what they guess stands in the script.
    With `numbers=False` the tokens carry no numbers, as from a server that tells none. `rendered` and `generated` record
    what the backend was given, of prompts those that were encoded. Raises BackendError when `generate` is called more often
    than there are turns.
    """

    def __init__(
        self,
        turns: Iterable[ScriptedTurn],
        family: Family,
        *,
        model_id: str = "scripted",
        context_length: int | None = 4096,
        modalities: frozenset[str] = frozenset(),
        delay_s: float = 0.0,
        numbers: bool = True,
        drafters: Mapping[str, Text | None] | None = None,
    ) -> None:
        self.turns = list(turns)
        self.family = family
        self.model_id = model_id
        self.context_length = context_length
        self.modalities = modalities
        self.delay_s = delay_s
        self.numbers = numbers
        self.rendered: list[Rendered] = []
        self._renderings: dict[str, Rendered] = {}
        self.generated: list[tuple[Encoded, Sampling]] = []
        self._control = _control_tokens(family)
        longest_first = sorted(self._control, key=len, reverse=True)
        self._splitter = re.compile(f"({'|'.join(map(re.escape, longest_first))})")
        self._ids = {token: number for number, token in enumerate(self._control)}
        self._read: tuple[int, ...] = ()
        self.info: Mapping[str, Any] = {
            "defaults": dict(family.sampling),
            "defaults_from": "family",
            "control_tokens": dict(self._ids),
        }
        self.drafters: Mapping[str, Text | None] = drafters or {}

    def warmup(self) -> None:
        """There is nothing to warm up."""

    def render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], thinking: bool, generation_prompt: bool = True,
    ) -> str:
        """A plain ChatML prompt; tools stand in a system message, one JSON line each. Thinking from before the last user's
        message is dropped, as Qwen3's template does."""
        parts = []
        asked = max((place for place, message in enumerate(messages) if message["role"] == "user"), default=-1)
        if tools:
            parts.append(_chatml("system", "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)))
        parts += [
            _chatml(message["role"], _body(message, self.family.thinking_field if place > asked else None))
            for place, message in enumerate(messages)
        ]
        if generation_prompt:
            opened = "" if thinking or "<think>" not in self.family.channels else "<think>\n\n</think>\n\n"
            parts.append("<|im_start|>assistant\n" + opened)
        prompt = "".join(parts)
        self._renderings[prompt] = Rendered(tuple(messages), tuple(tools), thinking, prompt)
        return prompt

    def encode(self, prompt: str) -> Encoded:
        """Words and control tokens, each one token."""
        if prompt in self._renderings:
            self.rendered.append(self._renderings.pop(prompt))
        texts = self._split(prompt)
        ends, end = [], 0
        for text in texts:
            end += len(text)
            ends.append(end)
        special = frozenset(place for place, text in enumerate(texts) if text in self._control)
        return Encoded(prompt, tuple(map(self._id, texts)), tuple(ends), special)

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        """Plays the next turn by the rules of `backends.base.Backend.generate`."""
        self.generated.append((encoded, sampling))
        if not self.turns:
            raise BackendError("The script has no turn left.", "腳本裡已經沒有下一輪可以播放。")
        turn = self.turns.pop(0)
        room = math.inf if self.context_length is None else self.context_length - encoded.n_tokens
        limit = _limit(sampling.max_new_tokens, room)
        if limit[0] <= 0:
            yield Done(limit[1], None, 0, 0.0)
            return
        reused = _common_prefix(self._read, encoded.ids[:-1])
        self._read = encoded.ids
        yield Prefill(encoded.n_tokens, reused, 0.0)
        yield from self._play(turn, sampling, should_stop, limit)

    def _play(
        self, turn: ScriptedTurn, sampling: Sampling, should_stop: Callable[[], bool], limit: tuple[float, Finish],
    ) -> Iterator[BackendEvent]:
        began = time.perf_counter()
        written = 0
        forwards: int | None = None

        def done(finish: Finish, stop_piece: str | None = None) -> Done:
            return Done(finish, stop_piece, written, (time.perf_counter() - began) * 1000, forwards)

        for item in self._items(turn):
            if isinstance(item, Exception):
                raise item
            if isinstance(item, Pause | threading.Event):
                _wait(item, should_stop)
                continue
            if isinstance(item, Forward):
                forwards = (forwards or 0) + 1
                continue
            if self.delay_s:
                _wait(Pause(self.delay_s), should_stop)
            token = self._token(item, written, sampling)
            self._read = (*self._read, token.id)
            written += 1
            stopped = should_stop()
            yield token
            if stopped:
                yield done("user_stopped")
                return
            if token.piece in self.family.stop_tokens:
                yield done("stop_token", token.piece)
                return
            if written >= limit[0]:
                yield done(limit[1])
                return

    def _items(self, turn: ScriptedTurn) -> list[Item]:
        """The turn item by item, with the stop token that it does not write itself."""
        items: list[Item]
        if isinstance(turn, Exception):
            return [turn]
        items = list(self._split(turn)) if isinstance(turn, str) else list(turn)
        if not any(_piece_of(item) in self.family.stop_tokens for item in items):
            items.append(next(iter(self.family.stop_tokens)))
        return items

    def _split(self, text: str) -> list[str]:
        """The text in words and control tokens; joined they are the text."""
        parts: list[str] = []
        for chunk in self._splitter.split(text):
            parts += [chunk] if chunk in self._control else _WORDS.findall(chunk)
        return parts

    def _id(self, text: str) -> int:
        return self._ids.setdefault(text, len(self._ids))

    def _piece(self, text: str) -> str:
        """The vocabulary entry as a real tokenizer of the family's kind would store it."""
        if text in self._control:
            return text
        if self.family.vocabulary == "sentencepiece":
            return text.replace(" ", "▁")
        return "".join(_CHARACTER_OF[byte] for byte in text.encode("utf-8"))

    def _token(self, item: str | Drafted | Token, index: int, sampling: Sampling) -> Token:
        if isinstance(item, Token):
            return item
        if isinstance(item, str):
            return self._made(item, index, sampling)
        pieces = tuple(map(self._piece, item.draft.dropped))
        draft = replace(item.draft, piece=self._piece(item.draft.piece), dropped=pieces)
        return replace(self._made(item.text, index, sampling), draft=draft)

    def _made(self, text: str, index: int, sampling: Sampling) -> Token:
        """A token with numbers that fit together."""
        special = text in self._control
        if not self.numbers:
            return Token(self._id(text), self._piece(text), text, special)
        others = [filler for filler in _FILLERS if filler != text][:4]
        weights = _probabilities(index)
        sampled, kept = _after_settings(weights, sampling)
        rank = 2 if kept > 1 and index % 5 == 4 else 1
        texts = [*others[: rank - 1], text, *others[rank - 1 :]]
        top = tuple(
            Candidate(self._id(entry), self._piece(entry), p, place < kept)
            for place, (entry, p) in enumerate(zip(texts, weights, strict=True))
        )
        p = weights[rank - 1]
        entropy = -sum(weight * math.log2(weight) for weight in weights)
        return Token(
            self._id(text), self._piece(text), text, special, p=p, logprob=math.log(p), rank=rank, entropy=entropy,
            p_sampled=sampled[rank - 1], kept=kept, top=top,
        )


def _piece_of(item: Item) -> str | None:
    """What a stop token is known by; None for an item that is no token."""
    if isinstance(item, Token):
        return item.piece
    return item.text if isinstance(item, Drafted) else item if isinstance(item, str) else None


def _control_tokens(family: Family) -> tuple[str, ...]:
    """Every control token that the family's tables name, and ChatML's two, which the prompt is written with."""
    grouped = (token for group in family.token_groups for token in group.tokens)
    return tuple(dict.fromkeys(["<|im_start|>", "<|im_end|>", *family.stop_tokens, *family.channels, *grouped]))


def _chatml(role: str, body: str) -> str:
    return f"<|im_start|>{role}\n{body}<|im_end|>\n"


def _body(message: Message, thinking_field: str | None) -> str:
    """A message's content, with an assistant's thinking before it and its calls after it."""
    thinking = message.get(thinking_field) if thinking_field else None
    body = f"<think>\n{thinking}\n</think>\n\n" if thinking else ""
    body += message.get("content") or ""
    for call in message.get("tool_calls") or ():
        body += f"<tool_call>\n{json.dumps(call['function'], ensure_ascii=False)}\n</tool_call>"
    return body


def _limit(max_new_tokens: int, room: float) -> tuple[float, Finish]:
    """How many tokens may be written, and what it means to have written them all."""
    return (max_new_tokens, "max_new_tokens") if max_new_tokens <= room and room > 0 else (room, "context_full")


def _common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _wait(pause: Pause | threading.Event, should_stop: Callable[[], bool]) -> None:
    """Waits for the time or the event, but no longer than until a stop is asked for."""
    deadline = time.monotonic() + pause.seconds if isinstance(pause, Pause) else math.inf
    event = pause if isinstance(pause, threading.Event) else threading.Event()
    while not should_stop() and (left := deadline - time.monotonic()) > 0:
        if event.wait(min(left, _POLL_S)):
            return


def _probabilities(index: int) -> list[float]:
    """Five probabilities, falling, with sum 1; which ones depends on the place in the turn alone."""
    first = 0.5 + 0.45 * ((index * 0.618034) % 1.0)
    rest = 1.0 - first
    return [first, rest * 0.5, rest * 0.25, rest * 0.15, rest * 0.1]


def _after_settings(weights: Sequence[float], sampling: Sampling) -> tuple[list[float], int]:
    """The five probabilities after temperature, top-k and top-p, 0 where cut, and how many were kept."""
    if sampling.temperature == 0:
        return [1.0] + [0.0] * (len(weights) - 1), 1
    warmed = [(weight / weights[0]) ** (1 / sampling.temperature) for weight in weights]
    kept = min(sampling.top_k or len(weights), len(weights))
    whole = sum(warmed[:kept])
    reached = 0.0
    for place in range(kept):
        reached += warmed[place] / whole
        if reached >= sampling.top_p:
            kept = place + 1
            break
    whole = sum(warmed[:kept])
    return [warm / whole if place < kept else 0.0 for place, warm in enumerate(warmed)], kept
