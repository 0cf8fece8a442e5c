"""The scripted backend plays what it is told."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence

import pytest

from backends.base import BackendError, BackendEvent, Done, Encoded, Prefill, Sampling, Token
from backends.scripted import Pause, ScriptedBackend
from families.hermes import HERMES

PROMPT = Encoded("hi", (100,))


def play(backend: ScriptedBackend, sampling: Sampling | None = None) -> list[BackendEvent]:
    return list(backend.generate(PROMPT, sampling or Sampling(), lambda: False))


def texts(events: Sequence[BackendEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, Token)]


def test_a_text_is_split_into_words_and_control_tokens() -> None:
    events = play(ScriptedBackend(["<think>\nTwo  words.</think>好"], HERMES))
    assert texts(events) == ["<think>", "\n", "Two", " ", " words", ".", "</think>", "好", "<|im_end|>"]
    assert [event.special for event in events if isinstance(event, Token)] == [True, *[False] * 5, True, False, True]
    assert isinstance(events[-1], Done)
    assert (events[-1].finish, events[-1].stop_piece) == ("stop_token", "<|im_end|>")


def test_pieces_look_like_those_of_the_vocabulary() -> None:
    events = play(ScriptedBackend([[" you", "\n", "好"]], HERMES))
    assert [event.piece for event in events if isinstance(event, Token)] == ["Ġyou", "Ċ", "å¥½", "<|im_end|>"]


def test_items_are_played_as_they_are() -> None:
    byte = Token(7, "å", "", False, p=0.5)
    events = play(ScriptedBackend([["two words", byte, Pause(0.0), "<|endoftext|>", "never"]], HERMES))
    assert texts(events) == ["two words", "", "<|endoftext|>"]
    assert events[2] is byte


def test_an_error_is_raised_in_its_place() -> None:
    backend = ScriptedBackend([["one", BackendError("broke", "壞了")], BackendError("at once", "馬上")], HERMES)
    generation = backend.generate(PROMPT, Sampling(), lambda: False)
    assert isinstance(next(generation), Prefill)
    assert isinstance(next(generation), Token)
    with pytest.raises(BackendError, match="broke"):
        next(generation)
    with pytest.raises(BackendError, match="at once"):
        play(backend)


def test_a_script_that_is_over_says_so() -> None:
    with pytest.raises(BackendError, match="no turn left"):
        play(ScriptedBackend([], HERMES))


def test_it_waits_for_an_event() -> None:
    gate = threading.Event()
    backend = ScriptedBackend([["one", gate, "two"]], HERMES)
    seen: list[BackendEvent] = []
    first_came = threading.Event()

    def run() -> None:
        for event in backend.generate(PROMPT, Sampling(), lambda: False):
            seen.append(event)
            if isinstance(event, Token):
                first_came.set()

    thread = threading.Thread(target=run)
    thread.start()
    first_came.wait()
    assert texts(seen) == ["one"]
    gate.set()
    thread.join()
    assert texts(seen) == ["one", "two", "<|im_end|>"]


def test_a_stop_ends_a_wait() -> None:
    backend = ScriptedBackend([["one", threading.Event(), "two", "three"]], HERMES)
    seen: list[BackendEvent] = []
    for event in backend.generate(PROMPT, Sampling(), lambda: bool(texts(seen))):
        seen.append(event)
    assert texts(seen) == ["one", "two"]
    assert isinstance(seen[-1], Done)
    assert seen[-1].finish == "user_stopped"


def test_it_records_what_it_was_given() -> None:
    backend = ScriptedBackend(["a"], HERMES)
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "", "reasoning_content": "Hm.", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}]},
        {"role": "tool", "name": "f", "tool_call_id": "1", "content": "2"},
    ]
    prompt = backend.render(messages, [{"type": "function"}], False)
    assert prompt == (
        '<|im_start|>system\n{"type": "function"}<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n'
        '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call><|im_end|>\n'
        "<|im_start|>tool\n2<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    )
    assert "Hm." not in backend.render([*messages, {"role": "user", "content": "and?"}], [], False)
    play(backend, Sampling(seed=3))
    assert backend.rendered == []
    backend.encode(prompt)
    assert backend.rendered[0].prompt == prompt
    assert backend.rendered[0].thinking is False
    assert backend.generated == [(PROMPT, Sampling(seed=3))]


def test_importing_it_imports_no_torch() -> None:
    code = "import sys, backends.scripted; sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
