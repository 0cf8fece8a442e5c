# ruff: noqa: E501, SIM905 (a line is a phrase, a word list is a string)
"""How people ask for a calculation. Each line is "question | expression | answer"; {r} is the tool's result.

Slots by kind: a, b: 2 to 999; n, m: 2 to 12; k: 13 to 60; L, M: 1000 to 999999; d, e: decimals; p, q: prices; c: a percentage;
who, thing, things: a name, a thing, things. A slot has one value throughout a line.
"""

from __future__ import annotations

DIRECT = """
What is {x}?|{x}|{x} is {r}.
what's {x}|{x}|{x} is {r}.
Calculate {x}.|{x}|{x} = {r}.
Compute {x}|{x}|{x} = {r}.
{x}|{x}|{x} = {r}.
{x} = ?|{x}|{x} = {r}.
{x}?|{x}|That is {r}.
How much is {x}?|{x}|{x} is {r}.
Can you work out {x} for me?|{x}|{x} is {r}.
Please calculate {x}|{x}|The result is {r}.
What does {x} equal?|{x}|{x} equals {r}.
Evaluate {x}.|{x}|The result is {r}.
Solve {x}|{x}|The answer is {r}.
Find the value of {x}.|{x}|The value is {r}.
Use the calculator: {x}|{x}|The calculator gives {r}.
I need the exact value of {x}.|{x}|The exact value is {r}.
Do the math: {x}|{x}|It comes to {r}.
hey, how much would {x} be?|{x}|It would be {r}.
Tell me the result of {x}.|{x}|The result is {r}.
My homework says {x}. What is the answer?|{x}|The answer is {r}.
Could you compute {x}, please?|{x}|{x} is {r}.
Is {x} easy? What's the answer?|{x}|The answer is {r}.
give me {x}|{x}|{x} is {r}.
Quick: {x}|{x}|{r}.
"""

