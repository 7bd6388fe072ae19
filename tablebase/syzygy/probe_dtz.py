"""Probing the DTZ of Syzygy tables in kernels.

DTZ is the number of plies to the next zeroing move on the way to a win: positive if the side to move wins, negative if
it loses, 0 for a draw. 1 is an immediate zeroing move or mate; more than 100 is a win that the fifty-move rule turns
into a draw. Files have only one side to move; for the other, the moves are tried. Some files count full moves, so that
the DTZ may be one ply more than stored. Files lack positions in which the winner has a zeroing move that wins, which is
detected without them.
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
    BLESSED_LOSS,
    CURSED_WIN,
    DRAWS,
    LOSES,
    MATES,
    MAY_LOSE,
    MAY_WIN,
    RANKING_TYPE,
    TWICE,
    WINS,
    RankingRecord,
    can_repeat,
    rank_within,
)
from tablebase.syzygy.decode import UNREADABLE, decode_value
from tablebase.syzygy.probe_wdl import find_tb, flip_and_side, locate, material_key, probe_wdl, stored_wdl, tb_record
from tablebase.syzygy.records import (
    DTZ_FILE,
    NO_TB,
    NO_WDL,
    SCRATCH_TYPE,
    SYZYGY_TYPE,
    WDL_DRAW,
    WDL_LOSS,
    WDL_WIN,
    ScratchRecord,
    SyzygyRecord,
    part_at,
)

NO_DTZ = np.int64(-100_000)
DTZ_NOT_ZEROING = np.int64(-200_000)  # the move neither zeroes rule50 nor ends the game
_OTHER_SIDE = np.int64(-1)  # the file lacks this side to move
_UNREADABLE_FILE = np.int64(-2)  # the file is missing or damaged
_NO_CAPTURE = np.int64(-3)  # below WDL_LOSS
_FARTHEST = np.int64(10_000)
_MAX_PROBE_DEPTH = np.int64(1)  # plies: a file that lacks one side to move has the other

# Flags of a part of a file.
_BLACK, _MAPPED, _WIN_IN_PLIES, _LOSS_IN_PLIES, _WIDE = (np.int64(flag) for flag in (1, 2, 4, 8, 16))


@inline
def _dtz_before_zeroing(value):
    """The DTZ of a position with this WDL value whose best move is a zeroing move."""
    if value == WDL_DRAW:
        return np.int64(0)
    dtz = np.int64(1) if abs(value) == WDL_WIN else FIFTY_MOVES + 1
    return dtz if value > 0 else -dtz


@inline
def _wdl(pos, syzygy, moves, end, scratch):
    """WDL_WIN to WDL_LOSS for the side to move, ignoring en passant; or NO_WDL."""
    return probe_wdl(pos, syzygy, np.int64(0), np.int64(0), moves, end, scratch, WDL_LOSS, WDL_WIN)


@kernel
def wdl_with_en_passant(pos, syzygy, moves, end, scratch):
    """WDL_WIN to WDL_LOSS for the side to move, including en passant; or NO_WDL."""
    value = _wdl(pos, syzygy, moves, end, scratch)
    if value == NO_WDL or pos.ep == NO_SQUARE:
        return value
    best, has_other = _NO_CAPTURE, False
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        if move_type(move) != EN_PASSANT:
            has_other = True
            continue
        make(pos, move)
        left = _wdl(pos, syzygy, moves, last, scratch)
        unmake(pos, move)
        if left == NO_WDL:
            return NO_WDL
        best = max(best, -left)
    return max(value, best) if has_other else best


@kernel
def best_capture_wdl(pos, syzygy, moves, end, scratch):
    """The WDL value of the best capture; _NO_CAPTURE if there is none, NO_WDL if a file is missing."""
    best = _NO_CAPTURE
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, NOISY, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        if pos.board[to_square(move)] == NO_PIECE:
            continue
        make(pos, move)
        left = _wdl(pos, syzygy, moves, last, scratch)
        unmake(pos, move)
        if left == NO_WDL:
            return NO_WDL
        best = max(best, -left)
    return best


@kernel
def wins_by_pawn_move(pos, syzygy, moves, end, scratch, value):
    """1 if a pawn move without capture keeps this WDL value, 0 if none does, NO_WDL if a file is missing."""
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        is_pawn = pos.board[from_square(move)] & 7 == PAWN
        if not is_pawn or pos.board[to_square(move)] != NO_PIECE:
            continue
        make(pos, move)
        left = wdl_with_en_passant(pos, syzygy, moves, last, scratch)
        unmake(pos, move)
        if left == NO_WDL:
            return NO_WDL
        if -left == value:
            return np.int64(1)
    return np.int64(0)


@inline
def _map_of(value):
    """The index of the map of a part for positions of this WDL value."""
    if value == WDL_WIN:
        return 0
    if value == WDL_LOSS:
        return 1
    return 2 if value > 0 else 3


@kernel
def stored_plies(pos, syzygy, value, squares):
    """The plies that a file adds to `_dtz_before_zeroing`; or _OTHER_SIDE, or _UNREADABLE_FILE."""
    tb_code = find_tb(syzygy, DTZ_FILE, material_key(pos))
    if tb_code == NO_TB:
        return _UNREADABLE_FILE
    tb = tb_record(syzygy, DTZ_FILE, tb_code)
    is_flipped, side = flip_and_side(pos, tb, tb_code)
    address, index = locate(pos, syzygy, tb, is_flipped, np.int64(0), squares)
    part = part_at(address)
    if part.flags & _BLACK != side and (tb.has_pawns or not tb.is_symmetric):
        return _OTHER_SIDE
    plies = np.int64(0) if part.constant != NO_WDL else decode_value(part, index)
    if plies == UNREADABLE:
        return _UNREADABLE_FILE
    if part.flags & _MAPPED:
        which = _map_of(value)
        if plies >= part.map_sizes[which]:
            return _UNREADABLE_FILE
        start = part.maps[which]
        plies = load_u16(start + 2 * plies) if part.flags & _WIDE else load_u8(start + plies)
    is_in_plies = ((value == WDL_WIN and part.flags & _WIN_IN_PLIES)
                   or (value == WDL_LOSS and part.flags & _LOSS_IN_PLIES))
    return plies if is_in_plies else 2 * plies


@kernel
def probe_dtz(pos, syzygy, moves, end, scratch, depth):
    """The DTZ of a position that has legal moves, without castling or en passant; or NO_DTZ.

    If the file lacks this side to move, the moves are tried, `depth` plies deep.
    """
    if popcount(occupied_squares(pos)) == 2:
        return np.int64(0)
    capture, value = best_capture_wdl(pos, syzygy, moves, end, scratch), stored_wdl(pos, syzygy, scratch.squares)
    if capture == NO_WDL or value == NO_WDL:
        return NO_DTZ
    is_best = capture >= value
    value = max(capture, value)
    if value == WDL_DRAW or (value > 0 and is_best):
        return _dtz_before_zeroing(value)
    if value > 0:
        pawn_move_wins = wins_by_pawn_move(pos, syzygy, moves, end, scratch, value)
        if pawn_move_wins != 0:
            return NO_DTZ if pawn_move_wins == NO_WDL else _dtz_before_zeroing(value)
    plies = stored_plies(pos, syzygy, value, scratch.squares)
    if plies >= 0:
        return _dtz_before_zeroing(value) + (plies if value > 0 else -plies)
    if plies == _UNREADABLE_FILE or depth == 0:
        return NO_DTZ
    farthest = -_FARTHEST if value > 0 else np.int64(0)
    best = farthest  # negated, so that larger is better: -1 is the nearest win, the largest positive the longest loss
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        dtz = dtz_of_zeroing_or_end(pos, syzygy, moves, last, scratch)
        if dtz == DTZ_NOT_ZEROING:
            left = probe_dtz(pos, syzygy, moves, last, scratch, depth - 1)
            dtz = NO_DTZ if left == NO_DTZ else dtz_plus_one(-left)
        unmake(pos, move)
        if dtz == NO_DTZ:
            return NO_DTZ
        if (value > 0) == (dtz > 0) and dtz != 0:
            best = max(best, -dtz)
    return NO_DTZ if best == farthest else -best


@inline
def dtz_plus_one(dtz):
    """The DTZ one ply earlier; a draw stays a draw."""
    return dtz + np.int64(dtz > 0) - np.int64(dtz < 0)


@kernel
def dtz_of_zeroing_or_end(pos, syzygy, moves, end, scratch):
    """The DTZ of the move just made, for the side that made it, if it ends the game or zeroes rule50.

    Otherwise DTZ_NOT_ZEROING; NO_DTZ if a file is missing.
    """
    checkers, pinned = checkers_and_pinned(pos)
    if generate(pos, moves, end, ALL_MOVES, checkers, pinned) == end:
        return np.int64(0) if checkers == EMPTY else np.int64(1)
    if pos.rule50 != 0:
        return DTZ_NOT_ZEROING
    value = wdl_with_en_passant(pos, syzygy, moves, end, scratch)
    return NO_DTZ if value == NO_WDL else _dtz_before_zeroing(-value)


@kernel
def _rank_by_dtz(pos, moves, end, dtz, use_rule50):
    """The rank of the move just made."""
    checkers, pinned = checkers_and_pinned(pos)
    if dtz == 1 and checkers != EMPTY and generate(pos, moves, end, ALL_MOVES, checkers, pinned) == end:
        return rank_within(MATES, np.int64(0))
    if dtz == 0:
        return rank_within(DRAWS, np.int64(0))
    is_repeated = repetition_count(pos) >= TWICE
    plies = abs(dtz) + max(np.int64(pos.rule50) - 1, 0)
    is_spoilt = is_repeated or (use_rule50 and plies > FIFTY_MOVES)
    is_close = use_rule50 and plies == FIFTY_MOVES and pos.rule50 != 0  # the stored DTZ may be rounded down
    if dtz > 0:
        if is_spoilt or can_repeat(pos, moves, end):
            return rank_within(CURSED_WIN, -dtz)
        return rank_within(MAY_WIN if is_close else WINS, -dtz)
    if is_spoilt:
        return rank_within(BLESSED_LOSS, -dtz)
    return rank_within(MAY_LOSE if is_close else LOSES, -dtz)


@entry(POSITION_TYPE, SYZYGY_TYPE, MOVE_LIST_TYPE, SCRATCH_TYPE, RANKING_TYPE, int64)
def rank_moves_by_dtz(pos: PositionRecord, syzygy: SyzygyRecord, moves: MoveListRecord, scratch: ScratchRecord,
                      ranking: RankingRecord, use_rule50: Int) -> Int:
    """Rank the legal moves of a position without castling; the codes are DTZ. Return their number, or UNKNOWN."""
    checkers, pinned = checkers_and_pinned(pos)
    count = generate(pos, moves, np.int64(0), ALL_MOVES, checkers, pinned)
    for index in range(count):
        move = np.int64(moves.moves[index])
        make(pos, move)
        dtz = dtz_of_zeroing_or_end(pos, syzygy, moves, count, scratch)
        if dtz == DTZ_NOT_ZEROING:
            left = probe_dtz(pos, syzygy, moves, count, scratch, _MAX_PROBE_DEPTH)
            dtz = NO_DTZ if left == NO_DTZ else dtz_plus_one(-left)
        rank = np.int64(0)
        if dtz != NO_DTZ:
            rank = _rank_by_dtz(pos, moves, count, dtz, use_rule50)
        unmake(pos, move)
        if dtz == NO_DTZ:
            return UNKNOWN
        ranking.moves[index], ranking.codes[index], ranking.ranks[index] = move, dtz, rank
    return count


