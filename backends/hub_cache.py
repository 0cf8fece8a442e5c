"""What the Hugging Face cache of this computer holds, without asking the network.

The cache is shared with every program that uses the `huggingface_hub` client; its layout is described in
`huggingface_hub.hf_hub_download`: snapshots/<commit>/ holds the files, refs/<name> the commit that a branch was at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import constants, scan_cache_dir
from huggingface_hub.errors import CacheNotFound
from huggingface_hub.file_download import repo_folder_name

from backends.base import BackendError
from backends.checkpoint import is_whole

_COMMIT = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True)
class Cached:
    """A model that is whole in the cache, at the commit that was fetched last; `n_bytes` counts that commit's files."""

    model_id: str
    commit: str
    n_bytes: int


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
    """The folder of a model at a revision, and its commit; None where what is in the cache does not suffice to load it."""
    home = storage(model_id, cache)
    commit = revision
    if not is_commit(revision):
        ref = home / "refs" / revision
        if not ref.is_file():
            return None
        commit = ref.read_text("utf-8").strip()
    folder = home / "snapshots" / commit
    return (folder, commit) if _holds(folder, suffices) else None


def cached_models(cache: Path | None) -> list[Cached]:
    """Every model that is whole in the cache, by name; of several commits the one that its `main` is at, else the newest."""
    try:
        found = scan_cache_dir(cache_folder(cache))
    except (CacheNotFound, ValueError, OSError):  # No cache, a file in its place, or one that cannot be read.
        return []
    models = []
    for repo in found.repos:
        revisions = repo.revisions if repo.repo_type == "model" else ()
        whole = [revision for revision in revisions if _holds(revision.snapshot_path, is_whole)]
        if whole:
            best = max(whole, key=lambda revision: ("main" in revision.refs, revision.last_modified))
            models.append(Cached(repo.repo_id, best.commit_hash, best.size_on_disk))
    return sorted(models, key=lambda model: model.model_id.lower())


def _holds(folder: Path, suffices: Callable[[Path], bool]) -> bool:
    try:
        return suffices(folder)
    except BackendError:  # A damaged index or configuration: not something to offer.
        return False
