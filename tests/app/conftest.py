"""A service with the public scripted backend, for tests of the page, its routes and the registry."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.models import Models, Ready
from app.runs import Runs
from app.service import Service, install
from backends.scripted import ScriptedBackend, ScriptedTurn
from families.hermes import HERMES

CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "37 * 48"}}\n</tool_call>'
TURNS: tuple[ScriptedTurn, ...] = (CALL, "It is 1776.")
Script = Callable[..., ScriptedBackend]


def scripted(*turns: ScriptedTurn, **options: object) -> ScriptedBackend:
    return ScriptedBackend(turns or TURNS, HERMES, **options)  # type: ignore[arg-type]


def wait_loaded() -> None:
    """Waits until no thread loads a model any more."""
    for thread in threading.enumerate():
        if thread.name.startswith("load "):
            thread.join(20)


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """An empty registry; whatever a test leaves running is stopped."""
    registry = Runs(tmp_path / "runs")
    yield registry
    registry.stop_all(10)


@pytest.fixture
def installed(runs: Runs) -> Service:
    """The service that pages and routes use, with a scripted model that is still to be requested."""
    made = Service(runs, Models(lambda _model, _progress: scripted(), runs.wait_idle))
    install(made)
    return made


def serve_with(installed: Service, made: ScriptedBackend) -> None:
    """Puts a service in place whose model is loaded."""
    models = Models(lambda _model, _progress: made, installed.runs.wait_idle)
    install(Service(installed.runs, models, installed.token))
    models.request("builtin")
    wait_loaded()
    assert isinstance(models.state, Ready)


@pytest.fixture
def backend(installed: Service) -> ScriptedBackend:
    """The model, loaded; its script has turns for two questions."""
    made = scripted("Hello Ada.", "You are Ada.")
    serve_with(installed, made)
    return made
