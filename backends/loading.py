"""Opens a checkpoint with transformers: family, tokenizer, model. What goes wrong becomes a sentence."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMultimodalLM, AutoTokenizer, PreTrainedConfig
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
)
from transformers.quantizers.auto import AutoHfQuantizer
from transformers.utils import logging as transformers_logging
from transformers.utils.quantization_config import GgufConfig

import families
from backends.base import BackendError, Progress
from backends.checkpoint import read_json, weight_files
from backends.checkpoint_files import Stored, gguf_numbers, stored, tensor_bytes
from backends.few_rows import quicken
from backends.memory import BYTES, Weights, free_bytes, ran_out, require_room
from backends.unknown import unknown_family
from backends.weight_progress import told
from backends.whole_weights import require_whole_weights
from families.base import Family, Text

_ON_WRONG_FILES = (
    OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, SafetensorError, StrictDataclassError,
)
"""What transformers raises on files that are wrong; it does not look at the type of every value before it uses it."""

_SHORTER = Text(
    "請縮短對話、換小一點的模型，或改用較小的數字格式。",
    "Shorten the conversation, or choose a smaller model or number format.",
)
SMALLER = Text(
    "請換小一點的模型、改用較小的數字格式，或先關掉別的程式。",
    "Choose a smaller model or number format, or close other programs.",
)
"""What helps where memory runs out while something is loaded."""
_RAN_OUT = ("allocate memory", "not enough memory", "out of memory", "bad_alloc", "alloc_failed", "invalid buffer size")
"""How torch says that memory ran out where it has no class for that: on a CPU under Linux or macOS, and under Windows; on Apple's
GPUs, and in CUDA itself; in C++; in CUDA's libraries; and of one tensor that is too large for an Apple GPU."""
_NOT_CONVERTED = "during automatic conversion of the weights"
"""What transformers says of weights that it could not put into the form in which it computes, whatever the reason."""
_EXPANDED: Mapping[str, tuple[str, float]] = {"fp8": ("F8", 1), "mxfp4": ("U8", 32 / 17)}
"""Methods of quantisation whose weights transformers can expand to bfloat16: how the dtypes are called in which they are stored,
and how many numbers come of each of theirs (of MXFP4, 16 bytes and one of scale hold 32)."""


@dataclass(frozen=True)
class Loaded:
    """A model ready to run, with what is needed to talk to it."""

    model: Any
    tokenizer: Any
    family: Family


def load_checkpoint(path: Path, progress: Progress, device: str | None, dtype: str | None) -> Loaded:
    """Loads the checkpoint at `path`, a folder or one .gguf file; code in it is never run, and a folder's weights are read
    from safetensors only.

    `device` is a torch device, by default the best there is; `dtype` a name in `backends.checkpoint.DTYPES`, by default the
    checkpoint's own (a .gguf file's weights become float32). Raises BackendError where there is no such checkpoint, or it does
    not fit in memory.
    """
    target = usable_device(device)
    with _worded(path), _quiet(), _uncollected():
        progress(Text("讀取設定與詞彙表", "Reading the configuration and the vocabulary"), 0.0)
        where = _where(path)
        require_architecture(path.name, _model_type(path, where))
        config = AutoConfig.from_pretrained(**where)
        tokenizer = _tokenizer(path, where)
        family = _family(config.model_type, tokenizer)
        if tokenizer.chat_template is None:
            raise BackendError(f"{path} has no chat template: it is no chat model.", f"「{path}」沒有對話模板，不是聊天模型。")
        weights = _held(path, config, dtype)
        first = "cpu" if path.suffix == ".gguf" else target  # All of such a file is expanded before any of it goes elsewhere.
        with room_for(path.name, weights, first), room_for(path.name, weights, target):
            model = _model(path, config, dtype, target, progress)
    rows, known = model.get_input_embeddings().weight.shape[0], tokenizer.vocab_size
    if known > rows:  # A few added tokens may be without a row: some text models keep the marks of media they cannot read.
        raise BackendError(
            f"{path}: the tokenizer has {known} tokens and the model only {rows}; they do not belong together.",
            f"「{path}」：分詞器有 {known} 個 token，模型只有 {rows} 個，兩者不是一對。",
        )
    return Loaded(model, tokenizer, family)


def _tokenizer(path: Path, where: Mapping[str, Any]) -> Any:
    """The tokenizer. What transformers says where there is none is about packages that would not help."""
    try:
        return AutoTokenizer.from_pretrained(**where)
    except _ON_WRONG_FILES as error:
        if path.is_dir() and not (path / "tokenizer.json").is_file():
            raise BackendError(
                f"{path} cannot be loaded: it has no tokenizer.json, and transformers can make no tokenizer of its other files. "
                "Download the checkpoint again, or choose one that has that file.",
                f"無法載入「{path}」：裡面沒有 tokenizer.json，transformers 也無法從別的檔案組出分詞器。"
                "請再下載一次，或選有這個檔案的模型。",
            ) from error
        raise


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps Python from searching for garbage: a vocabulary is hundreds of thousands of objects that stay, and as they come it
    would look through them, and all that was there before, again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _model(path: Path, config: Any, dtype: str | None, target: str, progress: Progress) -> Any:
    """The model with its weights, each put on its device as it is read: else all would have to fit into the computer's own memory
    first."""
    files = [path]
    if path.suffix != ".gguf":
        require_whole_weights(path)
        files = [path / name for name in weight_files(path)]
    sizes = tensor_bytes(files)
    n_bytes = sum(sizes.values()) or sum(file.stat().st_size for file in files if file.is_file())
    with told(progress, n_bytes, sizes):
        model, findings = _model_class(config.model_type).from_pretrained(
            **_where(path), **_weights(path, dtype), device_map={"": target}, config=config, output_loading_info=True,
        )
    _require_all_weights(path, findings)
    quicken(model)
    return model


