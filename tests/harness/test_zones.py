"""In which zone a place lies is a public fact, written out here by hand or read from tzdata's own tables."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta
from importlib.resources import files

import pytest

from harness.tools import ToolError
from harness.tools.areas import PROVINCE_CODES, QUALIFIED, STATE_CODES
from harness.tools.chinese import CHINESE
from harness.tools.places import PLACES, REGIONS, SEVERAL_ZONES
from harness.tools.zones import zone_of


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
        ("EST", "America/New_York"),
        ("CST", "America/Chicago"),
        ("mst", "America/Denver"),
        ("PST", "America/Los_Angeles"),
    ],
)
def test_knows_places_by_the_names_people_use(place: str, zone: str) -> None:
    assert zone_of(place) == zone


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("San Jose, Costa Rica", "America/Costa_Rica"),
        ("San Jose, California", "America/Los_Angeles"),
        ("Valencia, Venezuela", "America/Caracas"),
        ("Valencia, Spain", "Europe/Madrid"),
        ("Perth, Scotland", "Europe/London"),
        ("Perth, WA", "Australia/Perth"),
        ("Perth, WA, Australia", "Australia/Perth"),
        ("Santiago, Dominican Republic", "America/Santo_Domingo"),
        ("Santiago, Chile", "America/Santiago"),
        ("London, Ontario, Canada", "America/Toronto"),
        ("London, ON", "America/Toronto"),
        ("London, Canada", "America/Toronto"),
        ("London, UK", "Europe/London"),
        ("Portland, ME", "America/New_York"),
        ("Portland, OR, USA", "America/Los_Angeles"),
        ("Paris, TX", "America/Chicago"),
        ("Springfield, IL", "America/Chicago"),
        ("Austin, Texas", "America/Chicago"),
        ("El Paso, TX", "America/Denver"),
        ("Knoxville, Tennessee", "America/New_York"),
        ("Gary, IN", "America/Chicago"),
        ("Vancouver, WA", "America/Los_Angeles"),
        ("New York, NY", "America/New_York"),
        ("Washington, DC, USA", "America/New_York"),
        ("Fremont, CA", "America/Los_Angeles"),
        ("Toronto, CA", "America/Toronto"),
        ("Berlin, DE", "Europe/Berlin"),
        ("Wilmington, DE", "America/New_York"),
        ("Amsterdam, NL", "Europe/Amsterdam"),
        ("St. John's, NL", "America/St_Johns"),
        ("Darwin, NT", "Australia/Darwin"),
        ("Tbilisi, Georgia", "Asia/Tbilisi"),
        ("Macon, Georgia", "America/New_York"),
        ("Lahore, Punjab", "Asia/Karachi"),
        ("Amritsar, Punjab", "Asia/Kolkata"),
        ("Melbourne, Florida", "America/New_York"),
        ("Hamilton, New Zealand", "Pacific/Auckland"),
        ("Chartres, France", "Europe/Paris"),
        ("Chengdu, Sichuan, China", "Asia/Shanghai"),
        ("Chengdu, an unknown district, China", "Asia/Shanghai"),
        ("Hong Kong, China", "Asia/Hong_Kong"),
        ("San Juan, Puerto Rico, USA", "America/Puerto_Rico"),
        ("Nuuk, Greenland", "America/Nuuk"),
        ("Fort Wayne, USA", "America/Fort_Wayne"),
        ("Castries, Saint Lucia", "America/St_Lucia"),
        ("Tokyo, Japan", "Asia/Tokyo"),
        ("Tokyo, Asia", "Asia/Tokyo"),
        ("Shibuya, Tokyo", "Asia/Tokyo"),
        ("Brooklyn, New York", "America/New_York"),
        ("Tokyo,", "Asia/Tokyo"),
    ],
)
def test_what_follows_a_comma_says_which_place_of_that_name_is_meant(place: str, zone: str) -> None:
    assert zone_of(place) == zone


def rows(name: str) -> list[list[str]]:
    """One of tzdata's own tables: iso3166.tab has code and country, zone.tab has code, coordinates, zone."""
    text = (files("tzdata") / "zoneinfo" / name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


def offsets(zone: str) -> list[timedelta | None]:
    """What its clocks show beside UTC in one winter and one summer: the same clock may have several names."""
    return [zoneinfo.ZoneInfo(zone).utcoffset(datetime(2026, month, 15, tzinfo=UTC)) for month in (1, 7)]


def test_the_city_of_every_zone_is_found_in_its_country() -> None:
    countries = dict(rows("iso3166.tab"))
    for code, _, zone, *_ in rows("zone.tab"):
        place = f"{zone.rsplit('/', 1)[1].replace('_', ' ')}, {countries[code]}"
        assert offsets(zone) == offsets(zone_of(place)), place


def test_every_code_of_a_state_or_province_stands_for_a_region() -> None:
    regions = {name for line in REGIONS.values() for name in line.split("|")}
    assert {name for codes in (STATE_CODES, PROVINCE_CODES) for names in codes.values() for name in names.split("|")} <= regions


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("台北", "Asia/Taipei"),
        ("臺北市", "Asia/Taipei"),
        ("高雄", "Asia/Taipei"),
        ("東京", "Asia/Tokyo"),
        ("東京都", "Asia/Tokyo"),
        ("京都", "Asia/Tokyo"),
        ("京都市", "Asia/Tokyo"),
        ("首爾", "Asia/Seoul"),
        ("香港", "Asia/Hong_Kong"),
        ("胡志明市", "Asia/Ho_Chi_Minh"),
        ("倫敦", "Europe/London"),
        ("巴黎，法國", "Europe/Paris"),
        ("紐約", "America/New_York"),
        ("紐約, 美國", "America/New_York"),
        ("舊金山", "America/Los_Angeles"),
        ("雪梨", "Australia/Sydney"),
        ("日本", "Asia/Tokyo"),
    ],
)
def test_knows_large_cities_in_chinese(place: str, zone: str) -> None:
    assert zone_of(place) == zone


def test_every_chinese_name_stands_for_a_place() -> None:
    """For one with a clock, or for a country with several that the tool can name a city of."""
    for name, english in CHINESE.items():
        assert english in SEVERAL_ZONES or offsets(zone_of(name)) == offsets(zone_of(english)), name


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
        ("Paris, Atlantis", "'Atlantis' is no country or state known here; write the country"),
        ("Portland, Atlantis, USA", "'Atlantis' is no country or state known here"),
        ("Paris, London", "different clocks; ask for one place at a time"),
        ("London, Ontario, Mexico", "lie apart; give a city and its country"),
        ("Springfield, USA", "several time zones; add the state, or give New York or Los Angeles"),
        ("Springfield, 美國", "several time zones; add the state, or give New York or Los Angeles"),
        ("Cordoba, Mexico", "several time zones; add the state, or give Mexico City or Tijuana"),
        ("Delft, NL", "may mean several places; write the state or country out"),
        (",", "unknown place ','"),
        ("美國", "several time zones; give a city such as New York"),
        ("亞特蘭提斯", "unknown place '亞特蘭提斯'"),
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
    assert {*PLACES, *REGIONS, *QUALIFIED} <= zoneinfo.available_timezones()


def test_no_name_stands_in_two_zones() -> None:
    for table in (PLACES, REGIONS, QUALIFIED):
        names = [name for line in table.values() for name in line.split("|")]
        assert len(names) == len(set(names))
