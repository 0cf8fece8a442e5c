# ruff: noqa: E501, SIM905 (a line is a phrase, a word list is a string)
"""How people ask for conversions and for the time. Each line is "question | answer"; {r} is the tool's result.

Conversions: v: the value as written, f and t: the units as written. Times: place; in the answer clock (14:05), day
(Sunday), date (2026-11-29), part (morning, afternoon, evening, night), zone and offset (UTC+08:00).
"""

from __future__ import annotations

CONVERT = """
Convert {v} {f} to {t}.|{v} {f} is {r}.
convert {v} {f} into {t}|{v} {f} is {r}.
What is {v} {f} in {t}?|{v} {f} is {r}.
what's {v} {f} in {t}|{v} {f} is {r}.
How many {t} are in {v} {f}?|There are {r} in {v} {f}.
How many {t} is {v} {f}?|{v} {f} is {r}.
how many {t} in {v} {f}?|There are {r} in {v} {f}.
How many {t} in {v} {f}|There are {r} in {v} {f}.
how many {t} are {v} {f}|{v} {f} are {r}.
How much is {v} {f} in {t}?|{v} {f} is {r}.
{v} {f} in {t}|{v} {f} is {r}.
{v} {f} to {t}|{v} {f} is {r}.
{v} {f} = ? {t}|{v} {f} = {r}.
Change {v} {f} to {t} please.|{v} {f} is {r}.
Express {v} {f} in {t}.|{v} {f} is {r}.
I have {v} {f}. What is that in {t}?|That is {r}.
I need {v} {f} in {t}.|{v} {f} is {r}.
Can you convert {v} {f} to {t} for me?|Sure: {v} {f} is {r}.
Could you tell me how many {t} there are in {v} {f}?|There are {r} in {v} {f}.
If something is {v} {f}, how many {t} is it?|It is {r}.
Tell me {v} {f} in {t}.|{v} {f} is {r}.
My notes say {v} {f}; I would like it in {t}.|{v} {f} is {r}.
What would {v} {f} be in {t}?|It would be {r}.
{v} {f} equals how many {t}?|{v} {f} equals {r}.
Give me the value of {v} {f} in {t}.|{v} {f} is {r}.
in {t}, how much is {v} {f}?|{v} {f} is {r}.
hey can u turn {v} {f} into {t}|{v} {f} is {r}.
"""

CONVERT_STORIES = {
    "length": """
The distance is {v} {f}. How many {t} is that?|That is {r}.
The board is {v} {f} long. What is its length in {t}?|Its length is {r}.
She is {v} {f} tall. How tall is that in {t}?|That is {r}.
We drove {v} {f} today. what's that in {t}?|That is {r}.
I ran {v} {f} this morning, how many {t} is it|It is {r}.
The sign says {v} {f}. What is it in {t}?|It is {r}.
""",
    "mass": """
My bag weighs {v} {f}. How much is that in {t}?|That is {r}.
The baby weighs {v} {f}. How many {t} is that?|That is {r}.
The recipe asks for {v} {f} of flour. How many {t}?|It is {r} of flour.
I weigh {v} {f}, what is that in {t}|That is {r}.
How heavy is {v} {f} in {t}?|It is {r}.
""",
    "volume": """
The recipe says {v} {f} of milk. How many {t} is that?|That is {r} of milk.
The tank holds {v} {f}. How much is that in {t}?|That is {r}.
I drank {v} {f} of water today. What is that in {t}?|That is {r}.
the bottle is {v} {f}, how many {t}?|It is {r}.
""",
    "temperature": """
It is {v} {f} outside. What is that in {t}?|That is {r}.
The oven is at {v} {f}. How much is that in {t}?|That is {r}.
My thermometer shows {v} {f}. what's that in {t}|That is {r}.
Bake it at {v} {f}, it says. What do I set in {t}?|Set it to {r}.
Is {v} {f} warm? What is it in {t}?|It is {r}.
The forecast is {v} {f}; in {t}?|That is {r}.
""",
    "speed": """
The speed limit is {v} {f}. What is that in {t}?|That is {r}.
The wind blows at {v} {f}. How fast is that in {t}?|That is {r}.
My car does {v} {f}, how much is it in {t}?|It is {r}.
""",
    "area": """
The flat has {v} {f}. How many {t} is that?|That is {r}.
The field covers {v} {f}. What is that in {t}?|That is {r}.
""",
    "time": """
The movie lasts {v} {f}. How many {t} is that?|That is {r}.
I waited {v} {f}. What is that in {t}?|That is {r}.
""",
    "data": """
The file is {v} {f}. How many {t} is that?|That is {r}.
""",
}

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

