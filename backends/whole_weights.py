"""Whether the files of a folder's weights are all there and whole; what is wrong with them becomes a sentence.

A copy that was interrupted, a clone without Git LFS and weights in another format are the common cases. Knows nothing about
torch or transformers.
"""

from __future__ import annotations

from pathlib import Path

from backends.base import BackendError
from backends.checkpoint import WEIGHTS, weight_files
from backends.checkpoint_files import least_bytes, size
from families.base import Text

_POINTER = b"version https://git-lfs.github.com/"
"""How a text file begins that Git LFS leaves in the place of a large file (https://github.com/git-lfs/git-lfs, docs/spec.md)."""


def require_whole_weights(folder: Path) -> None:
    """Raises BackendError where a file of the weights is missing, ends too soon, or only says where Git LFS has it."""
    wrong = _missing(folder) or next(filter(None, (_wrong(folder / name) for name in weight_files(folder))), None)
    if wrong:
        raise BackendError(f"{folder} cannot be loaded: {wrong.en}", f"無法載入「{folder}」：{wrong.zh}")


def _missing(folder: Path) -> Text | None:
    names = weight_files(folder)
    missing = [name for name in names if not (folder / name).is_file()]
    if not missing:
        return None
    if names == (WEIGHTS,):
        return Text(
            f"裡面沒有 {WEIGHTS}。只讀 safetensors 格式的權重；請選有這種檔案的模型，或再下載一次。",
            f"it has no {WEIGHTS}. Only weights in the format safetensors are read: choose a checkpoint that has them, or "
            "download it again.",
        )
    return Text(
        f"權重的 {len(names)} 個檔案缺了 {len(missing)} 個，第一個是 {missing[0]}。請再複製或下載一次。",
        f"{len(missing)} of the {len(names)} files of its weights are missing, {missing[0]} first. Copy or download them again.",
    )


def _wrong(file: Path) -> Text | None:
    with file.open("rb") as opened:
        if opened.read(len(_POINTER)) == _POINTER:
            return Text(
                f"{file.name} 不是權重，只是 Git LFS 的指標。請在資料夾裡執行 git lfs pull，或改用下載的。",
                f"{file.name} is not the weights but a pointer of Git LFS. Run “git lfs pull” in the folder, or download the "
                "checkpoint.",
            )
    least, n_bytes = least_bytes(file), file.stat().st_size
    if least is None or n_bytes >= least:
        return None
    return Text(
        f"{file.name} 不完整：有 {size(n_bytes)}，照檔頭至少要有 {size(least)}。請再複製或下載一次。",
        f"{file.name} ends too soon: it has {size(n_bytes)}, and by its head needs {size(least)} or more. Copy or download it "
        "again.",
    )
