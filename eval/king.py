"""King safety: the attack on the enemy king, and the shelter of the own king.

An attack is worth more than the sum of its parts, but the score must stay linear in its weights. So the parts are
summed in units of attack, which are fixed here, and the sum selects one weight of the table `king_danger`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.core.attacks import KING_ATTACKS, KNIGHT_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import ALL_SQUARES, EMPTY, clear_lsb, lsb, popcount
from engine.kernel import inline
from eval.bitboards import FILE_A, is_any, square_distance
from eval.features import (
    KING_BARE_WING,
    KING_DANGER,
    KING_FLANK_ATTACKS,
    KING_HALF_OPEN_FILE,
    KING_NEAREST_PAWN,
    KING_OPEN_FILE,
    SAFE_CHECK,
    SHELTER,
    STORM,
    STORM_BLOCKED,
)
from eval.trace import ONCE, add_feature

# Units of attack.
ATTACKER_UNITS = np.array([0, 0, 6, 4, 5, 3])  # [type]: a piece that attacks the ring
RING_SQUARE_UNITS = np.int64(1)  # for each square of the ring that it attacks
_WEAK_SQUARE_UNITS = np.int64(4)  # an attacked square of the ring that at most the king or a queen defends
_KNIGHT_CHECK_UNITS, _BISHOP_CHECK_UNITS = np.int64(14), np.int64(11)  # safe checks
_ROOK_CHECK_UNITS, _QUEEN_CHECK_UNITS = np.int64(18), np.int64(14)
_UNSAFE_CHECK_UNITS = np.int64(2)
_KNIGHT_DEFENDER_UNITS = np.int64(3)
_NO_QUEEN_UNITS = np.int64(22)
_MOST_UNITS = np.int64(63)

_UPPER_RANKS = np.uint64(0xFFFF_FFFF_FF00_0000)  # the fourth to the eighth


def _king_ring() -> npt.NDArray[np.uint64]:
    """Nine squares around each king square; at the edge, the centre of the ring is one step inside."""
    inside = [8 * min(max(square >> 3, 1), 6) + min(max(square & 7, 1), 6) for square in range(64)]
    return KING_ATTACKS[inside] | np.array([1 << square for square in inside], np.uint64)


def _king_flank() -> npt.NDArray[np.uint64]:
    """The files around a king on each file: the four of its wing, or the four central ones."""
    queen_side, centre, king_side = 0x0F0F, 0x3C3C, 0xF0F0
    rows = [queen_side] * 3 + [centre] * 2 + [king_side] * 3
    return np.array([row * 0x0001_0001_0001_0001 for row in rows], np.uint64)


KING_RING = _king_ring()  # [square]
KING_FLANK = _king_flank()  # [file]


@inline
def add_king_attack(score, trace, weights, own, attacks, enemy, enemy_attacks, units):
    """Add the attack on the enemy king; `units` are those of the pieces that attack its ring."""
    king = lsb(enemy.king)
    weak = attacks.all & ~enemy_attacks.twice & (~enemy_attacks.all | enemy_attacks.king | enemy_attacks.queens)
    safe = ~own.all & (~enemy_attacks.all | (weak & attacks.twice))
    # The enemy queen does not shield its king: a piece that checks through it wins it.
    through = (own.all | enemy.all) ^ enemy.queens
    straight, diagonal = rook_attacks(king, through), bishop_attacks(king, through)
    rook_checks, bishop_checks = straight & attacks.rooks, diagonal & attacks.bishops
    knight_checks = KNIGHT_ATTACKS[king] & attacks.knights
    queen_checks = (straight | diagonal) & attacks.queens & safe & ~enemy_attacks.queens
    unsafe_checks = (rook_checks | bishop_checks | knight_checks) & ~safe & ~own.all

    units += _KNIGHT_CHECK_UNITS * is_any(knight_checks & safe) + _BISHOP_CHECK_UNITS * is_any(bishop_checks & safe)
    units += _ROOK_CHECK_UNITS * is_any(rook_checks & safe) + _QUEEN_CHECK_UNITS * is_any(queen_checks)
    units += _WEAK_SQUARE_UNITS * popcount(weak & KING_RING[king]) + _UNSAFE_CHECK_UNITS * popcount(unsafe_checks)
    units -= _KNIGHT_DEFENDER_UNITS * is_any(enemy_attacks.knights & enemy_attacks.king)
    units -= _NO_QUEEN_UNITS * (ONCE - is_any(own.queens))

    score = add_feature(score, trace, weights, SAFE_CHECK, popcount(knight_checks & safe))
    score = add_feature(score, trace, weights, SAFE_CHECK + 1, popcount(bishop_checks & safe))
    score = add_feature(score, trace, weights, SAFE_CHECK + 2, popcount(rook_checks & safe))
    score = add_feature(score, trace, weights, SAFE_CHECK + 3, popcount(queen_checks))
    flank = KING_FLANK[king & 7] & _UPPER_RANKS
    score = add_feature(score, trace, weights, KING_FLANK_ATTACKS,
                        popcount(attacks.all & flank) + popcount(attacks.twice & flank))
    return add_feature(score, trace, weights, KING_DANGER + min(max(units, 0), _MOST_UNITS), ONCE)


@inline
def add_shelter(score, trace, weights, king, own_pawns, enemy_pawns):
    """Add the shelter and the storm: the pawns on the own king's file and on both neighbouring files."""
    file = king & 7
    from_king_up = ALL_SQUARES << (king & 56)
    middle = min(max(file, 1), 6)
    for lane in range(middle - 1, middle + 2):
        squares = FILE_A << lane & from_king_up
        edge = min(lane, 7 - lane) * 7
        rank, enemy_rank = _lowest_rank(own_pawns & squares), _lowest_rank(enemy_pawns & squares)
        score = add_feature(score, trace, weights, SHELTER + edge + rank, ONCE)
        if rank > 0 and enemy_rank == rank + 1:
            score = add_feature(score, trace, weights, STORM_BLOCKED + enemy_rank, ONCE)
        else:
            score = add_feature(score, trace, weights, STORM + edge + enemy_rank, ONCE)
    file_squares = FILE_A << file
    if own_pawns & file_squares == EMPTY:
        score = add_feature(score, trace, weights, KING_HALF_OPEN_FILE, is_any(enemy_pawns & file_squares))
        score = add_feature(score, trace, weights, KING_OPEN_FILE, ONCE - is_any(enemy_pawns & file_squares))
    pawns = own_pawns | enemy_pawns
    score = add_feature(score, trace, weights, KING_BARE_WING, ONCE - is_any(pawns & KING_FLANK[file]))
    return add_feature(score, trace, weights, KING_NEAREST_PAWN + _nearest(king, pawns), ONCE)


@inline
def _nearest(king, pawns):
    """The distance of the nearest pawn; 0 if there is none."""
    nearest = np.int64(0) if pawns == EMPTY else np.int64(7)
    while pawns != EMPTY:
        nearest = min(nearest, square_distance(king, lsb(pawns)))
        pawns = clear_lsb(pawns)
    return nearest


@inline
def _lowest_rank(pawns):
    """The rank of the lowest pawn, 1 to 6; 0 if there is none."""
    return lsb(pawns) >> 3 if pawns != EMPTY else np.int64(0)