CONVERT_THINKING = """
This is a conversion from {f} to {t}; convert_units does that.
I need to convert {v} {f} to {t}.
convert_units can turn {v} {f} into {t}.
From {f} to {t}: I use the unit tool.
"""

TIME = """
What time is it in {place}?|It is {clock} in {place} ({day}, {date}).
what time is it in {place} right now|It is {clock} in {place} right now.
What's the time in {place}?|It is {clock} in {place}.
time in {place}|It is {clock} in {place} ({day}, {date}).
time in {place}?|It is {clock} in {place}.
{place} time|It is {clock} in {place} ({day}, {date}).
current time in {place}|The current time in {place} is {clock}.
Tell me the current time in {place}.|The current time in {place} is {clock}.
Do you know what time it is in {place}?|Yes, it is {clock} in {place}.
Can you check the time in {place}?|It is {clock} in {place}.
What is the local time in {place} now?|The local time in {place} is {clock}.
How late is it in {place}?|It is {clock} in {place}.
I have a call with someone in {place}. What time is it there?|It is {clock} in {place}.
My sister lives in {place}. what time does she have now?|It is {clock} in {place} now.
What hour is it in {place} at the moment?|It is {clock} in {place}.
I'm flying to {place}. What's the time there?|It is {clock} in {place}.
whats the time in {place} pls|It is {clock} in {place}.
What date is it in {place}?|In {place} it is {day}, {date}.
What is today's date in {place}?|Today is {day}, {date} in {place}.
what day is it today in {place}|It is {day} in {place} ({date}).
What day of the week is it in {place}?|It is {day} in {place}.
Give me the date and time in {place}.|It is {day}, {date}, {clock} in {place}.
Date and time for {place} please|It is {day}, {date}, {clock} in {place}.
Which month is it in {place} now?|The date in {place} is {date}, so it is {month}.
What year is it in {place}?|The date in {place} is {date}, so it is {year}.
What time zone does {place} use?|{place} uses {zone} ({offset}).
What is the UTC offset of {place} now?|{place} is at {offset} now.
Is it day or night in {place}?|It is {clock} in {place}, so it is {part}.
Is it morning or evening in {place}?|It is {clock} in {place}, so it is {part}.
What part of the day is it in {place}?|It is {clock} in {place}, so it is {part}.
When I call {place} now, what time will it be there?|It will be {clock} in {place}.
Is it a good time to call someone in {place}?|It is {clock} in {place}, so it is {part}.
Can I phone my friend in {place} now, or is it too late there?|It is {clock} in {place}, so it is {part}.
how's the clock in {place}?|It is {clock} in {place}.
"""

TIME_YES_NO = """
Is it morning in {place}?|morning
is it already evening in {place}|evening
Is it night in {place} now?|night
Is it afternoon in {place}?|afternoon
Are people in {place} asleep now? Is it night there?|night
"""

WEEKEND = """
Is it the weekend in {place}?
Is today a weekend day in {place}?
Are people in {place} working today or is it weekend?
"""

NOW = """
What time is it?|It is {clock} UTC. Tell me a city for its local time.
what's the time|It is {clock} UTC. Tell me a city for its local time.
What's today's date?|Today is {day}, {date} (UTC).
what day is it today|Today is {day}, {date} (UTC).
What is the current date and time?|It is {day}, {date}, {clock} UTC.
Which year is it?|It is {year} ({date}).
"""

TIME_THINKING = """
I need the time in {place}; current_time can tell.
current_time knows the time in {place}.
This is about the clock in {place}. I look it up.
I look up the current time for {place}.
"""

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

TWO_PLACES = """
What time is it in {p1} and in {p2}?
time in {p1} and {p2}
What are the times in {p1} and {p2} right now?
Tell me the time in {p1} and also in {p2}.
What's the time in {p1}, and what's the time in {p2}?
Compare the time in {p1} and {p2}.
I have a meeting with {p1} and {p2}; what time is it in each?
How late is it in {p1} and {p2}?
current time for {p1} and {p2} please
"""

PLACE_FOLLOW_UPS = ("What about {place}?", "and in {place}?", "And {place}?", "how about {place}", "Same for {place}, please.", "And what time is it in {place}?")
UNIT_FOLLOW_UPS = ("And in {t}?", "what about in {t}", "Now in {t}, please.", "How much is that in {t}?", "and {t}?")
VALUE_FOLLOW_UPS = ("And {v}?", "what about {v} {f}?", "and {v} {f}", "Now do {v} {f}.")
