"""Wording in Traditional Chinese and English: one table an area, one function that looks a key up.

Knows nothing about Streamlit. Tables are the `app/*_words.py`; the
viewer reads its own over HTTP, so that a switch of language reaches a page in the middle of a run.
"""

from __future__ import annotations

import re
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
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that turn the direction of what stands around them, and halves of surrogate pairs."""
_DRAWN = re.compile(
    r":(?=material[/_]|streamlit:|//)|(?<!\S)[<>~-](?=[-=>]+(?!\S))|[Ww]{2}(?=[Ww](?:\.|$))|@(?=[-\w]|$)"
)
"""Where Streamlit draws an icon, an arrow or a link in place of a text, even of an escaped one: behind these characters. Links
are web addresses and those of mail; what stands behind the text may complete one that it ends in."""
_WORD_JOINER = "\u2060"


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


def visible(text: str) -> str:
    """A text from elsewhere without characters that cannot be seen or sent, each written as its code: <U+202E>."""
    return _UNSEEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def plain(text: str) -> str:
    """A text as text inside Markdown, in one line: every character that could mean something there is escaped, and what Streamlit
    replaces after Markdown is read, an address by a link among it, is kept apart by an invisible character."""
    line = _DRAWN.sub(lambda found: found[0] + _WORD_JOINER, " ".join(visible(text).split()))
    return "".join(f"\\{character}" if character in _MARKDOWN else character for character in line)
