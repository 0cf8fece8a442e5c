"""Texts of tokens, joined, are what the tokenizer decodes at once, for any ids at all."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from backends.decoding import Vocabulary
from tests.backends import tiny

FAMILY = "👩‍👩‍👧"


def sentencepiece(*steps: Any) -> PreTrainedTokenizerFast:
    """A vocabulary of texts and single bytes, decoded by `steps`."""
    words = ["▁", "▁▁", "a", "ab", "▁hello", "world", "你", "好", "👩", "\u200d", "\n", "é", "\ufffd", "<0x", "▁<0x41>"]
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *words]
    raw = Tokenizer(models.BPE({piece: place for place, piece in enumerate(pieces)}, [], unk_token="<unk>", byte_fallback=True))
    raw.decoder = decoders.Sequence(list(steps))
    raw.add_special_tokens([AddedToken("<bos>"), AddedToken("<turn|>")])
    return PreTrainedTokenizerFast(tokenizer_object=raw)


def byte_level() -> PreTrainedTokenizerFast:
    tokenizer = tiny.tokenizer()
    tokenizer.add_tokens(["<a control token>", "<ünï>", FAMILY, "Ġ"])
    return tokenizer


TOKENIZERS = {
    "byte-level": byte_level(),
    "Gemma": sentencepiece(decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()),
    "Llama": sentencepiece(decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)),
    "Metaspace": sentencepiece(decoders.Metaspace()),
}


def decoded(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> str:
    text: str = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    return text


def streamed(vocabulary: Vocabulary, ids: list[int]) -> list[str]:
    stream = vocabulary.stream()
    return [stream.feed(token_id, last=place == len(ids) - 1) for place, token_id in enumerate(ids)]


@pytest.mark.parametrize("key", ["qwen2_5", "qwen3_5", "gemma4", "gpt_oss"])
def test_real_tokenizers(key: str, real_tokenizer: Callable[[str], Path]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(real_tokenizer(key), local_files_only=True)
    vocabulary = Vocabulary(tokenizer, len(tokenizer) + 3)
    text = f"  Hello, naïve wörld!\n\n今天天氣很好 {FAMILY} 🇹🇼\t<|im_end|><turn|> 1234 \u200b\ufffd"
    draw = random.Random(key)
    turns = [tokenizer(text, add_special_tokens=False)["input_ids"]]
    turns += [[draw.randrange(len(vocabulary.pieces)) for _ in range(60)] for _ in range(40)]
    for ids in turns:
        assert "".join(streamed(vocabulary, ids)) == decoded(tokenizer, ids)
    assert decoded(tokenizer, turns[0]) == text


@pytest.mark.parametrize("name", TOKENIZERS)
def test_any_ids_join_to_what_decode_gives(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    vocabulary = Vocabulary(tokenizer, len(tokenizer) + 3)
    any_id = st.integers(0, len(tokenizer) + 2)
    interesting = st.sampled_from([*range(len(tokenizer) - 30, len(tokenizer) + 3)])

    @settings(max_examples=500, deadline=None)
    @given(st.lists(st.one_of(any_id, interesting), max_size=15))
    def check(ids: list[int]) -> None:
        assert "".join(streamed(vocabulary, ids)) == decoded(tokenizer, ids)

    check()


@pytest.mark.parametrize("name", ["byte-level", "Gemma"])
@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet=st.one_of(st.characters(codec="utf-8"), st.sampled_from([*FAMILY, "你", "é", "\ufffd", " "]))))
def test_any_text_in_single_bytes(name: str, text: str) -> None:
    tokenizer = TOKENIZERS[name]
    vocabulary = Vocabulary(tokenizer)
    ids = bytes_as_tokens(tokenizer, text.encode("utf-8"))
    texts = streamed(vocabulary, ids)
    assert "".join(texts) == decoded(tokenizer, ids)
    if "\ufffd" not in text:
        assert "".join(texts) == text


def bytes_as_tokens(tokenizer: PreTrainedTokenizerFast, data: bytes) -> list[int]:
    """The token of each byte, in either kind of vocabulary."""
    known = tokenizer.get_vocab()
    if "<0x00>" in known:
        return [known[f"<0x{byte:02X}>"] for byte in data]
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in printable]
    return [known[chr(byte) if byte in printable else chr(256 + hidden.index(byte))] for byte in data]


def test_a_character_comes_with_its_last_byte() -> None:
    tokenizer = TOKENIZERS["byte-level"]
    texts = streamed(Vocabulary(tokenizer), bytes_as_tokens(tokenizer, "a你é".encode()))
    assert texts == ["a", "", "", "你", "", "é"]


def test_the_last_token_gives_what_was_held_back() -> None:
    tokenizer = TOKENIZERS["byte-level"]
    assert streamed(Vocabulary(tokenizer), bytes_as_tokens(tokenizer, "你".encode()[:2])) == ["", "\ufffd"]


def test_a_run_of_bytes_comes_when_another_entry_ends_it() -> None:
    tokenizer = TOKENIZERS["Gemma"]
    known = tokenizer.get_vocab()
    run = bytes_as_tokens(tokenizer, "你".encode())
    assert streamed(Vocabulary(tokenizer), [*run, known["▁hello"], *run]) == ["", "", "", "你 hello", "", "", "你"]
    spoiled = [*run, known["<0xFF>"], known["a"]]
    assert streamed(Vocabulary(tokenizer), spoiled)[-1] == "\ufffd" * 4 + "a" == decoded(tokenizer, spoiled)


def test_pieces_are_the_entries_as_stored() -> None:
    tokenizer = TOKENIZERS["byte-level"]
    vocabulary = Vocabulary(tokenizer, len(tokenizer) + 3)
    assert vocabulary.pieces[: len(tokenizer)] == tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    assert vocabulary.pieces[len(tokenizer) :] == ["", "", ""]


def test_a_decoder_that_cannot_be_streamed_is_refused() -> None:
    with pytest.raises(ValueError, match="WordPiece"):
        Vocabulary(sentencepiece(decoders.WordPiece()))
    with pytest.raises(ValueError, match="Strip at the end"):
        Vocabulary(sentencepiece(decoders.Fuse(), decoders.Strip(" ", 0, 1)))
