"""The distance to the next capture or pawn move on the way to a win (DTZ), by Syzygy tables, in kernels.

A distance is in plies, signed from the side to move's view, and 0 for a draw. 1 is an immediate capture, pawn move or
mate; more than 100 is a win or loss that the fifty-move rule turns into a draw. Files have only one side to move; for
the other, the moves are tried. Some files count in full moves: then a distance may be one more than they say. They do
not cover positions in which the winner captures or moves a pawn at once, which is seen without them.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import EMPTY, NO_PIECE, NO_SQUARE, PAWN, popcount
from engine.core.draws import FIFTY_MOVES, repetition_count
from engine.core.movegen import ALL_MOVES, MOVE_LIST_TYPE, NOISY, MoveListRecord, checkers_and_pinned, generate
from engine.core.moves import EN_PASSANT, from_square, move_type, to_square
from engine.core.position import POSITION_TYPE, PositionRecord, make, occupied_squares, unmake
from engine.kernel import Int, entry, inline, int64, kernel
from engine.kernel.intrinsics import load_u8, load_u16
from tablebase.codes import UNKNOWN
from tablebase.root_ranking import (
    DRAWS,
    JUDGEMENT_TYPE,
    LOSES,
    MATES,
    MAY_LOSE,
    MAY_WIN,
    SPOILT_LOSS,
    SPOILT_WIN,
    TWICE,
    WINS,
    RankingRecord,
    can_repeat,
    rank_within,
)
from tablebase.syzygy.decode import UNREADABLE, decoded_value
from tablebase.syzygy.probe_wdl import find_tb, locate, material_key, probe_wdl, seen_by_tb, stored_wdl, tb_numbered
from tablebase.syzygy.records import (
    DISTANCES,
    EVEN,
    NO_TB,
    NO_VALUE,
    SCRATCH_TYPE,
    SURE_LOSS,
    SURE_WIN,
    SYZYGY_TYPE,
    ScratchRecord,
    SyzygyRecord,
    part_at,
)

NO_DISTANCE = np.int64(-100_000)
UNASKED = np.int64(-200_000)  # a distance that the move itself does not determine
_OTHER_SIDE = np.int64(-1)  # the file does not have this side to move
_UNFIT = np.int64(-2)  # the file is missing, or its bytes make no sense
_NOTHING = np.int64(-3)  # the value of having no capture; worse than SURE_LOSS
_FARTHEST = np.int64(10_000)
_PATIENCE = np.int64(1)  # plies: a file that does not have one side to move has the other

# Flags of a part of a file.
_BLACK, _MAPPED, _WIN_IN_PLIES, _LOSS_IN_PLIES, _WIDE = (np.int64(flag) for flag in (1, 2, 4, 8, 16))


@inline
def _dtz_of_zeroing_move(value):
    """The distance of a position with this value in which the next move captures or moves a pawn."""
    if value == EVEN:
        return np.int64(0)
    distance = np.int64(1) if abs(value) == SURE_WIN else FIFTY_MOVES + 1
    return distance if value > 0 else -distance


@inline
def _value(pos, syzygy, moves, end, scratch):
    """SURE_WIN to SURE_LOSS for the side to move, ignoring en passant; or NO_VALUE."""
    return probe_wdl(pos, syzygy, np.int64(0), np.int64(0), moves, end, scratch, SURE_LOSS, SURE_WIN)


@kernel
def full_value(pos, syzygy, moves, end, scratch):
    """SURE_WIN to SURE_LOSS for the side to move, including en passant; or NO_VALUE."""
    value = _value(pos, syzygy, moves, end, scratch)
    if value == NO_VALUE or pos.ep == NO_SQUARE:
        return value
    best, has_other = _NOTHING, False
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        if move_type(move) != EN_PASSANT:
            has_other = True
            continue
        make(pos, move)
        left = _value(pos, syzygy, moves, last, scratch)
        unmake(pos, move)
        if left == NO_VALUE:
            return NO_VALUE
        best = max(best, -left)
    return max(value, best) if has_other else best


@kernel
def best_capture(pos, syzygy, moves, end, scratch):
    """The value of the best capture, or _NOTHING, or NO_VALUE if a file is missing."""
    best = _NOTHING
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, NOISY, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        if pos.board[to_square(move)] == NO_PIECE:
            continue
        make(pos, move)
        left = _value(pos, syzygy, moves, last, scratch)
        unmake(pos, move)
        if left == NO_VALUE:
            return NO_VALUE
        best = max(best, -left)
    return best


@kernel
def wins_by_pawn_move(pos, syzygy, moves, end, scratch, value):
    """1 if a pawn move that does not capture keeps this value, 0 if none does, NO_VALUE if a file is missing."""
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        is_pawn = pos.board[from_square(move)] & 7 == PAWN
        if not is_pawn or pos.board[to_square(move)] != NO_PIECE:
            continue
        make(pos, move)
        left = full_value(pos, syzygy, moves, last, scratch)
        unmake(pos, move)
        if left == NO_VALUE:
            return NO_VALUE
        if -left == value:
            return np.int64(1)
    return np.int64(0)


@inline
def _map_of(value):
    """Which of a part's maps gives the meaning of its numbers for positions of this value."""
    if value == SURE_WIN:
        return 0
    if value == SURE_LOSS:
        return 1
    return 2 if value > 0 else 3


