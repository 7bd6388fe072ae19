"""Uniform sampling of one legal move without a move list, whose generation would take most of a playout's time.

The targets of a piece are a bitboard, whose size is cheap to count. A random number below the sum of the sizes picks a
move. Only that move is tested for legality; if it is illegal, another one is picked, so that all legal moves remain
equally likely.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.core.attacks import KING_ATTACKS, KNIGHT_ATTACKS, LINE, PAWN_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import BISHOP, BIT, EMPTY, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK, clear_lsb, lsb, popcount
from engine.core.legality import is_legal
from engine.core.movegen import pawn_direction, pawn_targets
from engine.core.moves import CASTLING, EN_PASSANT, NORMAL, NULL_MOVE, PROMOTION, encode_move
from engine.core.position import king_square, occupied_squares
from engine.kernel import inline, kernel
from engine.kernel.records import I8, Fields, Numbers

MAX_GROUPS = 80  # 64 pieces, seven groups of pawn moves, two of castling, two of en passant
_TRIES = np.int64(8)


class GroupsRecord(Fields):
    """Groups of moves: those of one piece, or those of all pawns in the same direction."""

    targets: Annotated[Numbers, "u8", MAX_GROUPS]
    start: Annotated[Numbers, "i8", MAX_GROUPS]  # the square of a piece
    step: Annotated[Numbers, "i8", MAX_GROUPS]  # from start to target of pawn moves; 0 for pieces
    flags: Annotated[Numbers, "i8", MAX_GROUPS]
    count: I8
    total: I8  # moves in all groups


@inline
def _moves_per_target(flags):
    """The number of moves to each target: four for promotions."""
    return np.int64(4) if flags == PROMOTION else np.int64(1)


@inline
def _add(groups, start, step, flags, targets):
    index = groups.count
    groups.targets[index] = targets
    groups.start[index] = start
    groups.step[index] = step
    groups.flags[index] = flags
    groups.count = index + np.int64(targets != EMPTY)
    groups.total += popcount(targets) * _moves_per_target(flags)


@inline
def _add_pieces(pos, groups, us, king, pinned):
    own, occupied = pos.colors[us], occupied_squares(pos)
    knights = pos.types[KNIGHT] & own & ~pinned
    while knights != EMPTY:
        start = lsb(knights)
        knights = clear_lsb(knights)
        _add(groups, start, np.int64(0), NORMAL, KNIGHT_ATTACKS[start] & ~own)
    diagonal, straight = pos.types[BISHOP] | pos.types[QUEEN], pos.types[ROOK] | pos.types[QUEEN]
    sliders = (diagonal | straight) & own
    while sliders != EMPTY:
        start = lsb(sliders)
        sliders = clear_lsb(sliders)
        reached = EMPTY
        if diagonal >> start & BIT:
            reached |= bishop_attacks(start, occupied)
        if straight >> start & BIT:
            reached |= rook_attacks(start, occupied)
        if pinned >> start & BIT:
            reached &= LINE[king, start]
        _add(groups, start, np.int64(0), NORMAL, reached & ~own)
    _add(groups, king, np.int64(0), NORMAL, KING_ATTACKS[king] & ~own)


@inline
def _add_pawns(pos, groups, us, king, pinned):
    forward, last_rank = pawn_direction(us)
    one, two, east, west = pawn_targets(pos, us, king, pinned)
    none = np.int64(0)
    _add(groups, none, forward, NORMAL, one & ~last_rank)
    _add(groups, none, 2 * forward, NORMAL, two)
    _add(groups, none, forward + 1, NORMAL, east & ~last_rank)
    _add(groups, none, forward - 1, NORMAL, west & ~last_rank)
    if (one | east | west) & last_rank != EMPTY:
        _add(groups, none, forward, PROMOTION, one & last_rank)
        _add(groups, none, forward + 1, PROMOTION, east & last_rank)
        _add(groups, none, forward - 1, PROMOTION, west & last_rank)


@inline
def _add_special_moves(pos, groups, us, king):
    """En passant and castling."""
    if pos.ep != NO_SQUARE:
        capturers = PAWN_ATTACKS[us ^ 1, np.int64(pos.ep)] & pos.types[PAWN] & pos.colors[us]
        while capturers != EMPTY:
            _add(groups, lsb(capturers), np.int64(0), EN_PASSANT, BIT << np.int64(pos.ep))
            capturers = clear_lsb(capturers)
    for index in range(2 * us, 2 * us + 2):
        if pos.castling >> index & 1 and pos.castling_empty[index] & occupied_squares(pos) == EMPTY:
            _add(groups, king, np.int64(0), CASTLING, BIT << np.int64(pos.castling_rooks[index]))


@inline
def _nth_move(groups, number):
    """The move with this number, counted over all groups."""
    index = np.int64(0)
    while True:
        size = popcount(groups.targets[index]) * _moves_per_target(groups.flags[index])
        if number < size:
            break
        number -= size
        index += 1
    flags = groups.flags[index]
    if flags == PROMOTION:
        flags += number & 3
        number >>= 2
    targets = groups.targets[index]
    for _ in range(number):
        targets = clear_lsb(targets)
    target = lsb(targets)
    step = groups.step[index]
    return encode_move(target - step if step != 0 else groups.start[index], target, flags)


@kernel
def random_move(pos, worker, pinned):
    """A uniformly random legal move; the side to move must not be in check.

    NULL_MOVE if there is none, or if a few tries found none: then the caller must generate the moves.
    """
    groups, us = worker.groups, np.int64(pos.side)
    king = king_square(pos, us)
    groups.count = 0
    groups.total = 0
    _add_pieces(pos, groups, us, king, pinned)
    _add_pawns(pos, groups, us, king, pinned)
    _add_special_moves(pos, groups, us, king)
    if groups.total == 0:
        return NULL_MOVE
    for _ in range(_TRIES):
        move = _nth_move(groups, random_below(worker, groups.total))
        if is_legal(pos, move, EMPTY, pinned):
            return move
    return NULL_MOVE


@inline
def _next_random(worker):
    bits = worker.random
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    worker.random = bits
    return bits


@inline
def random_below(worker, end):
    """A uniformly random number from 0 to `end` - 1."""
    return np.int64((_next_random(worker) >> np.uint64(32)) * np.uint64(end) >> np.uint64(32))


@inline
def random_event(worker, probability):
    """True with this probability."""
    return np.float64(_next_random(worker) >> np.uint64(11)) < probability * 9007199254740992.0
