"""The questions of the lessons: their answers by other ways, what a student may type, and the score."""

from __future__ import annotations

import inspect
import math
import random
import re
from fractions import Fraction

import pytest

from engine.course.lesson import LESSONS, load, steps_of
from engine.course.quiz import quiz, scored
from engine.course.reference.exercises import chance, hidden, trees
from engine.course.reference.exercises.question import Question

MAKERS = {name: maker for module in (trees, chance, hidden) for name, maker in vars(module).items()
          if inspect.isfunction(maker) and maker.__module__ == module.__name__ and not name.startswith("_")}


def numbers(text: str) -> list[float]:
    return [float(Fraction(found)) for found in re.findall(r"-?\d+(?:/\d+)?", text.replace("−", "-"))]


@pytest.mark.parametrize("name", MAKERS)
def test_the_same_seed_asks_the_same_and_others_differ(name):
    maker = MAKERS[name]
    assert maker(random.Random(1)) == maker(random.Random(1))
    made = [maker(random.Random(seed)) for seed in range(60)]
    assert len({question.text for question in made}) > 2
    assert len({question.answer for question in made}) > 1
    for question in made:
        assert question.is_right(question.read(question.shown)), question
        assert question.reason.endswith(".")


def test_values_by_hand():
    for seed in range(40):
        question = trees.back_up(random.Random(seed))
        leaves = [float(value) for value in re.findall(r"= (-?\d+)", question.text.replace("−", "-"))]
        assert question.answer == max(min(leaves[start : start + 3]) for start in (0, 3, 6))
        question = chance.average_of_chance(random.Random(seed))
        found = numbers(question.text)
        assert question.answer == pytest.approx(sum(found[at] * found[at + 1] for at in (0, 2, 4)))
        question = chance.child_by_ucb1(random.Random(seed))
        children = [tuple(map(int, pair)) for pair in re.findall(r"(\d+)/(\d+)", question.text)]
        total = sum(visits for _, visits in children)
        best = max(children, key=lambda child: child[0] / child[1] + math.sqrt(2 * math.log(total) / child[1]))
        assert question.answer == "abc"[children.index(best)]


def test_cutoffs_by_the_definition():
    """The first MIN node after the first whose running minimum falls to alpha before its last leaf."""
    for seed in range(40):
        question = trees.next_cutoff(random.Random(seed))
        leaves = [float(value) for value in re.findall(r"= (-?\d+)", question.text.replace("−", "-"))]
        alpha, expected = min(leaves[:3]), "none"
        for start in (3, 6):
            row = leaves[start : start + 3]
            early = [index for index in (0, 1) if min(row[: index + 1]) <= alpha]
            if early and expected == "none":
                expected = "abcdefghi"[start + early[0]]
            alpha = max(alpha, min(row))
        assert question.answer == expected


@pytest.mark.parametrize(("typed", "read"), [
    ("3", 3), (" -2.5 ", -2.5), ("−2", -2), ("1/3", 1 / 3), ("1,024", 1024), ("+4", 4), (".5", 0.5), ("a", None),
    ("1/0", None), ("", None), ("nan", None), ("1e5", None), ("1.5/2", None), ("--3", None)])
def test_numbers_as_students_type_them(typed, read):
    assert Question("?", 1, "").read(typed) == (None if read is None else pytest.approx(read))


def test_a_wrong_answer_is_explained_and_counted(capsys):
    answers = iter(["b", "nonsense", " A ", ""])
    question = Question("Which?", "a", "Because it is.", ("a", "b"))
    with scored(1) as score:
        quiz(lambda chance: question, ask=lambda prompt: next(answers))
    out = capsys.readouterr().out
    assert (score.right, score.asked) == (1, 2)  # the third was not answered
    assert out.count("The answer is a. Because it is.") == 2
    assert "one of a, b" in out
    assert out.index("Not quite.") < out.index("Right.")


def test_a_student_who_leaves_sees_the_rest(capsys):
    def leave(prompt):
        raise EOFError

    quiz(trees.back_up, ask=leave, seed=4)
    assert capsys.readouterr().out.count("The answer is") == 3


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_ends_with_a_quiz(name):
    module = load(name)
    assert steps_of(module)[-1].function.__name__ == "your_turn"
