"""What one server process holds, whatever its pages do: the runs, the model, the stop token.

The page's script runs anew at every click and in a thread a browser tab; what must outlive it stands here, in a module.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from app.catalogue import Catalogue
from app.models import Models
from app.runs import Runs


@dataclass(frozen=True)
class Service:
    """`token` is what a page must show to stop a run; it is new in each process."""

    runs: Runs
    models: Models
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    catalogue: Catalogue = field(default_factory=Catalogue)


_installed: list[Service] = []


def install(service: Service) -> None:
    """Makes `service` the one that pages and routes of this process use."""
    _installed[:] = [service]


def current() -> Service:
    """The service of this process. Raises RuntimeError where none is installed, as under plain `streamlit run`."""
    if not _installed:
        raise RuntimeError("no service is installed: start the page with the command loopglass, not with streamlit run")
    return _installed[0]
