"""Moves out of an ending: captures and promotions, which lead to finished endings, and en passant."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KING_ATTACKS
from engine.core.bits import BIT, EMPTY, KNIGHT, PAWN, QUEEN
from engine.kernel import inline, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, NO_MOVE, code_of_value, move_value, value_of_code
from tablebase.generator.quiet_moves import EVERYBODY, FORWARDS, PAWNS, allows_en_passant, list_quiet_moves
from tablebase.generator.work_table import NOBODY, UNCHANGED, attacks_of, cell_of, child_number, color_of, load_code
from tablebase.indexing import NO_CELL, NO_PAIR, PAIR_NUMBERS, cell_in

FINISHED = np.int64(65_534)  # every code is known
UNDECIDED = np.int64(-1)


@inline
def without(captured, squares):
    """The squares of all men but the captured one."""
    first, second, third = squares[0], squares[1], squares[2]
    if captured == 0:
        return second, third, third
    if captured == 1:
        return first, third, third
    return first, second, third


@inline
def child_code(draft, place, number, captured, side):
    """The code, with `side` to move, of a position in a finished ending."""
    view = draft.children[number]
    white_king, black_king = place.white_king, place.black_king
    if view.others == 0:
        return ILLEGAL if PAIR_NUMBERS[white_king * 64 + black_king] == NO_PAIR else DRAWN
    first, second, third = without(captured, place.squares)
    cell = cell_in(view, white_king, black_king, first, second, third)
    return ILLEGAL if cell == NO_CELL else load_code(view, side ^ view.is_flipped, cell)


@inline
def is_last_rank(square):
    return square < 8 or square >= 56


@kernel
def arrival_value(draft, place, side, captured, man, target):
    """The best worth of moving a man to `target`, where it captures, promotes or both."""
    square = place.squares[man]
    place.squares[man] = target
    best = NO_MOVE
    is_promotion = draft.pieces[man] & 7 == PAWN and is_last_rank(target)
    first, last = (KNIGHT, QUEEN) if is_promotion else (np.int64(0), np.int64(0))
    for kind in range(first, last + 1):
        number = child_number(captured, man if is_promotion else NOBODY, kind)
        code = child_code(draft, place, number, captured, side ^ 1)
        if code != ILLEGAL:
            best = max(best, move_value(code))
    place.squares[man] = square
    return best


@inline
def _worth_of_king_capture(draft, place, side, victim):
    """The worth of capturing a man with the adjacent king; or NO_MOVE."""
    white_king, black_king = place.white_king, place.black_king
    if side == 0:
        place.white_king = place.squares[victim]
    else:
        place.black_king = place.squares[victim]
    code = child_code(draft, place, child_number(victim, NOBODY, UNCHANGED), victim, side ^ 1)
    place.white_king, place.black_king = white_king, black_king
    return NO_MOVE if code == ILLEGAL else move_value(code)


@kernel
def best_conversion_value(draft, place, side):
    """The best worth of all captures and promotions; NO_MOVE if none is legal."""
    best = NO_MOVE
    occupied, king = place.occupied, place.white_king if side == 0 else place.black_king
    for victim in range(draft.others):
        if color_of(draft, victim) == side:
            continue
        target = place.squares[victim]
        if KING_ATTACKS[king] >> target & BIT != EMPTY:
            best = max(best, _worth_of_king_capture(draft, place, side, victim))
        for man in range(draft.others):
            if (color_of(draft, man) == side
                    and attacks_of(draft, man, place.squares[man], occupied) >> target & BIT != EMPTY):
                best = max(best, arrival_value(draft, place, side, victim, man, target))
    if draft.has_pawns:
        for man in range(draft.others):
            target = place.squares[man] + (8 if side == 0 else -8)
            if draft.pieces[man] == side * 8 + PAWN and is_last_rank(target) and occupied >> target & BIT == EMPTY:
                best = max(best, arrival_value(draft, place, side, NOBODY, man, target))
    return best


@inline
def en_passant_step(draft, place, man, side):
    """The target of the man's double push if it is possible and allows en passant; else 0."""
    if draft.pieces[man] != side * 8 + PAWN:
        return np.int64(0)
    square, ahead = place.squares[man], np.int64(8) if side == 0 else np.int64(-8)
    target = square + 2 * ahead
    if (square >> 3 != (1 if side == 0 else 6)
            or (place.occupied >> (square + ahead) | place.occupied >> target) & BIT != EMPTY):
        return np.int64(0)
    return target if allows_en_passant(draft, place, target, side) else np.int64(0)


