"""What the policy sees of a position and of its moves.

The board is seen from the side to move, which plays up the board, and is mirrored so that its king is on files a to d.
Each man is one feature: what it is, where it stands, whether the other side attacks it and whether its own defends it.

A move has a path, from where to where, and traits: who moves, what it takes, whether it gives check. Both also tell
apart whether the exchange that the move begins loses material.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.core.attacks import BETWEEN, KING_ATTACKS, KNIGHT_ATTACKS, LINE, PAWN_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import (
    BISHOP,
    BIT,
    EMPTY,
    KING,
    KNIGHT,
    NOT_FILE_A,
    NOT_FILE_H,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    has_several,
    lsb,
    without_lsb,
)
from engine.core.legality import gives_check
from engine.core.moves import CASTLING, EN_PASSANT, NORMAL, PROMOTION, from_square, move_kind, to_square
from engine.core.position import king_square, occupied_squares
from engine.kernel import inline, kernel
from eval.policy.file import PATHS


def _path_table() -> npt.NDArray[np.int16]:
    """[from * 64 + to]: the number of a path; what is no path is 0."""
    table = np.zeros(64 * 64, np.int16)
    lines = [(1, 0), (0, 1), (1, 1), (1, -1)]
    steps = {(distance * rank, distance * file) for distance in range(-7, 8) if distance for rank, file in lines}
    steps |= {(rank, file) for rank in (-2, -1, 1, 2) for file in (-2, -1, 1, 2) if abs(rank) != abs(file)}
    number = 0
    for start in range(64):
        for target in range(64):
            if (target // 8 - start // 8, target % 8 - start % 8) in steps:
                table[start * 64 + target] = number
                number += 1
    assert number + 4 * 22 == PATHS
    return table


_PATHS = _path_table()
_FIRST_PROMOTION = np.int64(PATHS - 4 * 22)
_PROMOTION_WAYS = np.int64(22)  # from each file straight on or to a neighbour
_ALL_PATHS = np.int64(PATHS)
_ATTACKED_MEN, _DEFENDED_MEN = np.int64(2 * 12 * 64), np.int64(12 * 64)  # where their features begin


@inline
def view_of(pos):
    """What to xor a square with, to see it as the policy does."""
    us = np.int64(pos.side)
    return 56 * us ^ (7 if king_square(pos, us) & 4 else 0)


@kernel
def attacks_by(pos, color):
    """All squares that the men of `color` attack, or defend."""
    occupied, own = occupied_squares(pos), pos.colors[color]
    pawns = pos.types[PAWN] & own
    if color == WHITE:
        attacked = (pawns & NOT_FILE_H) << 9 | (pawns & NOT_FILE_A) << 7
    else:
        attacked = (pawns & NOT_FILE_H) >> 7 | (pawns & NOT_FILE_A) >> 9
    attacked |= KING_ATTACKS[king_square(pos, color)]
    knights = pos.types[KNIGHT] & own
    while knights != EMPTY:
        attacked |= KNIGHT_ATTACKS[lsb(knights)]
        knights = without_lsb(knights)
    diagonal = (pos.types[BISHOP] | pos.types[QUEEN]) & own
    while diagonal != EMPTY:
        attacked |= bishop_attacks(lsb(diagonal), occupied)
        diagonal = without_lsb(diagonal)
    straight = (pos.types[ROOK] | pos.types[QUEEN]) & own
    while straight != EMPTY:
        attacked |= rook_attacks(lsb(straight), occupied)
        straight = without_lsb(straight)
    return attacked


@inline
def threats_of(pos):
    """(attacked, defended): squares where the man is attacked by the other side, or defended by its own."""
    us = np.int64(pos.side)
    own, ours, theirs = pos.colors[us], attacks_by(pos, us), attacks_by(pos, us ^ 1)
    return (own & theirs) | (~own & ours), (own & ours) | (~own & theirs)


@inline
def man_code(pos, square):
    """0 to 5 for an own pawn to king, 6 to 11 for the opponent's."""
    piece = np.int64(pos.board[square])
    return 6 * (piece >> 3 ^ np.int64(pos.side)) + (piece & 7) - 1


@inline
def feature_of(code, place, attacked, defended):
    """The number of a man's feature; `place` is its square as the policy sees it, the flags are 0 or 1."""
    return _ATTACKED_MEN * attacked + _DEFENDED_MEN * defended + 64 * code + place


@inline
def path_row(move, view, good):
    """The number of the row for a move's path; `good` is 1 if it loses no material."""
    start, target, kind = from_square(move) ^ view, to_square(move) ^ view, move_kind(move)
    path = np.int64(_PATHS[start * 64 + target])
    if kind >= PROMOTION:
        path = _FIRST_PROMOTION + _PROMOTION_WAYS * (kind - PROMOTION) + 2 * (start & 7) + (target & 7)
    return _ALL_PATHS * good + path


@kernel
def check_squares(pos):
    """(by pawns, by knights, by bishops, by rooks, shields): squares from which men of the side to move give check.

    Shields are its own men that stand alone between one of its sliders and the enemy king.
    """
    us = np.int64(pos.side)
    own, occupied = pos.colors[us], occupied_squares(pos)
    king = king_square(pos, us ^ 1)
    by_bishops, by_rooks = bishop_attacks(king, occupied), rook_attacks(king, occupied)
    shields, near = EMPTY, (by_bishops | by_rooks) & own
    if near != EMPTY:
        behind = occupied ^ near
        snipers = ((bishop_attacks(king, behind) & (pos.types[BISHOP] | pos.types[QUEEN]))
                   | (rook_attacks(king, behind) & (pos.types[ROOK] | pos.types[QUEEN]))) & own & ~near
        while snipers != EMPTY:
            between = BETWEEN[king, lsb(snipers)] & occupied
            snipers = without_lsb(snipers)
            if not has_several(between):
                shields |= between & own
    return PAWN_ATTACKS[us ^ 1, king], KNIGHT_ATTACKS[king], by_bishops, by_rooks, shields


@inline
def _checks(pos, move, moved, checks):
    """Whether an ordinary move gives check, directly or by stepping aside."""
    by_pawns, by_knights, by_bishops, by_rooks, shields = checks
    start, target = from_square(move), to_square(move)
    squares = EMPTY
    if moved == PAWN:
        squares = by_pawns
    elif moved == KNIGHT:
        squares = by_knights
    elif moved != KING:
        squares = (by_bishops if moved != ROOK else EMPTY) | (by_rooks if moved != BISHOP else EMPTY)
    if squares >> target & BIT != EMPTY:
        return True
    if shields >> start & BIT == EMPTY:
        return False
    return LINE[king_square(pos, np.int64(pos.side) ^ 1), start] >> target & BIT == EMPTY


@inline
def trait_row(pos, move, checks, good):
    """The number of the row for a move's traits; `checks` are the `check_squares`."""
    kind = move_kind(move)
    moved = np.int64(pos.board[from_square(move)]) & 7
    taken = np.int64(pos.board[to_square(move)]) & 7
    if kind == NORMAL:
        check = np.int64(_checks(pos, move, moved, checks))
    else:
        check = np.int64(gives_check(pos, move))
        if kind == CASTLING:
            taken = np.int64(0)
        elif kind == EN_PASSANT:
            taken = np.int64(PAWN)
    return ((6 * (moved - 1) + taken) * 2 + check) * 2 + good
