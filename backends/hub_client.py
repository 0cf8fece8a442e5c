"""Asks the Hugging Face hub what a model consists of, and fetches what the cache lacks, with the `huggingface_hub` client.

The client itself starts a file anew when a download is broken off and tried again later; checkpoints are large, so files are
streamed here (by the client's `http_get`) into a file beside the cache's blobs that the next try goes on with, and handed to
the cache when they are whole. Knows nothing about transformers or what is in the files.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, constants, errors, hf_hub_download, hf_hub_url
from huggingface_hub.file_download import http_get
from huggingface_hub.utils import WeakFileLock, build_hf_headers

from backends import hub_words
from backends.base import BackendError, Progress
from backends.checkpoint import INDEX, WEIGHTS
from backends.checkpoint_files import size
from backends.hub_cache import cache_folder, storage
from families.base import Text

_ANSWER_S = 10.0
"""Seconds that the hub has to answer a question about a model."""
_TOLD_EVERY_S = 0.5
"""Seconds after which it is told again that another program has a file; whoever is told can give up."""
_SMALL = (".json", ".jinja", ".txt", ".model", ".md")
_TEMPLATES = "additional_chat_templates/"


@dataclass(frozen=True)
class Hub:
    """A hub and the cache that its files go to. None means what the client's environment variables say, as everywhere."""

    endpoint: str | None = None
    cache: Path | None = None

    def page(self, model_id: str) -> str:
        """The address of a model's page."""
        return f"{self.endpoint or constants.ENDPOINT}/{model_id}"


@dataclass(frozen=True)
class RemoteFile:
    """A file as the hub lists it. `etag` is its SHA-256 where it is large, else its git blob hash."""

    name: str
    n_bytes: int
    etag: str


@dataclass(frozen=True)
class Listing:
    """What the hub says about a model at one commit."""

    model_id: str
    commit: str
    files: tuple[RemoteFile, ...]
    licence: str | None
    gated: bool

    @property
    def small_files(self) -> list[RemoteFile]:
        """What is read beside the weights: configuration, tokenizer, chat template, licence and card."""
        return [file for file in self.files if _is_small(file.name)]

    @property
    def weights(self) -> list[RemoteFile]:
        """The safetensors that transformers would read, as far as names tell; copies in other layouts are left out."""
        names = {file.name for file in self.files}
        if INDEX not in names:
            return [file for file in self.files if file.name == WEIGHTS]
        return [file for file in self.files if file.name.startswith("model") and file.name.endswith(".safetensors")]

    @property
    def n_bytes(self) -> int:
        """The size of everything that would be fetched."""
        return sum(file.n_bytes for file in [*self.small_files, *self.weights])

    def named(self, names: Iterable[str]) -> list[RemoteFile]:
        """The listed files with these names."""
        wanted = set(names)
        return [file for file in self.files if file.name in wanted]


def ask(hub: Hub, model_id: str, revision: str) -> Listing:
    """What a model consists of at a revision (a branch, a tag or a commit). Raises BackendError."""
    with hub_words.worded(model_id, revision, hub.page(model_id)):
        info = HfApi(endpoint=hub.endpoint).model_info(model_id, revision=revision, timeout=_ANSWER_S, files_metadata=True)
        if info.sha is None or info.siblings is None:
            raise ValueError("it lists no commit or no files")
        files = tuple(_remote_file(sibling) for sibling in info.siblings)
    card = info.card_data
    licence = None if card is None else card.get("license_name") or card.get("license")
    return Listing(model_id, info.sha, files, licence if isinstance(licence, str) else None, bool(info.gated))


def record_revision(hub: Hub, listing: Listing, revision: str) -> None:
    """Notes in the cache that the branch or tag `revision` is at the listing's commit, for when the hub cannot be asked."""
    ref = storage(listing.model_id, hub.cache) / "refs" / revision
    with hub_words.worded(listing.model_id, revision, hub.page(listing.model_id)):
        ref.parent.mkdir(parents=True, exist_ok=True)
        ref.write_text(listing.commit, encoding="utf-8")


def _is_small(name: str) -> bool:
    plain = name.removeprefix(_TEMPLATES)
    return "/" not in plain and (plain.endswith(_SMALL) or plain.startswith("LICENSE"))


def _remote_file(sibling: Any) -> RemoteFile:
    etag = sibling.lfs.sha256 if sibling.lfs is not None else sibling.blob_id
    if sibling.size is None or etag is None:
        raise ValueError(f"it lists no size or no hash for {sibling.rfilename}")
    return RemoteFile(sibling.rfilename, sibling.size, etag)


class _Bar:
    """Takes the place of the client's progress bar: counts a file's bytes and tells each new count."""

    def __init__(self, tell: Callable[[int], None], *, initial: int = 0, **_how_it_would_look: object) -> None:
        self._tell = tell
        self._n = initial

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def update(self, n: int) -> None:
        self._n += n
        self._tell(self._n)


