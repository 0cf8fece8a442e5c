"""Values as the event log and the conversation hold them: JSON that every reader accepts.

What a model writes may hold what JSON or a tokenizer does not take: NaN, half a surrogate pair, a thousand nested lists.
Here it becomes text that says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from backends.base import Backend, Token
from families.base import Call, Text, Turn
from families.reading import token_ends, token_span
from harness.places import Places, Read, places

_DEEPEST = 32
_DIGITS = 6  # Significant digits of a probability.
_LAST_BELOW_1 = 0.999999  # With so many digits.


def clean(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold; each becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def jsonable(value: Any, depth: int = 0) -> Any:
    """The value with numbers that JSON lacks as text, surrogates replaced, and no deeper than 32 levels."""
    if depth > _DEEPEST:
        return "(nested too deeply)"
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): jsonable(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(inner, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def checkpoint_fields(backend: Backend) -> dict[str, Any]:
    """What tells the loaded checkpoint from every other: its name and its commit on the hub, or else its path, because folders
    that lie in different places are often called alike."""
    commit, path = backend.info.get("commit"), backend.info.get("path")
    return {"model": backend.model_id, "commit": commit, "path": None if commit or path is None else clean(path)}


def can_switch_thinking(backend: Backend) -> bool:
    """Whether the thinking setting changes the prompt: the family has a switch for it, and the checkpoint's template, as far as
    it could be read, uses that."""
    description = backend.info.get("description")
    templates = description.templates if description is not None else ()
    ignored = bool(templates) and all(template.thinking == () for template in templates)
    return backend.family.thinking_argument is not None and not ignored


def rounded(value: float) -> float:
    """Six significant digits: more would be noise and bytes."""
    return float(f"{value:.{_DIGITS}g}")


def rounded_p(p: float) -> float:
    """A probability, rounded; one below 1 stays below, because to be certain is another thing than to be nearly so."""
    return min(rounded(p), _LAST_BELOW_1) if p < 1 else rounded(p)


def text_fields(text: Text | None) -> dict[str, str] | None:
    return None if text is None else {"zh": text.zh, "en": text.en}


def token_fields(token: Token) -> dict[str, Any]:
    """A token's fields. Numbers that the backend does not know are absent, and so are those that are not finite."""
    fields: dict[str, Any] = {"id": token.id, "piece": clean(token.piece), "text": clean(token.text), "special": token.special}
    for name in ("p", "logprob", "entropy", "p_sampled"):
        number = getattr(token, name)
        if number is not None and math.isfinite(number):
            fields[name] = rounded_p(number) if name in ("p", "p_sampled") else rounded(number)
    for name in ("rank", "kept"):
        if getattr(token, name) is not None:
            fields[name] = getattr(token, name)
    if token.draft is not None:
        fields["draft"] = {"piece": clean(token.draft.piece), "accepted": token.draft.accepted, "place": token.draft.place}
        fields["draft"]["dropped"] = [clean(piece) for piece in token.draft.dropped]
    if token.top is not None:
        fields["top"] = [[one.id, clean(one.piece), rounded_p(one.p), int(one.kept)] for one in token.top]
    return fields


def call_fields(call: Call, ends: Sequence[int], places: Places) -> dict[str, Any]:
    """A call's fields; its spans in tokens, given the characters at which the turn's tokens end."""
    error = None if call.error is None else {"kind": call.error.kind, "at": call.error.at, **(text_fields(call.error.text) or {})}
    return {
        "name": clean(call.name),
        "arguments": jsonable(call.arguments),
        "raw_args": clean(call.raw_args),
        "error": error,
        "repaired": text_fields(call.repaired),
        "span": list(token_span(call.span, ends)),
        "args_span": None if places.arguments is None else list(token_span(places.arguments, ends)),
        "value_spans": {clean(name): list(token_span(span, ends)) for name, span in places.values.items()},
    }


def parsed_fields(turn: Turn, texts: Sequence[str], read: Read) -> dict[str, Any]:
    """What the family made of a turn whose tokens completed `texts`; `read` parses a text as it was parsed."""
    raw, ends = "".join(texts), token_ends(texts)
    return {
        "thinking": None if turn.thinking is None else clean(turn.thinking),
        "content": clean(turn.content),
        "thinking_spans": [list(token_span(span, ends)) for span in turn.thinking_spans],
        "content_spans": [list(token_span(span, ends)) for span in turn.content_spans],
        "tool_calls": [call_fields(call, ends, places(raw, call, read)) for call in turn.calls],
    }
