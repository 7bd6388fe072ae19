"""Retrograde analysis of DTM: backwards from the mates, ply by ply, until every position of an ending has its code.

During generation DRAWN also means "not yet known". ILLEGAL marks impossible positions, including those in which the
side not to move is in check, so that the code after a move tells whether the move was legal.

Codes are found in ascending order. For code n, the moves that lead to cells with code n are retracted: from a loss
(n odd), every cell reached is a win with code n + 1; from a win (n even), a cell reached is lost if all of its moves
lead to wins with codes up to n. Captures and promotions lead to finished endings: initialization stores a win by one of
them with its code, which is lowered when a shorter win is found. So a code above n is a bound for wins, and exact for
losses.

A double push that allows en passant leads to no cell, because cells do not record that right. Such pushes are not among
the quiet moves; the few positions that have one are examined again for every code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernel import Int, array_type, entry, int64, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, NO_MOVE, code_of_value, is_won
from tablebase.generator.conversions import (
    UNDECIDED,
    best_conversion_value,
    best_move_value,
    code_after_en_passant_push,
    en_passant_push,
    has_en_passant_push,
    has_quiet_move,
)
from tablebase.generator.passes import assign_codes, first_wrong_cell, longest_defence, may_become, retract_from
from tablebase.generator.quiet_moves import ALL_MOVERS
from tablebase.generator.work_table import (
    SCRATCH_PAIR_TYPE,
    WORK_TABLE_TYPE,
    ScratchPairRecord,
    WorkTableRecord,
    is_canonical,
    is_in_check,
    load_code,
    set_placement,
    store_code,
)

# The tasks of `run_dtm_pass`.
MARK_ILLEGAL, INITIALIZE, LIST_EN_PASSANT, RETRACT, UPDATE_EN_PASSANT, FIND_WRONG = range(6)
_CELLS = array_type("i8")


@kernel
def loss_code(table, placement, side, cell, known):
    """The code of a lost cell if codes up to `known` prove the loss, otherwise DRAWN. Overwrites `placement`."""
    set_placement(table, placement, cell)
    worst = longest_defence(table, table.own, placement, side, ALL_MOVERS, known)
    if worst == UNDECIDED:
        return DRAWN
    if table.has_pawns_of_both:
        for index in range(table.others):
            target = en_passant_push(table, placement, index, side)
            if target == 0:
                continue
            code = code_after_en_passant_push(table, placement, side, index, target, known)
            if code == ILLEGAL:
                continue
            if not is_won(code) or code > known:
                return DRAWN
            worst = max(worst, code)
    conversion = best_conversion_value(table, placement, side)
    if conversion == NO_MOVE:
        return worst + 1
    return DRAWN if conversion >= 0 else max(worst + 1, code_of_value(conversion))


@kernel
def wins_by_en_passant_push(table, placement, side, lost):
    """Whether a double push that allows en passant leads to a loss with exactly the code `lost`."""
    for index in range(table.others):
        target = en_passant_push(table, placement, index, side)
        if target != 0 and code_after_en_passant_push(table, placement, side, index, target, lost) == lost:
            return True
    return False


@kernel
def best_code(table, placement, side):
    """The code of a position by its moves, for a finished table; ILLEGAL if the position is impossible."""
    if load_code(table.own, side, placement.cell) == ILLEGAL:
        return ILLEGAL
    best = best_move_value(table, placement, side, ALL_MOVERS)
    if best != NO_MOVE:
        return code_of_value(best)
    return MATED if is_in_check(table, placement, side) else DRAWN


@kernel
def legality_code(table, placement, side):
    """ILLEGAL if the position is impossible, otherwise DRAWN, which means that nothing is known yet."""
    return DRAWN if is_canonical(table, placement) and not is_in_check(table, placement, side ^ 1) else ILLEGAL


@kernel
def first_code(table, placement, side):
    """The initial code of a position, from its captures and promotions and whether it has a quiet move."""
    if load_code(table.own, side, placement.cell) == ILLEGAL:
        return ILLEGAL
    conversion = best_conversion_value(table, placement, side)
    if conversion > 0:
        return code_of_value(conversion)
    if has_quiet_move(table, placement, side, ALL_MOVERS):
        return DRAWN
    if conversion != NO_MOVE:
        return code_of_value(conversion)
    return MATED if is_in_check(table, placement, side) else DRAWN


@kernel
def list_en_passant_cells(table, scratch, first, last, listed):
    """Write 2 * cell + side for every position with a double push that allows en passant; return their number."""
    placement, count = scratch.here, np.int64(0)
    for cell in range(first, last):
        set_placement(table, placement, cell)
        for side in range(2):
            if has_en_passant_push(table, placement, side) and load_code(table.own, side, cell) != ILLEGAL:
                if count < listed.size:
                    listed[count] = 2 * cell + side
                count += 1
    return count


@kernel
def update_en_passant_cells(table, scratch, cells, known):
    """Assign codes that follow from `known` to positions with en passant pushes; return the highest code assigned."""
    placement, longest = scratch.here, DRAWN
    for index in range(cells.size):
        cell, side = cells[index] >> 1, cells[index] & 1
        if not may_become(load_code(table.own, side, cell), known + 1):
            continue
        new = DRAWN
        if known & 1:
            set_placement(table, placement, cell)
            if wins_by_en_passant_push(table, placement, side, known):
                new = known + 1
        elif load_code(table.own, side, cell) == DRAWN:
            new = loss_code(table, placement, side, cell, known)
        if new != DRAWN:
            store_code(table.own, side, cell, new)
            longest = max(longest, new)
    return longest


@entry(WORK_TABLE_TYPE, SCRATCH_PAIR_TYPE, int64, int64, int64, int64, _CELLS)
def run_dtm_pass(table: WorkTableRecord, scratch: ScratchPairRecord, task: Int, first: Int, last: Int, known: Int,
             cells: Any) -> Int:
    """Run a task on the cells from `first` up to, but not including, `last`; return its result."""
    codes = table.own
    if task == MARK_ILLEGAL:
        return assign_codes(table, codes, scratch.here, first, last, legality_code)
    if task == INITIALIZE:
        return assign_codes(table, codes, scratch.here, first, last, first_code)
    if task == LIST_EN_PASSANT:
        return list_en_passant_cells(table, scratch, first, last, cells)
    if task == RETRACT:
        return retract_from(table, codes, scratch, first, last, known, ALL_MOVERS, loss_code)
    if task == UPDATE_EN_PASSANT:
        return update_en_passant_cells(table, scratch, cells, known)
    return first_wrong_cell(table, codes, scratch.here, first, last, best_code)
