"""Retrograde analysis of DTZ, after that of DTM.

For every won or lost position, this finds in how many plies the winner can force mate, or a zeroing move by either side
that keeps the win. A win is safe from the fifty-move rule if rule50 and these plies add up to at most a hundred. That
holds as long as no mate of the ending, or of one that it can lead to, takes more than fifty moves: then a win with
rule50 at zero is always safe.

Codes are 2 * plies, plus 1 for a loss: 1 is mated, 2 has a zeroing move that keeps the win, 3 has only zeroing moves.
They are found in ascending order, as for DTM: from a loss with code n, every cell reached is a win with code n + 1;
from a win, it is a loss with code n + 3 if none of its quiet moves lasts longer. Quiet moves are moves of pieces, not
pawns. DRAWN means "not yet known".
"""

from __future__ import annotations

from engine.kernel import Int, entry, inline, int64, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, is_won
from tablebase.generator.conversions import FINISHED, UNDECIDED, best_move_value, has_quiet_move
from tablebase.generator.passes import assign_codes, first_wrong_cell, longest_defence, retract_from
from tablebase.generator.quiet_moves import FORWARDS, PAWNS, PIECES, list_quiet_moves
from tablebase.generator.work_table import (
    SCRATCH_PAIR_TYPE,
    WORK_TABLE_TYPE,
    ScratchPairRecord,
    WorkTableRecord,
    load_code,
    set_placement,
)

# The tasks of `run_dtz_pass`.
INITIALIZE, RETRACT, FIND_WRONG = range(3)

_ZEROING_WIN = DRAWN + 2  # the winner makes a zeroing move
_ZEROING_LOSS = DRAWN + 3  # the loser has only zeroing moves


@inline
def is_lost(code):
    return code & 1 != 0 and code != ILLEGAL


@inline
def has_zeroing_win(table, placement, side):
    """Whether a capture or pawn move wins."""
    return best_move_value(table, placement, side, PAWNS) > 0


@kernel
def win_code(table, placement, side):
    """The code of a won position by its quiet moves, if all lower codes are known; DRAWN if none wins."""
    best = DRAWN
    for index in range(list_quiet_moves(table, placement, side, FORWARDS, PIECES)):
        code = load_code(table.dtz, side ^ 1, placement.next_cells[index])
        if is_lost(code) and (best == DRAWN or code + 1 < best):
            best = code + 1
    return best


@kernel
def loss_code(table, placement, side, cell, known):
    """The code of a lost cell if codes up to `known` determine it, otherwise DRAWN. Overwrites `placement`."""
    if not is_lost(load_code(table.own, side, cell)):
        return DRAWN
    set_placement(table, placement, cell)
    worst = longest_defence(table, table.dtz, placement, side, PIECES, known)
    return DRAWN if worst == UNDECIDED else worst + 3  # _ZEROING_LOSS if there is no quiet move


@kernel
def first_code(table, placement, side):
    """The initial code of a position, from its own moves alone; ILLEGAL if the position is impossible."""
    dtm = load_code(table.own, side, placement.cell)
    if dtm == ILLEGAL or dtm == MATED or dtm == DRAWN:
        return dtm
    if is_won(dtm):
        return _ZEROING_WIN if has_zeroing_win(table, placement, side) else DRAWN
    return DRAWN if has_quiet_move(table, placement, side, PIECES) else _ZEROING_LOSS


@kernel
def code_by_moves(table, placement, side):
    """The code of a position by its moves, for a finished table; UNDECIDED if its moves contradict its DTM."""
    dtm = load_code(table.own, side, placement.cell)
    if dtm == ILLEGAL or dtm == MATED or dtm == DRAWN:
        return dtm
    if not is_won(dtm):
        code = loss_code(table, placement, side, placement.cell, FINISHED)
    else:
        code = _ZEROING_WIN if has_zeroing_win(table, placement, side) else win_code(table, placement, side)
    return UNDECIDED if code == DRAWN else code


@entry(WORK_TABLE_TYPE, SCRATCH_PAIR_TYPE, int64, int64, int64, int64)
def run_dtz_pass(table: WorkTableRecord, scratch: ScratchPairRecord, task: Int, first: Int, last: Int,
                   known: Int) -> Int:
    """Run a task on the cells from `first` up to, but not including, `last`; return its result."""
    codes = table.dtz
    if task == INITIALIZE:
        return assign_codes(table, codes, scratch.here, first, last, first_code)
    if task == RETRACT:
        return retract_from(table, codes, scratch, first, last, known, PIECES, loss_code)
    return first_wrong_cell(table, codes, scratch.here, first, last, code_by_moves)