VERBAL = """
What is {a} times {b}?|{a} * {b}|{a} times {b} is {r}.
what's {L} times {n}|{L} * {n}|{L} times {n} is {r}.
how much is {d} times {e}|{d} * {e}|{d} times {e} is {r}.
Multiply {a} by {b}.|{a} * {b}|{a} multiplied by {b} is {r}.
What do you get if you multiply {d} and {a}?|{d} * {a}|You get {r}.
What is the product of {a} and {b}?|{a} * {b}|The product is {r}.
What is {L} divided by {b}?|{L} / {b}|{L} divided by {b} is {r}.
divide {L} by {n}|{L} / {n}|{L} divided by {n} is {r}.
How much is {d} divided by {n}?|{d} / {n}|{d} divided by {n} is {r}.
Divide {a} by {b} please|{a} / {b}|{a} divided by {b} is {r}.
What is {L} plus {M}?|{L} + {M}|{L} plus {M} is {r}.
Add {d} and {e}.|{d} + {e}|The sum is {r}.
What is the sum of {a}, {b} and {k}?|{a} + {b} + {k}|The sum is {r}.
sum of {L} and {M}|{L} + {M}|The sum is {r}.
add up {a}, {b}, {k} and {n}|{a} + {b} + {k} + {n}|Together they are {r}.
What is {L} minus {a}?|{L} - {a}|{L} minus {a} is {r}.
Subtract {a} from {L}.|{L} - {a}|{L} minus {a} is {r}.
subtract {n} from {k}|{k} - {n}|{k} minus {n} is {r}.
take {p} away from {L}|{L} - {p}|{L} minus {p} is {r}.
What is the difference between {L} and {a}?|{L} - {a}|The difference is {r}.
how much is {M} less {L}|{M} - {L}|{M} less {L} is {r}.
What is {a} squared?|{a} ** 2|{a} squared is {r}.
the square of {d}|{d} ** 2|The square of {d} is {r}.
{k} cubed?|{k} ** 3|{k} cubed is {r}.
What is {n} to the power of {m}?|{n} ** {m}|{n} to the power of {m} is {r}.
raise {n} to the {m}th power|{n} ** {m}|The result is {r}.
What is the square root of {L}?|sqrt({L})|The square root of {L} is {r}.
square root of {a}|sqrt({a})|The square root of {a} is {r}.
What is the cube root of {L}?|{L} ** (1 / 3)|The cube root of {L} is {r}.
What is -{n} times {k}?|-{n} * {k}|-{n} times {k} is {r}.
sqrt {L}?|sqrt({L})|The square root of {L} is {r}.
What is half of {L}?|{L} / 2|Half of {L} is {r}.
a third of {L}|{L} / 3|A third of {L} is {r}.
What's a quarter of {p}?|{p} / 4|A quarter of {p} is {r}.
what is three quarters of {L}?|{L} * 3 / 4|Three quarters of {L} is {r}.
two thirds of {a}?|{a} * 2 / 3|Two thirds of {a} is {r}.
What is twice {d}?|{d} * 2|Twice {d} is {r}.
double {L}|{L} * 2|Double {L} is {r}.
Triple {p}.|{p} * 3|Three times {p} is {r}.
What is {c}% of {L}?|{c} / 100 * {L}|{c}% of {L} is {r}.
what's {c} percent of {a}|{c} / 100 * {a}|{c} percent of {a} is {r}.
how much is {c}% of {p}?|{c} / 100 * {p}|{c}% of {p} is {r}.
Take {c} percent of {d}.|{c} / 100 * {d}|{c} percent of {d} is {r}.
{c}% of {a}|{c} / 100 * {a}|{c}% of {a} is {r}.
{c}% of {L} plus {k}|{c} / 100 * {L} + {k}|It is {r}.
What is {c}% of {a} minus {n}?|{c} / 100 * {a} - {n}|It is {r}.
Increase {L} by {c}%.|{L} * (1 + {c} / 100)|{L} increased by {c}% is {r}.
Decrease {p} by {c} percent.|{p} * (1 - {c} / 100)|{p} decreased by {c} percent is {r}.
what is {a} plus {c} percent|{a} * (1 + {c} / 100)|{a} plus {c} percent is {r}.
What percentage is {k} of {a}?|{k} / {a} * 100|{k} is {r}% of {a}.
{n} is what percent of {k}?|{n} / {k} * 100|{n} is {r}% of {k}.
What is the average of {a}, {b} and {k}?|({a} + {b} + {k}) / 3|The average is {r}.
average of {p} and {q}|({p} + {q}) / 2|The average is {r}.
Find the mean of {n}, {m}, {k} and {a}.|({n} + {m} + {k} + {a}) / 4|The mean is {r}.
What is the remainder when {L} is divided by {n}?|{L} % {n}|The remainder is {r}.
remainder of {a} divided by {m}|{a} % {m}|The remainder is {r}.
What is {a} mod {n}?|{a} % {n}|{a} mod {n} is {r}.
How many times does {n} go into {L}?|{L} // {n}|{n} goes into {L} {r} times.
What is the sum of {a} and {b}, times {n}?|({a} + {b}) * {n}|It is {r}.
Multiply {n} by {m} and add {k}.|{n} * {m} + {k}|The result is {r}.
add {a} to {b} and divide by {n}|({a} + {b}) / {n}|The result is {r}.
Take {L}, subtract {a}, then multiply by {n}.|({L} - {a}) * {n}|The result is {r}.
Which is larger, {n} times {k} or {a}?|max({n} * {k}, {a})|The larger one is {r}.
Round {d} divided by {n} to two decimals.|round({d} / {n}, 2)|Rounded to two decimals it is {r}.
What is the absolute value of {n} minus {a}?|abs({n} - {a})|The absolute value is {r}.
"""

