"""Offsets and switching dates of daylight saving time are public facts of each zone, written out here by hand."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime

import pytest

from harness.tools import ToolError, registry
from harness.tools.current_time import current_time, zone_of
from harness.tools.places import PLACES, REGIONS


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
    ("place", "zone"),
    [
        ("Europe/Paris", "Europe/Paris"),
        ("europe/paris", "Europe/Paris"),
        ("America/New York", "America/New_York"),
        ("TOKYO", "Asia/Tokyo"),
        ("  tokyo  ", "Asia/Tokyo"),
        ("São Paulo", "America/Sao_Paulo"),
        ("sao paulo", "America/Sao_Paulo"),
        ("Zürich", "Europe/Zurich"),
        ("Mexico City", "America/Mexico_City"),
        ("Ho Chi Minh City", "Asia/Ho_Chi_Minh"),
        ("Taipei City", "Asia/Taipei"),
        ("Paris, France", "Europe/Paris"),
        ("Paris, Texas", "America/Chicago"),
        ("Portland", "America/Los_Angeles"),
        ("Portland, Maine", "America/New_York"),
        ("London, Ontario", "America/Toronto"),
        ("Seattle, Washington", "America/Los_Angeles"),
        ("Washington, D.C.", "America/New_York"),
        ("Atlanta, Georgia", "America/New_York"),
        ("Tbilisi", "Asia/Tbilisi"),
        ("San Francisco", "America/Los_Angeles"),
        ("NYC", "America/New_York"),
        ("California", "America/Los_Angeles"),
        ("the Netherlands", "Europe/Amsterdam"),
        ("Bali", "Asia/Makassar"),
        ("St. Louis", "America/Chicago"),
        ("Xi'an", "Asia/Shanghai"),
        ("Kyiv", "Europe/Kyiv"),
        ("GMT", "GMT"),
    ],
)
def test_knows_places_by_the_names_people_use(place: str, zone: str) -> None:
    assert zone_of(place) == zone


CAPITALS = [
    "Abuja", "Accra", "Algiers", "Amman", "Amsterdam", "Ankara", "Antananarivo", "Asuncion", "Athens", "Baghdad", "Baku",
    "Bangkok", "Beijing", "Beirut", "Belgrade", "Berlin", "Bern", "Bogota", "Brasilia", "Bratislava", "Brussels", "Bucharest",
    "Budapest", "Cairo", "Canberra", "Caracas", "Colombo", "Copenhagen", "Dakar", "Damascus", "Dhaka", "Doha", "Dublin",
    "Harare", "Havana", "Helsinki", "Islamabad", "Jakarta", "Jerusalem", "Kabul", "Kampala", "Khartoum", "Kigali", "Kinshasa",
    "Lima", "Lisbon", "Ljubljana", "London", "Luanda", "Lusaka", "Luxembourg", "Madrid", "Managua", "Manila", "Maputo",
    "Minsk", "Mogadishu", "Monrovia", "Montevideo", "Moscow", "Muscat", "Nairobi", "Oslo", "Ottawa", "Paris", "Prague",
    "Pretoria", "Quito", "Rabat", "Reykjavik", "Riga", "Riyadh", "Rome", "Santiago", "Sarajevo", "Seoul", "Singapore",
    "Skopje", "Sofia", "Stockholm", "Suva", "Taipei", "Tallinn", "Tashkent", "Tbilisi", "Tehran", "Tirana", "Tokyo",
    "Tripoli", "Tunis", "Valletta", "Vienna", "Vientiane", "Vilnius", "Warsaw", "Washington", "Wellington", "Yerevan",
    "Zagreb",
]


@pytest.mark.parametrize("capital", CAPITALS)
def test_knows_capitals(capital: str) -> None:
    assert zone_of(capital)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("Atlantis", "unknown place 'Atlantis'; give a large city or a zone such as Europe/Paris"),
        ("", "unknown place ''"),
        ("USA", "several time zones; give a city such as New York"),
        ("Canada", "several time zones"),
        ("../../etc/passwd", "unknown place"),
        ("Europe/Atlantis", "unknown place"),
    ],
)
def test_unknown_places_are_explained(place: str, says: str) -> None:
    with pytest.raises(ToolError) as caught:
        zone_of(place)
    assert says in str(caught.value)


def test_every_zone_of_the_tables_exists() -> None:
    assert {*PLACES, *REGIONS} <= zoneinfo.available_timezones()


def test_no_name_stands_in_two_zones() -> None:
    for table in (PLACES, REGIONS):
        names = [name for line in table.values() for name in line.split("|")]
        assert len(names) == len(set(names))


def test_the_registered_tool_reads_the_real_clock() -> None:
    before = datetime.now(UTC).replace(second=0, microsecond=0, tzinfo=None)
    text = registry()["current_time"].function(place="UTC")
    after = datetime.now(UTC).replace(tzinfo=None)
    assert before <= datetime.strptime(" ".join(text.split()[1:3]), "%Y-%m-%d %H:%M") <= after
