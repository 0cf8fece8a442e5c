"""What is new in a prompt: a step's prompt begins with what the model has read and written already.

The log records only the rest, so that it stays linear in the run. From the context, token and model_end events alone, every
prompt can be put together again (`rebuild`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backends.base import Encoded


def common_prefix(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two sequences begin with in common."""
    shortest = min(len(one), len(other))
    return next((place for place in range(shortest) if one[place] != other[place]), shortest)


class PromptLedger:
    """Remembers the last step's prompt and output, and tells what of the next prompt is new."""

    def __init__(self) -> None:
        self._text = ""
        self._ids: tuple[int, ...] = ()

    def read(self, encoded: Encoded) -> dict[str, Any]:
        """The fields of the context event that say what is new: added_from, ids_from, text, ids, ends, special."""
        ids_from = common_prefix(self._ids, encoded.ids)
        added_from = common_prefix(self._text, encoded.text)
        ends = encoded.ends
        if ends is not None:
            ids_from, added_from = _token_boundary(ends, ids_from, added_from)
        self._text, self._ids = encoded.text, encoded.ids
        fields: dict[str, Any] = {"added_from": added_from, "ids_from": ids_from, "text": encoded.text[added_from:]}
        fields["ids"] = list(encoded.ids[ids_from:])
        if ends is not None:
            fields["ends"] = [end - added_from for end in ends[ids_from:]]
        return {**fields, "special": [place - ids_from for place in sorted(encoded.special) if place >= ids_from]}

    def wrote(self, text: str, ids: Sequence[int]) -> None:
        """The model has written `text`, as the tokens `ids`, after the prompt read last."""
        self._text += text
        self._ids += tuple(ids)


def _token_boundary(ends: Sequence[int], n_ids: int, n_characters: int) -> tuple[int, int]:
    """The largest common beginning that ends both a token and a character, as (tokens, characters).

    Tokens that share a character share its end, so a boundary between them is none in the text.
    """
    while n_ids and (ends[n_ids - 1] > n_characters or (n_ids < len(ends) and ends[n_ids] == ends[n_ids - 1])):
        n_ids -= 1
    return n_ids, ends[n_ids - 1] if n_ids else 0


def rebuild(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[int]]]:
    """The whole prompt of each step, text and ids, from a run's events alone."""
    text = ""
    ids: list[int] = []
    for event in events:
        if event["kind"] == "context":
            text = text[: event["added_from"]] + event["text"]
            ids = ids[: event["ids_from"]] + list(event["ids"])
            yield text, list(ids)
        elif event["kind"] == "token":
            ids.append(event["id"])
            text += event["text"]
