"""The real client against a small hub: what is listed and fetched, how a download goes on, and what is told of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from huggingface_hub.utils import WeakFileLock

from backends import hub_cache, hub_client
from backends.base import BackendError
from backends.checkpoint import INDEX, Checkpoint, is_whole
from backends.hub import from_hub, resolve
from backends.hub_client import Hub
from backends.model_settings import ModelSettings
from families.base import Text
from tests.backends.hub.small_model import FILES, NAME, Told, content, failure, get, refusal
from tests.backends.hub_server import HubServer, Model, etag_of


def test_the_hub_tells_what_a_model_is(hub: Hub, model: Model) -> None:
    listing = hub_client.ask(hub, NAME, "main")
    assert listing.commit == model.commit
    assert (listing.licence, listing.gated) == ("apache-2.0", False)
    assert {file.name: file.n_bytes for file in listing.files} == {name: len(data) for name, data in FILES.items()}
    assert listing.n_bytes == sum(len(data) for data in FILES.values())


def test_a_model_is_fetched_whole_and_its_commit_is_known(hub: Hub, model: Model) -> None:
    told = Told()
    got = get(hub, told=told)
    assert got == Checkpoint(got.path, NAME, model.commit)
    assert {path.name: path.read_bytes() for path in got.path.iterdir()} == FILES
    assert told.texts[0].en == "Asking the Hugging Face hub about Acme/Tiny-1B"
    assert told.texts[1].en == "Downloading Acme/Tiny-1B: 0 B of 50.1 kB"
    assert told.texts[-1].en == "Downloading Acme/Tiny-1B: 50.1 kB of 50.1 kB"
    assert told.shares[-1] == 1.0
    shares = [share for share in told.shares if share is not None]
    assert shares == sorted(shares), "the small files and the weights are told as one"
    assert shares.count(1.0) == 1
    assert len(shares) > 40, "bytes are told as they come"


def test_what_the_cache_has_is_not_fetched_again(hub: Hub, server: HubServer, model: Model) -> None:
    first = get(hub)
    server.requests.clear()
    assert get(hub) == first
    assert server.fetched() == []


def test_a_new_commit_costs_only_what_changed(hub: Hub, server: HubServer, model: Model) -> None:
    old = get(hub)
    server.requests.clear()
    server.put(NAME, {**FILES, "README.md": b"# Tiny, corrected"})
    new = get(hub)
    assert server.fetched() == ["README.md"]
    assert new.commit != old.commit
    assert (new.path / "README.md").read_bytes() == b"# Tiny, corrected"
    assert (old.path / "README.md").read_bytes() == FILES["README.md"]


def test_only_what_is_lacking_is_told(hub: Hub, server: HubServer, model: Model) -> None:
    """Where links are not allowed, as on some Windows computers, the client keeps a file only under its name."""
    got = get(hub)
    for path in got.path.iterdir():
        path.resolve().unlink()
        path.unlink()
        if path.name != "README.md":
            path.write_bytes(FILES[path.name])
    server.requests.clear()
    told = Told()
    assert get(hub, told=told) == got
    assert server.fetched() == ["README.md"]
    assert [text.en.removeprefix("Downloading Acme/Tiny-1B: ") for text in told.texts[1:]] == ["0 B of 6 B", "6 B of 6 B"]


def test_a_pinned_commit_stays_and_needs_no_hub_once_it_is_here(hub: Hub, server: HubServer, model: Model) -> None:
    old = model.commit
    server.put(NAME, {**FILES, "model.safetensors": content(60_000, seed=2)})
    settings = ModelSettings(pins={NAME: old})
    got = resolve(NAME, Told(), hub=hub, settings=settings)
    assert got.commit == old
    assert (got.path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    server.requests.clear()
    assert resolve(NAME, Told(), hub=hub, settings=settings) == got
    assert resolve(f"{NAME}@{old}", Told(), hub=hub, settings=ModelSettings()) == got
    assert server.requests == []
    assert resolve(f"{NAME}@main", Told(), hub=hub, settings=settings).commit == server.models[NAME].commit


def test_only_what_transformers_reads_is_fetched(hub: Hub, server: HubServer) -> None:
    shards = {f"model-0000{n}-of-00002.safetensors": content(30_000, n) for n in (1, 2)}
    index = json.dumps({"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})
    others = dict.fromkeys(("consolidated.safetensors", "original/model.pth", "pytorch_model.bin", "onnx/model.onnx"), b"x")
    small = {name: data for name, data in FILES.items() if name != "model.safetensors"}
    templates = {"additional_chat_templates/tools.jinja": b"{{ tools }}"}
    server.put(NAME, {**small, **shards, INDEX: index.encode(), **templates, **others})
    got = get(hub)
    assert set(server.fetched()) == {*small, *shards, INDEX, *templates}
    assert is_whole(got.path)
    assert (got.path / "additional_chat_templates" / "tools.jinja").read_bytes() == b"{{ tools }}"


def test_a_cut_connection_goes_on_where_it_broke(hub: Hub, server: HubServer, model: Model) -> None:
    server.cuts = [100_000] * 6 + [30_500]  # The small files come whole.
    got = get(hub)
    assert (got.path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    starts = [request.range_from for request in server.requests if request.kind == "get" and request.file == "model.safetensors"]
    assert starts == [None, 30_000], "what came in whole pieces is not asked for again"


def test_half_a_download_is_kept_and_the_next_try_goes_on(hub: Hub, server: HubServer, model: Model) -> None:
    server.cuts = [100_000] * 6 + [20_000] + [0] * 6
    failed = failure(hub)
    assert re.search(r"broke off at 20\.1 kB of 50\.1 kB.*goes on from there", str(failed))
    assert "接著下載" in failed.zh
    assert hub_cache.cached_models(hub.cache) == []
    server.cuts = []
    server.requests.clear()
    told = Told()
    got = get(hub, told=told)
    assert (got.path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert [(request.file, request.range_from) for request in server.requests if request.kind == "get"] == [
        ("model.safetensors", 20_000)
    ]
    assert "20.0 kB of 50.0 kB" in told.texts[1].en
    assert not list((hub.cache or Path()).rglob("*.incomplete"))


def left_behind(hub: Hub, server: HubServer) -> Path:
    """What a download that broke off has left of the weights."""
    server.cuts = [100_000] * 6 + [20_000] + [0] * 6
    with pytest.raises(BackendError, match="broke off"):
        get(hub)
    server.cuts = []
    server.requests.clear()
    (partial,) = (hub.cache or Path()).rglob("*.incomplete")
    return partial


def test_weights_that_had_arrived_whole_are_not_asked_for_again(hub: Hub, server: HubServer, model: Model) -> None:
    left_behind(hub, server).write_bytes(FILES["model.safetensors"])
    assert (get(hub).path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert server.fetched() == []


def test_more_than_the_whole_file_is_begun_anew(hub: Hub, server: HubServer, model: Model) -> None:
    left_behind(hub, server).write_bytes(FILES["model.safetensors"] + b"more")
    assert (get(hub).path / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_a_beginning_that_is_not_this_files_is_thrown_away(hub: Hub, server: HubServer, model: Model) -> None:
    left_behind(hub, server).write_bytes(b"x" * 20_000)
    with pytest.raises(BackendError, match="arrived damaged and was thrown away"):
        get(hub)
    assert (get(hub).path / "model.safetensors").read_bytes() == FILES["model.safetensors"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_disk_that_is_full_in_the_middle(hub: Hub, server: HubServer, model: Model) -> None:
    partial = left_behind(hub, server)
    partial.unlink()
    partial.symlink_to("/dev/full")
    with pytest.raises(BackendError, match=r"The disk is full and Acme/Tiny-1B is not all here .*Free some space and try again"):
        get(hub)
    partial.unlink()
    assert (get(hub).path / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_a_hub_that_cannot_go_on_starts_the_file_again(hub: Hub, server: HubServer, model: Model) -> None:
    server.ranges = False
    server.cuts = [100_000] * 6 + [20_000] + [0] * 6
    assert "broke off" in refusal(hub)
    server.cuts = []
    told = Told()
    got = get(hub, told=told)
    assert (got.path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert told.shares[-1] == 1.0


def test_giving_up_keeps_what_came(hub: Hub, server: HubServer, model: Model) -> None:
    class GaveUpError(Exception):
        pass

    def impatient(_text: Text, done: float | None) -> None:
        if done is not None and 0.45 < done < 0.6:
            raise GaveUpError

    with pytest.raises(GaveUpError):
        from_hub(NAME, "main", hub, impatient)
    server.requests.clear()
    get(hub)
    (again,) = [request for request in server.requests if request.kind == "get"]
    assert again.range_from is not None
    assert again.range_from >= 20_000


class ElsewhereTold(Told):
    """Calls `then` when it is told that another program has a file."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self.then = then

    def __call__(self, text: Text, done: float | None) -> None:
        super().__call__(text, done)
        if "Another program is downloading model.safetensors" in text.en:
            assert "另一個程式正在下載" in text.zh
            self.then()


