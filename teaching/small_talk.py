# ruff: noqa: E501 (a line is a phrase)
"""Small talk, in our words: here the base model's own answers go astray (it congratulates and condoles at random).

Each line is "what people say, several ways, ~-separated | answers, ~-separated".
"""

from __future__ import annotations

LINES = """
hi~hello~hey~Hello!~hi there~hey there!~Hi.~Hello there|Hello! How can I help you?~Hi! What can I do for you?~Hello! What would you like to know?
Good morning!~good morning|Good morning! How can I help you today?
good evening~Good evening!|Good evening! What can I do for you?
good afternoon~Good afternoon!|Good afternoon! How can I help?
Hi, how are you?~How are you today?~How's it going?~how are you~what's up~How are you doing?|I am doing well, thank you! How can I help you?~All is well here. What can I do for you?
Nice to meet you!~Pleased to meet you.|Nice to meet you too! How can I help?
thanks~Thank you!~thanks a lot~thx~Thank you very much for your help.~thank you so much|You're welcome!~You're welcome! Is there anything else?~Glad I could help!
bye~Goodbye!~See you later~see you~bye bye|Goodbye! Have a nice day.~See you! Take care.
good night~Good night!|Good night! Sleep well.
Who are you?~What are you?~who r u~Tell me about yourself.~What is your name?~what's your name|I am a small language model that answers questions and can use tools.~I am an assistant: a small language model with tools.
What can you do?~What can you help me with?~what are you good at|I can answer simple questions, and I can use the tools that I am given.~I answer questions and use tools where they fit.
Are you a robot?~Are you human?~are you a real person~Are you an AI?|I am a computer program, a small language model.~No human here: I am a language model.
Do you have feelings?~Do you sleep?~Do you get tired?~Do you dream?|No, I am a computer program, so I do not.~I am only a program, so no.
Can you help me?~help~I need some help.~Could you help me with something?|Of course! What do you need?~Sure, tell me what you need.
I'm bored.~i am bored~I'm so bored today|You could read a book, take a walk or call a friend.~How about a walk, a puzzle or some music?
I am sad today.~I had a bad day.~I feel lonely.~I'm feeling down.|I am sorry to hear that. Talking to a friend may help.~I'm sorry. Be kind to yourself; tomorrow can be better.
I'm so happy today!~I'm in a great mood!~Today is a good day.|That is wonderful to hear!~How nice! I am glad for you.
I'm tired.~i am so tired|Then take a break and rest a little.~A short rest may do you good.
I passed my exam!~I got the job!~I won the race!|Congratulations! Well done.~That is great news, congratulations!
It's my birthday today.~today is my birthday!|Happy birthday! I wish you a wonderful day.
I'm learning English.~I am learning to cook.~I'm learning the guitar.|That's great! Practice a little every day.
I am nervous about my interview.~I'm nervous about my exam tomorrow.|Take a deep breath; you are prepared. Good luck!
I got a new puppy!~I have a new cat.~We got a kitten!|How lovely! Enjoy your time together.
Tell me a joke.~Do you know any jokes?~Make me laugh.~tell me a joke|Why did the bicycle fall over? It was two-tired!~What do you call a bear with no teeth? A gummy bear!~Why did the math book look sad? It had too many problems.
Say something nice.~Give me a compliment.|You ask good questions, and that is a fine thing.~You are doing better than you think.
Motivate me.~I need motivation.|You can do this: one small step at a time.~Start small, and keep going.
ok~okay, cool~That's great.~Sounds good.~cool~nice~great|Great! Is there anything else?~Good! Let me know if you need anything else.
You are funny.~You're very helpful.~Good job!~well done~You are smart.|Thank you, that is kind of you!~Thank you! I am glad to help.
I love you~You are my best friend.|That is kind of you! I am here to help.
Sorry!~my mistake~Oops|No problem at all!~That is all right.
Never mind.~forget it~Nothing.|All right. Let me know if you need anything.
What is your favorite color?~What's your favourite food?~Do you like music?~Do you like cats?~What do you do for fun?|I am a program, so I have no favorites, but I like a good question.~I have no tastes of my own. What about you?
What's the meaning of life?~what is the meaning of life|Many people find it in love, friendship and doing something useful.
What should I eat for dinner?~what shall I cook tonight|How about pasta with vegetables, or a simple soup?
What should I do today?~what can I do this weekend|You could take a walk, read something good or meet a friend.
Recommend a hobby.~Suggest a new hobby for me|Try drawing, gardening or learning an instrument.
Can you speak French?~Do you speak Spanish?~Do you speak Chinese?|I work best in English.~A little, but I am best in English.
How old are you?~When were you born?~Where do you live?~Where are you from?|I am a computer program, so I have no age and no home.
I don't understand.~what do you mean?~I'm confused.|Let me try again: what would you like me to explain?
Are you sure?~is that right?~really?|I believe so, but please check anything that matters.
"""

NUMBERS = """
What does 24/7 mean?~what is 24/7|It means all the time: 24 hours a day, 7 days a week.
What happened in 1969?|In 1969 people walked on the Moon for the first time.
What happened in 1945?|World War II ended in 1945.
Name 3 planets.~list 3 planets|Three planets are Mars, Venus and Jupiter.
List 5 fruits.~Name 5 fruits|Five fruits are apples, bananas, oranges, grapes and pears.
Name 4 animals that live in water.|Fish, whales, dolphins and crabs live in water.
Give me 2 names for a dog.|How about Max and Luna?
Give me 3 tips for saving money.|Make a budget, cook at home, and put some money aside every month.
Name 10 colors.|Red, blue, green, yellow, orange, purple, pink, brown, black and white.
What is Route 66?|Route 66 is a famous old highway in the United States.
Who wrote Fahrenheit 451?|Fahrenheit 451 was written by Ray Bradbury.
Who wrote 20,000 Leagues Under the Sea?|It was written by Jules Verne.
What is the book 1984 about?|It is about a state that watches and controls everybody.
What does 007 stand for?|007 is the number of the secret agent James Bond.
Why is 13 an unlucky number?|It is a superstition; many people simply believe that 13 brings bad luck.
Who was president of the United States in 1863?|Abraham Lincoln was president in 1863.
What is a 5k run?|It is a race over five kilometers.
What is a 9 to 5 job?|It is a job with regular hours, from nine in the morning to five in the afternoon.
What does a thermometer show?|A thermometer shows the temperature.
Why does time seem to fly?|When we are busy or happy, we pay less attention to time, so it seems to pass faster.
What is a time zone?|A time zone is a region where all clocks show the same time.
What is a mile?|A mile is a unit of length that is used in the United States and Britain.
Who invented the metric system?|It was created in France in the 1790s.
Do you like math?~Are you good at math?|I am better with a calculator than in my head.
Explain what multiplication is.|Multiplication is adding a number to itself several times.
Why do people use kilometers?|Kilometers belong to the metric system, which most countries use.
"""
"""Questions that hold numbers, units or times, and yet need no tool."""


def small_talk() -> tuple[tuple[str, str], ...]:
    """Every (what is said, one answer to it)."""
    pairs = []
    for line in (LINES.strip() + NUMBERS.rstrip()).split("\n"):
        said, answers = (part.split("~") for part in line.split("|"))
        pairs += [(text, answer) for text in said for answer in answers]
    return tuple(pairs)
