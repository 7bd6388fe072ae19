"""The inputs of the policy: the features of a position and the rows of a move.

The board is seen from the side to move, which plays up the board, and is mirrored so that its king is on files a to d.
Each piece is one feature: its type and side, its square, whether it is attacked and whether it is defended.

A move selects four rows: by its from and to squares; by the moving piece and the to square; by its traits, which are
the moving piece, the captured piece and whether it gives check; and by its danger: whether pawns or other pieces attack
the square it leaves and the square it goes to, and what it attacks from there. Traits and danger also depend on whether
SEE finds that the move loses no material.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.core.attacks import (
    BETWEEN,
    KNIGHT_ATTACKS,
    LINE,
    PAWN_ATTACKS,
    attacked_squares,
    bishop_attacks,
    pawn_attacks,
    piece_attacks,
    rook_attacks,
)
from engine.core.bits import (
    BISHOP,
    BIT,
    EMPTY,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    clear_lsb,
    lsb,
    more_than_one,
)
from engine.core.legality import gives_check
from engine.core.moves import CASTLING, EN_PASSANT, NORMAL, PROMOTION, from_square, move_type, to_square
from engine.core.position import king_square, occupied_squares
from engine.kernel import inline, kernel
from eval.policy.file import FROM_TO_ROWS


def _from_to_table() -> npt.NDArray[np.int16]:
    """[from * 64 + to]: the row of a move that is not a promotion; 0 if no piece moves so."""
    table = np.zeros(64 * 64, np.int16)
    lines = [(1, 0), (0, 1), (1, 1), (1, -1)]
    steps = {(distance * rank, distance * file) for distance in range(-7, 8) if distance for rank, file in lines}
    steps |= {(rank, file) for rank in (-2, -1, 1, 2) for file in (-2, -1, 1, 2) if abs(rank) != abs(file)}
    number = 0
    for start in range(64):
        for target in range(64):
            if (target // 8 - start // 8, target % 8 - start % 8) in steps:
                table[start * 64 + target] = number
                number += 1
    assert number + 4 * 22 == FROM_TO_ROWS
    return table


def from_to_targets() -> npt.NDArray[np.int64]:
    """[from-to row]: the to square of its moves, as the policy sees it."""
    targets = np.zeros(FROM_TO_ROWS, np.int64)
    for step, row in enumerate(_from_to_table().tolist()):
        if row or step == 1:  # from a1 to b1, the first row
            targets[row] = step % 64
    for way in range(22):
        targets[FROM_TO_ROWS - 88 + way::22] = 56 + way - 2 * ((way + 1) // 3)
    return targets


_FROM_TO = _from_to_table()
_FIRST_PROMOTION = np.int64(FROM_TO_ROWS - 4 * 22)
_PROMOTION_WAYS = np.int64(22)  # from each file straight ahead or to a neighbouring file
_ATTACKED, _DEFENDED = np.int64(2 * 12 * 64), np.int64(12 * 64)  # offsets of the features of such pieces


@inline
def view_of(pos):
    """The mask that turns a square into the policy's view of it, by xor."""
    us = np.int64(pos.side)
    return 56 * us ^ (7 if king_square(pos, us) & 4 else 0)


@inline
def threats_of(pos):
    """(attacked, defended): squares whose piece is attacked by the other side, or defended by its own."""
    us = np.int64(pos.side)
    own, ours, theirs = pos.colors[us], attacked_squares(pos, us), attacked_squares(pos, us ^ 1)
    return (own & theirs) | (~own & ours), (own & ours) | (~own & theirs)


@inline
def piece_code(pos, square):
    """0 to 5 for an own pawn to king, 6 to 11 for the opponent's."""
    piece = np.int64(pos.board[square])
    return 6 * (piece >> 3 ^ np.int64(pos.side)) + (piece & 7) - 1


@inline
def feature_of(code, view_square, attacked, defended):
    """The index of a piece's feature; `view_square` is its square as the policy sees it, the flags are 0 or 1."""
    return _ATTACKED * attacked + _DEFENDED * defended + 64 * code + view_square


@inline
def from_to_row(move, view):
    """The row of a move by its from and to squares."""
    start, target, type_of_move = from_square(move) ^ view, to_square(move) ^ view, move_type(move)
    if type_of_move >= PROMOTION:
        return _FIRST_PROMOTION + _PROMOTION_WAYS * (type_of_move - PROMOTION) + 2 * (start & 7) + (target & 7)
    return np.int64(_FROM_TO[start * 64 + target])


@inline
def piece_to_row(pos, move, view):
    """The row of a move by the moving piece and the to square."""
    return 64 * ((np.int64(pos.board[from_square(move)]) & 7) - 1) + (to_square(move) ^ view)


