"""The live viewer as one Streamlit component: a few lines that load the ES modules of app/viewer and pass data on.

The component is told what to show, never what happens: tokens reach it by polling (app/routes.py), so its data stays small
and the same while a run goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from families.base import Lang

_CODE = """
// One viewer a mounted node. Streamlit calls the function again whenever data or theme change, and may run the clean-up of an
// earlier call late, while the node lives: so the viewer belongs to the node, not to the call.
const views = new WeakMap();

// A trigger that is fired while Streamlit still mounts can get lost: wait a little, and say it again until the page knows.
function tellEnded(view, run, tries) {
  const known = !view.data.live || view.data.runs.at(-1) !== run;
  if (known || tries === 0) return;
  view.setTriggerValue("ended", run);
  setTimeout(() => tellEnded(view, run, tries - 1), 2000);
}

async function load(view, node, element) {
  const { mount } = await import(view.data.url + "/viewer/main.js");
  if (!node.isConnected) return;
  view.viewer = mount(element, view.data, { onEnded: (run) => setTimeout(() => tellEnded(view, run, 5), 300) });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const node = parentElement.host ?? parentElement;
  const fresh = !views.has(node);
  const view = views.get(node) ?? {};
  view.data = { ...data, url: location.origin + data.url };
  view.setTriggerValue = setTriggerValue;
  if (fresh) {
    views.set(node, view);
    const element = document.createElement("div");
    parentElement.append(element);
    load(view, node, element).catch((error) => { element.textContent = data.failed + " " + error; });
  } else {
    view.viewer?.update(view.data);
  }
  return () => {
    if (node.isConnected) return;
    view.viewer?.destroy();
    view.data.live = false; // Nobody is left who must be told that the run has ended.
    views.delete(node);
  };
}
"""

# The status line sticks to the top of the window, below Streamlit's header where that has something in it and is opaque.
_PAGE_STYLE = "<style>.stApp:has([data-testid=stToolbar]) { --lg-sticky-top: 3.75rem; }</style>"

_mount = st.components.v2.component("loopglass_viewer", js=_CODE, html="<div></div>")


def show(runs: Sequence[str], *, live: bool, lang: Lang, token: str, failed: str) -> Any:
    """Draws a conversation: `runs` from the oldest to the current one, of which only the last can be `live`.

    `token` lets the page stop a run; `failed` is said where the viewer's modules cannot be loaded. When the live run ends,
    the script runs once more.
    """
    st.html(_PAGE_STYLE)
    # The url is a path prefix here; only the browser knows under which host it reached the server.
    data = {"runs": list(runs), "live": live, "lang": lang, "url": "", "token": token, "failed": failed}
    return _mount(key="viewer", data=data, on_ended_change=lambda: None)
