"""A real server in a process of its own and a real Chromium in front of it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]
IDLE = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
WAIT_MS = 120_000
Turn = Sequence[str | dict[str, Any]]


def _missing(what: str) -> None:
    """Skips, or fails where everything must run."""
    if os.environ.get("LOOPGLASS_REQUIRE_ALL"):
        pytest.fail(f"{what} is missing, and LOOPGLASS_REQUIRE_ALL asks for every test")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, one for all tests."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        _missing("Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("Playwright")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Site:
    """A server with a scripted model, or that in the folder `model`. `port` stays the same when it is started again."""

    folder: Path
    port: int = 0
    model: str = "builtin"
    process: subprocess.Popen[str] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.launcher", str(self.folder), str(self.port), self.model],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "127.0.0.1:" in line, line + self.process.stdout.read()
        self.port = int(line.split("127.0.0.1:")[1].split()[0])

    def stop(self) -> str:
        """Ends the server as Ctrl+C does and gives what it had printed. Fails where it does not end."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        printed, _ = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, printed
        self.process = None
        return printed

    def open(self, gate: str) -> None:
        """Lets a scripted turn go on past its gate."""
        (self.folder / gate).touch()

    def run_file(self, run_id: str) -> list[dict[str, Any]]:
        """The events of a run file."""
        lines = (self.folder / "runs" / f"{run_id}.jsonl").read_text("utf-8").split("\n")[1:-1]
        return [json.loads(line) for line in lines]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Starts a server with the turns that the model will write."""
    started: list[Site] = []

    def start(*turns: Turn, model: str = "builtin", drafters: Mapping[str, Sequence[str] | None] | None = None) -> Site:
        (tmp_path / "script.json").write_text(json.dumps({"turns": turns, "drafters": drafters or {}}), "utf-8")
        made = Site(tmp_path, model=model)
        started.append(made)
        made.start()
        return made

    yield start
    for each in started:
        if each.process is not None and each.process.poll() is None:
            each.stop()


class Tab:
    """A browser tab with the page in it, and what a user does there."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)

    def go(self, url: str) -> Tab:
        self.page.goto(url)
        self.idle()
        return self

    def idle(self) -> None:
        """Waits until Streamlit has nothing to do and the question box is there."""
        self.page.wait_for_selector(IDLE)
        self.page.wait_for_selector("[data-testid=stChatInput]")

    def ask(self, question: str) -> None:
        # While the page is drawn anew, the box of the page before may still stand beside its own.
        self.page.wait_for_function("document.querySelectorAll('[data-testid=stChatInputTextArea]').length === 1")
        box = self.page.locator("[data-testid=stChatInputTextArea]:not([disabled])")
        box.fill(question)
        box.press("Enter")

    @property
    def run_id(self) -> str:
        """The run in the address."""
        self.page.wait_for_url("**run=*")
        return str(self.page.evaluate("new URLSearchParams(location.search).get('run')"))

    def wait_tokens(self, n: int) -> None:
        """Waits until the current run shows at least `n` tokens."""
        self.page.locator(f".lg-strip .lg-t >> nth={n - 1}").wait_for()

    def wait_ended(self) -> None:
        """Waits until the viewer says that the run in the address is over and the page knows it."""
        self.page.locator(f".lg-run[data-run='{self.run_id}'] .lg-status[data-phase=finished]").wait_for()
        self.page.locator("[data-testid=stChatInputTextArea]:not([disabled])").wait_for()

    def indices(self) -> list[list[int]]:
        """The indices of the tokens that each step shows."""
        strips = self.page.locator(".lg-strip")
        read = "strip => [...strip.querySelectorAll('.lg-t')].map(span => Number(span.dataset.i))"
        return [strips.nth(n).evaluate(read) for n in range(strips.count())]


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remembers that a test failed, for `tab` to say what its pages showed then."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture
def tab(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Tab]]:
    """Opens tabs; each test has a browser profile of its own, in English unless told otherwise. What the tabs of a failed test
    show is printed."""
    contexts: list[Any] = []
    tabs: list[Tab] = []

    def open_tab(url: str, *, locale: str = "en-US", width: int = 1280, height: int = 900, dark: bool = False) -> Tab:
        context = chromium.new_context(
            locale=locale, viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light",
        )
        contexts.append(context)
        made = Tab(context.new_page())
        tabs.append(made)
        return made.go(url)

    yield open_tab
    if request.node.stash.get(_FAILED, False):
        for each in tabs:
            with contextlib.suppress(Exception):  # A page that is gone must not hide why the test failed.
                print(f"--- {each.page.url}\n{each.page.locator('body').inner_text(timeout=5_000)}\n--- errors: {each.errors}")
    for context in contexts:
        context.close()


@pytest.fixture(autouse=True)
def _no_streamlit_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server under test is configured by nothing but its own code."""
    for name in list(os.environ):
        if name.startswith("STREAMLIT_"):
            monkeypatch.delenv(name)
