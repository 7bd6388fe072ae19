"""Positions to evaluate, from random games and random placements, and helpers for them."""

from __future__ import annotations

from functools import cache

import chess
import numpy as np
from hypothesis import strategies as st

from engine.core.fen import parse_fen
from engine.system.errors import InputError
from eval.evaluate import evaluate_entry, trace_position
from eval.features import FEATURES, WEIGHT_COUNT
from eval.trace import empty_trace
from eval.weights import WeightsRecord, load_weights, values_of, weights_from
from tests.positions import CORNERS


@cache
def own_weights() -> WeightsRecord:
    """The engine's weights."""
    return load_weights()


@cache
def random_weights() -> WeightsRecord:
    """Weights that differ from 0 and from their neighbours, so that every feature has an effect."""
    generator = np.random.default_rng(20)
    return weights_from(generator.integers(1, 200, WEIGHT_COUNT), generator.integers(-200, -1, WEIGHT_COUNT))


@cache
def middle_game_weights() -> WeightsRecord:
    """Weights with which neither side is ever ahead in the endgame."""
    return weights_from(values_of(random_weights())[0], [0] * WEIGHT_COUNT)


@cache
def game_fens(games: int, plies: int) -> tuple[str, ...]:
    """Every position of random games. Captures are preferred now and then, so that endings are reached."""
    generator = np.random.default_rng(7)
    fens = list(CORNERS)
    for _ in range(games):
        board = chess.Board()
        while board.ply() < plies and not board.is_game_over():
            moves = list(board.legal_moves)
            captures = [move for move in moves if board.is_capture(move)]
            choice = captures if captures and generator.random() < 0.4 else moves
            board.push(choice[generator.integers(len(choice))])
            fens.append(board.fen())
    return tuple(fens)


@st.composite
def heaps(draw):
    """FENs of random legal placements."""
    squares = draw(st.lists(st.integers(0, 63), min_size=2, max_size=30, unique=True))
    board = chess.Board(None)
    for color, square in zip(chess.COLORS, squares, strict=False):
        board.set_piece_at(square, chess.Piece(chess.KING, color))
    piece_types = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    for index, square in enumerate(squares[2:]):
        piece_type = piece_types[index % len(piece_types)]
        if piece_type != chess.PAWN or 8 <= square < 56:
            board.set_piece_at(square, chess.Piece(piece_type, draw(st.booleans())))
    board.turn = draw(st.booleans())
    try:
        parse_fen(board.fen())
    except InputError:
        board.turn = not board.turn
    return board.fen()


def is_playable(fen: str) -> bool:
    try:
        parse_fen(fen)
    except InputError:
        return False
    return True


def score_of(board: chess.Board | str, weights: WeightsRecord | None = None) -> int:
    """The evaluation, from the side to move's view."""
    fen = board if isinstance(board, str) else board.fen()
    return int(evaluate_entry(parse_fen(fen), own_weights() if weights is None else weights))


def counts_of(board: chess.Board | str) -> dict[str, int | list[int]]:
    """The counts of the trace, White's minus Black's, by feature: a number, or a list for a table."""
    fen = board if isinstance(board, str) else board.fen()
    trace = empty_trace()
    trace_position(parse_fen(fen), own_weights(), trace)
    counts = (trace.counts[0] - trace.counts[1]).tolist()
    tables = {row.name: counts[row.offset:row.offset + row.size] for row in FEATURES}
    return {name: table[0] if len(table) == 1 else table for name, table in tables.items()}


def taper_of(fen: str) -> tuple[int, int]:
    """(phase, scale) of a position."""
    trace = empty_trace()
    trace_position(parse_fen(fen), own_weights(), trace)
    return int(trace.phase), int(trace.scale)


def symmetric_weights() -> WeightsRecord:
    """The engine's weights with piece-square tables that are the same on both wings."""
    halves = values_of(own_weights())
    for values in halves:
        for row in FEATURES:
            if row.group == "squares":
                table = values[row.offset:row.offset + 128].reshape(16, 8)
                table[:, 4:] = table[:, 3::-1]
    return weights_from(*halves)
