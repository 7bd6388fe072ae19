"""Stockfish's network by its definition, one position at a time, in integers; and files with random weights."""

from __future__ import annotations

import struct

import chess
import numpy as np

from eval.network.nnue import (
    FEATURES,
    FIRST,
    ONE,
    OUTPUT_BUCKETS,
    PLANES,
    SECOND,
    SECOND_INPUTS,
    SKIP_UNIT,
    SQUARE_BITS,
    VERSION,
    WEIGHT_BITS,
    stack_hash,
    transformer_hash,
)

DESCRIPTION = b"random weights"


def leb128(numbers: np.ndarray) -> bytes:
    """Integers in signed LEB128, one byte after the other."""
    encoded = bytearray()
    for number in numbers.ravel().tolist():
        left = number
        while not -64 <= left < 64:
            encoded.append(left & 127 | 128)
            left >>= 7
        encoded.append(left & 127)
    return bytes(encoded)


def random_file(width: int, seed: int = 1, *, is_compressed: bool = False) -> bytes:
    """The bytes of a network with random weights, of the size that trained ones have."""
    rng = np.random.default_rng(seed)

    def block(dtype: str, largest: int, *shape: int) -> bytes:
        plain = numbers(dtype, largest, *shape)
        encoded = leb128(np.frombuffer(plain, dtype)) if is_compressed else b""
        return b"COMPRESSED_LEB128" + struct.pack("<I", len(encoded)) + encoded if is_compressed else plain

    def numbers(dtype: str, largest: int, *shape: int) -> bytes:
        return rng.integers(-largest, largest + 1, shape).astype(dtype).tobytes()

    stacks = []
    for _ in range(OUTPUT_BUCKETS):
        padded = np.zeros((SECOND, 32), np.int8)
        padded[:, :SECOND_INPUTS] = rng.integers(-60, 61, (SECOND, SECOND_INPUTS))
        stacks += [struct.pack("<I", stack_hash(width)), numbers("<i4", 5000, FIRST), numbers("i1", 60, FIRST, width),
                   numbers("<i4", 3000, SECOND), padded.tobytes(), numbers("<i4", 3000, 1), numbers("i1", 100, SECOND)]
    return b"".join([struct.pack("<III", VERSION, transformer_hash(width) ^ stack_hash(width), len(DESCRIPTION)),
                     DESCRIPTION, struct.pack("<I", transformer_hash(width)), block("<i2", 100, width),
                     block("<i2", 40, FEATURES, width), block("<i4", 9000, FEATURES, OUTPUT_BUCKETS), *stacks])


def _features(board: chess.Board, side: chess.Color) -> list[int]:
    """The features of one side's perspective."""
    def seen(square: chess.Square) -> chess.Square:
        return square if side else chess.square_mirror(square)

    own_king = board.king(side)
    assert own_king is not None
    king = seen(own_king)
    file, rank = chess.square_file(king), chess.square_rank(king)
    bucket = 4 * (7 - rank) + min(file, 7 - file)
    turn = 7 if file < 4 else 0
    indices = []
    for square, piece in board.piece_map().items():
        plane = 10 if piece.piece_type == chess.KING else 2 * (piece.piece_type - 1) + (piece.color != side)
        indices.append((bucket * PLANES + plane) * 64 + (seen(square) ^ turn))
    return indices


def _truncated(value: int, divisor: int) -> int:
    return -(-value // divisor) if value < 0 else value // divisor


def _positional(stack, cells: np.ndarray) -> int:
    first = (stack.first_weights.astype(np.int64) @ cells + stack.first_biases).tolist()
    sums, skipping = first[:-1], first[-1]
    inputs = [min(value * value >> SQUARE_BITS, ONE) for value in sums]
    inputs += [min(max(value >> WEIGHT_BITS, 0), ONE) for value in sums]
    second = stack.second_weights.astype(np.int64) @ np.array(inputs) + stack.second_biases
    clamped = [min(max(int(value) >> WEIGHT_BITS, 0), ONE) for value in second]
    output = int(stack.output_weights.astype(np.int64) @ np.array(clamped)) + stack.output_bias
    return output + _truncated(skipping * SKIP_UNIT, ONE << WEIGHT_BITS)


def units(network, board: chess.Board) -> int:
    """The evaluation of a position from the side to move's view, in the network's units."""
    half, cells, psqt = network.width // 2, [], []
    bucket = (len(board.piece_map()) - 1) // 4
    for side in (board.turn, not board.turn):
        rows = _features(board, side)
        sums = network.biases.astype(np.int64) + network.weights[rows].sum(0, dtype=np.int64)
        clamped = np.clip(sums, 0, ONE)
        cells.append(clamped[:half] * clamped[half:] >> 7)
        psqt.append(int(network.psqt[rows, bucket].sum(dtype=np.int64)))
    return _truncated(psqt[0] - psqt[1], 2) + _positional(network.stacks[bucket], np.concatenate(cells))
