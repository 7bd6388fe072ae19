"""Retrograde analysis: from the mates backwards, ply by ply, until every position of an ending has its value.

While a table is made, DRAWN stands also for what is not known yet. ILLEGAL is what cannot occur, also if the side that
has just moved left its king in check: looking at a move's result tells whether the move was legal.

Codes are found in their order. When it is the turn of code n, the moves that lead to cells of code n are taken back:
from a loss (n odd) every cell reached is won with n + 1; from a win (n even) it is lost if each of its moves
leads to a win with a code up to n, which is looked up. Captures and promotions lead to endings that are finished:
a win by one of them is noted at the beginning, with its code, and lowered if a shorter one turns up. So a code that is
higher than n is a bound for wins, and never wrong for losses.

A double step that lets the other side capture en passant leads to no cell, for cells know nothing of that right. Such
steps are left out of the quiet moves, and the few positions that have one are looked at again for every code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernel import Int, array_type, entry, inline, int64, kernel
from engine.kernel.intrinsics import local_array
from tablebase.codes import DRAWN, ILLEGAL, MATED, NO_MOVE, code_of, is_won, worth_of_move
from tablebase.conversions import (
    FINISHED,
    code_after_en_passant_step,
    en_passant_step,
    has_en_passant_step,
    has_legal_step,
    worth_of_conversions,
)
from tablebase.geometry import MOST_OTHERS, NO_CELL
from tablebase.steps import BACKWARDS, FORWARDS, LONGEST_LIST, list_steps
from tablebase.table import (
    TABLE_TYPE,
    TableRecord,
    is_attacked,
    is_placed_well,
    king_of,
    load_code,
    occupied_squares,
    read_cell,
    store_code,
)

# What a pass over the table does.
MARK_ILLEGAL, BEGIN, LIST_EN_PASSANT, STEP_BACK, STEP_EN_PASSANT, FIND_WRONG = range(6)
_CELLS = array_type("i8")

# Scratch paper for a pass: the squares of the men, and a list of cells.
new_squares, new_list = local_array(MOST_OTHERS), local_array(LONGEST_LIST)


@kernel
def loss_code(table, white_king, black_king, cell, squares, occupied, side, known, out):
    """The code of a position that is lost, as far as codes up to `known` prove it; else DRAWN."""
    worst = DRAWN
    for index in range(list_steps(table, white_king, black_king, cell, squares, occupied, side, FORWARDS, out)):
        code = load_code(table.own, side ^ 1, out[index])
        if code == ILLEGAL:
            continue
        if not is_won(code) or code > known:
            return DRAWN
        worst = max(worst, code)
    if table.has_pawns_of_both:
        for man in range(table.others):
            target = en_passant_step(table, squares, man, occupied, side)
            if target == 0:
                continue
            code = code_after_en_passant_step(table, white_king, black_king, squares, occupied, side, man, target,
                                              known, out)
            if code == ILLEGAL:
                continue
            if not is_won(code) or code > known:
                return DRAWN
            worst = max(worst, code)
    conversion = worth_of_conversions(table, white_king, black_king, squares, occupied, side)
    if conversion == NO_MOVE:
        return worst + 1
    return DRAWN if conversion >= 0 else max(worst + 1, code_of(conversion))


@kernel
def wins_by_en_passant_step(table, white_king, black_king, squares, occupied, side, lost, out):
    """Whether a double step leaves the other side lost with exactly this code."""
    for man in range(table.others):
        target = en_passant_step(table, squares, man, occupied, side)
        if target != 0:
            code = code_after_en_passant_step(table, white_king, black_king, squares, occupied, side, man, target, lost,
                                              out)
            if code == lost:
                return True
    return False


@kernel
def best_code(table, white_king, black_king, cell, squares, occupied, side, out):
    """The code of a position by its moves, when the whole table is finished."""
    best = worth_of_conversions(table, white_king, black_king, squares, occupied, side)
    for index in range(list_steps(table, white_king, black_king, cell, squares, occupied, side, FORWARDS, out)):
        code = load_code(table.own, side ^ 1, out[index])
        if code != ILLEGAL:
            best = max(best, worth_of_move(code))
    if table.has_pawns_of_both:
        for man in range(table.others):
            target = en_passant_step(table, squares, man, occupied, side)
            if target != 0:
                code = code_after_en_passant_step(table, white_king, black_king, squares, occupied, side, man, target,
                                                  FINISHED, out)
                if code != ILLEGAL:
                    best = max(best, worth_of_move(code))
    if best != NO_MOVE:
        return code_of(best)
    king = white_king if side == 0 else black_king
    return MATED if is_attacked(table, squares, occupied, side ^ 1, king) else DRAWN


@kernel
def first_code(table, white_king, black_king, cell, squares, occupied, side, out):
    """What is known of a position without looking at its quiet moves, but for whether it has any."""
    conversion = worth_of_conversions(table, white_king, black_king, squares, occupied, side)
    if conversion > 0:
        return code_of(conversion)
    if has_legal_step(table, white_king, black_king, cell, squares, occupied, side, out):
        return DRAWN
    if conversion != NO_MOVE:
        return code_of(conversion)
    king = white_king if side == 0 else black_king
    return MATED if is_attacked(table, squares, occupied, side ^ 1, king) else DRAWN


@kernel
def mark_illegal(table, first, last):
    """Say of every cell whether it can occur."""
    squares = new_squares()
    for pair in range(first, last):
        white_king, black_king = king_of(table, pair, 0), king_of(table, pair, 1)
        for rest in range(table.pair_cells):
            read_cell(table, rest, squares)
            cell = pair * table.pair_cells + rest
            if not is_placed_well(table, white_king, black_king, squares):
                store_code(table.own, 0, cell, ILLEGAL)
                store_code(table.own, 1, cell, ILLEGAL)
                continue
            occupied = occupied_squares(table, white_king, black_king, squares)
            if is_attacked(table, squares, occupied, 0, black_king):
                store_code(table.own, 0, cell, ILLEGAL)
            if is_attacked(table, squares, occupied, 1, white_king):
                store_code(table.own, 1, cell, ILLEGAL)


@kernel
def begin(table, first, last):
    """Mates, and wins by a capture or a promotion; returns the highest code."""
    squares, out, longest = new_squares(), new_list(), DRAWN
    for pair in range(first, last):
        white_king, black_king = king_of(table, pair, 0), king_of(table, pair, 1)
        for rest in range(table.pair_cells):
            cell = pair * table.pair_cells + rest
            for side in range(2):
                if load_code(table.own, side, cell) == ILLEGAL:
                    continue
                read_cell(table, rest, squares)
                occupied = occupied_squares(table, white_king, black_king, squares)
                code = first_code(table, white_king, black_king, cell, squares, occupied, side, out)
                if code != DRAWN:
                    store_code(table.own, side, cell, code)
                    longest = max(longest, code)
    return longest


@kernel
def list_en_passant_cells(table, first, last, found):
    """Write 2 * cell + side for every position with a double step that allows en passant; returns how many."""
    squares, count = new_squares(), np.int64(0)
    for pair in range(first, last):
        white_king, black_king = king_of(table, pair, 0), king_of(table, pair, 1)
        for rest in range(table.pair_cells):
            cell = pair * table.pair_cells + rest
            read_cell(table, rest, squares)
            occupied = occupied_squares(table, white_king, black_king, squares)
            for side in range(2):
                if (has_en_passant_step(table, squares, occupied, side)
                        and load_code(table.own, side, cell) != ILLEGAL):
                    if count < found.size:
                        found[count] = 2 * cell + side
                    count += 1
    return count


@inline
def may_become(code, new):
    """Whether a cell of this code may get a new one: it is undecided, or its win is known to be longer."""
    return code == DRAWN or (code > new and code != ILLEGAL)


@kernel
def take_back(table, pair, cell, squares, side, known, out, earlier, children):
    """Go back from a cell of code `known` with the other side to move; returns the highest code given to a cell."""
    white_king, black_king = king_of(table, pair, 0), king_of(table, pair, 1)
    occupied = occupied_squares(table, white_king, black_king, squares)
    longest = DRAWN
    for index in range(list_steps(table, white_king, black_king, cell, squares, occupied, side, BACKWARDS, out)):
        before = out[index]
        code = load_code(table.own, side, before)
        if not may_become(code, known + 1):
            continue
        if known & 1:
            store_code(table.own, side, before, known + 1)
            longest = known + 1
        elif code == DRAWN:
            new = loss_code_of_cell(table, before, earlier, side, known, children)
            if new != DRAWN:
                store_code(table.own, side, before, new)
                longest = max(longest, new)
    return longest


@kernel
def loss_code_of_cell(table, cell, squares, side, known, out):
    """`loss_code` of a position that is only known by its cell; `squares` and `out` are scratch paper."""
    pair = cell // table.pair_cells
    read_cell(table, cell - pair * table.pair_cells, squares)
    white_king, black_king = king_of(table, pair, 0), king_of(table, pair, 1)
    occupied = occupied_squares(table, white_king, black_king, squares)
    return loss_code(table, white_king, black_king, cell, squares, occupied, side, known, out)


@kernel
def step_back(table, first, last, known):
    """Take back the moves to all cells of code `known`; returns the highest code given to a cell."""
    squares, earlier, longest = new_squares(), new_squares(), DRAWN
    out, children = new_list(), new_list()
    for side in range(2):
        for pair in range(first, last):
            for rest in range(table.pair_cells):
                cell = pair * table.pair_cells + rest
                if load_code(table.own, side ^ 1, cell) == known:
                    read_cell(table, rest, squares)
                    longest = max(longest, take_back(table, pair, cell, squares, side, known, out, earlier, children))
    return longest


@kernel
def step_en_passant(table, cells, known):
    """What code `known` means for positions whose double steps allow en passant; returns the highest code given."""
    squares, out, longest = new_squares(), new_list(), DRAWN
    for index in range(cells.size):
        cell, side = cells[index] >> 1, cells[index] & 1
        if not may_become(load_code(table.own, side, cell), known + 1):
            continue
        pair = cell // table.pair_cells
        read_cell(table, cell - pair * table.pair_cells, squares)
        white_king, black_king = king_of(table, pair, 0), king_of(table, pair, 1)
        occupied = occupied_squares(table, white_king, black_king, squares)
        new = DRAWN
        if known & 1:
            if wins_by_en_passant_step(table, white_king, black_king, squares, occupied, side, known, out):
                new = known + 1
        elif load_code(table.own, side, cell) == DRAWN:
            new = loss_code(table, white_king, black_king, cell, squares, occupied, side, known, out)
        if new != DRAWN:
            store_code(table.own, side, cell, new)
            longest = max(longest, new)
    return longest


@kernel
def first_wrong_cell(table, first, last):
    """2 * cell + side of the first position whose code is not that of its best move; -1 if all are right."""
    squares, out = new_squares(), new_list()
    for pair in range(first, last):
        white_king, black_king = king_of(table, pair, 0), king_of(table, pair, 1)
        for rest in range(table.pair_cells):
            cell = pair * table.pair_cells + rest
            for side in range(2):
                code = load_code(table.own, side, cell)
                if code == ILLEGAL:
                    continue
                read_cell(table, rest, squares)
                occupied = occupied_squares(table, white_king, black_king, squares)
                if code != best_code(table, white_king, black_king, cell, squares, occupied, side, out):
                    return 2 * cell + side
    return NO_CELL


@entry(TABLE_TYPE, int64, int64, int64, int64, _CELLS)
def run_pass(table: TableRecord, task: Int, first: Int, last: Int, known: Int, cells: Any) -> Int:
    """Do a task with the pairs of kings from `first` on, before `last`; returns what it finds."""
    if task == MARK_ILLEGAL:
        mark_illegal(table, first, last)
        return DRAWN
    if task == BEGIN:
        return begin(table, first, last)
    if task == LIST_EN_PASSANT:
        return list_en_passant_cells(table, first, last, cells)
    if task == STEP_BACK:
        return step_back(table, first, last, known)
    if task == STEP_EN_PASSANT:
        return step_en_passant(table, cells, known)
    return first_wrong_cell(table, first, last)
