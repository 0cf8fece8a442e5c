"""The Model tab: what the loaded checkpoint is, in the order in which a learner asks. Draws what the backend's info says.

The description is made by backends/description.py; a backend without one (a script) is described by its family alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from app import model_html
from app.drafting_words import drafter_name
from app.i18n import Words, plain
from app.model_tab_words import FACTS
from app.models import Loading, Ready, State
from backends.base import Backend
from backends.checkpoint_files import size
from backends.description import Description, Fact

_STYLE = Path(__file__).with_name("model_tab.css")
_LEFT_OUT_WHEN_EMPTY = ("experts", "experts_per_token", "quantization", "window")
"""Facts that most checkpoints have no need of: no row is drawn where there is nothing to say."""


def draw(words: Words, state: State | None) -> None:
    """Draws the tab for the model in memory, or says why there is none."""
    if isinstance(state, Loading):
        st.info(words("model_tab_loading", model=plain(state.model)))
        return
    if not isinstance(state, Ready):
        st.info(words("model_tab_none"))
        return
    st.html(_STYLE)
    backend = state.backend
    description = backend.info.get("description")
    _title(words, backend, description)
    if description is not None:
        _facts(words, backend, description)
        _parts(words, description)
    _sampling(words, backend, description)
    _template(words, backend, description)
    _tokens(words, backend)
    if description is not None:
        _section(words("section_files"))
        st.html(model_html.files(words, description.files()))
    _drafter(words, backend)


def _section(title: str) -> None:
    st.subheader(title, anchor=False)


def _title(words: Words, backend: Backend, description: Description | None) -> None:
    st.subheader(plain(backend.model_id), anchor=False)
    if backend.family.note is not None:
        st.info(plain(words.of(backend.family.note)))
    family = plain(backend.family.name)
    if description is None:
        st.caption(words("model_tab_family", family=family))
        st.info(words("model_tab_no_files", family=family))
        return
    commit = backend.info.get("commit")
    place = words("model_tab_place", family=family, path=plain(description.path))
    st.caption(place + (words("model_tab_commit", commit=plain(commit)) if commit else ""))
    st.markdown(words("model_tab_about"))


def _facts(words: Words, backend: Backend, description: Description) -> None:
    for section, said in FACTS.items():
        _section(words(section))
        rows = []
        for name, (label, explained) in said.items():
            fact = description.facts.get(name)
            if fact is not None and _worth_a_row(name, fact, description):
                source = _source(words, name, fact, description)
                rows.append(model_html.fact(
                    words.of(label), words.of(explained), _value(words, name, fact.value), source, words("unknown"),
                ))
            if name == "layers":
                rows.append(_attention(words, description))
        if section == "section_text":
            rows.append(_beside_text(words, backend, description))
        st.html(model_html.facts(rows))


def _worth_a_row(name: str, fact: Fact, description: Description) -> bool:
    """Whether a fact says something that no other row does."""
    if name in _LEFT_OUT_WHEN_EMPTY:
        return fact.value is not None
    same_as = {"class": "architecture", "parameters_loaded": "parameters"}.get(name)
    return same_as is None or fact.value != description.facts[same_as].value


def _value(words: Words, name: str, given: Any) -> str | None:
    if given is None:
        return None
    if name in ("parameters", "parameters_loaded"):
        return model_html.count(given)
    if name == "memory":
        return words("bytes_exact", size=size(given), n=f"{given:,}")
    if name == "stored_as":
        return ", ".join(words("n_numbers", n=f"{n:,}", dtype=dtype) for dtype, n in given.items())
    if isinstance(given, tuple):
        return words("by_layer", values=" · ".join(str(_value(words, name, each)) for each in given))
    if not isinstance(given, int):
        return model_html.value(words, given)
    return words("n_tokens", n=f"{given:,}") if name in ("context", "window") else f"{given:,}"


def _source(words: Words, name: str, fact: Fact, description: Description) -> str:
    """Where a fact is from, or where it was looked for in vain."""
    if fact.value is None:
        if name == "parameters" and description.facts["quantization"].value is not None:
            return words("from_headers_packed")
        return words(_FROM_NOT[fact.origin], where=fact.where)
    return words(_FROM[fact.origin], where=fact.where)


_FROM = {
    "file": "from_file", "default": "from_default", "gguf": "from_gguf", "model": "from_model", "headers": "from_headers",
    "tokenizer": "from_tokenizer",
}
_FROM_NOT = {"file": "from_file_not", "gguf": "from_gguf_not", "headers": "from_headers_not"}


def _attention(words: Words, description: Description) -> str:
    kinds, source = description.layer_types, description.layer_types_from
    if not kinds:
        return model_html.fact(
            words("attention"), words("attention_help"), None, _source(words, "attention", source, description), words("unknown"),
        )
    said = words("attention_class") if source.origin == "model" else _source(words, "attention", source, description)
    value = " · ".join(f"{kinds.count(kind)} × {kind}" for kind in dict.fromkeys(kinds))
    return model_html.fact(
        words("attention"), words("attention_help"), value, said, words("unknown"), model_html.layers(words, kinds),
    )


def _beside_text(words: Words, backend: Backend, description: Description) -> str:
    """What the checkpoint has an encoder for, and what is fed to it here."""
    encoders = [
        words("encoder", name=each.key, type=each.model_type) if each.layers is None
        else words("encoder_layers", name=each.key, type=each.model_type, n=each.layers)
        for each in description.encoders
    ]
    kinds = {"image": words("image"), "audio": words("audio"), "video": words("video")}
    fed = [said for kind, said in kinds.items() if kind in backend.modalities]
    comma = "、" if words.lang == "zh" else ", "
    more = words("fed", kinds=comma.join(fed)) if fed else words("fed_nothing")
    if not encoders:
        value, source = words("beside_text_none"), words("beside_text_none_from")
    elif description.processor_files:
        value, source = comma.join(encoders), words("encoder_from", files=comma.join(description.processor_files))
    else:
        value, source = comma.join(encoders), words("encoder_from_no_processor")
    return model_html.fact(
        words("beside_text"), f"{words('beside_text_help')} {more}", value, source, words("unknown"),
    )


def _parts(words: Words, description: Description) -> None:
    if description.stored is None:
        return
    _section(words("section_parts"))
    st.caption(words("section_parts_about"))
    st.html(model_html.parts(words, description.stored))


def _sampling(words: Words, backend: Backend, description: Description | None) -> None:
    _section(words("section_sampling"))
    st.caption(words("sampling_about"))
    family = backend.family.name
    given = (description.generation_config if description is not None else None) or {}
    rows = []
    for name, value in backend.info["defaults"].items():
        if backend.info["defaults_from"] == "family":
            source = words("sampling_family", family=family)
        elif given.get("do_sample") is False:
            source = words("sampling_greedy")
        else:
            source = words("sampling_in_file" if given.get(name) == value else "sampling_neutral")
        rows.append((name, f"{value:g}", source))
    titles = words("sampling_setting"), words("sampling_value"), words("sampling_from")
    st.html(model_html.boxed(model_html.table(titles, rows)))
    if backend.info["defaults_from"] == "family" and description is not None:
        st.caption(words("sampling_no_file" if description.generation_config is None else "sampling_silent"))
    left_out = model_html.left_out(words, description)
    if left_out:
        st.caption(left_out)


def _template(words: Words, backend: Backend, description: Description | None) -> None:
    _section(words("section_template"))
    st.markdown(words("template_about"))
    family = backend.family
    st.markdown(words("template_in_family", family=plain(family.name)))
    st.markdown(f"- {plain(words.of(family.tools_note))}\n- {plain(words.of(family.thinking_note))}")
    for number, shown in enumerate(description.templates if description is not None else (), 1):
        if shown.name:
            st.markdown(f"**{words('template_name', name=plain(shown.name))}**")
        n = len(model_html.lines(shown.text))
        st.caption(words("template_file", file=plain(shown.file), n=n) if shown.file else words("template_file_unknown", n=n))
        if shown.tools is None:
            st.caption(words("template_unreadable"))
        elif not shown.tools:
            st.caption(words("template_tools_none"))
        if family.thinking_argument is None:
            st.caption(words("template_no_switch", family=plain(family.name)))
        elif shown.thinking == ():
            st.caption(words("template_thinking_none", switch=plain(family.thinking_argument)))
        st.html(model_html.template(words, shown, family.thinking_argument, number))


def _tokens(words: Words, backend: Backend) -> None:
    _section(words("section_tokens"))
    st.caption(words("section_tokens_about"))
    ends = backend.info.get("stop_tokens", backend.family.stop_tokens)
    st.html(model_html.tokens(words, backend.family, backend.info["control_tokens"], ends))


def _drafter(words: Words, backend: Backend) -> None:
    _section(words("section_drafter"))
    st.caption(words("section_drafter_about"))
    networks = backend.info.get("draft_networks", {})
    for name, network in networks.items():
        st.markdown(words(
            "drafter_network", name=words.of(drafter_name(name)), parameters=model_html.count(network.n_parameters),
            size=size(network.n_bytes), path=plain(network.path),
        ))
    missing = {name: why_not for name, why_not in backend.drafters.items() if why_not is not None}
    for name, why_not in missing.items():
        st.markdown(words("drafter_why_not", name=words.of(drafter_name(name)), why=plain(words.of(why_not))))
    if not networks and not missing:
        st.markdown(words("drafter_unknown"))
    without = [words.of(drafter_name(name)) for name in backend.drafters if name not in networks and name not in missing]
    if without:
        st.markdown(words("drafter_without", names=("、" if words.lang == "zh" else ", ").join(without)))
