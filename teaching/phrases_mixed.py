# ruff: noqa: E501, SIM905 (a line is a phrase, a word list is a string)
"""Phrases that need two calls, that meet an error, or that no offered tool can serve; and what surrounds a question."""

from __future__ import annotations

CONVERT_THEN_CALCULATE = """
Convert {v} {f} to {t} and multiply the result by {n}.|{r1} * {n}|The result is {r}.
convert {v} {f} to {t} then divide by {n}|{r1} / {n}|The result is {r}.
Convert {v} {f} to {t}, then add {k}.|{r1} + {k}|The result is {r}.
How many {t} is {v} {f}, plus {n} {t}?|{r1} + {n}|Together that is {r} {t}.
What is {v} {f} in {t}, times {n}?|{r1} * {n}|It is {r}.
Take {v} {f}, turn it into {t} and subtract {n}.|{r1} - {n}|The result is {r}.
What is half of {v} {f} in {t}?|{r1} / 2|Half of it is {r} {t}.
First convert {v} {f} to {t}; after that square it.|{r1} ** 2|The result is {r}.
What is {c}% of {v} {f} in {t}?|{c} / 100 * {r1}|It is {r} {t}.
I do {v} {f} every day. How many {t} is that in {n} days?|{r1} * {n}|That is {r} {t}.
{who} needs {v} {f} for each {thing}. How many {t} for {n} {things}?|{r1} * {n}|{who} needs {r} {t}.
Each {thing} takes {v} {f}. How many {t} do {k} {things} take?|{r1} * {k}|They take {r} {t}.
It costs {p} dollars per {s}. What do {v} {f} cost? Convert to {t} first.|{r1} * {p}|It costs {r} dollars.
{v} {f} is shared by {n} people. How many {t} does each get?|{r1} / {n}|Each gets {r} {t}.
{v} {f} every week: how many {t} in a year of 52 weeks?|{r1} * 52|That is {r} {t}.
"""

CALCULATE_THEN_CONVERT = """
Multiply {n} by {k} and convert the result from {f} to {t}.|{n} * {k}|The result is {r}.
What is {a} plus {b} {f} in {t}?|{a} + {b}|It is {r}.
Add {n} {f} and {m} {f} and give me the sum in {t}.|{n} + {m}|The sum is {r}.
Divide {a} {f} by {n} and tell me the result in {t}.|{a} / {n}|It is {r}.
{n} {things} take {k} {f} each. What is the total in {t}?|{n} * {k}|The total is {r}.
{who} did {n} {f} in the morning and {k} {f} in the evening. How many {t} altogether?|{n} + {k}|Altogether {r}.
one {thing} needs {d} {f}, how much do {n} need in {t}|{d} * {n}|They need {r}.
I had {a} {f} and used {n} {f}. What is left, in {t}?|{a} - {n}|There are {r} left.
{d} {f} a day for {n} days: how many {t} in all?|{d} * {n}|In all {r}.
First calculate {n} times {m}, then convert that many {f} into {t}.|{n} * {m}|It is {r}.
What is a third of {a} {f}, in {t}?|{a} / 3|It is {r}.
"""

AREA_AND_SPEED = """
I am {n} feet {m} inches tall. What is that in centimeters?|{n} * 12 + {m}|inches|centimeters|That is {r}.
How many meters is {n} ft {m} in?|{n} * 12 + {m}|inches|meters|It is {r}.
The baby weighs {n} pounds {m} ounces. How many grams is that?|{n} * 16 + {m}|ounces|grams|That is {r}.
How many seconds are {n} hours and {k} minutes?|{n} * 60 + {k}|minutes|seconds|That is {r}.
A room is {n} feet by {k} feet. What is its area in square meters?|{n} * {k}|square feet|square meters|Its area is {r}.
The garden is {n} m long and {k} m wide. How many square feet is that?|{n} * {k}|square meters|square feet|That is {r}.
How many acres is a field of {a} by {k} meters?|{a} * {k}|square meters|acres|It is {r}.
A car goes {a} km in {n} hours. How fast is that in miles per hour?|{a} / {n}|km/h|miles per hour|That is {r}.
A runner covers {a} meters in {k} seconds. What is the speed in km/h?|{a} / {k}|meters per second|km/h|The speed is {r}.
We drove {a} miles in {n} hours, what speed is that in km/h?|{a} / {n}|miles per hour|km/h|That is {r}.
"""

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

