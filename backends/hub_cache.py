"""What the Hugging Face cache of this computer holds, without asking the network.

The cache is shared with every program that uses the `huggingface_hub` client; its layout is described in
`huggingface_hub.hf_hub_download`: snapshots/<commit>/ holds the files, refs/<name> the commit that a branch was at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import constants, scan_cache_dir
from huggingface_hub.errors import CacheNotFound
from huggingface_hub.file_download import repo_folder_name

from backends.base import BackendError
from backends.checkpoint import is_whole

MAIN = "main"
"""The branch that a model is at where none is asked for."""
_COMMIT = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True)
class Cached:
    """A model that is whole in the cache at a commit; `n_bytes` counts that commit's files. `name` is what to ask for to get this
    commit, also where the hub cannot be asked: the model's name alone would lead to another where its `main` is elsewhere."""

    model_id: str
    commit: str
    n_bytes: int
    name: str


def cache_folder(cache: Path | None) -> Path:
    """The cache: `cache`, or where the client keeps it."""
    return cache or Path(constants.HF_HUB_CACHE)


def storage(model_id: str, cache: Path | None) -> Path:
    """The folder of one model in the cache, whether or not it is there."""
    return cache_folder(cache) / str(repo_folder_name(repo_id=model_id, repo_type="model"))


def is_commit(revision: str) -> bool:
    """Whether a revision is a whole commit hash, which never changes, rather than a branch or a tag."""
    return _COMMIT.fullmatch(revision) is not None


def snapshot(
    model_id: str, revision: str, cache: Path | None, suffices: Callable[[Path], bool] = is_whole
) -> tuple[Path, str] | None:
    """The folder of a model at a revision, and its commit; None where what is in the cache does not suffice to load it.

    Where the cache does not know the commit of `main`, or does not hold it whole, the newest commit that suffices stands for it:
    what was fetched by its commit is noted under no branch.
    """
    folders = storage(model_id, cache) / "snapshots"
    commits = [revision] if is_commit(revision) else _noted(folders.parent / "refs" / revision)
    if revision == MAIN and folders.is_dir():
        newest = sorted(folders.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
        commits += [folder.name for folder in newest]
    return next(((folders / commit, commit) for commit in commits if _holds(folders / commit, suffices)), None)


def cached_models(cache: Path | None, pins: Mapping[str, str] | None = None) -> list[Cached]:
    """Every model that is whole in the cache, by name; of several commits the one that `pins` keeps the model at, else the one
    that its `main` is at, else the newest."""
    try:
        found = scan_cache_dir(cache_folder(cache))
    except (CacheNotFound, ValueError, OSError):  # No cache, a file in its place, or one that cannot be read.
        return []
    models = []
    for repo in found.repos:
        if repo.repo_type != "model":
            continue
        model_id, revisions = repo.repo_id, {revision.commit_hash: revision for revision in repo.revisions}
        wanted = (pins or {}).get(model_id, MAIN)
        here = snapshot(model_id, wanted, cache) or snapshot(model_id, MAIN, cache)
        if here is not None and here[1] in revisions:
            commit, found_at = here[1], revisions[here[1]]
            alone = commit == wanted or wanted in found_at.refs
            models.append(Cached(model_id, commit, found_at.size_on_disk, model_id if alone else f"{model_id}@{commit}"))
    return sorted(models, key=lambda model: model.model_id.lower())


def _noted(ref: Path) -> list[str]:
    """The commit that the cache notes for a branch or a tag; none where it notes none."""
    return [ref.read_text("utf-8").strip()] if ref.is_file() else []


def _holds(folder: Path, suffices: Callable[[Path], bool]) -> bool:
    try:
        return suffices(folder)
    except BackendError:  # A damaged index or configuration: not something to offer.
        return False
