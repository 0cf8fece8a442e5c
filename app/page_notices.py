"""What the page says above a conversation: why nothing was asked, what cannot be read, and that another tab is being answered.

Knows nothing about how a question is asked; the conversation comes as the ids of its runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import streamlit as st

from app import service
from app.i18n import Words, plain
from app.models import shown_as

_LOOK_EVERY_S = 3.0
"""Soon enough for somebody who is about to ask, and a few messages a look."""


def draw(words: Words, here: Sequence[str], refused: str | None, *, live: bool, continuable: bool) -> None:
    """What the user should know about the conversation `here` and about the other tabs; `refused` says why nothing was asked."""
    if refused:
        st.warning(refused)
    named = st.query_params.get("run")
    if named and not here:
        st.warning(_unreadable(words, named) or words("run_unknown", run=plain(named)))
    elif here and not live:
        _what_cannot_be_read(words, here, continuable)
    active = service.current().runs.active()
    # While this conversation's own tokens arrive nothing else can begin to be answered, and nothing but its viewer looks.
    streaming = live and bool(active) and active[0] in here
    st.fragment(_other_tabs, run_every=None if streaming else _LOOK_EVERY_S)(words, here, count())


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


def _other_tabs(words: Words, here: Sequence[str], looks: Iterator[int]) -> None:
    """Says that another conversation is being answered. Looks again by itself, so that this is true of a page at rest, and draws
    nothing else then: the page, its question box and an open dialog stay as they are. Only where another tab has changed the
    model the whole page is drawn anew."""
    again = next(looks) > 0  # The first time belongs to a page that is being drawn, and whose refusal would be lost.
    if again and shown_as(service.current().models.state) != st.session_state["shown"]:
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
