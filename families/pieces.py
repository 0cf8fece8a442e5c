"""The two kinds of vocabulary, and what the characters of a byte-level one stand for."""

from __future__ import annotations

from typing import Literal

Vocabulary = Literal["byte_level", "sentencepiece"]


def _byte_alphabet() -> dict[str, int]:
    """The byte that each character of a byte-level vocabulary stands for.

    GPT-2 writes the printable bytes as themselves and the other 68 as the characters from U+0100 on, in byte order
    (`bytes_to_unicode` of its published encoder).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + n): byte for n, byte in enumerate(hidden)}


BYTE_OF = _byte_alphabet()
