"""How a vocabulary entry is shown."""

from __future__ import annotations

import pytest

from families.pieces import Vocabulary, show_piece


@pytest.mark.parametrize(
    ("piece", "vocabulary", "shown"),
    [
        ("Ġhello", "byte_level", "␣hello"),
        ("ĊĊ", "byte_level", "↵↵"),
        ("ĉ", "byte_level", "<0x09>"),
        ("č", "byte_level", "<0x0D>"),
        ("å", "byte_level", "<0xE5>"),
        ("åĮĹ", "byte_level", "北"),
        ("åĮ", "byte_level", "<0xE5><0x8C>"),
        ("Ġåı°åĮ", "byte_level", "␣台<0xE5><0x8C>"),
        ("ðŁĺĢ", "byte_level", "😀"),
        ("<|im_end|>", "byte_level", "<|im_end|>"),
        ("<｜Assistant｜>", "byte_level", "<｜Assistant｜>"),
        ("", "byte_level", ""),
        ("▁hello", "sentencepiece", "␣hello"),
        ("▁▁", "sentencepiece", "␣␣"),
        ("\n", "sentencepiece", "↵"),
        ("<0x0A>", "sentencepiece", "↵"),
        ("<0x41>", "sentencepiece", "A"),
        ("<0xE5>", "sentencepiece", "<0xE5>"),
        ("北", "sentencepiece", "北"),
        ("<end_of_turn>", "sentencepiece", "<end_of_turn>"),
    ],
)
def test_shown(piece: str, vocabulary: Vocabulary, shown: str) -> None:
    assert show_piece(piece, vocabulary) == shown
