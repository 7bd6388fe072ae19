"""The network as its description says, written out in plain Python over python-chess boards: the independent truth."""

from __future__ import annotations

import chess
import numpy as np

from eval.network.file import Network, Shape


def feature_indices(board: chess.Board, perspective: chess.Color, shape: Shape) -> list[int]:
    """The features of a board as one colour sees it."""
    def seen(square: int) -> int:
        return square if perspective == chess.WHITE else square ^ 56

    king = board.king(perspective)
    assert king is not None
    mirror = 7 if shape.mirrored and seen(king) % 8 >= 4 else 0
    bucket = shape.king_buckets[seen(king) ^ mirror]
    return [bucket * 768 + (384 if piece.color != perspective else 0) + (piece.piece_type - 1) * 64
            + (seen(square) ^ mirror) for square, piece in board.piece_map().items()]


def toward_zero(dividend: int, divisor: int) -> int:
    return abs(dividend) // divisor * (1 if dividend >= 0 else -1)


def score(network: Network, board: chess.Board) -> int:
    """Centipawns for the side to move, by integers alone."""
    shape, halves = network.shape, []
    for perspective in (board.turn, not board.turn):
        rows = network.feature_weights[feature_indices(board, perspective, shape)].astype(np.int64)
        halves.append(np.clip(network.feature_biases.astype(np.int64) + rows.sum(0), 0, 255) ** 2)
    bucket = (len(board.piece_map()) - 1) * shape.output_buckets // 32
    weights = network.output_weights[bucket].astype(np.int64)
    total = int((halves[0] * weights[0]).sum() + (halves[1] * weights[1]).sum())
    biased = toward_zero(total, 255) + int(network.output_biases[bucket])
    return toward_zero(biased * int(network.scale), 255 * 64)
