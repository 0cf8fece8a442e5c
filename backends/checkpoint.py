"""A checkpoint on this computer: where it lies, the name the user knows it by, and what its small files say.

Knows nothing about where it came from or how it is run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from backends.base import BackendError
from families.base import Family, Text

BUILTIN = "builtin"
"""The name of the model that comes with the program."""
DTYPES = ("float32", "bfloat16", "float16")
"""The number formats that weights can be put into."""
INDEX = "model.safetensors.index.json"
WEIGHTS = "model.safetensors"
_MOST = 1e9
"""More than any setting of sampling means anything at: a top_k of every vocabulary is less."""


@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds a model, or one .gguf file, and the name the user knows it by.

    `commit` is the hub's commit that the files are of; `notice` says why they are not what was asked for, where that is so.
    """

    path: Path
    model_id: str
    commit: str | None = None
    notice: Text | None = None


def defaults(path: Path, family: Family) -> tuple[dict[str, float], Literal["checkpoint", "family"]]:
    """The recommended sampling (temperature, top_p, top_k) and whose it is.

    It is the checkpoint's where generation_config.json recommends any; what that leaves out, or gives as something that cannot
    be used, cuts nothing. Else the family's.
    """
    given = read_json(path / "generation_config.json")
    if given.get("do_sample") is False:
        return {"temperature": 0.0, "top_p": 1.0, "top_k": 0}, "checkpoint"
    neutral: dict[str, float] = {"temperature": 1.0, "top_p": 1.0, "top_k": 0}
    recommended = {name: given[name] for name in neutral if _usable(name, given.get(name))}
    if recommended:
        return {**neutral, **recommended}, "checkpoint"
    return {**neutral, **family.sampling}, "family"


def _usable(name: str, value: Any) -> bool:
    """Whether a setting of sampling is a number that can be sampled with."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        return False
    return {"temperature": True, "top_p": value <= 1, "top_k": isinstance(value, int)}[name]


def weight_files(folder: Path) -> tuple[str, ...]:
    """The names of the safetensors that the folder's model is made of: the one file, which transformers takes where it is there,
    else those that the index lists; they need not be there."""
    if (folder / WEIGHTS).is_file():
        return (WEIGHTS,)
    listed = read_json(folder / INDEX).get("weight_map")
    names = {name for name in listed.values() if isinstance(name, str)} if isinstance(listed, dict) else set()
    return tuple(sorted(names)) or (WEIGHTS,)


def is_whole(folder: Path) -> bool:
    """Whether nothing that loading needs is missing: config.json, a tokenizer, and every file of the weights."""
    tokenizer = any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json"))
    return tokenizer and all((folder / name).is_file() for name in ("config.json", *weight_files(folder)))


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file; empty where there is no such file. Raises BackendError for a file that is no JSON object."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BackendError(f"{path} cannot be read as JSON: {error}.", f"「{path}」無法當作 JSON 讀取：{error}。") from error
    if not isinstance(content, dict):
        raise BackendError(f"{path} holds no JSON object.", f"「{path}」裡不是 JSON 物件。")
    return content