def _held(path: Path, config: Any, dtype: str | None) -> Weights | None:
    """What the weights become in memory; None where the headers of the files do not tell."""
    if path.suffix == ".gguf":
        n_numbers = gguf_numbers(path)
        return Weights(n_numbers, dtype or "float32") if n_numbers else None
    found = stored(path / name for name in weight_files(path))
    if found is None:
        return None
    quantized = getattr(config, "quantization_config", None)
    if quantized is not None:
        return _held_of_quantized(path, found, quantized)
    named = dtype or str(config.dtype).removeprefix("torch.")
    return Weights(found.n_numbers, named) if named in BYTES else None


def _held_of_quantized(path: Path, found: Stored, quantized: Any) -> Weights:
    """What quantised weights become: transformers expands those of some methods where it cannot compute on them as they are."""
    method: Any = quantized.get("quant_method") if isinstance(quantized, Mapping) else quantized.quant_method
    if method in _EXPANDED:
        quantizer = AutoHfQuantizer.from_config(quantized, pre_quantized=True)
        quantizer.validate_environment(device_map=None)
        if quantizer.quantization_config.dequantize:
            of, n_each = _EXPANDED[method]
            return Weights(sum(int(n * n_each) if name.startswith(of) else n for name, n in found.dtypes.items()), "bfloat16")
    return Weights(sum(tensor_bytes(path / name for name in weight_files(path)).values()), None)


@contextmanager
def room_for(name: str, weights: Weights | None, device: str) -> Iterator[None]:
    """Sees to it that no network is begun that cannot fit, and says what would fit where memory runs out all the same."""
    if torch.device(device).type != "cpu":
        torch.accelerator.empty_cache()  # What the last model left is free, but torch keeps it for itself.
    free = free_bytes(device)
    if weights is None or free is None:
        yield
        return
    require_room(name, weights, free)
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        raise ran_out(name, weights, free) from error


def load_assistant(path: Path, model: Any) -> Any:
    """A smaller model in the folder `path` that works for `model`: on its device, in its number format. Raises BackendError."""
    with _worded(path), _quiet():
        require_architecture(path.name, _model_type(path, _where(path)))
        found = stored(path / name for name in weight_files(path))
        with room_for(path.name, as_held(found.n_numbers, model) if found is not None else None, str(model.device)):
            assistant, findings = AutoModelForCausalLM.from_pretrained(
                **_where(path), device_map={"": str(model.device)}, dtype=model.dtype, output_loading_info=True,
            )
        _require_all_weights(path, findings)
        return assistant


def as_held(n_numbers: int, model: Any) -> Weights | None:
    """So many weights in the number format of `model`; None where that is none that can be chosen."""
    named = str(model.dtype).removeprefix("torch.")
    return Weights(n_numbers, named) if named in BYTES else None


def _require_all_weights(path: Path, findings: Mapping[str, Any]) -> None:
    """Raises BackendError where weights are missing: transformers would go on with random numbers in their place."""
    if findings["missing_keys"]:
        missing = ", ".join(sorted(findings["missing_keys"])[:3])
        raise BackendError(f"{path} lacks weights of the model: {missing}, …", f"「{path}」缺少模型的權重：{missing}……")


def _where(path: Path) -> dict[str, Any]:
    """What every `from_pretrained` is given: where the files are, and that nothing is fetched or run."""
    where: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if path.suffix == ".gguf":
        return {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name, **where}
    return {"pretrained_model_name_or_path": path, "use_safetensors": True, **where}


def _weights(path: Path, dtype: str | None) -> dict[str, Any]:
    """How the weights are read. Those of a .gguf file are expanded: to compute on them as they are, transformers would fetch
    code from the hub."""
    if path.suffix == ".gguf":
        return {"dtype": getattr(torch, dtype or "float32"), "quantization_config": GgufConfig(dequantize=True)}
    return {"dtype": getattr(torch, dtype) if dtype else "auto"}


def _model_type(path: Path, where: Mapping[str, Any]) -> str | None:
    """The architecture that the checkpoint names, read before transformers makes an object of it."""
    given = PreTrainedConfig.get_config_dict(**where)[0] if path.is_file() else read_json(path / "config.json")
    named = given.get("model_type")
    return named if isinstance(named, str) else None


