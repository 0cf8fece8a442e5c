"""How people write units, with pint's names for them. Where case tells one unit from another (mW, MW), only what is clear."""

from __future__ import annotations

import re

DEFINITIONS = (
    "international_acre = 4840 * yard ** 2",  # pint's acre is the US survey acre, withdrawn in 2022.
    "decade_of_years = 10 * year",  # pint's decade is a ratio of ten.
    "liter_per_hundred_kilometers = liter / (100 * kilometer)",
)
CONSUMPTION = "liter_per_hundred_kilometers"

_ALIASES = {
    "degree_Celsius": "celsius|celcius|centigrade|c|degc|deg c|°c|° c|c°|degree c|degrees c|degree celsius|degrees celsius"
                      "|degree centigrade|degrees centigrade",
    "degree_Fahrenheit": "fahrenheit|farenheit|f|degf|deg f|°f|° f|f°|degree f|degrees f|degree fahrenheit|degrees fahrenheit",
    "kelvin": "k|kelvin|kelvins|degree kelvin|degrees kelvin",
    "kilometer / hour": "kmh|kmph|kph|km per h|km per hour|km an hour|kilometers an hour|kilometres an hour",
    "mile / hour": "mph|mi/h|miles an hour",
    "mile / gallon": "mpg",
    "mile / imperial_gallon": "imperial mpg|mpg imperial|miles per imperial gallon|miles per imperial gallons",
    CONSUMPTION: "l/100km|l/100 km|l per 100km|l per 100 km|liters/100km|liters/100 km|liters per 100km|liters per 100 km"
                 "|liters per 100 kilometers|litres/100km|litres/100 km|litres per 100km|litres per 100 km"
                 "|litres per 100 kilometres",
    "fluid_ounce": "fl oz|fl. oz|floz|fluid oz|fluid ounce|fluid ounces|fl ozs",
    "imperial_fluid_ounce": "imperial fl oz|imperial fl. oz|imperial floz|imperial fluid oz",
    "mile": "statute mile|statute miles",
    "nautical_mile": "nautical mile|nautical miles|nmi",
    "light_year": "light year|light years|lightyear|lightyears|ly",
    "speed_of_light * second": "light second|light seconds",
    "speed_of_light * minute": "light minute|light minutes",
    "metric_ton": "metric ton|metric tons|tonne|tonnes",
    "short_ton": "short ton|short tons",
    "long_ton": "long ton|long tons|imperial ton|imperial tons",
    "gallon": "gal|gals",
    "imperial_gallon": "imperial gal|imperial gals",
    "kilogram": "kilo|kilos|kgs",
    "gram": "gm|gms",
    "kilometer": "kms",
    "square_foot": "sqft|sq. ft",
    "square_mile": "sqmi|sq. mi|sq. miles",
    "square_yard": "sqyd|sq. yd|sq. yds|sq. yards",
    "square_inch": "sqin|sq. in",
    "kilometer ** 2": "sqkm|sq. km",
    "meter ** 2": "sqm|sq. m",
    "foot ** 3": "cu ft|cu. ft|cubic ft",
    "inch ** 3": "cu in|cu. in|cubic in",
    "yard ** 3": "cu yd|cu yds|cu. yd|cu. yds|cubic yd|cubic yds",
    "meter ** 3": "cu m|cu. m|cubic m",
    "centimeter ** 3": "cu cm|cu. cm|cubic cm",
    "liter": "ltr|ltrs",
    "week": "wk|wks",
    "month": "mo|mos",
    "decade_of_years": "decade|decades",
    "ampere": "amps",
    "milliampere * hour": "mah",
    "volt": "v",
    "kilovolt": "kv",
    "watt": "w",
    "kilowatt": "kw",
    "gigawatt": "gw",
    "watt * hour": "wh",
    "kilowatt * hour": "kwh|kwhs|kw h|kw hr|kw hrs|kw hour|kw hours",
    "gigawatt * hour": "gwh",
    "terawatt * hour": "twh",
    "joule": "j",
    "kilojoule": "kj",
    "electron_volt": "ev",
    "kiloelectron_volt": "kev",
    "british_thermal_unit": "btu|btus",
    "british_thermal_unit / hour": "btu/h|btu/hr|btu per hour|btus per hour",
    "foot_pound": "foot pound|foot pounds|foot lb|foot lbs|ft lb|ft lbs|ft pound|ft pounds|ftlb|ftlbs|ft lbf"
                  "|pound foot|pound feet|lb ft|lbs ft",
    "inch * force_pound": "inch pound|inch pounds|in lb|in lbs|inch lb|inch lbs|pound inch|pound inches|lb in|lbs in",
    "horsepower": "horse power|bhp",
    "metric_horsepower": "metric horse power|metric hp",
    "hertz": "hz|1/s|/s|per second",
    "1 / minute": "bpm|beats per minute|beat per minute|1/min|/min|per minute",
    "kilohertz": "khz",
    "gigahertz": "ghz",
    "terahertz": "thz",
    "hectopascal": "hpa",
    "kilopascal": "kpa",
    "gigapascal": "gpa",
    "millimeter_Hg": "mmhg|mm hg|mm of mercury|millimeters of mercury|millimetres of mercury",
    "inch_Hg": "inhg|in hg|inches hg|inches of mercury",
    "pound_force_per_square_inch": "pounds per square inch|pound per square inch",
    "gallon / minute": "gpm",
    "liter / minute": "lpm",
    "foot ** 3 / minute": "cfm",
    "oil_barrel": "bbl|bbls|barrel|barrels|barrel of oil|barrels of oil",
    "tablespoon": "tbsps|tbs|tbl|tblsp|tblsps",
    "teaspoon": "tsps",
    "ounce": "ozs",
    "troy_ounce": "troy ounce|troy ounces|troy oz",
    "astronomical_unit": "astronomical unit|astronomical units",
    "international_acre": "acre|acres",
    "board_foot": "board foot|board feet",
    "gigabyte": "gig|gigs",
}
_EXACT = {  # Where case tells one unit from another, and names that pint reads as something that nobody means.
    "AU": "astronomical_unit", "ac": "international_acre", "st": "stone", "PS": "metric_horsepower",
    "Nm": "newton * meter", "kNm": "kilonewton * meter", "mhz": "megahertz", "mpa": "megapascal", "pa": "pascal",
    "mv": "millivolt", "ma": "milliampere", "Bps": "byte / second", "b/s": "bit / second",
    "b": "bit", "NM": "nautical_mile", "Cal": "kilocalorie",  # Not pint's barn, nanometer and small calorie.
}
_BY_NAME = {name: unit for unit, names in _ALIASES.items() for name in names.split("|")}


