"""convert_units: values from one unit to another, by pint, with the names people use."""

from __future__ import annotations

import functools
import math
import re
import threading
from fractions import Fraction
from typing import Any

from harness.tools.base import Tool, ToolError
from harness.tools.numbers import plain, scientific
from harness.tools.unit_names import CONSUMPTION, DEFINITIONS, is_temperature, known, spelled

SIGNIFICANT = 6
MAX_LENGTH = 60  # Characters of a unit.
_KNOWN_DIGITS = 15  # Decimal digits that a float holds for certain.
_ROUNDING_K = 1e-9

# Digits stand only as one-digit powers, because pint would compute any power that it is given.
_UNIT = re.compile(r"[^\W\d](?:[^\W\d]|[ °º'/.()*²³]|(?:\*\*|\^) ?-?\d(?!\d)|(?<=[^\W\d])[23](?!\w))*|[°º][^\W\d](?:[^\W\d]| )*")
_POWER_OF_POWER = re.compile(r"(?:\*\*|\^) ?-?\d\s*(?:\*\*|\^)|\)\s*(?:\*\*|\^)")
_lock = threading.Lock()


@functools.cache
def _registry() -> Any:
    """pint's registry. Loading its definitions takes a second, so it waits for the first conversion."""
    import pint

    registry = pint.UnitRegistry()
    for definition in DEFINITIONS:
        registry.define(definition)
    return registry


def _candidates(name: str, temperature: bool) -> list[str]:
    if alias := known(name, temperature):
        return [alias]
    written = spelled(name)
    if len(written) > MAX_LENGTH or not _UNIT.fullmatch(written) or _POWER_OF_POWER.search(written):
        return []
    key = written.casefold()
    return [written, key, written.replace(" ", "_"), key.replace(" ", "_")]


def _unit(name: str, temperature: bool) -> Any:
    """pint's unit for a name. `temperature`: a lone C, F or K is read as one."""
    for candidate in _candidates(name, temperature):
        try:
            return _registry().parse_units(candidate)
        except Exception:  # pint raises its own errors, Python's and the tokenizer's for text that is no unit.
            continue
    raise ToolError(f"unknown unit {name[:MAX_LENGTH]!r}")


def _has_turns(unit: Any) -> bool:
    return "radian" in str(_registry().get_root_units(unit)[1])


def _converted(value: float, source: Any, target: Any) -> float:
    """The magnitude in `target`. Beside pint: a turn is a cycle, where it takes a radian for one (50 Hz are 3000 rpm), and
    miles per gallon are the inverse of liters per 100 km."""
    registry = _registry()
    quantity = registry.Quantity(value, source)
    if source.dimensionality == registry.kelvin.dimensionality and quantity.to("kelvin").magnitude < -_ROUNDING_K:
        raise ToolError("no temperature is below absolute zero, which is -273.15 °C, -459.67 °F or 0 K")
    consumption = registry.parse_units(CONSUMPTION)
    if consumption in (source, target) and source.dimensionality == (1 / target).dimensionality:
        quantity = 1 / quantity
    result = float(quantity.to(target).magnitude)
    if source.dimensionality == registry.hertz.dimensionality and _has_turns(source) != _has_turns(target):
        return result / math.tau if _has_turns(source) else result * math.tau
    return result


def _shown(result: float) -> str:
    """With 6 significant digits, and all before the point, unless those are more than a float knows."""
    value = Fraction(result)
    return plain(value, SIGNIFICANT) if abs(value) < 10**_KNOWN_DIGITS else scientific(value, SIGNIFICANT)


def convert(value: float, from_unit: str, to_unit: str) -> str:
    """The converted value, then the unit as it was asked for. Raises ToolError."""
    temperature = is_temperature(from_unit) and is_temperature(to_unit)
    with _lock:  # pint's registry fills caches as it reads.
        import pint

        source, target = _unit(from_unit, temperature), _unit(to_unit, temperature)
        try:
            result = _converted(float(value), source, target)
        except (pint.DimensionalityError, pint.OffsetUnitCalculusError) as error:
            raise ToolError(f"cannot convert {source} to {target}") from error
        except (OverflowError, ZeroDivisionError) as error:
            raise ToolError("the value is too large") from error
    if not math.isfinite(result):
        raise ToolError("the value is too large")
    return f"{_shown(result)} {to_unit.strip()}"


CONVERT_UNITS = Tool(
    name="convert_units",
    description="Convert a value from one unit to another.",
    parameters={
        "type": "object",
        "properties": {
            "value": {"type": "number", "description": "The number to convert"},
            "from_unit": {"type": "string", "description": "The unit it has, such as miles"},
            "to_unit": {"type": "string", "description": "The unit wanted, such as kilometers"},
        },
        "required": ["value", "from_unit", "to_unit"],
    },
    function=convert,
)
