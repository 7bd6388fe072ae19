"""What positions are worth without a search, and what each man on the board is worth: the difference it makes."""

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
    """A man other than a king, and how many centipawns its side would lose without it."""

    piece: int
    square: int
    worth: int  # to the evaluation in question
    features_worth: int  # to the features


class StaticEvaluator:
    """An evaluation of arbitrary positions, for one thread."""

    def __init__(self, evaluation: Evaluator) -> None:
        self._evaluation = evaluation  # kept alive for the kernels
        self._own = None if evaluation.network is None else StandaloneAccumulators(evaluation.network)

    def score(self, position: PositionRecord) -> int:
        """Centipawns from the side to move's view: the static evaluation that a search would use."""
        if self._own is None:
            return int(evaluate_entry(position, self._evaluation.weights))
        return int(_network_position(position, self._evaluation.weights, self._own.record))


@entry(POSITION_TYPE, WEIGHTS_TYPE, ACCUMULATORS_TYPE)
def _network_position(pos: PositionRecord, weights: WeightsRecord, accumulators: AccumulatorsRecord) -> Int:
    reset_stack(accumulators, np.int64(0))
    return evaluate_network_from_scratch(pos, weights, accumulators, np.int64(0))


def piece_worths(position: PositionRecord, evaluation: Evaluator) -> list[PieceWorth]:
    """What every man but the kings is worth to its own side, in order of squares from a1."""
    judges = StaticEvaluator(evaluation), StaticEvaluator(Evaluator(evaluation.weights))
    wholes = [judge.score(position) for judge in judges]
    men = []
    for square, piece in enumerate(position.board.tolist()):
        if piece == NO_PIECE or piece & 7 == KING:
            continue
        rest = _without(position, square)
        sign = 1 if piece >> 3 == position.side else -1
        men.append(PieceWorth(piece, square, *(sign * (whole - judge.score(rest))
                                               for whole, judge in zip(wholes, judges, strict=True))))
    return men


def _without(position: PositionRecord, square: int) -> PositionRecord:
    """The position without the man on `square`. It need not be legal: it is only evaluated."""
    rest = position.copy()
    piece, others = int(rest.board[square]), (1 << 64) - 1 ^ 1 << square
    rest.board[square] = NO_PIECE
    rest.types[piece & 7] = int(rest.types[piece & 7]) & others
    rest.colors[piece >> 3] = int(rest.colors[piece >> 3]) & others
    rest.castling = int(rest.castling) & int(rest.castling_kept[square])
    rest.ep = int(NO_SQUARE)  # the pawn may be the missing man
    finish_setup(rest)
    return rest
