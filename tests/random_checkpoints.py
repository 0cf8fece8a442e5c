"""Checkpoints as Qwen3.5's and Gemma 4's are published, but for their size and their weights: those are random.

Tokenizer, chat template and number of rows are the real ones, and so are the classes (which could read images too), the names of
the tensors and the number format. A folder of them is tens of megabytes, made in seconds.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    Gemma4Config,
    Gemma4ForConditionalGeneration,
    GenerationConfig,
    Qwen3_5Config,
    Qwen3_5ForConditionalGeneration,
)

from teaching.tiny import gemma4, qwen3_5

SEED = 7
_SPREAD = 0.35
"""With weights so wide, what follows is neither nearly certain nor as good as even over the whole vocabulary."""


@dataclass(frozen=True)
class Kind:
    """How one family's checkpoint is made: the rows that the published embeddings have, the network, and what the published
    generation config says: which ids end a turn, which one pads, how tokens are drawn."""

    rows: int
    network: Callable[[int], Any]
    ends: tuple[int, ...]
    pad: int
    generation: Callable[[list[int], int], GenerationConfig]


def write(folder: Path, key: str, tokenizer: Path) -> Any:
    """Writes the checkpoint of a family, with the tokenizer and the template in the folder `tokenizer`; gives the class that the
    checkpoint is of."""
    kind = KINDS[key]
    shutil.copytree(tokenizer, folder)
    _cut(folder / "tokenizer.json", kind.rows)
    torch.manual_seed(SEED)
    made = kind.network(kind.rows).to(torch.bfloat16)
    made.generation_config = kind.generation(list(kind.ends), kind.pad)
    made.save_pretrained(folder)
    return type(made)


def _cut(tokenizer: Path, rows: int) -> None:
    """Takes out what the model has no row for: Gemma's vocabulary comes from a package for Gemma 3, which puts a placeholder for
    images of its own behind the entries that both have."""
    described = json.loads(tokenizer.read_text("utf-8"))
    kept = [token for token in described["added_tokens"] if token["id"] < rows]
    if len(kept) < len(described["added_tokens"]):
        tokenizer.write_text(json.dumps({**described, "added_tokens": kept}, ensure_ascii=False), "utf-8")


def _qwen3_5(rows: int) -> Qwen3_5ForConditionalGeneration:
    """One linear layer and one with full attention, and a tower for images as small."""
    text = {
        "vocab_size": rows, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "full_attention_interval": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16, "initializer_range": _SPREAD,
        "tie_word_embeddings": True,
    }
    vision = {"depth": 1, "hidden_size": 16, "intermediate_size": 24, "num_heads": 2, "out_hidden_size": 32}
    return Qwen3_5ForConditionalGeneration(Qwen3_5Config(text_config=text, vision_config=vision, tie_word_embeddings=True))


def _gemma4(rows: int) -> Gemma4ForConditionalGeneration:
    """A layer with a short view and one with a full one, a table of embeddings for each layer, the soft cap, and a tower for
    images as small."""
    text = {
        "vocab_size": rows, "vocab_size_per_layer_input": rows, "hidden_size": 32, "intermediate_size": 64,
        "num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"], "num_attention_heads": 2,
        "num_key_value_heads": 1, "head_dim": 16, "global_head_dim": 32, "sliding_window": 64, "num_kv_shared_layers": 0,
        "hidden_size_per_layer_input": 8, "final_logit_softcapping": 30.0, "initializer_range": _SPREAD,
    }
    vision = {
        "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2,
        "head_dim": 8,
    }
    return Gemma4ForConditionalGeneration(Gemma4Config(text_config=text, vision_config=vision, audio_config=None))


KINDS = {
    "qwen3_5": Kind(248_320, _qwen3_5, (248_046, 248_044), 248_044, qwen3_5.generation),
    "gemma4": Kind(262_144, _gemma4, (1, 106, 50), 0, gemma4.generation),
}
