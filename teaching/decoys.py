# ruff: noqa: E501, SIM905 (a line is a phrase, a word list is a string)
"""Tools that are not ours, so that the model learns to read what is offered rather than to know three names by heart.

Each has a schema, questions with the arguments that follow from them, a result and an answer.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

WORDS = {
    "city": "Tokyo,Paris,London,Berlin,Madrid,Rome,Oslo,Taipei,Chicago,Lima,Cairo,Seoul,Vienna,Dublin,Athens,Boston".split(","),
    "topic": "volcanoes,jazz,black holes,chess,gardening,penguins,robots,the Romans,sailing,bread,dinosaurs,birds,tea".split(","),
    "person": "Anna,Ben,Mia,Tom,Lucy,Omar,Wei,Priya,Carlos,Nina,Emma,Leo,Grace,Peter,Olga".split(","),
    "message": "I am late,the meeting is moved,dinner is ready,happy birthday,call me back,see you tomorrow,thank you".split(","),
    "event": "dentist,team meeting,lunch with Ben,piano lesson,yoga class,book club,doctor".split(","),
    "day": "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday".split(","),
    "word": "water,friend,thank you,house,good morning,bread,love,school,cat,train".split(","),
    "language": "French,Spanish,German,Italian,Japanese,Chinese,Korean,Portuguese".split(","),
    "company": "Apple,Toyota,Sony,Siemens,Nestle,Samsung,Intel,Nokia".split(","),
    "song": "Yesterday,Imagine,Hey Jude,Hallelujah,Africa,Clocks".split(","),
    "food": "rice,banana,pizza,apple,cheese,salmon,bread,yogurt".split(","),
    "file": "notes.txt,report.pdf,budget.csv,todo.md,letter.txt,photo.png".split(","),
    "room": "kitchen,bedroom,office,living room,garage".split(","),
    "weather": "sunny,cloudy,light rain,snow,windy,clear".split(","),
    "n": [str(n) for n in range(2, 25)],
    "temp": [str(n) for n in range(-5, 35)],
    "price": [f"{n}.{n % 90 + 10}" for n in range(12, 300, 7)],
    "clock": [f"{h:02}:{m:02}" for h in range(7, 22) for m in (0, 15, 30, 45)],
}


class Decoy(NamedTuple):
    """`asks`: (question, arguments) with slots of WORDS; "#" before an argument's slot makes it a number."""

    name: str
    description: str
    properties: dict[str, tuple[str, str]]
    asks: tuple[tuple[str, dict[str, str]], ...]
    result: str
    answer: str


