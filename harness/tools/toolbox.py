"""All the tools there are, in the order in which they are offered."""

from __future__ import annotations

from harness.tools.base import Tool
from harness.tools.calculator import CALCULATOR
from harness.tools.convert_units import CONVERT_UNITS
from harness.tools.current_time import current_time


def registry() -> dict[str, Tool]:
    """Name -> tool, in the order in which prompts list them."""
    return {tool.name: tool for tool in (CALCULATOR, CONVERT_UNITS, current_time())}
