"""The HTTP routes beside Streamlit's own: a run's events, its stop button, the viewer's modules and their wording.

Knows nothing about pages. The events of a run are joined from lines that the log has serialised already, so that a poll
costs a slice and a join.

    GET  /api/runs/{id}/events?after=N&limit=1000   {"events": […], "ended": bool, "last": seq, "t": seconds, "unsaved": why}
    POST /api/runs/{id}/stop                        header x-loopglass-token; same origin only
    GET  /api/words/{lang}                          {key: text}
    GET  /viewer/{file}                             the ES modules of app/viewer
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app import service
from app.i18n import viewer_words
from app.runs import Recorded
from families.base import Lang
from harness.events import EventLog

VIEWER = Path(__file__).parent / "viewer"
TOKEN_HEADER = "x-loopglass-token"
MAX_EVENTS = 1000

_NO_STORE = {"cache-control": "no-store"}


def _error(status: int, text: str) -> JSONResponse:
    return JSONResponse({"error": text}, status, _NO_STORE)


async def events(request: Request) -> Response:
    """The events after `after` (-1 or absent: from the start), at most `limit` of them.

    `last` is the seq of the last event given, or `after` where there is none; `ended` says that no event will follow it. `t` is
    how long the run goes on already, absent once it has ended: while a long prompt is read no event tells. `unsaved` says why the
    run file could not be written to its end, and is absent where it was.
    """
    run_id = request.path_params["run_id"]
    try:
        after = int(request.query_params.get("after", "-1"))
        limit = int(request.query_params.get("limit", str(MAX_EVENTS)))
    except ValueError:
        return _error(400, "after and limit are whole numbers")
    if after < -1 or not 1 <= limit <= MAX_EVENTS:
        return _error(400, f"after is -1 or more, limit from 1 to {MAX_EVENTS}")
    runs = service.current().runs
    log: EventLog | Recorded | None = runs.in_memory(run_id)
    if log is None:
        log = await run_in_threadpool(runs.from_disk, run_id)
    if log is None:
        return _error(404, f"no run {run_id}")
    ended = log.ended  # Asked before the lines are taken: a run that ends in between is told at the next poll.
    lines = log.lines_after(after, limit)
    last = after + len(lines)
    complete = ended and not log.lines_after(last, 1)
    live = _live_facts(log, ended) if isinstance(log, EventLog) else ""
    body = f'{{"events":[{",".join(lines)}],"ended":{str(complete).lower()},"last":{last}{live}}}'
    return Response(body, headers=_NO_STORE, media_type="application/json")


def _live_facts(log: EventLog, ended: bool) -> str:
    """What is no event, as further members of the answer's JSON."""
    facts: dict[str, Any] = {} if ended else {"t": log.seconds}
    if log.write_error is not None:
        facts["unsaved"] = log.write_error
    return "".join(f",{json.dumps(name)}:{json.dumps(value)}" for name, value in facts.items())


async def stop(request: Request) -> Response:
    """Stops a run. Only this server's own page may: the origin must be this host, and the token the one it was given."""
    origin = urlsplit(request.headers.get("origin", ""))
    if origin.scheme not in ("http", "https") or origin.netloc != request.headers.get("host"):
        return _error(403, "a run is stopped from its own page only")
    given = request.headers.get(TOKEN_HEADER, "")
    if not secrets.compare_digest(given.encode(), service.current().token.encode()):
        return _error(403, "the page is from before the server was started again: reload it")
    run_id = request.path_params["run_id"]
    if not service.current().runs.stop(run_id):
        return _error(404, f"no run {run_id} in this server")
    return JSONResponse({"stopping": run_id}, headers=_NO_STORE)


async def words(request: Request) -> Response:
    """What the viewer says in one language."""
    lang: Lang
    for lang in get_args(Lang):
        if lang == request.path_params["lang"]:
            return JSONResponse(viewer_words(lang), headers={"cache-control": "no-cache"})
    return _error(404, "there is wording in zh and en only")


class _ViewerFiles(StaticFiles):
    """Files of the viewer, asked for anew after each change: they have no version in their names."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = "no-cache"
        return response


def routes() -> list[BaseRoute]:
    """All routes of ours, for the Streamlit app to put before its own."""
    return [
        Route("/api/runs/{run_id}/events", events),
        Route("/api/runs/{run_id}/stop", stop, methods=["POST"]),
        Route("/api/words/{lang}", words),
        Mount("/viewer", _ViewerFiles(directory=VIEWER)),
    ]
