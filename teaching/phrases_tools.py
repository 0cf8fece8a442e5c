# ruff: noqa: E501, SIM905 (a line is a phrase, a word list is a string)
"""Units and places as people write them, and the questions that only make sense after a conversion or a time."""

from __future__ import annotations

UNITS = {
    "length": "kilometers|km,miles|mile|mi,meters|m|metres,feet|ft,inches|inch,centimeters|cm,yards|yd,millimeters|mm,nautical miles",
    "mass": "kilograms|kg|kilos,pounds|lb|lbs,grams|g,ounces|oz,tonnes,stone,milligrams|mg",
    "volume": "liters|litres|l,gallons,milliliters|ml,cups,tablespoons|tbsp,teaspoons|tsp,pints,fluid ounces,quarts,cubic meters",
    "temperature": "degrees Celsius|Celsius|°C|degrees C|C,degrees Fahrenheit|Fahrenheit|°F|degrees F|F,kelvin",
    "speed": "miles per hour|mph,kilometers per hour|km/h|kmh,meters per second|m/s,knots",
    "area": "square meters|m2|square metres,square feet|sq ft,acres,hectares,square miles,square kilometers",
    "time": "hours,minutes,seconds,days,weeks,years",
    "power": "watts,kilowatts|kW,horsepower",
    "angle": "degrees,radians",
    "data": "megabytes|MB,gigabytes|GB,kilobytes,terabytes|TB",
    "energy": "calories,joules,kilojoules,kilowatt hours",
    "pressure": "bar,psi,pascals,atmospheres",
}
"""Units of a kind, with the ways they are written. The tool is given what was written, degrees without "degrees"."""

PLACES = (
    "Tokyo,London,Paris,New York,Sydney,Berlin,Taipei,Moscow,Cairo,Rome,Madrid,Beijing,Shanghai,Seoul,Singapore,Bangkok,"
    "Mumbai,Delhi,Dubai,Istanbul,Athens,Lisbon,Vienna,Prague,Warsaw,Stockholm,Oslo,Helsinki,Copenhagen,Dublin,Amsterdam,"
    "Brussels,Zurich,Budapest,Toronto,Vancouver,Chicago,Los Angeles,San Francisco,Denver,Boston,Seattle,Miami,Houston,"
    "Mexico City,Lima,Bogota,Santiago,Buenos Aires,Sao Paulo,Nairobi,Lagos,Johannesburg,Cape Town,Accra,Casablanca,Auckland,"
    "Wellington,Melbourne,Brisbane,Perth,Honolulu,Anchorage,Manila,Jakarta,Hanoi,Hong Kong,Kuala Lumpur,Karachi,Lahore,"
    "Dhaka,Kathmandu,Colombo,Tehran,Baghdad,Riyadh,Jerusalem,Kyiv,Bucharest,Belgrade,Reykjavik,Osaka,Kyoto,Barcelona,Milan,"
    "Munich,Hamburg,Edinburgh,Manchester,Montreal,Philadelphia,Phoenix,Dallas,Havana,Caracas,Algiers,Tunis,Addis Ababa,"
    "Japan,France,Germany,Italy,Spain,India,Egypt,Kenya,Taiwan,Norway,Sweden,Poland,Greece,Turkey,Thailand,Vietnam,Iceland,"
    "China,UK,the UK,South Korea,Portugal,Ireland,Peru,Nigeria,the Netherlands,Switzerland,Israel,the Philippines,Austria,Denmark,"
    "California,Texas,Florida,Hawaii,Scotland,England,Las Vegas,Washington DC,Rio de Janeiro,St. Petersburg,Florence,Geneva,"
    "Europe/Paris,Asia/Tokyo,America/New_York,Asia/Taipei,UTC,Australia/Sydney,America/Chicago,Africa/Cairo"
).split(",")

PLACE_FOLLOW_UPS = ("What about {place}?", "and in {place}?", "And {place}?", "how about {place}", "Same for {place}, please.", "And what time is it in {place}?")
UNIT_FOLLOW_UPS = ("And in {t}?", "what about in {t}", "Now in {t}, please.", "How much is that in {t}?", "and {t}?")
VALUE_FOLLOW_UPS = ("And {v}?", "what about {v} {f}?", "and {v} {f}", "Now do {v} {f}.")
