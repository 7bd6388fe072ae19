"""Random endgame positions for testing tables."""

from __future__ import annotations

import random

import chess

from tablebase.material import Ending

_KINGS = (6, 14)


def random_board(ending: Ending, rng: random.Random) -> chess.Board:
    """A random legal position of an ending, with either colour as the stronger side.

    Half of the positions come after a random quiet move, so that en passant is possible in some of them.
    """
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), ending.piece_count)
        flip = rng.randrange(2) * 8
        for piece, square in zip((*_KINGS, *ending.pieces), squares, strict=True):
            board.set_piece_at(square, chess.Piece(piece % 8, (piece ^ flip) < 8))
        board.turn = rng.random() < 0.5
        if not board.is_valid():
            continue
        quiet = [move for move in board.legal_moves if not board.is_capture(move) and not move.promotion]
        if rng.random() < 0.5 and quiet:
            board.push(rng.choice(quiet))
        return board


def random_ending_board(piece_count: int, rng: random.Random) -> chess.Board:
    """A random legal position with this many pieces; a third of those besides the kings are pawns on average."""
    while True:
        board = chess.Board(None)
        piece_types = rng.choices(range(chess.PAWN, chess.KING), weights=(2, 1, 1, 1, 1), k=piece_count - 2)
        pieces = [*_KINGS, *(piece_type + 8 * rng.randrange(2) for piece_type in piece_types)]
        for piece, square in zip(pieces, rng.sample(range(64), piece_count), strict=True):
            board.set_piece_at(square, chess.Piece(piece % 8, piece < 8))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board
