"""The Model tab of a real checkpoint: what stands there, in both languages, and that the run stays as it is meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import IDLE, Site, Tab

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.backends import tiny  # It loads torch, which the other browser tests do without.

    return tiny.write(tmp_path_factory.mktemp("models") / "tiny-llama")


def open_model(page: Any, name: str = "Model") -> Any:
    """Opens the tab and gives what stands in it."""
    page.get_by_role("tab", name=name, exact=True).click()
    page.locator(".lgm-template").wait_for()
    page.wait_for_selector(IDLE)
    return page.get_by_role("tabpanel").filter(has=page.locator(".lgm-template"))


def test_the_checkpoint_is_described_and_the_run_stays(site: Sites, tab: Tabs, checkpoint: Path) -> None:
    shown = tab(site(model=str(checkpoint)).url)
    page = shown.page
    shown.ask("What is 37 * 48?")
    shown.wait_ended()
    run_id, written = shown.run_id, shown.indices()
    page.locator(".lg-root").evaluate("root => { root.dataset.here = 'still' }")
    panel = open_model(page)
    assert "LlamaForCausalLM" in panel.inner_text()
    assert panel.locator(".lgm-layers span").count() == 2
    assert panel.locator(".lgm-row").count() == len((checkpoint / "chat_template.jinja").read_text("utf-8").splitlines())
    marked = panel.locator("mark.lgm-tools").all_inner_texts()
    assert marked[0].startswith("{%- if tools %}<|im_start|>system")
    assert "model.safetensors" in panel.inner_text()
    assert not page.locator("[data-testid=stChatInput]").is_visible()
    page.get_by_role("radio", name="中文").or_(page.get_by_role("button", name="中文")).first.click()
    page.get_by_text("建議的抽樣設定").wait_for()
    page.get_by_role("tab", name="提問", exact=True).click()
    shown.idle()
    page.locator(".lg-root[data-here=still]").wait_for()
    assert (shown.run_id, shown.indices()) == (run_id, written)
    assert shown.errors == []


def test_a_mark_is_one_click_away(site: Sites, tab: Tabs, checkpoint: Path) -> None:
    shown = tab(site(model=str(checkpoint)).url, height=500)
    shown.page.locator("[data-testid=stChatInputTextArea]:not([disabled])").wait_for()
    panel = open_model(shown.page)
    link = panel.locator(".lgm-legend a").last
    line = link.get_attribute("href")
    assert line is not None
    link.click()
    target = panel.locator(line)
    assert target.evaluate("row => { const box = row.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight }")
    assert "enable_thinking" in target.inner_text()
    assert len(shown.page.context.pages) == 1


@pytest.mark.parametrize("locale", ["en-US", "zh-TW"])
def test_it_fits_a_narrow_window(site: Sites, tab: Tabs, checkpoint: Path, locale: str) -> None:
    shown = tab(site(model=str(checkpoint)).url, locale=locale, width=380, height=800)
    shown.page.locator("[data-testid=stChatInputTextArea]:not([disabled])").wait_for()
    open_model(shown.page, "模型" if locale == "zh-TW" else "Model")
    assert shown.page.evaluate("document.scrollingElement.scrollWidth") <= 380
    assert shown.page.locator(".lgm").evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")
