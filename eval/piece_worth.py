"""Static evaluation of positions outside a search, and the worth of each piece: the difference that it makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.bits import KING, NO_PIECE, NO_SQUARE
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.core.setup import finish_setup
from engine.kernel import Int, entry
from eval.evaluate import evaluate_entry
from eval.evaluator import Evaluator
from eval.network.accumulators import reset_stack
from eval.network.evaluate import evaluate_network_from_scratch
from eval.network.memory import ACCUMULATORS_TYPE, AccumulatorsRecord, StandaloneAccumulators
from eval.weights import WEIGHTS_TYPE, WeightsRecord


@dataclass(frozen=True)
class PieceWorth:
    """A piece other than a king, and what its side would lose without it, in centipawns."""

    piece: int
    square: int
    worth: int  # by the given evaluator
    features_worth: int  # by the features


class StaticEvaluator:
    """Evaluates arbitrary positions, for one thread."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator  # kept alive for the kernels
        self._accumulators = None if evaluator.network is None else StandaloneAccumulators(evaluator.network)

    def score(self, position: PositionRecord) -> int:
        """Centipawns from the side to move's view: the static evaluation that a search would use."""
        if self._accumulators is None:
            return int(evaluate_entry(position, self._evaluator.weights))
        return int(_evaluate_network_entry(position, self._evaluator.weights, self._accumulators.record))


@entry(POSITION_TYPE, WEIGHTS_TYPE, ACCUMULATORS_TYPE)
def _evaluate_network_entry(pos: PositionRecord, weights: WeightsRecord, accumulators: AccumulatorsRecord) -> Int:
    reset_stack(accumulators, np.int64(0))
    return evaluate_network_from_scratch(pos, weights, accumulators, np.int64(0))


def piece_worths(position: PositionRecord, evaluation: Evaluator) -> list[PieceWorth]:
    """The worth of every piece but the kings to its own side, in order of squares from a1."""
    evaluators = StaticEvaluator(evaluation), StaticEvaluator(Evaluator(evaluation.weights))
    wholes = [evaluator.score(position) for evaluator in evaluators]
    worths = []
    for square, piece in enumerate(position.board.tolist()):
        if piece == NO_PIECE or piece & 7 == KING:
            continue
        rest = _without(position, square)
        sign = 1 if piece >> 3 == position.side else -1
        worths.append(PieceWorth(piece, square, *(sign * (whole - evaluator.score(rest))
                                                  for whole, evaluator in zip(wholes, evaluators, strict=True))))
    return worths


def _without(position: PositionRecord, square: int) -> PositionRecord:
    """The position without the piece on `square`. It may be illegal, since it is only evaluated."""
    rest = position.copy()
    piece, others = int(rest.board[square]), (1 << 64) - 1 ^ 1 << square
    rest.board[square] = NO_PIECE
    rest.types[piece & 7] = int(rest.types[piece & 7]) & others
    rest.colors[piece >> 3] = int(rest.colors[piece >> 3]) & others
    rest.castling = int(rest.castling) & int(rest.castling_kept[square])
    rest.ep = int(NO_SQUARE)  # the missing piece may be that pawn
    finish_setup(rest)
    return rest
