"""The conversation that a recorded run left behind, from its events alone, so that it can be continued from its file.

Turns are read again by the family that read them then, because a log holds what was read, not how it goes back to a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from backends.base import Message
from families.base import Family, Turn
from harness.conversation import Conversation, call_id
from harness.ledger import rebuild

Event = Mapping[str, Any]


def messages_of(
    events: Sequence[Event], family: Family, schemas: Sequence[Mapping[str, Any]], history: Sequence[Message] = ()
) -> list[Message]:
    """What `Run.messages` was when the run of these events ended.

    `schemas` are those of the tools that were offered, `history` the messages of the run that it continued.
    """
    conversation = Conversation(history, events[0]["question"], family.thinking_field)
    prompts = rebuild(events)
    for step, of_step in groupby((event for event in events if event.get("step") is not None), lambda event: event["step"]):
        kinds: dict[str, list[Event]] = {}
        for event in of_step:
            kinds.setdefault(event["kind"], []).append(event)
        prompt = next(prompts, ("", []))[0] if "context" in kinds else ""
        if "parsed" in kinds:
            end = kinds["model_end"][0]
            turn = family.parse(end["raw"], schemas, prompt)
            _take_turn(conversation, step, turn, end, kinds)
    conversation.close()
    return conversation()


def _take_turn(conversation: Conversation, step: int, turn: Turn, end: Event, kinds: Mapping[str, Sequence[Event]]) -> None:
    """Adds one turn, and what was answered to it."""
    whole = any(call.error is None for call in turn.calls)
    stopped = end["finish"] in ("user_stopped", "timed_out")
    if end["finish"] != "stop_token" and (stopped or not whole):
        if turn.content.strip():
            conversation.assistant(turn.content, turn.thinking)
        return
    if turn.calls:
        conversation.turn_with_calls(step, turn, end["raw"])
    else:
        conversation.assistant(turn.content, turn.thinking)
    told = kinds.get("feedback", ())
    for event in sorted([*kinds.get("tool_result", ()), *told], key=lambda event: int(event["seq"])):
        if event["kind"] == "tool_result":
            text = event["result"] if event["error"] is None else f"error: {event['error']}"
            conversation.tool(call_id(step, event["call"]), text)
        elif event["given_as"] == "tool":
            conversation.tool(call_id(step, event["call"]), event["text"])
    complaints = [event["text"] for event in told if event["given_as"] == "user"]
    answered = len(told) + len(kinds.get("tool_result", ()))
    if complaints and answered >= len(turn.calls):  # The message follows once every call has been dealt with.
        conversation.user("\n\n".join(complaints))
