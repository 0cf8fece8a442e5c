"""What every model family declares and returns: pure text and tables.

Knows nothing about tensors, tokenizers as objects, HTTP or the page. A family is one frozen `Family` value and one
parser; `families/hermes.py` is the one to read first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from families.pieces import Vocabulary

Lang = Literal["zh", "en"]
Channel = Literal["thought", "tool_call", "content", "control"]


class Text(NamedTuple):
    """One wording in Traditional Chinese and in English, each written for its reader."""

    zh: str
    en: str


def pick(lang: str, zh: str, en: str) -> str:
    """The wording for `lang`; anything that is not "zh" reads English. Use with a Text: `pick(lang, *text)`."""
    return zh if lang == "zh" else en


@dataclass(frozen=True)
class CallError:
    """Why a call cannot be run.

    `kind` is one of "unterminated", "bad_arguments", "no_name", "not_a_call"; `at` is the character of the raw turn
    where reading broke; `text` says it in words in both languages, so that the page can switch language at any moment.
    """

    kind: str
    at: int
    text: Text


@dataclass(frozen=True)
class Call:
    """One tool call as the family wrote it.

    `arguments` is None when and only when `error` is set. `raw_args` is the argument text as written. `span` is
    [from, to) in characters of the raw turn, markers included. `repaired` says what slip was read through.
    """

    name: str
    arguments: dict[str, Any] | None
    raw_args: str
    span: tuple[int, int]
    error: CallError | None = None
    repaired: Text | None = None


@dataclass(frozen=True)
class Turn:
    """What a parser makes of one raw turn.

    `thinking` is None when there was none (an empty block counts as none). The spans are [from, to) in characters of the
    raw turn: where the thinking and the content stand, without markers. Every character of the raw turn is in thinking,
    content, a call's span, or a known marker or the layout white space beside one.
    """

    thinking: str | None
    content: str
    calls: tuple[Call, ...] = ()
    thinking_spans: tuple[tuple[int, int], ...] = ()
    content_spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class TokenGroup:
    """Control tokens that belong together, for the Model tab and for the tooltips of the prompt."""

    name: Text
    purpose: Text
    tokens: Mapping[str, Text]


@dataclass(frozen=True)
class FileNote:
    """What one file of a checkpoint is for; `fields` maps a dotted path into its JSON to what that value means."""

    file: str
    note: Text
    fields: Mapping[str, Text] = field(default_factory=dict)


Parser = Callable[[str, Sequence[Mapping[str, Any]], str], Turn]
TurnWriter = Callable[[str, Sequence[tuple[str, Mapping[str, Any]]]], str]
"""From a turn's text and its calls, each a name and arguments, to what the model writes for them."""


@dataclass(frozen=True)
class Headers:
    """How a model heads each message that it writes, where the format has it do so.

    A header begins with one of `openers` (the first of which begins a message) and ends with `closer`; `channel_of` reads
    from the text between, openers included, in which channel the message stands.
    """

    openers: tuple[str, ...]
    closer: str
    channel_of: Callable[[str], Channel]

    def last_in(self, prompt: str) -> tuple[str, bool] | None:
        """The last header of a prompt and whether it was closed; None where the prompt has none."""
        start = prompt.rfind(self.openers[0])
        if start < 0:
            return None
        header, closer, _ = prompt[start:].partition(self.closer)
        return header, bool(closer)


