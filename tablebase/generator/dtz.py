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
from tablebase.codes import DRAWN, ILLEGAL, MATED, is_won
from tablebase.generator.conversions import FINISHED, UNDECIDED, has_legal_step, worth_of_moves
from tablebase.generator.passes import assign_codes, first_wrong_cell, longest_defence, retract_from
from tablebase.generator.quiet_moves import FORWARDS, PAWNS, PIECES, list_quiet_moves
from tablebase.generator.work_table import (
    BENCH_TYPE,
    DRAFT_TYPE,
    ScratchPairRecord,
    WorkTableRecord,
    load_code,
    place_cell,
)

# What a pass over the draft does.
BEGIN, STEP_BACK, FIND_WRONG = range(3)

_AT_ONCE = DRAWN + 2  # the winner resets the counter
_FORCED = DRAWN + 3  # the loser has to


@inline
def is_lost(code):
    return code & 1 != 0 and code != ILLEGAL


@inline
def resets_at_once(draft, place, side):
    """Whether a capture or a pawn move keeps the win."""
    return worth_of_moves(draft, place, side, PAWNS) > 0


@kernel
def quick_win(draft, place, side):
    """The code of a won position by its quiet moves, once all lower codes are known; DRAWN if none wins."""
    best = DRAWN
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, PIECES)):
        code = load_code(draft.resets, side ^ 1, place.steps[index])
        if is_lost(code) and (best == DRAWN or code + 1 < best):
            best = code + 1
    return best


@kernel
def long_loss(draft, place, side, cell, known):
    """The code of a cell that is lost, if codes up to `known` show how long it lasts; else DRAWN. Writes `place`."""
    if not is_lost(load_code(draft.own, side, cell)):
        return DRAWN
    place_cell(draft, place, cell)
    worst = longest_defence(draft, draft.resets, place, side, PIECES, known)
    return DRAWN if worst == UNDECIDED else worst + 3  # _FORCED if there is no quiet move


@kernel
def first_code(draft, place, side):
    """The code of a position as far as it follows from its own moves alone; ILLEGAL if it cannot occur."""
    mate = load_code(draft.own, side, place.cell)
    if mate == ILLEGAL or mate == MATED or mate == DRAWN:
        return mate
    if is_won(mate):
        return _AT_ONCE if resets_at_once(draft, place, side) else DRAWN
    return DRAWN if has_legal_step(draft, place, side, PIECES) else _FORCED


@kernel
def code_by_moves(draft, place, side):
    """The code of a position by its moves, once all are known; UNDECIDED if it is won or lost but not by its moves."""
    mate = load_code(draft.own, side, place.cell)
    if mate == ILLEGAL or mate == MATED or mate == DRAWN:
        return mate
    if not is_won(mate):
        code = long_loss(draft, place, side, place.cell, FINISHED)
    else:
        code = _AT_ONCE if resets_at_once(draft, place, side) else quick_win(draft, place, side)
    return UNDECIDED if code == DRAWN else code


@entry(DRAFT_TYPE, BENCH_TYPE, int64, int64, int64, int64)
def run_reset_pass(draft: WorkTableRecord, bench: ScratchPairRecord, task: Int, first: Int, last: Int,
                   known: Int) -> Int:
    """Do a task for the cells from `first` up to, but not including, `last`; returns its result."""
    codes = draft.resets
    if task == BEGIN:
        return assign_codes(draft, codes, bench.here, first, last, first_code)
    if task == STEP_BACK:
        return retract_from(draft, codes, bench, first, last, known, PIECES, long_loss)
    return first_wrong_cell(draft, codes, bench.here, first, last, code_by_moves)
