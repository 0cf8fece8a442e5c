"""One turn of the model: what it writes goes to the log token by token, and comes back whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backends.base import Backend, BackendError, BackendEvent, Done, Encoded, Prefill, Sampling, Token, ToolSchema
from families.base import Channel
from families.reading import ChannelReader
from harness.drafts import DraftCount
from harness.ends import backend_errors
from harness.events import EventLog
from harness.forming import FormingCalls
from harness.handover import Handover, LeftAlone
from harness.line import Place
from harness.records import rounded, token_fields

_GRACE_S = 0.5  # How long a stopped generation may take to end by itself before the run leaves it.


@dataclass
class Written:
    """What the model wrote: the text that each token completed, their ids, and how the turn ended (a backend's finish)."""

    texts: list[str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    finish: str = ""

    @property
    def raw(self) -> str:
        return "".join(self.texts)


class TurnWriter:
    """Lets the model write one turn of a step and records it.

    `schemas` are the tools that were offered; `gives_up` says whether the run wants to end, and `why` how its end is called then:
    "user_stopped" or "timed_out".
    """

    def __init__(
        self, log: EventLog, step: int, backend: Backend, schemas: Sequence[ToolSchema], gives_up: Callable[[], bool],
        why: Callable[[], str],
    ) -> None:
        self._log = log
        self._schemas = schemas
        self._step = step
        self._backend = backend
        self._gives_up = gives_up
        self._why = why

    def write(self, encoded: Encoded, sampling: Sampling, place: Place) -> Written:
        """The turn that answers the prompt. A stop ends it at once, even while the prompt is read; the generation that is left
        then keeps `place` until it ends. Raises Over with backend_error."""
        written = Written()
        drafts = DraftCount()
        channels = ChannelReader(self._backend.family, encoded.text)
        forming = FormingCalls(self._backend.family, self._schemas, encoded.text)
        place.share()
        work = Handover(lambda: _timed(self._backend.generate(encoded, sampling, self._gives_up)), on_end=place.release)
        done: Done | None = None
        began = reached = 0.0
        with backend_errors():
            try:
                for reached, event in work.take(self._gives_up, _GRACE_S):
                    if isinstance(event, Prefill):
                        began = reached
                        ms = round(event.ms, 3)
                        self._log.append("prefill", self._step, n_tokens=event.n_tokens, n_reused=event.n_reused, ms=ms)
                    elif isinstance(event, Token):
                        channel = self._token(event, written, channels)
                        drafts.add(event.draft, channel)
                        self._forms(forming.feed(written.texts[-1], channel, channels.channel))
                    else:
                        done = event
            except LeftAlone:  # The backend can no longer say how long it wrote: the clock says when its last token came.
                done = done or Done("user_stopped", None, len(written.ids), (reached - began) * 1000)
            if done is None:
                raise BackendError("The model stopped without saying why.", "模型沒有說明原因就停止了。")
        self._end(done, written, drafts.fields(done.n_forwards) if sampling.drafter is not None else None)
        return written

    def _token(self, token: Token, written: Written, channels: ChannelReader) -> Channel:
        fields = token_fields(token)
        channel = channels.feed(fields["text"])
        if channels.reach:
            fields["marker"] = 1 + _n_tokens(written.texts, channels.reach)
        self._log.append("token", self._step, index=len(written.ids), channel=channel, **fields)
        written.ids.append(token.id)
        written.texts.append(fields["text"])
        return channel

    def _forms(self, known: Mapping[str, Any] | None) -> None:
        if known is not None:
            self._log.append("call_forming", self._step, **known)

    def _end(self, done: Done, written: Written, drafting: dict[str, Any] | None) -> None:
        written.finish = self._why() if done.finish == "user_stopped" else done.finish
        seconds = done.decode_ms / 1000
        self._log.append(
            "model_end",
            self._step,
            raw=written.raw,
            finish=written.finish,
            stop_piece=done.stop_piece,
            n_tokens=len(written.ids),
            decode_ms=round(done.decode_ms, 3),
            # The first token needs no time of its own: it is drawn from what the reading of the prompt ends with.
            tok_per_s=rounded((len(written.ids) - 1) / seconds) if seconds > 0 and len(written.ids) > 1 else None,
            mtp=drafting,
        )


def _timed(events: Iterable[BackendEvent]) -> Iterator[tuple[float, BackendEvent]]:
    """Each event with the time at which it came, however late it is taken."""
    for event in events:
        yield time.monotonic(), event


def _n_tokens(texts: Sequence[str], n_characters: int) -> int:
    """How many of the last tokens hold the last characters."""
    count = 0
    while n_characters > 0 and count < len(texts):
        count += 1
        n_characters -= len(texts[-count])
    return count