@kernel
def check_squares_and_shields(pos):
    """(by pawns, by knights, by bishops, by rooks, shields): squares from which pieces of the side to move give check.

    Shields are its own pieces that stand alone between one of its sliders and the enemy king.
    """
    us = np.int64(pos.side)
    own, occupied = pos.colors[us], occupied_squares(pos)
    king = king_square(pos, us ^ 1)
    by_bishops, by_rooks = bishop_attacks(king, occupied), rook_attacks(king, occupied)
    shields, near = EMPTY, (by_bishops | by_rooks) & own
    if near != EMPTY:
        behind = occupied ^ near
        snipers = ((bishop_attacks(king, behind) & (pos.types[BISHOP] | pos.types[QUEEN]))
                   | (rook_attacks(king, behind) & (pos.types[ROOK] | pos.types[QUEEN]))) & own & ~near
        while snipers != EMPTY:
            between = BETWEEN[king, lsb(snipers)] & occupied
            snipers = clear_lsb(snipers)
            if not more_than_one(between):
                shields |= between & own
    return PAWN_ATTACKS[us ^ 1, king], KNIGHT_ATTACKS[king], by_bishops, by_rooks, shields


@inline
def _checks(pos, move, moved, checks):
    """Whether a normal move gives check, directly or by discovery."""
    by_pawns, by_knights, by_bishops, by_rooks, shields = checks
    start, target = from_square(move), to_square(move)
    squares = EMPTY
    if moved == PAWN:
        squares = by_pawns
    elif moved == KNIGHT:
        squares = by_knights
    elif moved != KING:
        squares = (by_bishops if moved != ROOK else EMPTY) | (by_rooks if moved != BISHOP else EMPTY)
    if squares >> target & BIT != EMPTY:
        return True
    if shields >> start & BIT == EMPTY:
        return False
    return LINE[king_square(pos, np.int64(pos.side) ^ 1), start] >> target & BIT == EMPTY


@inline
def trait_row(pos, move, checks, good):
    """The row of a move by its traits; `checks` are those of `check_squares_and_shields`, `good` is 1 unless SEE is
    negative.
    """
    type_of_move = move_type(move)
    moved = np.int64(pos.board[from_square(move)]) & 7
    taken = np.int64(pos.board[to_square(move)]) & 7
    if type_of_move == NORMAL:
        check = np.int64(_checks(pos, move, moved, checks))
    else:
        check = np.int64(gives_check(pos, move))
        if type_of_move == CASTLING:
            taken = np.int64(0)
        elif type_of_move == EN_PASSANT:
            taken = np.int64(PAWN)
    return ((6 * (moved - 1) + taken) * 2 + check) * 2 + good


@kernel
def attack_targets(pos):
    """(attacked, attacked by pawns, targets of pawns, of minors, of rooks, loose pieces): the inputs of `danger_of`.

    The first two are squares that the enemy attacks; targets are enemy pieces, kings apart, that are worth more than
    the attacker. Loose pieces are undefended, and a target of any piece.
    """
    them = np.int64(pos.side) ^ 1
    enemy = pos.colors[them]
    queens = pos.types[QUEEN] & enemy
    heavy = queens | (pos.types[ROOK] & enemy)
    pieces = heavy | ((pos.types[KNIGHT] | pos.types[BISHOP]) & enemy)
    attacked = attacked_squares(pos, them)
    by_pawns = pawn_attacks(pos.types[PAWN] & enemy, them)
    return attacked, by_pawns, pieces, heavy, queens, enemy & ~attacked & ~pos.types[KING]


@inline
def _danger_made(pos, move, moved, targets):
    """2 if the piece attacks a more valuable one from its new square, 1 if it attacks an undefended one, else 0."""
    _, _, by_pawns, by_minors, by_rooks, loose = targets
    target = to_square(move)
    if moved == PAWN:
        reached, larger = PAWN_ATTACKS[np.int64(pos.side), target], by_pawns
    else:
        reached = piece_attacks(moved, target, occupied_squares(pos) & ~(BIT << from_square(move)))
        larger = by_rooks if moved == ROOK else (by_minors if moved < ROOK else EMPTY)
    if reached & larger != EMPTY:
        return np.int64(2)
    return np.int64(reached & loose != EMPTY)


@inline
def danger_of(pos, move, targets):
    """The danger, 0 to 26, that a move escapes, meets and makes; `targets` is that of `attack_targets`."""
    attacked, by_pawns = targets[0], targets[1]
    start, target = from_square(move), to_square(move)
    escaped = np.int64(attacked >> start & BIT) + np.int64(by_pawns >> start & BIT)
    met = np.int64(attacked >> target & BIT) + np.int64(by_pawns >> target & BIT)
    made = np.int64(0)
    if move_type(move) <= EN_PASSANT:
        made = _danger_made(pos, move, np.int64(pos.board[start]) & 7, targets)
    return escaped + 3 * met + 9 * made


@inline
def danger_row(pos, move, danger, good):
    """The row of a move by the moving piece and its danger; `good` is 1 if SEE is not negative."""
    return (27 * ((np.int64(pos.board[from_square(move)]) & 7) - 1) + danger) * 2 + good
