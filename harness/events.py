"""The event log: the one contract between a run and everything that shows, replays, compares or exports it.

A log is an append-only list of plain dicts that go to JSON as they are. Each has `seq` (0, 1, 2, …), `kind`, `t` (seconds
since the run began) and, where it belongs to one pass of the loop, `step` (1, 2, …). The fields of each kind:

run_start      run_id, model, family, commit (of the hub's checkpoint), path (of a checkpoint of no commit), device, dtype (each
               null where there is none or it is not known), settings {temperature, top_p, top_k, max_new_tokens, seed (where
               none was given the one that was drawn; null at temperature 0), drafter, max_steps, time_limit_s, thinking (null
               where the model has no switch for it), system_prompt}, tools [name], question, attachments [], lang, continues
               (run_id or null),
               control_tokens {token: {zh, en}} (what each control token of the family is for; tokens without a known
               purpose map to null), stop_tokens {token: {zh, en}}, vocabulary ("byte_level" | "sentencepiece": the alphabet in
               which pieces are stored), defaults_from ("checkpoint" | "family"), context_length
step_start     -
context        added_from, ids_from (the prompt's first characters and tokens that stood in the last step's prompt and
               output already, unchanged; 0 in a run's first step), text, ids, ends, special (only the new part: text from
               added_from on; ids from ids_from on; ends[i] is the character, counted from added_from, at which token i
               ends, or ends is absent; special are positions in these ids), n_tokens (of the whole prompt),
               media_tokens {kind: n}, context_length, roles {role: number of messages},
               origins [[author, state, n tokens, n characters], …] (whose the new part is, run by run, whole tokens each; n
               tokens is null where ends is absent): author is system | tools (what stands there only because tools are
               offered) | user | tool | model | harness (what it told the model) | template; state is new | again (unchanged,
               but read again) | rewritten (stands where something else was read or written) | reused (as it was from the
               beginning on, which only the first prompt of a run that continues another has here),
               departs (null where the prompt only goes on from what was read and written, else {token (how many of the
               whole prompt's tokens are as they were), kind (of the first change), was, now (the text from there on, then and
               now, cut), changes [[kind, n tokens that stood there, n that stand there now, n places], …], n_again (tokens
               that are read again; numbers of tokens are null where ends is absent)}; kind is thinking |
               empty_thinking | arguments | white_space | order | text | stop_token | system | tools | template | tokens:
               harness/changes.py says what each is)
prefill        n_tokens, n_reused, ms
token          index (0, 1, … in the turn), id, piece, text, special, channel, and what is known of p, logprob, rank, entropy,
               p_sampled, kept, top [[id, piece, p, kept as 0 or 1], …]. Probabilities are rounded to 6 significant digits;
               one below 1 stays below.
               marker where a marker of the format ends here that began some tokens before: how many tokens it spans.
               draft {piece, accepted, place, dropped [piece]} where a drafter had guessed: what it had guessed here, whether the
               model's own pick was the same, the guess's place in its draft (a draft's first is 0), and what was guessed
               behind one that fell, or behind the turn's last token, which was never looked at
model_end      raw, finish (stop_token | max_new_tokens | context_full | user_stopped | timed_out), stop_piece, n_tokens,
               decode_ms (as the backend says; where a stop left it at work by the clock, from the prompt's end to the last
               token that came), tok_per_s (of the tokens after the first, which comes with the reading of the prompt; null
               where there is none or no time passed), mtp (null where nobody was to guess, else {drafted
               (guesses looked at, and those that were dropped), accepted, forwards (forward passes of the model
               after the prompt, null where not known), by_place [[looked at, accepted], …] (by place in the draft), by_channel
               {channel: [looked at, accepted]}}). Absent where the backend failed in the middle of the turn.
call_forming   call (0, 1, … in the turn), name, span_from, args_from (the tokens with which the call and its arguments
               begin; args_from is null until they do). Comes between tokens, as soon as the name is known and again when more is;
               the parsed event replaces it.
parsed         thinking (null where none), content, thinking_spans, content_spans [[token from, to), …] (the tokens that wrote
               them), tool_calls [{name, arguments (null on error), raw_args, error (null or {kind, at, zh, en}), repaired
               (null or {zh, en}), span [token from, to), args_span (of the argument text, null where there is none),
               value_spans {argument: [token from, to)} (of each value whose place is certain)}]
tool_start     call (index in parsed.tool_calls), name, arguments. Absent where the arguments do not fit the tool's schema: the
               tool_result then says so and the tool does not run.
tool_result    call, name, result (text, null on error), error (text, null on success), ms (where the tool was left, how long
               it was waited for; null where it did not run), truncated
feedback       call (index, or null where the whole turn is meant), why (format_error | unknown_tool | repeated_call), text,
               given_as (the role of the message that carries it: "tool" | "user")
run_end        stop_reason, final (the answer, null where there is none), n_steps, n_tokens (written), seconds, error (null or
               {zh, en})

stop_reason is one of STOP_REASONS. Readers skip kinds and fields that they do not know.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from harness.run_file import FORMAT_VERSION, Event, hold

STOP_REASONS = (
    "answer", "max_steps", "max_new_tokens", "user_stopped", "timed_out", "context_full", "repeated_calls",
    "format_errors", "denied", "backend_error",
)

_ESCAPED = re.compile("[\x85\u2028\u2029\ud800-\udfff]")
"""What JSON may hold as it is but a line or UTF-8 may not: further line ends, and lone surrogates."""


def _line(value: Mapping[str, Any]) -> str:
    """Compact JSON on one line, whatever a reader takes for the end of a line, and in nothing that UTF-8 cannot hold."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


