"""The page: what stands on it, and what a question does. Tokens never pass through here; the viewer fetches them itself.

The script runs from top to bottom at each click. What must last is in app/service.py (runs, model), in the address (which
run, which language) or in a widget's own state.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app import dialogs, earlier_runs, model_picker, model_tab, page_notices, service, sidebar, viewer_component
from app.i18n import LANGUAGES, NAMES, Words, language_of, plain
from app.models import Failed, Loading, Ready, State, shown_as
from app.runs import CannotContinue
from families.base import Lang
from harness.settings import Settings

EXAMPLES = (
    ("example_single", "example_single_help", "What is 37 * 48?"),
    ("example_chain", "example_chain_help", "Convert 26.2 miles to kilometers, then divide that by 4."),
    ("example_parallel", "example_parallel_help", "What time is it in Tokyo and in Paris?"),
    ("example_none", "example_none_help", "What is the capital of France?"),
    ("example_choice", "example_choice_help", "Write two sentences about the sea."),
    ("example_error", "example_error_help", "Convert 5 kilograms to meters."),
)
"""Label, explanation and question, one for each shape that the loop can take."""
_TABS = ("tab_run", "tab_model")
_HIDE_RUN = "<style>.st-key-asking, [data-testid=stBottom] { display: none; }</style>"


@dataclass(frozen=True)
class _Conversation:
    """The runs of the conversation on this page, oldest first, and whether the last one is going on."""

    runs: tuple[str, ...] = ()
    live: bool = False
    continuable: bool = False

    @property
    def last(self) -> str | None:
        return self.runs[-1] if self.runs else None


def draw() -> None:
    """Draws the page. The entry script's one call."""
    st.set_page_config(page_title="Loopglass", page_icon="🔎", layout="wide")
    runs = service.current().runs
    words = Words(_language())
    here = _conversation()
    state = service.current().models.state  # Looked at once: a model may get ready while the page is being drawn.
    settings = sidebar.draw(words, state, runs.run_start(here.last) if here.last else None)
    here = _answer(words, here, state, settings)
    st.session_state["shown"] = shown_as(state)  # What another tab may change while this one is at rest.
    _header(words, here)
    _dialog(words, here)
    _model_state(words, state)
    _, describing = st.tabs([words(key) for key in _TABS], key="tab", on_change="rerun")
    if describing.open:
        with describing:
            st.html(_HIDE_RUN)
            model_tab.draw(words, state)
    # What belongs to the first tab stands below the tabs and is hidden while the other one is open: inside it would be mounted
    # anew, and lose its place, whenever the labels change language.
    with st.container(key="asking"):
        _asking(words, here, state)
    if here.runs:
        # Outside every container the box stands at the bottom of the window, which Streamlit then keeps in view. Before there
        # is a run it stands in the page, so that the page opens at its top.
        _question_box(words, here, state)


def _asking(words: Words, here: _Conversation, state: State | None) -> None:
    """The first tab: the question, the run and its answer."""
    page_notices.draw(words, here.runs, live=here.live, continuable=here.continuable)
    if here.runs:
        viewer_component.show(
            here.runs, live=here.live, lang=words.lang, token=service.current().token, failed=words("viewer_failed"),
        )
    else:
        _question_box(words, here, state)
        _empty_state(words, disabled=not isinstance(state, Ready))


def _language() -> Lang:
    """The language chosen on the page, else the address's (so that a reload keeps it), else the browser's."""
    if "lang" not in st.session_state:
        asked = st.query_params.get("lang")
        st.session_state["lang"] = asked if asked in LANGUAGES else language_of(st.context.locale)
    lang: Lang = "zh" if st.session_state["lang"] == "zh" else "en"
    return lang


def _keep_language() -> None:
    """Puts the language into the address, and keeps the tab that is open: Streamlit knows it by its label."""
    before = Words("en" if st.session_state["lang"] == "zh" else "zh")
    opened = st.session_state.get("tab")
    st.session_state["tab"] = next((Words(st.session_state["lang"])(key) for key in _TABS if before(key) == opened), None)
    st.query_params["lang"] = st.session_state["lang"]


