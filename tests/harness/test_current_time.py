"""Offsets and switching dates of daylight saving time are public facts of each zone, written out here by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.tools import ToolError, registry
from harness.tools.current_time import current_time


def at(year: int, month: int, day: int, hour: int, minute: int = 0) -> object:
    moment = datetime(year, month, day, hour, minute, tzinfo=UTC)
    return current_time(lambda: moment).function


@pytest.mark.parametrize(
    ("moment", "place", "text"),
    [
        ((2026, 11, 29, 6, 5), "Taipei", "Sunday 2026-11-29 14:05 (Asia/Taipei, UTC+08:00)"),
        ((2026, 1, 15, 12), "Paris", "Thursday 2026-01-15 13:00 (Europe/Paris, UTC+01:00)"),
        ((2026, 7, 15, 12), "Paris", "Wednesday 2026-07-15 14:00 (Europe/Paris, UTC+02:00)"),
        ((2026, 1, 15, 12), "New York", "Thursday 2026-01-15 07:00 (America/New_York, UTC-05:00)"),
        ((2026, 7, 15, 12), "New York", "Wednesday 2026-07-15 08:00 (America/New_York, UTC-04:00)"),
        ((2026, 1, 15, 12), "Sydney", "Thursday 2026-01-15 23:00 (Australia/Sydney, UTC+11:00)"),
        ((2026, 7, 15, 12), "Sydney", "Wednesday 2026-07-15 22:00 (Australia/Sydney, UTC+10:00)"),
        ((2026, 7, 15, 12), "India", "Wednesday 2026-07-15 17:30 (Asia/Kolkata, UTC+05:30)"),
        ((2026, 7, 15, 12), "Kathmandu", "Wednesday 2026-07-15 17:45 (Asia/Kathmandu, UTC+05:45)"),
        ((2026, 7, 15, 12), "Newfoundland", "Wednesday 2026-07-15 09:30 (America/St_Johns, UTC-02:30)"),
        ((2026, 12, 31, 23, 59), "Tokyo", "Friday 2027-01-01 08:59 (Asia/Tokyo, UTC+09:00)"),
        ((2026, 3, 1, 2), "Honolulu", "Saturday 2026-02-28 16:00 (Pacific/Honolulu, UTC-10:00)"),
        ((2026, 7, 15, 12), "UTC", "Wednesday 2026-07-15 12:00 (UTC, UTC+00:00)"),
        # The clocks of Europe went forward on 2026-03-29 and back on 2026-10-25, both at 01:00 UTC.
        ((2026, 3, 29, 0, 59), "Berlin", "Sunday 2026-03-29 01:59 (Europe/Berlin, UTC+01:00)"),
        ((2026, 3, 29, 1, 0), "Berlin", "Sunday 2026-03-29 03:00 (Europe/Berlin, UTC+02:00)"),
        ((2026, 10, 25, 0, 30), "London", "Sunday 2026-10-25 01:30 (Europe/London, UTC+01:00)"),
        ((2026, 10, 25, 1, 30), "London", "Sunday 2026-10-25 01:30 (Europe/London, UTC+00:00)"),
    ],
)
def test_tells_the_local_time(moment: tuple[int, ...], place: str, text: str) -> None:
    assert at(*moment)(place=place) == text  # type: ignore[operator]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("UTC+8", "Wednesday 2026-07-15 20:00 (UTC+08:00)"),
        ("GMT+8", "Wednesday 2026-07-15 20:00 (UTC+08:00)"),
        ("utc +08:00", "Wednesday 2026-07-15 20:00 (UTC+08:00)"),
        ("UTC-3:30", "Wednesday 2026-07-15 08:30 (UTC-03:30)"),
        ("UTC−3:30", "Wednesday 2026-07-15 08:30 (UTC-03:30)"),
        ("+0545", "Wednesday 2026-07-15 17:45 (UTC+05:45)"),
        ("UTC+14", "Thursday 2026-07-16 02:00 (UTC+14:00)"),
        ("UTC-12", "Wednesday 2026-07-15 00:00 (UTC-12:00)"),
        ("GMT+0", "Wednesday 2026-07-15 12:00 (GMT+0, UTC+00:00)"),
        # Zones of this kind count westward, as POSIX does.
        ("Etc/GMT+8", "Wednesday 2026-07-15 04:00 (Etc/GMT+8, UTC-08:00)"),
    ],
)
def test_offsets_are_read(place: str, text: str) -> None:
    assert at(2026, 7, 15, 12)(place=place) == text  # type: ignore[operator]


@pytest.mark.parametrize("place", ["UTC+15", "UTC-13", "UTC+14:30", "GMT+99"])
def test_offsets_that_no_clock_has_are_explained(place: str) -> None:
    with pytest.raises(ToolError, match=r"offsets run from UTC-12:00 to UTC\+14:00"):
        at(2026, 7, 15, 12)(place=place)  # type: ignore[operator]


@pytest.mark.parametrize("place", ["UTC+8:75", "UTC+", "UTC+8.5", "UTC+٨"])
def test_what_only_looks_like_an_offset_is_an_unknown_place(place: str) -> None:
    with pytest.raises(ToolError, match="unknown place"):
        at(2026, 7, 15, 12)(place=place)  # type: ignore[operator]


def test_the_registered_tool_reads_the_real_clock() -> None:
    before = datetime.now(UTC).replace(second=0, microsecond=0, tzinfo=None)
    text = registry()["current_time"].function(place="UTC")
    after = datetime.now(UTC).replace(tzinfo=None)
    assert before <= datetime.strptime(" ".join(text.split()[1:3]), "%Y-%m-%d %H:%M") <= after
