"""What fits in memory: what a model's weights take in each number format, what is free, and the sentence where they do not fit.

The arithmetic is pure; only `free_bytes` asks the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil
import torch

from backends import cgroups
from backends.base import BackendError
from backends.checkpoint import DTYPES
from backends.checkpoint_files import size
from families.base import Text

BYTES: Mapping[str, int] = {name: getattr(torch, name).itemsize for name in DTYPES}
"""Bytes that a number takes in each of the formats that weights can be put into."""
_ROOM = 1.2
"""What is said to fit leaves a fifth of the weights' size for keys, values and whatever is computed."""
_LEAST_ROOM = 1.05
"""What leaves less than a twentieth is not begun: the keys and values of a few thousand tokens take as much. A computer with more
room than that may well do, as long as the conversation is short."""
_SMALLER_MODEL = Text(
    "請換一個小一點的模型，或先關掉別的程式再試。", "Choose a smaller model, or close other programs and try again.",
)


@dataclass(frozen=True)
class Weights:
    """`n_numbers` weights that are to be put into memory as `dtype`, one of `backends.checkpoint.DTYPES`; None where they stay
    quantised, and `n_numbers` are bytes."""

    n_numbers: int
    dtype: str | None

    @property
    def n_bytes(self) -> int:
        return self.n_numbers * (BYTES[self.dtype] if self.dtype else 1)


def free_bytes(device: str, root: Path = Path("/")) -> int | None:
    """The memory that is free on a torch device, on a CPU within the limits that the files below `root` set to this process; None
    where the device does not say."""
    kind = torch.device(device).type
    if kind == "cpu":
        free, allowed = int(psutil.virtual_memory().available), cgroups.free_bytes(root)
        return free if allowed is None else min(free, allowed)
    return int(torch.cuda.mem_get_info(device)[0]) if kind == "cuda" else None


def smaller(weights: Weights, free: int) -> tuple[str, ...]:
    """The number formats that take less than the one wanted, and in which the weights fit into `free` bytes."""
    wanted = BYTES[weights.dtype] if weights.dtype else 0
    return tuple(dtype for dtype, n in BYTES.items() if n < wanted and n * weights.n_numbers * _ROOM <= free)


def require_room(name: str, weights: Weights, free: int) -> None:
    """Raises BackendError where `free` bytes do not hold the weights and the least that is computed with them. A CPU that runs
    out of memory raises nothing: the system ends the process."""
    if weights.n_bytes * _LEAST_ROOM > free:
        raise does_not_fit(name, weights, free)


def does_not_fit(name: str, weights: Weights, free: int) -> BackendError:
    """The error of a model that cannot be loaded into `free` bytes: what it needs, what is free, and what would fit."""
    fits = smaller(weights, free)
    needed, hint = _needed(weights), _smaller_dtype(weights, fits) if fits else _smaller_model(free)
    return BackendError(
        f"There is not enough memory for {name}: {needed.en}, and {size(free)} are free. {hint.en}",
        f"記憶體放不下 {name}：{needed.zh}，目前只剩 {size(free)}。{hint.zh}",
    )


def ran_out(name: str, weights: Weights, free: int) -> BackendError:
    """The error of a model for which memory did not suffice, though `free` bytes hold its weights."""
    fits = smaller(weights, free)
    needed, hint = _needed(weights), _smaller_dtype(weights, fits) if fits else _SMALLER_MODEL
    return BackendError(
        f"Memory ran out while {name} was loaded: {needed.en}, and {size(free)} were free, but loading takes more on the way. "
        f"{hint.en}",
        f"載入 {name} 時記憶體用完了：{needed.zh}，原本還剩 {size(free)}，但載入過程要用得更多。{hint.zh}",
    )


def _needed(weights: Weights) -> Text:
    as_en, as_zh = (f"in {weights.dtype}", f"用 {weights.dtype} ") if weights.dtype else ("as they are stored", "照檔案裡的格式")
    n_bytes = size(weights.n_bytes)
    return Text(f"它的權重{as_zh}要 {n_bytes}", f"its weights take {n_bytes} {as_en}")


def _smaller_dtype(weights: Weights, fits: tuple[str, ...]) -> Text:
    n_bytes = size(weights.n_numbers * BYTES[fits[0]])
    return Text(
        f"改用 {' 或 '.join(fits)} 只要 {n_bytes}，就放得下。", f"In {' or '.join(fits)} they take {n_bytes}, which fits.",
    )


def _smaller_model(free: int) -> Text:
    dtype = min(BYTES, key=lambda name: BYTES[name])
    millions = int(free / _ROOM / BYTES[dtype] / 1_000_000)
    return Text(
        f"請換一個小一點的模型：用 {dtype} 大約放得下 {millions / 100:g} 億個參數；也可以先關掉別的程式再試。",
        f"Choose a smaller model (about {millions} million parameters fit in {dtype}), or close other programs and try again.",
    )