def _model_class(model_type: str) -> Any:
    """The class that runs the text of an architecture; some have it only together with what reads images."""
    return AutoModelForCausalLM if model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES else AutoModelForMultimodalLM


def require_architecture(name: str, model_type: str | None) -> None:
    """Raises BackendError where transformers cannot run a model of this type (the `model_type` of config.json) on text."""
    if model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES or model_type in MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES:
        return
    if model_type is None:
        raise BackendError(
            f"{name} names no architecture: its config.json is missing or has no model_type. Choose a checkpoint that has one.",
            f"「{name}」沒有寫明架構：缺少 config.json，或裡面沒有 model_type。請選一個寫明架構的模型。",
        )
    raise BackendError(
        f"{name} is of the architecture {model_type!r}, which transformers {transformers.__version__} cannot generate text "
        "with. Choose another model; a newer transformers may know this one.",
        f"「{name}」的架構是「{model_type}」，transformers {transformers.__version__} 無法用它生成文字。請換一個模型；"
        "較新的 transformers 也許認得它。",
    )


def _family(model_type: str, tokenizer: Any) -> Family:
    """The family that knows the checkpoint; where none does, one that shows what the model writes as it is."""
    try:
        return families.for_checkpoint(model_type, tokenizer.get_added_vocab(), str(tokenizer.chat_template or ""))
    except families.UnknownFamily:
        return unknown_family(tokenizer)


def devices() -> tuple[str, ...]:
    """The devices that torch can use here, the best one first: "cuda" or "mps" where there is one, and "cpu"."""
    best = best_device()
    return (best,) if best == "cpu" else (best, "cpu")


def usable_device(wanted: str | None) -> str:
    """The device to use: the best one where none is wanted. Raises BackendError for one that is not here."""
    if wanted is None:
        return best_device()
    here = devices()
    kind, _, number = wanted.partition(":")
    n_here = 1 if kind in ("cpu", "mps") else torch.accelerator.device_count()
    if kind not in here or (number and not (number.isdigit() and int(number) < n_here)):
        raise BackendError(
            f"There is no device {wanted!r} here. Choose {' or '.join(here)}.",
            f"這台電腦沒有「{wanted}」這個裝置。請選 {' 或 '.join(here)}。",
        )
    return wanted


def best_device() -> str:
    """The accelerator that torch finds (cuda, mps, …), else the CPU."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return accelerator.type if accelerator is not None else "cpu"


@contextmanager
def worded_failures(doing: Text, where_too_large: Text = _SHORTER) -> Iterator[None]:
    """Turns a failure of torch while `doing` something into a BackendError that says what would help; `where_too_large` is what
    helps where memory runs out."""
    try:
        yield
    except ArithmeticError as error:
        raise BackendError(
            f"The model's output is not numbers while {doing.en}: {error}. Try another number format, such as float32.",
            f"{doing.zh}時，模型輸出的不是數字（{error}）。請改用別的數字格式，例如 float32。",
        ) from error
    except (MemoryError, RuntimeError) as error:
        text = _failure(error, doing, where_too_large)
        raise BackendError(text.en, text.zh) from error


def _failure(error: Exception, doing: Text, where_too_large: Text) -> Text:
    """What went wrong, and what would help."""
    if out_of_memory(error):
        return Text(
            f"{doing.zh}時記憶體不足。{where_too_large.zh}", f"There is not enough memory for {doing.en}. {where_too_large.en}",
        )
    if _NOT_CONVERTED in str(error):  # The reason is only in a report, which transformers has logged.
        return Text(
            f"{doing.zh}時，transformers 無法把權重轉成計算用的形式，多半是記憶體不足。{where_too_large.zh}"
            "若不是記憶體的問題，原因寫在執行 Loopglass 的終端機裡。",
            f"While {doing.en}, transformers could not put the weights into the form in which it computes; most often memory "
            f"runs out at that. {where_too_large.en} If it was not memory, the terminal that Loopglass runs in has the reason.",
        )
    return Text(f"{doing.zh}時模型出錯：{error}", f"The model failed while {doing.en}: {error}")


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out; torch has a class for some accelerators only."""
    said = str(error).lower()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or any(words in said for words in _RAN_OUT)


@contextmanager
def _worded(folder: Path) -> Iterator[None]:
    """Turns what transformers raises on a folder that it cannot load into a BackendError."""
    try:
        with worded_failures(Text("載入模型", "loading the model"), SMALLER):
            yield
    except _ON_WRONG_FILES as error:
        read = Text(
            "只讀 transformers 認得的架構，而且只讀 safetensors。",
            "Only safetensors of architectures that transformers knows are read.",
        )
        if folder.suffix == ".gguf":
            read = Text("請再下載一次這個檔案，或換一個。", "Download the file again, or choose another one.")
        raise BackendError(
            f"{folder} cannot be loaded: {error} ({read.en})", f"無法載入「{folder}」：{error}（{read.zh}）",
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps transformers' progress bars out of the terminal; progress is reported to the caller."""
    shown = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            transformers_logging.enable_progress_bar()
