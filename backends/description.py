"""What a loaded checkpoint is, as data for the Model tab: from its files, from transformers' reading of them, and from the
model in memory. Every fact carries where it is from; what none of them says has no value.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from torch import Tensor

from backends.checkpoint import weight_files
from backends.checkpoint_files import CheckpointFile, Stored, list_files, stored
from backends.template_reading import Span, depends_on, unified
from families.base import Family

Origin = Literal["file", "default", "gguf", "model", "headers", "tokenizer"]
"""Who says so: a file of the checkpoint; transformers, where the file leaves it out; transformers' reading of a .gguf file; the
model in memory; the headers of the safetensors; the tokenizer."""

PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json", "video_preprocessor_config.json")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers",),
    "width": ("hidden_size",),
    "heads": ("num_attention_heads",),
    "key_value_heads": ("num_key_value_heads",),
    "head_size": ("head_dim",),
    "experts": ("num_experts", "num_local_experts", "n_routed_experts"),
    "experts_per_token": ("num_experts_per_tok", "top_k_experts"),
    "vocabulary": ("vocab_size",),
    "context": ("max_position_embeddings",),
}
"""Facts that a configuration holds, and the names of the field; the first one that is there counts."""
_NOT_APPLIED: Mapping[str, Any] = {
    "min_p": 0, "typical_p": 1, "top_h": None, "epsilon_cutoff": 0, "eta_cutoff": 0,
    "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0, "no_repeat_ngram_size": 0,
    "encoder_repetition_penalty": 1, "encoder_no_repeat_ngram_size": 0,
    "suppress_tokens": [], "begin_suppress_tokens": [], "bad_words_ids": [], "sequence_bias": [],
    "forced_bos_token_id": None, "forced_eos_token_id": None, "min_length": 0, "min_new_tokens": 0,
    "exponential_decay_length_penalty": None, "guidance_scale": 1, "num_beams": 1, "remove_invalid_values": False,
    "renormalize_logits": False, "watermarking_config": None,
}
"""Settings that generation_config.json can hold and that are not applied here, though `generate()` (or an engine: presence and
frequency penalty) would choose tokens by them, also with do_sample false; and the value of each that changes nothing."""


@dataclass(frozen=True)
class Fact:
    """`value` None: nobody says; a tuple: these values, by layer. `where` is the field of config.json that says it, or was looked
    for; "" elsewhere."""

    value: Any
    origin: Origin
    where: str = ""


@dataclass(frozen=True)
class Encoder:
    """A part of config.json for another kind of input: its key ("vision_config"), its type and number of layers."""

    key: str
    model_type: str
    layers: int | None


@dataclass(frozen=True)
class Template:
    """A chat template (line ends unified), the file it is in, and the stretches [from, to) in characters of `text` that depend
    on the tools and on the thinking switch; None where jinja2 cannot read the template. `name` is "" for the only one; a
    checkpoint can have several."""

    name: str
    text: str
    file: str | None
    tools: tuple[Span, ...] | None
    thinking: tuple[Span, ...] | None


@dataclass(frozen=True)
class Description:
    """A checkpoint. `facts` by name; `layer_types` is the kind of each layer's attention, from the first to the last;
    `generation_config` is that file's content, None where there is none; `left_out` are its settings of sampling that
    are not applied here and would change something; `stored` is None where no safetensors could be read. `files` lists the files
    as they are when it is first called: the fields of a tokenizer.json are read from tens of megabytes, which loading would wait
    for."""

    path: str
    facts: Mapping[str, Fact]
    layer_types: tuple[str, ...]
    layer_types_from: Fact
    encoders: tuple[Encoder, ...]
    processor_files: tuple[str, ...]
    stored: Stored | None
    files: Callable[[], tuple[CheckpointFile, ...]]
    generation_config: Mapping[str, Any] | None
    left_out: Mapping[str, Any]
    templates: tuple[Template, ...]


@dataclass(frozen=True)
class DraftNetwork:
    """A network that drafts for the model: where it was loaded from, its parameters, and their bytes in memory."""

    path: str
    n_parameters: int
    n_bytes: int


def describe_network(path: Path, network: Any) -> DraftNetwork:
    """What a drafter's network, a torch module loaded from `path`, adds to the model."""
    return DraftNetwork(str(path), _n_parameters(network), _bytes([*network.parameters(), *network.buffers()]))


def describe(path: Path, model: Any, tokenizer: Any, family: Family) -> Description:
    """The description of the checkpoint at `path`, a folder or one .gguf file, once transformers has loaded it."""
    raw = _json(path / "config.json") or {}
    in_files = None if path.is_file() else stored(path / name for name in weight_files(path))
    generation = _json(path / "generation_config.json")
    kinds, kinds_from = _layer_types(path, raw, model)
    return Description(
        path=str(path),
        facts=_facts(path, raw, model, tokenizer, in_files, kinds),
        layer_types=kinds,
        layer_types_from=kinds_from,
        encoders=_encoders(raw, _text_key(raw, model.config)),
        processor_files=tuple(name for name in PROCESSOR_FILES if (path / name).is_file()),
        stored=in_files,
        files=functools.cache(functools.partial(list_files, path, family.file_notes)),
        generation_config=generation,
        left_out=_left_out(generation or {}),
        templates=_templates(path, tokenizer, family),
    )


def _left_out(generation: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: generation.get(name) for name in _NOT_APPLIED}
    return {name: value for name, value in given.items() if value is not None and value != _NOT_APPLIED[name]}


