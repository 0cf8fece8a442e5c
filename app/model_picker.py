"""The dialog in which a model is chosen: what is on this computer, what is recommended, a path or a name, and where it runs.

What it offers comes from `app/catalogue.py` and `backends/`; choosing asks `app/models.py` for the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from app import dialogs, service
from app.i18n import Words, plain
from app.models import Loading, Placement, Ready, can_be_tried_again
from backends.base import BackendError
from backends.checkpoint import BUILTIN, DTYPES
from backends.checkpoint_files import size
from backends.model_settings import ModelSettings
from families.base import Text

if TYPE_CHECKING:
    from backends.hub_cache import Cached

_ASK_AGAIN_S = 1.0
NAME = "picker"
_MEDIA = {"image": "medium_image", "audio": "medium_audio", "video": "medium_video"}


def show(words: Words) -> None:
    """Draws the dialog over the page. The cache is looked through with the page, not at each click in the dialog."""
    from backends.hub_cache import cached_models  # With it comes the hub's client, for which a page should not have to wait.

    try:
        pins = ModelSettings.read().pins
    except BackendError:
        pins = {}  # The dialog says what is wrong with the file.
    dialogs.show(words("picker_title"), _draw, words, cached_models(None, pins))


def _draw(words: Words, cached: Sequence[Cached]) -> None:
    from backends.recommended import RECOMMENDED

    dialogs.leave_if_ended()
    # In a form, so that a name is taken when it is sent, not when the pointer leaves the box.
    with st.form("picker_typed", border=False):
        box, button = st.columns([7, 3], vertical_alignment="bottom")
        box.text_input(
            words("picker_name"), key="picker_name", help=words("picker_name_help"), placeholder=words("picker_name_example"),
        )
        button.form_submit_button(words("picker_use"), key="picker_send", on_click=_choose_typed, args=(words,), width="stretch")
    said = st.empty()  # There in any case: what stands below and draws itself must keep its place.
    why = _refusal(_typed())
    if why is not None:
        said.error(plain(words.of(why)))
    _placement(words)
    st.caption(words("picker_one"))
    _here(words, cached)
    catalogue = service.current().catalogue
    catalogue.look(tuple(model.model_id for model in RECOMMENDED))
    again = _ASK_AGAIN_S if catalogue.asking else None
    st.fragment(_recommended, run_every=again)(words, {model.model_id: model.name for model in cached})


def _typed() -> str:
    """What was sent from the box, "" for nothing."""
    return (st.session_state["picker_name"] or "").strip()


def _refusal(name: str) -> Text | None:
    """Why a name that was typed can be no model's; None where it may be one, and for none."""
    from backends.hub import require_possible

    try:
        if name:
            require_possible(name)
    except BackendError as error:
        return Text(error.zh, str(error))
    return None


def _choose_typed(words: Words) -> None:
    name = _typed()
    if not name or _refusal(name) is not None:
        return  # The model that is ready stays, and so does what was typed.
    from backends.hub import on_this_computer

    path = on_this_computer(name)
    if path is not None:  # Kept whole, because the next start may be in another folder.
        name = str(path)
        change_settings(words, lambda settings: settings.with_named(name))
    _choose(name)


def change_settings(words: Words, change: Callable[[ModelSettings], ModelSettings]) -> None:
    """Changes the settings file; one that cannot be read or written is left as it is, and the page says why."""
    try:
        change(ModelSettings.read()).write()
    except BackendError as error:
        st.toast(plain(words.of(Text(error.zh, str(error)))), icon=":material/warning:", duration="infinite")


def _choose(name: str) -> None:
    service.current().models.request(name)
    dialogs.end()


def _forget(words: Words, name: str) -> None:
    change_settings(words, lambda settings: settings.without_named(name))


def _place() -> None:
    """Takes over device and number format; the model that is loaded is loaded again so."""
    models = service.current().models
    placement = Placement(st.session_state["device"] or None, st.session_state["dtype"] or None)
    models.request(models.state.model if models.state is not None else BUILTIN, placement)


