"""The ways in which a run ends, as one exception: expected ends are no errors, but they leave the loop from anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from backends.base import BackendError
from families.base import Text, Turn
from harness.handover import LeftAlone

STOPS = ("user_stopped", "timed_out")
"""How a turn ends that somebody or the clock cut off; a limit of tokens is none of these."""


def is_cut(turn: Turn, finish: str) -> bool:
    """Whether a turn that ended with `finish` was cut, which ends its run: always by a stop, by a limit only where no call came
    out whole."""
    return finish in STOPS or (finish != "stop_token" and all(call.error is not None for call in turn.calls))


class Over(Exception):  # noqa: N818  # An expected end, not an error.
    """The run is over: why (one of `events.STOP_REASONS`), with which answer, and the error's text where there is one."""

    def __init__(self, stop_reason: str, final: str | None = None, error: Text | None = None) -> None:
        super().__init__(stop_reason)
        self.stop_reason = stop_reason
        self.final = final
        self.error = error


def program_error(error: BaseException) -> Over:
    """The end by a mistake of our own, or by an interruption that nobody expected."""
    what = f"{type(error).__name__}: {error}"
    return Over("backend_error", error=Text(f"程式出錯：{what}", f"The program failed: {what}"))


@contextmanager
def backend_errors() -> Iterator[None]:
    """What a backend raises, its own errors or those of the libraries below it, ends the run as data."""
    try:
        yield
    except (Over, LeftAlone):
        raise
    except BackendError as error:
        raise Over("backend_error", error=Text(error.zh, str(error))) from error
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise Over("backend_error", error=Text(f"模型執行時出錯：{what}", f"The model failed: {what}")) from error
