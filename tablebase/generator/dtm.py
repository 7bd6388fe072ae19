"""Retrograde analysis: from the mates backwards, ply by ply, until every position of an ending has its value.

While an endgame table is being generated, DRAWN also stands for what is not known yet. ILLEGAL is what cannot occur,
including positions in which the side that has just moved left its king in check: so the code after a move shows whether
the move was legal.

Codes are found in order. For code n, the moves that lead to cells with code n are taken back: from a loss (n odd),
every cell reached is won with n + 1; from a win (n even), it is lost if all of its moves lead to wins with codes up to
n, which are looked up. Captures and promotions lead to finished endings: a win by one of them is noted at the start
with its code, which is lowered if a shorter win turns up. So a code above n is a bound for wins, and exact for losses.

A double push that allows en passant leads to no cell, since cells do not record that right. Such pushes are not among
the quiet moves, and the few positions that have one are examined again for every code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernel import Int, array_type, entry, int64, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, NO_MOVE, code_of_value, is_won
from tablebase.generator.conversions import (
    UNDECIDED,
    best_conversion_value,
    code_after_en_passant_step,
    en_passant_step,
    has_en_passant_step,
    has_legal_step,
    worth_of_moves,
)
from tablebase.generator.passes import assign_codes, first_wrong_cell, longest_defence, may_become, retract_from
from tablebase.generator.quiet_moves import EVERYBODY
from tablebase.generator.work_table import (
    BENCH_TYPE,
    DRAFT_TYPE,
    ScratchPairRecord,
    WorkTableRecord,
    is_in_check,
    is_placed_well,
    load_code,
    place_cell,
    store_code,
)

# What a pass over the draft does.
MARK_ILLEGAL, BEGIN, LIST_EN_PASSANT, STEP_BACK, STEP_EN_PASSANT, FIND_WRONG = range(6)
_CELLS = array_type("i8")


@kernel
def loss_code(draft, place, side, cell, known):
    """The code of a lost cell, if codes up to `known` prove that it is lost; else DRAWN. Writes `place`."""
    place_cell(draft, place, cell)
    worst = longest_defence(draft, draft.own, place, side, EVERYBODY, known)
    if worst == UNDECIDED:
        return DRAWN
    if draft.has_pawns_of_both:
        for man in range(draft.others):
            target = en_passant_step(draft, place, man, side)
            if target == 0:
                continue
            code = code_after_en_passant_step(draft, place, side, man, target, known)
            if code == ILLEGAL:
                continue
            if not is_won(code) or code > known:
                return DRAWN
            worst = max(worst, code)
    conversion = best_conversion_value(draft, place, side)
    if conversion == NO_MOVE:
        return worst + 1
    return DRAWN if conversion >= 0 else max(worst + 1, code_of_value(conversion))


@kernel
def wins_by_en_passant_step(draft, place, side, lost):
    """Whether a double push leaves the other side lost with exactly this code."""
    for man in range(draft.others):
        target = en_passant_step(draft, place, man, side)
        if target != 0 and code_after_en_passant_step(draft, place, side, man, target, lost) == lost:
            return True
    return False


@kernel
def best_code(draft, place, side):
    """The code of a position by its moves, once the whole draft is finished; ILLEGAL if it cannot occur."""
    if load_code(draft.own, side, place.cell) == ILLEGAL:
        return ILLEGAL
    best = worth_of_moves(draft, place, side, EVERYBODY)
    if best != NO_MOVE:
        return code_of_value(best)
    return MATED if is_in_check(draft, place, side) else DRAWN


@kernel
def legality(draft, place, side):
    """ILLEGAL if the position cannot occur, else DRAWN, since nothing is known about it yet."""
    return DRAWN if is_placed_well(draft, place) and not is_in_check(draft, place, side ^ 1) else ILLEGAL


@kernel
def first_code(draft, place, side):
    """The code of a position as far as it is known from its captures and promotions, and whether it has quiet moves."""
    if load_code(draft.own, side, place.cell) == ILLEGAL:
        return ILLEGAL
    conversion = best_conversion_value(draft, place, side)
    if conversion > 0:
        return code_of_value(conversion)
    if has_legal_step(draft, place, side, EVERYBODY):
        return DRAWN
    if conversion != NO_MOVE:
        return code_of_value(conversion)
    return MATED if is_in_check(draft, place, side) else DRAWN


@kernel
def list_en_passant_cells(draft, bench, first, last, found):
    """Write 2 * cell + side for every position with a double push that allows en passant; returns how many."""
    place, count = bench.here, np.int64(0)
    for cell in range(first, last):
        place_cell(draft, place, cell)
        for side in range(2):
            if has_en_passant_step(draft, place, side) and load_code(draft.own, side, cell) != ILLEGAL:
                if count < found.size:
                    found[count] = 2 * cell + side
                count += 1
    return count


@kernel
def step_en_passant(draft, bench, cells, known):
    """What code `known` means for positions whose double pushes allow en passant; returns the highest code assigned."""
    place, longest = bench.here, DRAWN
    for index in range(cells.size):
        cell, side = cells[index] >> 1, cells[index] & 1
        if not may_become(load_code(draft.own, side, cell), known + 1):
            continue
        new = DRAWN
        if known & 1:
            place_cell(draft, place, cell)
            if wins_by_en_passant_step(draft, place, side, known):
                new = known + 1
        elif load_code(draft.own, side, cell) == DRAWN:
            new = loss_code(draft, place, side, cell, known)
        if new != DRAWN:
            store_code(draft.own, side, cell, new)
            longest = max(longest, new)
    return longest


@entry(DRAFT_TYPE, BENCH_TYPE, int64, int64, int64, int64, _CELLS)
def run_pass(draft: WorkTableRecord, bench: ScratchPairRecord, task: Int, first: Int, last: Int, known: Int,
             cells: Any) -> Int:
    """Do a task for the cells from `first` up to, but not including, `last`; returns its result."""
    codes = draft.own
    if task == MARK_ILLEGAL:
        return assign_codes(draft, codes, bench.here, first, last, legality)
    if task == BEGIN:
        return assign_codes(draft, codes, bench.here, first, last, first_code)
    if task == LIST_EN_PASSANT:
        return list_en_passant_cells(draft, bench, first, last, cells)
    if task == STEP_BACK:
        return retract_from(draft, codes, bench, first, last, known, EVERYBODY, loss_code)
    if task == STEP_EN_PASSANT:
        return step_en_passant(draft, bench, cells, known)
    return first_wrong_cell(draft, codes, bench.here, first, last, best_code)
