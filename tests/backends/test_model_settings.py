"""What is remembered about models: pins and named paths, in one file that may be edited by hand."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from backends.base import BackendError
from backends.model_settings import ModelSettings, settings_file


def test_without_a_file_nothing_is_remembered(tmp_path: Path) -> None:
    assert ModelSettings.read(tmp_path / "none.json") == ModelSettings()


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "models.json"
    settings = ModelSettings().with_pin("a/b", "0" * 40).with_named("/x").with_named("/模型").with_named("/x")
    settings = dataclasses.replace(settings, drafters={"a/b": "/草稿"})
    settings.write(path)
    assert ModelSettings.read(path) == settings
    written = {"pins": {"a/b": "0" * 40}, "named": ["/x", "/模型"], "drafters": {"a/b": "/草稿"}}
    assert json.loads(path.read_text("utf-8")) == written
    assert list(path.parent.iterdir()) == [path]


def test_pins_and_paths_can_be_taken_back() -> None:
    settings = ModelSettings({"a/b": "1", "c/d": "2"}, ("/x", "/y"))
    assert settings.with_pin("a/b", None) == ModelSettings({"c/d": "2"}, ("/x", "/y"))
    assert settings.without_named("/y") == ModelSettings({"a/b": "1", "c/d": "2"}, ("/x",))


WRONG = ["{", "[]", '{"pins": []}', '{"pins": {"a/b": 1}}', '{"named": "x"}', '{"named": [1]}', '{"drafters": {"a/b": ["/x"]}}']


@pytest.mark.parametrize("content", WRONG)
def test_a_file_that_is_wrong_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    path.write_text(content, "utf-8")
    with pytest.raises(BackendError, match=r"models\.json"):
        ModelSettings.read(path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BackendError, match="could not be written"):
        ModelSettings().write(tmp_path / "file" / "models.json")


def test_the_file_is_in_the_users_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_file().name == "models.json"
    assert "loopglass" in settings_file().parts
