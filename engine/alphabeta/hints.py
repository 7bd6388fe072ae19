"""Hints for the order of quiet moves that need no experience: men in danger should flee, and checks are forcing."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KNIGHT_ATTACKS, PAWN_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import BISHOP, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, contains
from engine.core.legality import gives_check
from engine.core.moves import NORMAL, from_square, move_type, to_square
from engine.core.position import king_square, occupied_squares
from engine.kernel import inline, kernel

ESCAPE_BONUSES = np.array([0, 0, 5000, 5000, 8000, 16000, 0, 0], np.int64)  # by type, on the histories' scale
_SHARE_BITS = np.int64(10)  # `hint_escape` is in 1024ths


@kernel
def check_squares(pos):
    """From where a pawn, a knight, a bishop and a rook of the side to move would give check."""
    them, occupied = np.int64(pos.side) ^ 1, occupied_squares(pos)
    king = king_square(pos, them)
    return PAWN_ATTACKS[them, king], KNIGHT_ATTACKS[king], bishop_attacks(king, occupied), rook_attacks(king, occupied)


@kernel
def discovered_check_candidates(pos):
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
def _attacked_by_lesser(kind, danger):
    """Where a man of this type is attacked by one of less worth; nowhere for pawns and kings.

    `danger` holds the squares attacked by pawns; by pawns and minor pieces; by pawns, minor pieces and rooks.
    """
    if kind == PAWN or kind == KING:
        return EMPTY
    return danger[2 if kind == QUEEN else (1 if kind == ROOK else 0)]


@inline
def _check_squares_of(kind, checking):
    """The squares from which a piece type gives check."""
    pawn, knight, bishop, rook = checking
    if kind == PAWN:
        return pawn
    if kind == KNIGHT:
        return knight
    squares = bishop if kind == BISHOP or kind == QUEEN else EMPTY
    return squares | rook if kind == ROOK or kind == QUEEN else squares


@inline
def quiet_gives_check(pos, move, checking, discovering):
    """Whether a quiet move gives check, given `check_squares` and `discovered_check_candidates`."""
    start, target = from_square(move), to_square(move)
    if contains(discovering, start) or move_type(move) != NORMAL:
        return gives_check(pos, move)
    return contains(_check_squares_of(np.int64(pos.board[start]) & 7, checking), target)


@inline
def quiet_bonus(pos, params, move, danger, checking):
    """What is added to the score of a quiet move: for leaving danger and for a check; less for going into danger."""
    start, target = from_square(move), to_square(move)
    kind = np.int64(pos.board[start]) & 7
    squares = _attacked_by_lesser(kind, danger)
    fled = np.int64(contains(squares, start)) - np.int64(contains(squares, target))
    score = fled * (ESCAPE_BONUSES[kind] * params.hint_escape >> _SHARE_BITS)
    return score + params.hint_check if contains(_check_squares_of(kind, checking), target) else score
