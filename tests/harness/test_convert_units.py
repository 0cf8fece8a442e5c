"""Expected values follow from the units' definitions (the inch is 2.54 cm, the pound 0.45359237 kg, the US gallon 231 cubic
inches, the mile 1609.344 m), worked out beside the tool."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import pytest

from harness.tools import ToolError, registry, validate

TOOL = registry()["convert_units"]


def convert(value: float, from_unit: str, to_unit: str) -> str:
    return TOOL.function(value=value, from_unit=from_unit, to_unit=to_unit)


CASES: Mapping[str, Sequence[tuple[float, str, str, str]]] = {
    "lengths, areas, masses and other amounts": [
        (5, "miles", "kilometers", "8.04672 kilometers"),
        (10, "kilometers", "miles", "6.21371 miles"),
        (1, "inch", "cm", "2.54 cm"),
        (6, "feet", "meters", "1.8288 meters"),
        (1, "foot", "inches", "12 inches"),
        (3, "yards", "ft", "9 ft"),
        (26.2, "mi", "km", "42.1648 km"),
        (1, "nautical mile", "meters", "1852 meters"),
        (1, "NM", "km", "1.852 km"),
        (1000000, "nm", "mm", "1 mm"),
        (100, "Cal", "kJ", "418.4 kJ"),
        (1, "barrels", "bbl", "1 bbl"),
        (1, "barrel", "gallons", "42 gallons"),
        (1, "Kb", "b", "1000 b"),
        (8, "b", "B", "1 B"),
        (2, "nautical miles", "km", "3.704 km"),
        (100, "lbs", "kg", "45.3592 kg"),
        (1, "pound", "grams", "453.592 grams"),
        (1, "kg", "pounds", "2.20462 pounds"),
        (16, "oz", "lb", "1 lb"),
        (1, "stone", "pounds", "14 pounds"),
        (1, "metric ton", "kg", "1000 kg"),
        (3, "cups", "tbsp", "48 tbsp"),
        (2, "tablespoons", "teaspoons", "6 teaspoons"),
        (1, "gallon", "liters", "3.78541 liters"),
        (1, "imperial gallon", "liters", "4.54609 liters"),
        (8, "fluid ounces", "ml", "236.588 ml"),
        (8, "fl oz", "cups", "1 cups"),
        (60, "mph", "km/h", "96.5606 km/h"),
        (100, "kmh", "mph", "62.1371 mph"),
        (100, "kilometers per hour", "m/s", "27.7778 m/s"),
        (1, "knot", "km/h", "1.852 km/h"),
        (100, "square feet", "square meters", "9.2903 square meters"),
        (1, "sq ft", "square inches", "144 square inches"),
        (1, "m2", "cm2", "10000 cm2"),
        (1, "m²", "cm^2", "10000 cm^2"),
        (1, "hectare", "acres", "2.47105 acres"),
        (1, "cubic meter", "liters", "1000 liters"),
        (90, "minutes", "hours", "1.5 hours"),
        (1, "week", "s", "604800 s"),
        (1, "GB", "MB", "1000 MB"),
        (1, "kWh", "joules", "3600000 joules"),
        (180, "degrees", "radians", "3.14159 radians"),
        (1, "KM", "m", "1000 m"),
        (640, "acres", "square miles", "1 square miles"),
        (1, "Kilometers", "Meters", "1000 Meters"),
        (1, "square-foot", "square_inch", "144 square_inch"),
        (1234567.8, "m", "m", "1234568 m"),
        (123, "miles", "inches", "7793280 inches"),
        (2, "kilos", "lbs", "4.40925 lbs"),
        (1, "cu ft", "cu in", "1728 cu in"),
        (50, "sqm", "sqft", "538.196 sqft"),
        (1, "gb", "mb", "1000 mb"),
        (8, "Mb", "mb", "1 mb"),
        (3, "wks", "days", "21 days"),
        (0, "miles", "km", "0 km"),
        (-3, "ft", "inches", "-36 inches"),
        (1, "mm", "km", "0.000001 km"),
        (1, "um", "km", "1e-9 km"),
        (1, "s^-1", "Hz", "1 Hz"),
        (6, "ft.", "in.", "72 in."),
    ],
    "a turn is a cycle": [
        (3000, "rpm", "Hz", "50 Hz"),
        (50, "Hz", "rpm", "3000 rpm"),
        (3000, "revolutions per minute", "hertz", "50 hertz"),
        (60, "cycles per second", "Hz", "60 Hz"),
        (60, "rpm", "cps", "1 cps"),
        (1, "kHz", "rpm", "60000 rpm"),
        (360, "deg/s", "Hz", "1 Hz"),
        (60, "rpm", "rad/s", "6.28319 rad/s"),
        (1, "rpm", "deg/s", "6 deg/s"),
        (120, "bpm", "Hz", "2 Hz"),
        (1, "turn", "radians", "6.28319 radians"),
    ],
    "data": [
        (1, "GB/s", "MBps", "1000 MBps"),
        (1, "kBps", "kbps", "8 kbps"),
        (1, "KBps", "KB/s", "1 KB/s"),
        (1, "gbps", "GBps", "0.125 GBps"),
        (1, "tbps", "gbps", "1000 gbps"),
        (8, "bps", "Bps", "1 Bps"),
        (8, "b/s", "B/s", "1 B/s"),
        (3.6, "GB per hour", "MB/s", "1 MB/s"),
        (8, "mbit", "mB", "1 mB"),
        (8, "gbit", "gbytes", "1 gbytes"),
        (1, "pb", "tb", "1000 tb"),
        (1, "gib", "mib", "1024 mib"),
        (8, "Mib", "MiB", "1 MiB"),
        (1, "gig", "MB", "1000 MB"),
    ],
    "names that people type": [
        (1, "kwh", "J", "3600000 J"),
        (1, "KWH", "wh", "1000 wh"),
        (1, "gwh", "MWh", "1000 MWh"),
        (1, "kpa", "Pa", "1000 Pa"),
        (1, "hpa", "pa", "100 pa"),
        (1, "mpa", "kPa", "1000 kPa"),
        (1, "btu", "J", "1055.06 J"),
        (1000, "btu/h", "BTU/hr", "1000 BTU/hr"),
        (1, "ghz", "mhz", "1000 mhz"),
        (1, "khz", "hz", "1000 hz"),
        (1000, "mHz", "Hz", "1 Hz"),
        (1000, "w", "kW", "1 kW"),
        (1, "v", "mv", "1000 mv"),
        (1, "kv", "V", "1000 V"),
        (2000, "mah", "Ah", "2 Ah"),
        (1, "kj", "j", "1000 j"),
        (1, "Nm", "J", "1 J"),
        (1, "nm", "m", "1e-9 m"),
        (1, "foot-pounds", "J", "1.35582 J"),
        (1, "ft-lbs", "Nm", "1.35582 Nm"),
        (1, "lb-ft", "inch-pounds", "12 inch-pounds"),
        (2, "decades", "years", "20 years"),
        (1, "us pint", "us cups", "2 us cups"),
        (1, "US quarts", "us pints", "2 us pints"),
        (1, "U.S. gal", "us fl oz", "128 us fl oz"),
        (3, "us teaspoons", "us tablespoon", "1 us tablespoon"),
        (1, "uk pint", "uk fl oz", "20 uk fl oz"),
        (1, "british gallon", "uk quarts", "4 uk quarts"),
        (1, "uk ton", "us tons", "1.12 us tons"),
        (100, "us", "ms", "0.1 ms"),
        (1, "st", "lb", "14 lb"),
        (1, "St", "cm2/s", "1 cm2/s"),
        (760, "mmhg", "mmHg", "760 mmHg"),
        (1, "bbl", "gallons", "42 gallons"),
        (1, "cu yd", "cu ft", "27 cu ft"),
        (1, "sq. km", "sqm", "1000000 sqm"),
        (60, "gpm", "gallons per second", "1 gallons per second"),
        (60, "cfm", "ft3/s", "1 ft3/s"),
        (1, "light-minute", "light seconds", "60 light seconds"),
    ],
    "consumption is the inverse of distance per volume": [
        (30, "mpg", "miles per gallon", "30 miles per gallon"),
        (10, "mpg", "km/L", "4.25144 km/L"),
        (20, "km/L", "L/100km", "5 L/100km"),
        (5, "liters per 100 km", "km/l", "20 km/l"),
        (30, "mpg", "L/100 km", "7.84049 L/100 km"),  # 235.2146 over the miles per gallon.
        (5, "L/100km", "L/km", "0.05 L/km"),
    ],
    "no digit is shown that is not known": [
        (1, "mole", "particle", "6.02214e23 particle"),
        (1, "parsec", "mm", "3.08568e19 mm"),
        (-1, "km3", "mm3", "-1e18 mm3"),
        (123456789012345, "m", "m", "123456789012345 m"),
    ],
    "temperatures have an offset": [
        (100, "celsius", "fahrenheit", "212 fahrenheit"),
        (-40, "°F", "°C", "-40 °C"),
        (98.6, "F", "C", "37 C"),
        (20, "C", "F", "68 F"),
        (0, "K", "degrees Celsius", "-273.15 degrees Celsius"),
        (25, "degC", "kelvin", "298.15 kelvin"),
        (350, "degrees Fahrenheit", "Celsius", "176.667 Celsius"),
        (10, "C°", "farenheit", "50 farenheit"),
        (25, "C", "kelvin", "298.15 kelvin"),
        (72, "Fahrenheit", "Celsius", "22.2222 Celsius"),
    ],
}


@pytest.mark.parametrize(
    ("value", "from_unit", "to_unit", "result"),
    [pytest.param(*case, id=f"{kind}, {' '.join(map(str, case[:3]))}") for kind, cases in CASES.items() for case in cases],
)
def test_conversions(value: float, from_unit: str, to_unit: str, result: str) -> None:
    assert convert(value, from_unit, to_unit) == result


@pytest.mark.parametrize(
    ("value", "unit"), [(-500, "C"), (-1, "kelvin"), (-273.16, "degrees celsius"), (-460, "°F"), (-0.1, "°R")],
)
def test_nothing_is_colder_than_absolute_zero(value: float, unit: str) -> None:
    with pytest.raises(ToolError, match="below absolute zero"):
        convert(value, unit, "kelvin")
    assert convert(-273.15, "C", "K") == "0 K"
    assert convert(-459.67, "F", "celsius") == "-273.15 celsius"


@pytest.mark.parametrize("bits", ["mbps", "Mbps", "MBPS", "Mb/s", "Mbit/s", "mbit/s", "mbits per second", "megabits per second"])
@pytest.mark.parametrize("bytes_", ["MB/s", "MBps", "mBps", "mb/s", "MB per sec", "mbytes/s", "megabytes per second"])
def test_megabits_and_megabytes_per_second(bits: str, bytes_: str) -> None:
    assert convert(100, bits, bytes_) == f"12.5 {bytes_}"


def test_a_lone_c_is_a_temperature_only_beside_a_temperature() -> None:
    assert convert(2, "C", "mC") == "2000 mC"  # Coulombs.
    assert convert(5, "F", "mF") == "5000 mF"  # Farads.


@pytest.mark.parametrize(
    ("from_unit", "to_unit", "says"),
    [
        ("foo", "km", "unknown unit 'foo'"),
        ("km", "smoots per fortnight", "unknown unit 'smoots per fortnight'"),
        ("", "km", "unknown unit ''"),
        ("kg", "m", "cannot convert kilogram to meter"),
        ("celsius", "miles", "cannot convert degree_Celsius to mile"),
        ("square feet", "feet", "cannot convert foot ** 2 to foot"),
        ("mw", "W", "unknown unit 'mw'"),  # Milli or mega?
        ("us dollars", "km", "unknown unit 'us dollars'"),
        ("acres", "mpg", "cannot convert international_acre to mile / gallon"),
        ("L/100km", "celsius", "cannot convert liter_per_hundred_kilometers to degree_Celsius"),
    ],
)
def test_mistakes_are_explained(from_unit: str, to_unit: str, says: str) -> None:
    with pytest.raises(ToolError) as caught:
        convert(1, from_unit, to_unit)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "unit",
    [
        "m**9**9**9", "m^9^9", "m**99999999", "(m**9)**9", "m**(9**9)", "5 km", "1000", "m + m", "m * 10", "__class__",
        "m.__class__", "().x", "'m'", "m;m", "m\x00", "m" * 500, "*", "/", "**", "m/", "²", "lambda: m", "$", "1e400 m",
    ],
)
def test_hostile_units_are_an_error_and_no_more(unit: str) -> None:
    with pytest.raises(ToolError):
        convert(1, unit, "m")


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), 10**400, 1e308])
def test_values_beyond_all_bounds(value: float) -> None:
    with pytest.raises(ToolError, match="too large"):
        convert(value, "light years", "nm")


def test_many_threads_may_convert_at_once() -> None:
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(convert(5, "miles", "kilometers"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["8.04672 kilometers"] * 8


METERS = {"from_unit": "m", "to_unit": "km"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"value": 5, "from_unit": "m"}, "missing argument 'to_unit'"),
        (METERS | {"value": "5"}, "argument 'value' must be a number, but \"5\" (text) was given; write it without quotes"),
        (METERS | {"value": "five"}, "argument 'value' must be a number, but \"five\" (text) was given"),
        (METERS | {"value": True}, "true (a boolean) was given"),
        (METERS | {"value": None}, "null (null) was given"),
        (METERS | {"value": 5, "from_unit": 7}, "argument 'from_unit' must be text, but 7 (a number) was given"),
        (METERS | {"value": 5, "places": 2}, "unknown argument 'places'; convert_units takes: value (number)"),
        ({}, "missing argument 'value'"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments: dict[str, object], says: str) -> None:
    assert says in (validate(TOOL, arguments) or "")


def test_arguments_that_fit() -> None:
    assert validate(TOOL, {"value": 5.5, "from_unit": "m", "to_unit": "km"}) is None
    assert validate(TOOL, {"to_unit": "km", "value": 5, "from_unit": "m"}) is None
