"""More questions that need no tool: many that hold a number or ask for one, and many that begin as questions for a tool do.

Each line is "question | words of which a right answer holds one", the words after a bar each, or none.
"""

from __future__ import annotations

LINES = """
How many people are on a football team?|11|eleven
How many people are on a basketball team?|five|5
How many people play in a baseball team?|nine|9
How many bones are in the human body?|206
How many fingers does a person have?|ten|10
How many toes do people have?|ten|10
How many eyes does a spider have?|eight|8
How many wings does a butterfly have?|four|4
How many wings does a bird have?|two|2
How many legs does a horse have?|four|4
How many legs does an ant have?|six|6
How many hearts does an octopus have?|three|3
How many oceans are there?|five|5
How many states are in the United States?|50|fifty
How many colors are in a rainbow?|seven|7
How many weeks are in a year?|52
How many seasons are there?|four|4
How many strings does a guitar have?|six|6
How many keys does a piano have?|88
How many cards are in a deck?|52
How many vowels are in English?|five|5
How many sides does a pentagon have?|five|5
How many sides does an octagon have?|eight|8
How many wheels does a tricycle have?|three|3
How many moons does Earth have?|one|1
How many dwarfs did Snow White meet?|seven|7
How many players are on a volleyball team?|six|6
How many chambers does the heart have?|four|4
How many lungs do people have?|two|2
How many rings are on the Olympic flag?|five|5
How many stars are on the American flag?|50|fifty
How old is the Earth?|billion
How far away is the Moon?|kilomet|mile
How far is the Sun from Earth?|million
How tall is Mount Everest?|8,8|29,0|8848|29029
How tall is the Eiffel Tower?|3|1,0
How deep is the ocean?|
How fast is light?|299|300,000|186
How fast can a cheetah run?|mile|kilomet|mph
How big is an elephant?|
How heavy is a blue whale?|ton
How long do cats live?|year
How long do dogs live?|year
How long does it take to boil an egg?|minute
How long is a marathon?|26|42
How long is the Great Wall of China?|mile|kilomet
How hot is the Sun?|degree
How cold is Antarctica?|
How old was Mozart when he died?|35
How much water should I drink a day?|
How much sleep does a person need?|hour
How much does an elephant weigh?|
When was the Eiffel Tower built?|188
When was the Declaration of Independence signed?|1776
When was Albert Einstein born?|1879
When did Columbus reach America?|1492
When did the Berlin Wall fall?|1989
When is Christmas?|december
When is Halloween?|october
When is New Year's Day?|january
When is Valentine's Day?|february
When does spring begin?|march|september
What is the boiling point of water?|100|212
What is the freezing point of water?|0|32
What is the speed of light?|299|300,000|186
What is the normal body temperature?|98|37
What is the population of China?|billion
What is the largest number?|
What is a prime number?|divis|1
What is pi?|3.14
What is zero?|
What is a dozen?|12|twelve
What is a century?|100
What is a decade?|10|ten
What is a millennium?|1,000|1000|thousand
What is a leap year?|366|day|february
What is a kilogram?|mass|weight
What is a meter?|length|distance
What is a gallon?|volume|liquid
What is a light-year?|distance|light
What is a second?|time
What is the time of day called when the sun rises?|dawn|sunrise|morning
What time of year do birds migrate?|spring|fall|autumn
What time of day is best for exercise?|
What is the best time to visit Japan?|
What is the best time to plant tomatoes?|spring|frost|
What is the difference between a mile and a kilometer?|
What is the difference between mass and weight?|
What is the difference between AM and PM?|
What is the difference between a violin and a viola?|
What is the difference between a frog and a toad?|
What is the difference between a star and a planet?|
Tell me about whales|
Tell me about London.|
Tell me about New York.|
Tell me about the Sun.|
Tell me about cats.|
Tell me about elephants.|
Tell me about Shakespeare.|
Tell me about the Roman Empire.|
Tell me about chocolate.|
Tell me about volcanoes.|
Tell me about the history of chess.|
Tell me about tea.|
Tell me about Australia.|
Tell me about robots.|
Tell me about the violin.|
Tell me about soccer.|
Tell me something about bees.|
Tell me something about Berlin.|
Tell me a story about a fox.|
Tell me a short story about a snowman.|
Tell me one interesting thing about octopuses.|
What do you know about Paris?|
What do you know about dolphins?|
Give me a fun fact about honey.|
Give me a recipe for pancakes.|
Give me an idea for a gift.|
Give me a riddle.|
Give me an example of a mammal.|
Give me an example of a metaphor.|
Give me a sentence with the word calculator.|
Give me a sentence with the word time.|
Give me a reason to learn to swim.|
What should I name my goldfish?|
What should I wear to a wedding?|
What should I bring to a picnic?|
What should I do if I have a headache?|
What should I cook with potatoes?|
Which is better, tea or coffee?|
Which is bigger, the Sun or the Moon?|sun
Which is larger, Earth or Jupiter?|jupiter
Which animal is the king of the jungle?|lion
Which bird cannot fly?|ostrich|penguin|emu|kiwi
Which country has the most people?|china|india
Which country is famous for pizza?|italy
Which country gave the Statue of Liberty to the United States?|france
Which language has the most speakers?|mandarin|chinese|english
Which metal is liquid at room temperature?|mercury
Which fruit is yellow and curved?|banana
Which gas makes balloons float?|helium
Which sense do we use with our nose?|smell
Which month has 28 days?|february
Which day comes before Friday?|thursday
Which is the coldest season?|winter
Who was Julius Caesar?|
Who was Galileo?|
Who was Charles Darwin?|
Who was Beethoven?|
Who was Martin Luther King?|
Who was Nelson Mandela?|
Who was Anne Frank?|
Who was Picasso?|
Who is the author of The Hobbit?|tolkien
Who wrote Frankenstein?|shelley
Who wrote Alice in Wonderland?|carroll
Who wrote Sherlock Holmes?|doyle
Who wrote The Great Gatsby?|fitzgerald
Who wrote The Old Man and the Sea?|hemingway
Who painted The Last Supper?|vinci|leonardo
Who composed The Four Seasons?|vivaldi
Who invented the airplane?|wright
Who invented the printing press?|gutenberg
Who discovered penicillin?|fleming
Who discovered radium?|curie
Who was the second president of the United States?|adams
Who was the 16th president of the United States?|lincoln
Where is Machu Picchu?|peru
Where is the Golden Gate Bridge?|san francisco
Where is the Sahara Desert?|africa
Where is the Louvre?|paris
Where is the Grand Canyon?|arizona
Where is the White House?|washington
Where is the Amazon rainforest?|south america|brazil
Where do tigers live?|asia
Where do camels live?|desert
Where does the sun rise?|east
Where does chocolate come from?|cacao|cocoa
Where does milk come from?|cow
Why is 7 a lucky number?|
Why do we have leap years?|
Why do clocks go clockwise?|
Why is time important?|
Why is gold expensive?|
Why is math useful?|
Why do cats have whiskers?|
Why do we need sleep?|
Why do people travel?|
Why do we celebrate birthdays?|
Why is the grass green?|chlorophyll
Is the Earth round?|
Is water wet?|
Is a tomato a vegetable?|
Is the moon a planet?|moon|satellite
Is gold a metal?|yes|metal
Is seven a prime number?|yes|prime
Is milk good for you?|
Is it cold at the North Pole?|cold
Is it hard to learn Chinese?|
Is it healthy to eat eggs every day?|
Can dogs eat chocolate?|no|not|toxic
Can fish fly?|
Can you swim in the Dead Sea?|
Can cats see in the dark?|
Can you eat raw eggs?|
Do bees sleep?|
Do snakes have legs?|no|not
Do plants need light?|yes|light
Do you know the story of Noah's ark?|
Do you know any good books?|
Does the sun move?|
Are bananas healthy?|
Are sharks dangerous?|
Are dolphins fish?|mammal
Translate 'good morning' to Spanish.|buenos
How do you say 'I love you' in French?|je t'aime|aime
How do you say 'cat' in Spanish?|gato
How do you spell 'necessary'?|necessary
How do I tie a tie?|
How do I convert my hobby into a job?|
How do I calculate my happiness?|
How do I spend my time better?|
How do I measure success?|
How can I be on time?|
How can I lose weight?|
How can I make more friends at work?|
How was your day?|
How do vaccines work?|
How do volcanoes form?|
How do trees grow?|
How do I make lemonade?|
How do I write a letter to a friend?|
How does a clock work?|
How does a calculator work?|
How does the internet work?|
Explain time zones.|
Explain gravity to a five-year-old.|
Explain how rain forms.|
Explain what a budget is.|
Describe the color blue.|
Describe your perfect day.|
Describe a sunset in one sentence.|
Write a poem about time.|
Write a two-line poem about the number seven.|
Write a short message to my mother.|
Write a tweet about coffee.|
Write a short thank-you note.|
Write a one-sentence summary of Cinderella.|
Finish the sentence: The early bird|
What rhymes with blue?|
What is another word for quick?|fast|rapid|swift|speedy
What is another word for beautiful?|
What is the opposite of north?|south
What is the opposite of success?|fail
What is the plural of foot?|feet
What is the past tense of run?|ran
What color do you get from red and yellow?|orange
What color is an emerald?|green
What color is the sun?|
What shape is a ball?|sphere|round
What shape has three sides?|triangle
What sound does a dog make?|bark|woof
What do rabbits eat?|
What do cows eat?|grass|hay
What do scientists do?|
What do you call a group of lions?|pride
What do you call a house made of snow?|igloo
What do you call a person who writes books?|author|writer
What do you use a ruler for?|measur
What is the main idea of democracy?|
What is the capital of Spain known for?|
What is the national animal of Australia?|kangaroo
What is the national language of Egypt?|arabic
What is the currency of China?|yuan|renminbi
What is the currency of India?|rupee
What is your favorite book?|
What is your favorite number?|
What is love?|
What is happiness?|
What is the news?|
What is a good name for a cafe?|
What is a healthy breakfast?|
What is the best way to learn the piano?|
What makes the sky red in the evening?|
What causes thunder?|
What causes the seasons?|
What causes tides?|moon
What happens to the water when it freezes?|ice|solid
What happened in 1492?|columbus
What happened on July 4, 1776?|independence
What happened to the dinosaurs?|extinct|asteroid
"""
