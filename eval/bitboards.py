"""Bitboards from each side's own point of view, and operations on them.

White's bitboards are used as they are, Black's with the board flipped vertically. So each feature is written once, for
a side whose pawns move up, and both sides are treated the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.core.bits import BISHOP, EMPTY, KING, KNIGHT, NOT_FILE_A, NOT_FILE_H, PAWN, QUEEN, ROOK, byteswap
from engine.kernel import inline

FILE_A = np.uint64(0x0101_0101_0101_0101)
FILE_H = np.uint64(0x8080_8080_8080_8080)
RANK_2, RANK_7 = np.uint64(0xFF << 8), np.uint64(0xFF << 48)
CENTRE_FILES = np.uint64(0x3C3C_3C3C_3C3C_3C3C)  # c to f
CENTRE = np.uint64(0x0000_0018_1800_0000)  # d4, e4, d5, e5


class SidePieces(NamedTuple):
    """The pieces of one side."""

    pawns: Any
    knights: Any
    bishops: Any
    rooks: Any
    queens: Any
    king: Any
    all: Any


class SideAttacks(NamedTuple):
    """The squares that one side attacks, by piece type; bishops and rooks x-ray through queens, rooks through rooks."""

    pawns: Any
    knights: Any
    bishops: Any
    rooks: Any
    queens: Any
    king: Any
    all: Any
    twice: Any  # attacked at least twice


@inline
def side_pieces(pos, color):
    """The pieces of `color`, seen from White's side."""
    own = pos.colors[color]
    return SidePieces(pos.types[PAWN] & own, pos.types[KNIGHT] & own, pos.types[BISHOP] & own, pos.types[ROOK] & own,
                      pos.types[QUEEN] & own, pos.types[KING] & own, own)


@inline
def flip_pieces(pieces):
    """The same pieces, seen from the other side."""
    return SidePieces(byteswap(pieces.pawns), byteswap(pieces.knights), byteswap(pieces.bishops),
                      byteswap(pieces.rooks), byteswap(pieces.queens), byteswap(pieces.king), byteswap(pieces.all))


@inline
def flip_attacks(attacks):
    """The same squares, seen from the other side."""
    return SideAttacks(byteswap(attacks.pawns), byteswap(attacks.knights), byteswap(attacks.bishops),
                       byteswap(attacks.rooks), byteswap(attacks.queens), byteswap(attacks.king),
                       byteswap(attacks.all), byteswap(attacks.twice))


@inline
def east(squares):
    """Each square's right neighbour."""
    return (squares & NOT_FILE_H) << 1


@inline
def west(squares):
    """Each square's left neighbour."""
    return (squares & NOT_FILE_A) >> 1


@inline
def adjacent_files(squares):
    """Both neighbours of each square."""
    return east(squares) | west(squares)


@inline
def fill_up(squares):
    """`squares` and all above them."""
    squares |= squares << 8
    squares |= squares << 16
    return squares | squares << 32


@inline
def fill_down(squares):
    """`squares` and all below them."""
    squares |= squares >> 8
    squares |= squares >> 16
    return squares | squares >> 32


@inline
def is_any(squares):
    """1 if `squares` is not empty, else 0."""
    return np.int64(squares != EMPTY)


@inline
def square_distance(first, second):
    """The number of moves that a king needs from one square to the other."""
    files = abs((first & 7) - (second & 7))
    ranks = abs((first >> 3) - (second >> 3))
    return max(files, ranks)
