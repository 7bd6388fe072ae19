"""Moves that leave an ending: captures and promotions, which lead to finished endings; and en passant."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KING_ATTACKS
from engine.core.bits import BIT, EMPTY, KNIGHT, PAWN, QUEEN
from engine.kernel import inline, kernel
from tablebase.codes import DRAWN, ILLEGAL, MATED, NO_MOVE, code_of_value, move_value, value_of_code
from tablebase.generator.quiet_moves import ALL_MOVERS, FORWARDS, PAWNS, allows_en_passant, list_quiet_moves
from tablebase.generator.work_table import NO_INDEX, UNCHANGED, attacks_of, cell_of, child_index, color_of, load_code
from tablebase.indexing import NO_CELL, NO_PAIR, PAIR_INDICES, cell_in

FINISHED = np.int64(65_534)  # as `known`: all codes are final
UNDECIDED = np.int64(-1)


@inline
def without(captured, squares):
    """The squares of all pieces but the captured one."""
    first, second, third = squares[0], squares[1], squares[2]
    if captured == 0:
        return second, third, third
    if captured == 1:
        return first, third, third
    return first, second, third


@inline
def child_code(table, placement, number, captured, side):
    """The code, with `side` to move, of a position in the finished ending `number`."""
    view = table.children[number]
    white_king, black_king = placement.white_king, placement.black_king
    if view.others == 0:
        return ILLEGAL if PAIR_INDICES[white_king * 64 + black_king] == NO_PAIR else DRAWN
    first, second, third = without(captured, placement.squares)
    cell = cell_in(view, white_king, black_king, first, second, third)
    return ILLEGAL if cell == NO_CELL else load_code(view, side ^ view.is_flipped, cell)


@inline
def is_last_rank(square):
    return square < 8 or square >= 56


@kernel
def arrival_value(table, placement, side, captured, index, target):
    """The best value of moving piece `index` to `target`, where it captures, promotes or both."""
    square = placement.squares[index]
    placement.squares[index] = target
    best = NO_MOVE
    is_promotion = table.pieces[index] & 7 == PAWN and is_last_rank(target)
    first, last = (KNIGHT, QUEEN) if is_promotion else (np.int64(0), np.int64(0))
    for piece_type in range(first, last + 1):
        number = child_index(captured, index if is_promotion else NO_INDEX, piece_type)
        code = child_code(table, placement, number, captured, side ^ 1)
        if code != ILLEGAL:
            best = max(best, move_value(code))
    placement.squares[index] = square
    return best


@inline
def _king_capture_value(table, placement, side, victim):
    """The value of capturing piece `victim` with the adjacent king; NO_MOVE if that is illegal."""
    white_king, black_king = placement.white_king, placement.black_king
    if side == 0:
        placement.white_king = placement.squares[victim]
    else:
        placement.black_king = placement.squares[victim]
    code = child_code(table, placement, child_index(victim, NO_INDEX, UNCHANGED), victim, side ^ 1)
    placement.white_king, placement.black_king = white_king, black_king
    return NO_MOVE if code == ILLEGAL else move_value(code)


@kernel
def best_conversion_value(table, placement, side):
    """The best value of all captures and promotions; NO_MOVE if none is legal."""
    best = NO_MOVE
    occupied, king = placement.occupied, placement.white_king if side == 0 else placement.black_king
    for victim in range(table.others):
        if color_of(table, victim) == side:
            continue
        target = placement.squares[victim]
        if KING_ATTACKS[king] >> target & BIT != EMPTY:
            best = max(best, _king_capture_value(table, placement, side, victim))
        for index in range(table.others):
            if (color_of(table, index) == side
                    and attacks_of(table, index, placement.squares[index], occupied) >> target & BIT != EMPTY):
                best = max(best, arrival_value(table, placement, side, victim, index, target))
    if table.has_pawns:
        for index in range(table.others):
            target = placement.squares[index] + (8 if side == 0 else -8)
            if table.pieces[index] == side * 8 + PAWN and is_last_rank(target) and occupied >> target & BIT == EMPTY:
                best = max(best, arrival_value(table, placement, side, NO_INDEX, index, target))
    return best


@inline
def en_passant_push(table, placement, index, side):
    """The target of a double push of piece `index` if it is possible and allows en passant; otherwise 0."""
    if table.pieces[index] != side * 8 + PAWN:
        return np.int64(0)
    square, ahead = placement.squares[index], np.int64(8) if side == 0 else np.int64(-8)
    target = square + 2 * ahead
    if (square >> 3 != (1 if side == 0 else 6)
            or (placement.occupied >> (square + ahead) | placement.occupied >> target) & BIT != EMPTY):
        return np.int64(0)
    return target if allows_en_passant(table, placement, target, side) else np.int64(0)


@inline
def has_en_passant_push(table, placement, side):
    for index in range(table.others):  # noqa: SIM110  kernels have no generators
        if en_passant_push(table, placement, index, side) != 0:
            return True
    return False


@kernel
def en_passant_value(table, placement, side, index):
    """The best value for `side` of capturing the pawn `index`, just pushed, en passant; NO_MOVE if that is illegal."""
    best = NO_MOVE
    passed = placement.squares[index] + (8 if side == 0 else -8)
    for capturer in range(table.others):
        square = placement.squares[capturer]
        if (table.pieces[capturer] == side * 8 + PAWN and square >> 3 == placement.squares[index] >> 3
                and abs(square - placement.squares[index]) == 1):
            placement.squares[capturer] = passed
            code = child_code(table, placement, child_index(index, NO_INDEX, UNCHANGED), index, side ^ 1)
            placement.squares[capturer] = square
            if code != ILLEGAL:
                best = max(best, move_value(code))
    return best


@kernel
def has_quiet_move(table, placement, side, movers):
    """Whether `movers` of `side` have a legal quiet move. Overwrites `next_cells`."""
    for index in range(list_quiet_moves(table, placement, side, FORWARDS, movers)):
        if load_code(table.own, side ^ 1, placement.next_cells[index]) != ILLEGAL:
            return True
    if movers & PAWNS and table.has_pawns_of_both:
        for index in range(table.others):
            target = en_passant_push(table, placement, index, side)
            if target != 0:
                square = placement.squares[index]
                placement.squares[index] = target
                code = load_code(table.own, side ^ 1, cell_of(table, placement))
                placement.squares[index] = square
                if code != ILLEGAL:
                    return True
    return False


@kernel
def code_after_en_passant_push(table, placement, side, index, target, known):
    """The other side's code after a double push that allows en passant; UNDECIDED if codes up to `known` do not
    determine it.

    Overwrites `next_cells`.
    """
    square, cell, occupied = placement.squares[index], placement.cell, placement.occupied
    placement.squares[index] = target
    placement.occupied ^= (BIT << square) | (BIT << target)
    placement.cell = cell_of(table, placement)
    code = _code_with_en_passant(table, placement, side ^ 1, index, known)
    placement.squares[index], placement.cell, placement.occupied = square, cell, occupied
    return code


@inline
def _code_with_en_passant(table, placement, side, index, known):
    """The code of a position in which the other side's pawn `index` has just made a double push."""
    code = load_code(table.own, side, placement.cell)
    if code == ILLEGAL:
        return ILLEGAL
    capture = en_passant_value(table, placement, side, index)
    has_other_move = (capture == NO_MOVE or code > MATED
                      or best_conversion_value(table, placement, side) != NO_MOVE
                      or has_quiet_move(table, placement, side, ALL_MOVERS))
    if not has_other_move:
        return code_of_value(capture)
    is_known = code <= known and (code != DRAWN or known == FINISHED)
    if capture == NO_MOVE:
        return code if is_known else UNDECIDED
    if is_known:
        return code_of_value(max(capture, value_of_code(code)))
    return code_of_value(capture) if capture > 0 and code_of_value(capture) <= known else UNDECIDED


@kernel
def best_move_value(table, placement, side, movers):
    """The best value of captures, promotions and the quiet moves of `movers`, which include pawns; or NO_MOVE.

    The table must be finished. Overwrites `next_cells`.
    """
    best = best_conversion_value(table, placement, side)
    for index in range(list_quiet_moves(table, placement, side, FORWARDS, movers)):
        code = load_code(table.own, side ^ 1, placement.next_cells[index])
        if code != ILLEGAL:
            best = max(best, move_value(code))
    if table.has_pawns_of_both:
        for index in range(table.others):
            target = en_passant_push(table, placement, index, side)
            if target != 0:
                code = code_after_en_passant_push(table, placement, side, index, target, FINISHED)
                if code != ILLEGAL:
                    best = max(best, move_value(code))
    return best
