"""The thinking setting where the model has no switch for it: the page says so, and no run claims that it was set."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.i18n import Words
from app.service import Service
from backends.description import Template
from backends.scripted import ScriptedBackend
from families.hermes import QWEN2_5
from tests.app.conftest import scripted, serve_with
from tests.app.test_model_tab import description
from tests.app.test_page import ask, page, run, said, viewer

EN = Words("en")


def without_switch() -> ScriptedBackend:
    return ScriptedBackend(["Hi."], QWEN2_5)


def ignoring_it() -> ScriptedBackend:
    """A family that has the switch, with a template that never looks at it, as that of a model made to always think."""
    made = scripted("Hi.")
    made.info = {**made.info, "description": description(templates=(Template("", "{{ messages }}", None, (), ()),))}
    return made


def with_switch() -> ScriptedBackend:
    made = scripted("Hi.")
    made.info = {**made.info, "description": description()}
    return made


def asked(test: AppTest, installed: Service) -> dict[str, Any]:
    """The run_start of a question."""
    shown = viewer(ask(test, "Hi"))
    assert shown is not None
    installed.runs.wait_idle()
    start = installed.runs.run_start(shown["runs"][-1])
    assert start is not None
    return dict(start)


@pytest.mark.parametrize("made", [without_switch, ignoring_it])
def test_without_a_switch_nothing_can_be_set_and_nothing_is_recorded(made: Any, installed: Service) -> None:
    serve_with(installed, made())
    test = page()
    assert test.toggle(key="thinking").disabled
    assert EN("thinking_fixed") in said(test)
    start = asked(test, installed)
    assert start["settings"]["thinking"] is None
    serve_with(installed, with_switch())
    later = page(run=start["run_id"])
    assert later.toggle(key="thinking").value, "what was not recorded is as by default"
    assert not later.toggle(key="thinking").disabled


def test_with_a_switch_the_setting_counts(installed: Service) -> None:
    serve_with(installed, with_switch())
    test = page()
    assert EN("thinking_fixed") not in said(test)
    test.toggle(key="thinking").set_value(False)
    run(test)
    assert asked(test, installed)["settings"]["thinking"] is False
