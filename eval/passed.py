"""Passed pawns and the pieces: kings, blockers and free paths."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import rook_attacks
from engine.core.bits import BIT, EMPTY, clear_lsb, lsb
from engine.kernel import inline
from eval.bitboards import FILE_H, square_distance
from eval.features import (
    PASSED_BLOCKED,
    PASSED_ENEMY_KING,
    PASSED_ESCORTED,
    PASSED_FREE_PATH,
    PASSED_FREE_STEP,
    PASSED_OWN_KING,
    PASSED_UNSTOPPABLE,
)
from eval.trace import ONCE, add_feature

_ABOVE_A1 = np.uint64(0x0101_0101_0101_0100)  # `<< square`: the squares above it on its file
_BELOW_H8 = FILE_H ^ BIT << np.uint64(63)  # `>> (63 - square)`: those below it


@inline
def add_king_distances(score, trace, weights, own_king, enemy_king, passed):
    """Add the distances of the kings to the squares in front of the pawns `passed`; no other piece matters here."""
    while passed != EMPTY:
        square = lsb(passed)
        passed = clear_lsb(passed)
        row = 8 * ((square >> 3) - 1)
        score = add_feature(score, trace, weights, PASSED_OWN_KING + row + square_distance(own_king, square + 8), ONCE)
        score = add_feature(score, trace, weights, PASSED_ENEMY_KING + row + square_distance(enemy_king, square + 8),
                            ONCE)
    return score


@inline
def add_passed(score, trace, weights, own, attacks, enemy, enemy_attacks, passed, to_move):
    """Add how the pieces affect the pawns `passed`; `to_move` is 1 if it is their side's turn, else 0."""
    while passed != EMPTY:
        square = lsb(passed)
        passed = clear_lsb(passed)
        score = _add_path(score, trace, weights, own, attacks, enemy, enemy_attacks, square)
        if enemy.all == enemy.pawns | enemy.king and _outruns(own, enemy, square, to_move):
            score = add_feature(score, trace, weights, PASSED_UNSTOPPABLE, ONCE)
    return score


@inline
def _add_path(score, trace, weights, own, attacks, enemy, enemy_attacks, square):
    """Add how free the path of the passed pawn on `square` is."""
    occupied = own.all | enemy.all
    row = (square >> 3) - 1
    next_square, path = BIT << (square + 8), _ABOVE_A1 << square
    if next_square & occupied != EMPTY:
        return add_feature(score, trace, weights, PASSED_BLOCKED + row, ONCE)
    # A rook or queen behind the pawn attacks or defends its whole path.
    behind = rook_attacks(square, occupied) & _BELOW_H8 >> (63 - square)
    attacked = enemy_attacks.all
    if behind & (enemy.rooks | enemy.queens) != EMPTY:
        attacked = path
    defended = attacks.all
    if behind & (own.rooks | own.queens) != EMPTY:
        defended = path
    if next_square & defended != EMPTY:
        score = add_feature(score, trace, weights, PASSED_ESCORTED + row, ONCE)
    if next_square & attacked == EMPTY:
        score = add_feature(score, trace, weights, PASSED_FREE_STEP + row, ONCE)
        if path & (attacked | occupied) == EMPTY:
            score = add_feature(score, trace, weights, PASSED_FREE_PATH + row, ONCE)
    return score


@inline
def _outruns(own, enemy, square, to_move):
    """Whether the pawn on `square` has a clear path and queens before the enemy king can stop it."""
    steps = min(7 - (square >> 3), 5)
    distance = square_distance(lsb(enemy.king), square | 56)
    return _ABOVE_A1 << square & (own.all | enemy.all) == EMPTY and distance - (1 - to_move) > steps
