"""The tokenizers of the tiny checkpoints: the families' real control tokens and a few hundred pieces of the conversations' text.

Each is of the kind that its family uses, in the class that transformers has for it: bytes for Qwen3.5, characters with
single bytes to fall back on for Gemma 4.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import GemmaTokenizer, Qwen3_5Tokenizer
from transformers.models.qwen3_5.tokenization_qwen3_5 import PRETOKENIZE_REGEX

from families.chatml import CALLS, CODE, RESPONSES, THINKING
from families.gemma4 import GEMMA4
from families.gemma_tables import DOCUMENT
from families.qwen3_5 import QWEN3_5

N_PIECES = 360
"""Pieces that are learned from text, beside control tokens and single bytes."""
FOLDER = Path(__file__).parent
_ORDINARY = {token for group in (CALLS, CODE, RESPONSES, THINKING) for token in group.tokens}
"""Qwen's control tokens that its vocabulary does not mark as special, so that they are decoded as text."""


def qwen3_5(texts: Iterable[str]) -> Qwen3_5Tokenizer:
    """Byte-level pieces of `texts`, and behind them the control tokens that the family knows."""
    cut = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PRETOKENIZE_REGEX), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary, merges = _learned(texts, normalizers.NFC(), cut, alphabet, len(alphabet) + N_PIECES)
    tokenizer = Qwen3_5Tokenizer(vocab=vocabulary, merges=merges, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    names = [name for group in QWEN3_5.token_groups for name in group.tokens]
    tokenizer.add_tokens([AddedToken(name, normalized=False, special=name not in _ORDINARY) for name in names])
    tokenizer.chat_template = (FOLDER / "qwen3_5.jinja").read_text("utf-8")
    return tokenizer


def gemma4(texts: Iterable[str]) -> GemmaTokenizer:
    """Control tokens first, <pad> having id 0 as in Gemma's own vocabulary, then the bytes, then pieces of `texts`.

    Gemma cuts no text before it merges; here pieces are learned from words, digits and signs apart, so that a prompt ends
    where a piece ends.
    """
    cut = pre_tokenizers.Split(Regex(r"▁?[\p{L}_]+|\p{N}|\n|▁|[^▁\p{L}\p{N}_\n]+"), "isolated")
    learned, merges = _learned(texts, normalizers.Replace(" ", "▁"), cut, [], N_PIECES)
    document = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    assert set(document) == set(DOCUMENT.tokens)
    control = [*document, *(name for group in GEMMA4.token_groups if group is not DOCUMENT for name in group.tokens)]
    entries = [*control, *(f"<0x{byte:02X}>" for byte in range(256)), *sorted(learned, key=learned.__getitem__)]
    tokenizer = GemmaTokenizer(
        vocab={entry: number for number, entry in enumerate(entries)}, merges=merges, eos_token="<turn|>",
    )
    tokenizer.add_tokens([AddedToken(name, normalized=False, special=True) for name in control])
    tokenizer.chat_template = (FOLDER / "gemma4.jinja").read_text("utf-8")
    return tokenizer


def _learned(
    texts: Iterable[str], normalizer: normalizers.Normalizer, cut: pre_tokenizers.PreTokenizer, alphabet: list[str], size: int,
) -> tuple[Mapping[str, int], list[tuple[str, str]]]:
    """The entries and merges of byte-pair encoding, learned from `texts`."""
    learner = Tokenizer(models.BPE())
    learner.normalizer = normalizer
    learner.pre_tokenizer = cut
    learner.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=size, special_tokens=[], initial_alphabet=alphabet, show_progress=False)
    )
    model = json.loads(learner.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]
