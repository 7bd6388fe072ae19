"""Predict the next cutoff, then see."""

from __future__ import annotations

from engine.course.prose import say
from engine.course.quiz import Ask, current_score, terminal_ask
from engine.course.reference.exercises.cutoffs import CutOff, cut_offs, lettered
from engine.course.reference.game import Action, Game, State

_NONE = "none"


def predict(game: Game[State, Action], ask: Ask | None = None) -> None:
    """Ask for one cutoff after the other and explain each. Without a terminal, only explain.

    `ask` puts a question and returns the answer; by default it is put to a terminal, if there is one.
    """
    leaves, found = cut_offs(game)
    print(lettered(game) + "\n")
    ask, score = ask or terminal_ask(), current_score()
    right = asked = 0
    for cut in [*found, None]:
        truth = cut.after if cut is not None else _NONE
        if ask is not None:
            try:
                answer = _answer(ask, leaves)
            except EOFError:
                ask, answer = None, ""
                print()
            if answer:
                asked, right = asked + 1, right + (answer == truth)
                score.count(answer == truth)
                print("Right." if answer == truth else "Not quite.")
        _explain(cut)
    if asked:
        print(f"{right} of {asked} predicted")


def _answer(ask: Ask, leaves: dict[str, float]) -> str:
    """A letter, or none; empty if the student asks for the answer. EOFError if there will be no more answers."""
    while True:
        answer = ask(f"After which leaf comes the next cutoff? (a letter, {_NONE}, or Enter for the answer) ")
        answer = answer.strip().lower()
        if not answer or answer == _NONE or answer in leaves:
            return answer
        print(f"a letter from a to {list(leaves)[-1]}, or {_NONE}")


def _explain(cut: CutOff | None) -> None:
    if cut is None:
        print("There is no further cutoff: every other leaf is looked at.")
    else:
        say(f"After {cut.after}: {', '.join(cut.skipped)} cut off. {cut.reason}.")
