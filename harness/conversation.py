"""The messages of a conversation, as chat templates read them: what was asked, written, called and answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from backends.base import Message
from families.base import Turn
from harness.marks import Key
from harness.records import clean, jsonable

NEVER_ANSWERED = "the run ended before the tool answered"


def call_id(step: int, index: int) -> str:
    """Nine letters and digits, because some templates accept nothing else; unique in a run."""
    return f"call{step % 100:02}{index % 1000:03}"


class Conversation:
    """A question and what stood before it. The system message is no part of it: each run sends its own.

    `thinking_field` is the message field from which the family's template reads earlier thinking; `by_harness` are the messages
    of `history` that carry the harness's words.
    """

    def __init__(
        self, history: Sequence[Message], question: str, thinking_field: str | None, by_harness: Collection[Key] = (),
    ) -> None:
        self._messages: list[Message] = [dict(message) for message in history if message["role"] != "system"]
        self._thinking_field = thinking_field
        self._open: dict[str, str] = {}  # Id -> name of the calls that have no answer yet.
        self.by_harness: set[Key] = set(by_harness)
        """The messages that carry the harness's words in the place of a user's or a tool's."""
        self.user(question)

    def __call__(self, system_prompt: str = "") -> list[Message]:
        """The messages, after a system message where there is a system prompt."""
        system = [{"role": "system", "content": clean(system_prompt)}] if system_prompt else []
        return [*system, *self._messages]

    def next_key(self, role: str) -> Key:
        """The key of the message that comes next, if it has this role."""
        return len(self._messages), role

    def user(self, text: str, *, by_harness: bool = False) -> None:
        if by_harness:
            self.by_harness.add(self.next_key("user"))
        self._messages.append({"role": "user", "content": text})

    def assistant(self, content: str, thinking: str | None, tool_calls: Sequence[Mapping[str, Any]] = ()) -> None:
        message: Message = {"role": "assistant", "content": clean(content)}
        if thinking and self._thinking_field is not None:
            message[self._thinking_field] = clean(thinking)
        if tool_calls:
            message["tool_calls"] = list(tool_calls)
        self._messages.append(message)

    def turn_with_calls(self, step: int, turn: Turn, raw: str) -> None:
        """A turn: whole calls as calls, and broken ones as the text that the model wrote, so that it can see its slip."""
        whole, broken = [], []
        for index, call in enumerate(turn.calls):
            if call.arguments is None:
                broken.append(raw[slice(*call.span)].strip())
                continue
            function = {"name": clean(call.name), "arguments": jsonable(call.arguments)}
            whole.append({"id": call_id(step, index), "type": "function", "function": function})
            self._open[call_id(step, index)] = function["name"]
        self.assistant("\n".join(filter(None, [turn.content, *broken])), turn.thinking, whole)

    def tool(self, answered: str, text: str, *, by_harness: bool = False) -> None:
        """The answer to the call with the id `answered`."""
        if by_harness:
            self.by_harness.add(self.next_key("tool"))
        self._messages.append({"role": "tool", "name": self._open.pop(answered), "tool_call_id": answered, "content": text})

    def close(self) -> None:
        """Answers the calls that a run's end left open: templates expect an answer to each."""
        for left in list(self._open):
            self.tool(left, f"error: {NEVER_ANSWERED}", by_harness=True)


def count_roles(messages: Sequence[Message]) -> dict[str, int]:
    return dict(Counter(message["role"] for message in messages))
