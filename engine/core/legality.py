"""Tests of a single move that need no move list: pseudo-legal, legal, gives check."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import BETWEEN, LINE, PAWN_ATTACKS, bishop_attacks, is_attacked, piece_attacks, rook_attacks
from engine.core.bits import (
    BISHOP,
    BIT,
    EMPTY,
    NO_PIECE,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_8,
    ROOK,
    WHITE,
    contains,
    lsb,
    more_than_one,
)
from engine.core.movegen import castling_is_safe
from engine.core.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    PROMOTION,
    from_square,
    is_move_type,
    move_type,
    promoted_type,
    to_square,
)
from engine.core.position import (
    castled_squares,
    castling_index,
    en_passant_is_safe,
    king_square,
    occupied_squares,
)
from engine.kernel import inline, kernel


@inline
def _castling_is_possible(pos, us, start, rook):
    index = castling_index(us, start, rook)
    return (pos.castling >> index & 1 != 0
            and start == king_square(pos, us)
            and pos.castling_rooks[index] == rook
            and pos.castling_empty[index] & occupied_squares(pos) == EMPTY)


@inline
def _pawn_move_is_possible(pos, us, start, target, flags):
    if flags == EN_PASSANT:
        return pos.ep == target and contains(PAWN_ATTACKS[us, start], target)
    promotes = contains(RANK_8 if us == WHITE else RANK_1, target)
    if promotes != (flags >= PROMOTION):
        return False
    if contains(PAWN_ATTACKS[us, start], target):
        return pos.board[target] != NO_PIECE
    if pos.board[target] != NO_PIECE:
        return False
    forward = np.int64(8) if us == WHITE else np.int64(-8)
    if target == start + forward:
        return True
    start_rank = np.int64(1) if us == WHITE else np.int64(6)
    return start >> 3 == start_rank and target == start + 2 * forward and pos.board[start + forward] == NO_PIECE


@kernel
def is_pseudo_legal(pos, move):
    """Whether the side to move has a piece that can make `move`, regardless of its king's safety.

    Accepts any integer from 0 to 65535, since TT moves may come from a key collision or a torn entry.
    """
    us = np.int64(pos.side)
    start, target, flags = from_square(move), to_square(move), move_type(move)
    piece = np.int64(pos.board[start])
    if piece == NO_PIECE or piece >> 3 != us or not is_move_type(flags):
        return False
    if flags == CASTLING:
        return _castling_is_possible(pos, us, start, target)
    if contains(pos.colors[us], target):
        return False
    if piece & 7 == PAWN:
        return _pawn_move_is_possible(pos, us, start, target, flags)
    return flags == NORMAL and contains(piece_attacks(piece & 7, start, occupied_squares(pos)), target)


@kernel
def is_legal(pos, move, checkers, pinned):
    """Whether a pseudo-legal `move` leaves the mover's king safe.

    `checkers` and `pinned` come from `checkers_and_pinned`.
    """
    us = np.int64(pos.side)
    start, target, flags = from_square(move), to_square(move), move_type(move)
    king = king_square(pos, us)
    if flags == CASTLING:
        return checkers == EMPTY and castling_is_safe(pos, us, castling_index(us, start, target))
    if flags == EN_PASSANT:
        return en_passant_is_safe(pos, start, target, us)
    if start == king:
        return not is_attacked(pos, target, occupied_squares(pos) ^ (BIT << king), us ^ 1)
    if more_than_one(checkers):
        return False
    if checkers != EMPTY and not contains(BETWEEN[king, lsb(checkers)] | checkers, target):
        return False
    return not contains(pinned, start) or contains(LINE[king, start], target)


@inline
def _castling_gives_check(pos, us, start, rook, enemy_king):
    king_to, rook_to = castled_squares(start, rook)
    occupied = occupied_squares(pos) ^ (BIT << start) ^ (BIT << rook) | (BIT << king_to) | (BIT << rook_to)
    straight = (pos.types[ROOK] | pos.types[QUEEN]) & pos.colors[us] ^ (BIT << rook) | (BIT << rook_to)
    return rook_attacks(enemy_king, occupied) & straight != EMPTY


@kernel
def gives_check(pos, move):
    """Whether a legal `move` puts the enemy king in check."""
    us = np.int64(pos.side)
    start, target, flags = from_square(move), to_square(move), move_type(move)
    enemy_king = king_square(pos, us ^ 1)
    if flags == CASTLING:
        return _castling_gives_check(pos, us, start, target, enemy_king)
    occupied = occupied_squares(pos) & ~(BIT << start) | BIT << target
    if flags == EN_PASSANT:
        occupied ^= BIT << (target ^ 8)
    moved = promoted_type(flags) if flags >= PROMOTION else np.int64(pos.board[start]) & 7
    attacks = PAWN_ATTACKS[us, target] if moved == PAWN else piece_attacks(moved, target, occupied)
    if contains(attacks, enemy_king):
        return True
    if LINE[enemy_king, start] == EMPTY and flags != EN_PASSANT:
        return False  # no discovered check from a square that shares no line with the king
    others = pos.colors[us] & ~(BIT << start)
    straight = (pos.types[ROOK] | pos.types[QUEEN]) & others
    diagonal = (pos.types[BISHOP] | pos.types[QUEEN]) & others
    return (rook_attacks(enemy_king, occupied) & straight | bishop_attacks(enemy_king, occupied) & diagonal) != EMPTY
