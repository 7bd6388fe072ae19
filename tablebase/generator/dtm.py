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

from engine.kernel import Int, array_type, entry, inline, int64, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, NO_MOVE, code_of_value, is_won, move_value
from tablebase.generator.conversions import (
    FINISHED,
    best_conversion_value,
    code_after_en_passant_step,
    en_passant_step,
    has_en_passant_step,
    has_legal_step,
)
from tablebase.generator.quiet_moves import BACKWARDS, EVERYBODY, FORWARDS, list_quiet_moves
from tablebase.generator.work_table import (
    BENCH_TYPE,
    DRAFT_TYPE,
    ScratchPairRecord,
    WorkTableRecord,
    is_attacked,
    is_in_check,
    is_placed_well,
    load_code,
    place_cell,
    place_kings,
    place_others,
    store_code,
)
from tablebase.indexing import NO_CELL

# What a pass over the draft does.
MARK_ILLEGAL, BEGIN, LIST_EN_PASSANT, STEP_BACK, STEP_EN_PASSANT, FIND_WRONG = range(6)
_CELLS = array_type("i8")


@kernel
def loss_code(draft, place, side, known):
    """The code of a lost position, if codes up to `known` prove that it is lost; else DRAWN."""
    worst = DRAWN
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, EVERYBODY)):
        code = load_code(draft.own, side ^ 1, place.steps[index])
        if code == ILLEGAL:
            continue
        if not is_won(code) or code > known:
            return DRAWN
        worst = max(worst, code)
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
    """The code of a position by its moves, once the whole draft is finished."""
    best = best_conversion_value(draft, place, side)
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, EVERYBODY)):
        code = load_code(draft.own, side ^ 1, place.steps[index])
        if code != ILLEGAL:
            best = max(best, move_value(code))
    if draft.has_pawns_of_both:
        for man in range(draft.others):
            target = en_passant_step(draft, place, man, side)
            if target != 0:
                code = code_after_en_passant_step(draft, place, side, man, target, FINISHED)
                if code != ILLEGAL:
                    best = max(best, move_value(code))
    if best != NO_MOVE:
        return code_of_value(best)
    return MATED if is_in_check(draft, place, side) else DRAWN


@kernel
def first_code(draft, place, side):
    """The code of a position as far as it is known from its captures and promotions, and whether it has quiet moves."""
    conversion = best_conversion_value(draft, place, side)
    if conversion > 0:
        return code_of_value(conversion)
    if has_legal_step(draft, place, side):
        return DRAWN
    if conversion != NO_MOVE:
        return code_of_value(conversion)
    return MATED if is_in_check(draft, place, side) else DRAWN


@kernel
def mark_illegal(draft, bench, first, last):
    """Mark the cells that cannot occur."""
    place = bench.here
    for pair in range(first, last):
        place_kings(draft, place, pair)
        for rest in range(draft.pair_cells):
            cell = pair * draft.pair_cells + rest
            place_others(draft, place, cell, rest)
            if not is_placed_well(draft, place):
                store_code(draft.own, 0, cell, ILLEGAL)
                store_code(draft.own, 1, cell, ILLEGAL)
                continue
            if is_attacked(draft, place, 0, place.black_king):
                store_code(draft.own, 0, cell, ILLEGAL)
            if is_attacked(draft, place, 1, place.white_king):
                store_code(draft.own, 1, cell, ILLEGAL)


@kernel
def init_dtm(draft, bench, first, last):
    """Find mates, and wins by a capture or a promotion; returns the highest code."""
    place, longest = bench.here, DRAWN
    for pair in range(first, last):
        place_kings(draft, place, pair)
        for rest in range(draft.pair_cells):
            cell = pair * draft.pair_cells + rest
            place_others(draft, place, cell, rest)
            for side in range(2):
                if load_code(draft.own, side, cell) == ILLEGAL:
                    continue
                code = first_code(draft, place, side)
                if code != DRAWN:
                    store_code(draft.own, side, cell, code)
                    longest = max(longest, code)
    return longest


