"""Ranking of the root moves by the engine's own tables, respecting the fifty-move rule and repetitions.

A mate is certain if its DTM fits into the rest of the fifty moves against any defence. If it may not, the DTZ decides,
and the win may take longer than the DTM. So each move has an outcome class, and a rank within its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from engine.core.draws import FIFTY_MOVES, repetition_count, reversible_plies
from engine.core.movegen import ALL_MOVES, MAX_MOVES, MOVE_LIST_TYPE, MoveListRecord, checkers_and_pinned, generate
from engine.core.position import HISTORY_MASK, PAST_KEY, POSITION_TYPE, PositionRecord, make, unmake
from engine.kernel import Int, array_type, entry, inline, int64, kernel, record_type
from engine.kernel.records import Fields, Numbers, dtype_of, new_record
from tablebase.codes import DRAWN, MATED, UNKNOWN
from tablebase.probe import MAX_PROBE_DEPTH, OWN_TABLES_TYPE, OwnTablesRecord, probe_code, probe_dtz

# Outcome classes for the side that moves. The fifty-move rule or a repetition turns a cursed win or a blessed loss into
# a draw.
IS_MATED, LOSES, MAY_LOSE, BLESSED_LOSS, DRAWS, CURSED_WIN, MAY_WIN, WINS, MATES = (
    np.int64(number) for number in range(9))
_CLASS_SHIFT = np.int64(32)
_MIDDLE = np.int64(1 << 31)  # of the ranks of a class
_CODE_SHIFT = np.int64(8)  # within a class the DTM counts first, then the DTZ
TWICE = np.int64(2)  # earlier occurrences that make the position a draw


class RankingRecord(Fields):
    """All legal moves, with their codes and ranks."""

    moves: Annotated[Numbers, "i8", MAX_MOVES]
    codes: Annotated[Numbers, "i8", MAX_MOVES]  # of the position after the move, for the other side
    ranks: Annotated[Numbers, "i8", MAX_MOVES]  # higher is better; the upper bits are the outcome class


RANKING = dtype_of(RankingRecord)
RANKING_TYPE = record_type(RANKING)


def empty_ranking() -> RankingRecord:
    """Return a new record for `rank_moves` to fill."""
    return new_record(RankingRecord)


@dataclass(frozen=True)
class RankedMove:
    """A legal move with its result by the tables."""

    move: int
    code: int  # of the position after it, for the other side: DTM, or DTZ from Syzygy
    rank: int

    @property
    def outcome_class(self) -> int:
        """IS_MATED to MATES: the result, and how certain it is."""
        return self.rank >> int(_CLASS_SHIFT)


def ranked_moves(ranking: RankingRecord, count: int) -> list[RankedMove]:
    """The first `count` moves of a ranking, the best first."""
    moves = map(RankedMove, ranking.moves[:count].tolist(), ranking.codes[:count].tolist(),
                ranking.ranks[:count].tolist())
    return sorted(moves, key=lambda move: -move.rank)


@inline
def rank_within(outcome_class, within):
    """The rank of a move of this class; a larger `within` is better, and its size must be below _MIDDLE."""
    return (outcome_class << _CLASS_SHIFT) + _MIDDLE + within


@kernel
def can_repeat(pos, moves, end):
    """Whether the side to move can reach a position for the third time."""
    if pos.rule50 < 3:
        return False
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    is_third = False
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        is_third = repetition_count(pos) >= TWICE
        unmake(pos, move)
        if is_third:
            break
    return is_third


@kernel
def _has_repeated(pos):
    """Whether a position since the last zeroing move has occurred twice, so that it must not recur.

    The current position does not matter, because progress to the win never returns to it.
    """
    reach = reversible_plies(pos)
    for back in range(1, reach + 1):
        key = pos.undo_stack[(np.int64(pos.ply) - back) & HISTORY_MASK, PAST_KEY]
        for further in range(back + 4, reach + 1, 2):
            if pos.undo_stack[(np.int64(pos.ply) - further) & HISTORY_MASK, PAST_KEY] == key:
                return True
    return False


@kernel
def _rank_of_win(pos, tables, moves, end, code, may_repeat):
    """The rank of the move just made, after which the other side loses with this code."""
    rule50 = np.int64(pos.rule50)
    if code == MATED:
        return rank_within(MATES, -(code << _CODE_SHIFT))
    if repetition_count(pos) >= TWICE or can_repeat(pos, moves, end):
        return rank_within(CURSED_WIN, -(code << _CODE_SHIFT))
    if rule50 + code - 1 <= FIFTY_MOVES and (rule50 == 0 or not may_repeat):
        return rank_within(MATES, -(code << _CODE_SHIFT))
    plies = probe_dtz(pos, tables, moves, end, code, MAX_PROBE_DEPTH)
    if plies == UNKNOWN:
        return rank_within(MAY_WIN if rule50 < FIFTY_MOVES else CURSED_WIN, -(code << _CODE_SHIFT))
    return rank_within(WINS if rule50 + plies <= FIFTY_MOVES else CURSED_WIN, -(code << _CODE_SHIFT) - plies)


@kernel
def _rank_of_loss(pos, tables, moves, end, code, may_repeat):
    """The rank of the move just made, after which the other side wins with this code."""
    rule50 = np.int64(pos.rule50)
    if repetition_count(pos) >= TWICE:
        return rank_within(BLESSED_LOSS, code << _CODE_SHIFT)
    if rule50 + code - 1 <= FIFTY_MOVES and (rule50 == 0 or not may_repeat):
        return rank_within(IS_MATED, code << _CODE_SHIFT)
    plies = probe_dtz(pos, tables, moves, end, code, MAX_PROBE_DEPTH)
    if plies == UNKNOWN:
        return rank_within(MAY_LOSE if rule50 < FIFTY_MOVES else BLESSED_LOSS, code << _CODE_SHIFT)
    return rank_within(LOSES if rule50 + plies <= FIFTY_MOVES else BLESSED_LOSS, (code << _CODE_SHIFT) + plies)


@kernel
def rank_moves_inner(pos, tables, moves, ranking):
    """Write every legal move with the code after it and its rank; return their number, or UNKNOWN."""
    may_repeat = _has_repeated(pos)
    checkers, pinned = checkers_and_pinned(pos)
    count = generate(pos, moves, np.int64(0), ALL_MOVES, checkers, pinned)
    for index in range(count):
        move = np.int64(moves.moves[index])
        make(pos, move)
        code = probe_code(pos, tables, moves, count, MAX_PROBE_DEPTH)
        rank = rank_within(DRAWS, np.int64(0))
        if code != UNKNOWN and code != DRAWN:
            if code & 1:
                rank = _rank_of_win(pos, tables, moves, count, code, may_repeat)
            else:
                rank = _rank_of_loss(pos, tables, moves, count, code, may_repeat)
        unmake(pos, move)
        if code == UNKNOWN:
            return UNKNOWN
        ranking.moves[index], ranking.codes[index], ranking.ranks[index] = move, code, rank
    return count


@entry(POSITION_TYPE, OWN_TABLES_TYPE, MOVE_LIST_TYPE, RANKING_TYPE)
def rank_moves(pos: PositionRecord, tables: OwnTablesRecord, moves: MoveListRecord, ranking: RankingRecord) -> Int:
    """Rank the legal moves of a position with up to five pieces; return their number, or UNKNOWN without a table."""
    return rank_moves_inner(pos, tables, moves, ranking)


@entry(POSITION_TYPE, OWN_TABLES_TYPE, MOVE_LIST_TYPE, RANKING_TYPE, array_type("i8"), int64, int64)
def extend_line(pos: PositionRecord, tables: OwnTablesRecord, moves: MoveListRecord, ranking: RankingRecord,
                line: Any, length: Int, longest: Int) -> Int:
    """Extend a line of `length` moves by best play of both sides, and return its new length.

    It grows to at most `longest` moves, and ends earlier with the game or where tables are missing. Makes the moves on
    `pos`.
    """
    while length < longest and pos.rule50 < FIFTY_MOVES:
        count = rank_moves_inner(pos, tables, moves, ranking)
        if count <= 0:
            break
        best: Int = np.int64(0)
        for index in range(1, count):
            if ranking.ranks[index] > ranking.ranks[best]:
                best = index
        line[length] = ranking.moves[best]
        length += 1
        make(pos, ranking.moves[best])
    return length
