"""What is told of a checkpoint, held to its configuration and its weights: several architectures at tiny size, and a .gguf."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMultimodalLM,
    AutoTokenizer,
    Gemma4Config,
    GenerationConfig,
    GenerationMixin,
    PreTrainedConfig,
    Qwen3_5Config,
    Qwen3Config,
)

from backends import description
from backends.description import Description, Fact, describe
from backends.local import LocalBackend
from families.hermes import HERMES, QWEN2_5
from tests.backends import tiny

SIZE = {
    "vocab_size": 450, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 8, "max_position_embeddings": 1000, "pad_token_id": None, "bos_token_id": None, "eos_token_id": None,
}
SEEING = {"hidden_size": 16, "intermediate_size": 24}


def qwen3() -> PreTrainedConfig:
    return Qwen3Config(**SIZE, num_hidden_layers=3, tie_word_embeddings=False)


def qwen3_5() -> PreTrainedConfig:
    kinds = ["linear_attention", "linear_attention", "linear_attention", "full_attention"]
    linear = {"linear_num_key_heads": 2, "linear_num_value_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8}
    return Qwen3_5Config(
        text_config={**SIZE, **linear, "num_hidden_layers": 4, "layer_types": kinds},
        vision_config={**SEEING, "depth": 2, "num_heads": 2, "out_hidden_size": 32},
    )


def gemma4() -> PreTrainedConfig:
    kinds = ["sliding_attention", "sliding_attention", "full_attention"]
    own = {"hidden_size_per_layer_input": 4, "vocab_size_per_layer_input": 450, "sliding_window": 64, "global_head_dim": 16}
    return Gemma4Config(
        text_config={**SIZE, **own, "num_hidden_layers": 3, "layer_types": kinds},
        vision_config={**SEEING, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8},
        audio_config=None,
    )


def write(folder: Path, config: PreTrainedConfig) -> tuple[Any, Any]:
    """A random checkpoint of this configuration in `folder`, and the model and tokenizer as they were written."""
    torch.manual_seed(1)
    auto = AutoModelForCausalLM if isinstance(config, Qwen3Config) else AutoModelForMultimodalLM
    model = auto.from_config(config, dtype=torch.bfloat16)
    model.generation_config = GenerationConfig(temperature=0.7, min_p=0.05, do_sample=True)
    model.save_pretrained(folder)
    tokenizer = tiny.tokenizer()
    tokenizer.save_pretrained(folder)
    return model, tokenizer


@pytest.fixture(scope="module", params=[qwen3, qwen3_5, gemma4], ids=lambda make: make.__name__)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Description]:
    """A folder, the model in it, and what is told of it."""
    make: Callable[[], PreTrainedConfig] = request.param
    folder = tmp_path_factory.mktemp(make.__name__)
    model, tokenizer = write(folder, make())
    return folder, model, describe(folder, model, tokenizer, HERMES)


def test_parameters_and_memory_are_the_models(checkpoint: tuple[Path, Any, Description]) -> None:
    _, model, told = checkpoint
    kept = {id(tensor): tensor.numel() for tensor in model.state_dict(keep_vars=True).values()}
    parameters = sum(kept.values())
    assert told.facts["parameters_loaded"] == Fact(parameters, "model")
    assert told.facts["memory"].value >= 2 * parameters
    assert told.facts["dtype"].value == "bfloat16"
    assert told.facts["device"].value == "cpu"


def test_the_headers_count_what_is_in_the_files(checkpoint: tuple[Path, Any, Description]) -> None:
    _, model, told = checkpoint
    stored = told.stored
    assert stored is not None
    kept = {id(tensor): tensor.numel() for tensor in model.state_dict(keep_vars=True).values()}
    assert stored.n_numbers == sum(kept.values())
    assert told.facts["parameters"] == Fact(stored.n_numbers, "headers")
    assert sum(part.n_numbers for part in stored.parts) == stored.n_numbers
    assert "BF16" in told.facts["stored_as"].value


def test_facts_are_those_of_the_text(checkpoint: tuple[Path, Any, Description]) -> None:
    folder, model, told = checkpoint
    text = model.config.get_text_config()
    written = json.loads((folder / "config.json").read_text("utf-8"))
    prefix = "text_config." if "text_config" in written else ""
    for name, field in (
        ("layers", "num_hidden_layers"), ("width", "hidden_size"), ("heads", "num_attention_heads"),
        ("key_value_heads", "num_key_value_heads"), ("vocabulary", "vocab_size"), ("context", "max_position_embeddings"),
    ):
        assert told.facts[name] == Fact(getattr(text, field), "file", prefix + field)
    assert told.facts["architecture"].value == type(model).__name__
    assert told.facts["model_type"].value == written["model_type"]
    assert told.facts["experts"].value is None


def test_a_width_that_layers_have_of_their_own_is_told_by_layer(tmp_path: Path) -> None:
    model, tokenizer = write(tmp_path, gemma4())
    told = describe(tmp_path, model, tokenizer, HERMES)
    queries = [weight for name, weight in model.state_dict().items() if "language_model" in name and "q_proj" in name]
    in_weights = tuple(dict.fromkeys(weight.shape[0] // SIZE["num_attention_heads"] for weight in queries))
    assert in_weights == (8, 16)
    assert told.facts["head_size"] == Fact(in_weights, "model")


def test_each_layers_attention_is_named(checkpoint: tuple[Path, Any, Description]) -> None:
    _, model, told = checkpoint
    text = model.config.get_text_config()
    assert list(told.layer_types) == list(text.layer_types)
    assert told.layer_types_from.origin == "file"
    assert ("window" in told.facts) == ("sliding_attention" in text.layer_types)


APPLIED = {"temperature", "top_k", "top_p", "do_sample"}
OF_GENERATE = {"use_cache", "max_length", "num_return_sequences", "_eos_token_tensor"}
"""What `generate()` hands to its processors and that makes none."""


def test_all_that_generate_makes_processors_of_is_applied_or_named() -> None:
    named = set(re.findall(r"generation_config\.(\w+)", inspect.getsource(GenerationMixin._get_logits_processor)))
    assert named - APPLIED - OF_GENERATE <= description._NOT_APPLIED.keys()
    assert not APPLIED & description._NOT_APPLIED.keys()


def test_a_setting_that_changes_nothing_is_not_named_as_left_out() -> None:
    nothing = {"repetition_penalty": 1.0, "no_repeat_ngram_size": 0, "remove_invalid_values": False, "min_length": 0}
    something = {"repetition_penalty": 1.1, "suppress_tokens": [5], "forced_eos_token_id": 0}
    assert description._left_out({**nothing, "top_k": 5}) == {}
    assert description._left_out({**nothing, **something}) == something


def test_encoders_and_what_is_left_out(checkpoint: tuple[Path, Any, Description]) -> None:
    folder, model, told = checkpoint
    sees = not isinstance(model.config, Qwen3Config)
    assert [(each.key, each.layers) for each in told.encoders] == ([("vision_config", 2)] if sees else [])
    assert told.processor_files == ()
    assert told.generation_config == json.loads((folder / "generation_config.json").read_text("utf-8"))
    assert told.left_out == {"min_p": 0.05}


def test_a_llama_names_no_kinds_so_the_classes_are_told(tiny_folder: Path, shared_backend: LocalBackend) -> None:
    told = shared_backend.info["description"]
    assert isinstance(told, Description)
    assert told.path == str(tiny_folder)
    assert told.layer_types == ("LlamaAttention", "LlamaAttention")
    assert told.layer_types_from.origin == "model"
    assert told.encoders == ()
    assert told.facts["tokens"].value == len(AutoTokenizer.from_pretrained(tiny_folder))


def test_the_template_and_its_marks(tiny_folder: Path, shared_backend: LocalBackend) -> None:
    (template,) = shared_backend.info["description"].templates
    assert template.name == ""
    assert template.text == tiny.TEMPLATE
    assert template.file == "chat_template.jinja"
    ((start, end),) = template.tools
    assert template.text[start:end].startswith("{%- if tools %}<|im_start|>system")
    ((start, end),) = template.thinking
    assert template.text[start:end] == "{% if not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"


def test_values_of_the_fields_that_the_family_names(tiny_folder: Path, shared_backend: LocalBackend) -> None:
    told = shared_backend.info["description"]
    files = {file.name: file for file in told.files()}
    values = {field.path: field.value for field in files["config.json"].fields if field.found}
    assert values["num_hidden_layers"] == 2
    assert values["model_type"] == "llama"
    assert files["model.safetensors"].n_bytes == (tiny_folder / "model.safetensors").stat().st_size
    assert {path.name for path in tiny_folder.iterdir()} == {file.name for file in told.files() if file.n_bytes is not None}


def changed(folder: Path, tmp_path: Path, backend: LocalBackend, name: str, change: Callable[[Any], Any]) -> Description:
    """What is told when one of the folder's JSON files reads otherwise (the model itself stays)."""
    for path in folder.iterdir():
        if path.name != name:
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / name).write_text(json.dumps(change(json.loads((folder / name).read_text("utf-8")))))
    return describe(tmp_path, backend._model, backend._tokenizer, HERMES)


