"""Token ids to text, one token at a time, exactly as decoding the whole turn at once would.

Knows nothing about models or sampling. What a tokenizer's decoder does is read from its own description and falls into two kinds:

- byte-level (GPT-2 and its heirs): each vocabulary entry stands for bytes and the turn is their UTF-8 text, so that a
  stream of bytes decodes it, holding back only the bytes of an unfinished character;
- entries that stand for text, with `<0xE5>`-like entries for single bytes (SentencePiece): neighbouring bytes are read
  together, valid or all invalid, so that a run of them is held back until another entry ends it. Every other entry is
  decoded alone, behind a known one, because the first of a turn is treated differently.

Either way a token costs the same however long the turn is.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from families.pieces import BYTE_OF

_BYTE_ENTRY = re.compile(r"<0x[0-9A-Fa-f]{2}>")


class TextStream(Protocol):
    """Decodes one turn; the texts joined are the decoded turn."""

    def feed(self, token_id: int, last: bool = False) -> str:
        """The text that this token completes, "" while it is incomplete; the `last` one gives what was held back too."""


class Vocabulary:
    """The entries of a tokenizer, and the streams that decode turns with it.

    `pieces[id]` is the entry as stored. Ids that the tokenizer does not know (a model's spare rows) have the piece "" and
    no text, as in the tokenizer's own `decode`. Raises ValueError for a kind of decoder that cannot be streamed exactly.
    """

    def __init__(self, tokenizer: Any, size: int = 0) -> None:
        self._tokenizer = tokenizer
        known: dict[str, int] = tokenizer.get_vocab()
        self.pieces = [""] * max(size, 1 + max(known.values()))
        for piece, token_id in known.items():
            self.pieces[token_id] = piece
        steps = _decoder_steps(tokenizer)
        self._byte_level = steps == ["ByteLevel"]
        self.joins_bytes = "ByteFallback" in steps
        if not self._byte_level and not set(steps) <= _STREAMABLE:
            raise ValueError(f"cannot stream the decoder {steps}; known are ByteLevel alone and {sorted(_STREAMABLE)}")
        self._texts: dict[int, str] = {}
        self._anchor = self._find_anchor()

    def stream(self) -> TextStream:
        """A stream for one turn."""
        return _ByteStream(self.pieces) if self._byte_level else _EntryStream(self)

    def decode(self, ids: Sequence[int]) -> str:
        """The tokenizer's own text of `ids`, control tokens included."""
        text: str = self._tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def inner(self, ids: tuple[int, ...]) -> str:
        """The text of `ids` anywhere but at the start of a turn; that of single tokens is remembered."""
        if len(ids) == 1 and ids[0] in self._texts:
            return self._texts[ids[0]]
        text = self.decode((self._anchor, *ids))[len(self.decode((self._anchor,))) :]
        if len(ids) == 1:
            self._texts[ids[0]] = text
        return text

    def _find_anchor(self) -> int:
        """A token with plain text to decode others behind."""
        return next(token_id for token_id, piece in enumerate(self.pieces) if piece.isascii() and piece.isalnum())


_STREAMABLE = {"Replace", "ByteFallback", "Fuse", "Strip", "Metaspace"}
"""Decoder steps that treat every token alone, save for runs of bytes and for the start of the turn."""


def _decoder_steps(tokenizer: Any) -> list[str]:
    """The types of the tokenizer's decoding steps, in their order."""
    if tokenizer.backend_tokenizer.decoder is None:
        return ["none"]
    decoder = json.loads(tokenizer.backend_tokenizer.decoder.__getstate__())
    steps: Iterable[dict[str, Any]] = decoder["decoders"] if decoder["type"] == "Sequence" else [decoder]
    return ["Strip at the end" if step["type"] == "Strip" and step["stop"] else step["type"] for step in steps]


def piece_bytes(piece: str) -> bytes:
    """The bytes of a byte-level entry. An entry with any other character (a control token with a space) is plain text."""
    try:
        return bytes(BYTE_OF[character] for character in piece)
    except KeyError:
        return piece.encode("utf-8")


class _ByteStream:
    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = pieces
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, token_id: int, last: bool = False) -> str:
        return self._decoder.decode(piece_bytes(self._pieces[token_id]), last)


class _EntryStream:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._run: list[int] = []
        self._at_start = True

    def feed(self, token_id: int, last: bool = False) -> str:
        piece = self._vocabulary.pieces[token_id]
        is_byte = self._vocabulary.joins_bytes and _BYTE_ENTRY.fullmatch(piece) is not None
        text = ""
        if is_byte:
            self._run.append(token_id)
        ends_run = bool(piece) and not is_byte  # an id without an entry is skipped, as if it were not there
        if self._run and (ends_run or last):
            text = self._text(tuple(self._run))
            self._run = []
        if ends_run:
            text += self._text((token_id,))
        return text

    def _text(self, ids: tuple[int, ...]) -> str:
        """The text of a token or a run of bytes; the first of the turn is decoded as the start of a text."""
        text = self._vocabulary.decode(ids) if self._at_start else self._vocabulary.inner(ids)
        self._at_start = False
        return text
