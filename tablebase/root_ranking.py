"""What each move leads to under the fifty-move rule and repetition, by the engine's own endgame tables.

A mate is certain if it comes before the counter is full, whatever the other side does: the code of a position bounds
its plies. If it may come too late, the plies until the counter is reset decide, and a win may take longer than the code
says. So each move has a grade, and moves of the same grade are ordered.
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
from tablebase.probe import LIBRARY_TYPE, MAX_PROBE_DEPTH, LibraryRecord, probe_code, probe_dtz

# Grades, for the side that moves. A spoilt win or loss is one that the fifty-move rule or repetition turns into a draw.
IS_MATED, LOSES, MAY_LOSE, SPOILT_LOSS, DRAWS, SPOILT_WIN, MAY_WIN, WINS, MATES = (
    np.int64(grade) for grade in range(9))
_GRADE_SHIFT = np.int64(32)
_MIDDLE = np.int64(1 << 31)  # of the ranks of a grade
_CODE_SHIFT = np.int64(8)  # within a grade the code counts first, then the plies until the counter is reset
TWICE = np.int64(2)  # earlier occurrences: the third is a draw


class RankingRecord(Fields):
    """All legal moves, with their codes and ranks."""

    moves: Annotated[Numbers, "i8", MAX_MOVES]
    codes: Annotated[Numbers, "i8", MAX_MOVES]  # that the move leaves to the other side
    ranks: Annotated[Numbers, "i8", MAX_MOVES]  # more is better; the upper bits are the grade


JUDGEMENT = dtype_of(RankingRecord)
JUDGEMENT_TYPE = record_type(JUDGEMENT)


def empty_judgement() -> RankingRecord:
    """A new record, for `rank_moves` to fill."""
    return new_record(RankingRecord)


@dataclass(frozen=True)
class RankedMove:
    """What a legal move leads to."""

    move: int
    code: int  # that it leaves to the other side
    rank: int

    @property
    def outcome_class(self) -> int:
        """The result, and how certain it is."""
        return self.rank >> int(_GRADE_SHIFT)


def ranked_moves(judgement: RankingRecord, count: int) -> list[RankedMove]:
    """The moves that were judged, the best first."""
    fates = map(RankedMove, judgement.moves[:count].tolist(), judgement.codes[:count].tolist(),
                judgement.ranks[:count].tolist())
    return sorted(fates, key=lambda fate: -fate.rank)


@inline
def rank_within(grade, within):
    """The rank of a move of this grade; a larger `within` is better, and is less than _MIDDLE in size."""
    return (grade << _GRADE_SHIFT) + _MIDDLE + within


@kernel
def can_repeat(pos, moves, end):
    """Whether the side to move can repeat a position for the third time."""
    if pos.rule50 < 3:
        return False
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    found = False
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        found = repetition_count(pos) >= TWICE
        unmake(pos, move)
        if found:
            break
    return found


@kernel
def _has_repeated(pos):
    """Whether some earlier position since the last reset has occurred twice, so that it must not recur.

    The current one does not matter: a winner who makes progress never returns to it.
    """
    reach = reversible_plies(pos)
    for back in range(1, reach + 1):
        key = pos.undo_stack[(np.int64(pos.ply) - back) & HISTORY_MASK, PAST_KEY]
        for further in range(back + 4, reach + 1, 2):
            if pos.undo_stack[(np.int64(pos.ply) - further) & HISTORY_MASK, PAST_KEY] == key:
                return True
    return False


@kernel
def _rank_of_win(pos, library, moves, end, code, may_repeat):
    """The rank of the move just made, which leaves the other side lost with this code."""
    counter = np.int64(pos.rule50)
    if code == MATED:
        return rank_within(MATES, -(code << _CODE_SHIFT))
    if repetition_count(pos) >= TWICE or can_repeat(pos, moves, end):
        return rank_within(SPOILT_WIN, -(code << _CODE_SHIFT))
    if counter + code - 1 <= FIFTY_MOVES and (counter == 0 or not may_repeat):
        return rank_within(MATES, -(code << _CODE_SHIFT))
    plies = probe_dtz(pos, library, moves, end, code, MAX_PROBE_DEPTH)
    if plies == UNKNOWN:
        return rank_within(MAY_WIN if counter < FIFTY_MOVES else SPOILT_WIN, -(code << _CODE_SHIFT))
    return rank_within(WINS if counter + plies <= FIFTY_MOVES else SPOILT_WIN, -(code << _CODE_SHIFT) - plies)


@kernel
def _rank_of_loss(pos, library, moves, end, code, may_repeat):
    """The rank of the move just made, which leaves the other side won with this code."""
    counter = np.int64(pos.rule50)
    if repetition_count(pos) >= TWICE:
        return rank_within(SPOILT_LOSS, code << _CODE_SHIFT)
    if counter + code - 1 <= FIFTY_MOVES and (counter == 0 or not may_repeat):
        return rank_within(IS_MATED, code << _CODE_SHIFT)
    plies = probe_dtz(pos, library, moves, end, code, MAX_PROBE_DEPTH)
    if plies == UNKNOWN:
        return rank_within(MAY_LOSE if counter < FIFTY_MOVES else SPOILT_LOSS, code << _CODE_SHIFT)
    return rank_within(LOSES if counter + plies <= FIFTY_MOVES else SPOILT_LOSS, (code << _CODE_SHIFT) + plies)


@kernel
def rank_moves_inner(pos, library, moves, judgement):
    """Write every legal move, the code that it leaves the other side and its rank; returns their number, or UNKNOWN."""
    may_repeat = _has_repeated(pos)
    checkers, pinned = checkers_and_pinned(pos)
    count = generate(pos, moves, np.int64(0), ALL_MOVES, checkers, pinned)
    for index in range(count):
        move = np.int64(moves.moves[index])
        make(pos, move)
        code = probe_code(pos, library, moves, count, MAX_PROBE_DEPTH)
        rank = rank_within(DRAWS, np.int64(0))
        if code != UNKNOWN and code != DRAWN:
            if code & 1:
                rank = _rank_of_win(pos, library, moves, count, code, may_repeat)
            else:
                rank = _rank_of_loss(pos, library, moves, count, code, may_repeat)
        unmake(pos, move)
        if code == UNKNOWN:
            return UNKNOWN
        judgement.moves[index], judgement.codes[index], judgement.ranks[index] = move, code, rank
    return count


@entry(POSITION_TYPE, LIBRARY_TYPE, MOVE_LIST_TYPE, JUDGEMENT_TYPE)
def rank_moves(pos: PositionRecord, library: LibraryRecord, moves: MoveListRecord, judgement: RankingRecord) -> Int:
    """Judge the legal moves in a position of up to five men; returns their number, or UNKNOWN for a missing table."""
    return rank_moves_inner(pos, library, moves, judgement)


@entry(POSITION_TYPE, LIBRARY_TYPE, MOVE_LIST_TYPE, JUDGEMENT_TYPE, array_type("i8"), int64, int64)
def extend_line(pos: PositionRecord, library: LibraryRecord, moves: MoveListRecord, judgement: RankingRecord,
                line: Any, length: Int, longest: Int) -> Int:
    """Extend a line of `length` moves by best play of both sides; returns its new length.

    It grows to at most `longest`, and ends earlier if the game or the tables end. The moves are played on `pos`.
    """
    while length < longest and pos.rule50 < FIFTY_MOVES:
        count = rank_moves_inner(pos, library, moves, judgement)
        if count <= 0:
            break
        best: Int = np.int64(0)
        for index in range(1, count):
            if judgement.ranks[index] > judgement.ranks[best]:
                best = index
        line[length] = judgement.moves[best]
        length += 1
        make(pos, judgement.moves[best])
    return length