def test_what_config_json_leaves_out_is_told_as_transformers_value(
    tiny_folder: Path, tmp_path: Path, shared_backend: LocalBackend,
) -> None:
    left = {"num_key_value_heads", "architectures"}
    told = changed(
        tiny_folder, tmp_path, shared_backend, "config.json",
        lambda config: {key: value for key, value in config.items() if key not in left},
    )
    assert told.facts["key_value_heads"] == Fact(2, "default", "num_key_value_heads")
    assert told.facts["architecture"] == Fact(None, "file", "architectures")


def test_quantised_weights_are_not_counted(tiny_folder: Path, tmp_path: Path, shared_backend: LocalBackend) -> None:
    told = changed(
        tiny_folder, tmp_path, shared_backend, "config.json",
        lambda config: {**config, "quantization_config": {"quant_method": "mxfp4"}},
    )
    assert told.facts["parameters"] == Fact(None, "headers")
    assert told.facts["quantization"].value == "mxfp4"
    assert told.encoders == ()


def test_several_templates_are_told_by_name(tiny_folder: Path, shared_backend: LocalBackend) -> None:
    words = tiny.tokenizer()
    words.chat_template = {"default": "{{ messages }}\r\n", "tool_use": tiny.TEMPLATE}
    told = describe(tiny_folder, shared_backend._model, words, QWEN2_5)
    assert [template.name for template in told.templates] == ["default", "tool_use"]
    assert told.templates[0].text == "{{ messages }}\n"
    assert [bool(template.tools) for template in told.templates] == [False, True]
    assert all(template.thinking == () for template in told.templates), "this family has no switch"


def test_a_single_file_has_no_headers_and_no_configuration(tmp_path: Path, shared_backend: LocalBackend) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    told = describe(path, shared_backend._model, shared_backend._tokenizer, HERMES)
    assert told.facts["layers"] == Fact(2, "gguf", "num_hidden_layers")
    assert told.facts["parameters"] == Fact(None, "headers")
    assert told.stored is None
    assert [file.name for file in told.files()] == ["model.gguf"]
    assert told.templates[0].file == "model.gguf"
