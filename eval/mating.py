"""Mating a bare king: drive it to the edge, or to the right corner, and bring one's own king closer."""

from __future__ import annotations

from engine.core.bits import EMPTY, LIGHT_SQUARES, lsb
from engine.kernel import inline, kernel
from eval.features import MOP_UP_CORNER, MOP_UP_EDGE, MOP_UP_KING_DISTANCE, MOP_UP_WON
from eval.sets import square_distance
from eval.trace import ONCE, add_feature


@inline
def is_bare(army):
    """Whether only the king is left."""
    return army.all == army.king


@kernel
def add_mop_up(score, trace, weights, own, enemy):
    """Add the features of a won ending against a bare king; `own` can force mate."""
    own_king, enemy_king = lsb(own.king), lsb(enemy.king)
    score = add_feature(score, trace, weights, MOP_UP_WON, ONCE)
    score = add_feature(score, trace, weights, MOP_UP_KING_DISTANCE + square_distance(own_king, enemy_king), ONCE)
    if own.pawns | own.rooks | own.queens == EMPTY and _bishops_have_one_color(own.bishops):
        return add_feature(score, trace, weights, MOP_UP_CORNER + _corner_nearness(enemy_king, own.bishops), ONCE)
    return add_feature(score, trace, weights, MOP_UP_EDGE + _centre_distance(enemy_king), ONCE)


@inline
def _bishops_have_one_color(bishops):
    return bishops & LIGHT_SQUARES == EMPTY or bishops & ~LIGHT_SQUARES == EMPTY


@inline
def _centre_distance(square):
    """Steps along file and rank to the four centre squares: 0 in the centre, 6 in a corner."""
    file, rank = square & 7, square >> 3
    return max(3 - file, file - 4) + max(3 - rank, rank - 4)


@inline
def _corner_nearness(square, bishops):
    """7 in a corner of the bishops' colour, 0 on the diagonal between the other two corners."""
    file, rank = square & 7, square >> 3
    if bishops & LIGHT_SQUARES != EMPTY:
        file = 7 - file  # turns the light corners a8 and h1 into h8 and a1
    return abs(7 - file - rank)
