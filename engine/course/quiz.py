"""Questions, each with its answer and the reason: asked and counted at a terminal, elsewhere shown as worked examples.

The same seed asks the same questions, so that a class can work on them together.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from engine.course.prose import say
from engine.course.reference.exercises.question import Question, QuestionMaker

_ROUNDS = 3  # questions of a quiz, unless it says otherwise
_PROMPT = "Your answer (or Enter to see it): "


Ask = Callable[[str], str]


@dataclass
class QuizScore:
    """How the questions of a lesson were answered, and with which seed they are made."""

    seed: int = 1
    right: int = 0
    asked: int = 0

    def count(self, is_right: bool) -> None:
        """Note an answer."""
        self.asked += 1
        self.right += is_right


_SCORE: ContextVar[QuizScore | None] = ContextVar("score", default=None)


@contextlib.contextmanager
def scored(seed: int) -> Iterator[QuizScore]:
    """Everything that is asked inside counts towards one score, and is made with this seed."""
    score = QuizScore(seed)
    token = _SCORE.set(score)
    try:
        yield score
    finally:
        _SCORE.reset(token)


def current_score() -> QuizScore:
    """The score of the lesson that runs; a fresh one outside of a lesson, as in a notebook."""
    return _SCORE.get() or QuizScore()


def terminal_ask() -> Ask | None:
    """A function that asks at the terminal; None if the input is not a terminal."""
    return input if sys.stdin is not None and sys.stdin.isatty() else None


def quiz(*makers: QuestionMaker, ask: Ask | None = None, seed: int | None = None, rounds: int = _ROUNDS) -> None:
    """Ask questions of each kind in turn. In a notebook: `quiz(..., ask=input, seed=2)`.

    Without `ask`, questions are shown with their answers.
    """
    score = current_score()
    chance = random.Random(score.seed if seed is None else seed)
    ask = ask or terminal_ask()
    for number in range(rounds):
        question = makers[number % len(makers)](chance)
        if number:
            print()
        say((f"{number + 1}. " if rounds > 1 else "") + question.text)
        if "\n" in question.text:
            print()
        try:
            given = None if ask is None else _answer(ask, question)
        except EOFError:
            ask, given = None, None
            print()
        if given is not None:
            score.count(question.is_right(given))
            print("Right." if question.is_right(given) else "Not quite.")
        if given is None or not question.is_right(given):
            say(f"The answer is {question.shown}. {question.reason}")


def _answer(ask: Ask, question: Question) -> str | float | None:
    """What the student answers; None if he asks for the answer. EOFError if there will be no more answers."""
    while True:
        typed = ask(_PROMPT)
        if not typed.strip():
            return None
        given = question.read(typed)
        if given is not None:
            return given
        print(f"one of {', '.join(question.choices)}" if question.choices else "a number, such as 3, -2.5 or 1/3")
