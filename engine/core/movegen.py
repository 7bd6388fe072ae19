"""Legal move generation with check and pin masks; bulk counting without a move list.

A node computes its masks once, with `checkers_and_pinned`, and passes them to every function that needs them.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.core.attacks import (
    ANTIDIAGONAL_LINE,
    BETWEEN,
    DIAGONAL_LINE,
    FILE_LINE,
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    LINE,
    PAWN_ATTACKS,
    bishop_attacks,
    is_attacked,
    rook_attacks,
)
from engine.core.bits import (
    ALL_SQUARES,
    BISHOP,
    BIT,
    EMPTY,
    KNIGHT,
    NO_SQUARE,
    NOT_FILE_A,
    NOT_FILE_H,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    ROOK,
    WHITE,
    clear_lsb,
    lsb,
    more_than_one,
    popcount,
)
from engine.core.moves import CASTLING, EN_PASSANT, NORMAL, PROMOTION, QUEEN_PROMOTION, encode_move
from engine.core.position import en_passant_is_safe, king_square, occupied_squares
from engine.kernel import inline, kernel, record_type
from engine.kernel.records import Fields, Numbers, dtype_of, new_record

# Values of `gen_type`.
NOISY = np.int64(1)  # captures and promotions
QUIET = np.int64(2)  # all others
ALL_MOVES = np.int64(3)

# An upper bound for any position, even one with 62 queens: a move goes to one of 64 squares, and at most 8 sliders and
# 8 knights, or 3 pawns with 4 promotions each, reach the same square.
MAX_MOVES = 1024

MOVE_LIST_PLIES = 64


class MoveListRecord(Fields):
    """A stack of moves; the moves of each ply follow those of the previous ply."""

    moves: Annotated[Numbers, "u2", MOVE_LIST_PLIES * MAX_MOVES]


MOVE_LIST = dtype_of(MoveListRecord)
MOVE_LIST_TYPE = record_type(MOVE_LIST)


def empty_move_list() -> MoveListRecord:
    """Return a new, empty stack of moves."""
    return new_record(MoveListRecord)


@kernel
def checkers_and_pinned(pos):
    """(checkers, pinned): enemy pieces that give check to the side to move, and its own pieces pinned to its king."""
    us = np.int64(pos.side)
    own, enemy = pos.colors[us], pos.colors[us ^ 1]
    king = king_square(pos, us)
    checkers = ((KNIGHT_ATTACKS[king] & pos.types[KNIGHT]) | (PAWN_ATTACKS[us, king] & pos.types[PAWN])) & enemy
    pinned = EMPTY
    snipers = ((rook_attacks(king, enemy) & (pos.types[ROOK] | pos.types[QUEEN]))
               | (bishop_attacks(king, enemy) & (pos.types[BISHOP] | pos.types[QUEEN]))) & enemy
    while snipers != EMPTY:
        sniper = lsb(snipers)
        snipers = clear_lsb(snipers)
        shield = BETWEEN[king, sniper] & own
        if shield == EMPTY:
            checkers |= BIT << sniper
        elif not more_than_one(shield):
            pinned |= shield
    return checkers, pinned


# The functions that append moves. If `out` is None they only count: Numba compiles that case separately, without the
# loops.


@inline
def _add_move(out, end, start, target, flags):
    if out is not None:
        out.moves[end] = encode_move(start, target, flags)
    return end + 1


@inline
def _add_targets(out, end, start, targets):
    if out is None:
        return end + popcount(targets)
    while targets != EMPTY:
        out.moves[end] = encode_move(start, lsb(targets), NORMAL)
        targets = clear_lsb(targets)
        end += 1
    return end


@inline
def _add_pawn_moves(out, end, targets, step):
    if out is None:
        return end + popcount(targets)
    while targets != EMPTY:
        target = lsb(targets)
        out.moves[end] = encode_move(target - step, target, NORMAL)
        targets = clear_lsb(targets)
        end += 1
    return end


@inline
def _add_promotions(out, end, targets, step):
    if out is None:
        return end + 4 * popcount(targets)
    while targets != EMPTY:
        target = lsb(targets)
        for flags in range(QUEEN_PROMOTION, PROMOTION - 1, -1):
            out.moves[end] = encode_move(target - step, target, flags)
            end += 1
        targets = clear_lsb(targets)
    return end


@inline
def _generate_king_moves(pos, out, end, us, king, targets):
    targets &= KING_ATTACKS[king]
    beyond_king = occupied_squares(pos) ^ (BIT << king)  # the king does not shield the squares behind it
    while targets != EMPTY:
        target = lsb(targets)
        targets = clear_lsb(targets)
        if not is_attacked(pos, target, beyond_king, us ^ 1):
            end = _add_move(out, end, king, target, NORMAL)
    return end


@kernel
def castling_is_safe(pos, us, index):
    """Whether no square is attacked that the king of `us` crosses with castling right `index`."""
    rook = BIT << np.int64(pos.castling_rooks[index])
    occupied = occupied_squares(pos) ^ rook ^ (BIT << king_square(pos, us))
    squares = pos.castling_safe[index]
    while squares != EMPTY:
        if is_attacked(pos, lsb(squares), occupied, us ^ 1):
            return False
        squares = clear_lsb(squares)
    return True


@inline
def _generate_castling(pos, out, end, us, king):
    occupied = occupied_squares(pos)
    for index in range(2 * us, 2 * us + 2):
        has_right = pos.castling >> index & 1
        if has_right and pos.castling_empty[index] & occupied == EMPTY and castling_is_safe(pos, us, index):
            end = _add_move(out, end, king, np.int64(pos.castling_rooks[index]), CASTLING)
    return end


@inline
def _generate_piece_moves(pos, out, end, us, king, targets, pinned):
    own = pos.colors[us]
    occupied = occupied_squares(pos)
    knights = pos.types[KNIGHT] & own & ~pinned
    while knights != EMPTY:
        start = lsb(knights)
        knights = clear_lsb(knights)
        end = _add_targets(out, end, start, KNIGHT_ATTACKS[start] & targets)
    diagonal = (pos.types[BISHOP] | pos.types[QUEEN]) & own
    while diagonal != EMPTY:
        start = lsb(diagonal)
        diagonal = clear_lsb(diagonal)
        reached = bishop_attacks(start, occupied) & targets
        if pinned >> start & BIT:
            reached &= LINE[king, start]
        end = _add_targets(out, end, start, reached)
    straight = (pos.types[ROOK] | pos.types[QUEEN]) & own
    while straight != EMPTY:
        start = lsb(straight)
        straight = clear_lsb(straight)
        reached = rook_attacks(start, occupied) & targets
        if pinned >> start & BIT:
            reached &= LINE[king, start]
        end = _add_targets(out, end, start, reached)
    return end


@inline
def pawn_targets(pos, us, king, pinned):
    """(one, two, east, west): targets of single pushes, double pushes and captures, respecting pins."""
    occupied, enemy = occupied_squares(pos), pos.colors[us ^ 1]
    pawns = pos.types[PAWN] & pos.colors[us]
    # A pinned pawn moves along its pin: on the king's file it may push, on the king's diagonals capture one way.
    pushers = pawns & (~pinned | FILE_LINE[king])
    on_diagonal = pawns & (~pinned | DIAGONAL_LINE[king])
    on_antidiagonal = pawns & (~pinned | ANTIDIAGONAL_LINE[king])
    if us == WHITE:
        one = pushers << 8 & ~occupied
        two = (one & RANK_3) << 8 & ~occupied
        east, west = (on_diagonal & NOT_FILE_H) << 9, (on_antidiagonal & NOT_FILE_A) << 7
    else:
        one = pushers >> 8 & ~occupied
        two = (one & RANK_6) >> 8 & ~occupied
        east, west = (on_antidiagonal & NOT_FILE_H) >> 7, (on_diagonal & NOT_FILE_A) >> 9
    return one, two, east & enemy, west & enemy


@inline
def pawn_direction(us):
    """(forward, last_rank): the square offset of a push, and the bitboard of the promotion rank."""
    return (np.int64(8), RANK_8) if us == WHITE else (np.int64(-8), RANK_1)


@inline
def _generate_pawn_moves(pos, out, end, us, king, gen_type, evasions, pinned):
    forward, last_rank = pawn_direction(us)
    one, two, east, west = pawn_targets(pos, us, king, pinned)
    one &= evasions
    two &= evasions
    east &= evasions
    west &= evasions
    if gen_type & QUIET:
        end = _add_pawn_moves(out, end, one & ~last_rank, forward)
        end = _add_pawn_moves(out, end, two, 2 * forward)
    if gen_type & NOISY:
        end = _add_pawn_moves(out, end, east & ~last_rank, forward + 1)
        end = _add_pawn_moves(out, end, west & ~last_rank, forward - 1)
        if (one | east | west) & last_rank != EMPTY:
            end = _add_promotions(out, end, one & last_rank, forward)
            end = _add_promotions(out, end, east & last_rank, forward + 1)
            end = _add_promotions(out, end, west & last_rank, forward - 1)
        if pos.ep != NO_SQUARE:
            end = _generate_en_passant(pos, out, end, us, pos.types[PAWN] & pos.colors[us])
    return end


@inline
def _generate_en_passant(pos, out, end, us, pawns):
    ep = np.int64(pos.ep)
    capturers = PAWN_ATTACKS[us ^ 1, ep] & pawns
    while capturers != EMPTY:
        start = lsb(capturers)
        capturers = clear_lsb(capturers)
        if en_passant_is_safe(pos, start, ep, us):
            end = _add_move(out, end, start, ep, EN_PASSANT)
    return end


@kernel
def generate(pos, out, end, gen_type, checkers, pinned):
    """Write the legal moves of `gen_type` (NOISY, QUIET or ALL_MOVES) to `out.moves[end:]`; return the new end.

    `checkers` and `pinned` come from `checkers_and_pinned`. If `out` is None, only count the moves.
    """
    us = np.int64(pos.side)
    king = king_square(pos, us)
    targets = EMPTY
    if gen_type & NOISY:
        targets |= pos.colors[us ^ 1]
    if gen_type & QUIET:
        targets |= ~occupied_squares(pos)
    end = _generate_king_moves(pos, out, end, us, king, targets)
    evasions = ALL_SQUARES
    if checkers != EMPTY:
        if more_than_one(checkers):
            return end
        evasions = BETWEEN[king, lsb(checkers)] | checkers
    elif gen_type & QUIET:
        end = _generate_castling(pos, out, end, us, king)
    end = _generate_piece_moves(pos, out, end, us, king, targets & evasions, pinned)
    return _generate_pawn_moves(pos, out, end, us, king, gen_type, evasions, pinned)


@inline
def count_moves(pos):
    """The number of legal moves."""
    checkers, pinned = checkers_and_pinned(pos)
    return generate(pos, None, np.int64(0), ALL_MOVES, checkers, pinned)
