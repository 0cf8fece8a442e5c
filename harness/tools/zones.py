"""From the name of a place to its IANA time zone.

A name alone is looked up in the tables. What follows a comma says which place of that name is meant: "Portland, Maine" is not
the larger Portland. It is never passed over, because the time of another city is worse than none.
"""

from __future__ import annotations

import functools
import re
import unicodedata
import zoneinfo
from dataclasses import dataclass
from importlib.resources import files

from harness.tools.areas import CONTINENTS, COUNTRY_NAMES, DEPENDENT, PROVINCE_CODES, QUALIFIED, STATE_CODES
from harness.tools.base import ToolError
from harness.tools.chinese import CHINESE
from harness.tools.places import PLACES, REGIONS, SEVERAL_ZONES

_OF_CITIES = (
    "Africa/", "America/", "Antarctica/", "Arctic/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/",
)


_WINTER_ONLY = {"EST", "MST"}
"""Zones of tzdata that know no summer time. Who says EST means the clock of New York, as with CST and PST, which are no zones."""


@dataclass(frozen=True)
class _Area:
    """What a part after the comma may mean. `main` is the zone of a place there that no table knows, None where that is open."""

    zones: frozenset[str]
    main: str | None
    is_city: bool = False


def _key(name: str) -> str:
    """A name without case, accents and punctuation: "São Paulo" and "sao paulo" are one place. Chinese names become English."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold()).replace("&", " and ")
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    key = re.sub(r"[\s_.,'’\-]+", " ", bare).strip().replace("臺", "台")
    return CHINESE.get(key) or CHINESE.get(re.sub("[市都]$", "", key), key)


def _table(names_by_zone: dict[str, str]) -> dict[str, str]:
    return {_key(name): zone for zone, names in names_by_zone.items() for name in names.split("|")}


@functools.cache
def _zones() -> dict[str, str]:
    """Every IANA zone by its name without case."""
    return {zone.casefold(): zone for zone in sorted(zoneinfo.available_timezones())}


@functools.cache
def _cities() -> dict[str, str]:
    """Name -> zone: the last part of every zone is a city, and the tables of places have the last word."""
    from_zones = {_key(zone.rsplit("/", 1)[1]): zone for zone in _zones().values() if zone.startswith(_OF_CITIES)}
    return from_zones | _table(PLACES) | _table(QUALIFIED)


@functools.cache
def _regions() -> dict[str, str]:
    return _table(REGIONS)


def _alone(place: str) -> str | None:
    """The zone of a name without anything after a comma."""
    key = _key(place)
    short = re.sub(r"^the | city$", "", key)
    exact = _zones().get(place.strip().replace(" ", "_").casefold())
    if exact in _WINTER_ONLY:
        return _cities()[key]
    return exact or _cities().get(key) or _regions().get(key) or _cities().get(short)


def _rows(name: str) -> list[list[str]]:
    """The rows of one of tzdata's tables, cut at their tabs or spaces."""
    text = (files("tzdata") / "zoneinfo" / name).read_text("utf-8")
    return [line.split("\t" if "\t" in line else " ") for line in text.splitlines() if line and not line.startswith("#")]


@functools.cache
def _zones_by_country() -> dict[str, frozenset[str]]:
    """ISO code -> the zones of the country and of what belongs to it."""
    own: dict[str, set[str]] = {}
    for code, _, zone, *_ in _rows("zone.tab"):
        own.setdefault(code, set()).add(zone)
    return {code: frozenset().union(*(own.get(part, ()) for part in [code, *DEPENDENT.get(code, "").split()])) for code in own}


@functools.cache
def _country_names() -> dict[str, str]:
    """Name or ISO code -> ISO code."""
    named = {code: [name, *COUNTRY_NAMES.get(code, "").split("|")] for code, name in _rows("iso3166.tab")}
    codes = {code.casefold(): code for code in named}
    return codes | {_country_key(name): code for code, names in named.items() for name in names if name}


def _country_key(name: str) -> str:
    return re.sub(r"^saint ", "st ", _key(name).removeprefix("the "))


@functools.cache
def _older_names() -> dict[str, str]:
    """Names that zones had before -> today's: "America/Fort_Wayne" is no zone of the USA by tzdata's table."""
    present = frozenset().union(*_zones_by_country().values())
    return {row[2]: row[1] for row in _rows("tzdata.zi") if row[0] == "L" and row[2] not in present}


