# ruff: noqa: E501, SIM905 (a line is a phrase, a word list is a string)
"""Questions that need no tool, of many kinds. `own_answers.py` asks the base model each of them once.

Where we know the answer, the question carries words of which the answer must hold one; an answer without them is dropped.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from teaching.more_questions import LINES


class PlainQuestion(NamedTuple):
    """A question and the words (lower case) of which a right answer holds one; none where anything sensible will do."""

    text: str
    right: tuple[str, ...] = ()


CAPITALS = {
    "France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Germany": "Berlin", "Japan": "Tokyo", "China": "Beijing",
    "Russia": "Moscow", "Egypt": "Cairo", "Greece": "Athens", "Portugal": "Lisbon", "Austria": "Vienna", "Poland": "Warsaw",
    "Norway": "Oslo", "Sweden": "Stockholm", "Finland": "Helsinki", "Denmark": "Copenhagen", "Ireland": "Dublin",
    "Hungary": "Budapest", "the Netherlands": "Amsterdam", "Belgium": "Brussels", "Canada": "Ottawa", "Mexico": "Mexico City",
    "Brazil": "Bras", "Argentina": "Buenos Aires", "Chile": "Santiago", "Peru": "Lima", "Cuba": "Havana", "India": "Delhi",
    "Thailand": "Bangkok", "South Korea": "Seoul", "Vietnam": "Hanoi", "Australia": "Canberra", "Kenya": "Nairobi",
    "Turkey": "Ankara", "Iran": "Tehran", "Iraq": "Baghdad", "Ukraine": "Kyiv", "the Czech Republic": "Prague",
    "England": "London", "the United Kingdom": "London", "the United States": "Washington", "Taiwan": "Taipei",
}
OPPOSITES = {
    "hot": "cold", "big": "small", "fast": "slow", "happy": "sad", "light": "dark|heavy", "up": "down", "old": "new|young",
    "hard": "soft|easy", "open": "close", "tall": "short", "rich": "poor", "early": "late", "wet": "dry", "loud": "quiet|soft",
    "strong": "weak", "left": "right", "true": "false", "empty": "full", "day": "night", "love": "hate", "begin": "end",
    "ancient": "modern", "brave": "cowardly|afraid|timid|fear", "cheap": "expensive", "thick": "thin", "clean": "dirty",
}
FACTS = {
    "What color is the sky?": "blue", "What color is grass?": "green", "What colour are bananas?": "yellow",
    "What color is snow?": "white", "What color is a ripe tomato?": "red", "What color is coal?": "black",
    "What do you get when you mix blue and yellow?": "green", "What do you get when you mix red and white paint?": "pink",
    "How many legs does a spider have?": "eight|8", "How many legs does an insect have?": "six|6",
    "How many days are in a week?": "seven|7", "How many months are in a year?": "12|twelve",
    "How many continents are there?": "seven|7",
    "How many sides does a triangle have?": "three|3", "How many sides does a square have?": "four|4",
    "How many sides does a hexagon have?": "six|6", "How many wheels does a bicycle have?": "two|2",
    "How many legs does a dog have?": "four|4", "How many letters are in the English alphabet?": "26",
    "How many planets are in the solar system?": "eight|8", "How many strings does a violin have?": "four|4",
    "How many players are on a soccer team?": "11|eleven", "How many arms does an octopus have?": "eight|8",
    "How many days are in a leap year?": "366", "How many teeth does an adult have?": "32", "How many eyes does a cat have?": "two|2",
    "Which planet is closest to the Sun?": "mercury", "Which planet is the largest?": "jupiter",
    "What is the largest planet in our solar system?": "jupiter", "Which planet is known as the Red Planet?": "mars",
    "Which planet has rings?": "saturn", "What is the largest ocean?": "pacific", "What is the largest animal?": "whale",
    "What is the tallest mountain in the world?": "everest", "What is the fastest land animal?": "cheetah",
    "What is the tallest animal?": "giraffe", "What is the longest river in the world?": "nile|amazon",
    "What is the largest desert in the world?": "sahara|antarctic", "What is the largest continent?": "asia",
    "What is the smallest country in the world?": "vatican", "What is the largest country in the world?": "russia",
    "Who wrote Romeo and Juliet?": "shakespeare", "Who wrote Hamlet?": "shakespeare", "Who painted the Mona Lisa?": "vinci|leonardo",
    "Who wrote Pride and Prejudice?": "austen", "Who wrote 1984?": "orwell", "Who wrote Harry Potter?": "rowling",
    "Who was the first president of the United States?": "washington", "Who discovered gravity?": "newton",
    "Who developed the theory of relativity?": "einstein", "Who wrote The Odyssey?": "homer", "Who invented the telephone?": "bell",
    "Who invented the light bulb?": "edison", "Who was the first man on the Moon?": "armstrong", "Who painted Starry Night?": "gogh",
    "Who wrote Don Quixote?": "cervantes", "Who wrote Oliver Twist?": "dickens", "Who wrote War and Peace?": "tolstoy",
    "Who composed the Ninth Symphony?": "beethoven", "What gas do plants absorb from the air?": "carbon|co2",
    "What gas do we need to breathe?": "oxygen", "What is H2O?": "water", "What is the chemical symbol for gold?": "au",
    "What is the chemical symbol for water?": "h2o|h₂o", "What is the chemical symbol for oxygen?": "o", "What do bees make?": "honey",
    "What do cows drink?": "water", "What do pandas eat?": "bamboo", "What do caterpillars turn into?": "butterfl|moth",
    "What is frozen water called?": "ice", "What is the hardest natural substance?": "diamond",
    "What is the closest star to Earth?": "sun", "What force keeps us on the ground?": "gravity",
    "What organ pumps blood?": "heart", "What is the largest organ of the human body?": "skin", "What do lungs do?": "air|oxygen|breath",
    "Where is the Eiffel Tower?": "paris", "Where is the Great Wall?": "china", "Where are the pyramids of Giza?": "egypt",
    "Where is the Statue of Liberty?": "new york", "Where is Mount Fuji?": "japan", "Where is the Taj Mahal?": "india|agra",
    "Where is the Colosseum?": "rome|italy", "Where is Big Ben?": "london", "Where do kangaroos live?": "australia",
    "Where do polar bears live?": "arctic", "Where do penguins live?": "antarctic|south", "Which continent is Egypt in?": "africa",
    "Which continent is Brazil in?": "south america", "Which continent is India in?": "asia", "Which country is Berlin in?": "germany",
    "Which country is Kyoto in?": "japan", "What language do they speak in Brazil?": "portuguese", "What language is spoken in Mexico?": "spanish",
    "What language do people speak in Austria?": "german", "What currency is used in Japan?": "yen", "What is the currency of the UK?": "pound",
    "What is the currency of the United States?": "dollar", "In which season do leaves fall?": "autumn|fall",
    "Which season comes after winter?": "spring", "What day comes after Monday?": "tuesday", "What month comes after June?": "july",
    "What is the first month of the year?": "january", "What is the plural of mouse?": "mice", "What is the plural of child?": "children",
    "What is the past tense of go?": "went", "What is the past tense of eat?": "ate", "What do you call a baby dog?": "pup",
    "What do you call a baby cat?": "kitten", "What do you call a baby cow?": "calf", "What do you call a young sheep?": "lamb",
    "What sound does a cow make?": "moo", "What sound does a cat make?": "meow|purr", "Is a whale a fish?": "mammal",
    "Is a bat a bird?": "mammal|no", "Is the Sun a star?": "yes|star", "Is a tomato a fruit?": "fruit", "Is ice cold?": "cold|yes",
    "Can penguins fly?": "cannot|not|no|flightless", "Do fish have lungs?": "gill|no", "What do you use to cut paper?": "scissors",
    "What do you use an umbrella for?": "rain", "What is bread made of?": "flour", "What is cheese made from?": "milk",
    "What is wine made from?": "grape", "What is paper made from?": "wood|tree|pulp|cellulose", "What is glass made from?": "sand|silica",
    "When did World War II end?": "1945", "When did World War I begin?": "1914", "When did man first land on the moon?": "1969",
    "At what temperature does water freeze in Celsius?": "0|zero", "At what temperature does water boil in Celsius?": "100",
    "What year did the Titanic sink?": "1912", "What is the freezing point of water in Fahrenheit?": "32",
}
DEFINE = (
    "photosynthesis gravity evaporation democracy inflation electricity a_volcano an_earthquake a_rainbow a_planet a_comet "
    "an_atom a_molecule DNA a_cell evolution friction energy a_noun a_verb an_adjective a_metaphor a_simile a_haiku a_sonnet "
    "a_novel a_fable a_computer an_algorithm the_internet a_database software a_browser encryption machine_learning "
    "artificial_intelligence a_neural_network a_programming_language Python HTML an_operating_system a_variable a_mammal a_reptile "
    "an_amphibian a_vegetarian a_vegan a_carnivore a_herbivore a_desert an_island a_peninsula a_glacier a_river an_ecosystem "
    "a_food_chain recycling pollution climate_change a_budget a_loan interest a_bank a_stock_market a_tax economics philosophy "
    "ethics psychology biology chemistry physics geology astronomy history geography an_orchestra a_piano a_violin jazz "
    "opera ballet architecture a_sculpture a_museum a_library a_dictionary an_encyclopedia yoga meditation a_marathon chess "
    "baseball soccer tennis a_vitamin protein a_virus bacteria a_vaccine the_immune_system a_calorie insomnia allergies "
    "the_equator the_solar_system a_black_hole a_galaxy a_telescope a_microscope a_thermometer a_compass a_battery a_magnet "
    "a_prime_number a_triangle a_fraction an_angle a_circle geometry algebra pi a_democracy a_constitution a_president "
    "a_senator a_king the_Renaissance the_Industrial_Revolution the_Cold_War the_Roman_Empire the_Olympics Halloween Thanksgiving "
    "sushi pizza pasta tofu yogurt curry a_smoothie espresso green_tea olive_oil"
).split()
ANIMALS = "cat dog elephant lion tiger penguin dolphin owl horse rabbit frog turtle shark bee ant eagle snake wolf bear fox".split()
JOBS = "doctor teacher chef pilot nurse farmer lawyer plumber scientist librarian journalist architect dentist firefighter baker".split()
TOPICS = (
    "the sea,autumn,a cat,friendship,the moon,rain,a robot,coffee,spring,a small village,the night sky,a lost key,snow,"
    "a train ride,my grandmother,the library,a brave mouse,the forest,music,a dragon"
).split(",")
ADVICE = (
    "sleep better,learn English faster,save money,make friends in a new city,stop procrastinating,prepare for an exam,stay healthy,"
    "write a good email,take better photos,cook rice,make tea,make an omelette,clean a window,remember names,be more confident,"
    "start running,learn to code,read more books,relax after work,speak in public,grow tomatoes,train a puppy,pack a suitcase,"
    "choose a laptop,plan a birthday party,apologize to a friend,stay focused,improve my handwriting,drink more water,get over a cold"
).split(",")
WHY = (
    "is the sky blue,do leaves change color,do we sleep,do birds migrate,is the sea salty,do we have seasons,do cats purr,"
    "do dogs wag their tails,does the moon change shape,do we yawn,do stars twinkle,is exercise good for you,do we dream,"
    "is water important,do bees matter,do volcanoes erupt,does it rain,do people laugh,is reading important,do onions make you cry"
).split(",")
CHAT = (
    "Tell me a joke about cats.|Tell me something interesting.|Tell me a fun fact.|Tell me a fun fact about space.|Give me a quote about life.|"
    "Recommend a good book."
).split("|")
WRITING = (
    "Write a short poem about {}.|Write a haiku about {}.|Tell me a very short story about {}.|Write one sentence about {}.|"
    "Describe {} in one sentence.|Write a slogan about {}."
).split("|")
MISC = (
    "Name three fruits.|Name three vegetables.|List five animals.|Name a famous scientist.|Name three colors.|Give me a word that rhymes with cat.|"
    "Give me a word that rhymes with light.|Give me a synonym for happy.|Give me a synonym for big.|Give me a synonym for smart.|"
    "Name three countries in Europe.|Name three countries in Asia.|Name two rivers.|Name a Shakespeare play.|List three musical instruments.|"
    "Give me a name for a cat.|Give me a name for a blue parrot.|Suggest a title for a story about a lost dog.|Give three reasons to exercise.|"
    "Name three kinds of trees.|Name four seasons.|List the days of the week.|List the months of the year.|List the primary colors.|"
    "Name the five senses.|Name the oceans.|Name three sports played with a ball.|Use the word 'bright' in a sentence.|"
    "Use the word 'although' in a sentence.|Write a sentence with the word river.|Write a thank-you note to a teacher.|"
    "Write a short birthday message.|Write a two-line email asking for a day off.|Write an apology for being late.|"
    "Explain rain to a child.|Explain the internet to my grandmother.|What is the difference between a cat and a dog?|"
    "What is the difference between weather and climate?|What is the difference between speed and velocity?|"
    "What is the difference between a lake and a sea?|What is the difference between coffee and tea?|What makes a good friend?|"
    "What makes a good leader?|Is it better to read or to watch movies?|What are the benefits of walking?|What are the benefits of sleep?|"
    "What are some healthy snacks?|What are the states of matter?|What are the primary colors?|What are the parts of a plant?|"
    "What is the moral of the tortoise and the hare?|Who was Albert Einstein?|Who was Cleopatra?|Who was Marie Curie?|Who was Mozart?|"
    "Who was Abraham Lincoln?|Who was Isaac Newton?|Who is Santa Claus?|Who was Gandhi?|Who was Leonardo da Vinci?|Who was Socrates?|"
    "Tell me about Japan.|Tell me about the ocean.|Tell me about dinosaurs.|Tell me about Paris.|Tell me about the moon.|Tell me about Mars.|"
    "What is Paris famous for?|What is Italy known for?|What is Tokyo famous for?|What is Egypt known for?|"
    "What can I do in London?|What is New York famous for?|How do plants grow?|How do airplanes fly?|How does a bicycle work?|"
    "How do fish breathe?|How do magnets work?|How is chocolate made?|How do rainbows form?|How does the heart work?|How do birds fly?|"
    "How do computers work?|How does a refrigerator work?|How do clouds form?|What happens when water boils?|What happens when ice melts?|"
    "What happens during an eclipse?|What are clocks for?|What is time zone?|What is a kilometer?|What is a calculator?|What is multiplication?|"
    "What is the metric system?|What is a unit of measurement?|What is percent?|Why do we have time zones?|Who invented the clock?|"
    "What is addition?|What is a decimal number?|Why do we use kilograms?|Who invented zero?|What does a thermometer measure?|"
    "What is the story of Cinderella about?|What is Moby-Dick about?|What does RSVP mean?|What does CPU stand for?|What does USA stand for?|"
    "What does NASA stand for?|What does 'bonjour' mean?|How do you say hello in Spanish?|How do you say thank you in French?|"
    "How do you say goodbye in German?|What does carpe diem mean?|What does 'piece of cake' mean?|What does 'break a leg' mean?"
).split("|")
DEFINE_FORMS = ("What is {}?", "Explain {} in one sentence.", "what is {}", "Define {}.", "Can you explain {} briefly?", "Tell me what {} is.")
CAPITAL_FORMS = ("What is the capital of {}?", "what's the capital of {}", "Name the capital of {}.", "Which city is the capital of {}?")


def plain_questions(seed: int = 7) -> list[PlainQuestion]:
    """All of them, in a fixed order: about 1,200."""
    rng = random.Random(seed)
    found: list[PlainQuestion] = []
    for country, capital in CAPITALS.items():
        for form in rng.sample(CAPITAL_FORMS, 2):
            found.append(PlainQuestion(form.format(country), (capital.lower(),)))
    for word, opposites in OPPOSITES.items():
        form = rng.choice(("What is the opposite of {}?", "what's the opposite of '{}'?", "Give me the opposite of {}."))
        found.append(PlainQuestion(form.format(word), tuple(opposites.split("|"))))
    for text, right in FACTS.items():
        found.append(PlainQuestion(text, tuple(right.split("|"))))
        found.append(PlainQuestion(_sloppy(rng, text), tuple(right.split("|"))))
    for name in DEFINE:
        for form in rng.sample(DEFINE_FORMS, 2):
            found.append(PlainQuestion(form.format(name.replace("_", " "))))
    for animal in ANIMALS:
        form = rng.choice(("What do {}s eat?", "Where do {}s live?", "Tell me one fact about the {}.", "Describe a {}."))
        found.append(PlainQuestion(form.format(animal)))
    found.extend(PlainQuestion(rng.choice(("What does a {} do?", "What is a {}'s job?")).format(job)) for job in JOBS)
    for topic in TOPICS:
        found.extend(PlainQuestion(form.format(topic)) for form in rng.sample(WRITING, 3))
    for aim in ADVICE:
        form = rng.choice(("How can I {}?", "How do I {}?", "Give me one tip to {}.", "What is the best way to {}?"))
        found.append(PlainQuestion(form.format(aim)))
    for what in WHY:
        found.append(PlainQuestion(f"Why {what}?"))
    found.extend(PlainQuestion(text) for text in CHAT + MISC)
    for line in LINES.strip().split("\n"):
        text, *right = line.split("|")
        found.append(PlainQuestion(text, tuple(filter(None, right))))
    return list(dict.fromkeys(found))


def _sloppy(rng: random.Random, text: str) -> str:
    """The question as people type it in a hurry."""
    bare = text.rstrip("?")
    lower = bare[0].lower() + bare[1:]
    return rng.choice((lower, "Tell me: " + lower + "?", "Do you know " + lower + "?", bare.lower(), text + " Thanks."))
