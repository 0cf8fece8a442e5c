"""Wording: complete in both languages, nothing missing, nothing left over."""

from __future__ import annotations

import ast
import importlib.util
import re
import string
from pathlib import Path

import pytest

from app.i18n import TABLES, Words, language_of, plain, visible
from app.model_tab_words import FACTS, KINDS, PARTS
from families.base import Text

APP = Path(__file__).parents[2] / "app"
PYTHON = [table for name, table in TABLES.items() if name != "viewer"]
OURS = {key: text for table in PYTHON for key, text in table.items()}
TREES = {path.name: ast.parse(path.read_text("utf-8")) for path in APP.glob("*.py") if not path.name.endswith("_words.py")}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_no_two_tables_share_a_key() -> None:
    assert len(OURS) == sum(map(len, PYTHON))


@pytest.mark.parametrize("key", sorted(OURS))
def test_both_languages_say_it_with_the_same_places(key: str) -> None:
    text = OURS[key]
    assert text.zh.strip()
    assert text.en.strip()
    assert places(text.zh) == places(text.en)


def test_every_key_that_is_used_exists() -> None:
    used = {
        (name, call.args[0].value)
        for name, tree in TREES.items()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "words"
        and call.args and isinstance(call.args[0], ast.Constant)
    }
    assert used
    assert {key for _, key in used} <= set(OURS)


def test_every_key_that_exists_is_used() -> None:
    all_nodes = [node for tree in TREES.values() for node in ast.walk(tree)]
    strings = {node.value for node in all_nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    # SETTING.get(f"drafter_{drafter}"), in a table's own module: the names are the backends'.
    everywhere = [node for path in APP.glob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    made = tuple(
        node.values[0].value for node in everywhere
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant)
        and re.fullmatch(r"[a-z_]+_", str(node.values[0].value))
    )
    assert {key for key in OURS if not key.startswith(made)} <= strings | set(FACTS)


def test_a_token_has_one_name_wherever_it_is_spoken_of() -> None:
    """Chinese has a word of its own for it, which the page leaves to others."""
    sources = [path for floor in ("families", "backends", "harness", "app") for path in (APP.parent / floor).rglob("*.py")]
    assert APP / "i18n.py" in sources
    assert [path for path in sources if "詞元" in path.read_text("utf-8")] == []


def test_values_fill_their_places() -> None:
    assert Words("en")("defaults_changed", names="Top-p") == "Changed: Top-p."
    assert Words("zh")("defaults_changed", names="Top-p") == "已改動：Top-p。"
    assert Words("zh").of(Text("甲", "a")) == "甲"
    with pytest.raises(KeyError):
        Words("en")("no_such_key")


def test_what_the_model_tab_explains_is_said_in_both_languages() -> None:
    facts = [text for said in FACTS.values() for each in said.values() for text in each]
    assert set(FACTS) <= set(OURS)
    for text in (*facts, *KINDS.values(), *PARTS.values()):
        assert text.zh.strip()
        assert text.en.strip()
        assert text.zh != text.en


def test_the_viewers_table_has_both_languages() -> None:
    for key, text in TABLES["viewer"].items():
        assert text.zh.strip(), key
        assert text.en.strip(), key


@pytest.mark.parametrize(
    ("locale", "lang"),
    [("zh-TW", "zh"), ("zh-Hant-TW", "zh"), ("ZH", "zh"), ("en-US", "en"), ("de", "en"), ("", "en"), (None, "en")],
)
def test_the_browsers_language(locale: str | None, lang: str) -> None:
    assert language_of(locale) == lang


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb\u2066c\u200f", "a<U+202E>b<U+2066>c<U+200F>"),
        ("\x00\x1b[1m\x7f", "<U+0000><U+001B>[1m<U+007F>"),
        ("\ud800", "<U+D800>"),
        ("字 👩\u200d👩\u200d👧 \n\té", "字 👩\u200d👩\u200d👧 \n\té"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, seen: str) -> None:
    assert visible(text) == seen
    assert visible(text).encode("utf-8")


@pytest.fixture(scope="module")
def linked() -> list[re.Pattern[str]]:
    """What Streamlit's page makes links of once Markdown is read, taken from its own code, without what must stand before it."""
    streamlit = importlib.util.find_spec("streamlit")
    assert streamlit is not None
    scripts = Path(str(streamlit.origin)).parent.glob("static/static/js/StreamlitMarkdown.*.js")
    code = "".join(path.read_text("utf-8") for path in scripts)
    found = re.search(r"\[\[/(\(https\?.{1,80}?)/gi,\w+\],\[/\(\?<=.{1,40}?\)(\(\[.{1,80}?)/gu,\w+\]\]", code)
    assert found is not None, "Streamlit makes links in another way now: look whether plain() still keeps texts from it"
    return [re.compile(found[1], re.IGNORECASE | re.ASCII), re.compile(found[2], re.ASCII)]


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ("https://example.com/a?b=c#d", ""), ("see HTTP://EXAMPLE.COM", ""), ("(www.example.com)", ""), ("Www.Example.com.", ""),
        ("wWw.example", ".com"), ("www", "."), ("a http://www.b.c d www.e.f", ""), ("https://a@www.b.c", ""),
        ("write to a.b+c@example.com", ""), ("mailto:a@b.c", ""), ("a_b@c-d.e, f@g.h", ""), ("a@", "b.c"), ("a@b", ".c"),
        ("路徑：https://a.例子.tw", ""), ("@a.b @c@d.e", ""),
    ],
)
def test_no_address_becomes_a_link(linked: list[re.Pattern[str]], text: str, behind: str) -> None:
    assert any(pattern.search(text + behind) for pattern in linked)
    read = re.sub(r"\\([!-/:-@[-`{-~])", r"\1", plain(text)) + behind
    assert not any(pattern.search(read) for pattern in linked)
    assert read.replace("\u2060", "") == text + behind


@pytest.mark.parametrize("text", ["a @ b", "w w. www wwwx", "1:2 / 3", "//a", "file:/a"])
def test_what_is_no_address_stays_as_it_is(text: str) -> None:
    assert plain(text).replace("\\", "").rstrip("\u2060") == text.rstrip()


def test_text_inside_markdown_is_one_line_and_escaped() -> None:
    assert plain("a *b*\n\n# c {n}") == "a \\*b\\* \\# c \\{n\\}"
    assert plain("\u202e") == "\\<U\\+202E\\>"