JOINERS = ("{q1} And {l2}", "{q1} Also, {l2}", "{q1} {q2}", "Two questions: {l1} {q2}", "{q1} and {l2}", "{q1} Then {l2}", "1) {q1} 2) {q2}")
THREE_PLACES = ("What time is it in {}, {} and {}?", "time in {}, {}, {}", "Tell me the time in {}, in {} and in {}.")
TWO_CALCULATIONS = ("What is {x1} and what is {x2}?", "Calculate {x1} and {x2}.", "{x1} and {x2}?", "I need both {x1} and {x2}.", "{x1}; {x2}",
                    "Give me {x1} as well as {x2}.", "how much are {x1} and {x2}")
TWO_CONVERSIONS = ("Convert {v1} {f1} to {t1} and {v2} {f2} to {t2}.", "What is {v1} {f1} in {t1} and {v2} {f2} in {t2}?",
                   "{v1} {f1} in {t1}, {v2} {f2} in {t2}", "how many {t1} is {v1} {f1} and how many {t2} is {v2} {f2}",
                   "I need {v1} {f1} in {t1} and also {v2} {f2} in {t2}.")
ONE_VALUE_TWO_UNITS = ("What is {v} {f} in {t1} and in {t2}?", "Convert {v} {f} to {t1} and to {t2}.", "{v} {f} in both {t1} and {t2} please")
TWO_THINKING = ("That is two calls at once.", "Two things to look up; I call both.", "I need two results, so I make two calls.",
                "Both can be done at the same time.")

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
LIVE = {
    "the weather": "What's the weather in {city}?|Will it rain in {city} tomorrow?|how warm is it in {city} today|Is it sunny in {city}?|weather forecast for {city}",
    "the news": "What's in the news today?|Tell me the latest headlines.|What happened in {city} today?|any news?",
    "stock prices": "What is the stock price of {company}?|Is {company} stock up today?|how much is a share of {company}",
    "sending messages": "Send {person} a message: {message}.|Text {person} that {message}.|Email {person} that {message}.",
    "your calendar": "Put {event} in my calendar on {day}.|What is on my calendar on {day}?|Schedule {event} for {day}.",
    "playing music": "Play {song}.|Play some {topic} music.|Put on {song} please",
    "timers or alarms": "Set a timer for {n} minutes.|Wake me up at {clock}.|Set an alarm for {clock}",
    "your home": "Turn on the light in the {room}.|turn off the {room} light|Is the {room} light on?",
    "restaurants": "Book a table for {n} in {city}.|Find me a good restaurant in {city}.|Order {food} for me.",
    "tickets": "Book a flight to {city}.|Buy me a train ticket to {city}.|When is the next train to {city}?",
    "exchange rates": "How many euros is {n} dollars?|Convert {n} dollars to yen.|What is {price} pounds in US dollars?|usd to eur rate",
    "sports results": "Who won the game last night?|What was the score of the {city} match?",
    "traffic": "How is the traffic in {city}?|How long does it take to drive to {city} now?",
    "your location": "Where am I?|What city am I in?",
    "files": "Open {file}.|Delete {file}.|What does {file} say?",
}
NO_TOOL_FOR = ("I have no tool for {what}, so I cannot do that.", "I cannot do that: none of my tools is for {what}.",
               "Sorry, I have no tool for {what}.", "I do not have a tool for {what} here.")
NO_TOOL_THINKING = ("No tool here does that.", "None of the tools fits; I say so.", "I have no tool for this.")
PLAIN_THINKING = ("I can answer this directly.", "No tool is needed.", "This needs no tool; I just answer.", "I know this; no tool needed.",
                  "I answer this myself.")
ERROR_THINKING = ("The tool reports an error. I tell the user.", "That did not work; I say why.", "There was an error, so I explain it.")

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
