"""How a run is drawn in the terminal, and that nothing a model writes steers it."""

from __future__ import annotations

import io
import string
from collections.abc import Sequence
from typing import Any

import pytest

from app.terminal import Terminal, visible
from app.terminal_words import WORDS
from backends.base import Sampling
from backends.scripted import ScriptedBackend
from families.hermes import QWEN2_5, QWEN3
from harness.events import STOP_REASONS
from harness.run import Run
from harness.settings import Settings
from tests.harness.scripts import finished


def drawn(turns: Sequence[Any], *, colour: bool, settings: Settings | None = None) -> str:
    out = io.StringIO()
    terminal = Terminal(out, "en", colour=colour)
    for event in finished(turns, settings).log.events:
        terminal.draw(event)
    return out.getvalue()


def test_colours_tell_doubt_from_certainty() -> None:
    text = drawn(["One two three four five six seven eight nine ten eleven twelve."], colour=True)
    assert "\x1b[35m<|im_start|>\x1b[0m" in text  # A control token of the prompt.
    assert "\x1b[35m<|im_end|>\x1b[0m" in text  # A control token of the turn.
    assert "\x1b[33m" in text  # Some token had a probability below 0.9.
    assert "\x1b[" not in drawn(["One two three four five."], colour=False)


def test_thinking_is_not_said_to_be_set_where_nothing_sets_it() -> None:
    for family, expected in ((QWEN3, "thinking on,"), (QWEN2_5, "thinking up to the model,")):
        run = Run(ScriptedBackend(["Hi."], family), "Hi", Settings())
        run.execute()
        out = io.StringIO()
        Terminal(out, "en", colour=False).draw(run.log.events[0])
        assert expected in out.getvalue()


def test_what_repeats_a_run_is_said() -> None:
    text = drawn(["Hi."], colour=False, settings=Settings(Sampling(seed=41, drafter="prompt_lookup")))
    assert "tools: calculator, convert_units, current_time, seed 41, drafting by prompt_lookup\n" in text
    greedy = drawn(["Hi."], colour=False, settings=Settings(Sampling(temperature=0)))
    assert "seed" not in greedy.split("Step 1")[0]
    assert "drafting" not in greedy.split("Step 1")[0]


def test_what_is_read_again_is_not_counted_as_new() -> None:
    out = io.StringIO()
    terminal = Terminal(out, "en", colour=False)
    context = {"kind": "context", "n_tokens": 40, "ids": [0] * 20, "special": [], "text": ""}
    origins = [["model", "reused", 2, 0], ["model", "again", 5, 0], ["model", "rewritten", 4, 0], ["tool", "new", 9, 0]]
    unknown = [["tool", "new", None, 0]]
    for of_context in (origins, [*origins[:1], origins[3]], unknown, []):
        terminal.draw(context | {"origins": of_context})
    assert out.getvalue().split("\n") == [
        "Prompt: 40 tokens, 9 of them new, 9 read again", "", "Prompt: 40 tokens, 9 of them new", "", "Prompt: 40 tokens", "",
        "Prompt: 40 tokens", "", "",
    ]


def test_colour_follows_probability() -> None:
    out = io.StringIO()
    terminal = Terminal(out, "en", colour=True)
    for p in (0.99, 0.7, 0.3, 0.05):
        terminal.draw({"kind": "token", "text": "x", "channel": "content", "p": p, "rank": 1})
    assert out.getvalue() == "x" + "\x1b[33mx\x1b[0m" + "\x1b[38;5;208mx\x1b[0m" + "\x1b[31mx\x1b[0m"


def test_what_a_model_writes_cannot_steer_the_terminal() -> None:
    assert visible("a\x1b[2Jb\x07\x9b\u202ec\n\td") == "a␛[2Jb␇<U+009B><U+202E>c\n\td"
    assert visible("👩\u200d🔬 é 你好") == "👩\u200d🔬 é 你好"
    text = drawn([["One", "\x1b]0;owned\x07", " two"]], colour=False)
    assert "\x1b" not in text
    assert "␛]0;owned␇" in text


def test_a_broken_call_and_what_the_model_is_told() -> None:
    text = drawn(['<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>', "Sorry."], colour=False)
    assert "A call that cannot be read: " in text
    assert "The model is told: Your tool call could not be read" in text


def test_a_recording_with_an_unknown_kind_is_drawn() -> None:
    out = io.StringIO()
    Terminal(out, "en", colour=False).draw({"kind": "aurora"})
    assert out.getvalue() == ""


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_every_end_has_words(reason: str) -> None:
    out = io.StringIO()
    end = {"kind": "run_end", "stop_reason": reason, "final": None, "n_steps": 1, "n_tokens": 2, "seconds": 0.5, "error": None}
    Terminal(out, "en", colour=False).draw(end)
    assert f"Ended: {reason}" not in out.getvalue()
    assert "No answer" in out.getvalue()


def test_the_words_of_both_languages_have_the_same_places() -> None:
    for text in WORDS.values():
        fields = [{name for _, name, _, _ in string.Formatter().parse(wording) if name} for wording in text]
        assert fields[0] == fields[1]
        assert all(text)
