"""A small model as a hub has it, and what the tests do with it: get it, or see it refused."""

from __future__ import annotations

import random

import pytest

from backends.base import BackendError
from backends.checkpoint import Checkpoint
from backends.hub import from_hub
from backends.hub_client import Hub
from families.base import Text

NAME = "Acme/Tiny-1B"
CHUNK = 1000


def content(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


FILES = {
    "config.json": b'{"model_type": "llama"}',
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b'{"eos_token": "."}',
    "chat_template.jinja": b"{{ messages }}",
    "README.md": b"# Tiny",
    "LICENSE": b"Apache",
    "model.safetensors": content(50_000),
}
"""Files as the hub has them; what is in the weights matters to nobody here."""


class Told:
    """Remembers what progress was told."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.shares: list[float | None] = []

    def __call__(self, text: Text, done: float | None) -> None:
        self.texts.append(text)
        self.shares.append(done)


def get(hub: Hub, revision: str = "main", told: Told | None = None) -> Checkpoint:
    return from_hub(NAME, revision, hub, told or Told())


def failure(hub: Hub, revision: str = "main") -> BackendError:
    """The error in which getting the model ends."""
    with pytest.raises(BackendError) as caught:
        get(hub, revision)
    assert any("一" <= letter <= "鿿" for letter in caught.value.zh)
    return caught.value


def refusal(hub: Hub, revision: str = "main") -> str:
    """What that error says in English."""
    return str(failure(hub, revision))
