"""Serves the page: Streamlit as a Starlette application with our routes, on this computer only unless told otherwise.

Knows nothing about what the page shows. The server ends at once on Ctrl+C: every connection it holds is short, and runs
that are going on are stopped, so that their files end properly.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path

import uvicorn
from platformdirs import user_data_path
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from streamlit import config
from streamlit.starlette import App

from app import service
from app.models import AUTOMATIC, Loader, Models, Placement, load_checkpoint
from app.routes import routes
from app.runs import Runs
from app.service import Service
from app.terminal import words

SCRIPT = Path(__file__).parent / "main.py"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_STOPPING_S = 2.0

_OPTIONS: Mapping[str, object] = {
    "browser.gatherUsageStats": False,
    "client.toolbarMode": "minimal",  # No Deploy button.
    "runner.postScriptGC": False,  # With torch loaded, a full collection after each script run holds up every thread.
    "server.fileWatcherType": "none",
    "server.headless": True,
    "theme.light.primaryColor": "#1d5fd1",
    "theme.dark.primaryColor": "#6ea8fe",
}


def runs_folder() -> Path:
    """Where run files are kept."""
    return user_data_path("loopglass") / "runs"


def application(host: str, port: int, *, on_start: str | None = None) -> App:
    """The whole site as an ASGI application, for `host` and `port`. It uses the service that is installed.

    `on_start` is an address to open in the browser once the server stands.
    """
    for option, value in {**_OPTIONS, "server.address": host, "server.port": port}.items():
        config.set_option(option, value)

    @asynccontextmanager
    async def lifespan(_app: App) -> AsyncIterator[None]:
        if on_start is not None:
            threading.Thread(target=webbrowser.open, args=(on_start,), daemon=True).start()
        yield
        await asyncio.to_thread(service.current().runs.stop_all, _STOPPING_S)

    trusted = Middleware(TrustedHostMiddleware, allowed_hosts=_trusted(host))
    # Streamlit puts the script's folder into sys.path while the page is drawn, unless it is there already, and takes it out
    # again. A thread that is importing then passes over a folder of that list, and the model fails to load now and then.
    if str(SCRIPT.parent) not in sys.path:
        sys.path.append(str(SCRIPT.parent))
    return App(SCRIPT, routes=routes(), lifespan=lifespan, middleware=[trusted])


def _trusted(host: str) -> list[str]:
    """By which hosts a browser may name a server on `host`. A page elsewhere that makes its own name point to this computer (DNS
    rebinding) must not read runs: where only this computer can reach the server, it is turned away by its host."""
    found = socket.getaddrinfo(host, None, _family(host)) if host else []  # No host means every address.
    if found and all(ip_address(str(address[0])).is_loopback for *_, address in found):
        return [*_LOOPBACK, _in_url(host)]
    return ["*"]


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def serve(
    host: str = "127.0.0.1",
    port: int = 8501,
    model: str = "builtin",
    *,
    open_browser: bool | None = None,
    load: Loader = load_checkpoint,
    folder: Path | None = None,
    placement: Placement = AUTOMATIC,
    lang: str = "en",
) -> None:
    """Serves the page until Ctrl+C. Loading of `model` begins at once, beside the server.

    `open_browser` None opens one where there is a screen. `load` makes a backend from a model's name. `folder` takes the
    run files. `placement` is where models run at first, `lang` the terminal's language. Raises SystemExit with a sentence where
    the address cannot be used.
    """
    bound = _bind(host, port, lang)
    port = bound.getsockname()[1]
    address = f"http://{_in_url(host)}:{port}"
    runs = Runs(folder or runs_folder())
    service.install(Service(runs, Models(load, runs.wait_idle, placement)))
    service.current().models.request(model)
    wanted = _has_screen() if open_browser is None else open_browser
    app = application(host, port, on_start=address if wanted else None)
    server = uvicorn.Server(uvicorn.Config(
        app, host=host, port=port, log_level="warning", access_log=False, ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    ))
    print(words(lang, "served", address=address), flush=True)
    try:
        server.run(sockets=[bound])
    except KeyboardInterrupt:
        print(words(lang, "served_no_more"), flush=True)
    finally:
        bound.close()


def _bind(host: str, port: int, lang: str) -> socket.socket:
    """A listening socket, bound before anything else starts: the port is ours or the user is told so at once."""
    bound = socket.socket(_family(host))
    try:
        if os.name != "nt":  # There the option would let two servers share a port.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)
    except (OSError, OverflowError) as error:
        bound.close()
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        where = f"{_in_url(host)}:{port}"
        raise SystemExit(words(lang, "port_taken" if taken else "address_unusable", where=where, error=error)) from error
    return bound


def _has_screen() -> bool:
    """Whether opening a browser would show one, rather than start a text browser in this terminal."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
