# ruff: noqa: E501 (a line is a phrase)
"""Phrases that the built-in model was never taught with, in the form of teaching/phrases_*.py; only the benchmark reads them."""

from __future__ import annotations

DIRECT = """
I'm stuck on {x}. What's the result?|{x}|
What does {x} come to?|{x}|
Quick math question: {x}|{x}|
My homework asks for {x}. What should I write down?|{x}|
Help me with this calculation, please: {x}|{x}|
Would you mind computing {x} for me?|{x}|
I typed {x} into my calculator. What should it show?|{x}|
Let me know the exact value of {x}.|{x}|
"""

VERBAL = """
How much would {L} times {n} make?|{L} * {n}|
Which number is the product of {a} and {k}?|{a} * {k}|
I'm dividing {L} by {n}. How much is that?|{L} / {n}|
How much is {L} if you take away {a}?|{L} - {a}|
Could you tell me what {L} minus {M} is?|{L} - {M}|
If I put {L} and {M} together, what's the sum?|{L} + {M}|
I have three numbers, {a}, {k} and {b}. What's their total?|{a} + {k} + {b}|
Do you know the square root of {L}?|sqrt({L})|
Please calculate {k} to the power of {n} for me.|{k} ** {n}|
{c} percent out of {L}, how much would that be?|{c} / 100 * {L}|
I'm trying to find {c}% of {p}. What is it?|{c} / 100 * {p}|
What number is the mean of {a} and {b}?|({a} + {b}) / 2|
Divide {L} by {n} and tell me just the remainder.|{L} % {n}|
"""

STORIES = """
There are {k} {things} on every shelf, and the shop has {n} shelves. How many {things} are on the shelves altogether?|{k} * {n}|
One ticket for the museum is ${p}. How much will {n} tickets cost us?|{p} * {n}|
Five colleagues split a bill of ${p} evenly. How much does each of them owe?|{p} / 5|
The shoes were ${p} and the shirt was ${q}. What did both cost together?|{p} + {q}|
A lamp normally sells for ${p}, but today it is reduced by {c}%. What is the price today?|{p} * (1 - {c} / 100)|
Our dinner came to ${p} and we want to leave {c} percent as a tip. How many dollars is the tip?|{c} / 100 * {p}|
My garden is a rectangle with sides of {d} and {e} meters. What is its area in square meters?|{d} * {e}|
The train covered {a} kilometers in {n} hours. What was its average speed in kilometers per hour?|{a} / {n}|
{who} earns ${p} an hour and worked {k} hours this week. How much money is that?|{p} * {k}|
My cousin was born in {year}. What age does she turn in 2035?|2035 - {year}|
A baker made {L} rolls this morning and has sold {a} of them. How many are still there?|{L} - {a}|
An office building has {k} floors, and every floor has {n} rooms. How many rooms does the building have?|{k} * {n}|
{who} puts ${a} into a savings account every month. How much is in it after {n} months?|{a} * {n}|
In the store, a box with {k} {things} is ${p}. How much is that for each one?|{p} / {k}|
"""

CONVERT = """
My recipe says {v} {f}, but I need it in {t}. How much is it?|
Would you convert {v} {f} to {t} for me?|
If something is {v} {f}, what is it in {t}?|
I only understand {t}. What would {v} {f} be?|
Can you tell me the number of {t} in {v} {f}?|
The label says {v} {f}. Can you change that to {t}?|
Do you know how much {v} {f} is when measured in {t}?|
Express {v} {f} using {t}, please.|
"""

TIME = """
My sister lives in {place}. What time is it for her now?|{clock}
How late is it in {place} at the moment?|{clock}
I'm flying to {place} and want to set my watch. What's the local time there?|{clock}
Could you look up the present time in {place} for me?|{clock}
If I looked at a clock in {place} now, what would it say?|{clock}
What hour of the day is it in {place}?|{clock}
Is it Monday, Tuesday or some other day in {place} just now?|{day}
What's the calendar date in {place} at this moment?|{date}
Are people in {place} probably asleep at this hour? What time do they have?|{clock}
"""

TWO_PLACES = """
My friends live in {p1} and {p2}. What time is it for each of them now?
How late is it in {p1}, and how late is it in {p2}?
Please look up the local time in {p1} as well as in {p2}.
"""
TWO_CALCULATIONS = """
I have two calculations for you: {x1} and {x2}.
Can you give me the results of {x1} and of {x2}?
"""
TWO_CONVERSIONS = """
I need two conversions: {v1} {f1} to {t1}, and {v2} {f2} to {t2}.
Can you tell me what {v1} {f1} is in {t1} and what {v2} {f2} is in {t2}?
"""
JOINERS = """
I have two questions for you. {q1} {q2}
{q1} And there's one more thing: {q2}
"""

CONVERT_THEN_CALCULATE = """
How many {t} is {v} {f}? Then multiply that number by {n}.|{r1} * {n}|
First change {v} {f} into {t}, and afterwards add {k} to the number you get.|{r1} + {k}|
What is {v} {f} in {t}, and how much is a quarter of that?|{r1} / 4|
Please express {v} {f} in {t}. I need {n} times as much, so how many {t} is that?|{r1} * {n}|
"""
CALCULATE_THEN_CONVERT = """
Multiply {n} by {k}. The answer is a number of {f}; what is that in {t}?|{n} * {k}|
I have {n} {f} here and another {k} {f} over there. How much do I have altogether in {t}?|{n} + {k}|
If one part is {d} {f} and I have {n} such parts, how many {t} are all of them together?|{d} * {n}|
"""
AREA_AND_SPEED = """
My living room is {n} feet wide and {k} feet long. What is its area in square meters?|{n} * {k}|square feet|square meters|
We drove {a} km and it took {n} hours. What was our average speed in miles per hour?|{a} / {n}|km/h|miles per hour|
"""

PLAIN = (
    ("I forgot, what is Germany's capital?", "berlin"), ("Which city is Japan's capital?", "tokyo"),
    ("Can you tell me what the capital of Greece is?", "athens"), ("What city is the capital of Portugal?", "lisbon"),
    ("What color is fresh grass?", "green"), ("Which color does snow have?", "white"), ("How many legs does an ant have?", "six|6"),
    ("Which day comes right after Friday?", "saturday"), ("Who wrote Don Quixote?", "cervantes"),
    ("Which writer created Romeo and Juliet?", "shakespeare"), ("What word means the opposite of big?", "small|little|tiny"),
    ("What animal barks?", "dog"), ("Around which star does the Earth travel?", "sun"), ("What do cows give us to drink?", "milk"),
    ("On which continent is Kenya?", "africa"), ("Which language do people speak in Brazil?", "portuguese"),
    ("Which month comes after March?", "april"), ("Which part of the body do we breathe with?", "lung|nose|mouth"),
    ("Hey, how is your day going?", ""), ("That was really helpful, thank you so much.", ""), ("Good night, talk to you tomorrow!", ""),
    ("I had a long day and feel tired.", ""), ("What is a library?", "book|read"),
    ("Explain in a few words what rain is.", "water|drop|cloud|fall"), ("Write one short sentence about a dog.", "dog"),
    ("What is the job of a teacher?", "teach|student|learn|educat|school|child|pupil"),
    ("How can I learn to swim?", "water|pool|lesson|practic|swim|float|breath"),
    ("Describe the ocean to a child.", "water|sea|ocean|blue|fish|salt"),
    ("What does it mean to be honest?", "truth|lie|lying|honest|sincere"),
    ("Why do birds have wings?", "fly|flight|air|wing"),
)
"""Questions that need no tool, and words of which the answer holds one."""
