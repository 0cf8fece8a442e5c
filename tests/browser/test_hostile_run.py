"""A run in which every text that comes from elsewhere tries to be more than text: what the viewer draws of it is text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from backends.base import BackendError, Candidate, Draft, Token
from backends.scripted import ScriptedBackend
from families.base import Family, Text, TokenGroup
from families.hermes import HERMES
from harness.run import Run
from harness.settings import Settings
from harness.tools import Tool
from tests.browser.conftest import Site, Tab

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{n} {token} **b** [l](javascript:window.hacked=1)'
BOTH = Text(f"zh {HOSTILE}", f"en {HOSTILE}")
CONTROL = "<|<b onclick=window.hacked=1>|>"
PROTOTYPE = ("constructor", "__proto__", "toString")
"""Names that every JavaScript object answers to."""
ELEMENTS = {
    "article", "button", "code", "dd", "div", "dl", "dt", "h3", "h4", "header", "input", "label", "li", "ol", "p", "pre",
    "section", "span", "strong",
}
DRAWN = """
() => {
  const host = [...document.querySelectorAll("*")].find((each) => each.shadowRoot?.querySelector(".lg-root"));
  const all = [...host.shadowRoot.querySelector(".lg-root").querySelectorAll("*")];
  return {
    tags: [...new Set(all.map((each) => each.localName))],
    attributes: [...new Set(all.flatMap((each) => each.getAttributeNames()))],
    hacked: window.hacked ?? null,
  };
}
"""


def family() -> Family:
    """Hermes with a control token and purposes that are hostile."""
    group = TokenGroup(BOTH, BOTH, {CONTROL: BOTH, **dict.fromkeys(PROTOTYPE, BOTH)})
    return replace(
        HERMES, token_groups=(*HERMES.token_groups, group), channels={**HERMES.channels, CONTROL: "control"},
        stop_tokens=dict.fromkeys(HERMES.stop_tokens, BOTH),
    )


def calling(name: str, arguments: object) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def record(folder: Path) -> tuple[str, str]:
    """Two runs of one conversation: one with everything in it, and one that a backend's error ends."""
    fields = {"type": "object", "properties": {name: {} for name in (HOSTILE, *PROTOTYPE)}}
    tools = {
        "loot": Tool("loot", HOSTILE, fields, lambda **_: HOSTILE),
        "fail": Tool("fail", HOSTILE, {**fields, "required": [HOSTILE]}, lambda **_: HOSTILE),
    }
    top = tuple(Candidate(number, HOSTILE, 0.3, True) for number in range(3))
    token = Token(0, HOSTILE, HOSTILE, False, p=0.3, rank=1, top=top, draft=Draft(HOSTILE, False, 0, (HOSTILE, HOSTILE)))
    opening = Token(1, CONTROL, CONTROL, True, p=0.5, rank=2, top=top)
    arguments = {HOSTILE: HOSTILE, **{name: {"a": []} for name in PROTOTYPE}}
    turns = [
        f"<think>\n{HOSTILE}\n</think>\n\n{HOSTILE}{calling('loot', arguments)}",
        calling(HOSTILE, {}) + calling("fail", {}) + f"<tool_call>\n{HOSTILE}\n</tool_call>",
        [opening, token],
    ]
    model = ScriptedBackend(turns, family(), model_id=HOSTILE)
    settings = Settings(tools=("loot", "fail"), system_prompt=HOSTILE)
    settings = replace(settings, sampling=replace(settings.sampling, drafter=HOSTILE))
    first = Run(model, HOSTILE, settings, tools=tools, folder=folder)
    first.execute()
    assert first.log.events[-1]["stop_reason"] == "answer"
    model.turns.append(BackendError(HOSTILE, HOSTILE))
    second = Run(
        model, HOSTILE, settings, tools=tools, folder=folder, history=first.messages, continues=first.run_id, memory=first.memory,
    )
    second.execute()
    assert second.log.events[-1]["stop_reason"] == "backend_error"
    return first.run_id, second.run_id


def stays_text(page: Tab) -> None:
    drawn = page.page.evaluate(DRAWN)
    assert set(drawn["tags"]) <= ELEMENTS
    assert not {name for name in drawn["attributes"] if name.startswith("on") or name in ("href", "src", "srcdoc", "action")}
    assert drawn["hacked"] is None


@pytest.mark.parametrize("locale", ["en-US", "zh-TW"])
def test_every_text_of_a_run_stays_text(site: Sites, tab: Tabs, locale: str) -> None:
    here = site()
    first, second = record(here.folder / "runs")
    page = tab(f"{here.url}/?run={first}", locale=locale)
    page.wait_ended()
    shown = page.page.locator(".lg-root")
    for part in ("question-text", "answer-text", "result", "text", "argument", "prompt", "called", "end"):
        assert HOSTILE in shown.locator(f".lg-{part}:visible").first.inner_text().replace("\\", ""), part
    for way in (".lg-fold:visible", ".lg-toggle input", ".lg-leads", ".lg-least", ".lg-guess"):
        shown.locator(way).evaluate_all("all => all.forEach((each) => each.click())")
        stays_text(page)
    for token in (".lg-strip .lg-pill >> nth=-2", ".lg-prompt .lg-pill >> nth=0", ".lg-strip .lg-t >> nth=-2"):
        shown.locator(token).evaluate("each => each.click()")
        stays_text(page)
    assert page.page.locator(".lg-popover").inner_text().count("<img") >= 5, "the token, its candidates, and the guess"
    page.go(f"{here.url}/?run={second}")
    page.wait_ended()
    shown.locator(".lg-advice", has_text=HOSTILE).first.wait_for()
    assert HOSTILE in shown.locator(".lg-run-fold").first.inner_text()
    stays_text(page)
    assert page.errors == []
