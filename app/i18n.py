"""Wording in Traditional Chinese and English: one table an area, one function that looks a key up.

Knows nothing about Streamlit. Tables are the `app/*_words.py`; the
viewer reads its own over HTTP, so that a switch of language reaches a page in the middle of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from app.model_tab_words import MODEL
from app.page_words import PAGE
from app.picker_words import PICKER
from app.sidebar_words import SIDEBAR
from app.viewer_words import WORDS as VIEWER
from families.base import Lang, Text, pick

LANGUAGES: tuple[Lang, ...] = get_args(Lang)
NAMES: Mapping[str, str] = {"zh": "中文", "en": "English"}
"""Each language in its own words, so that its readers find it."""
TABLES: Mapping[str, Mapping[str, Text]] = {"page": PAGE, "sidebar": SIDEBAR, "model": MODEL, "picker": PICKER, "viewer": VIEWER}
_OURS: Mapping[str, Text] = {**PAGE, **SIDEBAR, **MODEL, **PICKER}
_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|~$:&")


class Words:
    """The page's wording in one language: `words("ask_placeholder")`."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang

    def __call__(self, key: str, **values: object) -> str:
        """The text of `key` with `values` in its {places}. Raises KeyError for a key that no table of the page has."""
        return self.of(_OURS[key]).format(**values)

    def of(self, text: Text) -> str:
        """The wording of a text that comes with both languages, such as a family's notes."""
        return pick(self.lang, *text)


def viewer_words(lang: Lang) -> dict[str, str]:
    """What the viewer says, as JSON for the browser; its {places} are filled there."""
    return {key: pick(lang, *text) for key, text in VIEWER.items()}


def language_of(locale: str | None) -> Lang:
    """The language for a browser's locale, such as "zh-TW" or "en-US"; English where it is neither or unknown."""
    return "zh" if (locale or "").lower().startswith("zh") else "en"


def plain(text: str) -> str:
    """A text as text inside Markdown, in one line: every character that could mean something there is escaped."""
    return "".join(f"\\{character}" if character in _MARKDOWN else character for character in " ".join(text.split()))