class EventLog:
    """Appends events, keeps each one serialised once, and writes it to the run file in the same breath.

    Where the run file cannot be created or written to its end, the log goes on in memory, and `write_error` says why. A file
    that is there already is never overwritten.
    One thread appends; any number read. A reader asks for everything after a sequence number, so that a reload, a second
    tab and a lost connection are the same case.
    """

    def __init__(self, header: Mapping[str, Any], path: Path | None = None) -> None:
        self.header = {"loopglass": FORMAT_VERSION, **header}
        self.path = path
        self._lines: list[str] = []
        self._events: list[Event] = []
        self._began = time.monotonic()
        self._grew = threading.Condition()
        self._file: TextIO | None = None
        self.write_error: str | None = None
        """What kept the run file from being written, or from being written to its end."""
        if path is not None:
            self._open(path)
            self._write(self.header_line)

    def _open(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("x", encoding="utf-8")
            hold(self._file)
        except OSError as error:
            self.write_error = str(error)

    def _write(self, line: str) -> None:
        """A full disk must not end a run, no more than a folder that cannot be written."""
        if self._file is None:
            return
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as error:
            self.write_error = str(error)
            self._close_file()

    def _close_file(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return round(time.monotonic() - self._began, 4)

    def append(self, kind: str, step: int | None = None, **fields: Any) -> Event:
        """Adds one event and returns it. Raises ValueError after run_end and for a value that JSON does not have."""
        with self._grew:
            if self.ended:
                raise ValueError(f"the log has ended; {kind!r} came after run_end")
            event: Event = {"seq": len(self._events), "kind": kind, "t": self.seconds}
            if step is not None:
                event["step"] = step
            event.update(fields)
            line = _line(event)
            self._write(line)
            self._lines.append(line)  # Before the event: a reader without the lock who sees the end finds its line, too.
            self._events.append(event)
            if kind == "run_end":
                self._close_file()
            self._grew.notify_all()
            return event

    @property
    def header_line(self) -> str:
        """The header, serialised as the run file's first line."""
        return _line(self.header)

    @property
    def ended(self) -> bool:
        return bool(self._events) and self._events[-1]["kind"] == "run_end"

    @property
    def events(self) -> list[Event]:
        """A snapshot of the events so far."""
        return list(self._events)

    def lines_after(self, seq: int, limit: int = 1000) -> list[str]:
        """The serialised events with a sequence number above `seq` (-1 for all), at most `limit` of them."""
        return self._lines[seq + 1 : seq + 1 + limit]

    def wait(self, seq: int, timeout_s: float) -> bool:
        """Waits until there is an event after `seq`; False where none came in time."""
        with self._grew:
            return self._grew.wait_for(lambda: len(self._events) > seq + 1, timeout_s)