@kernel
def list_en_passant_cells(draft, bench, first, last, found):
    """Write 2 * cell + side for every position with a double push that allows en passant; returns how many."""
    place, count = bench.here, np.int64(0)
    for pair in range(first, last):
        place_kings(draft, place, pair)
        for rest in range(draft.pair_cells):
            cell = pair * draft.pair_cells + rest
            place_others(draft, place, cell, rest)
            for side in range(2):
                if has_en_passant_step(draft, place, side) and load_code(draft.own, side, cell) != ILLEGAL:
                    if count < found.size:
                        found[count] = 2 * cell + side
                    count += 1
    return count


@inline
def may_become(code, new):
    """Whether a cell with this code may get a new one: it is undecided, or its win is longer."""
    return code == DRAWN or (code > new and code != ILLEGAL)


@kernel
def retract_moves(draft, bench, side, known):
    """Go back from a cell with code `known` and the other side to move; returns the highest code assigned."""
    longest = DRAWN
    for index in range(list_quiet_moves(draft, bench.here, side, BACKWARDS, EVERYBODY)):
        cell = bench.here.steps[index]
        code = load_code(draft.own, side, cell)
        if not may_become(code, known + 1):
            continue
        if known & 1:
            store_code(draft.own, side, cell, known + 1)
            longest = known + 1
        elif code == DRAWN:
            place_cell(draft, bench.before, cell)
            new = loss_code(draft, bench.before, side, known)
            if new != DRAWN:
                store_code(draft.own, side, cell, new)
                longest = max(longest, new)
    return longest


@kernel
def retract_from(draft, bench, first, last, known):
    """Take back the moves to all cells with code `known`; returns the highest code assigned."""
    longest = DRAWN
    for side in range(2):
        for pair in range(first, last):
            place_kings(draft, bench.here, pair)
            for rest in range(draft.pair_cells):
                cell = pair * draft.pair_cells + rest
                if load_code(draft.own, side ^ 1, cell) == known:
                    place_others(draft, bench.here, cell, rest)
                    longest = max(longest, retract_moves(draft, bench, side, known))
    return longest


@kernel
def step_en_passant(draft, bench, cells, known):
    """What code `known` means for positions whose double pushes allow en passant; returns the highest code assigned."""
    place, longest = bench.here, DRAWN
    for index in range(cells.size):
        cell, side = cells[index] >> 1, cells[index] & 1
        if not may_become(load_code(draft.own, side, cell), known + 1):
            continue
        place_cell(draft, place, cell)
        new = DRAWN
        if known & 1:
            if wins_by_en_passant_step(draft, place, side, known):
                new = known + 1
        elif load_code(draft.own, side, cell) == DRAWN:
            new = loss_code(draft, place, side, known)
        if new != DRAWN:
            store_code(draft.own, side, cell, new)
            longest = max(longest, new)
    return longest


@kernel
def first_wrong_cell(draft, bench, first, last):
    """2 * cell + side of the first position whose code is not that of its best move; -1 if all are right."""
    place = bench.here
    for pair in range(first, last):
        place_kings(draft, place, pair)
        for rest in range(draft.pair_cells):
            cell = pair * draft.pair_cells + rest
            place_others(draft, place, cell, rest)
            for side in range(2):
                code = load_code(draft.own, side, cell)
                if code != ILLEGAL and code != best_code(draft, place, side):
                    return 2 * cell + side
    return NO_CELL


@entry(DRAFT_TYPE, BENCH_TYPE, int64, int64, int64, int64, _CELLS)
def run_pass(draft: WorkTableRecord, bench: ScratchPairRecord, task: Int, first: Int, last: Int, known: Int,
             cells: Any) -> Int:
    """Do a task for the pairs of kings from `first` up to, but not including, `last`; returns its result."""
    if task == MARK_ILLEGAL:
        mark_illegal(draft, bench, first, last)
        return DRAWN
    if task == BEGIN:
        return init_dtm(draft, bench, first, last)
    if task == LIST_EN_PASSANT:
        return list_en_passant_cells(draft, bench, first, last, cells)
    if task == STEP_BACK:
        return retract_from(draft, bench, first, last, known)
    if task == STEP_EN_PASSANT:
        return step_en_passant(draft, bench, cells, known)
    return first_wrong_cell(draft, bench, first, last)
