"""The base model as the wheel holds it: one GGUF file, read into float32 tensors under their transformers names.

Read with the `gguf` package alone: transformers' own reader needs a further package and gives the tokenizer a
pre-tokenizer that is not SmolLM2's. Knows nothing about wheels, adapters or caches.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

_TOP = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
_BLOCK = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


class BaseModel:
    """An open GGUF file of a Llama. Raises ValueError or OSError where the file is not one."""

    def __init__(self, path: Path) -> None:
        self._reader = GGUFReader(path)
        self._fields = dict(self._reader.fields)

    def _value(self, name: str) -> Any:
        return self._fields[name].contents()

    def config(self) -> dict[str, Any]:
        """What config.json holds for this model, dtype left to the one who writes the weights."""
        hidden, heads = self._value("llama.embedding_length"), self._value("llama.attention.head_count")
        return {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "vocab_size": self._value("llama.vocab_size"),
            "hidden_size": hidden,
            "intermediate_size": self._value("llama.feed_forward_length"),
            "num_hidden_layers": self._value("llama.block_count"),
            "num_attention_heads": heads,
            "num_key_value_heads": self._value("llama.attention.head_count_kv"),
            "head_dim": hidden // heads,
            "hidden_act": "silu",
            "max_position_embeddings": self._value("llama.context_length"),
            "rms_norm_eps": float(f"{self._value('llama.attention.layer_norm_rms_epsilon'):.3g}"),
            "rope_theta": float(self._value("llama.rope.freq_base")),
            "attention_bias": False,
            "mlp_bias": False,
            "tie_word_embeddings": True,
            "bos_token_id": self._value("tokenizer.ggml.bos_token_id"),
            "eos_token_id": self._value("tokenizer.ggml.eos_token_id"),
            "pad_token_id": self._value("tokenizer.ggml.padding_token_id"),
        }

    def tensors(self) -> dict[str, np.ndarray]:
        """Every weight, dequantised to float32 and shaped [out, in] as transformers has it."""
        heads, kv_heads = self._value("llama.attention.head_count"), self._value("llama.attention.head_count_kv")
        result = {}
        for tensor in self._reader.tensors:
            array = np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
            array = array.reshape(tuple(int(n) for n in reversed(tensor.shape)))
            if ".attn_q." in tensor.name:
                array = half_split(array, heads)
            elif ".attn_k." in tensor.name:
                array = half_split(array, kv_heads)
            result[_transformers_name(tensor.name)] = array
        return result

    def tokenizer(self, renamed: Mapping[int, str] | None = None) -> Tokenizer:
        """SmolLM2's byte-level BPE. `renamed` gives control tokens (ids) another name, e.g. {11: "<think>"}."""
        names = dict(enumerate(self._value("tokenizer.ggml.tokens")))
        kinds = self._value("tokenizer.ggml.token_type")
        names.update(renamed or {})
        merges = [tuple(line.split(" ")) for line in self._value("tokenizer.ggml.merges")]
        tokenizer = Tokenizer(models.BPE(vocab={name: id for id, name in names.items()}, merges=merges))
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
        )
        tokenizer.decoder = decoders.ByteLevel()
        control = [names[id] for id, kind in enumerate(kinds) if kind == 3]
        tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in control])
        return tokenizer


def _transformers_name(name: str) -> str:
    if name in _TOP:
        return _TOP[name]
    _, layer, part, _ = name.split(".")
    return f"model.layers.{layer}.{_BLOCK[part]}.weight"


def half_split(array: np.ndarray, heads: int) -> np.ndarray:
    """GGUF interleaves the two halves that rotary embedding pairs; transformers keeps them apart."""
    rows, columns = array.shape
    return array.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
