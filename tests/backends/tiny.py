"""A checkpoint small enough to make in a test: a random Llama and a byte-level tokenizer trained on a few sentences.

It is whole: config, safetensors, tokenizer with control tokens, a chat template in the Hermes format, generation config.
Its turns are random, which suits tests: they hold invalid bytes, halves of characters and control tokens. Beside it stands a
random Gemma 4 with its assistant, which share the tokenizer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    Gemma4AssistantConfig,
    Gemma4AssistantForCausalLM,
    Gemma4Config,
    Gemma4ForConditionalGeneration,
    Gemma4TextConfig,
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

CONTROL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>",
    "</tool_response>",
)
SENTENCES = [
    "What is 37 * 48? It is 1776. The capital of France is Paris.",
    '{"name": "calculator", "arguments": {"expression": "37 * 48"}}',
    "今天天氣很好，我們去散步吧。東京の天気はどうですか。",
    "Families 👩‍👩‍👧 and flags 🇹🇼 and naïve café — “quotes”.",
]
TEMPLATE = """{%- if tools %}<|im_start|>system
# Tools
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% if not enable_thinking %}<think>

</think>

{% endif %}{% endif %}"""


def tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE with every byte, some merges, and the control tokens, of which <think> and the like are not "special"."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=[], initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    raw.train_from_iterator(SENTENCES * 5, trainer)
    raw.add_special_tokens(list(CONTROL[:3]))
    raw.add_tokens(list(CONTROL[3:]))
    fast = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.chat_template = TEMPLATE
    return fast


def model(vocabulary: int, **changes: Any) -> LlamaForCausalLM:
    """A random Llama of a few ten thousand parameters whose distributions are neither flat nor certain."""
    settings: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": 48,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 2048,
        "initializer_range": 0.35,
        "bos_token_id": None,
        "eos_token_id": None,
    }
    torch.manual_seed(7)
    return LlamaForCausalLM(LlamaConfig(**{**settings, **changes})).eval()


def write(folder: Path, **changes: Any) -> Path:
    """Writes the checkpoint; `changes` go to the model's config."""
    words = tokenizer()
    words.save_pretrained(folder)
    made = model(len(words) + 4, **changes)  # a few spare rows, as real checkpoints have
    made.generation_config = GenerationConfig(
        eos_token_id=words.convert_tokens_to_ids("<|im_end|>"), temperature=0.6, top_p=0.95, do_sample=True
    )
    made.save_pretrained(folder)
    return folder


GEMMA4_TEXT: dict[str, Any] = {
    "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 4, "num_attention_heads": 2, "num_key_value_heads": 1,
    "head_dim": 8, "global_head_dim": 16, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 2,
    "sliding_window": 12, "hidden_size_per_layer_input": 4, "initializer_range": 0.6, "bos_token_id": None, "eos_token_id": None,
}


def gemma4(vocabulary: int, **changes: Any) -> Gemma4ForConditionalGeneration:
    """A random Gemma 4 that could see, as its checkpoints are loaded; `changes` go to the configuration of its text."""
    text = {**GEMMA4_TEXT, "vocab_size": vocabulary, "vocab_size_per_layer_input": vocabulary, **changes}
    seeing = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    vision = {**seeing, "num_key_value_heads": 2, "head_dim": 8}
    torch.manual_seed(7)
    return Gemma4ForConditionalGeneration(Gemma4Config(text_config=text, vision_config=vision, audio_config=None)).eval()


def gemma4_assistant(vocabulary: int, **changes: Any) -> Gemma4AssistantForCausalLM:
    """A random assistant for `gemma4`, which guesses three tokens; `changes` go to the configuration of its text."""
    own = {"hidden_size": 12, "num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"]}
    without = {"hidden_size_per_layer_input": 0, "vocab_size_per_layer_input": 0}
    text = Gemma4TextConfig(**{**GEMMA4_TEXT, "vocab_size": vocabulary, **own, **without, **changes})
    torch.manual_seed(8)
    config = Gemma4AssistantConfig(text_config=text, backbone_hidden_size=GEMMA4_TEXT["hidden_size"])
    made = Gemma4AssistantForCausalLM(config).eval()
    made.generation_config = GenerationConfig(num_assistant_tokens=3)
    return made


def write_gemma4(folder: Path, **changes: Any) -> Path:
    """Writes a Gemma 4 with the tokenizer above, and beside it its assistant, whose text `changes` change."""
    words = tokenizer()
    words.save_pretrained(folder)
    made = gemma4(len(words))
    made.generation_config = GenerationConfig(eos_token_id=words.convert_tokens_to_ids("<|im_end|>"))
    made.save_pretrained(folder)
    gemma4_assistant(len(words), **changes).save_pretrained(folder.with_name(f"{folder.name}-assistant"))
    return folder
