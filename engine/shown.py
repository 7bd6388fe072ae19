"""Scores as people are shown them: one scale for UCI and commands, on which a hundred wins every second game."""

from __future__ import annotations

from typing import NamedTuple

from engine.core.bits import KING
from engine.core.position import PositionRecord
from engine.search.scores import TB_WIN, is_decisive
from eval.choice import Evaluation, built_in
from eval.explain import Explanation, explain
from eval.men import Man, StaticEvaluation, worth_of_men
from eval.outcome import Chances, Model, chances, material_on, normalized, own_model
from eval.weights import load_weights

_SHOWN_TB_WIN = 20_000  # centipawns
_VALUES = bytes(material_on((piece,)) for piece in range(256))  # [piece]: summed without a loop in Python


class Verdict(NamedTuple):
    """What an evaluation says of a position, from white's view."""

    score: int  # centipawns
    shown: int  # in users' units
    chances: Chances


class NetworkExplanation(NamedTuple):
    """What a network says of a position, and what each man is worth to it."""

    verdict: Verdict
    men: list[Man]
    kings: list[int]  # their squares: without a king there is no game, so that its worth cannot be told


def shown_score(position: PositionRecord, score: int, model: Model | None = None) -> int:
    """A score that is no mate, in users' centipawns. A win by tables is a fixed sum, less the plies to reach them.

    `model` is that of the evaluation that the score is by, which is the built-in one if nothing is said.
    """
    if is_decisive(score):
        plies = int(TB_WIN) - abs(score)
        return (_SHOWN_TB_WIN - plies) * (1 if score > 0 else -1)
    return normalized(score, _material(position), model or built_in().outcome)


def shown_chances(position: PositionRecord, score: int, model: Model | None = None) -> Chances:
    """Wins, draws and losses per thousand games that a score stands for; `model` as for `shown_score`."""
    return chances(score, _material(position), model or built_in().outcome)


def shown(position: PositionRecord, score: int, model: Model | None = None) -> tuple[int, Chances]:
    """Both of a score that is no mate: `shown_score` and `shown_chances`, with the material counted once."""
    material, used = _material(position), model or built_in().outcome
    if is_decisive(score):
        return shown_score(position, score, used), chances(score, material, used)
    return normalized(score, material, used), chances(score, material, used)


def explained(position: PositionRecord) -> tuple[Explanation, int, Chances]:
    """Why the features say what they say; and their score in users' units, and the chances, from white's view."""
    explanation = explain(position, load_weights())
    verdict = _verdict(position, explanation.score, own_model())
    return explanation, verdict.shown, verdict.chances


def network_explained(position: PositionRecord, evaluation: Evaluation) -> NetworkExplanation:
    """What an evaluation by a network says, and why, as far as that can be said."""
    score = StaticEvaluation(evaluation).score(position)
    verdict = _verdict(position, -score if position.side else score, evaluation.outcome)
    kings = [square for square, piece in enumerate(position.board.tolist()) if piece & 7 == KING]
    return NetworkExplanation(verdict, worth_of_men(position, evaluation), kings)


def _verdict(position: PositionRecord, score: int, model: Model) -> Verdict:
    return Verdict(score, shown_score(position, score, model), shown_chances(position, score, model))


def _material(position: PositionRecord) -> int:
    return sum(position["board"].tobytes().translate(_VALUES))
