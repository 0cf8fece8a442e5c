"""A checkpoint that tries to be more than text, in a browser: what it says is read as it is, and does nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Site, Tab
from tests.browser.test_model_tab import open_model

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]


@pytest.mark.parametrize("locale", ["en-US", "zh-TW"])
def test_what_it_says_is_text(site: Sites, tab: Tabs, tmp_path: Path, locale: str) -> None:
    from tests.backends import hostile  # It loads torch, which the other browser tests do without.

    folder = hostile.write(tmp_path)
    shown = tab(site(model=str(folder)).url, locale=locale)
    page = shown.page
    page.locator("[data-testid=stChatInputTextArea]:not([disabled])").wait_for()
    assert folder.name in page.locator("[data-testid=stSidebar]").inner_text().replace("\u2060", "")
    panel = open_model(page, "模型" if locale == "zh-TW" else "Model")
    text = " ".join(panel.inner_text().split()).replace("\u2060", "")
    assert text.count(folder.name) >= 3, "title, place, file"
    assert text.count(" ".join(hostile.TEXT.split())) >= 5
    assert "<U+202E>desrever" in text
    assert panel.locator("script, img, svg, em, strong:has(*), .katex, [onerror]").count() == 0
    assert panel.locator("a:not([href^='#template-'])").count() == 0
    assert page.evaluate("window.caught") is None
    assert shown.errors == []
