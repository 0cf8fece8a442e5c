"""The Model tab: what it shows of a description, of a backend without one, and of a model that is not there yet."""

from __future__ import annotations

import threading
from dataclasses import replace
from html import escape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import model_html
from app.i18n import Words, plain
from app.models import Models
from app.service import Service, install
from backends import drafters
from backends.checkpoint_files import CheckpointFile, FieldValue, Part, Stored
from backends.description import Description, DraftNetwork, Encoder, Fact, Template
from backends.scripted import ScriptedBackend
from backends.template_reading import depends_on
from families.base import Text
from families.hermes import HERMES
from tests.app.conftest import scripted, wait_loaded
from tests.app.test_page import page, run, said

EN, ZH = Words("en"), Words("zh")
TEMPLATE = "{% if tools %}\nTOOLS <b>\n{% else %}\nNONE\n{% endif %}\n{% if not enable_thinking %}<think></think>{% endif %}\n"
HIDING = "display: none; }</style>"
NO_FACT = Fact(None, "file", "head_dim")


def description(**changes: Any) -> Description:
    """A checkpoint as backends/description.py describes one, with something of each kind."""
    facts = {
        "architecture": Fact("LlamaForCausalLM", "file", "architectures"),
        "model_type": Fact("llama", "file", "model_type"),
        "class": Fact("LlamaForCausalLM", "model"),
        "parameters": Fact(134_515_008, "headers"),
        "parameters_loaded": Fact(134_515_008, "model"),
        "layers": Fact(3, "file", "num_hidden_layers"),
        "width": Fact(576, "default", "hidden_size"),
        "head_size": NO_FACT,
        "experts": Fact(None, "file", "num_experts"),
        "quantization": Fact(None, "file", "quantization_config.quant_method"),
        "context": Fact(8192, "file", "max_position_embeddings"),
        "stored_as": Fact({"BF16": 134_515_008}, "headers"),
        "memory": Fact(269_030_016, "model"),
    }
    made = Description(
        path="/models/<i>tiny</i>",
        facts=facts,
        layer_types=("linear_attention", "linear_attention", "full_attention"),
        layer_types_from=Fact(True, "file", "layer_types"),
        encoders=(),
        processor_files=(),
        stored=Stored((Part("model.layers.*.mlp", 9, 100), Part("model.embed_tokens", 1, 28)), {"BF16": 128}),
        files=lambda: (
            CheckpointFile("config.json", 526, 1, Text("設定", "settings"), (
                FieldValue("num_hidden_layers", Text("層", "layers"), 3, True),
                FieldValue("layer_types", Text("種類", "kinds"), list(range(40)), True),
                FieldValue("rope_theta", Text("底", "base"), None, False),
            )),
            CheckpointFile("generation_config.json", None, 0, Text("抽樣", "sampling"), ()),
            CheckpointFile("<img src=x>.txt", 5, 1, None, ()),
        ),
        generation_config=None,
        left_out={},
        templates=(Template(
            "", TEMPLATE, "chat_template.jinja", depends_on(TEMPLATE, "tools", otherwise=False),
            depends_on(TEMPLATE, "enable_thinking", otherwise=True),
        ),),
    )
    return replace(made, **changes)


def describing(**changes: Any) -> ScriptedBackend:
    backend = scripted("Hi.")
    backend.info = {**backend.info, "description": description(**changes)}
    return backend


def opened(installed: Service, backend: ScriptedBackend, lang: str = "en") -> AppTest:
    """The page with its Model tab open, once the model is ready."""
    models = Models(lambda _model, _progress: backend, installed.runs.wait_idle)
    install(Service(installed.runs, models, installed.token))
    models.request("builtin")
    wait_loaded()
    test = page(lang=lang)
    test.session_state["tab"] = Words(lang)("tab_model")  # type: ignore[arg-type]
    return run(test)


def html(test: AppTest) -> str:
    """The tab's own HTML, with the apostrophe, which is escaped too, as it is written."""
    return "\n".join(each.proto.body for each in test.get("html")).replace("&#x27;", "'")


def test_facts_stand_with_where_they_are_from(installed: Service) -> None:
    shown = html(opened(installed, describing()))
    assert "134.5 M (134,515,008)" in shown
    assert EN("from_file", where="num_hidden_layers") in shown
    assert EN("from_default", where="hidden_size") in shown
    assert "269 MB (269,030,016 bytes)" in shown
    assert "BF16 (134,515,008 numbers)" in shown
    assert "8,192 tokens" in shown
    assert "2 × linear_attention · 1 × full_attention" in shown
    assert EN("beside_text_none") in shown


