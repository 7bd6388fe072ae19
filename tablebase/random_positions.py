"""Random positions of an ending, to test tables with."""

from __future__ import annotations

import random

import chess

from tablebase.material import Ending

_KINGS = (6, 14)


def random_board(ending: Ending, chance: random.Random) -> chess.Board:
    """A random legal position of an ending, with either colour as the stronger side; half of them after a quiet move.

    So en passant is possible in some of them.
    """
    while True:
        board = chess.Board(None)
        squares = chance.sample(range(64), ending.men)
        flip = chance.randrange(2) * 8
        for piece, square in zip((*_KINGS, *ending.pieces), squares, strict=True):
            board.set_piece_at(square, chess.Piece(piece % 8, (piece ^ flip) < 8))
        board.turn = chance.random() < 0.5
        if not board.is_valid():
            continue
        quiet = [move for move in board.legal_moves if not board.is_capture(move) and not move.promotion]
        if chance.random() < 0.5 and quiet:
            board.push(chance.choice(quiet))
        return board


def random_ending_board(men: int, chance: random.Random) -> chess.Board:
    """A random legal position with this many men, a third of them pawns on average."""
    while True:
        board = chess.Board(None)
        kinds = chance.choices(range(chess.PAWN, chess.KING), weights=(2, 1, 1, 1, 1), k=men - 2)
        pieces = [*_KINGS, *(kind + 8 * chance.randrange(2) for kind in kinds)]
        for piece, square in zip(pieces, chance.sample(range(64), men), strict=True):
            board.set_piece_at(square, chess.Piece(piece % 8, piece < 8))
        board.turn = chance.random() < 0.5
        if board.is_valid():
            return board
