"""How a vocabulary entry is shown to a reader: spaces, newlines and the bytes of unfinished characters made visible."""

from __future__ import annotations

import re
from typing import Literal

Vocabulary = Literal["byte_level", "sentencepiece"]

SPACE, NEWLINE = "␣", "↵"
_SHOWN = {" ": SPACE, "\n": NEWLINE}
_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def _byte_alphabet() -> dict[str, int]:
    """The byte that each character of a byte-level vocabulary stands for.

    GPT-2 writes the printable bytes as themselves and the other 68 as the characters from U+0100 on, in byte order
    (`bytes_to_unicode` of its published encoder).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + n): byte for n, byte in enumerate(hidden)}


BYTE_OF = _byte_alphabet()


def _visible(text: str) -> str:
    """`text` with spaces and newlines as signs, and other control characters as their bytes."""
    return "".join(_SHOWN.get(char, char) if char >= " " or char == "\n" else f"<0x{ord(char):02X}>" for char in text)


def _show_bytes(data: bytes) -> str:
    shown, at = "", 0
    while at < len(data):
        try:
            return shown + _visible(data[at:].decode("utf-8"))
        except UnicodeDecodeError as error:
            shown += _visible(data[at : at + error.start].decode("utf-8"))
            shown += "".join(f"<0x{byte:02X}>" for byte in data[at + error.start : at + error.end])
            at += error.end
    return shown


def show_piece(piece: str, vocabulary: Vocabulary) -> str:
    """A piece as stored in the vocabulary, made readable.

    ␣ stands for a space, ↵ for a newline and <0xE5> for a byte that is only part of a character. A piece that is not
    written in the vocabulary's alphabet, as an added control token may be, is shown as it stands.
    """
    if vocabulary == "sentencepiece":
        byte = _BYTE_PIECE.fullmatch(piece)
        if byte and int(byte[1], 16) < 0x80:
            return _visible(chr(int(byte[1], 16)))
        return _visible(piece.replace("▁", " "))
    data = [BYTE_OF.get(char) for char in piece]
    if any(byte is None for byte in data):
        return _visible(piece)
    return _show_bytes(bytes(byte for byte in data if byte is not None))
