"""The conversation that a recorded run left behind, from its events alone, so that it can be continued from its file.

Turns are read again by the family that read them then, because a log holds what was read, not how it goes back to a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from backends.base import Message
from families.base import Family, Turn
from harness.calls import Outcome
from harness.conversation import NEVER_ANSWERED, Conversation, call_id
from harness.ends import is_cut
from harness.ledger import rebuild
from harness.marks import Key
from harness.records import clean
from harness.run_file import Event, UnreadableRun


def conversation_of(
    events: Sequence[Event],
    family: Family,
    schemas: Sequence[Mapping[str, Any]],
    history: Sequence[Message] = (),
    by_harness: frozenset[Key] = frozenset(),
) -> Conversation:
    """The conversation as it was when the run of these events ended.

    `schemas` are those of the tools that were offered, `history` the messages of the run that it continued, of which
    `by_harness` carry the harness's words. Raises UnreadableRun where the family reads a turn otherwise than it did then, as
    that of a checkpoint which no family knows does without its tokenizer.
    """
    conversation = Conversation(history, events[0]["question"], family.thinking_field, by_harness)
    prompts = rebuild(events)
    for step, of_step in groupby((event for event in events if event.get("step") is not None), lambda event: event["step"]):
        kinds: dict[str, list[Event]] = {}
        for event in of_step:
            kinds.setdefault(event["kind"], []).append(event)
        prompt = next(prompts, ("", []))[0] if "context" in kinds else ""
        if "parsed" in kinds:
            end = kinds["model_end"][0]
            turn = family.parse(end["raw"], schemas, prompt)
            read = [(call["name"], call["error"] is None) for call in kinds["parsed"][0]["tool_calls"]]
            if read != [(clean(call.name), call.error is None) for call in turn.calls]:
                raise UnreadableRun(f"the calls of step {step} are read otherwise now")
            _take_turn(conversation, step, turn, end, kinds)
    conversation.close()
    return conversation


def _take_turn(conversation: Conversation, step: int, turn: Turn, end: Event, kinds: Mapping[str, Sequence[Event]]) -> None:
    """Adds one turn, and what was answered to it."""
    if is_cut(turn, end["finish"]):
        if turn.content.strip():
            conversation.assistant(turn.content, turn.thinking)
    elif turn.calls:
        conversation.turn_with_calls(step, turn, end["raw"])
        _take_answers(conversation, step, kinds, len(turn.calls))
    else:
        conversation.assistant(turn.content, turn.thinking)
        for event in kinds.get("feedback", ()):
            conversation.user(event["text"], by_harness=True)


def _take_answers(conversation: Conversation, step: int, kinds: Mapping[str, Sequence[Event]], n_calls: int) -> None:
    """Adds what was answered to the calls of a turn; what the model must mend follows once every call has been dealt with."""
    results = [event for event in kinds.get("tool_result", ()) if event["error"] != NEVER_ANSWERED]
    told, began = kinds.get("feedback", ()), {event["call"] for event in kinds.get("tool_start", ())}
    for event in sorted([*results, *told], key=lambda event: int(event["seq"])):
        if event["kind"] == "tool_result":
            failed = event["error"] is not None
            outcome = Outcome(event["error"] if failed else event["result"], failed)
            conversation.tool(call_id(step, event["call"]), outcome.message, by_harness=event["call"] not in began)
        elif event["given_as"] == "tool":
            conversation.tool(call_id(step, event["call"]), event["text"], by_harness=True)
    complaints = [event["text"] for event in told if event["given_as"] == "user"]
    if complaints and len(told) + len(results) == n_calls:
        conversation.user("\n\n".join(complaints), by_harness=True)