def _facts(
    path: Path, raw: Mapping[str, Any], model: Any, tokenizer: Any, in_files: Stored | None, kinds: tuple[str, ...],
) -> dict[str, Fact]:
    held = [*model.parameters(), *model.buffers()]
    quantized, named = raw.get("quantization_config"), raw.get("architectures")
    facts = {
        "architecture": Fact(named[0] if isinstance(named, list) and named else None, "file", "architectures"),
        "model_type": _fact(path, raw, model.config, "", ("model_type",)),
        "class": Fact(type(model).__name__, "model"),
        # Where several parameters share a stored number, counting what is stored would give a wrong figure.
        "parameters": Fact(in_files.n_numbers if in_files and quantized is None else None, "headers"),
        "parameters_loaded": Fact(_n_parameters(model), "model"),
        **{name: _text_fact(path, raw, model.config, names) for name, names in _FIELDS.items()},
        "tokens": Fact(len(tokenizer), "tokenizer"),
        "quantization": Fact((quantized or {}).get("quant_method"), "file", "quantization_config.quant_method"),
        "stored_as": Fact(in_files.dtypes if in_files else None, "headers"),
        "dtype": Fact(str(model.dtype).removeprefix("torch."), "model"),
        "memory": Fact(_bytes(held), "model"),
        "device": Fact(str(model.device), "model"),
    }
    if not kinds or any("sliding" in kind for kind in kinds):
        facts["window"] = _text_fact(path, raw, model.config, ("sliding_window",))
    return facts


def _n_parameters(model: Any) -> int:
    """The numbers that training found: torch keeps some of them as buffers, and those are stored with the weights."""
    kept = model.state_dict().keys()
    buffers = [buffer for name, buffer in model.named_buffers() if name in kept]
    return sum(tensor.numel() for tensor in (*model.parameters(), *buffers))


def _bytes(tensors: Iterable[Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _text_fact(path: Path, raw: Mapping[str, Any], config: Any, names: tuple[str, ...]) -> Fact:
    """A fact of the configuration of the part that reads and writes text."""
    text = config.get_text_config()
    by_layer = _by_layer(text, names)
    if len(by_layer) > 1:
        return Fact(by_layer, "model")
    key = _text_key(raw, config)
    return _fact(path, raw[key] if key else raw, text, key, names)


def _by_layer(config: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of a field that layers have of their own, each once, in the order in which they first come."""
    own = config.per_layer_attributes or ()
    name = next((name for name in names if name in own), None)
    values = () if name is None else (getattr(layer, name, None) for layer in config.per_layer_config)
    return tuple(dict.fromkeys(value for value in values if value is not None))


def _text_key(raw: Mapping[str, Any], config: Any) -> str:
    """The key of config.json under which the part for text stands; "" where it is the whole."""
    text = config.get_text_config()
    for key, value in raw.items():
        if isinstance(value, dict) and (getattr(config, key, None) is text or key == getattr(text, "base_config_key", None)):
            return key
    return ""


def _fact(path: Path, raw: Mapping[str, Any], config: Any, key: str, names: tuple[str, ...]) -> Fact:
    for name in names:
        where = f"{key}.{name}" if key else name
        if raw.get(name) is not None:
            return Fact(raw[name], "file", where)
        value = None if name in raw else getattr(config, name, None)
        if value is not None:
            return Fact(value, "gguf" if path.is_file() else "default", where)
    return Fact(None, "gguf" if path.is_file() else "file", names[0])


def _layer_types(path: Path, raw: Mapping[str, Any], model: Any) -> tuple[tuple[str, ...], Fact]:
    """The kind of each layer's attention: as the configuration names them, else the classes that the loaded model has."""
    named = _text_fact(path, raw, model.config, ("layer_types",))
    if isinstance(named.value, list) and all(isinstance(kind, str) for kind in named.value):
        return tuple(named.value), named
    layers = getattr(model.get_decoder(), "layers", ())
    classes = [
        next((type(part).__name__ for part in layer.children() if "attention" in type(part).__name__.lower()), None)
        for layer in layers
    ]
    if not all(classes):
        return (), named
    return tuple(name for name in classes if name), Fact(True, "model")


def _encoders(raw: Mapping[str, Any], text_key: str) -> tuple[Encoder, ...]:
    """The parts of config.json that are models of their own and not the one for text."""
    return tuple(
        Encoder(key, part["model_type"], part.get("num_hidden_layers", part.get("depth")))
        for key, part in raw.items()
        if key.endswith("_config") and key != text_key and isinstance(part, dict) and "model_type" in part
    )


def _templates(path: Path, tokenizer: Any, family: Family) -> tuple[Template, ...]:
    given = tokenizer.chat_template
    templates = []
    for name, text in (given if isinstance(given, dict) else {"": given}).items():
        text = unified(text)
        switch = family.thinking_argument
        thinking = depends_on(text, switch, otherwise=True) if switch else ()
        templates.append(Template(name, text, _template_file(path, name), depends_on(text, "tools", otherwise=False), thinking))
    return tuple(templates)


def _template_file(path: Path, name: str) -> str | None:
    """The file that the template of this name is in, in the order in which transformers looks; None where it is in none."""
    if path.is_file():
        return path.name
    for file in (f"additional_chat_templates/{name}.jinja", "chat_template.jinja"):
        if (path / file).is_file():
            return file
    return "tokenizer_config.json" if (_json(path / "tokenizer_config.json") or {}).get("chat_template") else None


def _json(path: Path) -> dict[str, Any] | None:
    """A JSON object from a file; None where there is none that can be read."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