DECOYS = (
    Decoy("get_weather", "Get the current weather of a city.", {"city": ("string", "The city")}, (
        ("What's the weather in {city}?", {"city": "{city}"}), ("Is it raining in {city}?", {"city": "{city}"}),
        ("weather {city}", {"city": "{city}"}), ("How warm is it in {city} today?", {"city": "{city}"})),
        "{temp} °C, {weather}", "In {city} it is {temp} °C, {weather}."),
    Decoy("search_books", "Search the library for books on a topic.", {"query": ("string", "What to look for")}, (
        ("Find me a book about {topic}.", {"query": "{topic}"}), ("do you have books on {topic}?", {"query": "{topic}"}),
        ("Look for books about {topic}", {"query": "{topic}"})), "{n} books found", "I found {n} books about {topic}."),
    Decoy("send_message", "Send a text message to a person.", {"to": ("string", "Who gets it"), "text": ("string", "The message")}, (
        ("Send {person} a message: {message}", {"to": "{person}", "text": "{message}"}),
        ("Text {person} that {message}.", {"to": "{person}", "text": "{message}"}),
        ("tell {person} \"{message}\"", {"to": "{person}", "text": "{message}"})), "sent", "Your message to {person} has been sent."),
    Decoy("create_event", "Add an event to the calendar.",
        {"title": ("string", "What it is"), "day": ("string", "The day"), "time": ("string", "When it starts")}, (
        ("Put {event} in my calendar on {day} at {clock}.", {"title": "{event}", "day": "{day}", "time": "{clock}"}),
        ("Schedule {event} for {day}, {clock}", {"title": "{event}", "day": "{day}", "time": "{clock}"})),
        "created", "I have put {event} in your calendar on {day} at {clock}."),
    Decoy("roll_dice", "Roll dice with a number of sides.", {"sides": ("integer", "How many sides")}, (
        ("Roll a die with {n} sides.", {"sides": "#{n}"}), ("roll a {n}-sided die", {"sides": "#{n}"})), "2", "You rolled a 2."),
    Decoy("translate", "Translate a text into another language.", {"text": ("string", "The text"), "language": ("string", "Into which")}, (
        ("How do you say '{word}' in {language}?", {"text": "{word}", "language": "{language}"}),
        ("Translate {word} to {language}.", {"text": "{word}", "language": "{language}"})),
        "ok: {word} ({language})", "The translation service answered: {word} ({language})."),
    Decoy("stock_price", "Look up the price of a company's stock.", {"company": ("string", "The company")}, (
        ("What is the stock price of {company}?", {"company": "{company}"}), ("how is {company} stock doing", {"company": "{company}"})),
        "{price}", "The stock of {company} is at {price}."),
    Decoy("play_music", "Play a song.", {"title": ("string", "The song")}, (
        ("Play {song}.", {"title": "{song}"}), ("I want to hear {song}", {"title": "{song}"})), "playing", "Now playing {song}."),
    Decoy("set_timer", "Set a timer.", {"minutes": ("integer", "How long")}, (
        ("Set a timer for {n} minutes.", {"minutes": "#{n}"}), ("remind me in {n} minutes", {"minutes": "#{n}"})),
        "timer set", "The timer is set for {n} minutes."),
    Decoy("nutrition", "Look up the calories of a food.", {"food": ("string", "The food"), "grams": ("number", "How much")}, (
        ("How many calories are in {n} grams of {food}?", {"food": "{food}", "grams": "#{n}"}),
        ("calories in {n} g of {food}", {"food": "{food}", "grams": "#{n}"})), "{temp} kcal", "{n} grams of {food} have {temp} kcal."),
    Decoy("read_file", "Read a file and return its text.", {"path": ("string", "The file's name")}, (
        ("What is in {file}?", {"path": "{file}"}), ("Open {file} please.", {"path": "{file}"}), ("read {file}", {"path": "{file}"})),
        "{message}", "The file {file} says: {message}."),
    Decoy("turn_on_light", "Turn on the light in a room.", {"room": ("string", "Which room")}, (
        ("Turn on the light in the {room}.", {"room": "{room}"}), ("{room} light on", {"room": "{room}"})), "on",
        "The light in the {room} is on."),
    Decoy("find_restaurant", "Find a restaurant in a city.", {"city": ("string", "The city"), "food": ("string", "What they serve")}, (
        ("Find a {food} restaurant in {city}.", {"city": "{city}", "food": "{food}"}),
        ("where can I eat {food} in {city}?", {"city": "{city}", "food": "{food}"})), "Casa {person}", "Try Casa {person} in {city}."),
    Decoy("book_train", "Book a train ticket.", {"origin": ("string", "From"), "destination": ("string", "To")}, (
        ("Book me a train from {city} to Geneva.", {"origin": "{city}", "destination": "Geneva"}),), "booked, seat {n}",
        "Your train from {city} to Geneva is booked, seat {n}."),
    Decoy("word_count", "Count the words of a text.", {"text": ("string", "The text")}, (
        ("How many words are in '{message}'?", {"text": "{message}"}),), "3", "The text has 3 words."),
    Decoy("random_fact", "Give a random fact on a topic.", {"topic": ("string", "The topic")}, (
        ("Give me a random fact about {topic}", {"topic": "{topic}"}),), "People have loved {topic} for a long time.",
        "People have loved {topic} for a long time."),
)


def schema(decoy: Decoy) -> dict[str, Any]:
    """The decoy as a chat template offers it."""
    properties = {name: {"type": kind, "description": text} for name, (kind, text) in decoy.properties.items()}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": decoy.name, "description": decoy.description, "parameters": parameters}}


def ask(decoy: Decoy, rng: random.Random) -> tuple[str, dict[str, Any], str, str]:
    """A question for the decoy, the arguments of the right call, its result, and the answer."""
    question, arguments = rng.choice(decoy.asks)
    slots = {name: rng.choice(values) for name, values in WORDS.items()}
    filled: dict[str, Any] = {}
    for name, text in arguments.items():
        value = text.lstrip("#").format(**slots)
        filled[name] = int(value) if text.startswith("#") else value
    return question.format(**slots), filled, decoy.result.format(**slots), decoy.answer.format(**slots)
