"""Endgame knowledge: scale factors for advantages that are hard to convert, and the mop-up against a bare king."""

from __future__ import annotations

import numpy as np

from engine.core.bits import EMPTY, LIGHT_SQUARES, byteswap, lsb, popcount
from engine.kernel import inline, kernel
from eval.bitboards import FILE_A, FILE_H, square_distance
from eval.features import MOP_UP_CORNER, MOP_UP_EDGE, MOP_UP_KING_DISTANCE, MOP_UP_WON
from eval.trace import ONCE, WHOLE_SCALE, add_feature

# Piece values in pawns, for a rough comparison of material.
_MINOR, _ROOK, _QUEEN = np.int64(3), np.int64(5), np.int64(9)
_DEAD_DRAW = np.int64(0)
_WRONG_CORNER = np.int64(4)
_ROOK_AGAINST_MINOR = np.int64(6)
_MINOR_AHEAD = np.int64(14)  # a lead of at most a minor piece, and no pawn to queen
NEARLY_DRAWN = _MINOR_AHEAD
_BISHOPS_ALONE, _BISHOPS_ALONE_PAWN = np.int64(14), np.int64(8)  # opposite colours; more for each pawn ahead
_BISHOPS_AND_OTHERS, _BISHOPS_AND_OTHERS_PAWN = np.int64(42), np.int64(3)  # more for each pawn
_FEW_PAWNS, _FEW_PAWNS_PAWN = np.int64(40), np.int64(6)
_MANY_PAWNS = np.int64(4)


@kernel
def scale_factor(strong, weak):
    """The scale factor of the endgame score, out of WHOLE_SCALE, if `strong` is ahead; both sides seen by `strong`."""
    pawns = popcount(strong.pawns)
    if _has_opposite_bishops(strong, weak):
        if _has_only_bishops(strong) and _has_only_bishops(weak):
            ahead = max(pawns - popcount(weak.pawns), 0)
            return min(_BISHOPS_ALONE + _BISHOPS_ALONE_PAWN * ahead, WHOLE_SCALE)
        return min(_BISHOPS_AND_OTHERS + _BISHOPS_AND_OTHERS_PAWN * pawns, WHOLE_SCALE)
    if pawns >= _MANY_PAWNS:
        return WHOLE_SCALE
    if pawns == 0 and not can_force_mate(strong):
        return _DEAD_DRAW
    if pawns > 0 and _is_wrong_corner(strong, weak):
        return _WRONG_CORNER
    strong_value, weak_value = _piece_value(strong), _piece_value(weak)
    if strong_value - weak_value > _MINOR:
        return WHOLE_SCALE
    if pawns > 0:
        return _FEW_PAWNS + _FEW_PAWNS_PAWN * pawns
    return _ROOK_AGAINST_MINOR if strong_value == _ROOK and weak_value == _MINOR else _MINOR_AHEAD


@inline
def can_force_mate(pieces):
    """Whether the pieces, without the pawns, can mate a bare king."""
    if pieces.rooks | pieces.queens != EMPTY or popcount(pieces.knights) > 2:
        return True
    on_light, on_dark = pieces.bishops & LIGHT_SQUARES != EMPTY, pieces.bishops & ~LIGHT_SQUARES != EMPTY
    return (on_light and on_dark) or (pieces.knights != EMPTY and (on_light or on_dark))


@inline
def _piece_value(pieces):
    minors = popcount(pieces.knights | pieces.bishops)
    return _MINOR * minors + _ROOK * popcount(pieces.rooks) + _QUEEN * popcount(pieces.queens)


@inline
def _has_only_bishops(pieces):
    return pieces.all == pieces.pawns | pieces.bishops | pieces.king


@inline
def _has_opposite_bishops(strong, weak):
    """Whether each side has one bishop, and the two are of opposite colours."""
    light = popcount((strong.bishops | weak.bishops) & LIGHT_SQUARES)
    return popcount(strong.bishops) == 1 and popcount(weak.bishops) == 1 and light == 1


@inline
def _is_wrong_corner(strong, weak):
    """Whether all pawns are on one rook file, no bishop controls its corner, and the bare king can hold it."""
    on_a, on_h = strong.pawns & ~FILE_A == EMPTY, strong.pawns & ~FILE_H == EMPTY
    if not (on_a or on_h) or not _has_only_bishops(strong) or weak.all != weak.king:
        return False
    corner_color = LIGHT_SQUARES if on_a else ~LIGHT_SQUARES  # a8 is a light square, h8 a dark one
    return strong.bishops & corner_color == EMPTY and _king_reaches_corner(strong, weak, 56 if on_a else 63)


@inline
def _king_reaches_corner(strong, weak, corner):
    """Whether the weak king is at the corner, or gets there before the pawns and their king."""
    distance = square_distance(lsb(weak.king), corner)
    steps_to_queen = lsb(byteswap(strong.pawns)) >> 3
    return distance <= 1 or (distance < steps_to_queen and distance < square_distance(lsb(strong.king), corner))


@inline
def is_bare(pieces):
    """Whether only the king is left."""
    return pieces.all == pieces.king


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
