"""The kept cache on architectures that can and cannot be cut: full attention, sliding windows, convolutions, recurrence."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import (
    Lfm2Config,
    Lfm2ForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen3_5ForCausalLM,
    Qwen3_5TextConfig,
)

from backends.cache import ConversationCache
from tests.backends import tiny

SMALL = {
    "vocab_size": 100, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2,
    "initializer_range": 0.3, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None,
}


def full_attention() -> Any:
    return tiny.model(100)


def sliding_window() -> Any:
    return MistralForCausalLM(MistralConfig(**SMALL, num_hidden_layers=2, sliding_window=8))


def convolution() -> Any:
    return Lfm2ForCausalLM(Lfm2Config(**SMALL, layer_types=["conv", "full_attention"], num_hidden_layers=2))


def recurrence() -> Any:
    return Qwen3_5ForCausalLM(
        Qwen3_5TextConfig(
            **SMALL, num_hidden_layers=2, layer_types=["linear_attention", "full_attention"], head_dim=8, linear_key_head_dim=8,
            linear_value_head_dim=8, linear_num_key_heads=2, linear_num_value_heads=2,
        )
    )


@pytest.fixture(params=[full_attention, sliding_window, convolution, recurrence], ids=lambda make: make.__name__)
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(3)
    return request.param().eval()


def logits_after(model: Any, ids: list[int]) -> torch.Tensor:
    """What the model says after `ids` without any cache."""
    with torch.inference_mode():
        logits: torch.Tensor = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
    return logits


FIRST = [3 + place * 7 % 90 for place in range(20)]


@pytest.mark.parametrize(
    "second",
    [[*FIRST, 5, 6, 7], [*FIRST[:19], 50, 51], FIRST[:10] + [60] * 15, FIRST[:4], [99, 98], FIRST],
    ids=["longer", "last token differs", "middle differs", "shorter", "all differs", "same"],
)
def test_a_second_prompt_reads_as_if_nothing_had_been_kept(model: Any, second: list[int]) -> None:
    cache = ConversationCache(model)
    with torch.inference_mode():
        assert cache.keep_common(FIRST) == 0
        cache.read(FIRST)
        kept = cache.keep_common(second)
        logits = cache.read(second[kept:])
    assert kept < len(second)
    torch.testing.assert_close(logits, logits_after(model, second), rtol=1e-3, atol=1e-3)


def test_what_only_grows_is_kept_whatever_the_architecture(model: Any) -> None:
    cache = ConversationCache(model)
    with torch.inference_mode():
        cache.read(FIRST)
        assert cache.keep_common([*FIRST, 5]) == len(FIRST)


def test_full_attention_is_cut_exactly() -> None:
    cache = ConversationCache(full_attention())
    with torch.inference_mode():
        cache.read(FIRST)
        assert cache.keep_common(FIRST[:10] + [60] * 15) == 10
        assert cache.keep_common(FIRST[:10]) == 9
