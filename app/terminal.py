"""Draws an event log as text, event by event, for a terminal.

Knows nothing about runs: it is given events and a stream, so a run in progress and a recorded one look the same. Everything
that a model, a user or a tool wrote is shown with its control characters made visible, so that it cannot steer the terminal.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from app.terminal_words import WORDS
from app.viewer_words import WORDS as VIEWER_WORDS
from families.base import Text, pick

Event = Mapping[str, Any]

_RULE_WIDTH = 72
_DIM, _BOLD, _ITALIC = "2", "1", "3"
_CONTROL, _CALL, _GOOD, _BAD = "35", "34", "32", "31"
_CERTAIN = 0.9
_DOUBT = ((0.5, "33"), (0.2, "38;5;208"), (0.0, "31"))
"""Colour by probability: the first bound that a token's p reaches. Above `_CERTAIN` a token stays plain."""


def visible(text: str) -> str:
    """The text with control and direction characters shown as symbols; line breaks and tabs stay."""
    return "".join(_symbol(letter) if unicodedata.category(letter) in ("Cc", "Cf", "Cs") else letter for letter in text)


def _symbol(letter: str) -> str:
    code = ord(letter)
    if letter in "\n\t" or letter == "\u200d":  # The zero-width joiner holds emoji together and steers nothing.
        return letter
    return chr(0x2400 + code) if code < 0x20 else f"<U+{code:04X}>"


def words(lang: str, key: str, **values: object) -> str:
    """The terminal's wording of `key`, with `values` in its {places}."""
    return pick(lang, *WORDS[key]).format(**values)


