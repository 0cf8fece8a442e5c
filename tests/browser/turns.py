"""What the scripted model writes in the browser tests, token by token."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import Turn


def words(text: str) -> list[str]:
    """The text as one token a word, each with the space before it."""
    first, *rest = text.split(" ")
    return [first, *(f" {word}" for word in rest)]


def call(name: str, arguments: str) -> list[str]:
    """A tool call; `arguments` is JSON."""
    return ["<tool_call>", "\n", f'{{"name": "{name}", "arguments": ', arguments, "}", "\n", "</tool_call>"]


def gated(before: str, gate: str, after: str) -> Turn:
    """A turn that waits in the middle until the test opens the gate."""
    return [*words(before), {"gate": gate}, *words(f" {after}")[1:]]


def guessed(guess: str, place: int, *dropped: str, text: str | None = None) -> dict[str, Any]:
    """A token for which a drafter had guessed: the same, unless it is said what the model wrote in its place."""
    return {"text": guess if text is None else text, "guess": guess, "place": place, "dropped": list(dropped)}


def drafting_facts(end: dict[str, Any]) -> str:
    """What the lane says of a turn that saved passes, by its model_end: guesses that were looked at, dropped ones, passes."""
    mtp, written = end["mtp"], end["n_tokens"] - 1
    looked = sum(n for n, _ in mtp["by_place"])
    dropped = mtp["drafted"] - looked
    more = f", {dropped} more {'was' if dropped == 1 else 'were'} dropped unchecked" if dropped else ""
    return (
        f"{mtp['accepted']} of {looked} guesses that were checked held{more}. The first token comes with the reading of the "
        f"prompt; the other {written} took {mtp['forwards']} passes of the model, {written - mtp['forwards']} saved"
    )


PASS = {"pass": True}
CALCULATE = call("calculator", '{"expression": "37 * 48"}')
THINK = ["<think>", "\n", "I", " should", " calculate", ".", "\n", "</think>", "\n", "\n"]
ANSWER = words("37 times 48 is 1776.")