@inline
def has_en_passant_step(draft, place, side):
    for man in range(draft.others):  # noqa: SIM110  kernels have no generators
        if en_passant_step(draft, place, man, side) != 0:
            return True
    return False


@kernel
def worth_of_en_passant(draft, place, side, man):
    """The best worth for `side` of capturing the other side's `man`, just pushed, en passant; or NO_MOVE."""
    best = NO_MOVE
    passed = place.squares[man] + (8 if side == 0 else -8)
    for capturer in range(draft.others):
        square = place.squares[capturer]
        if (draft.pieces[capturer] == side * 8 + PAWN and square >> 3 == place.squares[man] >> 3
                and abs(square - place.squares[man]) == 1):
            place.squares[capturer] = passed
            code = child_code(draft, place, child_number(man, NOBODY, UNCHANGED), man, side ^ 1)
            place.squares[capturer] = square
            if code != ILLEGAL:
                best = max(best, move_value(code))
    return best


@kernel
def has_legal_step(draft, place, side, movers):
    """Whether `movers` of `side` have a legal quiet move. Overwrites `steps`."""
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, movers)):
        if load_code(draft.own, side ^ 1, place.steps[index]) != ILLEGAL:
            return True
    if movers & PAWNS and draft.has_pawns_of_both:
        for man in range(draft.others):
            target = en_passant_step(draft, place, man, side)
            if target != 0:
                square = place.squares[man]
                place.squares[man] = target
                code = load_code(draft.own, side ^ 1, cell_of(draft, place))
                place.squares[man] = square
                if code != ILLEGAL:
                    return True
    return False


@kernel
def code_after_en_passant_step(draft, place, side, man, target, known):
    """The other side's code after a double push that it may capture, as far as it follows from codes up to `known`.

    Overwrites `steps`.
    """
    square, cell, occupied = place.squares[man], place.cell, place.occupied
    place.squares[man] = target
    place.occupied ^= (BIT << square) | (BIT << target)
    place.cell = cell_of(draft, place)
    code = _code_with_en_passant(draft, place, side ^ 1, man, known)
    place.squares[man], place.cell, place.occupied = square, cell, occupied
    return code


@inline
def _code_with_en_passant(draft, place, side, man, known):
    """The code of a position in which the other side's `man` has just made a double push."""
    code = load_code(draft.own, side, place.cell)
    if code == ILLEGAL:
        return ILLEGAL
    capture = worth_of_en_passant(draft, place, side, man)
    has_other_move = (capture == NO_MOVE or code > MATED
                      or best_conversion_value(draft, place, side) != NO_MOVE
                      or has_legal_step(draft, place, side, EVERYBODY))
    if not has_other_move:
        return code_of_value(capture)
    is_known = code <= known and (code != DRAWN or known == FINISHED)
    if capture == NO_MOVE:
        return code if is_known else UNDECIDED
    if is_known:
        return code_of_value(max(capture, value_of_code(code)))
    return code_of_value(capture) if capture > 0 and code_of_value(capture) <= known else UNDECIDED


@kernel
def worth_of_moves(draft, place, side, movers):
    """The best worth of captures, promotions and the quiet moves of `movers`, which include pawns; or NO_MOVE.

    Requires that the draft is finished. Overwrites `steps`.
    """
    best = best_conversion_value(draft, place, side)
    for index in range(list_quiet_moves(draft, place, side, FORWARDS, movers)):
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
