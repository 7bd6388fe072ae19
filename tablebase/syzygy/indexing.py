"""The index of a position in its Syzygy table, computed from the squares of the pieces as the format defines it."""

from __future__ import annotations

import numpy as np

from engine.core.bits import EMPTY, clear_lsb, lsb
from engine.kernel import inline


@inline
def _off_diagonal(square):
    """Positive above the long diagonal, negative below, 0 on it."""
    return (square >> 3) - (square & 7)


@inline
def _mirror_all(squares, piece_count, mask):
    for index in range(piece_count):
        squares[index] ^= mask


@inline
def order_squares(pos, part, squares, first, piece_count, flip_color, flip):
    """Write the squares of the pieces from index `first` on, in the order of the part."""
    index = first
    while index < piece_count:
        piece = part.pieces[index] ^ flip_color
        left = pos.types[piece & 7] & pos.colors[piece >> 3]
        while left != EMPTY:
            squares[index] = lsb(left) ^ flip
            left = clear_lsb(left)
            index += 1


@inline
def _sort(squares, first, last):
    for index in range(first + 1, last):
        square, gap = squares[index], index
        while gap > first and squares[gap - 1] > square:
            squares[gap] = squares[gap - 1]
            gap -= 1
        squares[gap] = square


@inline
def _group_index(lists, squares, first, last, lowest):
    """The index of equal pieces among their placements on the squares not taken by the pieces before them."""
    _sort(squares, first, last)
    result = np.int64(0)
    for index in range(first, last):
        below = lowest
        for other in range(first):
            below += np.int64(squares[index] > squares[other])
        result += lists.choose[squares[index] - below, index - first + 1]
    return result


@inline
def _mirror_to_triangle(squares, piece_count, leaders):
    """Mirror the board so that the first piece is in the triangle a1-d1-d4, and the first off the diagonal below it."""
    if squares[0] & 4:
        _mirror_all(squares, piece_count, 7)
    if squares[0] & 32:
        _mirror_all(squares, piece_count, 56)
    index = np.int64(0)
    while index < leaders and _off_diagonal(squares[index]) == 0:
        index += 1
    if index < leaders and _off_diagonal(squares[index]) > 0:
        for other in range(piece_count):
            squares[other] = (squares[other] >> 3 | squares[other] << 3) & 63


@inline
def _three_piece_index(lists, squares):
    """The index of three leading unique pieces."""
    first, second, third = squares[0], squares[1], squares[2]
    after = np.int64(second > first)
    after_both = np.int64(third > first) + np.int64(third > second)
    if _off_diagonal(first) != 0:
        return lists.triangle[first] * 63 * 62 + (second - after) * 62 + third - after_both
    result = np.int64(6 * 63 * 62)
    if _off_diagonal(second) != 0:
        return result + lists.diagonal[first] * 28 * 62 + lists.lower[second] * 62 + third - after_both
    result += 4 * 28 * 62
    if _off_diagonal(third) != 0:
        return result + lists.diagonal[first] * 7 * 28 + (lists.diagonal[second] - after) * 28 + lists.lower[third]
    return (result + 4 * 7 * 28 + lists.diagonal[first] * 7 * 6 + (lists.diagonal[second] - after) * 6
            + lists.diagonal[third] - after_both)


@inline
def _rest_index(lists, part, squares, first, piece_count):
    """The contribution of the pieces from `first` on to the index of a position."""
    result = np.int64(0)
    while first < piece_count:
        last = first + part.norm[first]
        result += _group_index(lists, squares, first, last, np.int64(0)) * part.factor[first]
        first = last
    return result


@inline
def index_without_pawns(lists, tb, part, squares):
    leaders = np.int64(3) if tb.has_three_unique else np.int64(2)
    _mirror_to_triangle(squares, tb.piece_count, leaders)
    if tb.has_three_unique:
        result = _three_piece_index(lists, squares)
    else:
        result = np.int64(lists.king_pairs[lists.triangle[squares[0]], squares[1]])
    return result * part.factor[0] + _rest_index(lists, part, squares, leaders, tb.piece_count)


@inline
def sort_leading_pawn(lists, tb, squares):
    """Move the first leading pawn in the format's order to the front; return its file, mirrored to a-d."""
    for index in range(1, tb.leading_pawns):
        if lists.flap[squares[0]] > lists.flap[squares[index]]:
            squares[0], squares[index] = squares[index], squares[0]
    file = squares[0] & 7
    return min(file, 7 - file)


@inline
def index_with_pawns(lists, tb, part, squares):
    if squares[0] & 4:
        _mirror_all(squares, tb.piece_count, 7)
    leaders = tb.leading_pawns
    for index in range(1, leaders):
        for other in range(index + 1, leaders):
            if lists.pawn_twist[squares[index]] < lists.pawn_twist[squares[other]]:
                squares[index], squares[other] = squares[other], squares[index]
    result = lists.pawn_index[leaders - 1, lists.flap[squares[0]]]
    for index in range(1, leaders):
        result += lists.choose[lists.pawn_twist[squares[index]], leaders - index]
    result *= part.factor[0]
    if tb.other_pawns > 0:
        last = leaders + tb.other_pawns
        result += _group_index(lists, squares, leaders, last, np.int64(8)) * part.factor[leaders]
        leaders = last
    return result + _rest_index(lists, part, squares, leaders, tb.piece_count)
