"""The viewer's wording and the ES modules that use it agree."""

from __future__ import annotations

import re
from pathlib import Path

from app.viewer_words import WORDS
from harness.events import STOP_REASONS

VIEWER = Path(__file__).resolve().parents[2] / "app" / "viewer"
PLACE = re.compile(r"\{(\w+)(?::[^|}]*\|[^}]*)?\}")
# Keys that the modules put together from a value of the log: `by_${by}`, `why_${reason}`, …
BUILT = re.compile(r"`([a-z_]+_)\$\{")


def sources() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(VIEWER.glob("*.js")))


def test_both_languages_have_the_same_places() -> None:
    for key, text in WORDS.items():
        assert text.zh.strip(), key
        assert text.en.strip(), key
        assert set(PLACE.findall(text.zh)) == set(PLACE.findall(text.en)), key


def test_every_key_that_the_modules_name_exists() -> None:
    named = set(re.findall(r"""\.t\("(\w+)\"""", sources()))
    assert "step_prompt" in named
    assert named <= set(WORDS), named - set(WORDS)


def test_every_key_is_used() -> None:
    code = sources()
    built = tuple(BUILT.findall(code))
    # A key stands in quotes, or names a fact in the table of popover.js.
    unused = [key for key in WORDS if f'"{key}"' not in code and f"\n  {key}: (" not in code and not key.startswith(built)]
    assert unused == []


def test_every_stop_reason_has_its_words() -> None:
    for reason in STOP_REASONS:
        assert f"why_{reason}" in WORDS
        assert reason == "answer" or f"do_{reason}" in WORDS
