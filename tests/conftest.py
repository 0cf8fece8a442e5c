"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes depends on the machine, so no test is judged by the clock. Where everything is required the examples
# are the same each time, so that the outcome hangs on the code alone; elsewhere each run tries others.
settings.register_profile("loopglass", deadline=None, derandomize=bool(os.environ.get("LOOPGLASS_REQUIRE_ALL")))
settings.load_profile("loopglass")


@pytest.fixture(scope="session")
def real_tokenizer() -> Callable[[str], Path]:
    """Gives the folder of a family's real tokenizer and template, by key; see `tests/real_tokenizers.py`.

    Skips the test where the packages it comes from cannot be had, unless LOOPGLASS_REQUIRE_ALL is set.
    """
    from tests import real_tokenizers  # It loads transformers, which most tests do without.

    def folder(key: str) -> Path:
        try:
            return real_tokenizers.folder(key)
        except real_tokenizers.UnavailableError as error:
            if os.environ.get("LOOPGLASS_REQUIRE_ALL"):
                raise
            pytest.skip(f"the real tokenizer {key} cannot be built here: {error}")

    return folder