@dataclass(frozen=True)
class Family:
    """Everything that differs between model families, as data, and the family's parser.

    `parse(raw, tools, prefix)` reads one raw turn (control tokens included, as decoded): `tools` are the OpenAI-style
    schemas that were offered, `prefix` is the prompt or its end, because a template may have opened (or opened and
    closed) the thinking already. It never raises and is linear in the length of `raw`.
    """

    key: str
    name: str
    model_types: frozenset[str]
    """The `model_type` values of config.json that this family covers."""
    required_tokens: tuple[str, ...]
    """Control tokens a tokenizer must have for a checkpoint of such a model_type to count as this family."""
    parse: Parser
    channels: Mapping[str, Channel]
    """Which channel holds after this control token; the token itself is shown in the channel "control"."""
    thinking_openers: tuple[str, ...]
    """A prompt that ends with one of these has opened the thinking for the model."""
    stop_tokens: Mapping[str, Text]
    """Tokens that end a turn, and what stopping at each means."""
    thinking_field: str | None
    """The message field from which the chat template reads earlier thinking."""
    thinking_argument: str | None
    """The chat template's variable that switches thinking, e.g. "enable_thinking"; None where there is no switch."""
    keeps_text_before_call: bool
    """Whether text before a call survives when the turn is rendered again as history."""
    user_turn_start: str
    """The text with which the template starts a user's turn."""
    token_groups: tuple[TokenGroup, ...]
    thinking_note: Text
    """What the thinking toggle does to the prompt."""
    tools_note: Text
    """How tool schemas appear in the prompt."""
    sampling: Mapping[str, float]
    """Recommended sampling where the checkpoint ships none: temperature, top_p, top_k."""
    vocabulary: Vocabulary
    file_notes: tuple[FileNote, ...]
    call_closers: tuple[str, ...] = ()
    """Control tokens that end a call: what follows goes back to the channel that the call interrupted."""
    string_marks: tuple[str, ...] = ()
    """What opens and closes a string inside a call; a marker in there is part of the value."""
    headers: Headers | None = None
    """How messages are headed, where the model writes the headers itself."""
    thinking_values: tuple[Any, Any] = (False, True)
    """What `thinking_argument` is set to for thinking off and on."""
    call_ids: str | None = None
    """The ids of calls that the chat template writes into the prompt, as a format of the tool's `name` and the call's `number`
    in the conversation; None where it writes none."""
    one_call_a_message: bool = False
    """Whether the chat template refuses a message with more than one call, so that earlier calls must stand in one each."""
    alternates: bool = False
    """Whether the chat template refuses a user's message after another one or straight after a tool's result, or does not begin a
    turn with it."""
    thinking_marks: tuple[str, str] | None = None
    """What stands around thinking in the content of a message, where a chat template reads earlier thinking from there alone."""
    cut_in_text: re.Pattern[str] | None = None
    """The markers at which the chat template refuses a message of the model or cuts text out of it, even where they only stand in
    a sentence about them."""
    write_turn: TurnWriter | None = None
    """Writes text and calls as the model does, for chat templates that read of an earlier message its content alone."""
    template_mark: str = ""
    """Text that the chat template must contain, where neither the model_type nor the control tokens tell formats apart."""
    note: Text | None = None
    """What a reader must know wherever the family is named, in a sentence of its own."""

    def purpose_of(self, token: str) -> Text | None:
        """What a control token is for, or None where the family's tables do not name it."""
        for group in self.token_groups:
            if token in group.tokens:
                return group.tokens[token]
        return None

    @property
    def thinking_tokens(self) -> tuple[str, ...]:
        """The control tokens that open thinking, and those that lead from it to the content."""
        meant = [token for token, channel in self.channels.items() if channel in ("thought", "content")]
        return tuple(token for token in meant if token not in self.call_closers)

    def ended(self, raw: str) -> str:
        """A turn that was not cut off, with the stop token that says so where it was left out."""
        return raw if raw.rstrip().endswith(tuple(self.stop_tokens)) else raw + next(iter(self.stop_tokens), "")

    def opening_channel(self, prompt: str) -> Channel:
        """The channel in which the first token of a turn stands, given the prompt it answers."""
        last = self.headers.last_in(prompt) if self.headers else None
        if self.headers and last:
            header, closed = last
            return self.headers.channel_of(header) if closed else "control"
        return "thought" if prompt.endswith(self.thinking_openers) else "content"