@kernel
def stored_plies(pos, syzygy, value, squares):
    """The plies that a file adds to `_dtz_of_zeroing_move` for a position of this value; or _OTHER_SIDE, or _UNFIT."""
    found = find_tb(syzygy, DISTANCES, material_key(pos))
    if found == NO_TB:
        return _UNFIT
    tb = tb_numbered(syzygy, DISTANCES, found)
    is_exchanged, side = seen_by_tb(pos, tb, found)
    address, number = locate(pos, syzygy, tb, is_exchanged, np.int64(0), squares)
    part = part_at(address)
    if part.flags & _BLACK != side and (tb.has_pawns or not tb.is_symmetric):
        return _OTHER_SIDE
    plies = np.int64(0) if part.constant != NO_VALUE else decoded_value(part, number)
    if plies == UNREADABLE:
        return _UNFIT
    if part.flags & _MAPPED:
        which = _map_of(value)
        if plies >= part.map_sizes[which]:
            return _UNFIT
        start = part.maps[which]
        plies = load_u16(start + 2 * plies) if part.flags & _WIDE else load_u8(start + plies)
    is_in_plies = ((value == SURE_WIN and part.flags & _WIN_IN_PLIES)
                   or (value == SURE_LOSS and part.flags & _LOSS_IN_PLIES))
    return plies if is_in_plies else 2 * plies


@kernel
def probe_dtz(pos, syzygy, moves, end, scratch, patience):
    """The distance of a position with legal moves, none of them castling or en passant; or NO_DISTANCE.

    If a file does not have this side to move, the moves are tried, `patience` plies deep.
    """
    if popcount(occupied_squares(pos)) == 2:
        return np.int64(0)
    capture, value = best_capture(pos, syzygy, moves, end, scratch), stored_wdl(pos, syzygy, scratch.squares)
    if capture == NO_VALUE or value == NO_VALUE:
        return NO_DISTANCE
    is_best = capture >= value
    value = max(capture, value)
    if value == EVEN or (value > 0 and is_best):
        return _dtz_of_zeroing_move(value)
    if value > 0:
        found = wins_by_pawn_move(pos, syzygy, moves, end, scratch, value)
        if found != 0:
            return NO_DISTANCE if found == NO_VALUE else _dtz_of_zeroing_move(value)
    plies = stored_plies(pos, syzygy, value, scratch.squares)
    if plies >= 0:
        return _dtz_of_zeroing_move(value) + (plies if value > 0 else -plies)
    if plies == _UNFIT or patience == 0:
        return NO_DISTANCE
    farthest = -_FARTHEST if value > 0 else np.int64(0)
    best = farthest  # larger is better for the mover: -1 is the nearest win, and above 0 the farthest loss
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        distance = distance_after(pos, syzygy, moves, last, scratch)
        if distance == UNASKED:
            left = probe_dtz(pos, syzygy, moves, last, scratch, patience - 1)
            distance = NO_DISTANCE if left == NO_DISTANCE else dtz_plus_one(-left)
        unmake(pos, move)
        if distance == NO_DISTANCE:
            return NO_DISTANCE
        if (value > 0) == (distance > 0) and distance != 0:
            best = max(best, -distance)
    return NO_DISTANCE if best == farthest else -best


