"""How soon the fifty-move counter is reset on the way to a win: a second retrograde analysis.

The mates of an ending are known by now. For every won or lost position, this finds in how many plies the winner can
force mate, or a capture or pawn move by either side that keeps the win. That is what matters close to the limit: a win
counts if the counter and these plies add up to at most a hundred. This holds as long as no mate of the ending, or of
one that it can lead to, takes more than fifty moves: then a counter at zero never spoils a win.

Codes are 2 * plies, plus 1 for the side that loses: 1 is mated, 2 resets the counter with the next move, 3 has only
moves that reset it. They are found in order, like those of mates: from a loss with code n, every cell reached is won
with n + 1; from a win, it is lost with n + 3 if none of its quiet moves lasts longer. Quiet moves are those of pieces,
not pawns. DRAWN stands for what is not known yet.
"""

from __future__ import annotations

from engine.kernel import Int, entry, inline, int64, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, is_won, move_value
from tablebase.generator.conversions import (
    FINISHED,
    best_conversion_value,
    code_after_en_passant_step,
    en_passant_step,
)
from tablebase.generator.quiet_moves import BACKWARDS, FORWARDS, PAWNS, PIECES, list_quiet_moves
from tablebase.generator.work_table import (
    BENCH_TYPE,
    DRAFT_TYPE,
    ScratchPairRecord,
    WorkTableRecord,
    load_code,
    place_cell,
    place_kings,
    place_others,
    store_code,
)
from tablebase.indexing import NO_CELL

# What a pass over the draft does.
BEGIN, STEP_BACK, FIND_WRONG = range(3)

_AT_ONCE = DRAWN + 2  # the winner resets the counter
_FORCED = DRAWN + 3  # the loser has to


@kernel
def best_zeroing_value(draft, place, side):
    """The best worth of all captures and pawn moves; NO_MOVE if none is legal."""
    best = best_conversion_value(draft, place, side)
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, PAWNS)):
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
    return best


@kernel
def quick_win(draft, place, side):
    """The code of a won position by its quiet moves, once all lower codes are known; DRAWN if none wins."""
    best = DRAWN
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, PIECES)):
        code = load_code(draft.resets, side ^ 1, place.steps[index])
        if code != ILLEGAL and code & 1 and (best == DRAWN or code + 1 < best):
            best = code + 1
    return best


@kernel
def long_loss(draft, place, side, known):
    """The code of a lost position, if it follows from codes up to `known`; else DRAWN."""
    worst = DRAWN
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, PIECES)):
        code = load_code(draft.resets, side ^ 1, place.steps[index])
        if code == ILLEGAL:
            continue
        if code == DRAWN or code > known:
            return DRAWN
        worst = max(worst, code)
    return worst + 3  # _FORCED if there is no quiet move


@inline
def is_lost(code):
    return code & 1 != 0 and code != ILLEGAL


@kernel
def first_code(draft, place, side):
    """The code of a position as far as it follows from its own moves alone; ILLEGAL if it cannot occur."""
    mate = load_code(draft.own, side, place.cell)
    if mate == ILLEGAL or mate == MATED or mate == DRAWN:
        return mate
    if is_won(mate):
        return _AT_ONCE if best_zeroing_value(draft, place, side) > 0 else DRAWN
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, PIECES)):
        if load_code(draft.own, side ^ 1, place.steps[index]) != ILLEGAL:
            return DRAWN
    return _FORCED


@kernel
def init_dtz(draft, bench, first, last):
    """Find mates, and positions in which the next move resets the counter; returns the highest code."""
    place, longest = bench.here, DRAWN
    for pair in range(first, last):
        place_kings(draft, place, pair)
        for rest in range(draft.pair_cells):
            cell = pair * draft.pair_cells + rest
            place_others(draft, place, cell, rest)
            for side in range(2):
                code = first_code(draft, place, side)
                store_code(draft.resets, side, cell, code)
                if code != ILLEGAL:
                    longest = max(longest, code)
    return longest


@kernel
def retract_moves(draft, bench, side, known):
    """Go back from a cell with code `known` and the other side to move; returns the highest code assigned."""
    longest = DRAWN
    for index in range(list_quiet_moves(draft, bench.here, side, BACKWARDS, PIECES)):
        cell = bench.here.steps[index]
        if load_code(draft.resets, side, cell) != DRAWN:
            continue
        new = DRAWN
        if known & 1:
            new = known + 1
        elif is_lost(load_code(draft.own, side, cell)):
            place_cell(draft, bench.before, cell)
            new = long_loss(draft, bench.before, side, known)
        if new != DRAWN:
            store_code(draft.resets, side, cell, new)
            longest = max(longest, new)
    return longest


@kernel
def retract_from(draft, bench, first, last, known):
    """Take back the quiet moves to all cells with code `known`; returns the highest code assigned."""
    longest = DRAWN
    for side in range(2):
        for pair in range(first, last):
            place_kings(draft, bench.here, pair)
            for rest in range(draft.pair_cells):
                cell = pair * draft.pair_cells + rest
                if load_code(draft.resets, side ^ 1, cell) == known:
                    place_others(draft, bench.here, cell, rest)
                    longest = max(longest, retract_moves(draft, bench, side, known))
    return longest


@kernel
def code_by_moves(draft, place, side):
    """The code of a position by its moves, once all are known."""
    mate = load_code(draft.own, side, place.cell)
    if mate == ILLEGAL or mate == MATED or mate == DRAWN:
        return mate
    if not is_won(mate):
        return long_loss(draft, place, side, FINISHED)
    return _AT_ONCE if best_zeroing_value(draft, place, side) > 0 else quick_win(draft, place, side)


@kernel
def first_wrong_cell(draft, bench, first, last):
    """2 * cell + side of the first position whose code does not follow from its moves; -1 if all are right."""
    place = bench.here
    for pair in range(first, last):
        place_kings(draft, place, pair)
        for rest in range(draft.pair_cells):
            cell = pair * draft.pair_cells + rest
            place_others(draft, place, cell, rest)
            for side in range(2):
                code = load_code(draft.resets, side, cell)
                is_decided = load_code(draft.own, side, cell) != DRAWN
                if code != code_by_moves(draft, place, side) or is_decided != (code != DRAWN):
                    return 2 * cell + side
    return NO_CELL


@entry(DRAFT_TYPE, BENCH_TYPE, int64, int64, int64, int64)
def run_reset_pass(draft: WorkTableRecord, bench: ScratchPairRecord, task: Int, first: Int, last: Int,
                   known: Int) -> Int:
    """Do a task for the pairs of kings from `first` up to, but not including, `last`; returns its result."""
    if task == BEGIN:
        return init_dtz(draft, bench, first, last)
    if task == STEP_BACK:
        return retract_from(draft, bench, first, last, known)
    return first_wrong_cell(draft, bench, first, last)
