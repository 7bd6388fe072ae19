"""Scores as users see them: one scale for UCI and commands, on which +100 is a 50 % chance to win."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.core.bits import KING
from engine.core.position import PositionRecord
from engine.search.scores import TB_WIN, is_decisive
from eval.choice import Evaluation, built_in
from eval.outcome import Chances, Model, chances, material_on, normalized, own_model
from eval.weights import load_weights

if TYPE_CHECKING:
    from eval.explain import Explanation
    from eval.men import Man

_SHOWN_TB_WIN = 20_000  # centipawns
_VALUES = bytes(material_on((piece,)) for piece in range(256))  # [piece]: sums a board without a Python loop


class StaticVerdict(NamedTuple):
    """What an evaluation says about a position, from White's view."""

    score: int  # centipawns
    shown: int  # in users' units
    chances: Chances


class NetworkExplanation(NamedTuple):
    """What a network says about a position, and what each man is worth to it."""

    verdict: StaticVerdict
    men: list[Man]
    kings: list[int]  # their squares: a king cannot be taken off the board to see what it is worth


def shown_score(position: PositionRecord, score: int, model: Model | None = None) -> int:
    """A score other than a mate in users' centipawns. A tablebase win is a fixed value minus the plies to reach it.

    `model` is that of the evaluation that gave the score; the default is the built-in evaluation's.
    """
    if is_decisive(score):
        plies = int(TB_WIN) - abs(score)
        return (_SHOWN_TB_WIN - plies) * (1 if score > 0 else -1)
    return normalized(score, _material(position), model or built_in().outcome)


def shown_chances(position: PositionRecord, score: int, model: Model | None = None,
                  known: tuple[int, int, int] | None = None) -> Chances:
    """Wins, draws and losses per thousand games for a score; `model` as for `shown_score`.

    `known` are those that the search itself has found, if it has.
    """
    if known is not None:
        return Chances(*known)
    return chances(score, _material(position), model or built_in().outcome)


def shown(position: PositionRecord, score: int, model: Model | None = None) -> tuple[int, Chances]:
    """Both of a score that is no mate: `shown_score` and `shown_chances`, with the material counted once."""
    material, used = _material(position), model or built_in().outcome
    if is_decisive(score):
        return shown_score(position, score, used), chances(score, material, used)
    return normalized(score, material, used), chances(score, material, used)


def explained(position: PositionRecord) -> tuple[Explanation, int, Chances]:
    """Why the features say what they say, with their score in users' units and the chances, from White's view."""
    from eval.explain import explain

    explanation = explain(position, load_weights())
    verdict = _verdict(position, explanation.score, own_model())
    return explanation, verdict.shown, verdict.chances


def network_explained(position: PositionRecord, evaluation: Evaluation) -> NetworkExplanation:
    """What an evaluation by a network says, and what each man contributes to it."""
    from eval.men import StaticEvaluation, worth_of_men

    score = StaticEvaluation(evaluation).score(position)
    verdict = _verdict(position, -score if position.side else score, evaluation.outcome)
    kings = [square for square, piece in enumerate(position.board.tolist()) if piece & 7 == KING]
    return NetworkExplanation(verdict, worth_of_men(position, evaluation), kings)


def _verdict(position: PositionRecord, score: int, model: Model) -> StaticVerdict:
    return StaticVerdict(score, shown_score(position, score, model), shown_chances(position, score, model))


def _material(position: PositionRecord) -> int:
    return sum(position["board"].tobytes().translate(_VALUES))