class Download:
    """Fetches files of a model in several steps, of which `progress` is told as one; it may raise to give up."""

    def __init__(self, hub: Hub, listing: Listing, progress: Progress) -> None:
        home = storage(listing.model_id, hub.cache)
        self._hub = hub
        self._listing = listing
        self._progress = progress
        self._folder = home / "snapshots" / listing.commit
        self._blobs = home / "blobs"
        self._locks = cache_folder(hub.cache) / ".locks" / home.name
        self._fetched: list[RemoteFile] = []
        self._arrived: dict[RemoteFile, int] = {}
        """Of each file that counts in what is told, the bytes that are here."""

    def fetch(self, files: Iterable[RemoteFile], then: Iterable[RemoteFile] = ()) -> Path:
        """Puts what the cache lacks of `files` into it, one file after another, and gives the folder of the listing's commit.
        `then` is what will probably be fetched next, and counts in what is told.

        Raises BackendError; what has arrived by then is kept for the next try.
        """
        model_id, commit = self._listing.model_id, self._listing.commit
        with hub_words.worded(model_id, commit, self._hub.page(model_id)):
            for folder in (self._blobs, self._locks):
                folder.mkdir(parents=True, exist_ok=True)
            unnamed = self._unnamed(files)
            new, later = self._new(unnamed), self._new(self._unnamed(then))
            self._arrived = {file: self._kept(file) for file in [*self._fetched, *new, *later]}
            self._require_room(new)
            for file in new:
                self._fetch(file)
                self._fetched.append(file)
            for file in unnamed:  # The blobs are there now, so that this only names them as the cache does.
                hf_hub_download(model_id, file.name, revision=commit, cache_dir=self._hub.cache, endpoint=self._hub.endpoint)
        return self._folder

    def _unnamed(self, files: Iterable[RemoteFile]) -> list[RemoteFile]:
        """Those of the files that the cache does not have under their name."""
        return [file for file in files if not (self._folder / file.name).exists()]

    def _new(self, files: Iterable[RemoteFile]) -> list[RemoteFile]:
        """Those of the files that the cache does not have under another name or of another commit either."""
        return [file for file in files if not self._blob(file).exists()]

    def _blob(self, file: RemoteFile) -> Path:
        """A whole file, as the cache keeps it."""
        return self._blobs / file.etag

    def _partial(self, file: RemoteFile) -> Path:
        """What has arrived of a file. Tools that clean the cache know the ending."""
        return self._blobs / f"{file.etag}.loopglass.incomplete"

    def _kept(self, file: RemoteFile) -> int:
        """The bytes of a file that are here."""
        if file in self._fetched or self._blob(file).exists():
            return file.n_bytes
        partial = self._partial(file)
        return partial.stat().st_size if partial.exists() else 0

    @property
    def _total(self) -> int:
        return sum(file.n_bytes for file in self._arrived)

    def _require_room(self, files: Iterable[RemoteFile]) -> None:
        needed = sum(file.n_bytes - self._arrived[file] for file in files)
        free = shutil.disk_usage(self._blobs).free
        if needed > free:
            text = hub_words.no_room(self._listing.model_id, needed, free, self._blobs)
            raise BackendError(text.en, text.zh)

    def _tell(self, file: RemoteFile, n_bytes: int) -> None:
        self._arrived[file] = n_bytes
        done, all_of_it, name = sum(self._arrived.values()), self._total, self._listing.model_id
        so_far, total = size(done), size(all_of_it)
        share = done / all_of_it if all_of_it else 1.0
        self._progress(Text(f"下載 {name}：{so_far}／{total}", f"Downloading {name}: {so_far} of {total}"), min(share, 1.0))

    def _fetch(self, file: RemoteFile) -> None:
        partial = self._partial(file)
        with self._alone(file):
            self._tell(file, self._kept(file))
            if self._blob(file).exists():  # Another program was faster.
                return
            if self._kept(file) > file.n_bytes:
                partial.unlink()
            with partial.open("ab") as out:
                self._stream(file, out)
            if _digest(partial, file.etag) != file.etag:
                partial.unlink()
                text = hub_words.damaged(self._listing.model_id, file.name)
                raise BackendError(text.en, text.zh)
            os.replace(partial, self._blob(file))

    @contextmanager
    def _alone(self, file: RemoteFile) -> Iterator[None]:
        """Waits until no other program that uses the cache fetches the file, and keeps them from it."""
        with ExitStack() as held:
            while True:
                try:
                    held.enter_context(WeakFileLock(self._locks / f"{file.etag}.lock", timeout=_TOLD_EVERY_S))
                    break
                except TimeoutError:
                    self._progress(hub_words.elsewhere(self._listing.model_id, file.name), None)
            yield

    def _stream(self, file: RemoteFile, out: Any) -> None:
        listing = self._listing
        url = hf_hub_url(listing.model_id, file.name, revision=listing.commit, endpoint=self._hub.endpoint)
        bar: Any = functools.partial(_Bar, functools.partial(self._tell, file))
        try:
            http_get(
                url, out, resume_size=out.tell(), headers={**build_hf_headers(), "accept-encoding": "identity"},
                expected_size=file.n_bytes, displayed_filename=file.name, tqdm_class=bar,
            )
        except errors.HfHubHTTPError:
            raise
        except errors.HTTPError as error:
            text = hub_words.broken_off(listing.model_id, sum(self._arrived.values()), self._total, error)
            raise BackendError(text.en, text.zh) from error


def _digest(path: Path, etag: str) -> str:
    """The hash of a file in the kind that `etag` is of: SHA-256, or SHA-1 as git computes it for a blob."""
    if len(etag) == 64:
        digest = hashlib.sha256()
    else:
        digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
