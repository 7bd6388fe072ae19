"""The passes over a table of codes that both retrograde analyses share.

A pass covers the cells from `first` up to, but not including, `last`. Its rule is a kernel that it calls directly; the
compiler specializes the pass for each rule.
"""

from __future__ import annotations

from engine.kernel import inline
from tablebase.codes import DRAWN, ILLEGAL, is_won
from tablebase.generator.conversions import UNDECIDED
from tablebase.generator.quiet_moves import BACKWARDS, FORWARDS, list_quiet_moves
from tablebase.generator.work_table import load_code, set_placement, store_code
from tablebase.indexing import NO_CELL


@inline
def assign_codes(table, codes, placement, first, last, code_by_rule):
    """Store `code_by_rule(table, placement, side)` for every cell and side; return the highest code but ILLEGAL."""
    longest = DRAWN
    for cell in range(first, last):
        set_placement(table, placement, cell)
        for side in range(2):
            code = code_by_rule(table, placement, side)
            store_code(codes, side, cell, code)
            if code != ILLEGAL:
                longest = max(longest, code)
    return longest


@inline
def retract_from(table, codes, scratch, first, last, known, movers, loss_by_rule):
    """Retract the quiet moves of `movers` to all cells with code `known`; return the highest code assigned.

    `loss_by_rule(table, placement, side, cell, known)` is the code of a lost cell, or DRAWN if codes up to `known` do
    not prove that it is lost; `placement` is scratch space.
    """
    longest = DRAWN
    for side in range(2):
        for cell in range(first, last):
            if load_code(codes, side ^ 1, cell) == known:
                set_placement(table, scratch.here, cell)
                longest = max(longest, _retract_moves(table, codes, scratch, side, known, movers, loss_by_rule))
    return longest


@inline
def _retract_moves(table, codes, scratch, side, known, movers, loss_by_rule):
    """Retract the moves of `side` to the cell at `scratch.here`; return the highest code assigned."""
    longest = DRAWN
    for index in range(list_quiet_moves(table, scratch.here, side, BACKWARDS, movers)):
        cell = scratch.here.next_cells[index]
        code = load_code(codes, side, cell)
        if not may_become(code, known + 1):
            continue
        new = DRAWN
        if known & 1:
            new = known + 1
        elif code == DRAWN:
            new = loss_by_rule(table, scratch.before, side, cell, known)
        if new != DRAWN:
            store_code(codes, side, cell, new)
            longest = max(longest, new)
    return longest


@inline
def may_become(code, new):
    """Whether `new` may replace the code of a cell: the cell is undecided, or its win is longer."""
    return code == DRAWN or (code > new and code != ILLEGAL)


@inline
def longest_defence(table, codes, placement, side, movers, known):
    """The highest code after a quiet move of `movers`; DRAWN if they have none.

    UNDECIDED unless every such move leaves the other side a win with a code up to `known`.
    """
    worst = DRAWN
    for index in range(list_quiet_moves(table, placement, side, FORWARDS, movers)):
        code = load_code(codes, side ^ 1, placement.next_cells[index])
        if code == ILLEGAL:
            continue
        if not is_won(code) or code > known:
            return UNDECIDED
        worst = max(worst, code)
    return worst


@inline
def first_wrong_cell(table, codes, placement, first, last, code_by_moves):
    """2 * cell + side of the first position whose code is not `code_by_moves(table, placement, side)`, or NO_CELL."""
    for cell in range(first, last):
        set_placement(table, placement, cell)
        for side in range(2):
            if load_code(codes, side, cell) != code_by_moves(table, placement, side):
                return 2 * cell + side
    return NO_CELL