def _header(words: Words, here: _Conversation) -> None:
    """Title, ways to other conversations, language."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title(words("title"), anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            if here.runs:
                st.button(words("new_conversation"), key="new", icon=":material/add:", on_click=_forget_run)
            if service.current().runs.any_besides(here.runs):
                st.button(
                    words("earlier"), key="earlier", icon=":material/history:", on_click=dialogs.begin, args=(earlier_runs.NAME,),
                )
            st.segmented_control(
                words("language"), LANGUAGES, key="lang", format_func=NAMES.__getitem__, required=True,
                label_visibility="collapsed", on_change=_keep_language,
            )
    if not here.runs:
        st.markdown(words("about"))


def _dialog(words: Words, here: _Conversation) -> None:
    """Whichever dialog is open."""
    if dialogs.is_open(model_picker.NAME):
        model_picker.show(words)
    elif dialogs.is_open(earlier_runs.NAME):
        earlier_runs.show(words, here.runs)


def _forget_run() -> None:
    st.query_params.pop("run", None)


def _conversation() -> _Conversation:
    """The conversation that the address names; an empty one where it names none or one that is not known."""
    run_id = st.query_params.get("run")
    if not run_id:
        return _Conversation()
    runs = service.current().runs
    return _Conversation(tuple(runs.conversation(run_id)), runs.goes_on(run_id), runs.continuable(run_id))


def _model_state(words: Words, state: State | None) -> None:
    """Says where loading stands, until the model is ready."""
    if isinstance(state, Failed):
        st.error(words("model_failed", model=plain(state.model), why=plain(words.of(state.text))))
        request = service.current().models.request
        with st.container(horizontal=True):
            st.button(words("try_again"), key="again", on_click=request, args=(state.model,))
            if state.before is not None and (state.before, state.placement_before) != (state.model, state.placement):
                back = words("use_again", model=plain(state.before))
                st.button(back, key="back", on_click=request, args=(state.before, state.placement_before))
    elif isinstance(state, Loading):
        st.fragment(_loading, run_every=0.5)(words)


def _loading(words: Words) -> None:
    """A progress bar that looks again twice a second, only while a model is loaded; then the page is drawn anew."""
    state = service.current().models.state
    if not isinstance(state, Loading):
        st.rerun()
        return
    st.markdown(words("model_loading", model=plain(state.model)))
    st.progress(state.done or 0.0, plain(words.of(state.text)))


def _question_box(words: Words, here: _Conversation, state: State | None) -> None:
    """The box to type a question in; closed, with the reason in it, while nothing can be asked."""
    ready = isinstance(state, Ready)
    if not ready:
        placeholder = words("ask_loading") if isinstance(state, Loading) else words("ask_no_model")
    elif here.live:
        placeholder = words("ask_running")
    else:
        placeholder = words("ask_more") if here.runs else words("ask")
    st.chat_input(placeholder, key="question", disabled=not ready or here.live, on_submit=_ask_typed)


def _ask_typed() -> None:
    _ask(st.session_state["question"])


def _ask(question: str | None) -> None:
    """Leaves the question for the script, which runs next and draws the page with it from the start."""
    if question and question.strip():
        st.session_state["asked"] = question.strip()


def _empty_state(words: Words, disabled: bool) -> None:
    """Questions to begin with, and in three lines what will happen."""
    st.markdown(f"#### {words('examples')}")
    with st.container(horizontal=True):
        for label, explained, question in EXAMPLES:
            st.button(
                f"**{words(label)}** · {plain(question)}", key=label, help=words(explained), disabled=disabled,
                on_click=_ask, args=(question,),
            )
    st.caption(words("examples_language"))
    st.caption(words("examples_mistakes"))
    st.markdown(f"#### {words('what_happens')}")
    lines = (words("what_happens_1"), words("what_happens_2"), words("what_happens_3"))
    st.markdown("\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1)))


def _answer(words: Words, here: _Conversation, state: State | None, settings: Settings) -> _Conversation:
    """Starts a run for the question that was asked, if one was. Where that cannot be, the question stands in the box again, and
    the page says why until the next one is asked."""
    question = st.session_state.pop("asked", None)
    if not question:
        return here
    started, why_not = None, None
    if not isinstance(state, Ready):
        why_not = "not_ready"
    elif here.live:
        why_not = "still_running"
    elif st.session_state.get("shown") != shown_as(state):
        why_not = "model_changed"
    else:
        try:
            started = _start(here, question, settings, state, words.lang)
            why_not = "not_ready" if started is None else None
        except CannotContinue:
            why_not = "cannot_continue"
    page_notices.refuse(why_not, question, state, here.runs)
    if why_not is not None:
        st.session_state["question"] = question
    return started or here


def _start(here: _Conversation, question: str, settings: Settings, ready: Ready, lang: Lang) -> _Conversation | None:
    """Starts a run for the question, as the conversation's next one where it can be continued, and puts it in the address.
    None where another tab has asked for another model since this page was begun. Raises CannotContinue where only reading the
    files whole shows that it cannot be continued."""
    serving, earlier = service.current(), here if here.continuable else _Conversation()
    run_id = serving.models.start_run(
        ready, lambda: serving.runs.start(ready.backend, question, settings, lang, earlier.last),
    )
    if run_id is None:
        return None
    st.query_params["run"] = run_id
    return _Conversation((*earlier.runs, run_id), live=True)