def lock_of_the_weights(hub: Hub) -> Path:
    """What whoever downloads the weights into the cache holds, as the client names it."""
    locks = (hub.cache or Path()) / ".locks" / "models--Acme--Tiny-1B"
    locks.mkdir(parents=True)
    return locks / f"{etag_of(FILES['model.safetensors'])}.lock"


def test_what_another_program_downloads_is_waited_for(hub: Hub, server: HubServer, model: Model) -> None:
    blob = (hub.cache or Path()) / "models--Acme--Tiny-1B" / "blobs" / etag_of(FILES["model.safetensors"])
    with ExitStack() as other:
        other.enter_context(WeakFileLock(lock_of_the_weights(hub)))

        def done() -> None:
            blob.write_bytes(FILES["model.safetensors"])
            other.close()

        told = ElsewhereTold(done)
        got = get(hub, told=told)
    assert (got.path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert "model.safetensors" not in server.fetched()
    assert told.texts[-1].en == "Downloading Acme/Tiny-1B: 50.1 kB of 50.1 kB", "what the other has brought counts"


def test_where_the_other_program_breaks_off_it_is_fetched_here(hub: Hub, server: HubServer, model: Model) -> None:
    with ExitStack() as other:
        other.enter_context(WeakFileLock(lock_of_the_weights(hub)))
        got = get(hub, told=ElsewhereTold(other.close))
    assert (got.path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert server.fetched()[-1] == "model.safetensors"


def test_waiting_for_another_program_can_be_given_up(hub: Hub, model: Model) -> None:
    class GaveUpError(Exception):
        pass

    def give_up() -> None:
        raise GaveUpError

    with WeakFileLock(lock_of_the_weights(hub)), pytest.raises(GaveUpError):
        get(hub, told=ElsewhereTold(give_up))


def test_a_file_that_arrives_damaged_is_thrown_away(hub: Hub, server: HubServer) -> None:
    server.put(NAME, FILES, wrong={"model.safetensors": content(50_000, seed=9)})
    assert "model.safetensors of Acme/Tiny-1B arrived damaged" in refusal(hub)
    server.put(NAME, FILES)
    assert (get(hub).path / "model.safetensors").read_bytes() == FILES["model.safetensors"]
