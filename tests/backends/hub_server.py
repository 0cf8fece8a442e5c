"""A small Hugging Face hub on this computer: what the client asks for, from models that a test puts in, and what can go wrong.

It answers as the hub does, as far as the client looks: the listing of a model with sizes and hashes, files by commit with ETag
and Range, and the error codes of the hub in its headers.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

LARGE = 20_000
"""From this size on a file counts as large and is known by its SHA-256, as with Git LFS."""


def etag_of(content: bytes) -> str:
    """The hash that the hub knows a file by."""
    if len(content) >= LARGE:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class Refusal:
    """An answer that is no success."""

    status: int
    code: str | None = None
    message: str = "no"
    body: bytes = b""


@dataclass
class Request:
    """What was asked for. `kind` is "list", "head" or "get"."""

    kind: str
    model: str
    file: str | None
    range_from: int | None
    token: str | None


@dataclass
class Model:
    """A model at its newest commit. `claims` are sizes that the listing gives instead of the true ones; `wrong` is content
    that is sent instead of the true one."""

    files: Mapping[str, bytes]
    licence: str | None = None
    gated: Any = False
    claims: Mapping[str, int] = field(default_factory=dict)
    wrong: Mapping[str, bytes] = field(default_factory=dict)
    list_refusal: Refusal | None = None
    file_refusal: Refusal | None = None

    @property
    def commit(self) -> str:
        """Changes with any file, as a commit does."""
        named = [f"{name} {etag_of(content)}" for name, content in sorted(self.files.items())]
        return hashlib.sha1("\n".join(named).encode()).hexdigest()


class HubServer:
    """Serves `models`. `cuts` lists after how many bytes the next answers with a file break off; `ranges` turns Range off."""

    def __init__(self) -> None:
        self.models: dict[str, Model] = {}
        self.cuts: list[int] = []
        self.ranges = True
        self.requests: list[Request] = []
        self.old: dict[str, Model] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """From now on nobody answers at the endpoint."""
        self._server.shutdown()
        self._server.server_close()

    def put(self, name: str, files: Mapping[str, bytes], **more: Any) -> Model:
        """Adds a model, or a new commit of it; the commit before stays to be had."""
        if name in self.models:
            self.old[self.models[name].commit] = self.models[name]
        self.models[name] = Model(files, **more)
        return self.models[name]

    def fetched(self) -> list[str]:
        """The files whose content was asked for, in order."""
        return [request.file for request in self.requests if request.kind == "get" and request.file is not None]

    def at(self, name: str, revision: str) -> Model | None:
        """A model at a revision; None where there is none."""
        newest = self.models.get(name)
        if newest is None or revision in ("main", newest.commit):
            return newest
        return self.old.get(revision)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(_Handler):
            server_hub = hub

        return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_hub: HubServer

    def log_message(self, *_args: object) -> None:
        """Nothing is printed."""

    def do_HEAD(self) -> None:
        self._answer("head")

    def do_GET(self) -> None:
        self._answer("get")

    def _answer(self, kind: str) -> None:
        path = [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]
        if path[:2] == ["api", "models"]:
            self._list("/".join(path[2:4]), "/".join(path[5:]) or "main")
        elif path[2:3] != ["resolve"]:  # The client asks for other things too, such as which programs it runs in.
            self._refuse(Refusal(404), head=kind == "head")
        else:
            self._file(kind, "/".join(path[:2]), path[3], "/".join(path[4:]))

    def _note(self, kind: str, model: str, file: str | None) -> None:
        wanted = self.headers.get("Range")
        start = None if wanted is None else int(wanted.removeprefix("bytes=").split("-")[0])
        self.server_hub.requests.append(Request(kind, model, file, start, self.headers.get("Authorization")))

    def _send(self, status: int, headers: Mapping[str, str], body: bytes, *, head: bool = False) -> None:
        self.send_response(status)
        self.close_connection = True  # So that nobody is served after the server is closed.
        for name, value in {"Content-Length": str(len(body)), "Connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if not head:
            self.wfile.write(body)

    def _refuse(self, refusal: Refusal, *, head: bool) -> None:
        headers = {"X-Error-Message": refusal.message}
        if refusal.code is not None:
            headers["X-Error-Code"] = refusal.code
        self._send(refusal.status, headers, refusal.body, head=head)

    def _list(self, name: str, revision: str) -> None:
        self._note("list", name, None)
        hub = self.server_hub
        model = hub.at(name, revision)
        if name not in hub.models:
            self._refuse(Refusal(404, "RepoNotFound", "Repository not found"), head=False)
        elif model is None:
            self._refuse(Refusal(404, "RevisionNotFound", "Invalid rev id"), head=False)
        elif model.list_refusal is not None:
            self._refuse(model.list_refusal, head=False)
        else:
            body = {"id": name, "sha": model.commit, "gated": model.gated, "private": False, "siblings": self._siblings(model)}
            if model.licence is not None:
                body["cardData"] = {"license": model.licence}
            self._send(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def _siblings(self, model: Model) -> list[dict[str, Any]]:
        siblings = []
        for name, content in model.files.items():
            size = model.claims.get(name, len(content))
            sibling: dict[str, Any] = {"rfilename": name, "size": size, "blobId": etag_of(content)}
            if len(content) >= LARGE:
                sibling["blobId"] = hashlib.sha1(content).hexdigest()
                sibling["lfs"] = {"sha256": etag_of(content), "size": size, "pointerSize": 130}
            siblings.append(sibling)
        return siblings

    def _file(self, kind: str, name: str, revision: str, file: str) -> None:
        self._note(kind, name, file)
        hub = self.server_hub
        model = hub.at(name, revision)
        if model is None or file not in model.files:
            self._refuse(Refusal(404, "EntryNotFound", "Entry not found"), head=kind == "head")
            return
        if model.file_refusal is not None:
            self._refuse(model.file_refusal, head=kind == "head")
            return
        content = model.wrong.get(file, model.files[file])
        start = hub.requests[-1].range_from or 0 if hub.ranges else 0
        headers = {"X-Repo-Commit": model.commit, "ETag": f'"{etag_of(model.files[file])}"', "Accept-Ranges": "bytes"}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        body = content[start:]
        if kind == "get" and hub.cuts:
            keep = hub.cuts.pop(0)
            headers["Content-Length"] = str(len(body))
            self._send(206 if start else 200, headers, body[:keep])
            return
        self._send(206 if start else 200, headers, body, head=kind == "head")