def _placement(words: Words) -> None:
    from backends.loading import devices  # With it comes torch, which a page should not have to wait for.

    here, placed = devices(), service.current().models.placement
    # What is left open is "" here: None would be a box in which nothing is chosen.
    st.session_state["device"], st.session_state["dtype"] = placed.device or "", placed.dtype or ""
    others = [] if placed.device in (None, *here) else [placed.device]  # Such as "cuda:1", given at the start.
    device, dtype = st.columns(2)
    device.selectbox(
        words("device"), ["", *here, *others], key="device", on_change=_place, help=words("device_help"),
        format_func=lambda name: name or words("automatic", best=here[0]),
    )
    dtype.selectbox(
        words("dtype"), ["", *DTYPES], key="dtype", on_change=_place, help=words("dtype_help"),
        format_func=lambda name: name or words("as_checkpoint"),
    )


def _here(words: Words, cached: Sequence[Cached]) -> None:
    """The built-in model, what is whole in the cache, and the paths that were named before."""
    from backends.hub import on_this_computer

    st.markdown(f"##### {words('picker_here')}")
    _row(words, BUILTIN, [words("picker_builtin")], words("picker_use"))
    for model in cached:
        facts = [size(model.n_bytes), words("picker_cached", commit=model.commit[:7])]
        _row(words, model.model_id, facts, words("picker_use"), asks=model.name)
    try:
        named = ModelSettings.read().named
    except BackendError as error:
        st.warning(plain(words.of(Text(error.zh, str(error)))))
        named = ()
    for name in named:
        path = on_this_computer(name)
        kind = words("picker_gone" if path is None else "picker_folder" if path.is_dir() else "picker_gguf")
        _row(words, name, [kind], words("picker_use"), gone=path is None, named=True)


def _recommended(words: Words, here: Mapping[str, str]) -> None:
    """The recommended models with what the hub has told by now; drawn again while answers come. `here` are in the cache, each
    with the name to ask for it by."""
    from backends.recommended import RECOMMENDED

    dialogs.leave_if_ended()
    catalogue = service.current().catalogue
    st.markdown(f"##### {words('picker_recommended')}")
    if catalogue.asking:
        st.caption(words("picker_asking"))
    elif catalogue.silent:
        st.caption(words("picker_silent"))
    facts = catalogue.facts
    for model in RECOMMENDED:
        media = [words("medium_text"), *(words(_MEDIA[medium]) for medium in model.reads)]
        said = [model.family, words("picker_reads", what=("、" if words.lang == "zh" else ", ").join(media))]
        if model.model_id in facts:
            known = facts[model.model_id]
            licence = words("picker_licence", licence=known.licence) if known.licence else words("picker_no_licence")
            said += [size(known.n_bytes), licence, *([words("picker_gated")] if known.gated else [])]
        else:
            said.append(words("picker_unknown"))
        downloaded = model.model_id in here
        said += [words("picker_downloaded")] if downloaded else []
        action = words("picker_use" if downloaded else "picker_get")
        _row(words, model.model_id, said, action, asks=here.get(model.model_id), group="recommended")


def _row(
    words: Words, name: str, facts: Sequence[str], action: str, *,
    asks: str | None = None, gone: bool = False, named: bool = False, group: str = "here",
) -> None:
    """One model: its name, what is known of it, and the button that asks for it, by `asks` where that is not its name alone."""
    state, asks = service.current().models.state, asks or name
    in_use = isinstance(state, Loading | Ready) and state.model == asks and not can_be_tried_again(state)
    about, button, *more = st.columns([6, 3, 1] if named else [7, 3], vertical_alignment="center")
    about.markdown(f"**{plain(name)}**  \n:small[{plain(' · '.join(facts))}]")
    for forget in more:
        forget.button(
            "", key=f"forget {name}", icon=":material/close:", help=words("picker_forget"), on_click=_forget, args=(words, name),
        )
    button.button(
        words("picker_in_use") if in_use else action, key=f"{group} {name}", on_click=_choose, args=(asks,),
        disabled=in_use or gone, width="stretch",
    )
