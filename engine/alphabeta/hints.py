"""Hints for the order of quiet moves that need no experience: men in danger should flee, and checks are forcing."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KNIGHT_ATTACKS, PAWN_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import BISHOP, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, contains
from engine.core.legality import gives_check
from engine.core.moves import NORMAL, from_square, move_kind, to_square
from engine.core.position import king_square, occupied_squares
from engine.kernel import inline, kernel

ESCAPE_VALUES = np.array([0, 0, 5000, 5000, 8000, 16000, 0, 0], np.int64)  # by type, on the histories' scale
_SHARE_BITS = np.int64(10)  # `hint_escape` is in 1024ths


@kernel
def checking_squares(pos):
    """From where a pawn, a knight, a bishop and a rook of the side to move would give check."""
    them, occupied = np.int64(pos.side) ^ 1, occupied_squares(pos)
    king = king_square(pos, them)
    return PAWN_ATTACKS[them, king], KNIGHT_ATTACKS[king], bishop_attacks(king, occupied), rook_attacks(king, occupied)


@kernel
def discovering_men(pos):
    """The men of the side to move that may discover a check, and perhaps more: the first ones on all straight lines, or
    on all diagonals, from the enemy king, if a slider stands behind one of them.
    """
    us, occupied = np.int64(pos.side), occupied_squares(pos)
    king, ours = king_square(pos, us ^ 1), pos.colors[us]
    straight, diagonal = rook_attacks(king, occupied) & ours, bishop_attacks(king, occupied) & ours
    men = EMPTY
    if rook_attacks(king, occupied ^ straight) & ours & (pos.types[ROOK] | pos.types[QUEEN]) & ~straight != EMPTY:
        men |= straight
    if bishop_attacks(king, occupied ^ diagonal) & ours & (pos.types[BISHOP] | pos.types[QUEEN]) & ~diagonal != EMPTY:
        men |= diagonal
    return men


@inline
def _danger_of(kind, danger):
    """Where a man of this type is attacked by one of less worth; nowhere for pawns and kings.

    `danger` holds the squares attacked by pawns; by pawns and minor pieces; by pawns, minor pieces and rooks.
    """
    if kind == PAWN or kind == KING:
        return EMPTY
    return danger[2 if kind == QUEEN else (1 if kind == ROOK else 0)]


@inline
def _checks_of(kind, checking):
    """The squares from which a piece type gives check."""
    pawn, knight, bishop, rook = checking
    if kind == PAWN:
        return pawn
    if kind == KNIGHT:
        return knight
    squares = bishop if kind == BISHOP or kind == QUEEN else EMPTY
    return squares | rook if kind == ROOK or kind == QUEEN else squares


@inline
def checks(pos, move, checking, discovering):
    """Whether a quiet move gives check, given `checking_squares` and `discovering_men`."""
    start, target = from_square(move), to_square(move)
    if contains(discovering, start) or move_kind(move) != NORMAL:
        return gives_check(pos, move)
    return contains(_checks_of(np.int64(pos.board[start]) & 7, checking), target)


@inline
def hint(pos, params, move, danger, checking):
    """What is added to the score of a quiet move: for leaving danger and for a check; less for going into danger."""
    start, target = from_square(move), to_square(move)
    kind = np.int64(pos.board[start]) & 7
    squares = _danger_of(kind, danger)
    fled = np.int64(contains(squares, start)) - np.int64(contains(squares, target))
    score = fled * (ESCAPE_VALUES[kind] * params.hint_escape >> _SHARE_BITS)
    return score + params.hint_check if contains(_checks_of(kind, checking), target) else score