@inline
def dtz_plus_one(distance):
    """The distance plus one ply; a draw stays a draw."""
    return distance + np.int64(distance > 0) - np.int64(distance < 0)


@kernel
def distance_after(pos, syzygy, moves, end, scratch):
    """The distance of the move just made, for its side, if it ends the game, captures or moves a pawn; else UNASKED."""
    checkers, pinned = checkers_and_pinned(pos)
    if generate(pos, moves, end, ALL_MOVES, checkers, pinned) == end:
        return np.int64(0) if checkers == EMPTY else np.int64(1)
    if pos.rule50 != 0:
        return UNASKED
    value = full_value(pos, syzygy, moves, end, scratch)
    return NO_DISTANCE if value == NO_VALUE else _dtz_of_zeroing_move(-value)


@kernel
def _rank_of_distance(pos, moves, end, distance, fifty_moves_count):
    """The rank of the move just made."""
    checkers, pinned = checkers_and_pinned(pos)
    if distance == 1 and checkers != EMPTY and generate(pos, moves, end, ALL_MOVES, checkers, pinned) == end:
        return rank_within(MATES, np.int64(0))
    if distance == 0:
        return rank_within(DRAWS, np.int64(0))
    is_repeated = repetition_count(pos) >= TWICE
    plies = abs(distance) + max(np.int64(pos.rule50) - 1, 0)
    is_spoilt = is_repeated or (fifty_moves_count and plies > FIFTY_MOVES)
    is_close = fifty_moves_count and plies == FIFTY_MOVES and pos.rule50 != 0  # the file may have rounded down
    if distance > 0:
        if is_spoilt or can_repeat(pos, moves, end):
            return rank_within(SPOILT_WIN, -distance)
        return rank_within(MAY_WIN if is_close else WINS, -distance)
    if is_spoilt:
        return rank_within(SPOILT_LOSS, -distance)
    return rank_within(MAY_LOSE if is_close else LOSES, -distance)


@entry(POSITION_TYPE, SYZYGY_TYPE, MOVE_LIST_TYPE, SCRATCH_TYPE, JUDGEMENT_TYPE, int64)
def rank_moves_by_dtz(pos: PositionRecord, syzygy: SyzygyRecord, moves: MoveListRecord, scratch: ScratchRecord,
                      judgement: RankingRecord, fifty_moves_count: Int) -> Int:
    """Judge all legal moves of a position without castling; codes are distances. Returns their number, or UNKNOWN."""
    checkers, pinned = checkers_and_pinned(pos)
    count = generate(pos, moves, np.int64(0), ALL_MOVES, checkers, pinned)
    for index in range(count):
        move = np.int64(moves.moves[index])
        make(pos, move)
        distance = distance_after(pos, syzygy, moves, count, scratch)
        if distance == UNASKED:
            left = probe_dtz(pos, syzygy, moves, count, scratch, _PATIENCE)
            distance = NO_DISTANCE if left == NO_DISTANCE else dtz_plus_one(-left)
        rank = np.int64(0)
        if distance != NO_DISTANCE:
            rank = _rank_of_distance(pos, moves, count, distance, fifty_moves_count)
        unmake(pos, move)
        if distance == NO_DISTANCE:
            return UNKNOWN
        judgement.moves[index], judgement.codes[index], judgement.ranks[index] = move, distance, rank
    return count


