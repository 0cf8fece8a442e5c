"""What is remembered about models between starts: pinned commits, the folders and files that the user has named, and drafters.

One JSON file in the user's configuration folder, which may be edited by hand:
{"pins": {"owner/name": "<commit>"}, "named": ["/path/of/a/folder"], "drafters": {"owner/name": "/path/of/its/drafter"}}.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from backends.base import BackendError
from backends.checkpoint import read_json


def settings_file() -> Path:
    """Where the settings are kept."""
    return user_config_path("loopglass") / "models.json"


@dataclass(frozen=True)
class ModelSettings:
    """`pins` maps a hub model to the commit (or tag) it is to be used at; `named` lists paths, the one named last first;
    `drafters` maps a model, by its name on the hub or its folder, to the folder of the checkpoint that drafts for it."""

    pins: Mapping[str, str] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    drafters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None = None) -> ModelSettings:
        """The settings in the file; empty where there is none. Raises BackendError for one that is not as described above."""
        path = path or settings_file()
        given = read_json(path)
        pins, named, drafters = given.get("pins", {}), given.get("named", []), given.get("drafters", {})
        if not (_maps_texts(pins) and _maps_texts(drafters) and isinstance(named, list) and _are_texts(named)):
            raise BackendError(
                f'{path} is not as expected: "pins" maps models to commits, "named" lists paths, "drafters" maps models to '
                "paths. Correct it or delete it.",
                f"「{path}」的內容不對：pins 是模型到 commit 的對照，named 是路徑的清單，drafters 是模型到路徑的對照。"
                "請改正或刪除它。",
            )
        return cls(pins, tuple(named), drafters)

    def with_pin(self, model_id: str, commit: str | None) -> ModelSettings:
        """The settings with a model pinned to a commit, or, with None, no longer pinned."""
        others = {name: pinned for name, pinned in self.pins.items() if name != model_id}
        return replace(self, pins=others if commit is None else {**others, model_id: commit})

    def with_named(self, name: str) -> ModelSettings:
        """The settings with a path named last."""
        return replace(self, named=(name, *(other for other in self.named if other != name)))

    def without_named(self, name: str) -> ModelSettings:
        """The settings with a path forgotten."""
        return replace(self, named=tuple(other for other in self.named if other != name))

    def write(self, path: Path | None = None) -> None:
        """Puts the settings into the file, all or nothing. Raises BackendError where it cannot be written."""
        path = path or settings_file()
        held = {"pins": dict(self.pins), "named": list(self.named), "drafters": dict(self.drafters)}
        content = json.dumps(held, indent=2, ensure_ascii=False) + "\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
                file.write(content)
            os.replace(file.name, path)
        except OSError as error:
            raise BackendError(
                f"The settings could not be written to {path}: {error}. Make the folder writable.",
                f"設定寫不進「{path}」：{error}。請讓該資料夾可以寫入。",
            ) from error


def _maps_texts(value: Any) -> bool:
    return isinstance(value, dict) and _are_texts(value.values())  # JSON has no other keys


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
