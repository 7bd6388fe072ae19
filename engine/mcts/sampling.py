"""One legal move at random, all equally likely, without listing them, which would take most of a playout's time.

The moves of a piece are a set of squares, and the size of a set is known at once. A random number below the sum of the
sizes picks a move. Legality is checked only for that move; if it is illegal another is picked, which keeps all legal
moves equally likely.
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
from engine.kernel.records import I8, Fields, Numbers, dtype_of

MOST_GROUPS = 80  # sixty-four pieces, seven kinds of pawn moves, two castlings, two captures en passant
_TRIES = np.int64(8)


class GroupsRecord(Fields):
    """Moves in groups: those of one piece, or those of all pawns in the same direction."""

    targets: Annotated[Numbers, "u8", MOST_GROUPS]
    start: Annotated[Numbers, "i8", MOST_GROUPS]  # of a piece
    step: Annotated[Numbers, "i8", MOST_GROUPS]  # of pawns; 0 for pieces
    kind: Annotated[Numbers, "i8", MOST_GROUPS]
    count: I8
    total: I8  # moves in all groups


GROUPS = dtype_of(GroupsRecord)


@inline
def _ways(kind):
    """How many moves lead to each target: pawns promote to four pieces."""
    return np.int64(4) if kind == PROMOTION else np.int64(1)


@inline
def _add(groups, start, step, kind, targets):
    place = groups.count
    groups.targets[place] = targets
    groups.start[place] = start
    groups.step[place] = step
    groups.kind[place] = kind
    groups.count = place + np.int64(targets != EMPTY)
    groups.total += popcount(targets) * _ways(kind)


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
    """The move with this number, counted through all groups."""
    place = np.int64(0)
    while True:
        size = popcount(groups.targets[place]) * _ways(groups.kind[place])
        if number < size:
            break
        number -= size
        place += 1
    kind = groups.kind[place]
    if kind == PROMOTION:
        kind += number & 3
        number >>= 2
    targets = groups.targets[place]
    for _ in range(number):
        targets = clear_lsb(targets)
    target = lsb(targets)
    step = groups.step[place]
    return encode_move(target - step if step != 0 else groups.start[place], target, kind)


@kernel
def random_move(pos, worker, pinned):
    """A legal move, all equally likely, for a side that is not in check.

    NULL_MOVE if there is none, or if none was found in a few tries: then the caller has to list the moves.
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
    """A number from 0 to `end` - 1, all equally likely."""
    return np.int64((_next_random(worker) >> np.uint64(32)) * np.uint64(end) >> np.uint64(32))


@inline
def random_event(worker, probability):
    """True with this probability."""
    return np.float64(_next_random(worker) >> np.uint64(11)) < probability * 9007199254740992.0
