"""A checkpoint on this computer: where it lies, the name the user knows it by, and what its small files say.

Knows nothing about where it came from or how it is run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from backends.base import BackendError
from families.base import Family

BUILTIN = "builtin"
"""The name of the model that comes with the program."""
DTYPES = ("float32", "bfloat16", "float16")
"""The number formats that weights can be put into."""
INDEX = "model.safetensors.index.json"
WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds a model, or one .gguf file, and the name the user knows it by.

    `commit` is the hub's commit that the files are of.
    """

    path: Path
    model_id: str
    commit: str | None = None


def defaults(path: Path, family: Family) -> tuple[dict[str, float], Literal["checkpoint", "family"]]:
    """The recommended sampling (temperature, top_p, top_k) and whose it is.

    It is the checkpoint's where generation_config.json recommends any; what that leaves out cuts nothing. Else the family's.
    """
    given = read_json(path / "generation_config.json")
    if given.get("do_sample") is False:
        return {"temperature": 0.0, "top_p": 1.0, "top_k": 0}, "checkpoint"
    neutral: dict[str, float] = {"temperature": 1.0, "top_p": 1.0, "top_k": 0}
    recommended = {name: given[name] for name in neutral if given.get(name) is not None}
    if recommended:
        return {**neutral, **recommended}, "checkpoint"
    return {**neutral, **family.sampling}, "family"


def weight_files(folder: Path) -> tuple[str, ...]:
    """The names of the safetensors that the folder's model is made of, as its index lists them; they need not be there."""
    listed = read_json(folder / INDEX).get("weight_map")
    return tuple(sorted(set(listed.values()))) if isinstance(listed, dict) and listed else (WEIGHTS,)


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
    except ValueError as error:
        raise BackendError(f"{path} is not JSON: {error}.", f"「{path}」不是合法的 JSON：{error}。") from error
    if not isinstance(content, dict):
        raise BackendError(f"{path} holds no JSON object.", f"「{path}」裡不是 JSON 物件。")
    return content
