"""Moves out of a table: captures and promotions, which lead to finished tables, and captures en passant."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KING_ATTACKS
from engine.core.bits import BIT, EMPTY, KNIGHT, PAWN, QUEEN
from engine.kernel import inline, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, NO_MOVE, code_of, worth_of, worth_of_move
from tablebase.geometry import NO_CELL, NO_PAIR, PAIR_NUMBERS, cell_in
from tablebase.steps import FORWARDS, allows_en_passant, list_steps
from tablebase.table import NOBODY, UNCHANGED, attacks_of, cell_of, child_number, color_of, load_code

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
def child_code(table, number, white_king, black_king, captured, squares, side):
    """The code, for `side` to move, of a position of a finished ending."""
    view = table.children[number]
    if view.others == 0:
        return ILLEGAL if PAIR_NUMBERS[white_king * 64 + black_king] == NO_PAIR else DRAWN
    first, second, third = without(captured, squares)
    cell = cell_in(view, white_king, black_king, first, second, third)
    return ILLEGAL if cell == NO_CELL else load_code(view, side ^ view.is_flipped, cell)


@inline
def is_last_rank(square):
    return square < 8 or square >= 56


@kernel
def worth_of_arrival(table, white_king, black_king, squares, side, captured, man, target):
    """The best of moving a man to `target`, where it captures, promotes or both."""
    square = squares[man]
    squares[man] = target
    best = NO_MOVE
    is_promotion = table.pieces[man] & 7 == PAWN and is_last_rank(target)
    first, last = (KNIGHT, QUEEN) if is_promotion else (np.int64(0), np.int64(0))
    for kind in range(first, last + 1):
        number = child_number(captured, man if is_promotion else NOBODY, kind)
        code = child_code(table, number, white_king, black_king, captured, squares, side ^ 1)
        if code != ILLEGAL:
            best = max(best, worth_of_move(code))
    squares[man] = square
    return best


@kernel
def worth_of_conversions(table, white_king, black_king, squares, occupied, side):
    """The best of all captures and promotions; NO_MOVE if none is legal."""
    best = NO_MOVE
    king = white_king if side == 0 else black_king
    for victim in range(table.others):
        if color_of(table, victim) == side:
            continue
        target = squares[victim]
        if KING_ATTACKS[king] >> target & BIT != EMPTY:
            white, black = (target, black_king) if side == 0 else (white_king, target)
            code = child_code(table, child_number(victim, NOBODY, UNCHANGED), white, black, victim, squares, side ^ 1)
            if code != ILLEGAL:
                best = max(best, worth_of_move(code))
        for man in range(table.others):
            if color_of(table, man) == side and attacks_of(table, man, squares[man], occupied) >> target & BIT != EMPTY:
                best = max(best, worth_of_arrival(table, white_king, black_king, squares, side, victim, man, target))
    if table.has_pawns:
        for man in range(table.others):
            target = squares[man] + (8 if side == 0 else -8)
            if table.pieces[man] == side * 8 + PAWN and is_last_rank(target) and occupied >> target & BIT == EMPTY:
                best = max(best, worth_of_arrival(table, white_king, black_king, squares, side, NOBODY, man, target))
    return best


@inline
def en_passant_step(table, squares, man, occupied, side):
    """Where a double step of the man ends if it can be made and then captured; else 0."""
    if table.pieces[man] != side * 8 + PAWN:
        return np.int64(0)
    square, ahead = squares[man], np.int64(8) if side == 0 else np.int64(-8)
    target = square + 2 * ahead
    if (square >> 3 != (1 if side == 0 else 6)
            or (occupied >> (square + ahead) | occupied >> target) & BIT != EMPTY):
        return np.int64(0)
    return target if allows_en_passant(table, squares, target, side) else np.int64(0)


@inline
def has_en_passant_step(table, squares, occupied, side):
    for man in range(table.others):  # noqa: SIM110  kernels have no generators
        if en_passant_step(table, squares, man, occupied, side) != 0:
            return True
    return False


@kernel
def worth_of_en_passant(table, white_king, black_king, squares, side, man):
    """The best capture en passant, for `side`, of the other side's `man`, which has just passed; or NO_MOVE."""
    best = NO_MOVE
    passed = squares[man] + (8 if side == 0 else -8)
    for capturer in range(table.others):
        square = squares[capturer]
        if (table.pieces[capturer] == side * 8 + PAWN and square >> 3 == squares[man] >> 3
                and abs(square - squares[man]) == 1):
            squares[capturer] = passed
            number = child_number(man, NOBODY, UNCHANGED)
            code = child_code(table, number, white_king, black_king, man, squares, side ^ 1)
            squares[capturer] = square
            if code != ILLEGAL:
                best = max(best, worth_of_move(code))
    return best


@kernel
def has_legal_step(table, white_king, black_king, cell, squares, occupied, side, out):
    """Whether `side` has a legal quiet move."""
    for index in range(list_steps(table, white_king, black_king, cell, squares, occupied, side, FORWARDS, out)):
        if load_code(table.own, side ^ 1, out[index]) != ILLEGAL:
            return True
    if table.has_pawns_of_both:
        for man in range(table.others):
            target = en_passant_step(table, squares, man, occupied, side)
            if target != 0:
                square = squares[man]
                squares[man] = target
                code = load_code(table.own, side ^ 1, cell_of(table, white_king, black_king, squares))
                squares[man] = square
                if code != ILLEGAL:
                    return True
    return False


@kernel
def code_after_en_passant_step(table, white_king, black_king, squares, occupied, side, man, target, known, out):
    """The other side's code after a double step that it may capture, as far as codes up to `known` tell it."""
    square, them = squares[man], side ^ 1
    squares[man] = target
    occupied ^= (BIT << square) | (BIT << target)
    cell = cell_of(table, white_king, black_king, squares)
    code = load_code(table.own, them, cell)
    if code == ILLEGAL:
        squares[man] = square
        return ILLEGAL
    capture = worth_of_en_passant(table, white_king, black_king, squares, them, man)
    has_other_move = (capture == NO_MOVE or code > MATED
                      or worth_of_conversions(table, white_king, black_king, squares, occupied, them) != NO_MOVE
                      or has_legal_step(table, white_king, black_king, cell, squares, occupied, them, out))
    squares[man] = square
    if not has_other_move:
        return code_of(capture)
    is_known = code <= known and (code != DRAWN or known == FINISHED)
    if capture == NO_MOVE:
        return code if is_known else UNDECIDED
    if is_known:
        return code_of(max(capture, worth_of(code)))
    return code_of(capture) if capture > 0 and code_of(capture) <= known else UNDECIDED
