"""current_time: date and time in a city, country or time zone, by the standard library's zoneinfo."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from harness.tools.base import Tool, ToolError
from harness.tools.zones import zone_of

Clock = Callable[[], datetime]

_PLACE = "A city or an IANA time zone, such as Taipei or Europe/Paris"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OFFSET = re.compile(r"(?:UTC|GMT)?\s*([+＋\-−–])\s*([0-9]{1,2})(?::?([0-5][0-9]))?", re.IGNORECASE)
_LARGEST_OFFSETS = {"+": timedelta(hours=14), "-": timedelta(hours=12)}  # Of any clock on Earth.


def clock_of(place: str) -> tzinfo:
    """The zone of a place, or a fixed offset such as UTC+8. Raises ToolError for a place that it does not know."""
    match = _OFFSET.fullmatch(place.strip())
    if match is None or place.strip().upper() in ("GMT+0", "GMT-0"):  # These two are IANA zones.
        return zoneinfo.ZoneInfo(zone_of(place))
    sign = "+" if match[1] in "+＋" else "-"
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    if offset > _LARGEST_OFFSETS[sign]:
        raise ToolError(f"no clock stands at {place.strip()!r}; offsets run from UTC-12:00 to UTC+14:00")
    return timezone(offset if sign == "+" else -offset)


def describe(moment: datetime, clock: tzinfo) -> str:
    """A moment by a clock, such as "Sunday 2026-11-29 14:05 (Asia/Taipei, UTC+08:00)"; an offset has no other name."""
    local = moment.astimezone(clock)
    offset = local.strftime("%z")
    zone = f"{clock.key}, " if isinstance(clock, zoneinfo.ZoneInfo) else ""
    return f"{_DAYS[local.weekday()]} {local:%Y-%m-%d %H:%M} ({zone}UTC{offset[:3]}:{offset[3:5]})"


def _real_clock() -> datetime:
    return datetime.now(UTC)


def current_time(now: Clock = _real_clock) -> Tool:
    """The tool, reading the clock `now`, which gives an aware datetime."""

    def tell(place: str) -> str:
        return describe(now(), clock_of(place))

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