class Terminal:
    """Writes events to `out` as they come; `colour` switches the escape sequences on."""

    def __init__(self, out: TextIO, lang: str, *, colour: bool) -> None:
        self._out = out
        self._lang = lang
        self._colour = colour
        self._last = "\n"
        self._drawers: Mapping[str, Callable[[Event], None]] = {
            "run_start": self._run_start, "step_start": self._step_start, "context": self._context, "prefill": self._prefill,
            "token": self._token, "model_end": self._model_end, "parsed": self._parsed, "tool_start": self._tool_start,
            "tool_result": self._tool_result, "feedback": self._feedback, "run_end": self._run_end,
        }

    def draw(self, event: Event) -> None:
        """Draws one event; kinds that it does not know are skipped."""
        drawer = self._drawers.get(event["kind"])
        if drawer is not None:
            drawer(event)
            self._out.flush()

    def _say(self, key: str, **values: object) -> str:
        return words(self._lang, key, **values)

    def _style(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self._colour and codes and text else text

    def _write(self, text: str, *codes: str) -> None:
        """Untrusted text, made visible and then styled."""
        shown = visible(text)
        if shown:
            self._out.write(self._style(shown, *codes))
            self._last = shown[-1]

    def _line(self, text: str = "", *codes: str) -> None:
        """A line of its own, whatever stood before it."""
        if self._last != "\n":
            self._write("\n")
        self._write(text, *codes)
        self._write("\n")

    def _run_start(self, event: Event) -> None:
        settings = event["settings"]
        self._line(f"{self._say('question')}: {event['question']}", _BOLD)
        sampling = {name: settings[name] for name in ("temperature", "top_p", "top_k")}
        thinking = self._say({True: "on", False: "off", None: "no_switch"}[settings["thinking"]])
        tools = ", ".join(event["tools"]) or self._say("none")
        commit = event.get("commit")
        model = f"{event['model']}@{commit[:12]}" if commit else event["model"]
        text = self._say("settings", model=model, thinking=thinking, tools=tools, **sampling)
        for name in ("seed", "drafter"):
            if settings.get(name) is not None:
                text += self._say(name, **{name: settings[name]})
        self._line(text, _DIM)
        if event.get("device"):
            self._line(self._say("placed", device=event["device"], dtype=event["dtype"]), _DIM)

    def _step_start(self, event: Event) -> None:
        title = f"── {self._say('step', step=event['step'])} "
        self._line()
        self._line(title.ljust(_RULE_WIDTH, "─"), _BOLD)

    def _context(self, event: Event) -> None:
        self._line(self._prompt(event))
        ends, special = event.get("ends"), set(event["special"])
        if ends is None:
            self._write(event["text"], _DIM)
        else:
            begin = 0
            for place, end in enumerate(ends):
                self._write(event["text"][begin:end], *((_CONTROL,) if place in special else (_DIM,)))
                begin = end
        self._line()

    def _prompt(self, event: Event) -> str:
        """How long the prompt is and, where the log says so, what of it is new and what has to be read once more."""
        text, origins = self._say("prompt", n=event["n_tokens"]), event.get("origins")
        if not origins or any(n is None for _, _, n, _ in origins):
            return text
        new = sum(n for _, state, n, _ in origins if state == "new")
        again = sum(n for _, state, n, _ in origins if state in ("again", "rewritten"))
        return text + self._say("prompt_new", n=new) + (self._say("prompt_again", n=again) if again else "")

    def _prefill(self, event: Event) -> None:
        self._line(self._say("prefill", ms=event["ms"], reused=event["n_reused"]), _DIM)
        self._line()

    def _token(self, event: Event) -> None:
        self._write(event["text"], *_token_codes(event))

    def _model_end(self, event: Event) -> None:
        text = self._say("written", n=event["n_tokens"])
        if event["tok_per_s"] is not None:
            text += self._say("speed", speed=event["tok_per_s"])
        if event["stop_piece"] is not None:
            text += self._say("stopped_at", piece=event["stop_piece"])
        elif f"finish_{event['finish']}" in WORDS:
            text += self._say(f"finish_{event['finish']}")
        self._line()
        self._line(text, _DIM)
        self._drafting(event.get("mtp"))

    def _drafting(self, mtp: Mapping[str, Any] | None) -> None:
        """What became of the guesses, where there were any."""
        if not mtp or mtp["drafted"] == 0:
            return
        text = self._say("guessed", drafted=mtp["drafted"], accepted=mtp["accepted"])
        if mtp["forwards"] is not None:
            text += self._say("forwards", n=mtp["forwards"])
        self._line(text, _DIM)

    def _parsed(self, event: Event) -> None:
        for call in event["tool_calls"]:
            if call["error"] is not None:
                self._line("✗ " + self._say("broken_call", what=self._either(call["error"])), _BAD)
            elif call["repaired"] is not None:
                self._line("✎ " + self._say("repaired", what=self._either(call["repaired"])), _DIM)

    def _tool_start(self, event: Event) -> None:
        arguments = json.dumps(event["arguments"], ensure_ascii=False)
        self._line(f"▶ {self._say('call', name=event['name'])} {arguments}", _CALL)

    def _tool_result(self, event: Event) -> None:
        failed = event["error"] is not None
        text = event["error"] if failed else event["result"]
        note = f" ({self._say('truncated')})" if event["truncated"] else ""
        self._line(f"◀ {event['name']}, {self._say('error' if failed else 'result')}: {text}{note}", _BAD if failed else _GOOD)

    def _feedback(self, event: Event) -> None:
        self._line(f"↩ {self._say('feedback')}: {event['text']}", _BAD)

    def _run_end(self, event: Event) -> None:
        why = VIEWER_WORDS.get(f"why_{event['stop_reason']}", Text(event["stop_reason"], event["stop_reason"]))
        self._line()
        counts = {"steps": event["n_steps"], "tokens": event["n_tokens"], "seconds": event["seconds"]}
        self._line(self._say("end", why=pick(self._lang, *why), **counts), _DIM)
        if event["error"] is not None:
            self._line(self._either(event["error"]), _BAD)
        if event["final"] is None:
            self._line(self._say("no_answer"), _BOLD)
        else:
            self._line(f"{self._say('answer')}: {event['final']}", _BOLD)

    def _either(self, both: Mapping[str, Any]) -> str:
        """A text that the log holds in both languages."""
        return pick(self._lang, both["zh"], both["en"])


def _token_codes(event: Event) -> list[str]:
    """Which styles a token gets: its channel, its probability, and bold where it was not the likeliest."""
    if event["channel"] == "control":
        return [_CONTROL]
    codes = [_ITALIC] if event["channel"] == "thought" else []
    p = event.get("p")
    if p is not None and p < _CERTAIN:
        codes.append(next(code for bound, code in _DOUBT if p >= bound))
    elif event["channel"] == "tool_call":
        codes.append(_CALL)
    return [*codes, _BOLD] if (event.get("rank") or 1) > 1 else codes
