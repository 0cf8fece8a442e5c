"""What a hub may answer, or not: each failure's sentence, and the copy in the cache that will do."""

from __future__ import annotations

import json
import re

import pytest
from huggingface_hub import constants

from backends import hub_client, hub_words
from backends.checkpoint import INDEX, Checkpoint
from backends.hub_client import Hub
from families.base import Text
from tests.backends.hub.small_model import FILES, NAME, content, failure, get, refusal
from tests.backends.hub_server import HubServer, Model, Refusal


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


def test_a_full_disk_and_a_cache_that_cannot_be_written() -> None:
    full = hub_words.sentence(OSError(28, "No space left on device", "/cache/blob"), NAME, "main", "page")
    assert "The disk is full" in full.en
    assert "磁碟滿了" in full.zh
    assert "can be written" in hub_words.sentence(PermissionError(13, "Permission denied", "/cache"), NAME, "main", "page").en
