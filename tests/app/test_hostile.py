"""A checkpoint that tries to be more than text: everything of it stands on the page as text."""

from __future__ import annotations

import html
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from streamlit.testing.v1 import AppTest

from app.i18n import plain, visible
from app.service import Service
from backends.local import LocalBackend
from tests.app.test_model_tab import opened
from tests.app.test_page import said
from tests.backends import hostile

TAGS = {
    "a", "b", "br", "code", "dd", "details", "div", "dl", "dt", "h4", "mark", "p", "pre", "span", "style", "summary", "table",
    "tbody", "td", "th", "thead", "tr",
}
ATTRIBUTES = {"class", "href", "id", "style", "tabindex", "target", "title"}


class _Reader(HTMLParser):
    """What a browser would make of HTML: elements, their attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.text: list[str] = []
        self.open = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        self.open += tag != "br"

    def handle_endtag(self, tag: str) -> None:
        self.open -= 1

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> LocalBackend:
    folder = hostile.write(tmp_path_factory.mktemp("hostile"))
    return LocalBackend.load(folder, folder.name, device="cpu")


@pytest.fixture(params=["en", "zh"])
def shown(request: pytest.FixtureRequest, installed: Service, backend: LocalBackend) -> AppTest:
    return opened(installed, backend, request.param)  # type: ignore[arg-type]


def pieces(test: AppTest) -> Iterator[str]:
    yield from (each.proto.body for each in test.get("html"))


def test_its_html_is_ours_alone(shown: AppTest) -> None:
    text = ""
    for body in pieces(shown):
        reader = _Reader()
        reader.feed(body)
        reader.close()
        assert reader.tags <= TAGS
        assert {name for name, _ in reader.attributes} <= ATTRIBUTES
        assert all(value.startswith("#template-") for name, value in reader.attributes if name == "href")
        assert reader.open == 0, "nothing of it ends an element early"
        text += "".join(reader.text)
    assert text.count(hostile.TEXT) >= 5, "architecture, encoder, template, token, a setting of sampling or a list"
    assert visible(hostile.TURNED) == "<U+202E>desrever"
    assert visible(hostile.TURNED) in text
    assert hostile.TURNED not in text
    assert "<U+D800>" in text
    assert hostile.NAME.replace("/", "_") + ".txt" in text


def test_its_markdown_is_escaped(shown: AppTest, backend: LocalBackend) -> None:
    text = said(shown)
    assert plain(backend.model_id) in text
    assert backend.model_id not in text
    assert plain(hostile.TEXT) in text, "a setting of sampling that is not applied"
    assert hostile.TEXT not in text
    assert hostile.TEXT not in html.unescape(text)


def test_long_texts_are_cut(shown: AppTest) -> None:
    assert sum(body.count("long ") for body in pieces(shown) if "lgm-template" not in body) < 500
    assert any(body.count("long ") == 2000 for body in pieces(shown)), "the template is whole"


def test_what_cannot_be_sampled_with_is_no_recommendation(backend: LocalBackend) -> None:
    assert backend.info["defaults"] == dict(backend.family.sampling)
    assert backend.info["defaults_from"] == "family"
