"""The real client against a small hub on this computer: listing, fetching, going on, the cache, and every failure's sentence."""

from __future__ import annotations

import json
import logging
import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from huggingface_hub import constants, file_download
from huggingface_hub.utils import WeakFileLock

from backends import hub_cache, hub_client, hub_words
from backends.base import BackendError
from backends.checkpoint import INDEX, Checkpoint, is_whole
from backends.hub import from_hub, resolve
from backends.hub_client import Hub
from backends.model_settings import ModelSettings
from families.base import Text
from tests.backends.hub_server import HubServer, Model, Refusal, etag_of

NAME = "Acme/Tiny-1B"
CHUNK = 1000


def content(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


FILES = {
    "config.json": b'{"model_type": "llama"}',
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b'{"eos_token": "."}',
    "chat_template.jinja": b"{{ messages }}",
    "README.md": b"# Tiny",
    "LICENSE": b"Apache",
    "model.safetensors": content(50_000),
}
"""Files as the hub has them; what is in the weights matters to nobody here."""


class Told:
    """Remembers what progress was told."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.shares: list[float | None] = []

    def __call__(self, text: Text, done: float | None) -> None:
        self.texts.append(text)
        self.shares.append(done)


@pytest.fixture(autouse=True)
def _client(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client as at a user's who is not logged in; pieces are small enough for small files, and it does not wait between
    tries. Its warnings about tries that failed are expected."""
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", CHUNK)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "/nowhere/token")
    monkeypatch.setattr(file_download.time, "sleep", lambda _seconds: None)
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(logging.getLogger("huggingface_hub"), "disabled", True)


@pytest.fixture
def server() -> Iterator[HubServer]:
    made = HubServer()
    yield made
    made.close()


@pytest.fixture
def hub(server: HubServer, tmp_path: Path) -> Hub:
    return Hub(server.endpoint, tmp_path / "hub")


@pytest.fixture
def model(server: HubServer) -> Model:
    return server.put(NAME, FILES, licence="apache-2.0")


def get(hub: Hub, revision: str = "main", told: Told | None = None) -> Checkpoint:
    return from_hub(NAME, revision, hub, told or Told())


def failure(hub: Hub, revision: str = "main") -> BackendError:
    """The error in which getting the model ends."""
    with pytest.raises(BackendError) as caught:
        get(hub, revision)
    assert any("一" <= letter <= "鿿" for letter in caught.value.zh)
    return caught.value


def refusal(hub: Hub, revision: str = "main") -> str:
    """What that error says in English."""
    return str(failure(hub, revision))


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


def test_without_a_hub_the_copy_in_the_cache_will_do(hub: Hub, server: HubServer, model: Model) -> None:
    first = get(hub)
    assert first.notice is None
    server.close()
    again = get(hub)
    assert (again.path, again.commit) == (first.path, first.commit)
    said = notice(again)
    assert re.search(f"cannot be reached .*the copy in the cache is used, commit {model.commit[:12]}", said.en)


def notice(got: Checkpoint) -> Text:
    """Why it is not what was asked for, which is said in both languages, with the commit that it is."""
    assert got.notice is not None
    assert got.commit is not None
    assert got.commit[:12] in got.notice.en
    assert got.commit[:12] in got.notice.zh
    return got.notice


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (Refusal(404, "RepoNotFound", "Repository not found"), "has no model Acme/Tiny-1B"),
        (Refusal(403, "GatedRepo", "You are not in the authorized list."), "is gated"),
        (Refusal(401), "wants a login"),
        (Refusal(429), "too many requests"),
        (Refusal(503), "a problem of its own"),
    ],
)
def test_what_the_hub_answers_is_said_also_where_the_copy_is_used(
    refusal: Refusal, words: str, hub: Hub, server: HubServer, model: Model,
) -> None:
    get(hub)
    server.put(NAME, FILES, list_refusal=refusal)
    got = get(hub)
    assert got.commit == model.commit
    assert words in notice(got).en


def test_where_a_newer_version_does_not_arrive_the_older_copy_is_used(hub: Hub, server: HubServer, model: Model) -> None:
    old = get(hub)
    newer = server.put(NAME, {**FILES, "model.safetensors": content(50_000, seed=2)})
    server.cuts = [20_000] + [0] * 6
    got = get(hub)
    assert (got.path, got.commit) == (old.path, model.commit)
    assert "broke off at" in notice(got).en
    server.cuts = []
    again = get(hub)
    assert (again.commit, again.notice) == (newer.commit, None)
    server.put(NAME, {**FILES, "model.safetensors": content(50_000, seed=3)}, claims={"model.safetensors": 10**18})
    got = get(hub)
    assert got.commit == newer.commit
    assert "the disk of" in notice(got).en


