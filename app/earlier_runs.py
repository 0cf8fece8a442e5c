"""The dialog in which an earlier conversation is found again: every run is saved as a file, and this lists the last of them.

What there is comes from `app/runs.py`; opening one puts it into the address, as a link to it would.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

from app import dialogs, service
from app.i18n import Words, plain
from app.runs import Earlier, Recent

NAME = "earlier"
_MOST_LISTED = 50
_MOST_CHARACTERS = 90
"""Of a question: about a line of the dialog, two where it is Chinese."""


def show(words: Words, here: Collection[str]) -> None:
    """Draws the dialog over the page, without the conversation `here`. The folder is looked through with the page, not at
    each click in the dialog."""
    recent = service.current().runs.recent(_MOST_LISTED, without=here)
    dialogs.show(words("earlier"), _draw, words, recent)


def _draw(words: Words, recent: Recent) -> None:
    dialogs.leave_if_ended()
    about = words("earlier_about", n=_MOST_LISTED) if recent.conversations else words("earlier_none")
    st.caption(f"{about} {words('earlier_folder', path=plain(str(service.current().runs.folder)))}")
    for why, n in recent.unreadable.items():
        st.caption(words("earlier_unreadable", n=n, why=words(f"unreadable_{why}")))
    zone = _zone()
    for each in recent.conversations:
        _row(words, each, zone)


def _row(words: Words, each: Earlier, zone: tzinfo | None) -> None:
    """One conversation: its first question, what is known of it, and the button that opens it."""
    facts = [each.model, _local(each.at, zone), words("earlier_questions", n=each.n_questions) if each.n_questions > 1 else ""]
    about, button = st.columns([8, 2], vertical_alignment="center")
    about.markdown(f"**{plain(_cut(each.question))}**  \n:small[{plain(' · '.join(filter(None, facts)))}]")
    button.button(words("earlier_open"), key=f"open {each.run_id}", on_click=_open, args=(each.run_id,), width="stretch")


def _open(run_id: str) -> None:
    st.query_params["run"] = run_id
    dialogs.end()


def _cut(question: str) -> str:
    """The question in one line, no longer than the list has room for."""
    line = " ".join(question.split())
    return line if len(line) <= _MOST_CHARACTERS else f"{line[: _MOST_CHARACTERS - 1]}…"


def _zone() -> tzinfo | None:
    """The time zone of the browser, which may be far from the server; None, the server's, where it is not known."""
    try:
        return ZoneInfo(st.context.timezone) if st.context.timezone else None
    except (ValueError, OSError, LookupError):  # The last: a name that this computer's tables lack.
        return None


def _local(at: datetime | None, zone: tzinfo | None) -> str:
    return "" if at is None else f"{at.astimezone(zone):%Y-%m-%d %H:%M}"
