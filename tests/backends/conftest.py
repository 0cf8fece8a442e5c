from __future__ import annotations

from pathlib import Path

import pytest

from backends.local import LocalBackend
from tests.backends import tiny


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def shared_backend(tiny_folder: Path) -> LocalBackend:
    return LocalBackend.load(tiny_folder, "tiny", device="cpu")


@pytest.fixture
def backend(shared_backend: LocalBackend) -> LocalBackend:
    """The tiny model with nothing in its cache."""
    shared_backend._cache.clear()
    return shared_backend


@pytest.fixture
def seldom_stops(backend: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> LocalBackend:
    """The tiny model with no stop tokens, so that a turn is as long as its limit."""
    monkeypatch.setattr(backend, "_stop_ids", frozenset())
    return backend