def test_a_commit_or_a_tag_that_is_asked_for_is_not_replaced_by_another(hub: Hub, server: HubServer, model: Model) -> None:
    get(hub)
    for revision in ("0" * 40, "v2"):
        assert "has no revision" in refusal(hub, revision)


def test_without_a_hub_and_a_copy_the_sentence_says_so(hub: Hub, server: HubServer) -> None:
    server.close()
    assert re.search("cannot be reached .*Check the network and try again", refusal(hub))


def test_offline_by_the_environment(hub: Hub, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE forbids" in refusal(hub)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    whole = get(hub)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert get(hub).path == whole.path


def test_an_unknown_name(hub: Hub) -> None:
    failed = failure(hub)
    assert re.search("has no model Acme/Tiny-1B.*Check the spelling.*hf auth login", str(failed))
    assert "拼字" in failed.zh


def test_a_gated_model_without_a_token(hub: Hub, server: HubServer) -> None:
    server.put(NAME, FILES, gated="manual", file_refusal=Refusal(401, "GatedRepo", "Access to model is restricted."))
    assert hub_client.ask(hub, NAME, "main").gated
    words = f"gated and there is no Hugging Face token here. Accept its terms at {server.endpoint}/{NAME}.*HF_TOKEN"
    assert re.search(words, refusal(hub))


def test_a_gated_model_that_was_not_granted(hub: Hub, server: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    server.put(NAME, FILES, gated="manual", file_refusal=Refusal(403, "GatedRepo", "You are not in the authorized list."))
    assert "your account has no access yet" in refusal(hub)
    assert {request.token for request in server.requests} == {"Bearer hf_mine"}


def test_a_token_that_is_not_accepted(hub: Hub, server: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    server.put(NAME, FILES, list_refusal=Refusal(401, None, "Invalid credentials in Authorization header"))
    assert "does not accept the token" in refusal(hub)


def test_a_login_that_is_wanted(hub: Hub, server: HubServer) -> None:
    server.put(NAME, FILES, list_refusal=Refusal(401))
    assert re.search("wants a login.*hf auth login", refusal(hub))


@pytest.mark.parametrize(
    ("status", "words"), [(429, "too many requests"), (503, "a problem of its own"), (418, "does not give Acme/Tiny-1B")],
)
def test_other_answers(status: int, words: str, hub: Hub, server: HubServer) -> None:
    server.put(NAME, FILES, list_refusal=Refusal(status))
    assert words in refusal(hub)


def test_a_file_that_is_refused_in_the_middle(hub: Hub, server: HubServer) -> None:
    server.put(NAME, FILES, file_refusal=Refusal(503))
    assert "a problem of its own" in refusal(hub)


def test_an_unknown_commit(hub: Hub, model: Model) -> None:
    assert "no revision '0000" in refusal(hub, "0" * 40)


def test_a_page_in_the_way(hub: Hub, server: HubServer) -> None:
    server.put(NAME, FILES, list_refusal=Refusal(200, body=b"<html>Log in to the hotel's network</html>"))
    assert re.search("is not the hub's .*login in the browser", refusal(hub))


def test_no_safetensors(hub: Hub, server: HubServer) -> None:
    small = {name: data for name, data in FILES.items() if name != "model.safetensors"}
    server.put(NAME, {**small, "pytorch_model.bin": b"pickle"})
    assert "no weights as safetensors" in refusal(hub)
    server.put(NAME, {**small, "tiny.Q4_0.gguf": b"GGUF"})
    assert "only .gguf files. Download one" in refusal(hub)
    assert server.fetched() == []


def test_an_architecture_that_is_not_known_is_found_before_the_weights_are_fetched(hub: Hub, server: HubServer) -> None:
    server.put(NAME, {**FILES, "config.json": b'{"model_type": "hyena_9"}'})
    assert "Acme/Tiny-1B is of the architecture 'hyena_9'" in refusal(hub)
    assert "model.safetensors" not in server.fetched()


def test_a_disk_that_is_too_small(hub: Hub, server: HubServer) -> None:
    server.put(NAME, FILES, claims={"model.safetensors": 10**18})
    assert re.search("needs 1000000000 GB more, and the disk of .* left. Free some space", refusal(hub))
    assert "model.safetensors" not in server.fetched()


def test_an_index_that_names_what_is_not_there(hub: Hub, server: HubServer) -> None:
    index = json.dumps({"weight_map": {"a": "model-00001-of-00001.safetensors"}}).encode()
    server.put(NAME, {**FILES, INDEX: index})
    assert "is not whole" in refusal(hub)


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


def test_a_full_disk_and_a_cache_that_cannot_be_written() -> None:
    full = hub_words.sentence(OSError(28, "No space left on device", "/cache/blob"), NAME, "main", "page")
    assert "The disk is full" in full.en
    assert "磁碟滿了" in full.zh
    assert "can be written" in hub_words.sentence(PermissionError(13, "Permission denied", "/cache"), NAME, "main", "page").en
