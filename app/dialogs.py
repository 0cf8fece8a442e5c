"""Which dialog is open in this tab, at most one: kept in the session until it is dismissed or something is chosen in it.

The page is drawn anew at any time, as when a model gets ready or a run ends, and a dialog goes with what was typed in it unless
it is drawn again each time. What stands in a dialog draws itself alone: the page learns what was done there once it closes.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

_OPEN = "dialog"


def begin(name: str) -> None:
    """Has the dialog drawn from now on; for a button's `on_click`."""
    st.session_state[_OPEN] = name


def end() -> None:
    """Has no dialog drawn any more."""
    st.session_state.pop(_OPEN, None)


def is_open(name: str) -> bool:
    return bool(st.session_state.get(_OPEN) == name)


def show(title: str, draw: Callable[..., None], *given: object) -> None:
    """Draws the dialog that is open; whoever dismisses it ends it."""
    st.dialog(title, width="large", on_dismiss=end)(draw)(*given)


def leave_if_ended() -> None:
    """Draws the whole page anew, and without the dialog, where that was ended by a click in it. Its parts that draw themselves
    must ask."""
    if _OPEN not in st.session_state:
        st.rerun()
