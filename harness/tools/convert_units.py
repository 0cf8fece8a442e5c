"""convert_units: values from one unit to another, by pint, with the names people use."""

from __future__ import annotations

import functools
import math
import re
import threading
from fractions import Fraction
from typing import Any

from harness.tools.base import Tool, ToolError
from harness.tools.numbers import plain

SIGNIFICANT = 6
MAX_LENGTH = 60  # Characters of a unit.

_ALIASES = {
    "degree_Celsius": "celsius|celcius|centigrade|c|degc|deg c|°c|° c|c°|degree c|degrees c|degree celsius|degrees celsius"
                      "|degree centigrade|degrees centigrade",
    "degree_Fahrenheit": "fahrenheit|farenheit|f|degf|deg f|°f|° f|f°|degree f|degrees f|degree fahrenheit|degrees fahrenheit",
    "kelvin": "k|kelvins|degree kelvin|degrees kelvin",
    "kilometer / hour": "kmh|kmph|kph|km per h|km per hour|km an hour|kilometers an hour|kilometres an hour",
    "mile / hour": "mph|mi/h|miles an hour",
    "fluid_ounce": "fl oz|fl. oz|fl. oz.|floz|fluid oz|fluid ounce|fluid ounces|us fluid ounce|us fluid ounces",
    "nautical_mile": "nautical mile|nautical miles|nmi",
    "light_year": "light year|light years|lightyear|lightyears|ly",
    "metric_ton": "metric ton|metric tons|tonne|tonnes",
    "short_ton": "short ton|short tons|us ton|us tons",
    "long_ton": "long ton|long tons|imperial ton|imperial tons",
    "gallon": "us gallon|us gallons|gal",
    "imperial_gallon": "imperial gallon|imperial gallons|uk gallon|uk gallons",
    "imperial_pint": "imperial pint|imperial pints|uk pint|uk pints",
    "cup": "us cup|us cups",
    "kilogram": "kilo|kilos|kgs",
    "gram": "gm|gms",
    "kilometer": "kms",
    "square_foot": "sqft|sq. ft.|sq. ft",
    "meter ** 2": "sqm|sq. m",
    "foot ** 3": "cu ft|cu. ft.|cubic ft",
    "inch ** 3": "cu in|cu. in.|cubic in",
    "meter ** 3": "cu m|cubic m",
    "week": "wk|wks",
    "month": "mo|mos",
    "ampere": "amps",
    "kilowatt": "kw",
    "inch_Hg": "inches of mercury",
    "tablespoon": "tbsps|tbs|tbsp.",
    "teaspoon": "tsps|tsp.",
    "pound": "lbs.|lb.",
    "ounce": "oz.|ozs",
    "troy_ounce": "troy ounce|troy ounces|troy oz",
    "astronomical_unit": "astronomical unit|astronomical units",
    "international_acre": "acre|acres",
    "board_foot": "board foot|board feet",
    "horsepower": "horse power",
    "inch": "in.",
    "foot": "ft.",
    "pound_force_per_square_inch": "pounds per square inch|pound per square inch",
}
_EXACT = {  # Where case tells one unit from another, and names that pint reads as something that nobody means.
    "KB": "kilobyte", "kb": "kilobyte", "mb": "megabyte", "gb": "gigabyte", "tb": "terabyte",
    "Kb": "kilobit", "Mb": "megabit", "Gb": "gigabit",
    "kbps": "kilobit / second", "Mbps": "megabit / second", "Gbps": "gigabit / second",
    "AU": "astronomical_unit", "ac": "international_acre",
}
_BY_NAME = {name: unit for unit, names in _ALIASES.items() for name in names.split("|")}
_TEMPERATURES = ("degree_Celsius", "degree_Fahrenheit", "kelvin")
_LETTERS = {"c", "f", "k"}  # Temperatures only beside a temperature: alone, pint's C is the coulomb and F the farad.
# Digits stand only as one-digit powers, because pint would compute any power that it is given.
_UNIT = re.compile(r"[^\W\d](?:[^\W\d]|[ °º'/.()*²³]|(?:\*\*|\^) ?-?\d(?!\d)|(?<=[^\W\d])[23](?!\w))*|[°º][^\W\d](?:[^\W\d]| )*")
_POWER_OF_POWER = re.compile(r"(?:\*\*|\^) ?-?\d\s*(?:\*\*|\^)|\)\s*(?:\*\*|\^)")
_lock = threading.Lock()


@functools.cache
def _registry() -> Any:
    """pint's registry. Loading its definitions takes a second, so it waits for the first conversion."""
    import pint

    registry = pint.UnitRegistry()
    registry.define("international_acre = 4840 * yard ** 2")  # pint's acre is the US survey acre, withdrawn in 2022.
    return registry


def _spelled(name: str) -> str:
    """One way to write what people write in several: single spaces, no hyphens, m2 as m**2."""
    name = re.sub(r"\s+", " ", name.strip().replace("-", " ").replace("_", " ").replace("º", "°"))
    return re.sub(r"(?<=[^\W\d])([23])(?!\w)", r"**\1", name)


def _is_temperature(name: str) -> bool:
    key = _spelled(name).casefold()
    return key in _LETTERS or _BY_NAME.get(key) in _TEMPERATURES


def _candidates(name: str, temperature: bool) -> list[str]:
    spelled = _spelled(name)
    key = spelled.casefold()
    alias = None if key in _LETTERS and not temperature else _EXACT.get(spelled) or _BY_NAME.get(key)
    return [alias] if alias else [spelled, key, spelled.replace(" ", "_"), key.replace(" ", "_")]


def _unit(name: str, temperature: bool) -> Any:
    """pint's unit for a name. `temperature`: a lone C, F or K is read as one."""
    spelled = _spelled(name)
    if len(spelled) <= MAX_LENGTH and (spelled.casefold() in _BY_NAME or _UNIT.fullmatch(spelled)) \
            and not _POWER_OF_POWER.search(spelled):
        for candidate in _candidates(name, temperature):
            try:
                return _registry().parse_units(candidate)
            except Exception:  # pint raises its own errors, Python's and the tokenizer's for text that is no unit.
                continue
    raise ToolError(f"unknown unit {name[:MAX_LENGTH]!r}")


def convert(value: float, from_unit: str, to_unit: str) -> str:
    """The converted value with 6 significant digits, then the unit as it was asked for. Raises ToolError."""
    temperature = _is_temperature(from_unit) and _is_temperature(to_unit)
    with _lock:  # pint's registry fills caches as it reads.
        import pint

        source, target = _unit(from_unit, temperature), _unit(to_unit, temperature)
        try:
            result = float(_registry().Quantity(float(value), source).to(target).magnitude)
        except (pint.DimensionalityError, pint.OffsetUnitCalculusError) as error:
            raise ToolError(f"cannot convert {source} to {target}") from error
        except (OverflowError, ZeroDivisionError) as error:
            raise ToolError("the value is too large") from error
    if not math.isfinite(result):
        raise ToolError("the value is too large")
    return f"{plain(Fraction(result), SIGNIFICANT)} {to_unit.strip()}"


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
