# ruff: noqa: E501, SIM905 (a line is a phrase, a word list is a string)
"""Phrases that need two calls, that meet an error, or that no offered tool can serve; and what surrounds a question."""

from __future__ import annotations

AGE_AT_PLACE = """
{who} was born in {year} and lives in {place}. How old does {who} get this year? Look up the year.|{who} gets {r} this year.
How many years ago was {year}, going by today's date in {place}?|It was {r} years ago.
What year is it in {place}, and how many years is that after {year}?|It is {y} in {place}, {r} years after {year}.
"""

DIFFERENCE = """
How many hours is {p1} ahead of {p2}?
What is the time difference between {p1} and {p2}?
time difference {p1} {p2}
How far apart are the clocks in {p1} and {p2}?
How many hours are between {p1} and {p2}?
"""

WHICH_IS_MORE = """
Which is more, {v1} {u1} or {v2} {u2}?
Is {v1} {u1} more than {v2} {u2}?
What is greater: {v1} {u1} or {v2} {u2}?
Compare {v1} {u1} with {v2} {u2}.
"""

THREE_PLACES = ("What time is it in {}, {} and {}?", "time in {}, {}, {}", "Tell me the time in {}, in {} and in {}.")
ONE_VALUE_TWO_UNITS = ("What is {v} {f} in {t1} and in {t2}?", "Convert {v} {f} to {t1} and to {t2}.", "{v} {f} in both {t1} and {t2} please")

UNKNOWN_PLACES = "Atlantis,Narnia,Gotham,Hogwarts,Mordor,Wakanda,El Dorado,Springwell,Blorptown,Zanadu,Neverland,Rivendell,Oz,Elmsford Hill".split(",")
SMALL_TOWNS = {
    "Hualien": "Taipei", "Tainan": "Taipei", "Keelung": "Taipei", "Versailles": "Paris", "Avignon": "Paris", "Pisa": "Rome",
    "Siena": "Rome", "Toledo in Spain": "Madrid", "Salamanca": "Madrid", "Potsdam": "Berlin", "Heidelberg": "Berlin", "Nara": "Tokyo",
    "Nikko": "Tokyo", "Kamakura": "Tokyo", "Windsor": "London", "Stonehenge": "London", "Canterbury": "London", "Bruges": "Brussels",
    "Delft": "Amsterdam", "Uppsala": "Stockholm", "Odense": "Copenhagen", "Galway": "Dublin", "Sintra": "Lisbon", "Salzburg": "Vienna",
    "Giza plateau": "Cairo", "Machu Picchu": "Lima", "Pattaya": "Bangkok", "Incheon": "Seoul", "Agra": "Delhi", "Cambridge": "London",
}
WIDE_COUNTRIES = {
    "the USA": "New York", "USA": "New York", "America": "New York", "the United States": "New York", "Canada": "Toronto",
    "Mexico": "Mexico City", "Brazil": "Sao Paulo", "Russia": "Moscow", "Australia": "Sydney", "Indonesia": "Jakarta",
}
"""Places with several time zones, and the city that the tool proposes first."""
UNKNOWN_UNITS = "blorps,smoots per fortnight,zorks,quibbles,flumps,wibbles,gronks,snorgs,florins of gold,glimmers".split(",")
MISMATCHED = (
    ("kilograms", "meters"), ("liters", "miles"), ("hours", "kilometers"), ("feet", "pounds"), ("degrees Celsius", "meters"),
    ("seconds", "grams"), ("miles", "gallons"), ("acres", "inches"), ("ounces", "feet"), ("square meters", "meters"),
)
IMPOSSIBLE = (
    "{a} / 0", "{a} / ({k} - {k})", "sqrt(-{n})", "{L} % 0", "({a} + {b}) / 0", "{a} // 0", "sqrt({n} - {a}0)", "{p} / 0",
)

CANNOT = {
    "calculator": (
        "I have no calculator here, so I cannot work that out exactly.", "I do not have a tool for calculations here.",
        "Without a calculator I cannot give you an exact result.",
    ),
    "convert_units": (
        "I have no tool for converting units here.", "I cannot convert that exactly: no unit converter is available.",
        "There is no tool for conversions here, so I cannot give you an exact value.",
    ),
    "current_time": (
        "I have no clock here, so I cannot tell you the time there.", "I do not have a tool that tells the time.",
        "I cannot look up the current time here.",
    ),
}
NO_TOOL_FOR = ("I have no tool for {what}, so I cannot do that.", "I cannot do that: none of my tools is for {what}.",
               "Sorry, I have no tool for {what}.", "I do not have a tool for {what} here.")

SYSTEM_PROMPTS = (
    "You are a helpful assistant.",
    "You are a helpful assistant. Be brief.",
    "You are a friendly assistant who can use tools.",
    "You are Loopglass, an assistant that answers questions step by step.",
    "Answer the user's questions. Call a function when it helps.",
    "You help students with their homework. Use the tools for anything that must be exact.",
    "You are an assistant in a classroom. Use tools when they fit and explain the result in one sentence.",
    "You are a concise assistant. Never guess a number that a tool can give you.",
    "You are a travel assistant. Help people with times, distances and prices.",
    "You are a kitchen helper.",
    "Be polite and short.",
    "Use the tools you are given. If none fits, answer from what you know.",
    "You are a careful assistant. When a question asks for arithmetic, units or the time, you use a tool; everything else you answer in your own words.",
    "You are an assistant for a small office. People ask you about times in other cities, about sums on invoices and about measurements. "
    "You answer in full sentences, you keep to the point, and you say so openly when you are not able to do something.",
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    "Today you assist a teacher who shows how agents work.",
    "Assistant.",
)
BEFORE = ("Please tell me: ", "Hey, ", "Hi! ", "Hello, ", "Quick question: ", "I was wondering, ", "Can you help me? ", "ok so ", "Excuse me, ", "Question: ")
AFTER = (" Thanks!", " Thank you.", " please", " Please be brief.", " I need it for school.", " thx", " It's urgent!")
"""What people put before and after a question."""
