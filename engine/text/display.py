"""Displayed scores: one scale for UCI and commands, on which +100 is a 50 % chance to win."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.core.bits import KING
from engine.core.position import PositionRecord
from engine.search.scores import TB_WIN, is_decisive
from eval.evaluator import Evaluator, built_in_evaluator, features_evaluator
from eval.wdl import Wdl, WdlModel, features_wdl_model, material_on, normalized_score, wdl_of

if TYPE_CHECKING:
    from eval.explain import EvalBreakdown
    from eval.piece_worth import PieceWorth

_SHOWN_TB_WIN = 20_000  # centipawns
_VALUES = bytes(material_on((piece,)) for piece in range(256))  # [piece]: sums a board without a Python loop


class StaticEval(NamedTuple):
    """The static evaluation of a position, from White's point of view."""

    score: int  # centipawns
    shown: int  # displayed centipawns
    wdl: Wdl


class NetworkExplanation(NamedTuple):
    """A network's evaluation of a position, and the worth of each piece."""

    verdict: StaticEval
    pieces: list[PieceWorth]
    kings: list[int]  # their squares; a king has no worth, because it cannot be removed


def to_cp(position: PositionRecord, score: int, model: WdlModel | None = None) -> int:
    """Convert a score other than a mate to displayed centipawns.

    A tablebase win is a fixed value minus the plies to reach it.
    `model` is the WDL model of the evaluator that gave the score, by default the built-in one's.
    """
    if is_decisive(score):
        plies = int(TB_WIN) - abs(score)
        return (_SHOWN_TB_WIN - plies) * (1 if score > 0 else -1)
    return normalized_score(score, _material(position), model or built_in_evaluator().wdl_model)


def to_wdl(position: PositionRecord, score: int, model: WdlModel | None = None,
           known: tuple[int, int, int] | None = None) -> Wdl:
    """Wins, draws and losses per thousand games for a score; `model` as for `to_cp`.

    `known` is the WDL that the search itself has computed, if any.
    """
    if known is not None:
        return Wdl(*known)
    return wdl_of(score, _material(position), model or built_in_evaluator().wdl_model)


def to_cp_and_wdl(position: PositionRecord, score: int, model: WdlModel | None = None) -> tuple[int, Wdl]:
    """`to_cp` and `to_wdl` of a score other than a mate, counting the material once."""
    material, used = _material(position), model or built_in_evaluator().wdl_model
    if is_decisive(score):
        return to_cp(position, score, used), wdl_of(score, material, used)
    return normalized_score(score, material, used), wdl_of(score, material, used)


def static_explanation(position: PositionRecord) -> tuple[EvalBreakdown, int, Wdl]:
    """The breakdown by features, the displayed score and the WDL, from White's point of view."""
    from eval.explain import explain

    explanation = explain(position, features_evaluator().weights)
    verdict = _verdict(position, explanation.score, features_wdl_model())
    return explanation, verdict.shown, verdict.wdl


def network_explanation(position: PositionRecord, evaluation: Evaluator) -> NetworkExplanation:
    """A network's evaluation and the worth of each piece."""
    from eval.piece_worth import StaticEvaluator, piece_worths

    score = StaticEvaluator(evaluation).score(position)
    verdict = _verdict(position, -score if position.side else score, evaluation.wdl_model)
    kings = [square for square, piece in enumerate(position.board.tolist()) if piece & 7 == KING]
    return NetworkExplanation(verdict, piece_worths(position, evaluation), kings)


def _verdict(position: PositionRecord, score: int, model: WdlModel) -> StaticEval:
    return StaticEval(score, to_cp(position, score, model), to_wdl(position, score, model))


def _material(position: PositionRecord) -> int:
    return sum(position["board"].tobytes().translate(_VALUES))
