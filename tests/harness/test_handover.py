"""Work that was left alone beside the run is waited for, within bounds."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.handover import Handover

ROOT = Path(__file__).parents[2]
PROGRAM = """
import threading
from harness.handover import Handover, LeftAlone, settled

assert list(Handover(lambda: [1, 2]).take(lambda: False, grace_s=0.0)) == [1, 2]
assert settled(60)
gate = threading.Event()
try:
    next(Handover(lambda: [1] if gate.wait() else []).take(lambda: True, grace_s=0.0))
except LeftAlone:
    print("left alone")
print(settled(0.01))
gate.set()
print(settled(60))
"""


def test_work_that_was_left_alone_is_waited_for_as_long_as_is_said() -> None:
    """In a process of its own, where no other test has left work alone."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.stdout.split("\n") == ["left alone", "False", "True", ""], ran.stderr


def no_thread(_thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_where_there_is_no_thread_the_end_comes_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str] = []
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        Handover(lambda: [1], on_end=lambda: ends.append("ended"))
    assert ends == ["ended"]
