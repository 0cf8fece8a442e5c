"""The phrases of the curriculum: every line can be filled and calculated, and a word rule says what its expression does."""

from __future__ import annotations

import random
import re

import pytest

from teaching import one_question, phrases, two_questions
from teaching.curriculum import GROUP
from teaching.format import FOLDER
from teaching.relations import SCENES
from teaching.situations import KINDS
from teaching.student import RANK
from teaching.tasks import UnfitError, World, slots
from teaching.train import STEPS

_WRAPPED = re.compile(r"^(?:abs|round|sqrt|max|min)\((.*?)(?:, ?\d+)?\)$")


def _operators(expression: str) -> list[str]:
    """The operators and brackets of an expression, in order, without those of a function around all of it."""
    return re.findall(r"\*\*|//|[-+*/%()]", _WRAPPED.sub(r"\1", expression))


RULES = [
    *((line[1], line[3]) for line in (text.split("|") for text in phrases.lines("stories"))),
    *((line[1], line[3]) for line in (text.split("|") for text in phrases.lines("chains", "CALCULATE_THEN_CONVERT"))),
    *((line[1], line[5]) for line in (text.split("|") for text in phrases.lines("chains", "AREA_AND_SPEED"))),
]


def test_a_word_rule_has_the_operators_of_its_expression_in_the_same_order() -> None:
    assert len(RULES) > 800
    assert [(expr, rule) for expr, rule in RULES if _operators(rule.split(" = ", 1)[1]) != _operators(expr)] == []


@pytest.mark.parametrize(("file", "block"), [("stories", ""), ("verbal", ""), ("chains", "CALCULATE_THEN_CONVERT")])
def test_an_expression_can_be_calculated_from_what_the_question_says(file: str, block: str) -> None:
    """Each slot of the expression is in the question, and for most values the calculator has a result."""
    rng = random.Random(3)
    world = World(rng)
    for question, expression, *_ in (line.split("|") for line in phrases.lines(file, block)):
        used, said = (set(re.findall(r"\{(\w+)\}", text)) for text in (expression, question))
        assert used <= said, question
        results = [world.call("calculator", {"expression": expression.format(**slots(rng))}) for _ in range(20)]
        assert any(not result.startswith("error") for result in results), question


def _made(maker: one_question.Maker, seed: int) -> list[str]:
    """What a maker asks, from some seeds."""
    found = []
    for n in range(40):
        try:
            found.append(maker(World(random.Random(f"{seed}/{n}"))).question)
        except UnfitError:
            continue
    return found


@pytest.mark.parametrize("maker", [
    one_question.conversion, one_question.clock, one_question.direct, one_question.verbal, one_question.story,
    one_question.yes_no, one_question.plain, one_question.fact, one_question.now, two_questions.places,
    two_questions.calculations, two_questions.conversions, two_questions.units, two_questions.unlike, two_questions.with_fact,
    two_questions.three_places,
])
def test_every_maker_fills_all_slots_of_its_phrases(maker: one_question.Maker) -> None:
    questions = _made(maker, 1)
    assert len(questions) > 20
    assert not [question for question in questions if re.search(r"\{\w+\}", question)]


def test_the_model_card_counts_what_the_recipe_teaches() -> None:
    card = " ".join((FOLDER / "MODEL_CARD.md").read_text("utf-8").split())
    blocks = [one_question.DIRECT, one_question.VERBAL, one_question.STORIES, one_question.CONVERT, one_question.TIME]
    blocks += [*one_question.SITUATIONS.values(), *(phrases.block("times", name) for name in ("TIME_YES_NO", "WEEKEND", "NOW"))]
    n_sentences = sum(len(phrases.lines("relations", scene)) for scene in SCENES)
    n_situations = sum(len(phrases.lines("situations", kind)) for kind in KINDS)
    n_phrasings = sum(len(block.split("\n")) for block in blocks)
    for said in (
        f"{STEPS * GROUP:,} generated conversations", f"{STEPS:,} steps of six conversations", f"LoRA of rank {RANK}",
        f"about {n_phrasings // 100 * 100:,} phrasings", f"{len(one_question.FACTS)} simple facts",
        f"answers to {len(one_question.own_answers())} of them", f"{n_sentences:,} further sentences of {len(SCENES)} scenes",
        f"{n_situations} sentences about {len(KINDS)} kinds of units",
    ):
        assert said in card, said
    assert GROUP == 6
