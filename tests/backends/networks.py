"""Random networks of every kind of cache, small enough to write a turn in a moment: what drafting must hold on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from transformers import (
    DeepseekV4Config,
    DeepseekV4ForCausalLM,
    DeepseekV32Config,
    DeepseekV32ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GptOssConfig,
    GptOssForCausalLM,
    Lfm2Config,
    Lfm2ForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen3_5ForCausalLM,
    Qwen3_5TextConfig,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
)

from tests.backends import tiny

VOCABULARY = 13


def common(**more: int) -> dict[str, int | float | None]:
    """Sizes that most configurations name alike."""
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2}
    ends = {"pad_token_id": None, "bos_token_id": None, "eos_token_id": None}
    return {**sizes, **ends, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "initializer_range": 0.6, **more}


def llama(**more: int) -> torch.nn.Module:
    return LlamaForCausalLM(LlamaConfig(**common(**more)))


def sliding() -> torch.nn.Module:
    """A window of 6 tokens in one layer of two, which short turns leave behind."""
    kinds = ["sliding_attention", "full_attention"]
    return Gemma3ForCausalLM(Gemma3TextConfig(**common(), sliding_window=6, layer_types=kinds, query_pre_attn_scalar=8))


def recurrent(**more: int) -> torch.nn.Module:
    """Qwen3.5's gated delta net in one layer of two: a state that cannot be cut."""
    linear = {"linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 2}
    kinds = ["linear_attention", "full_attention"]
    return Qwen3_5ForCausalLM(Qwen3_5TextConfig(**common(**more), **linear, layer_types=kinds))


def sharing() -> torch.nn.Module:
    """Gemma 4, whose last layers use the keys and values of earlier ones."""
    return tiny.gemma4(VOCABULARY, sliding_window=6)


def convolution() -> torch.nn.Module:
    """LFM2: a short convolution in one layer of two."""
    kinds = ["conv", "full_attention"]
    return Lfm2ForCausalLM(Lfm2Config(**common(), block_auto_adjust_ff_dim=False, conv_L_cache=3, layer_types=kinds))


def sinks() -> torch.nn.Module:
    """gpt-oss: attention sinks and a window in one layer of two, and experts."""
    kinds = ["sliding_attention", "full_attention"]
    experts = {"num_local_experts": 4, "num_experts_per_tok": 2}
    return GptOssForCausalLM(GptOssConfig(**common(), **experts, sliding_window=6, layer_types=kinds))


def experts() -> torch.nn.Module:
    """Qwen3 with experts: which of them are asked depends on the token."""
    return Qwen3MoeForCausalLM(Qwen3MoeConfig(**common(), moe_intermediate_size=8, num_experts=4, num_experts_per_tok=2))


_LATENT = {
    "num_key_value_heads": 2, "moe_intermediate_size": 8, "n_routed_experts": 4, "num_experts_per_tok": 2, "q_lora_rank": 8,
    "qk_rope_head_dim": 4, "index_topk": 4, "index_head_dim": 8, "index_n_heads": 8,
}


def indexed() -> torch.nn.Module:
    """DeepSeek V3.2: an indexer with keys of its own picks the tokens that are attended to."""
    more = {"n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "kv_lora_rank": 8, "v_head_dim": 8, "qk_nope_head_dim": 8}
    sizes = {name: size for name, size in common().items() if name != "head_dim"}
    return DeepseekV32ForCausalLM(DeepseekV32Config(**{**sizes, **_LATENT, **more}))


def compressing() -> torch.nn.Module:
    """DeepSeek V4: layers of its own kind, which compress keys a few tokens at a time and hold what is not yet compressed."""
    kinds = ["compressed_sparse_attention", "heavily_compressed_attention"]
    more = {
        "num_key_value_heads": 1, "sliding_window": 6, "o_groups": 2, "o_lora_rank": 8, "layer_types": kinds,
        "mlp_layer_types": ["moe", "moe"], "compress_rates": {kinds[0]: 2, kinds[1]: 4}, "hc_mult": 2,
    }
    return DeepseekV4ForCausalLM(DeepseekV4Config(**{**common(), **_LATENT, **more}))


NETWORKS: Mapping[str, Callable[[], torch.nn.Module]] = {
    "full": llama, "sliding": sliding, "recurrent": recurrent, "sharing": sharing, "convolution": convolution, "sinks": sinks,
    "experts": experts, "indexed": indexed, "compressing": compressing,
}


def made(network: str) -> torch.nn.Module:
    """A network of NETWORKS in float64, so that no rounding is in the way."""
    torch.manual_seed(3)
    model = NETWORKS[network]().double().eval()
    compute_by = getattr(model, "set_experts_implementation", None)
    if compute_by is not None:
        compute_by("eager")  # The other ways know no float64.
    return model
