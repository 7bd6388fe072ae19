"""The position record, with make and unmake.

One record holds everything: bitboards by type and by colour, a mailbox board, the keys, the state that a FEN describes,
the masks for castling from any starting squares, and a ring of the state that unmake restores. Kernels receive one
pointer to it, and making moves allocates nothing.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.core.attacks import PAWN_ATTACKS, attackers_to
from engine.core.bits import BIT, EMPTY, KING, NO_PIECE, NO_SQUARE, PAWN, ROOK, clear_lsb, lsb
from engine.core.moves import CASTLING, EN_PASSANT, PROMOTION, from_square, move_type, promoted_type, to_square
from engine.core.zobrist import CASTLING_KEYS, EN_PASSANT_KEYS, PIECE_KEYS, SIDE_KEY
from engine.kernel import inline, kernel, record_type
from engine.kernel.records import U1, U2, U4, U8, Fields, Numbers, dtype_of, new_record

# The plies that unmake and repetition detection can go back. A power of two: the ring index is `ply & HISTORY_MASK`.
HISTORY = 1024
HISTORY_MASK = np.int64(HISTORY - 1)

# The files of king and rook after castling: [kingside, queenside].
CASTLED_KING_FILES = np.array([6, 2], np.int64)
CASTLED_ROOK_FILES = np.array([5, 3], np.int64)


class PositionRecord(Fields):
    """A position, and the state needed to unmake the moves that led to it."""

    types: Annotated[Numbers, "u8", 8]  # [type]: squares of that type, both colours
    colors: Annotated[Numbers, "u8", 2]  # [colour]: squares of that colour
    key: U8
    pawn_key: U8
    non_pawn_keys: Annotated[Numbers, "u8", 2]  # [colour]
    board: Annotated[Numbers, "u1", 64]  # [square]: the piece, or NO_PIECE
    castling: U1  # set of rights: bit `castling_index`
    ep: U1  # the square behind a pawn that can legally be captured en passant, or NO_SQUARE
    captured: U1  # the piece that the last move captured on its target square, or NO_PIECE
    side: U1  # the colour to move
    rule50: U2  # plies since the last zeroing move
    ply: U4  # moves made since the position was set up
    last_null: U4  # the ply just after the last null move: repetition detection stops there
    first_fullmove: U4  # the fullmove number of the FEN
    chess960: U1  # whether castling is written as king takes rook
    castling_kept: Annotated[Numbers, "u1", 64]  # [square]: the rights left after a move from or to it
    castling_rooks: Annotated[Numbers, "u1", 4]  # [castling_index]: where that rook started
    castling_empty: Annotated[Numbers, "u8", 4]  # [castling_index]: squares that must be empty
    castling_safe: Annotated[Numbers, "u8", 4]  # [castling_index]: squares that must not be attacked
    # [ply & HISTORY_MASK, PAST_...]: the state before that ply's move
    undo_stack: Annotated[Numbers, "u8", (HISTORY, 5)]
    past_last_null: Annotated[Numbers, "u4", HISTORY]  # written by null moves only


POSITION = dtype_of(PositionRecord)
PAST_KEY, PAST_CASTLING, PAST_EP, PAST_CAPTURED, PAST_RULE50 = range(5)  # the columns of `undo_stack`

POSITION_TYPE = record_type(POSITION)


def empty_position() -> PositionRecord:
    """Return a new record of zeros, which is not yet a legal position."""
    return new_record(PositionRecord)


@inline
def occupied_squares(pos):
    """The bitboard of all pieces."""
    return pos.colors[0] | pos.colors[1]


@inline
def king_square(pos, color):
    """The square of the king of `color`."""
    return lsb(pos.types[KING] & pos.colors[color])


@inline
def is_noisy(pos, move):
    """Whether `move` is a capture or a promotion."""
    flags = move_type(move)
    return (pos.board[to_square(move)] != NO_PIECE and flags != CASTLING) or flags == EN_PASSANT or flags >= PROMOTION


@inline
def castling_index(color, king, rook):
    """The index of a castling right: White kingside 0 and queenside 1, Black kingside 2 and queenside 3."""
    return 2 * color + (0 if rook > king else 1)


@inline
def castled_squares(king, rook):
    """(king_to, rook_to): the squares of king and rook after castling from `king` and `rook`."""
    side = 0 if rook > king else 1
    rank = king & 56
    return rank + CASTLED_KING_FILES[side], rank + CASTLED_ROOK_FILES[side]


@kernel
def en_passant_is_safe(pos, start, ep, us):
    """Whether the pawn of `us` on `start` may capture on `ep` without leaving its own king attacked."""
    captured = BIT << (ep ^ 8)
    occupied = (occupied_squares(pos) ^ (BIT << start) ^ captured) | BIT << ep
    return attackers_to(pos, king_square(pos, us), occupied, us ^ 1) & ~captured == EMPTY


@kernel
def legal_en_passant_square(pos, ep, us):
    """Return `ep` if a pawn of `us` can legally capture there, otherwise NO_SQUARE."""
    capturers = PAWN_ATTACKS[us ^ 1, ep] & pos.types[PAWN] & pos.colors[us]
    while capturers != EMPTY:
        if en_passant_is_safe(pos, lsb(capturers), ep, us):
            return ep
        capturers = clear_lsb(capturers)
    return NO_SQUARE


@inline
def _save(pos):
    """Push the state that unmake cannot compute; the pawn and non-pawn keys it can."""
    slot = np.int64(pos.ply) & HISTORY_MASK
    pos.undo_stack[slot, PAST_KEY] = pos.key
    pos.undo_stack[slot, PAST_CASTLING] = pos.castling
    pos.undo_stack[slot, PAST_EP] = pos.ep
    pos.undo_stack[slot, PAST_CAPTURED] = pos.captured
    pos.undo_stack[slot, PAST_RULE50] = pos.rule50
    pos.ply += 1


@inline
def _restore(pos):
    """Pop what `_save` pushed, and switch the side to move back."""
    pos.ply -= 1
    slot = np.int64(pos.ply) & HISTORY_MASK
    pos.key = pos.undo_stack[slot, PAST_KEY]
    pos.castling = pos.undo_stack[slot, PAST_CASTLING]
    pos.ep = pos.undo_stack[slot, PAST_EP]
    pos.captured = pos.undo_stack[slot, PAST_CAPTURED]
    pos.rule50 = pos.undo_stack[slot, PAST_RULE50]
    pos.side ^= 1


@inline
def _toggle_piece(pos, piece, squares):
    """Xor `squares` into the bitboards of `piece`, which adds or removes it there."""
    pos.types[piece & 7] ^= squares
    pos.colors[piece >> 3] ^= squares


@inline
def _toggle_key(pos, piece, change):
    """Xor `change` into the pawn or non-pawn key of `piece`; return it for the full key."""
    if piece & 7 == PAWN:
        pos.pawn_key ^= change
    else:
        pos.non_pawn_keys[piece >> 3] ^= change
    return change


@inline
def _piece_key(piece, square):
    return PIECE_KEYS[piece * 64 + square]


@inline
def _move_castling_pair(pos, us, king_from, king_to, rook_from, rook_to):
    """Move king and rook together, to make or unmake castling; return the change of the key."""
    king, rook = us * 8 + KING, us * 8 + ROOK
    _toggle_piece(pos, king, (BIT << king_from) ^ (BIT << king_to))
    _toggle_piece(pos, rook, (BIT << rook_from) ^ (BIT << rook_to))
    # Each may land on the square that the other leaves, so both are removed first.
    pos.board[king_from] = NO_PIECE
    pos.board[rook_from] = NO_PIECE
    pos.board[king_to] = king
    pos.board[rook_to] = rook
    return (_piece_key(king, king_from) ^ _piece_key(king, king_to)
            ^ _piece_key(rook, rook_from) ^ _piece_key(rook, rook_to))


@inline
def _promote(pos, us, square, flags):
    """Swap pawn and promoted piece in bitboards and keys, in either direction; return the change of the key."""
    pawn, piece = us * 8 + PAWN, us * 8 + promoted_type(flags)
    _toggle_piece(pos, pawn, BIT << square)
    _toggle_piece(pos, piece, BIT << square)
    return _toggle_key(pos, pawn, _piece_key(pawn, square)) ^ _toggle_key(pos, piece, _piece_key(piece, square))


@inline
def _finish_pawn_move(pos, us, start, target, flags):
    """Handle double push, promotion and en passant after the pawn has moved; return the change of the key."""
    if start ^ target == 16:
        ep = legal_en_passant_square(pos, (start + target) >> 1, us ^ 1)
        pos.ep = ep
        return EN_PASSANT_KEYS[ep]
    if flags >= PROMOTION:
        pos.board[target] = us * 8 + promoted_type(flags)
        return _promote(pos, us, target, flags)
    if flags == EN_PASSANT:
        captured = (us ^ 1) * 8 + PAWN
        _toggle_piece(pos, captured, BIT << (target ^ 8))
        pos.board[target ^ 8] = NO_PIECE
        return _toggle_key(pos, captured, _piece_key(captured, target ^ 8))
    return EMPTY


@inline
def key_after(pos, move):
    """The approximate key after `move`, for prefetching; ignores castling, promotion, en passant and lost rights."""
    start, target = from_square(move), to_square(move)
    piece, captured = np.int64(pos.board[start]), np.int64(pos.board[target])
    key = pos.key ^ SIDE_KEY ^ _piece_key(piece, start) ^ _piece_key(piece, target)
    return key ^ _piece_key(captured, target) if captured != NO_PIECE else key


@inline
def make(pos, move):
    """Make a legal `move`, updating keys, castling rights, the en passant square and the draw counters."""
    us = np.int64(pos.side)
    start, target, flags = from_square(move), to_square(move), move_type(move)
    piece = np.int64(pos.board[start])
    captured = NO_PIECE if flags == CASTLING else np.int64(pos.board[target])
    _save(pos)
    pos.captured = captured
    key = pos.key ^ SIDE_KEY ^ EN_PASSANT_KEYS[pos.ep] ^ CASTLING_KEYS[pos.castling]
    pos.ep = NO_SQUARE
    pos.rule50 += 1
    if flags == CASTLING:
        king_to, rook_to = castled_squares(start, target)
        key ^= _toggle_key(pos, piece, _move_castling_pair(pos, us, start, king_to, target, rook_to))
    else:
        if captured != NO_PIECE:
            _toggle_piece(pos, captured, BIT << target)
            key ^= _toggle_key(pos, captured, _piece_key(captured, target))
            pos.rule50 = 0
        _toggle_piece(pos, piece, (BIT << start) | (BIT << target))
        pos.board[start] = NO_PIECE
        pos.board[target] = piece
        key ^= _toggle_key(pos, piece, _piece_key(piece, start) ^ _piece_key(piece, target))
        if piece & 7 == PAWN:
            pos.rule50 = 0
            key ^= _finish_pawn_move(pos, us, start, target, flags)
    pos.castling &= pos.castling_kept[start] & pos.castling_kept[target]
    pos.side = us ^ 1
    pos.key = key ^ CASTLING_KEYS[pos.castling]


@inline
def unmake(pos, move):
    """Unmake `move`, which must be the last one made."""
    captured = np.int64(pos.captured)
    _restore(pos)
    us = np.int64(pos.side)
    start, target, flags = from_square(move), to_square(move), move_type(move)
    if flags == CASTLING:
        king_to, rook_to = castled_squares(start, target)
        change = _move_castling_pair(pos, us, king_to, start, rook_to, target)
        _toggle_key(pos, us * 8 + KING, change)
        return
    piece = np.int64(pos.board[target])
    if flags >= PROMOTION:
        piece = us * 8 + PAWN
        _promote(pos, us, target, flags)
    _toggle_piece(pos, piece, (BIT << start) | (BIT << target))
    _toggle_key(pos, piece, _piece_key(piece, start) ^ _piece_key(piece, target))
    pos.board[start] = piece
    pos.board[target] = captured
    if captured != NO_PIECE:
        _toggle_piece(pos, captured, BIT << target)
        _toggle_key(pos, captured, _piece_key(captured, target))
    elif flags == EN_PASSANT:
        pawn = (us ^ 1) * 8 + PAWN
        _toggle_piece(pos, pawn, BIT << (target ^ 8))
        _toggle_key(pos, pawn, _piece_key(pawn, target ^ 8))
        pos.board[target ^ 8] = pawn


@inline
def make_null(pos):
    """Make a null move; the side to move must not be in check."""
    pos.past_last_null[np.int64(pos.ply) & HISTORY_MASK] = pos.last_null
    _save(pos)
    pos.last_null = pos.ply
    pos.key ^= SIDE_KEY ^ EN_PASSANT_KEYS[pos.ep]
    pos.ep = NO_SQUARE
    pos.captured = NO_PIECE
    pos.rule50 += 1
    pos.side ^= 1


@inline
def unmake_null(pos):
    """Unmake a null move, which must be the last move made."""
    _restore(pos)
    pos.last_null = pos.past_last_null[np.int64(pos.ply) & HISTORY_MASK]
