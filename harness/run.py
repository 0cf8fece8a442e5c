"""The loop: one question, step by step, to an answer or to whatever else ends it.

A step renders the conversation, lets the model write a turn, lets the family read it, and answers the calls in it. Everything
that happens goes to the event log and nowhere else; nothing here draws, and nothing here knows which model runs.
"""

from __future__ import annotations

import importlib.metadata
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backends.base import Backend, Encoded, Message
from families.base import Call, Text, Turn
from harness import calls
from harness.conversation import NEVER_ANSWERED, Conversation, call_id, count_roles
from harness.ends import STOPS, Over, backend_errors, is_cut, program_error
from harness.events import EventLog
from harness.handover import LeftAlone
from harness.ledger import Memory, PromptLedger
from harness.line import Place, line_for
from harness.records import can_switch_thinking, checkpoint_fields, clean, jsonable, parsed_fields, text_fields
from harness.settings import Settings
from harness.tools import Tool, registry
from harness.turn import TurnWriter, Written

FORMAT_ERRORS_FORGIVEN = 2
_EMPTY_TURN = "Your last turn had neither an answer nor a tool call. Answer the question, or call a tool."


def new_run_id() -> str:
    """Sorts by time and cannot be guessed."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(12)}"


def _app_version() -> str:
    try:
        return importlib.metadata.version("loopglass")
    except importlib.metadata.PackageNotFoundError:  # Run from a checkout that was not installed.
        return "unknown"


class Run:
    """One question on one backend.

    `history` is the conversation before it (an earlier run's `messages`), `continues` that run's id and `memory` its `memory`,
    so that the first prompt too can be compared with what the model has read. The run file is written
    into `folder`, or to `path`; without either the log stays in memory. `tools` are all that could be offered (`registry()`
    unless given), `settings.tools` names those that are. Raises ValueError for a tool that there is none of.
    """

    def __init__(
        self,
        backend: Backend,
        question: str,
        settings: Settings,
        *,
        history: Sequence[Message] = (),
        continues: str | None = None,
        lang: str = "en",
        folder: Path | None = None,
        path: Path | None = None,
        tools: Mapping[str, Tool] | None = None,
        memory: Memory | None = None,
    ) -> None:
        known = registry() if tools is None else tools
        missing = [name for name in settings.tools if name not in known]
        if missing:
            raise ValueError(f"no tool {missing[0]!r}; there are: {', '.join(known)}")
        self.run_id = new_run_id()
        self.question = clean(question)
        self._backend = backend
        self._settings = settings.seeded()
        self._continues = continues
        self._lang = lang
        self._tools = {name: known[name] for name in settings.tools}
        self._schemas = [tool.schema for tool in self._tools.values()]
        told = () if memory is None else memory.by_harness
        self._conversation = Conversation(history, self.question, backend.family.thinking_field, told)
        self._ledger = PromptLedger(backend, memory)
        self._repeats = calls.Repeats()
        self._format_errors = 0
        self._n_steps = 0
        self._stop = threading.Event()
        self._deadline: float | None = None
        self._place: Place | None = None
        self._thread: threading.Thread | None = None
        header = {
            "run_id": self.run_id,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "app_version": _app_version(),
            "family": backend.family.key,
            **checkpoint_fields(backend),
        }
        in_folder = None if folder is None else folder / f"{self.run_id}.jsonl"
        self.log = EventLog(header, path or in_folder)

    @property
    def messages(self) -> list[Message]:
        """The conversation so far without the system message: the history of a run that continues this one."""
        return self._conversation()

    @property
    def memory(self) -> Memory:
        """What the model has read and written so far, for a run that continues this one."""
        return replace(self._ledger.memory, by_harness=frozenset(self._conversation.by_harness))

    def start(self) -> None:
        """Runs in a thread of its own, which ends with the run. Where there is none to be had the run ends with that error."""
        thread = threading.Thread(target=self.execute, name=f"loopglass-{self.run_id}", daemon=True)
        self._thread = thread
        try:
            thread.start()
        except RuntimeError as error:  # Without an end it would count as going on for ever.
            self._thread = None
            self._record_start()
            self._close(program_error(error))

    def stop(self) -> None:
        """Asks the run to end now, whatever it is doing; it ends with user_stopped. Safe from any thread, at any time."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> bool:
        """Waits for a started run to end; whether it has."""
        if self._thread is not None:
            self._thread.join(timeout)
        return self.log.ended

    def execute(self) -> None:
        """Runs in the caller's thread. The log's last event is run_end whatever happens; what is no expected end is raised
        after it."""
        over = Over("user_stopped")
        try:
            self._record_start()
            self._walk()
        except Over as expected:
            over = expected
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            over = program_error(error)
            raise
        finally:
            self._close(over)

    def _record_start(self) -> None:
        backend, family, settings = self._backend, self._backend.family, self._settings
        control = backend.info.get("control_tokens", {})
        self.log.append(
            "run_start",
            run_id=self.run_id,
            **checkpoint_fields(backend),
            family=family.key,
            device=backend.info.get("device"),
            dtype=backend.info.get("dtype"),
            settings=settings.as_event(can_switch_thinking(backend)),
            tools=list(self._tools),
            question=self.question,
            attachments=[],
            lang=self._lang,
            continues=self._continues,
            control_tokens={token: text_fields(family.purpose_of(token)) for token in control},
            stop_tokens={token: text_fields(text) for token, text in family.stop_tokens.items()},
            vocabulary=family.vocabulary,
            defaults_from=backend.info.get("defaults_from"),
            context_length=backend.context_length,
        )

    def _walk(self) -> None:
        """Step after step; it ends by raising Over."""
        self._place = line_for(self._backend).enter(self._stop.is_set)
        if self._place is None:
            raise Over("user_stopped")
        self._deadline = time.monotonic() + self._settings.time_limit_s
        for step in range(1, self._settings.max_steps + 1):
            self._step(step)
        raise Over("max_steps")

    def _close(self, over: Over) -> None:
        """Writes run_end, answers what was left open so that the conversation can go on, and frees the backend."""
        try:
            self._stop.set()  # A generation that still runs has nobody left to write for.
            self._conversation.close()
            self.log.append(
                "run_end",
                stop_reason=over.stop_reason,
                final=over.final,
                n_steps=self._n_steps,
                n_tokens=sum(event["kind"] == "token" for event in self.log.events),
                seconds=self.log.seconds,
                error=text_fields(over.error),
            )
        finally:
            if self._place is not None:
                self._place.release()

    def _ends_now(self) -> bool:
        return self._stop.is_set() or (self._deadline is not None and time.monotonic() >= self._deadline)

    def _why(self) -> str:
        return "user_stopped" if self._stop.is_set() else "timed_out"

    def _check(self) -> None:
        if self._ends_now():
            raise Over(self._why())

    def _step(self, step: int) -> None:
        self._check()
        self._n_steps = step
        self.log.append("step_start", step)
        encoded = self._context(step)
        written = self._write(step, encoded)
        turn = self._parse(step, encoded, written)
        self._finish(turn, written)
        if turn.calls:
            self._answer_calls(step, turn, written)
        elif turn.content.strip():
            self._conversation.assistant(turn.content, turn.thinking)
            raise Over("answer", turn.content.strip())
        else:
            self._empty_turn(step, turn)

    def _context(self, step: int) -> Encoded:
        """Renders and encodes the conversation, and records what of it is new."""
        messages = self._conversation(self._settings.system_prompt)
        thinking = self._settings.thinking
        with backend_errors():
            encoded = self._backend.encode(self._backend.render(messages, self._schemas, thinking))
            ledger = self._ledger.read(encoded, messages, self._schemas, thinking, frozenset(self._conversation.by_harness))
        self.log.append(
            "context",
            step,
            **ledger,
            n_tokens=encoded.n_tokens,
            media_tokens=dict(encoded.media_tokens),
            context_length=self._backend.context_length,
            roles=count_roles(messages),
        )
        return encoded

    def _write(self, step: int, encoded: Encoded) -> Written:
        """Lets the model write one turn."""
        self._check()
        assert self._place is not None
        return TurnWriter(self.log, step, self._backend, self._schemas, self._ends_now, self._why).write(
            encoded, self._settings.sampling, self._place
        )

    def _parse(self, step: int, encoded: Encoded, written: Written) -> Turn:
        turn = self._backend.family.parse(written.raw, self._schemas, encoded.text)
        self._ledger.wrote(self._conversation.next_key("assistant"), written.texts, written.ids, turn)
        self.log.append("parsed", step, **parsed_fields(turn, written.texts, self._read_call))
        return turn

    def _read_call(self, text: str) -> Turn:
        """What the family makes of a call that stands alone."""
        family = self._backend.family
        return family.parse(family.ended(text), self._schemas, "")

    def _finish(self, turn: Turn, written: Written) -> None:
        """Ends the run where the turn was cut."""
        if not is_cut(turn, written.finish):
            return
        content = turn.content.strip()
        if content:
            self._conversation.assistant(turn.content, turn.thinking)
        raise Over(written.finish, content if content and written.finish not in STOPS else None)

    def _answer_calls(self, step: int, turn: Turn, written: Written) -> None:
        """Answers each call of a turn in order; what the model must mend follows as one message."""
        broken = [call for call in turn.calls if call.error is not None]
        self._conversation.turn_with_calls(step, turn, written.raw)
        if broken:
            self._count_format_error()
        complaints = []
        for index, call in enumerate(turn.calls):
            self._check()
            if call.error is not None:
                complaints.append(self._complain(step, index, call, call.error.text))
            else:
                self._answer(step, index, call)
        if complaints:
            self._conversation.user("\n\n".join(complaints), by_harness=True)

    def _count_format_error(self) -> None:
        self._format_errors += 1
        if self._format_errors > FORMAT_ERRORS_FORGIVEN:
            raise Over("format_errors")

    def _empty_turn(self, step: int, turn: Turn) -> None:
        self._conversation.assistant(turn.content, turn.thinking)
        self._count_format_error()
        self._feedback(step, None, "format_error", _EMPTY_TURN, "user")
        self._conversation.user(_EMPTY_TURN, by_harness=True)

    def _complain(self, step: int, index: int, call: Call, error: Text) -> str:
        """Tells the model in its own words which call could not be read."""
        text = clean(f"Your tool call could not be read: {error.en}\nYou wrote: {call.raw_args.strip()[:300]}"
                     "\nWrite the whole call again.")
        self._feedback(step, index, "format_error", text, "user")
        return text

    def _feedback(self, step: int, index: int | None, why: str, text: str, role: str) -> None:
        self.log.append("feedback", step, call=index, why=why, text=text, given_as=role)

    def _answer(self, step: int, index: int, call: Call) -> None:
        """Answers one whole call: it is told off, refused, or run."""
        name, arguments = clean(call.name), jsonable(call.arguments)
        tool = self._tools.get(name)
        times = self._repeats.count(name, arguments)
        if times > calls.ALLOWED_CALLS:
            raise Over("repeated_calls")
        if times == calls.ALLOWED_CALLS or tool is None:
            why: calls.Why = "unknown_tool" if tool is None else "repeated_call"
            text = calls.unknown_tool(name, self._tools) if tool is None else calls.repeated_call(name)
            self._feedback(step, index, why, text, "tool")
            self._conversation.tool(call_id(step, index), text, by_harness=True)
        else:
            refused = calls.refuse(tool, arguments)
            outcome = refused or self._run_tool(step, index, tool, arguments)
            self._record_result(step, index, name, outcome)
            self._conversation.tool(call_id(step, index), outcome.message, by_harness=refused is not None)

    def _run_tool(self, step: int, index: int, tool: Tool, arguments: Mapping[str, Any]) -> calls.Outcome:
        self.log.append("tool_start", step, call=index, name=tool.name, arguments=arguments)
        began = time.monotonic()
        try:
            return calls.run_tool(tool, arguments, self._ends_now)
        except LeftAlone:
            self._record_result(step, index, tool.name, calls.Outcome(NEVER_ANSWERED, True, calls.ms_since(began)))
            raise Over(self._why()) from None

    def _record_result(self, step: int, index: int, name: str, outcome: calls.Outcome) -> None:
        self.log.append(
            "tool_result",
            step,
            call=index,
            name=name,
            result=None if outcome.failed else outcome.text,
            error=outcome.text if outcome.failed else None,
            ms=outcome.ms,
            truncated=outcome.truncated,
        )