def _country(code: str) -> _Area:
    zones = _zones_by_country().get(code, frozenset())
    mains = (_alone(name) for name, its_code in _country_names().items() if its_code == code and len(name) > 2)
    return _Area(zones, next(iter(zones)) if len(zones) == 1 else next(filter(None, mains), None))


def _region(name: str) -> _Area:
    return _Area(frozenset({_regions()[name]}), _regions()[name])


def _areas(name: str) -> list[_Area]:
    """What a part after the comma may mean, the likeliest first; nothing where no table knows it."""
    key = _key(name)
    found = [_region(region) for region in (key, STATE_CODES.get(key)) if region in _regions()]
    if code := _country_names().get(_country_key(name)):
        found.append(_country(code))
    found += [_region(region) for region in PROVINCE_CODES.get(key, "").split("|") if region in _regions()]
    if prefixes := CONTINENTS.get(_country_key(name)):
        everywhere = frozenset().union(*_zones_by_country().values())
        found.append(_Area(frozenset(zone for zone in everywhere if zone.startswith(prefixes)), None))
    city = None if found else _alone(name)
    return [_Area(frozenset({_older_names().get(city, city)}), city, is_city=True)] if city else found


def _known_parts(place: str, parts: list[str]) -> list[tuple[str, list[_Area]]]:
    """Each part after the first with its meanings. One that is unknown may stand before one that settles the zone alone."""
    known: list[tuple[str, list[_Area]]] = []
    for part in reversed(parts):
        areas = _areas(part)
        if areas:
            known.insert(0, (part, areas))
        elif not known or known[0][1][0].main is None:
            raise ToolError(
                f"unknown place {place[:60]!r}: {part[:40]!r} is no country or state known here; "
                "write the country, or give a large city alone or a zone such as Europe/Paris"
            )
    return known


def _in_larger(areas: list[_Area], larger: list[list[_Area]]) -> list[_Area]:
    """The meanings that lie in what follows: "WA" in "Perth, WA, Australia" is not the state of Washington."""
    return [area for area in areas if all(any(area.zones & other.zones for other in others) for others in larger)]


def _listed(head: str, part: str) -> str | None:
    """The zone of a town that the tables have together with its state."""
    names = (part, STATE_CODES.get(_key(part), part), *PROVINCE_CODES.get(_key(part), part).split("|"))
    return next((_cities()[key] for key in (_key(f"{head} {name}") for name in names) if key in _cities()), None)


def _settled(head: str, part: str, areas: list[_Area]) -> str:
    """The zone of the place called `head` in the part after it, by what that part may mean."""
    zone = _alone(head)
    if zone and any(_older_names().get(zone, zone) in area.zones for area in areas):
        return zone
    mains = list(dict.fromkeys(area.main for area in areas if area.main and not (zone and area.is_city)))
    if len(mains) == 1 or (mains and mains[0] in _zones_by_country()["US"]):  # "Macon, Georgia" is read as in the USA.
        return mains[0]
    if mains:
        raise ToolError(f"{part[:40]!r} after {head[:40]!r} may mean several places; write the state or country out")
    if areas[0].is_city:
        raise ToolError(f"{head[:40]!r} and {part[:40]!r} have different clocks; ask for one place at a time")
    cities = SEVERAL_ZONES.get(_key(part)) or " or ".join(sorted(areas[0].zones)[:2])
    raise ToolError(f"no {head[:40]!r} is known in {part[:40]!r}, which has several time zones; add the state, or give {cities}")


def _qualified(place: str, head: str, parts: list[str]) -> str:
    """The zone of "head, part, part"."""
    (part, meanings), *larger = _known_parts(place, parts)
    if listed := _listed(head, parts[0]):
        return listed
    areas = _in_larger(meanings, [others for _, others in larger])
    if not areas:
        raise ToolError(f"the parts of {place[:60]!r} lie apart; give a city and its country, or a zone such as Europe/Paris")
    return _settled(head, part, areas)


def zone_of(place: str) -> str:
    """The IANA zone of a city, country, state or zone name. Raises ToolError for a place that it does not know."""
    found = _alone(place)
    if found:
        return found
    place = place.strip()
    head, *parts = [part.strip() for part in re.split("[,，]", place)]
    parts = [part for part in parts if part]
    if head and parts:
        return _qualified(place, head, parts)
    if head and (found := _alone(head)):
        return found
    key = _key(place)
    if key in SEVERAL_ZONES:
        raise ToolError(f"{place[:60]!r} has several time zones; give a city such as {SEVERAL_ZONES[key]}")
    raise ToolError(f"unknown place {place[:60]!r}; give a large city or a zone such as Europe/Paris")
