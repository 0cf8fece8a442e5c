"""Where a checkpoint comes from: the one that is built in, or a folder. Knows nothing about what is in it but its files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from backends.base import BackendError, Progress
from families.base import Family

BUILTIN = "builtin"
BUILTIN_ID = "loopglass/SmolLM2-135M-agent"

@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds a model, and the name the user knows the model by."""

    folder: Path
    model_id: str


def resolve(model: str, progress: Progress) -> Checkpoint:
    """The checkpoint that `model` names: "builtin", which is built on first use, or a folder.

    Raises BackendError, which says what to give, for anything else.
    """
    if model in (BUILTIN, BUILTIN_ID):
        from backends.builtin import checkpoint  # pulls in what builds it, which a folder does not need

        return Checkpoint(checkpoint(progress), BUILTIN_ID)
    folder = Path(model).expanduser()
    if not folder.is_dir():
        raise BackendError(
            f"There is no model {model!r}. Give {BUILTIN!r}, or a folder with config.json, a tokenizer and safetensors.",
            f"找不到模型「{model}」。請填「{BUILTIN}」，或一個含有 config.json、分詞器與 safetensors 的資料夾。",
        )
    if not (folder / "config.json").is_file():
        raise BackendError(
            f"{folder} holds no model: it has no config.json.", f"「{folder}」不是模型資料夾：裡面沒有 config.json。"
        )
    return Checkpoint(folder.resolve(), folder.resolve().name)


def defaults(folder: Path, family: Family) -> tuple[dict[str, float], Literal["checkpoint", "family"]]:
    """The recommended sampling (temperature, top_p, top_k) and whose it is.

    It is the checkpoint's where generation_config.json recommends any; what that leaves out cuts nothing. Else the family's.
    """
    given = read_json(folder / "generation_config.json")
    if given.get("do_sample") is False:
        return {"temperature": 0.0, "top_p": 1.0, "top_k": 0}, "checkpoint"
    neutral: dict[str, float] = {"temperature": 1.0, "top_p": 1.0, "top_k": 0}
    recommended = {name: given[name] for name in neutral if given.get(name) is not None}
    if recommended:
        return {**neutral, **recommended}, "checkpoint"
    return {**neutral, **family.sampling}, "family"


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file; empty where there is no such file. Raises BackendError for a file that is no JSON object."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise BackendError(f"{path} is not JSON: {error}.", f"「{path}」不是合法的 JSON：{error}。") from error
    if not isinstance(content, dict):
        raise BackendError(f"{path} holds no JSON object.", f"「{path}」裡不是 JSON 物件。")
    return content
