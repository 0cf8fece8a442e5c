"""A service with the public scripted backend, for tests of the page, its routes and the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app import service
from app.models import Models
from app.runs import Runs
from app.service import Service
from backends.scripted import ScriptedBackend, ScriptedTurn
from families.hermes import HERMES

CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "37 * 48"}}\n</tool_call>'
TURNS: tuple[ScriptedTurn, ...] = (CALL, "It is 1776.")
Script = Callable[..., ScriptedBackend]


def scripted(*turns: ScriptedTurn, **options: object) -> ScriptedBackend:
    return ScriptedBackend(turns or TURNS, HERMES, **options)  # type: ignore[arg-type]


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
    service.install(made)
    return made
