"""Opens a checkpoint folder with transformers: family, tokenizer, model. What goes wrong becomes a sentence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

import families
from backends.base import BackendError, Progress
from families.base import Family, Text


@dataclass(frozen=True)
class Loaded:
    """A model ready to run, with what is needed to talk to it; `seconds` is how long loading took."""

    model: Any
    tokenizer: Any
    family: Family
    seconds: float


def load_checkpoint(folder: Path, progress: Progress, device: str | None, dtype: str | None) -> Loaded:
    """Loads the checkpoint in `folder`; code in it is never run, weights are read from safetensors only.

    Raises BackendError where the folder holds no such checkpoint, no family knows it, or it does not fit in memory.
    """
    began = time.perf_counter()
    target = device or best_device()
    with _worded(folder), _quiet():
        progress(Text("讀取設定與詞彙表", "Reading the configuration and the vocabulary"), 0.0)
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        family = _family(config.model_type, tokenizer)
        if tokenizer.chat_template is None:
            raise BackendError(f"{folder} has no chat template: it is no chat model.", f"「{folder}」沒有對話模板。")
        progress(Text("讀取權重", "Reading the weights"), None)
        model, findings = AutoModelForCausalLM.from_pretrained(
            folder,
            config=config,
            dtype=getattr(torch, dtype) if dtype else "auto",
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
        if findings["missing_keys"]:  # transformers would go on with random numbers in their place
            missing = ", ".join(sorted(findings["missing_keys"])[:3])
            raise BackendError(f"{folder} lacks weights of the model: {missing}, …", f"「{folder}」缺少模型的權重：{missing}⋯⋯")
        progress(Text(f"把模型放上 {target}", f"Moving the model to {target}"), None)
        model = model.to(target).eval()
    rows = model.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > rows:
        raise BackendError(
            f"{folder}: the tokenizer has {len(tokenizer)} tokens and the model only {rows}; they do not belong together.",
            f"「{folder}」：分詞器有 {len(tokenizer)} 個詞元，模型只有 {rows} 個，兩者不是一對。",
        )
    progress(Text("模型已載入", "The model is loaded"), 1.0)
    return Loaded(model, tokenizer, family, time.perf_counter() - began)


def _family(model_type: str, tokenizer: Any) -> Family:
    try:
        return families.for_checkpoint(model_type, tokenizer.get_added_vocab())
    except families.UnknownFamily as unknown:
        known = ", ".join(unknown.known)
        raise BackendError(
            f"No family knows this checkpoint: {unknown}. A family must also find its control tokens in the vocabulary.",
            f"沒有模型家族認得這個檢查點（{model_type}）。認得的有 {known}，而且詞彙表裡要有該家族的控制詞元。",
        ) from unknown


def best_device() -> str:
    """The accelerator that torch finds (cuda, mps, …), else the CPU."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return accelerator.type if accelerator is not None else "cpu"


@contextmanager
def worded_failures(doing: Text) -> Iterator[None]:
    """Turns a failure of torch while `doing` something into a BackendError that says what would help."""
    try:
        yield
    except ArithmeticError as error:
        raise BackendError(
            f"The model's output is not numbers while {doing.en}: {error}. Try another dtype, such as float32.",
            f"{doing.zh}時，模型輸出的不是數字（{error}）。請改用別的資料型別，例如 float32。",
        ) from error
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise BackendError(f"The model failed while {doing.en}: {error}", f"{doing.zh}時模型出錯：{error}") from error
        raise BackendError(
            f"There is not enough memory for {doing.en}. A shorter conversation, a smaller model or a smaller dtype would fit.",
            f"{doing.zh}時記憶體不足。縮短對話、換小一點的模型，或用較小的資料型別就放得下。",
        ) from error


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out; torch has a class for accelerators only."""
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "not enough memory" in str(error)


@contextmanager
def _worded(folder: Path) -> Iterator[None]:
    """Turns what transformers raises on a folder that it cannot load into a BackendError."""
    try:
        with worded_failures(Text("載入模型", "loading the model")):
            yield
    except (OSError, ValueError, KeyError, ImportError, SafetensorError) as error:
        raise BackendError(
            f"{folder} cannot be loaded: {error} (Only safetensors of architectures that transformers knows are read.)",
            f"無法載入「{folder}」：{error}（只讀 transformers 認得的架構，而且只讀 safetensors。）",
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