STORIES = """
A box holds {k} {things}. How many {things} are in {n} boxes?|{k} * {n}|{n} boxes hold {r} {things}.
There are {n} bags with {k} {things} in each. How many {things} is that?|{n} * {k}|That is {r} {things}.
{who} has {n} packs of {k} {things}. How many {things} does {who} have?|{n} * {k}|{who} has {r} {things}.
If one {thing} costs ${p}, how much do {n} cost?|{p} * {n}|{n} cost ${r}.
{n} {things} cost ${p} each. What do I pay?|{n} * {p}|You pay ${r}.
I buy {n} {things} at {p} dollars and {m} more at {q} dollars. What's the total?|{n} * {p} + {m} * {q}|The total is {r} dollars.
{who} buys a {thing} for ${p} and another for ${q}. How much is that together?|{p} + {q}|Together that is ${r}.
How much change do I get from $100 if I spend ${p}?|100 - {p}|You get ${r} back.
{who} had {a} {things} and gave away {n}. How many are left?|{a} - {n}|{who} has {r} {things} left.
There were {L} people and {a} left. how many are still there|{L} - {a}|There are still {r} people.
Split a bill of ${p} among {n} people.|{p} / {n}|Each person pays ${r}.
We are {n} friends and the dinner was {p} euros. How much does each of us pay?|{p} / {n}|Each of you pays {r} euros.
split {L} dollars evenly between {n} people|{L} / {n}|Each person gets {r} dollars.
The bill is ${p} and we want to tip {c}%. What's the tip?|{c} / 100 * {p}|The tip is ${r}.
What is a {c}% tip on ${p}?|{c} / 100 * {p}|The tip is ${r}.
Dinner cost ${p}. With a {c}% tip, what is the total?|{p} * (1 + {c} / 100)|The total is ${r}.
A {thing} costs ${p} and is {c}% off. What is the new price?|{p} * (1 - {c} / 100)|The new price is ${r}.
{c} percent discount on {p} dollars, how much do I pay|{p} * (1 - {c} / 100)|You pay {r} dollars.
how much do I save with {c}% off a ${p} {thing}?|{c} / 100 * {p}|You save ${r}.
A price of ${L} goes up by {c}%. What is it now?|{L} * (1 + {c} / 100)|It is now ${r}.
The {thing} is ${p} before {c}% sales tax. How much with tax?|{p} * (1 + {c} / 100)|With tax it is ${r}.
What is the area of a rectangle that is {a} by {b}?|{a} * {b}|The area is {r}.
A room is {d} meters long and {e} meters wide. What is its area?|{d} * {e}|Its area is {r} square meters.
area of a square with side {d}|{d} ** 2|The area is {r}.
A garden measures {n} m by {k} m. How many meters of fence do I need around it?|2 * ({n} + {k})|You need {r} meters of fence.
What is the perimeter of a rectangle with sides {a} and {b}?|2 * ({a} + {b})|The perimeter is {r}.
Volume of a box {n} by {m} by {k}?|{n} * {m} * {k}|The volume is {r}.
What is the volume of a cube with edge {d}?|{d} ** 3|The volume is {r}.
Area of a triangle with base {a} and height {b}|{a} * {b} / 2|The area is {r}.
What's the area of a circle with radius {n}? Use 3.14159.|3.14159 * {n} ** 2|The area is {r}.
A car drives {a} km in {n} hours. What is its average speed?|{a} / {n}|Its average speed is {r} km/h.
I drive {k} miles an hour for {d} hours. How far do I get?|{k} * {d}|You get {r} miles far.
How long does it take to go {L} km at {k} km per hour?|{L} / {k}|It takes {r} hours.
{who} earns ${p} an hour and works {k} hours. What does {who} earn?|{p} * {k}|{who} earns ${r}.
I make {L} dollars a month. How much is that a year?|{L} * 12|That is {r} dollars a year.
My rent is ${a} a week. How much is that for {k} weeks?|{a} * {k}|That is ${r}.
{who} saves ${a} every month. How much after {n} years?|{a} * 12 * {n}|After {n} years {who} has saved ${r}.
I read {k} pages a day. How many pages in {n} weeks?|{k} * 7 * {n}|You read {r} pages.
A book has {a} pages and I read {k} a day. How many days does it take?|{a} / {k}|It takes {r} days.
How many minutes are in {k} days? Do it as a calculation.|{k} * 24 * 60|There are {r} minutes.
How old is someone in 2026 who was born in {year}?|2026 - {year}|They are {r} years old.
{who} was born in {year}. How old will {who} be in 2040?|2040 - {year}|{who} will be {r} years old.
{who} is {k} and her father is {n} times as old. How old is he?|{k} * {n}|He is {r} years old.
{who} is {k} years old. In {n} years, how old is {who}?|{k} + {n}|{who} will be {r} years old.
How many {things} does each child get if {k} children share {L} {things}?|{L} / {k}|Each child gets {r} {things}.
A farmer has {a} cows, {b} sheep and {k} goats. How many animals are there?|{a} + {b} + {k}|There are {r} animals.
A recipe for {n} people needs {a} grams of flour. How much for {m} people?|{a} / {n} * {m}|You need {r} grams.
one egg has {k} calories, how many calories do {n} eggs have?|{k} * {n}|They have {r} calories.
A train has {n} cars with {k} seats each, and {m} seats are taken. How many are free?|{n} * {k} - {m}|There are {r} free seats.
A school has {k} classes of {n} students. {m} students are ill. How many are there today?|{k} * {n} - {m}|There are {r} students today.
A theater has {k} rows of {n} seats. How many seats are there?|{k} * {n}|There are {r} seats.
petrol costs {p} per liter, how much for {k} liters?|{p} * {k}|{k} liters cost {r}.
Gas is ${p} a gallon. I need {d} gallons. What will I pay?|{p} * {d}|You will pay ${r}.
I have ${L} and spend ${p} a day. How much is left after {n} days?|{L} - {p} * {n}|You have ${r} left.
{who} runs {d} km on each of {n} days. How many kilometers is that?|{d} * {n}|That is {r} kilometers.
A phone costs ${L}. I pay it in {n} equal parts. How much is each?|{L} / {n}|Each part is ${r}.
Simple interest on ${L} at {c}% for {n} years?|{L} * {c} / 100 * {n}|The interest is ${r}.
My test scores are {a}, {b} and {k}. What is my average?|({a} + {b} + {k}) / 3|Your average is {r}.
{a} of {L} voters said yes. What percent is that?|{a} / {L} * 100|That is {r}%.
I scored {k} out of {a} points. what's my percentage|{k} / {a} * 100|Your percentage is {r}%.
Each shelf holds {k} books. How many shelves do I need for {L} books?|{L} / {k}|You need {r} shelves.
A stock rose from {p} to {q}. How much is the change?|{q} - {p}|The change is {r}.
The temperature was {n} degrees and fell by {k}. What is it now?|{n} - {k}|It is now {r} degrees.
Our electricity use was {L} kWh at {p} per kWh. What does it cost?|{L} * {p}|It costs {r}.
If I drink {n} glasses a day, how many glasses is that in a year of 365 days?|{n} * 365|That is {r} glasses.
how many seconds in {n} hours and {k} minutes|{n} * 3600 + {k} * 60|That is {r} seconds.
{who} types {k} words per minute. How many words in {d} minutes?|{k} * {d}|{who} types {r} words.
Six coffees at {p} each, plus {n} cakes at {q}: total?|6 * {p} + {n} * {q}|The total is {r}.
I have {n} twenty-dollar bills and {m} five-dollar bills. How much money is that?|{n} * 20 + {m} * 5|That is {r} dollars.
A dozen eggs cost ${p}. What does one egg cost?|{p} / 12|One egg costs ${r}.
How many eggs are {n} dozen?|{n} * 12|{n} dozen are {r} eggs.
{who} buys {n} dozen {things}. How many {things} is that?|{n} * 12|That is {r} {things}.
The bill is ${p}; we add a {c}% tip and split it {n} ways. What does each pay?|{p} * (1 + {c} / 100) / {n}|Each pays ${r}.
What is the area of a circle with radius {d}?|pi * {d} ** 2|The area is {r}.
circumference of a circle with radius {n}|2 * pi * {n}|The circumference is {r}.
I put ${L} in the bank at {c}% a year. How much after {n} years with compound interest?|{L} * (1 + {c} / 100) ** {n}|You have ${r}.
{who} is {a} cm tall and grew {n} cm. How tall is {who} now?|{a} + {n}|{who} is {r} cm tall now.
I bought {n} {things} for ${p} each and paid with a $100 bill. How much change do I get?|100 - {n} * {p}|You get ${r} back.
{who} has {a} {things}, buys {k} more and gives away {n}. How many are there now?|{a} + {k} - {n}|Now there are {r} {things}.
{k} students each pay ${p} for a trip. The bus costs ${a}. How much money is left?|{k} * {p} - {a}|There is ${r} left.
what is my hourly wage if I earn ${L} in {k} hours?|{L} / {k}|Your hourly wage is ${r}.
How much do {d} kg of apples cost at ${p} per kg?|{d} * {p}|They cost ${r}.
My car uses {d} liters per 100 km. How many liters for {a} km?|{d} / 100 * {a}|It needs {r} liters.
I've read {k} pages of a {a}-page book. How many pages are left?|{a} - {k}|There are {r} pages left.
{n} pizzas are cut into {m} slices each. How many slices are there?|{n} * {m}|There are {r} slices.
{n} kids share {L} {things} equally. How many {things} are left over?|{L} % {n}|There are {r} {things} left over.
A town of {L} people grows by {c}%. How many people live there now?|{L} * (1 + {c} / 100)|Now {r} people live there.
I sleep {n} hours a night. How many hours is that in a year?|{n} * 365|That is {r} hours.
Rent is ${a} a month plus ${p} for heating. What do I pay in a year?|({a} + {p}) * 12|You pay ${r} in a year.
what's the total of {p}, {q} and {n} dollars|{p} + {q} + {n}|The total is {r} dollars.
If one euro is {d} dollars, how many dollars are {a} euros?|{a} * {d}|{a} euros are {r} dollars.
{who} scored {k}, {n} and {m} points in three games. How many points in total?|{k} + {n} + {m}|{who} scored {r} points.
Parking is ${p} an hour. What do {n} hours cost?|{p} * {n}|They cost ${r}.
A printer prints {k} pages a minute. How many minutes for {L} pages?|{L} / {k}|It takes {r} minutes.
It is -{n} degrees and gets {k} degrees warmer. What is the temperature then?|-{n} + {k}|Then it is {r} degrees.
{who} walks {L} steps a day. How many steps is that in {n} days?|{L} * {n}|That is {r} steps.
We have {a} guests and tables for {n}. How many tables is that?|{a} / {n}|That is {r} tables.
Shirts are ${p}, and I take {n} with {c}% off. What is my total?|{n} * {p} * (1 - {c} / 100)|Your total is ${r}.
A {d} m rope is cut into {n} pieces. How long is each piece?|{d} / {n}|Each piece is {r} m long.
A board of {k} feet is sawn into {n} equal parts. How long is one part?|{k} / {n}|One part is {r} feet long.
{d} liters of juice are poured into {n} glasses. How much is in each glass?|{d} / {n}|Each glass holds {r} liters.
A {k} kg bag of rice is split into {n} portions. How heavy is a portion?|{k} / {n}|A portion weighs {r} kg.
{n} boxes weigh {d} kg each. What do they weigh together?|{n} * {d}|Together they weigh {r} kg.
A candy costs {k} cents. How many cents do {n} candies cost?|{k} * {n}|They cost {r} cents.
{who} swims {k} laps of {a} meters. How many meters is that?|{k} * {a}|That is {r} meters.
A {a} km trip is {k} km done. How many km are left?|{a} - {k}|There are {r} km left.
A recipe takes {k} minutes and I make it {n} times. How many minutes is that?|{k} * {n}|That is {r} minutes.
A concert ticket is ${p}. How many tickets can I buy with ${L}?|{L} // {p}|You can buy {r} tickets.
"""

