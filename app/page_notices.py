"""What the page says above a conversation: why nothing was asked, what cannot be read, and that another tab is being answered.

Knows nothing about how a question is asked; the conversation comes as the ids of its runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import service
from app.i18n import Words, plain
from app.models import Ready, State, shown_as

_LOOK_EVERY_S = 3.0
"""Soon enough for somebody who is about to ask, and a few messages a look."""


def refuse(why: str | None, question: str, state: State | None, here: Sequence[str]) -> None:
    """From now on the conversation `here` says why the question was not asked, or, with None, nothing of the kind."""
    model = state.backend.model_id if isinstance(state, Ready) else ""
    st.session_state["refused"] = why and (tuple(here), why, {"question": plain(question), "model": plain(model)})


def draw(words: Words, here: Sequence[str], *, live: bool, continuable: bool) -> None:
    """What the user should know about the conversation `here` and about the other tabs."""
    refused = st.session_state.get("refused")
    if refused and refused[0] == tuple(here):
        st.warning(words(refused[1], **refused[2]))
    named = st.query_params.get("run")
    if named and not here:
        st.warning(_unreadable(words, named) or words("run_unknown", run=plain(named)))
    elif here and not live:
        _what_cannot_be_read(words, here, continuable)
    active = service.current().runs.active()
    # While this conversation's own tokens arrive nothing else can begin to be answered, and nothing but its viewer looks.
    streaming = live and bool(active) and active[0] in here
    st.fragment(_other_tabs, run_every=None if streaming else _LOOK_EVERY_S)(words, here)


def _what_cannot_be_read(words: Words, here: Sequence[str], continuable: bool) -> None:
    """Says which file of a conversation that is over cannot be read, and that it cannot go on."""
    start = service.current().runs.run_start(here[0]) or {}
    for run_id in (start.get("continues"), here[-1]):  # The one that the conversation is cut off at, and the one in the address.
        why = _unreadable(words, run_id) if isinstance(run_id, str) else None
        if why:
            st.warning(why)
    if not continuable:
        st.info(words("run_archived"))


def _unreadable(words: Words, run_id: str) -> str | None:
    """Why the run's file cannot be read, in a sentence; None where it can, or where there is none."""
    why = service.current().runs.unreadable(run_id)
    return why and words("run_unreadable", run=plain(run_id), why=words(f"unreadable_{why}"))


def _other_tabs(words: Words, here: Sequence[str]) -> None:
    """Says that another conversation is being answered. Looks again by itself, so that this is true of a page at rest, and draws
    nothing else then: the page, its question box and an open dialog stay as they are. Only where another tab has changed the
    model the whole page is drawn anew."""
    if shown_as(service.current().models.state) != st.session_state["shown"]:
        st.rerun()
    if st.session_state.pop("watched", False):
        st.rerun()  # The whole page is drawn anew, with the run that the address names by now.
    runs = service.current().runs
    active = runs.active()
    if not active or active[0] in here:
        return
    start = runs.run_start(active[0])
    st.info(words("other_run", question=plain(start["question"] if start else "")))
    st.button(words("other_run_watch"), key="watch", on_click=_watch, args=(active[0],))


def _watch(run_id: str) -> None:
    st.query_params["run"] = run_id
    st.session_state["watched"] = True