def test_what_nobody_says_is_not_known_and_the_reason_is_given(installed: Service) -> None:
    shown = html(opened(installed, describing()))
    assert f'<span class="lgm-value lgm-unknown">{EN("unknown")}</span>' in shown
    assert EN("from_file_not", where="head_dim") in shown
    assert "Experts" not in shown, "a checkpoint without experts needs no row for them"
    packed = {**description().facts, "parameters": Fact(None, "headers"), "quantization": Fact("mxfp4", "file", "quant")}
    shown = html(opened(installed, describing(facts=packed)))
    assert EN("from_headers_packed") in shown
    assert "mxfp4" in shown


def test_what_differs_by_layer_is_shown_with_all_its_values(installed: Service) -> None:
    varied = {"head_size": Fact((256, 1024), "model"), "window": Fact((512, "<b>all</b>"), "model")}
    shown = html(opened(installed, describing(facts={**description().facts, **varied})))
    assert "256 · 1,024, depending on the layer" in shown
    assert "512 tokens · " in shown
    assert "<b>all" not in shown
    assert EN("from_model") in shown


def test_a_row_that_would_repeat_another_is_left_out(installed: Service) -> None:
    assert "Loaded as" not in html(opened(installed, describing()))
    loaded = {**description().facts, "class": Fact("OnlyText", "model"), "parameters_loaded": Fact(100, "model")}
    shown = html(opened(installed, describing(facts=loaded)))
    assert "OnlyText" in shown
    assert "Parameters loaded" in shown


def test_texts_of_the_checkpoint_are_never_markup(installed: Service) -> None:
    test = opened(installed, describing())
    for markup in ("<img", "TOOLS <b>", "<think>"):
        assert markup not in html(test)
        assert escape(markup) in html(test)
    assert "<i>" not in said(test)


def test_the_template_is_shown_whole_with_its_marks(installed: Service) -> None:
    test = opened(installed, describing())
    shown = html(test)
    for number, line in enumerate(TEMPLATE.removesuffix("\n").split("\n"), 1):
        assert f'<span class="lgm-n">{number}</span>' in shown
        assert escape(line) in shown
    assert '<span class="lgm-n">7</span>' not in shown, "a line end at the end begins no further line"
    assert '<mark class="lgm-tools">TOOLS &lt;b&gt;</mark>' in shown
    assert '<span class="lgm-code">NONE</span>' in shown
    assert '<mark class="lgm-thinking">{% if not enable_thinking %}&lt;think&gt;&lt;/think&gt;{% endif %}</mark>' in shown
    assert EN("template_lines", first=1, last=2) in shown
    assert EN("template_line", first=6) in shown
    assert EN("template_file", file="chat\\_template\\.jinja", n=6) in said(test)


def test_a_template_without_tools_or_switch_is_said_so(installed: Service) -> None:
    bare = Template("", "{{ messages }}", None, (), ())
    test = opened(installed, describing(templates=(bare,)))
    assert EN("template_tools_none") in said(test)
    assert EN("template_thinking_none", switch="enable\\_thinking") in said(test)


def test_a_template_that_cannot_be_read_is_shown_and_nothing_is_claimed_of_it(installed: Service) -> None:
    broken = "{% if tools"
    test = opened(installed, describing(templates=(Template("", broken, None, None, None),)))
    assert EN("template_unreadable") in said(test)
    assert EN("template_tools_none") not in said(test)
    assert EN("template_thinking_none", switch="enable\\_thinking") not in said(test)
    assert escape(broken) in html(test)


def test_of_a_huge_template_the_end_is_left_out_and_this_is_said(installed: Service) -> None:
    huge = Template("", "x" * 200_000 + "ENDING", None, (), ())
    shown = html(opened(installed, describing(templates=(huge,))))
    assert EN("template_cut", n=6) in shown
    assert "ENDING" not in shown


def test_files_have_sizes_notes_and_this_checkpoints_values(installed: Service) -> None:
    shown = html(opened(installed, describing()))
    assert "<code>config.json</code><span>526 B</span>" in shown
    assert "<td><code>num_hidden_layers</code></td><td>3</td><td>layers</td>" in shown
    assert f"<td><code>rope_theta</code></td><td>{EN('field_missing')}</td>" in shown
    assert f"0, 1, 2, 3, 4, 5, 6, 7, {EN('list_more', n=40)}" in shown
    assert f"<code>generation_config.json</code><span>{EN('file_missing')}</span>" in shown
    assert 'lgm-quiet"></p>' not in shown, "a file that nothing is known of has no empty line"


@pytest.mark.parametrize(
    ("whose", "config", "expected"),
    [
        ("family", None, "sampling_no_file"), ("family", {"eos_token_id": 2}, "sampling_silent"),
        ("checkpoint", {"do_sample": False}, "sampling_greedy"), ("checkpoint", {"temperature": 0.3}, "sampling_neutral"),
        ("checkpoint", {"temperature": 0.3}, "sampling_in_file"),
    ],
)
def test_where_the_recommended_sampling_is_from(
    whose: str, config: dict[str, Any] | None, expected: str, installed: Service,
) -> None:
    backend = describing(generation_config=config, left_out={"min_p": 0.05})
    backend.info = {**backend.info, "defaults_from": whose}
    test = opened(installed, backend)
    assert EN(expected) in html(test) + said(test)
    assert "min\\_p 0\\.05" in said(test)


