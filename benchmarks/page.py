"""How fast a token reaches the eye: `python -m benchmarks.page`.

A run of synthetic tokens at 100 a second goes through the real harness, the real server in a process of its own, the real
page and viewer in Chromium. At each length of run (1,000, 4,000 and 16,000 tokens) all but the last 1,000 tokens are
written beforehand at full speed, and the page has caught up with them; the last 1,000 are measured, live:

- p50_ms, p95_ms: from the moment a token leaves the model to the moment at which the frame that shows it has been rendered, by
  the one clock of this machine;
- bytes_per_token: what travelled over the wire for them, HTTP headers included;
- fps: frames a second that the page rendered meanwhile;
- server_cpu_percent: processor time of the server process, in percent of one core; the synthetic model is part of it.

Progress goes to stderr; the last line on stdout is JSON: {"1000": {"p50_ms": …, …}, "4000": …, "16000": …}.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import quantiles
from typing import Any

from app import service
from app.models import Ready
from app.server import serve
from backends.base import BackendEvent, Candidate, Done, Encoded, Prefill, Progress, Sampling, Token
from backends.scripted import ScriptedBackend
from families.hermes import HERMES
from harness.settings import Settings

LENGTHS = (1000, 4000, 16000)
LIVE = 1000
PER_SECOND = 100
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]
_WORDS = (" the", " result", " is", " kilometers", ",", " and", " 42", ".", "\n", " because", " number", " convert", " divide")
_WAIT_MS = 600_000

# Counts frames, and notes when the frame that shows a token has been rendered: a task that is posted while a frame is drawn
# runs after it. A new block is reported with the tokens in it, so that a token can come twice.
_WATCH = """
() => {
  const host = [...document.querySelectorAll("*")].find((each) => each.shadowRoot?.querySelector(".lg-strip"));
  const watch = window.watch = { shown: {}, frames: 0, began: performance.now() };
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port1.onmessage = () => {
    const now = performance.timeOrigin + performance.now();
    for (const index of waiting.splice(0)) watch.shown[index] ??= now;
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        const tokens = node.matches?.(".lg-t") ? [node] : node.querySelectorAll?.(".lg-t") ?? [];
        for (const token of tokens) waiting.push(Number(token.dataset.i));
      }
    }
    if (waiting.length > 0) port2.postMessage(null);
  }).observe(host.shadowRoot, { childList: true, subtree: true });
  const count = () => { watch.frames += 1; requestAnimationFrame(count); };
  requestAnimationFrame(count);
}
"""
_SHOWN = """
() => [...document.querySelectorAll("*")].reduce((n, each) => n + (each.shadowRoot?.querySelectorAll(".lg-t").length ?? 0), 0)
"""
_STRIP = "() => [...document.querySelectorAll('*')].some((each) => each.shadowRoot?.querySelector('.lg-strip'))"


class PacedBackend(ScriptedBackend):
    """Writes `length` tokens with a full report each: at full speed until `LIVE` are left, then, once `gate` is open, at
    `PER_SECOND`. `sent` is when each of the last ones left, in milliseconds of the wall clock."""

    def __init__(self, length: int, gate: threading.Event) -> None:
        super().__init__([], HERMES, context_length=None)
        self.length = length
        self.gate = gate
        self.sent: list[float] = []
        self._random = random.Random(20240607)

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        yield Prefill(encoded.n_tokens, 0, 0.0)
        for _ in range(self.length - LIVE):
            yield self._reported()
        self.gate.wait()
        began = time.monotonic()
        for place in range(LIVE):
            time.sleep(max(0.0, began + place / PER_SECOND - time.monotonic()))
            token = self._reported()
            self.sent.append(time.time() * 1000)
            yield token
        yield Token(1, "<|im_end|>", "<|im_end|>", True, p=1.0)
        yield Done("stop_token", "<|im_end|>", self.length + 1, (time.monotonic() - began) * 1000)

    def _reported(self) -> Token:
        """A token with numbers as long as real ones are."""
        draw = self._random
        first = draw.uniform(0.3, 0.999)
        rest = [(1 - first) * share for share in (0.4123456, 0.2234567, 0.1345678, 0.0456789)]
        top = tuple(
            Candidate(draw.randrange(150_000), text.replace(" ", "Ġ").replace("\n", "Ċ"), p, place < 3)
            for place, (text, p) in enumerate(zip(draw.sample(_WORDS, 5), [first, *rest], strict=True))
        )
        text = top[0].piece.replace("Ġ", " ").replace("Ċ", "\n")
        return Token(
            top[0].id, top[0].piece, text, False, p=first, logprob=-draw.random(), rank=1, entropy=draw.uniform(0, 4),
            p_sampled=draw.uniform(first, 1), kept=draw.randrange(1, 20), top=top,
        )


def serve_run(port: int, length: int, pipe: Connection) -> None:
    """The server process. Says the run's id, opens the gate when it is told to, and says what it measured when it has ended."""
    gate = threading.Event()
    backend = PacedBackend(length, gate)

    def load(_model: str, _progress: Progress) -> PacedBackend:
        return backend

    def work() -> None:
        while not isinstance(_installed_model(), Ready):
            time.sleep(0.05)
        runs = service.current().runs
        settings = Settings(Sampling(max_new_tokens=length + 1), time_limit_s=3600, thinking=False)
        run_id = runs.start(backend, "How fast does a token reach the eye?", settings, "en")
        pipe.send(run_id)
        pipe.recv()
        wall, cpu = time.monotonic(), time.process_time()
        gate.set()
        runs.wait_idle()
        pipe.send((backend.sent, 100 * (time.process_time() - cpu) / (time.monotonic() - wall)))

    threading.Thread(target=work, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        serve(port=port, open_browser=False, load=load, folder=Path(folder))


def _installed_model() -> object:
    try:
        return service.current().models.state
    except RuntimeError:
        return None


@dataclass
class Wire:
    """Counts the bytes of the answers that carry events, as the browser received them."""

    bytes: int = 0
    _events: set[str] = field(default_factory=set)

    def watch(self, session: Any) -> None:
        session.on("Network.responseReceived", self._received)
        session.on("Network.loadingFinished", self._finished)
        session.send("Network.enable")

    def _received(self, message: dict[str, Any]) -> None:
        if "/events?" in message["response"]["url"]:
            self._events.add(message["requestId"])

    def _finished(self, message: dict[str, Any]) -> None:
        if message["requestId"] in self._events:
            self.bytes += int(message["encodedDataLength"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def measure(browser: Any, length: int) -> dict[str, float]:
    """One length of run: starts a server, opens the page, measures the last tokens, and ends both."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    port = free_port()
    process = spawn.Process(target=serve_run, args=(port, length, there))
    process.start()
    try:
        run_id = here.recv()
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.set_default_timeout(_WAIT_MS)
        return _measure_page(page, f"http://127.0.0.1:{port}/?lang=en&run={run_id}", length, here)
    finally:
        for context in browser.contexts:
            context.close()
        process.terminate()
        process.join()


def _measure_page(page: Any, url: str, length: int, pipe: Connection) -> dict[str, float]:
    page.goto(url)
    page.wait_for_function(_STRIP)
    page.wait_for_function(f"({_SHOWN})() >= {length - LIVE}", polling=200)
    page.wait_for_timeout(1500)  # The page settles: Streamlit's own start, the last frames of catching up.
    wire = Wire()
    wire.watch(page.context.new_cdp_session(page))
    page.evaluate(_WATCH)
    pipe.send("go")
    while not pipe.poll():
        page.wait_for_timeout(100)
    sent, cpu = pipe.recv()
    page.wait_for_function(f"() => {length - 1} in window.watch.shown")
    watched = page.evaluate("() => ({...window.watch, ms: performance.now() - window.watch.began})")
    first = length - LIVE
    latency = [watched["shown"][str(first + place)] - left for place, left in enumerate(sent)]
    cuts = quantiles(latency, n=100, method="inclusive")
    return {
        "p50_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "bytes_per_token": round(wire.bytes / LIVE, 1),
        "fps": round(1000 * watched["frames"] / watched["ms"], 1),
        "server_cpu_percent": round(cpu, 1),
    }


def main() -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise SystemExit("this needs Playwright: pip install 'loopglass[test]'") from error
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("this needs Chromium, and there is none on the path")
    results = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for length in LENGTHS:
            print(f"{length} tokens, the last {LIVE} of them live at {PER_SECOND} a second …", file=sys.stderr, flush=True)
            results[str(length)] = measure(browser, length)
            print(f"  {results[str(length)]}", file=sys.stderr, flush=True)
        browser.close()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
