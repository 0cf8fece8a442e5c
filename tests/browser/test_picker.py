"""The model picker in a browser, with the real server, the real client, and a small hub on this computer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backends.recommended import RECOMMENDED
from tests.backends import tiny
from tests.backends.hub_server import HubServer, Model
from tests.browser.conftest import ROOT, Tab

NAME = "Acme/Tiny-1B"
Tabs = Callable[..., Tab]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint that loads at once."""
    return tiny.write(tmp_path / "first")


@pytest.fixture
def hub(folder: Path) -> Iterator[tuple[HubServer, Model]]:
    """A hub with that checkpoint under a name of its own, and one of the recommended models."""
    server = HubServer()
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    server.put(RECOMMENDED[0].model_id, files, licence="apache-2.0")
    yield server, server.put(NAME, files)
    server.close()


@pytest.fixture
def address(folder: Path, hub: tuple[HubServer, Model], tmp_path: Path) -> Iterator[str]:
    """A server as a user starts it, whose hub, cache, settings and runs are the test's."""
    environment = {
        **os.environ, "HF_ENDPOINT": hub[0].endpoint, "HF_HOME": str(tmp_path / "hf"), "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"), "HF_HUB_OFFLINE": "0",
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "--port", "0", "--model", str(folder), "--device", "cpu"], cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    assert "http://127.0.0.1:" in line, line
    yield next(word for word in line.split() if word.startswith("http"))
    server.send_signal(signal.SIGINT)
    printed, _ = server.communicate(timeout=60)
    assert server.returncode == 0, printed


def test_a_hub_model_is_found_fetched_asked_and_pinned(
    address: str, hub: tuple[HubServer, Model], tab: Tabs, tmp_path: Path,
) -> None:
    server, model = hub
    here = tab(address)
    here.page.get_by_text("first (").wait_for()
    here.page.get_by_role("button", name="Choose a model").click()
    dialog = here.page.get_by_role("dialog")
    dialog.get_by_text("licence apache-2.0").wait_for()
    assert dialog.get_by_text("size and licence not known yet").count() == len(RECOMMENDED) - 1
    box = dialog.get_by_role("textbox", name="Path or name")
    box.fill(NAME)
    box.press("Enter")
    here.page.get_by_text(f"{NAME} (").wait_for()
    dialog.wait_for(state="hidden")
    here.page.get_by_text(f"Hub commit {model.commit[:12]}").wait_for()
    assert "model.safetensors" in server.fetched()
    here.page.get_by_text("Stay at this commit").click()
    here.ask("What is 37 * 48?")
    here.wait_ended()
    (run_file,) = (tmp_path / "data").rglob("*.jsonl")
    header, start, *_ = [json.loads(line) for line in run_file.read_text("utf-8").splitlines()]
    assert (header["model"], header["commit"]) == (NAME, model.commit)
    assert (start["commit"], start["device"], start["dtype"]) == (model.commit, "cpu", "float32")
    (settings,) = (tmp_path / "config").rglob("models.json")
    assert json.loads(settings.read_text("utf-8"))["pins"] == {NAME: model.commit}
    here.page.get_by_role("button", name="Choose a model").click()
    row = dialog.get_by_text(f"in the cache, commit {model.commit[:7]}")
    row.wait_for()
    assert dialog.get_by_role("button", name="In use").count() >= 1


def test_a_number_format_that_was_chosen_is_seen_once_the_dialog_is_dismissed(address: str, tab: Tabs) -> None:
    here = tab(address)
    here.page.get_by_text("On cpu, float32").wait_for()
    here.page.get_by_role("button", name="Choose a model").click()
    dialog = here.page.get_by_role("dialog")
    dialog.locator("[data-testid=stSelectbox]").filter(has_text="Number format").locator("input").click()
    here.page.get_by_role("option", name="bfloat16").click()
    here.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    here.page.get_by_text("On cpu, bfloat16").wait_for()
    assert here.page.get_by_text("On cpu, float32").count() == 0
    assert here.errors == []
