# ruff: noqa: E501 (a line is a phrase)
"""Phrases that the built-in model was never taught with, in the form of teaching/phrases_*.py; only the benchmark reads them."""

from __future__ import annotations

DIRECT = """
Work out {x}.|{x}|
What number is {x}?|{x}|
I'd like to know {x}|{x}|
what do you get for {x}|{x}|
{x} gives what?|{x}|
Run this through the calculator for me: {x}|{x}|
Determine {x}.|{x}|
Could you figure out {x}?|{x}|
"""

VERBAL = """
If I multiply {a} with {b}, what comes out?|{a} * {b}|
I want the product of {L} and {n}.|{L} * {n}|
{L} divided into {n} equal parts: how big is each part?|{L} / {n}|
What remains if I take {a} from {L}?|{L} - {a}|
What do {L} and {M} add up to?|{L} + {M}|
Tell me the total of {a}, {b} and {k}.|{a} + {b} + {k}|
Find the square root of {L}.|sqrt({L})|
What's {k} raised to the power {n}?|{k} ** {n}|
I need {c} percent of {L}.|{c} / 100 * {L}|
How big is {c}% of {p}?|{c} / 100 * {p}|
Give me the average of {a} and {k}.|({a} + {k}) / 2|
What is left over when you divide {L} by {n}?|{L} % {n}|
"""

STORIES = """
Each crate has {k} {things}. We got {n} crates. How many {things} do we have?|{k} * {n}|
{who} bought {n} {things} at ${p} apiece. What was the total?|{n} * {p}|
Four people share a cab that costs ${p}. What does each pay?|{p} / 4|
I paid ${p} for lunch and ${q} for dinner. How much did I spend?|{p} + {q}|
A jacket costs ${p}. There is {c}% off. What do I pay?|{p} * (1 - {c} / 100)|
The restaurant bill is ${p}. How much is a tip of {c}%?|{c} / 100 * {p}|
A hall is {d} meters long and {e} meters wide. How large is the floor?|{d} * {e}|
A bus drives {a} km in {n} hours. How fast is that on average?|{a} / {n}|
{who} gets ${p} per hour. What is the pay for {k} hours?|{p} * {k}|
I was born in {year}. How old am I in 2030?|2030 - {year}|
{who} had {L} coins and lost {a}. How many coins remain?|{L} - {a}|
A hotel has {k} floors with {n} rooms on each. How many rooms in total?|{k} * {n}|
If I save ${a} a month, how much do I have after {n} months?|{a} * {n}|
A packet of {k} {things} costs ${p}. What's the price of one?|{p} / {k}|
"""

CONVERT = """
Turn {v} {f} into {t}.|
I'd like to know what {v} {f} is in {t}.|
Please give me {v} {f} in {t}.|
How many {t} do {v} {f} make?|
{v} {f}: how many {t}?|
What's the equivalent of {v} {f} in {t}?|
Someone told me {v} {f}. What does that mean in {t}?|
How would I write {v} {f} in {t}?|
"""

TIME = """
What's the clock showing in {place}?|{clock}
Right now, what time do they have in {place}?|{clock}
Please tell me what time it is in {place}.|{clock}
I want to call {place}. What time is it over there?|{clock}
Time check for {place}.|{clock}
Got the time in {place}?|{clock}
Which day of the week is it in {place} right now?|{day}
Tell me today's date in {place}.|{date}
Is it currently daytime or night in {place}?|{clock}
"""

TWO_PLACES = """
Tell me what time it is in {p1} and what time it is in {p2}.
What do the clocks say in {p1} and {p2}?
I need the current time for both {p1} and {p2}.
"""
TWO_CALCULATIONS = """
Work out {x1} and also {x2}.
What are {x1} and {x2}?
"""
TWO_CONVERSIONS = """
Turn {v1} {f1} into {t1} and {v2} {f2} into {t2}.
How many {t1} are {v1} {f1}, and how many {t2} are {v2} {f2}?
"""
JOINERS = """
{q1} Additionally: {q2}
First: {q1} Second: {q2}
"""

CONVERT_THEN_CALCULATE = """
Turn {v} {f} into {t} and then multiply by {n}.|{r1} * {n}|
Take {v} {f} in {t} and add {k} to it.|{r1} + {k}|
Convert {v} {f} to {t}. What is a fifth of the result?|{r1} / 5|
Every week I use {v} {f}. How many {t} is that in {n} weeks?|{r1} * {n}|
"""
CALCULATE_THEN_CONVERT = """
Compute {n} times {k}, and turn that many {f} into {t}.|{n} * {k}|
I used {n} {f} yesterday and {k} {f} today. How many {t} is that in total?|{n} + {k}|
{n} pieces of {d} {f} each: what is the total in {t}?|{d} * {n}|
"""
AREA_AND_SPEED = """
A kitchen measures {n} feet by {k} feet. How many square meters is that?|{n} * {k}|square feet|square meters|
A cyclist rides {a} km in {n} hours. What is that in miles per hour?|{a} / {n}|km/h|miles per hour|
"""

PLAIN = (
    ("Which city is the capital city of Spain?", "madrid"), ("Tell me the capital of Poland, please.", "warsaw"),
    ("Name the capital city of Egypt", "cairo"), ("Do you happen to know the capital of Norway?", "oslo"),
    ("What's the color of a lemon?", "yellow"), ("What is the colour of blood?", "red"), ("How many legs does a cat have?", "four|4"),
    ("How many wheels does a car have?", "four|4"), ("Who wrote the play Macbeth?", "shakespeare"),
    ("Who was the author of Hamlet?", "shakespeare"), ("What's the opposite of hot?", "cold"), ("Which animal says meow?", "cat"),
    ("Which planet do we live on?", "earth"), ("What is the biggest planet?", "jupiter"), ("What do bees produce?", "honey"),
    ("What is ice made of?", "water"), ("What is the capital city of Italy?", "rome"), ("Which organ pumps the blood?", "heart"),
    ("hello there, my friend", ""), ("Thanks for everything!", ""), ("Good to see you!", ""), ("Could you tell me a joke?", ""),
    ("What is a poem?", "writ|word|express"), ("Explain what a desert is.", "dry|rain|arid|sand|water"),
    ("Write a sentence about the sun.", "sun"), ("What does a dentist do?", "teeth|dental|tooth|oral"),
    ("Give me a tip for better sleep.", "sleep|bed"), ("Describe an elephant.", "elephant|animal|trunk"),
    ("What is friendship?", "friend|bond|relationship"), ("Why do people go to school?", "learn|educat|knowledge|school"),
)
"""Questions that need no tool, and words of which the answer holds one."""
