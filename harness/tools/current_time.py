"""current_time: date and time in a city, country or time zone, by the standard library's zoneinfo."""

from __future__ import annotations

import functools
import re
import unicodedata
import zoneinfo
from collections.abc import Callable
from datetime import UTC, datetime

from harness.tools.base import Tool, ToolError
from harness.tools.places import PLACES, REGIONS, SEVERAL_ZONES

Clock = Callable[[], datetime]

_PLACE = "A city or an IANA time zone, such as Taipei or Europe/Paris"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_AREAS = ("Africa/", "America/", "Antarctica/", "Arctic/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")


def _key(name: str) -> str:
    """A name without case, accents and punctuation: "São Paulo" and "sao paulo" are one place."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[\s_.'’\-]+", " ", bare).strip()


def _table(names_by_zone: dict[str, str]) -> dict[str, str]:
    return {_key(name): zone for zone, names in names_by_zone.items() for name in names.split("|")}


@functools.cache
def _zones() -> dict[str, str]:
    """Every IANA zone by its name without case."""
    return {zone.casefold(): zone for zone in sorted(zoneinfo.available_timezones())}


@functools.cache
def _cities() -> dict[str, str]:
    """Name -> zone: the last part of every zone is a city, and the table of places has the last word."""
    from_zones = {_key(zone.rsplit("/", 1)[1]): zone for zone in _zones().values() if zone.startswith(_AREAS)}
    return from_zones | _table(PLACES)


@functools.cache
def _regions() -> dict[str, str]:
    return _table(REGIONS)


def zone_of(place: str) -> str:
    """The IANA zone of a city, country, state or zone name. Raises ToolError for a place that it does not know."""
    exact = _zones().get(place.strip().replace(" ", "_").casefold())
    if exact:
        return exact
    key = _key(place)
    if key in _cities():
        return _cities()[key]
    head, _, tail = place.partition(",")
    region = _regions().get(_key(tail)) if tail else None  # "Portland, Maine" is not the larger Portland.
    found = region or _regions().get(key) or _cities().get(_key(head)) or _cities().get(re.sub(r"^the | city$", "", key))
    if found:
        return found
    if key in SEVERAL_ZONES:
        raise ToolError(f"{place.strip()[:60]!r} has several time zones; give a city such as {SEVERAL_ZONES[key]}")
    raise ToolError(f"unknown place {place.strip()[:60]!r}; give a large city or a zone such as Europe/Paris")


def describe(moment: datetime, zone: str) -> str:
    """A moment in a zone, such as "Sunday 2026-11-29 14:05 (Asia/Taipei, UTC+08:00)"."""
    local = moment.astimezone(zoneinfo.ZoneInfo(zone))
    offset = local.strftime("%z")
    return f"{_DAYS[local.weekday()]} {local:%Y-%m-%d %H:%M} ({zone}, UTC{offset[:3]}:{offset[3:5]})"


def _real_clock() -> datetime:
    return datetime.now(UTC)


def current_time(now: Clock = _real_clock) -> Tool:
    """The tool, reading the clock `now`, which gives an aware datetime."""

    def tell(place: str) -> str:
        return describe(now(), zone_of(place))

    return Tool(
        name="current_time",
        description="Tell the current date and time in a city or time zone.",
        parameters={
            "type": "object",
            "properties": {"place": {"type": "string", "description": _PLACE}},
            "required": ["place"],
        },
        function=tell,
    )
