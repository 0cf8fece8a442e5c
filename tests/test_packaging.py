"""An installed Loopglass has every file that a checkout has."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("families", "backends", "harness", "app", "teaching", "benchmarks")
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]


def files() -> set[Path]:
    return {
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }


def test_every_folder_with_modules_is_packed() -> None:
    folders = {path.parent.relative_to(ROOT) for path in files() if path.suffix == ".py"}
    assert {".".join(folder.parts) for folder in folders} == set(SETUPTOOLS["packages"])


def test_every_other_file_is_packed() -> None:
    packed = {
        path for package, patterns in SETUPTOOLS["package-data"].items() for pattern in patterns
        for path in ROOT.joinpath(*package.split(".")).glob(pattern)
    }
    assert not {path for path in files() if path.suffix != ".py"} - packed
