"""The number of a position in its Syzygy table, computed from the squares of the men as the format prescribes."""

from __future__ import annotations

import numpy as np

from engine.core.bits import EMPTY, clear_lsb, lsb
from engine.kernel import inline


@inline
def _off_diagonal(square):
    """Positive above the long diagonal, negative below, 0 on it."""
    return (square >> 3) - (square & 7)


@inline
def _mirror_all(squares, men, mask):
    for man in range(men):
        squares[man] ^= mask


@inline
def order_squares(pos, part, squares, first, men, exchange, flip):
    """Write the squares of the men, from number `first` on, in the order of the part."""
    man = first
    while man < men:
        piece = part.pieces[man] ^ exchange
        left = pos.types[piece & 7] & pos.colors[piece >> 3]
        while left != EMPTY:
            squares[man] = lsb(left) ^ flip
            left = clear_lsb(left)
            man += 1


@inline
def _sort(squares, first, last):
    for man in range(first + 1, last):
        square, place = squares[man], man
        while place > first and squares[place - 1] > square:
            squares[place] = squares[place - 1]
            place -= 1
        squares[place] = square


@inline
def _number_of_group(lists, squares, first, last, lowest):
    """The number of a placement of men of the same kind on the squares left by the men before them."""
    _sort(squares, first, last)
    number = np.int64(0)
    for man in range(first, last):
        below = lowest
        for other in range(first):
            below += np.int64(squares[man] > squares[other])
        number += lists.choose[squares[man] - below, man - first + 1]
    return number


@inline
def _turn_to_triangle(squares, men, leaders):
    """Turn the board until the first man is in the triangle a1-d1-d4, and the first off the diagonal is below it."""
    if squares[0] & 4:
        _mirror_all(squares, men, 7)
    if squares[0] & 32:
        _mirror_all(squares, men, 56)
    man = np.int64(0)
    while man < leaders and _off_diagonal(squares[man]) == 0:
        man += 1
    if man < leaders and _off_diagonal(squares[man]) > 0:
        for other in range(men):
            squares[other] = (squares[other] >> 3 | squares[other] << 3) & 63


@inline
def _number_of_three(lists, squares):
    """The number of three leading unique men."""
    first, second, third = squares[0], squares[1], squares[2]
    after = np.int64(second > first)
    after_both = np.int64(third > first) + np.int64(third > second)
    if _off_diagonal(first) != 0:
        return lists.triangle[first] * 63 * 62 + (second - after) * 62 + third - after_both
    number = np.int64(6 * 63 * 62)
    if _off_diagonal(second) != 0:
        return number + lists.diagonal[first] * 28 * 62 + lists.lower[second] * 62 + third - after_both
    number += 4 * 28 * 62
    if _off_diagonal(third) != 0:
        return number + lists.diagonal[first] * 7 * 28 + (lists.diagonal[second] - after) * 28 + lists.lower[third]
    return (number + 4 * 7 * 28 + lists.diagonal[first] * 7 * 6 + (lists.diagonal[second] - after) * 6
            + lists.diagonal[third] - after_both)


@inline
def _number_of_rest(lists, part, squares, first, men):
    """What the men from `first` on add to the number of a position."""
    number = np.int64(0)
    while first < men:
        last = first + part.norm[first]
        number += _number_of_group(lists, squares, first, last, np.int64(0)) * part.factor[first]
        first = last
    return number


@inline
def number_without_pawns(lists, tb, part, squares):
    leaders = np.int64(3) if tb.has_three_unique else np.int64(2)
    _turn_to_triangle(squares, tb.men, leaders)
    if tb.has_three_unique:
        number = _number_of_three(lists, squares)
    else:
        number = np.int64(lists.king_pairs[lists.triangle[squares[0]], squares[1]])
    return number * part.factor[0] + _number_of_rest(lists, part, squares, leaders, tb.men)


@inline
def lead_with_foremost_pawn(lists, tb, squares):
    """Put the leading pawn that is first in the format's order in front; returns its file, mirrored to a-d."""
    for man in range(1, tb.leading_pawns):
        if lists.flap[squares[0]] > lists.flap[squares[man]]:
            squares[0], squares[man] = squares[man], squares[0]
    file = squares[0] & 7
    return min(file, 7 - file)


@inline
def number_with_pawns(lists, tb, part, squares):
    if squares[0] & 4:
        _mirror_all(squares, tb.men, 7)
    leaders = tb.leading_pawns
    for man in range(1, leaders):
        for other in range(man + 1, leaders):
            if lists.pawn_twist[squares[man]] < lists.pawn_twist[squares[other]]:
                squares[man], squares[other] = squares[other], squares[man]
    number = lists.pawn_index[leaders - 1, lists.flap[squares[0]]]
    for man in range(1, leaders):
        number += lists.choose[lists.pawn_twist[squares[man]], leaders - man]
    number *= part.factor[0]
    if tb.other_pawns > 0:
        last = leaders + tb.other_pawns
        number += _number_of_group(lists, squares, leaders, last, np.int64(8)) * part.factor[leaders]
        leaders = last
    return number + _number_of_rest(lists, part, squares, leaders, tb.men)