def test_control_tokens_stand_in_their_groups_with_ids(installed: Service) -> None:
    backend = describing()
    ids = {"<|im_end|>": 2, "<think>": 7, "<unused>": 9}
    backend.info = {**backend.info, "control_tokens": ids, "stop_tokens": ["<|im_end|>"]}
    shown = html(opened(installed, backend))
    purpose = HERMES.purpose_of("<think>")
    assert purpose is not None
    assert f'{escape("<think>")}</code></td><td class="lgm-num">7</td><td>{escape(purpose.en)}' in shown
    assert escape(HERMES.stop_tokens["<|im_end|>"].en) in shown
    assert EN("tokens_other", n=1) in shown
    assert f"{escape('<unused>')}</code> 9" in shown
    absent = shown.split("this checkpoint")[1]
    assert escape("<tool_call>") in absent


@pytest.mark.parametrize(
    ("files", "expected"), [(("processor_config.json",), "processor_config.json"), ((), EN("encoder_from_no_processor"))],
)
def test_what_it_reads_beside_text(files: tuple[str, ...], expected: str, installed: Service) -> None:
    encoders = (Encoder("vision_config", "siglip", 12), Encoder("audio_config", "conformer", None))
    shown = html(opened(installed, describing(encoders=encoders, processor_files=files)))
    assert "vision_config (siglip, 12 layers), audio_config (conformer)" in shown
    assert expected in shown
    assert EN("fed_nothing") in shown


def test_a_model_without_files_is_told_by_its_family(installed: Service) -> None:
    test = opened(installed, scripted("Hi."))
    assert EN("model_tab_no_files", family="Hermes") in said(test)
    assert escape(HERMES.token_groups[0].name.en) in html(test)
    assert EN("sampling_family", family="Hermes") in html(test)
    assert EN("drafter_unknown") in said(test)


def test_what_drafts_for_it(installed: Service) -> None:
    backend = describing()
    why = Text("沒有找到 <b>。", "None was found in <b>.")
    backend.drafters = {"prompt_lookup": None, "gemma4_assistant": None, "mtp": why}
    network = DraftNetwork("/models/<i>tiny</i>-assistant", 78_000_000, 156_000_000)
    backend.info = {**backend.info, "draft_networks": {"gemma4_assistant": network}}
    shown = said(opened(installed, backend))
    told = EN(
        "drafter_network", name=EN("drafter_gemma4_assistant"), parameters=model_html.count(78_000_000), size="156 MB",
        path=plain(network.path),
    )
    assert told in shown
    assert EN("drafter_why_not", name=EN("drafter_mtp"), why=plain(why.en)) in shown
    assert EN("drafter_without", names=EN("drafter_prompt_lookup")) in shown
    assert EN("drafter_unknown") not in shown


@pytest.mark.parametrize("name", drafters._DRAFTERS)
def test_every_drafter_has_a_name_on_the_page(name: str) -> None:
    assert EN(f"drafter_{name}") != ZH(f"drafter_{name}")


def test_while_the_model_loads_the_tab_says_so(installed: Service) -> None:
    go_on = threading.Event()

    def load(_model: str, _progress: Any) -> ScriptedBackend:
        go_on.wait(60)
        return scripted()

    models = Models(load, installed.runs.wait_idle)
    install(Service(installed.runs, models))
    test = page()
    test.session_state["tab"] = EN("tab_model")
    assert EN("model_tab_none") in said(run(test))
    models.request("builtin")
    assert EN("model_tab_loading", model="builtin") in said(run(test))
    go_on.set()


def test_a_switch_of_language_keeps_the_tab(installed: Service) -> None:
    test = opened(installed, describing())
    test.segmented_control(key="lang").set_value("zh")
    run(test)
    assert test.session_state["tab"] == ZH("tab_model")
    assert ZH("from_file", where="num_hidden_layers") in html(test)
    assert ZH("model_tab_about") in said(test)


def test_the_run_is_hidden_not_taken_down_while_the_tab_is_open(installed: Service) -> None:
    test = opened(installed, describing())
    assert HIDING in html(test)
    test.session_state["tab"] = EN("tab_run")
    run(test).chat_input[0].set_value("Hi")
    run(test)
    assert HIDING not in html(test)
    test.session_state["tab"] = EN("tab_model")
    run(test)
    assert HIDING in html(test)
    assert test.get("bidi_component")
    assert test.chat_input


@pytest.mark.parametrize(
    ("n", "expected"),
    [(0, "0"), (999_999, "999,999"), (134_515_008, "134.5 M (134,515,008)"), (7_615_616_512, "7.616 B (7,615,616,512)")],
)
def test_counts(n: int, expected: str) -> None:
    assert model_html.count(n) == expected


