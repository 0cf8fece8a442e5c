"""How far transformers is with the weights that it reads: bytes and seconds.

transformers puts one parameter after another into the model and shows a bar meanwhile; it lets a program replace the bar.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from transformers.utils import logging as transformers_logging

from backends.base import Progress
from backends.checkpoint_files import size
from families.base import Text

_BAR = "Loading weights"
"""What transformers calls the bar of the parameters."""


@contextmanager
def told(progress: Progress, n_bytes: int, sizes: Mapping[str, int]) -> Iterator[None]:
    """Tells `progress` of each parameter that is read meanwhile. `n_bytes` is what is to be read in all, and `sizes` are the
    bytes of parameters by name; those that have another name in the model are taken to share the rest equally.

    What `progress` raises ends the reading and passes through.
    """

    def bar(make: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if options.get("desc") != _BAR:
            return make(*args, **options)
        return _watched(args[0], progress, n_bytes, sizes)

    before = transformers_logging.set_tqdm_hook(bar)
    try:
        yield
    finally:
        transformers_logging.set_tqdm_hook(before)


def _watched(
    parameters: Collection[tuple[str, Any]], progress: Progress, n_bytes: int, sizes: Mapping[str, int]
) -> Iterator[tuple[str, Any]]:
    """The parameters as they are; the next one is asked for when one stands in the model."""
    began = time.monotonic()
    known = [sizes[name] for name, _ in parameters if name in sizes]
    share = (n_bytes - sum(known)) / max(1, len(parameters) - len(known))
    done = 0.0
    for name, parameter in parameters:
        yield name, parameter
        done += sizes.get(name, share)
        progress(_text(done, n_bytes, time.monotonic() - began), done / n_bytes if n_bytes else None)


def _text(done: float, n_bytes: int, seconds: float) -> Text:
    return Text(
        f"讀取權重：{size(done)}，共 {size(n_bytes)}，{seconds:.0f} 秒",
        f"Reading the weights: {size(done)} of {size(n_bytes)}, {seconds:.0f} s",
    )
