"""Checkpoints of Qwen3.5 and Gemma 4 with random weights and the real vocabulary, chosen on the page and asked there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Site, Tab
from tests.browser.test_live import written

N_TOKENS = 32


@pytest.fixture(params=["gemma4", "qwen3_5"])
def folder(request: pytest.FixtureRequest, real_tokenizer: Callable[[str], Path], tmp_path: Path) -> Path:
    from tests import random_checkpoints  # It loads torch, which the other browser tests do without.

    made = tmp_path / f"random-{request.param}"
    random_checkpoints.write(made, request.param, real_tokenizer(request.param))
    return made


def test_a_folder_chosen_on_the_page_is_asked_and_its_run_kept(
    site: Callable[..., Site], tab: Callable[..., Tab], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    here = site()
    page = tab(here.url)
    page.page.get_by_role("button", name="Choose a model").click()
    dialog = page.page.get_by_role("dialog")
    dialog.get_by_role("heading", name="Recommended").wait_for()  # Then the whole dialog stands.
    box = dialog.get_by_role("textbox", name="Path or name")
    box.fill(str(folder))
    box.press("Enter")
    page.page.get_by_text(f"{folder.name} (").wait_for()
    dialog.wait_for(state="hidden")
    limit = page.page.locator("[data-testid=stNumberInput]").filter(has_text="Maximum new tokens").locator("input")
    limit.fill(str(N_TOKENS))
    limit.press("Enter")
    page.idle()
    page.ask("What is 37 * 48? 用中文回答。")
    page.wait_ended()
    events = here.run_file(page.run_id)
    assert (events[0]["model"], events[0]["family"]) == (folder.name, folder.name.removeprefix("random-"))
    assert events[0]["settings"]["max_new_tokens"] == N_TOKENS
    assert (events[-1]["kind"], events[-1]["stop_reason"], events[-1]["error"]) == ("run_end", "max_new_tokens", None)
    assert page.indices() == written(here, page.run_id) == [list(range(N_TOKENS))]
    assert page.page.locator(".lg-status").get_attribute("data-outcome") == "max_new_tokens"
    assert page.errors == []
