"""What the hub says about the recommended models: asked once, in the background, and not at all where nobody answers."""

from __future__ import annotations

import threading

from app.catalogue import Catalogue
from backends.base import BackendError
from backends.recommended import RECOMMENDED, Facts

FACTS = Facts(1_700_000_000, "apache-2.0", gated=False)


def wait(catalogue: Catalogue) -> None:
    for thread in threading.enumerate():
        if thread.name == "ask the hub":
            thread.join(10)
    assert not catalogue.asking


def test_answers_come_one_by_one_and_are_kept() -> None:
    asked: list[str] = []
    second, go_on = threading.Event(), threading.Event()

    def ask(model_id: str) -> Facts:
        asked.append(model_id)
        if model_id == "b/b":
            second.set()
            assert go_on.wait(10)
        return FACTS

    catalogue = Catalogue(ask)
    assert (catalogue.facts, catalogue.asking, catalogue.silent, asked) == ({}, False, False, []), "nobody has looked"
    catalogue.look(("a/a", "b/b"))
    assert second.wait(10)
    assert (catalogue.facts, catalogue.asking) == ({"a/a": FACTS}, True)
    catalogue.look(("a/a", "b/b"))
    go_on.set()
    wait(catalogue)
    catalogue.look(("a/a", "b/b"))
    wait(catalogue)
    assert catalogue.facts == {"a/a": FACTS, "b/b": FACTS}
    assert asked == ["a/a", "b/b"]


def test_where_nobody_answers_the_first_question_is_the_last() -> None:
    asked: list[str] = []

    def ask(model_id: str) -> Facts:
        asked.append(model_id)
        raise BackendError("No network.", "沒有網路。")

    catalogue = Catalogue(ask)
    catalogue.look(("a/a", "b/b"))
    wait(catalogue)
    assert asked == ["a/a"]
    assert catalogue.silent
    catalogue.look(("a/a", "b/b"))
    wait(catalogue)
    assert asked == ["a/a", "a/a"], "who looks again, asks again"


def test_one_model_that_is_gone_does_not_hide_the_others() -> None:
    def ask(model_id: str) -> Facts:
        if model_id == "b/b":
            raise BackendError("Gone.", "沒有了。")
        return FACTS

    catalogue = Catalogue(ask)
    catalogue.look(("a/a", "b/b", "c/c"))
    wait(catalogue)
    assert set(catalogue.facts) == {"a/a", "c/c"}
    assert not catalogue.silent


def test_the_first_recommendation_is_the_smallest_qwen3_5_and_none_stands_twice() -> None:
    ids = [model.model_id for model in RECOMMENDED]
    assert ids[:2] == ["Qwen/Qwen3.5-0.8B", "google/gemma-4-E2B-it"]
    assert len(ids) == len(set(ids))
    assert len({model.family for model in RECOMMENDED}) == len(RECOMMENDED)
