"""Which models the cache has, and at which commit."""

from __future__ import annotations

import os

import pytest

from backends import hub_cache
from backends.base import BackendError
from backends.hub import from_hub, resolve
from backends.hub_client import Hub
from backends.model_settings import ModelSettings
from tests.backends.hub.small_model import FILES, NAME, Told, get
from tests.backends.hub_server import HubServer, Model, Refusal


def test_the_cache_lists_what_is_whole(hub: Hub, server: HubServer, model: Model) -> None:
    assert hub_cache.cached_models(hub.cache) == []
    get(hub)
    server.put("Acme/Other", FILES, file_refusal=Refusal(503))
    with pytest.raises(BackendError):
        from_hub("Acme/Other", "main", hub, Told())
    (found,) = hub_cache.cached_models(hub.cache)
    assert (found.model_id, found.commit) == (NAME, model.commit)
    assert found.n_bytes == sum(len(data) for data in FILES.values())


def test_of_several_commits_the_cache_lists_the_one_that_main_is_at(hub: Hub, server: HubServer, model: Model) -> None:
    old = model.commit
    get(hub)
    new = server.put(NAME, {**FILES, "README.md": b"# Newer"}).commit
    get(hub)
    get(hub, revision=old)
    assert [(found.commit, found.name) for found in hub_cache.cached_models(hub.cache)] == [(new, NAME)]
    (pinned,) = hub_cache.cached_models(hub.cache, {NAME: old})
    assert (pinned.commit, pinned.name) == (old, NAME), "the model's name alone leads to the commit that it is kept at"
    (elsewhere,) = hub_cache.cached_models(hub.cache, {NAME: "0" * 40})
    assert (elsewhere.commit, elsewhere.name) == (new, f"{NAME}@{new}"), "the model's name alone leads to what is not here"


def test_what_was_fetched_by_its_commit_is_had_again_without_the_hub(hub: Hub, server: HubServer, model: Model) -> None:
    got = resolve(f"{NAME}@{model.commit}", Told(), hub=hub, settings=ModelSettings())
    (listed,) = hub_cache.cached_models(hub.cache)
    server.put(NAME, {**FILES, "README.md": b"# Newer"})
    assert resolve(listed.name, Told(), hub=hub, settings=ModelSettings()) == got, "what is listed, not what is newer"
    server.close()
    assert resolve(listed.name, Told(), hub=hub, settings=ModelSettings()) == got
    assert get(hub).path == got.path


@pytest.mark.parametrize("main", [None, "f" * 40])
def test_of_commits_that_main_does_not_name_the_newest_is_taken(
    main: str | None, hub: Hub, server: HubServer, model: Model,
) -> None:
    old, new = get(hub, model.commit), get(hub, server.put(NAME, {**FILES, "README.md": b"# Newer"}).commit)
    for seconds, each in enumerate((old, new)):
        os.utime(each.path, (seconds, seconds))
    if main is not None:
        (refs := new.path.parents[1] / "refs").mkdir(exist_ok=True)
        (new.path.parent / main).mkdir()
        (refs / "main").write_text(main)
    assert hub_cache.snapshot(NAME, "main", hub.cache) == (new.path, new.commit)
    (listed,) = hub_cache.cached_models(hub.cache)
    assert listed.name == f"{NAME}@{new.commit}"
