"""The real client and a small hub on this computer."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants, file_download

from backends.hub_client import Hub
from tests.backends.hub.small_model import CHUNK, FILES, NAME
from tests.backends.hub_server import HubServer, Model


@pytest.fixture(autouse=True)
def _client(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client as at a user's who is not logged in; pieces are small enough for small files, and it does not wait between
    tries. Its warnings about tries that failed are expected."""
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", CHUNK)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "/nowhere/token")
    monkeypatch.setattr(file_download.time, "sleep", lambda _seconds: None)
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(logging.getLogger("huggingface_hub"), "disabled", True)


@pytest.fixture
def server() -> Iterator[HubServer]:
    made = HubServer()
    yield made
    made.close()


@pytest.fixture
def hub(server: HubServer, tmp_path: Path) -> Hub:
    return Hub(server.endpoint, tmp_path / "hub")


@pytest.fixture
def model(server: HubServer) -> Model:
    return server.put(NAME, FILES, licence="apache-2.0")
