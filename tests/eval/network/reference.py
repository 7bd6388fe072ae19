"""The network once more, in NumPy and python-chess, as the text of the file format says it; and networks to try."""

from __future__ import annotations

from typing import Any

import chess
import numpy as np

from eval.network.file import Network, Shape

QUARTERS = tuple(2 * (square >> 5) + (square >> 1 & 1) for square in range(64))  # four buckets


def random_network(seed: int, shape: Shape, largest: int = 200) -> Network:
    """A network whose sums reach every part of the activations; `largest` limits feature weights and biases."""
    generator = np.random.default_rng(seed)
    limits = {"feature_weights": min(largest, 127), "feature_biases": largest, "pair_shifts": 0, "first_weights": 127,
              "first_biases": 10_000, "second_weights": 127, "second_biases": 10_000, "output_weights": 3_000,
              "output_biases": 5_000_000}
    numbers: dict[str, Any] = {
        name: generator.integers(-limits[name], limits[name] + 1, dimensions).astype(code)
        for name, code, dimensions in shape.blocks}
    numbers["first_weights"] //= np.int8(shape.hidden // 16)
    numbers["pair_shifts"] = generator.integers(0, 5, numbers["pair_shifts"].shape).astype(np.uint8)
    return Network(shape, **numbers, scale=136.0, provenance={"seed": seed})


def feature_indices(board: chess.Board, color: chess.Color, shape: Shape) -> list[int]:
    def turned(square: int) -> int:
        return square if color == chess.WHITE else square ^ 56

    king = board.king(color)
    assert king is not None
    mirror = 7 if shape.mirrored and turned(king) % 8 >= 4 else 0
    bucket = shape.king_buckets[turned(king) ^ mirror]
    start = bucket * 768
    return [start + (0 if piece.color == color else 384) + (piece.piece_type - 1) * 64 + (turned(square) ^ mirror)
            for square, piece in board.piece_map().items()]


def accumulator(board: chess.Board, color: chess.Color, network: Network):
    total = network.feature_biases.astype(np.int64)
    for index in feature_indices(board, color, network.shape):
        total = total + network.feature_weights[index]
    return total.astype(np.int16)  # wraps around


def score(board: chess.Board, network: Network, limit: int = 9_999) -> int:
    pieces = min(chess.popcount(board.occupied), 32)
    bucket = (pieces - 1) * network.shape.output_buckets // 32
    total = layered_output(board, network, bucket) + int(network.output_biases[bucket])
    return min(max(_divide(total * round(network.scale), 127 * 64 * 1024), -limit), limit)


def layered_output(board: chess.Board, network: Network, bucket: int) -> int:
    cells = []
    for color in (board.turn, not board.turn):
        left, right = np.split(accumulator(board, color, network).astype(np.int64), 2)
        first, second = np.repeat(network.pair_shifts, 64, 0).T.astype(np.int64)
        cells.append(np.clip(left, 0, 255 >> first) * np.clip(right, 0, 255 >> second) >> (9 - first - second))
    sums = network.first_weights[bucket].astype(np.int64) @ np.concatenate(cells) + network.first_biases[bucket]
    near = np.clip(sums, -8128, 8128)
    inputs = np.concatenate((np.clip(sums // 64, 0, 127), near * near // 2**19))
    sums = network.second_weights[bucket].astype(np.int64) @ inputs + network.second_biases[bucket]
    return int(np.clip(sums, 0, 8128) @ network.output_weights[bucket].astype(np.int64))


def _divide(value: int, divisor: int) -> int:
    """As C does, towards 0."""
    return value // divisor if value >= 0 else -(-value // divisor)
