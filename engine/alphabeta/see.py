"""Static exchange evaluation: what the captures on one square win if each side takes with its least valuable piece."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import (
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    PAWN_ATTACKS,
    attacked_squares,
    bishop_attacks,
    rook_attacks,
)
from engine.core.bits import BISHOP, BIT, EMPTY, KING, KNIGHT, PAWN, QUEEN, RANK_1, RANK_8, ROOK, lsb
from engine.core.moves import CASTLING, EN_PASSANT, PROMOTION, from_square, move_type, promoted_type, to_square
from engine.core.piece_values import PIECE_VALUES
from engine.core.position import occupied_squares
from engine.kernel import inline, kernel

# [type]: rounded values will do for comparing exchanges. The king cannot be taken, so it is worth the most.
SEE_VALUES = 100 * np.array(PIECE_VALUES, np.int64)
SEE_VALUES[KING] = 20_000
_PROMOTION_GAIN = np.int64(SEE_VALUES[QUEEN] - SEE_VALUES[PAWN])
_NO_LOSS = np.int64(0)


@inline
def capture_gain(pos, move):
    """What `move` wins at once, including the gain of a promotion."""
    flags = move_type(move)
    if flags == CASTLING:
        return np.int64(0)
    if flags == EN_PASSANT:
        return SEE_VALUES[PAWN]
    value = SEE_VALUES[np.int64(pos.board[to_square(move)]) & 7]
    if flags >= PROMOTION:
        value += SEE_VALUES[promoted_type(flags)] - SEE_VALUES[PAWN]
    return value


@inline
def _all_attackers(pos, square, occupied):
    """Pieces of both colours that attack `square`."""
    return ((PAWN_ATTACKS[0, square] & pos.types[PAWN] & pos.colors[1])
            | (PAWN_ATTACKS[1, square] & pos.types[PAWN] & pos.colors[0])
            | (KNIGHT_ATTACKS[square] & pos.types[KNIGHT])
            | (KING_ATTACKS[square] & pos.types[KING])
            | (bishop_attacks(square, occupied) & (pos.types[BISHOP] | pos.types[QUEEN]))
            | (rook_attacks(square, occupied) & (pos.types[ROOK] | pos.types[QUEEN])))


@inline
def _exchange_risk(piece_type, promoting):
    """What is lost if a piece of this type is captured: its value, and the promotion if pawns promote by taking it."""
    return SEE_VALUES[piece_type] + (_PROMOTION_GAIN if promoting != EMPTY else np.int64(0))


@kernel
def see_ge(pos, move, threshold):
    """Whether the exchange that `move` begins wins at least `threshold` centipawns.

    Follows the captures with a running balance, and stops as soon as the outcome is decided.
    """
    start, target, flags = from_square(move), to_square(move), move_type(move)
    if flags == CASTLING:
        return threshold <= 0
    balance = capture_gain(pos, move) - threshold
    if balance < 0:
        return False
    moved = promoted_type(flags) if flags >= PROMOTION else np.int64(pos.board[start]) & 7
    is_last_rank = (BIT << target) & (RANK_1 | RANK_8) != EMPTY
    if balance >= SEE_VALUES[moved] + (_PROMOTION_GAIN if is_last_rank else np.int64(0)):
        return True
    occupied = (occupied_squares(pos) ^ (BIT << start)) | BIT << target
    if flags == EN_PASSANT:
        occupied ^= BIT << (target ^ 8)
    diagonal = pos.types[BISHOP] | pos.types[QUEEN]
    straight = pos.types[ROOK] | pos.types[QUEEN]
    attackers = _all_attackers(pos, target, occupied) & occupied
    promoting = pos.types[PAWN] if is_last_rank else EMPTY
    side = np.int64(pos.side) ^ 1
    balance -= _exchange_risk(moved, attackers & pos.colors[side] & promoting)
    if balance >= 0:
        return True
    while True:
        own = attackers & pos.colors[side]
        if own == EMPTY:
            break
        capturer = PAWN
        while own & pos.types[capturer] == EMPTY:
            capturer += 1
        occupied ^= BIT << lsb(own & pos.types[capturer])
        # An x-ray attacker behind the capturing piece may join in.
        if capturer == PAWN or capturer == BISHOP or capturer == QUEEN:
            attackers |= bishop_attacks(target, occupied) & diagonal
        if capturer == ROOK or capturer == QUEEN:
            attackers |= rook_attacks(target, occupied) & straight
        attackers &= occupied
        side ^= 1
        stands = QUEEN if capturer == PAWN and promoting != EMPTY else capturer
        balance = -balance - 1 - _exchange_risk(stands, attackers & pos.colors[side] & promoting)
        if balance >= 0:
            # A king must not capture a defended piece.
            if capturer == KING and attackers & pos.colors[side] != EMPTY:
                side ^= 1
            break
    return side != np.int64(pos.side)


@kernel
def flag_see_ok(pos, moves, count, good):
    """Set `good[i]` to 1 if the exchange that legal move i begins loses nothing, else to 0, for `count` moves.

    The other side cannot take on a square that it does not attack, unless the move opens a line to it: then it attacks
    the square that the piece leaves as well, or the move is an en passant capture.
    """
    threatened = attacked_squares(pos, np.int64(pos.side) ^ 1)
    for index in range(count):
        move = np.int64(moves[index])
        squares = BIT << from_square(move) | BIT << to_square(move)
        is_safe = threatened & squares == EMPTY and move_type(move) != EN_PASSANT
        good[index] = 1 if is_safe else np.int64(see_ge(pos, move, _NO_LOSS))
