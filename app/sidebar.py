"""The sidebar: which model, and the settings that the next question is asked with.

Each widget has a key of its own that no wording enters, so that a switch of language keeps what was set. Sampling starts from
the model's own recommendation, and is shown when that is known; opening an earlier run's address starts from that run's settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app import dialogs, model_html, model_picker
from app.drafting_words import drafter_name
from app.i18n import Words, plain
from app.models import Ready, State
from backends.base import Backend, BackendError, Sampling
from backends.model_settings import ModelSettings, settings_file
from families.base import Text
from harness.records import can_switch_thinking, checkpoint_fields
from harness.run_file import Event
from harness.settings import DEFAULT_SYSTEM_PROMPT, MOST_EXACT, Settings
from harness.tools import registry

SAMPLING = ("temperature", "top_p", "top_k")
_LIMITS: Mapping[str, tuple[float, float, float]] = {
    "temperature": (0.0, 2.0, 0.05), "top_p": (0.05, 1.0, 0.05), "top_k": (0, 200, 1), "max_new_tokens": (16, 32768, 16),
    "max_steps": (1, 50, 1), "time_limit": (5, 3600, 5),
}
"""The least, the most and the step of each number."""


def draw(words: Words, state: State | None, resumed: Event | None) -> Settings:
    """Draws the sidebar for the model as it stands and gives the settings it shows. `resumed` is the run_start of the run that
    this page opened with."""
    _fill(resumed)
    backend = state.backend if isinstance(state, Ready) else None
    if backend is not None:
        _apply_defaults(backend)
    with st.sidebar:
        _model(words, backend)
        _sampling(words, backend)
        _loop(words, backend)
    return _settings()


def _fill(resumed: Event | None) -> None:
    """Gives every widget its first value, once a session; later values are the user's."""
    if "settings_filled" in st.session_state:
        for key in (*_LIMITS, "seed", "drafter", "thinking", "tools", "system_prompt"):
            st.session_state[key] = st.session_state[key]  # Streamlit forgets a widget's value where it was not drawn once.
        return
    offered = list(registry())
    settings = Settings()
    first: dict[str, Any] = {
        "temperature": settings.sampling.temperature, "top_p": settings.sampling.top_p, "top_k": settings.sampling.top_k,
        "max_new_tokens": settings.sampling.max_new_tokens, "seed": None, "drafter": None, "max_steps": settings.max_steps,
        "time_limit": settings.time_limit_s, "thinking": settings.thinking, "tools": offered,
        "system_prompt": DEFAULT_SYSTEM_PROMPT,
    }
    if resumed is not None:
        known = resumed.get("settings") or {}
        first.update({key: known[key] for key in first if key in known})
        first["time_limit"] = known.get("time_limit_s") or first["time_limit"]
        if first["thinking"] is None:  # Its model had no switch, so that nothing was set.
            first["thinking"] = settings.thinking
        first["seed"] = None  # Mostly one that was drawn: kept, it would silently make every further run draw the same.
        first["tools"] = [name for name in offered if name in resumed.get("tools", offered)]
        made_with = {name: resumed[name] for name in ("model", "commit", "path") if name in resumed}
        st.session_state["defaults_of"] = made_with  # Keeps the run's sampling when its model is ready.
    for key, value in first.items():
        st.session_state[key] = _within(key, value)
    st.session_state["settings_filled"] = True


def _within(key: str, value: Any) -> Any:
    """The value, no further than its widget goes; numbers in the type that the widget takes."""
    if key not in _LIMITS:
        return value
    least, most, step = _LIMITS[key]
    return type(step)(min(max(value, least), most))


def _apply_defaults(backend: Backend) -> None:
    """Takes over a checkpoint's recommended sampling the first time this session meets it. Older runs did not record all that
    tells checkpoints apart; what they did must agree."""
    known, loaded = st.session_state.get("defaults_of") or {}, checkpoint_fields(backend)
    if "model" not in known or not known.items() <= loaded.items():
        _reset(backend.info["defaults"])
    st.session_state["defaults_of"] = loaded


def _reset(recommended: Mapping[str, Any]) -> None:
    """Sets the model's recommended sampling."""
    for key in SAMPLING:
        st.session_state[key] = _within(key, recommended[key])


def _back_to_defaults(recommended: Mapping[str, Any]) -> None:
    """Sets the recommended sampling, and nobody guesses. A button keeps what it hands on, so that it is not the model, which
    could not go."""
    _reset(recommended)
    st.session_state["drafter"] = st.session_state["drafter_wanted"] = None


def _model(words: Words, backend: Backend | None) -> None:
    """What is loaded, at which commit, and where it runs; and the button to choose another model."""
    if backend is not None:
        st.caption(words("family", model=plain(backend.model_id), family=backend.family.name))
        if backend.family.note is not None:
            st.caption(plain(words.of(backend.family.note)))
        if backend.info.get("device"):
            st.caption(words("placed", device=backend.info["device"], dtype=backend.info["dtype"]))
        if backend.info.get("commit"):
            _commit(words, backend.model_id, backend.info["commit"])
        if backend.info.get("notice") is not None:
            st.info(plain(words.of(backend.info["notice"])))
    st.button(
        words("choose_model"), key="choose", help=words("choose_model_help"), width="stretch",
        on_click=dialogs.begin, args=(model_picker.NAME,),
    )