def _data_units(prefix: str) -> tuple[dict[str, str], dict[str, str]]:
    """Amounts and rates of data as people write them: the names whose case counts, and the others. A capital B is a byte. A
    small b is a bit behind a capital (Mb) and in a rate (mbps), else a byte (mb), because pint's millibit is nobody's."""
    small, capital, binary = prefix[0], prefix[0].upper(), f"{prefix[:2]}bi"
    exact = {f"{small}b": f"{prefix}byte", f"{capital}b": f"{prefix}bit", f"{capital}ib": f"{binary}bit"}
    for letter in (small, capital):
        exact |= {f"{letter}B": f"{prefix}byte", f"{letter}Bps": f"{prefix}byte / second"}
    others = {f"{small}bps": f"{prefix}bit / second", f"{small}ib": f"{binary}byte"}
    for unit in ("bit", "byte"):
        others |= {f"{small}{unit}": f"{prefix}{unit}", f"{small}{unit}s": f"{prefix}{unit}"}
    return exact, others


for _exact, _others in map(_data_units, ("kilo", "mega", "giga", "tera", "peta")):
    _EXACT |= _exact
    _BY_NAME |= _others

_TEMPERATURES = ("degree_Celsius", "degree_Fahrenheit", "kelvin")
_LETTERS = {"c", "f", "k"}  # Temperatures only beside a temperature: alone, pint's C is the coulomb and F the farad.
_AMERICAN = re.compile(r"\b(?:us|u\.s\.) (?=[a-z])", re.IGNORECASE)  # pint's own gallon is that; "us" would be a microsecond.
_BRITISH = re.compile(r"\b(?:uk|u\.k\.|british) (?=[a-z])", re.IGNORECASE)
_RATE = re.compile(r"([^\W\d]+) ?(?:/| per ) ?(s|secs?|seconds?|min|mins|minutes?|h|hr|hrs|hours?|days?)", re.IGNORECASE)


def spelled(name: str) -> str:
    """One way to write what people write in several: single spaces, no hyphens, m2 as m**2, and a US pint as the pint it is."""
    name = re.sub(r"\s+", " ", re.sub(r"-(?!\d)|_", " ", name.strip())).replace("º", "°").removesuffix(".")
    name = _BRITISH.sub("imperial ", _AMERICAN.sub("", name))
    return re.sub(r"(?<=[^\W\d])([23])(?!\w)", r"**\1", name)


def is_temperature(name: str) -> bool:
    key = spelled(name).casefold()
    return key in _LETTERS or _BY_NAME.get(key) in _TEMPERATURES


def known(name: str, temperature: bool) -> str | None:
    """pint's name for what is in the tables. `temperature`: a lone C, F or K is read as one."""
    written = spelled(name)
    key = written.casefold()
    if key in _LETTERS and not temperature:
        return None
    if unit := _EXACT.get(written) or _BY_NAME.get(key):
        return unit
    rate = _RATE.fullmatch(written)
    size = rate and (_EXACT.get(rate[1]) or _BY_NAME.get(rate[1].casefold()))
    return f"{size} / {rate[2]}" if rate and size and size.endswith(("bit", "byte")) else None
