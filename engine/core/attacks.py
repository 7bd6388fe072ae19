"""Attack bitboards.

Leaper attacks come from tables. Slider attacks are computed by hyperbola quintessence instead of magic bitboards: the
attacks along a line are `occupied ^ (occupied - 2 * slider)`, computed once from each end, with a byteswap to reverse
the board. Here that is as fast as magics, and needs 2 KB of tables instead of 800 KB.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt

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
    byteswap,
    clear_lsb,
    lsb,
)
from engine.kernel import inline, kernel

Steps = tuple[tuple[int, int], ...]  # (ranks up, files right)

_STRAIGHT: Steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL: Steps = ((1, 1), (-1, -1), (1, -1), (-1, 1))
_KNIGHT_JUMPS: Steps = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))


@cache
def _ray(square: int, step: tuple[int, int]) -> tuple[int, ...]:
    """The squares from `square` to the edge of the board in steps of `step`, without `square` itself."""
    rank, file = square >> 3, square & 7
    squares = []
    while 0 <= (rank := rank + step[0]) < 8 and 0 <= (file := file + step[1]) < 8:
        squares.append(8 * rank + file)
    return tuple(squares)


def _bitboard(squares: Iterable[int]) -> int:
    return sum(1 << square for square in squares)


def _leaper_table(steps: Steps) -> npt.NDArray[np.uint64]:
    boards = [_bitboard([s for step in steps for s in _ray(square, step)[:1]]) for square in range(64)]
    return np.array(boards, np.uint64)


def _line_table(*steps: tuple[int, int]) -> npt.NDArray[np.uint64]:
    boards = [_bitboard([s for step in steps for s in _ray(square, step)]) for square in range(64)]
    return np.array(boards, np.uint64)


def _between_and_line_tables() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    between, line = ([[0] * 64 for _ in range(64)] for _ in range(2))
    for start in range(64):
        for step in _STRAIGHT + _DIAGONAL:
            ray = _ray(start, step)
            whole = _bitboard(ray + _ray(start, (-step[0], -step[1]))) | 1 << start
            passed = 0
            for square in ray:
                between[start][square] = passed
                line[start][square] = whole
                passed |= 1 << square
    return np.array(between, np.uint64), np.array(line, np.uint64)


def _first_rank_table() -> npt.NDArray[np.uint8]:
    """Attacks along the first rank by [file * 64 + occupancy of files b to g]."""
    table = [0] * (8 * 64)
    for file in range(8):
        for inner in range(64):
            occupied = inner << 1
            for step in ((0, 1), (0, -1)):
                for square in _ray(file, step):
                    table[file * 64 + inner] |= 1 << square
                    if occupied >> square & 1:
                        break
    return np.array(table, np.uint8)


KNIGHT_ATTACKS = _leaper_table(_KNIGHT_JUMPS)
KING_ATTACKS = _leaper_table(_STRAIGHT + _DIAGONAL)
PAWN_ATTACKS = np.stack([_leaper_table(((1, 1), (1, -1))), _leaper_table(((-1, 1), (-1, -1)))])  # [colour, square]
FILE_LINE = _line_table((1, 0), (-1, 0))
DIAGONAL_LINE = _line_table((1, 1), (-1, -1))
ANTIDIAGONAL_LINE = _line_table((1, -1), (-1, 1))
BETWEEN, LINE = _between_and_line_tables()  # [from, to]: squares strictly between; the whole line through both
FIRST_RANK_ATTACKS = _first_rank_table()


@inline
def _line_attacks(occupied, line, slider):
    forward = occupied & line
    backward = byteswap(forward)
    reverse_slider = byteswap(slider)
    forward -= slider + slider
    backward -= reverse_slider + reverse_slider
    return (forward ^ byteswap(backward)) & line


@inline
def bishop_attacks(square, occupied):
    """Squares attacked by a bishop on `square`, including the first occupied square on each line."""
    slider = BIT << square
    return (_line_attacks(occupied, DIAGONAL_LINE[square], slider)
            | _line_attacks(occupied, ANTIDIAGONAL_LINE[square], slider))


@inline
def rook_attacks(square, occupied):
    """Squares attacked by a rook on `square`, including the first occupied square on each line."""
    rank_shift = square & 56
    inner = np.int64(occupied >> (rank_shift + 1)) & 63
    along_rank = np.uint64(FIRST_RANK_ATTACKS[(square & 7) * 64 + inner]) << rank_shift
    return _line_attacks(occupied, FILE_LINE[square], BIT << square) | along_rank


@inline
def piece_attacks(piece_type, square, occupied):
    """Squares attacked by a piece on `square`; `piece_type` is KNIGHT to KING, never PAWN."""
    if piece_type == KNIGHT:
        return KNIGHT_ATTACKS[square]
    if piece_type == KING:
        return KING_ATTACKS[square]
    attacks = EMPTY
    if piece_type != ROOK:
        attacks |= bishop_attacks(square, occupied)
    if piece_type != BISHOP:
        attacks |= rook_attacks(square, occupied)
    return attacks


@inline
def attackers_to(pos, square, occupied, attacker):
    """Pieces of colour `attacker` that attack `square`, with sliders blocked by the squares `occupied`."""
    straight = pos.types[ROOK] | pos.types[QUEEN]
    diagonal = pos.types[BISHOP] | pos.types[QUEEN]
    attackers = KNIGHT_ATTACKS[square] & pos.types[KNIGHT]
    attackers |= KING_ATTACKS[square] & pos.types[KING]
    attackers |= PAWN_ATTACKS[attacker ^ 1, square] & pos.types[PAWN]
    attackers |= rook_attacks(square, occupied) & straight
    attackers |= bishop_attacks(square, occupied) & diagonal
    return attackers & pos.colors[attacker]


@inline
def is_attacked(pos, square, occupied, attacker):
    """Whether a piece of colour `attacker` attacks `square`."""
    return attackers_to(pos, square, occupied, attacker) != EMPTY


@inline
def pawn_attacks(pawns, color):
    """All squares attacked by `pawns` of `color`."""
    if color == WHITE:
        return (pawns & NOT_FILE_H) << 9 | (pawns & NOT_FILE_A) << 7
    return (pawns & NOT_FILE_H) >> 7 | (pawns & NOT_FILE_A) >> 9


@kernel
def attacks_by_piece_value(pos, color):
    """(by_pawns, by_minors, by_rooks, by_all): the squares attacked by `color`, cumulative by piece value.

    `by_minors` includes the pawn attacks, `by_rooks` the attacks of minor pieces too, `by_all` those of queens and king
    as well. Squares of defended own pieces are included.
    """
    occupied, own = pos.colors[0] | pos.colors[1], pos.colors[color]
    by_pawns = pawn_attacks(pos.types[PAWN] & own, color)
    by_minors, pieces = by_pawns, pos.types[KNIGHT] & own
    while pieces != EMPTY:
        by_minors |= KNIGHT_ATTACKS[lsb(pieces)]
        pieces = clear_lsb(pieces)
    pieces = pos.types[BISHOP] & own
    while pieces != EMPTY:
        by_minors |= bishop_attacks(lsb(pieces), occupied)
        pieces = clear_lsb(pieces)
    by_rooks, pieces = by_minors, pos.types[ROOK] & own
    while pieces != EMPTY:
        by_rooks |= rook_attacks(lsb(pieces), occupied)
        pieces = clear_lsb(pieces)
    by_all, pieces = by_rooks | KING_ATTACKS[lsb(pos.types[KING] & own)], pos.types[QUEEN] & own
    while pieces != EMPTY:
        by_all |= bishop_attacks(lsb(pieces), occupied) | rook_attacks(lsb(pieces), occupied)
        pieces = clear_lsb(pieces)
    return by_pawns, by_minors, by_rooks, by_all


@inline
def attacked_squares(pos, color):
    """All squares attacked by `color`, including the squares of its own defended pieces."""
    return attacks_by_piece_value(pos, color)[3]
