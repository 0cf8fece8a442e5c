"""The seam between whatever runs a model and everything above it: one Protocol and the values that cross it.

Imports neither torch nor transformers, so that harness/ can import it. `backends/local.py` is the first implementation,
`backends/scripted.py` the public fake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from families.base import Family, Text

Message = dict[str, Any]
"""A chat message as chat templates read it: role, content, and for the assistant tool_calls
[{"id", "type": "function", "function": {"name", "arguments": dict}}] and the family's thinking field; for a tool's
answer role "tool", name, tool_call_id, content."""

ToolSchema = Mapping[str, Any]
"""{"type": "function", "function": {"name", "description", "parameters": JSON Schema}}."""

Progress = Callable[[Text, float | None], None]
"""Called with what is being done and how much of it is done, from 0 to 1; None where that is unknown."""

Finish = Literal["stop_token", "max_new_tokens", "user_stopped", "context_full"]


COLDEST = 1e-6
"""The lowest temperature that is not 0: float32 cannot hold logits over one that is far lower."""


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn. Temperature 0 takes the most likely token (lowest id among equals). top_k 0 and top_p 1 cut
    nothing. `seed` None draws differently each time. Order: temperature, then top-k, then top-p, as in transformers."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    max_new_tokens: int = 512
    seed: int | None = None
    drafter: str | None = None
    """Who guesses tokens ahead: one of the backend's `drafters`, or None for nobody."""


@dataclass(frozen=True)
class Encoded:
    """A prompt as the model reads it.

    `ends[i]` is the character of `text` where token i ends (tokens that share a character share the end); None where the
    tokenizer gives no offsets. `special` holds the positions in `ids` that are control tokens. `media` are the model
    inputs beside the ids; `media_tokens` counts placeholder tokens by kind.
    """

    text: str
    ids: tuple[int, ...]
    ends: tuple[int, ...] | None = None
    special: frozenset[int] = frozenset()
    media: Mapping[str, Any] = field(default_factory=dict)
    media_tokens: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_tokens(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Prefill:
    """The prompt has been read: `n_tokens` in all, `n_reused` of them from the cache of an earlier step, in `ms`."""

    n_tokens: int
    n_reused: int
    ms: float


@dataclass(frozen=True)
class Candidate:
    """One of the most likely tokens at a place: `p` in the model's own distribution, `kept` whether the settings left it."""

    id: int
    piece: str
    p: float
    kept: bool


@dataclass(frozen=True)
class Draft:
    """What a drafter had guessed for a token's place, and whether the model's own pick was the same. `place` counts from 0 in
    the draft; `dropped` are the pieces guessed behind one that fell, or behind the turn's last token, which were never looked at.
    """

    piece: str
    accepted: bool
    place: int
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Token:
    """One token that was written. Numbers that the backend does not know are None; they are never guessed.

    p, logprob (natural), rank (1 is most likely, ties share it) and entropy (bits) are of the model's own distribution;
    p_sampled is of the distribution the token was drawn from, of which `kept` candidates were left. `top`: the 5 most
    likely, equal ones lowest id first. `text` is what this token completes ("" inside an unfinished character); the texts
    of a turn joined are the decoded turn.
    """

    id: int
    piece: str
    text: str
    special: bool
    p: float | None = None
    logprob: float | None = None
    rank: int | None = None
    entropy: float | None = None
    p_sampled: float | None = None
    kept: int | None = None
    top: tuple[Candidate, ...] | None = None
    draft: Draft | None = None


@dataclass(frozen=True)
class Done:
    """The turn is written. `stop_piece` is the token that ended it where one did; `decode_ms` excludes the prefill, and so does
    `n_forwards`, the number of forward passes, None where it is not known."""

    finish: Finish
    stop_piece: str | None
    n_tokens: int
    decode_ms: float
    n_forwards: int | None = None


BackendEvent = Prefill | Token | Done


class BackendError(Exception):
    """The model or its server failed. The message says what happened and what to do, in English; `zh` says it in Chinese."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.zh = zh


class Backend(Protocol):
    """Whatever runs a model. Implementations: `backends.local.LocalBackend`, `backends.scripted.ScriptedBackend`."""

    model_id: str
    """The name the user knows the model by."""
    family: Family
    modalities: frozenset[str]
    """What it reads beside text: a subset of {"image", "audio", "video"}."""
    context_length: int | None
    info: Mapping[str, Any]
    """For the Model tab and the sidebar. `info["defaults"]` is {"temperature", "top_p", "top_k"} and
    `info["defaults_from"]` says whose they are: "checkpoint" or "family". `info["control_tokens"]` maps each control
    token of the vocabulary to its id. `info["commit"]` is the hub's commit that the checkpoint is of, `info["path"]` where it
    lies, and `info["notice"]` a Text that says why it is not what was asked for; each missing or None where there is none."""

    drafters: Mapping[str, Text | None]
    """Who can guess tokens ahead for this model: a name for `Sampling.drafter`, and why it cannot be had, or None if it can."""

    def warmup(self) -> None:
        """Do the work that would make the first token slow. Safe to call again."""

    def render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], thinking: bool, generation_prompt: bool = True,
    ) -> str:
        """The prompt that the checkpoint's chat template writes."""

    def encode(self, prompt: str) -> Encoded:
        """The prompt's token ids; adds nothing to what the template wrote."""

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        """Yields one Prefill, then Token…, then one Done. `should_stop` is asked before each token is handed out: the
        token at which it says yes is the last, and finish is "user_stopped". A prompt that leaves no room yields
        Done("context_full") after no token. Where the prompt is not read to its end (no room, nothing to write, a stop
        while reading) there is no Prefill, only the Done. Raises BackendError."""
