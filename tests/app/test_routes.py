"""The routes, through the whole application as the browser meets it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app import server
from app.i18n import LANGUAGES
from app.routes import VIEWER
from app.service import Service
from app.viewer_words import WORDS
from harness.settings import Settings
from tests.app.conftest import scripted

HOST = "http://127.0.0.1:8501"
ORIGIN = {"origin": HOST}


@pytest.fixture(scope="module")
def site() -> Iterator[TestClient]:
    """The application, one for this module: Streamlit allows one a process. It uses the service that is installed."""
    with TestClient(server.application("127.0.0.1", 8501), base_url=HOST) as client:
        yield client


@pytest.fixture
def client(site: TestClient, installed: Service) -> TestClient:
    return site


@pytest.fixture
def run_id(installed: Service) -> str:
    """A finished run."""
    started = installed.runs.start(scripted(), "What is 37 * 48?", Settings(), "en")
    installed.runs.wait_idle()
    return started


def test_events_are_the_log_as_it_was_written(client: TestClient, installed: Service, run_id: str) -> None:
    response = client.get(f"/api/runs/{run_id}/events")
    log = installed.runs.in_memory(run_id)
    assert log is not None
    assert response.json() == {"events": log.events, "ended": True, "last": len(log.events) - 1}
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["content-encoding"] == "gzip"
    assert log.lines_after(0, 1)[0] in response.text


def test_pages_of_events_join_to_the_whole_log(client: TestClient, installed: Service, run_id: str) -> None:
    log = installed.runs.in_memory(run_id)
    assert log is not None
    after, got = -1, []
    for _ in range(len(log.events)):
        page = client.get(f"/api/runs/{run_id}/events", params={"after": after, "limit": 7}).json()
        assert len(page["events"]) <= 7
        got += page["events"]
        after = page["last"]
        if page["ended"]:
            break
    assert got == log.events
    beyond = client.get(f"/api/runs/{run_id}/events", params={"after": after}).json()
    assert beyond == {"events": [], "ended": True, "last": after}


def test_a_run_that_goes_on_has_not_ended(client: TestClient, installed: Service) -> None:
    go_on = threading.Event()
    run_id = installed.runs.start(scripted([" one", go_on, " two"]), "Hi", Settings(), "en")
    log = installed.runs.in_memory(run_id)
    assert log is not None
    assert log.wait(3, 10)
    page = client.get(f"/api/runs/{run_id}/events").json()
    assert not page["ended"]
    assert log.events[-1]["t"] <= page["t"] <= log.seconds, "so that a page that is opened now can say how long it has been"
    go_on.set()
    installed.runs.wait_idle()
    rest = client.get(f"/api/runs/{run_id}/events", params={"after": page["last"]}).json()
    assert rest["ended"]
    assert "t" not in rest
    assert page["events"] + rest["events"] == log.events


def test_a_run_that_could_not_be_saved_says_so_with_every_page(client: TestClient, installed: Service, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    installed.runs.folder = tmp_path / "taken"
    run_id = installed.runs.start(scripted("Hello."), "Hi", Settings(), "en")
    installed.runs.wait_idle()
    page = client.get(f"/api/runs/{run_id}/events").json()
    assert str(tmp_path / "taken") in page["unsaved"]
    assert page["events"][-1]["final"] == "Hello."


@pytest.mark.parametrize("query", ["after=x", "limit=x", "after=-2", "limit=0", "limit=1001", "after=1.5"])
def test_wrong_questions_are_told_so(client: TestClient, run_id: str, query: str) -> None:
    response = client.get(f"/api/runs/{run_id}/events?{query}")
    assert response.status_code == 400
    assert response.json()["error"]


def test_unknown_runs_are_404(client: TestClient, installed: Service) -> None:
    headers = {**ORIGIN, "x-loopglass-token": installed.token}
    assert client.get("/api/runs/none/events").status_code == 404
    assert client.get("/api/runs/%2e%2e%2fsecret/events").status_code in (400, 404)
    assert client.post("/api/runs/none/stop", headers=headers).status_code == 404


def test_stop_needs_the_page_it_came_from(client: TestClient, installed: Service) -> None:
    run_id = installed.runs.start(scripted([threading.Event(), "never"]), "Hi", Settings(), "en")
    good = {**ORIGIN, "x-loopglass-token": installed.token}
    url = f"/api/runs/{run_id}/stop"
    for bad in (
        {}, ORIGIN, {"x-loopglass-token": installed.token}, {**good, "x-loopglass-token": "wrong"},
        {**good, "x-loopglass-token": "né".encode("latin-1").decode("latin-1")}, {**good, "origin": "http://evil.example"},
        {**good, "origin": "http://127.0.0.1:9999"}, {**good, "origin": "null"}, {**good, "origin": "ftp://127.0.0.1:8501"},
    ):
        encoded = {name: value.encode("latin-1") for name, value in bad.items()}
        assert client.post(url, headers=encoded).status_code == 403
    client.get(url, headers=good)
    assert installed.runs.active() == [run_id]
    assert client.post(url, headers=good).status_code == 200
    installed.runs.wait_idle()
    log = installed.runs.in_memory(run_id)
    assert log is not None
    assert log.events[-1]["stop_reason"] == "user_stopped"


def test_a_page_under_another_name_is_turned_away(client: TestClient, run_id: str) -> None:
    response = client.get(f"/api/runs/{run_id}/events", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert client.get(f"/api/runs/{run_id}/events", headers={"host": "localhost:8501"}).status_code == 200


def test_the_viewers_modules_are_served_and_nothing_else(client: TestClient) -> None:
    modules = sorted(path.name for path in VIEWER.glob("*.js"))
    assert "main.js" in modules
    for name in modules:
        response = client.get(f"/viewer/{name}")
        assert response.content == (VIEWER / name).read_bytes()
        assert response.headers["content-type"].split(";")[0] in ("text/javascript", "application/javascript")
        assert response.headers["cache-control"] == "no-cache"
    for path in ("/viewer/none.js", "/viewer/", "/viewer/%2e%2e/routes.py", "/viewer/..%5croutes.py"):
        response = client.get(path)
        assert response.status_code in (400, 404), path


def test_a_module_that_has_not_changed_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/viewer/main.js")
    again = client.get("/viewer/main.js", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_viewers_wording(client: TestClient, lang: str) -> None:
    words = client.get(f"/api/words/{lang}").json()
    assert words == {key: getattr(text, lang) for key, text in WORDS.items()}


def test_there_is_no_wording_in_other_languages(client: TestClient) -> None:
    assert client.get("/api/words/de").status_code == 404
