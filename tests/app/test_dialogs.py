"""The dialogs stay while the page is drawn anew, and the page is drawn anew when one is dismissed."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from app import service
from app.i18n import Words
from app.service import Service
from backends.scripted import ScriptedBackend
from harness.settings import Settings
from tests.app.conftest import wait_loaded
from tests.app.test_page import page, run, said

EN = Words("en")
TITLES = {"choose": EN("picker_title"), "earlier": EN("earlier")}


def titles(test: AppTest) -> list[str]:
    """Of the dialogs that are open."""
    return [block.proto.dialog.title for block in test.get("dialog")]


def dismissed(test: AppTest) -> AppTest:
    """As after Esc or a click on ×: the browser tells the server, if it was told to."""
    (block,) = test.get("dialog")
    states = test._tree.get_widget_states()
    states.widgets.add(id=block.proto.dialog.id, trigger_value=True)
    test._run(states)
    assert not test.exception, test.exception
    return test


@pytest.mark.parametrize("button", ["choose", "earlier"])
def test_a_dialog_stays_until_it_is_dismissed(button: str, backend: ScriptedBackend, installed: Service) -> None:
    installed.runs.start(backend, "I am Ada.", Settings(), "en")
    installed.runs.wait_idle()
    test = page()
    assert titles(test) == []
    test.button(key=button).click()
    assert titles(run(test)) == [TITLES[button]]
    service.current().models.request("/models/other")  # As another tab may; the page is drawn anew when it is ready.
    wait_loaded()
    assert titles(run(test)) == [TITLES[button]]
    assert titles(dismissed(test)) == []
    assert titles(run(test)) == []


def test_the_page_behind_a_dialog_is_up_to_date_once_it_is_dismissed(backend: ScriptedBackend, installed: Service) -> None:
    """What is chosen in a dialog has only the dialog drawn anew, as here nothing is."""
    test = page()
    test.button(key="choose").click()
    run(test)
    backend.info = {**backend.info, "device": "cpu", "dtype": "bfloat16"}
    assert EN("placed", device="cpu", dtype="bfloat16") in said(dismissed(test))
