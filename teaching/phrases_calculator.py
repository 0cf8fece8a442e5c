# ruff: noqa: SIM905 (a word list is a string)
"""What fills the slots of a calculation, and the questions that only make sense after one."""

from __future__ import annotations

NAMES = ("Anna,Ben,Mia,Tom,Lucy,Omar,Wei,Priya,Carlos,Nina,Jack,Emma,Yuki,Ali,Sara,Leo,Grace,Ivan,Maria,Sam,Ella,Noah,Chen,"
         "Fatima,Peter,Olga,David,Hana,Luis,Zoe").split(",")
THINGS = ("apple,pencil,book,ticket,shirt,cookie,marble,stamp,chair,candle,orange,notebook,sticker,egg,card,bottle,balloon,coin,"
          "toy,cup,plate,flower,photo,ball,lamp,mug,key ring,puzzle,sandwich,muffin").split(",")

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
