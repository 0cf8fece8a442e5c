"""Serves the real page with a scripted model: `python -m tests.browser.launcher FOLDER PORT [MODEL]` (port 0: a free one).

FOLDER/script.json holds {"turns": [[item, …], …], "drafters": {name: null, or [zh, en] why it cannot be had}}: an item is a text
that is one token, {"seconds": s} for a wait, {"gate": name} for a wait until the file FOLDER/name exists, {"pass": true} for a
forward pass, or {"text", "guess", "place", "dropped"} for a token for which a drafter had guessed. Run files go to FOLDER/runs.
A MODEL that is a folder is loaded as a real checkpoint.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from app.server import serve
from backends.base import Backend, Draft, Progress
from backends.scripted import Drafted, Forward, Item, Pause, ScriptedBackend
from families.base import Text
from families.hermes import HERMES


def gate(path: Path) -> threading.Event:
    """An event that is set once the file exists."""
    opened = threading.Event()

    def watch() -> None:
        while not path.exists():
            time.sleep(0.01)
        opened.set()

    threading.Thread(target=watch, daemon=True).start()
    return opened


def item(folder: Path, written: Any) -> Item:
    if isinstance(written, str):
        return written
    if "guess" in written:
        text, guess = written["text"], written["guess"]
        return Drafted(text, Draft(guess, guess == text, written["place"], tuple(written["dropped"])))
    if "pass" in written:
        return Forward()
    return Pause(written["seconds"]) if "seconds" in written else gate(folder / written["gate"])


def main() -> None:
    folder, port, first = Path(sys.argv[1]), int(sys.argv[2]), [*sys.argv[3:], "builtin"][0]
    script = json.loads((folder / "script.json").read_text("utf-8"))
    drafters = {name: None if why is None else Text(*why) for name, why in script.get("drafters", {}).items()}

    def load(model: str, progress: Progress, **_placed: str) -> Backend:
        if Path(model).is_dir():
            from backends.local import LocalBackend  # torch takes seconds, which the scripted tests do without

            return LocalBackend.load(model, Path(model).name, progress, device="cpu")
        turns = [[item(folder, each) for each in turn] for turn in script["turns"]]
        return ScriptedBackend(turns, HERMES, model_id=model, drafters=drafters)

    serve(port=port, model=first, open_browser=False, load=load, folder=folder / "runs")


if __name__ == "__main__":
    main()