NAMES = ("Anna,Ben,Mia,Tom,Lucy,Omar,Wei,Priya,Carlos,Nina,Jack,Emma,Yuki,Ali,Sara,Leo,Grace,Ivan,Maria,Sam,Ella,Noah,Chen,"
         "Fatima,Peter,Olga,David,Hana,Luis,Zoe").split(",")
THINGS = ("apple,pencil,book,ticket,shirt,cookie,marble,stamp,chair,candle,orange,notebook,sticker,egg,card,bottle,balloon,coin,"
          "toy,cup,plate,flower,photo,ball,lamp,mug,key ring,puzzle,sandwich,muffin").split(",")

THINKING = """
I need {x}. The calculator can do that.
This is {x}; I use the calculator.
The calculation is {x}.
I should compute {x} with the calculator.
So: {x}.
{x} is a job for the calculator.
"""
DONE_THINKING = """
The result is {r}.
The tool says {r}.
It gave {r}, so I can answer.
I have the result: {r}.
"""

FOLLOW_UPS = """
And divided by {n}?|{before} / {n}|{before} divided by {n} is {r}.
now times {n}|{before} * {n}|{before} times {n} is {r}.
and plus {a}?|{before} + {a}|{before} plus {a} is {r}.
Now subtract {n}.|{before} - {n}|{before} minus {n} is {r}.
What is half of that?|{before} / 2|Half of {before} is {r}.
And {c}% of that?|{c} / 100 * {before}|{c}% of {before} is {r}.
Multiply that by {k}.|{before} * {k}|{before} times {k} is {r}.
add {k} to it|{before} + {k}|{before} plus {k} is {r}.
Double it.|{before} * 2|Double {before} is {r}.
now what is that squared?|{before} ** 2|{before} squared is {r}.
divide the result by {m} please|{before} / {m}|{before} divided by {m} is {r}.
"""