def _commit(words: Words, model_id: str, commit: str) -> None:
    """The hub's commit that is loaded, and the switch that keeps to it."""
    st.caption(words("commit", commit=plain(commit[:12])), help=plain(commit))
    try:
        pinned = ModelSettings.read().pins.get(model_id)
    except BackendError as error:
        st.warning(plain(words.of(Text(error.zh, str(error)))))
        return
    st.session_state["pin"] = pinned == commit
    where = plain(str(settings_file()))
    st.toggle(words("pin"), key="pin", on_change=_pin, args=(words, model_id, commit), help=words("pin_help", path=where))


def _pin(words: Words, model_id: str, commit: str) -> None:
    kept = commit if st.session_state["pin"] else None
    model_picker.change_settings(words, lambda settings: settings.with_pin(model_id, kept))


def _sampling(words: Words, backend: Backend | None) -> None:
    st.subheader(words("sampling"))
    if backend is None:  # Values shown before the model's own are known would jump when it is ready.
        st.caption(words("sampling_later"))
    else:
        _slider("temperature", words("temperature"), words("temperature_help"))
        _slider("top_p", words("top_p"), words("top_p_help"))
        _number("top_k", words("top_k"), words("top_k_help"))
        checkpoint = backend.info["defaults_from"] == "checkpoint"
        st.caption(words("defaults_from_checkpoint" if checkpoint else "defaults_from_family", family=backend.family.name))
        left_out = model_html.left_out(words, backend.info.get("description"))
        if left_out:
            st.caption(left_out)
    st.number_input(
        words("seed"), min_value=0, max_value=MOST_EXACT, step=1, key="seed", help=words("seed_help"),
        placeholder=words("seed_empty"),
    )
    if backend is not None:
        _drafting(words, backend)
        _way_back(words, backend)


def _drafting(words: Words, backend: Backend) -> None:
    """Who guesses tokens ahead; what cannot be had here is named with the reason."""
    usable = [name for name, why_not in backend.drafters.items() if why_not is None]
    _keep_drafter(usable)
    st.selectbox(
        words("drafter"), [None, *usable], key="drafter", help=words("drafter_help"), disabled=not usable,
        placeholder=words("drafter_none"),  # None counts as nothing chosen, whatever its label.
        format_func=lambda name: words("drafter_none") if name is None else words.of(drafter_name(name)),
        on_change=_forget_drafter,
    )
    if st.session_state.get("drafter_wanted") is not None:
        st.caption(words("drafter_gone", name=plain(words.of(drafter_name(st.session_state["drafter_wanted"])))))
    if not backend.drafters:
        st.caption(words("drafter_cannot"))
    for name, why_not in backend.drafters.items():
        if why_not is not None:
            st.caption(words("drafter_why_not", name=plain(words.of(drafter_name(name))), why=plain(words.of(why_not))))


def _keep_drafter(usable: Sequence[str]) -> None:
    """Chooses nobody where the drafter that was chosen cannot be had, and that one again with a model that has it."""
    state = st.session_state
    wanted = state["drafter"] or state.get("drafter_wanted")
    state["drafter"] = wanted if wanted in usable else None
    state["drafter_wanted"] = None if wanted in usable else wanted


def _forget_drafter() -> None:
    st.session_state["drafter_wanted"] = None


def _way_back(words: Words, backend: Backend) -> None:
    """What is not as by default now, and the button that sets it back; below all that it sets."""
    labels = {"temperature": words("temperature"), "top_p": words("top_p"), "top_k": words("top_k")}
    changed = [
        labels[key] for key in SAMPLING
        if abs(st.session_state[key] - _within(key, backend.info["defaults"][key])) > 1e-9
    ]
    if st.session_state["drafter"] is not None:
        changed.append(words("drafter"))
    if changed:
        st.caption(words("defaults_changed", names=("、" if words.lang == "zh" else ", ").join(changed)))
    defaults = backend.info["defaults"]
    st.button(words("back_to_defaults"), key="reset", on_click=_back_to_defaults, args=(defaults,), disabled=not changed)


def _loop(words: Words, backend: Backend | None) -> None:
    st.subheader(words("loop"))
    fixed = backend is not None and not can_switch_thinking(backend)
    st.toggle(words("thinking"), key="thinking", help=words("thinking_help"), disabled=fixed)
    if fixed:
        st.caption(words("thinking_fixed"))
    st.pills(
        words("tools"), list(registry()), key="tools", selection_mode="multi", help=words("tools_help"),
    )
    st.text_area(words("system_prompt"), key="system_prompt", help=words("system_prompt_help"), height=110)
    _number("max_new_tokens", words("max_new_tokens"), words("max_new_tokens_help"))
    _number("max_steps", words("max_steps"), words("max_steps_help"))
    _number("time_limit", words("time_limit"), words("time_limit_help"))
    st.caption(words("next_question"))


def _slider(key: str, label: str, explained: str) -> None:
    least, most, step = _LIMITS[key]
    st.slider(label, least, most, step=step, key=key, help=explained)


def _number(key: str, label: str, explained: str) -> None:
    least, most, step = _LIMITS[key]
    st.number_input(label, int(least), int(most), step=int(step), key=key, help=explained)


def _settings() -> Settings:
    state = st.session_state
    sampling = Sampling(
        temperature=state["temperature"], top_p=state["top_p"], top_k=state["top_k"],
        max_new_tokens=state["max_new_tokens"], seed=state["seed"], drafter=state["drafter"],
    )
    chosen = set(state["tools"])
    return Settings(
        sampling=sampling, max_steps=state["max_steps"], time_limit_s=state["time_limit"], thinking=state["thinking"],
        tools=tuple(name for name in registry() if name in chosen), system_prompt=state["system_prompt"],
    )
