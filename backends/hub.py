"""From what the user calls a model to a checkpoint on this computer: built in, a folder, a .gguf file, or the hub's.

Knows no HTTP and no cache layout: `hub_client.py` and `hub_cache.py` do.
"""

from __future__ import annotations

import re
from pathlib import Path

from backends import hub_cache, hub_client, hub_words
from backends.base import BackendError, Progress
from backends.checkpoint import BUILTIN, INDEX, WEIGHTS, Checkpoint, is_whole, read_json, weight_files
from backends.hub_client import Hub
from backends.model_settings import ModelSettings
from families.base import Text

BUILTIN_ID = "loopglass/SmolLM2-135M-agent"
_HUB_ID = re.compile(r"(?!.*(?:--|\.\.))([\w.-]+/[\w.-]+)(?:@([\w./-]+))?", re.ASCII)
"""Owner and name, and a revision; the hub allows neither -- nor .. in names."""


def resolve(model: str, progress: Progress, *, hub: Hub | None = None, settings: ModelSettings | None = None) -> Checkpoint:
    """The checkpoint that `model` names: "builtin", which is built on first use; a folder; a .gguf file; or owner/name on the
    hub, with @revision for another than main, which is fetched where it is not in the cache.

    A commit that `settings` pins is used for a hub model whose name asks for none. Raises BackendError.
    """
    if model in (BUILTIN, BUILTIN_ID):
        from backends.builtin import checkpoint  # pulls in what builds it, which a folder does not need

        return Checkpoint(checkpoint(progress), BUILTIN_ID)
    path = on_this_computer(model)
    if path is not None:
        return _folder(path) if path.is_dir() else Checkpoint(path, path.name)
    model_id, revision = _on_hub(model)
    pinned = (settings or ModelSettings.read()).pins.get(model_id, hub_cache.MAIN)
    return from_hub(model_id, revision or pinned, hub or Hub(), progress)


def require_possible(model: str) -> None:
    """Raises BackendError where `model` names nothing that could be loaded, as far as this computer tells at a glance."""
    path = on_this_computer(model)
    if path is not None and path.is_dir():
        _folder(path)
    elif path is None and model not in (BUILTIN, BUILTIN_ID):
        _on_hub(model)


def _on_hub(model: str) -> tuple[str, str | None]:
    """The id on the hub that a name gives, and the revision where it gives one. Raises BackendError for what is no such name."""
    found = _HUB_ID.fullmatch(model)
    if found is None:
        raise BackendError(
            f"There is no model “{model}”. Give “{BUILTIN}”, a folder with config.json, a tokenizer and safetensors, a .gguf "
            "file, or owner/name of a model on the Hugging Face hub.",
            f"找不到模型「{model}」。請填「{BUILTIN}」、一個含有 config.json、分詞器與 safetensors 的資料夾、一個 .gguf 檔，"
            "或 Hugging Face hub 上的「擁有者/名稱」。",
        )
    return found[1], found[2]


def on_this_computer(name: str) -> Path | None:
    """The folder or .gguf file that `name` is the path of, absolute, so that it is found from any working directory; None where
    there is none."""
    try:
        path = Path(name).expanduser()
        here = path.is_dir() or (path.is_file() and path.suffix == ".gguf")
    except (OSError, RuntimeError, ValueError):  # No name that a file could have, or the home of nobody here.
        return None
    return path.resolve() if here else None


def from_hub(model_id: str, revision: str, hub: Hub, progress: Progress) -> Checkpoint:
    """A hub model at a revision: what the cache lacks is fetched. Where the hub does not give it, a whole copy in the cache will
    do, and the checkpoint's `notice` says why. A commit that is whole in the cache is taken without asking.

    Raises BackendError.
    """
    here = hub_cache.snapshot(model_id, revision, hub.cache)
    if here is not None and hub_cache.is_commit(revision):
        return Checkpoint(here[0], model_id, here[1])
    try:
        return _fetched(model_id, revision, hub, progress)
    except BackendError as error:
        if here is None:
            raise
        return Checkpoint(here[0], model_id, here[1], hub_words.copy_used(error, here[1]))


def _fetched(model_id: str, revision: str, hub: Hub, progress: Progress) -> Checkpoint:
    """What the hub has of a model at a revision, put into the cache. Raises BackendError."""
    progress(Text(f"向 Hugging Face hub 詢問 {model_id}", f"Asking the Hugging Face hub about {model_id}"), None)
    listing = hub_client.ask(hub, model_id, revision)
    download = hub_client.Download(hub, listing, progress)
    folder = download.fetch(_before_weights(listing), then=listing.weights)
    _require_architecture(model_id, folder)
    download.fetch(listing.named(weight_files(folder)))
    if not is_whole(folder):
        raise BackendError(
            f"The hub's {model_id} is not whole: its index names weights that are not there, or it has no tokenizer. Choose "
            "another model or commit.",
            f"hub 上的「{model_id}」不完整：索引列出的權重不在，或缺少分詞器。請換一個模型或版本。",
        )
    if not hub_cache.is_commit(revision):
        hub_client.record_revision(hub, listing, revision)
    return Checkpoint(folder, model_id, listing.commit)


def _folder(folder: Path) -> Checkpoint:
    if not (folder / "config.json").is_file():
        raise BackendError(
            f"{folder} holds no model: it has no config.json.", f"「{folder}」不是模型資料夾：裡面沒有 config.json。"
        )
    return Checkpoint(folder, folder.name)


def _before_weights(listing: hub_client.Listing) -> list[hub_client.RemoteFile]:
    """The small files, which tell whether the large ones are worth fetching. Raises BackendError where they cannot be."""
    names = tuple(file.name for file in listing.files)
    if WEIGHTS not in names and INDEX not in names:
        text = hub_words.no_safetensors(listing.model_id, names)
        raise BackendError(text.en, text.zh)
    return listing.small_files


def _require_architecture(model_id: str, folder: Path) -> None:
    from backends.loading import require_architecture  # transformers takes seconds, and a name may fail before it is needed

    named = read_json(folder / "config.json").get("model_type")
    require_architecture(model_id, named if isinstance(named, str) else None)
