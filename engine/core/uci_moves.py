"""Parsing and formatting of moves in UCI notation, with castling as a king move or as king takes rook."""

from __future__ import annotations

from engine.core.attacks import KING_ATTACKS
from engine.core.bits import KING, NO_PIECE, PAWN, ROOK, parse_square, square_name
from engine.core.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    NULL_MOVE,
    PROMOTION,
    encode_move,
    from_square,
    move_type,
    to_square,
)
from engine.core.position import PositionRecord, castled_squares
from engine.system.errors import InputError, quote

_PROMOTION_LETTERS = "nbrq"  # in the order of the move types


def format_uci(pos: PositionRecord, move: int) -> str:
    """UCI text of a move in `pos`: "e2e4", "e7e8q"; castling "e1g1", or "e1h1" in Chess960; "0000" for no move."""
    if move == NULL_MOVE:
        return "0000"
    start, target, flags = from_square(move), to_square(move), move_type(move)
    if flags == CASTLING and not pos.chess960:
        target, _ = castled_squares(start, target)
    promotion = _PROMOTION_LETTERS[flags - PROMOTION] if flags >= PROMOTION else ""
    return square_name(start) + square_name(target) + promotion


def parse_uci(pos: PositionRecord, text: str) -> int:
    """Parse UCI text into a move, which may be illegal in `pos`; InputError if the text is malformed.

    Both notations of castling are accepted, in standard chess and in Chess960.
    """
    start, target = parse_square(text[:2]), parse_square(text[2:4])
    promotion = text[4:].lower()
    if start is None or target is None or (promotion and promotion not in tuple(_PROMOTION_LETTERS)):
        raise InputError(f"move must have the form e2e4 or e7e8q, got {quote(text)}")
    piece_type = int(pos.board[start]) & 7
    if promotion:
        return int(encode_move(start, target, PROMOTION + _PROMOTION_LETTERS.index(promotion)))
    if piece_type == PAWN and target == pos.ep and start & 7 != target & 7:
        return int(encode_move(start, target, EN_PASSANT))
    if piece_type == KING:
        rook = _castling_rook(pos, start, target)
        if rook is not None:
            return int(encode_move(start, rook, CASTLING))
    return int(encode_move(start, target, NORMAL))


def _castling_rook(pos: PositionRecord, king: int, target: int) -> int | None:
    """The square of the rook if moving the king to `target` means castling; None for a normal king move."""
    king_piece, captured = int(pos.board[king]), int(pos.board[target])
    if captured == king_piece - KING + ROOK:
        return target
    if captured != NO_PIECE or int(KING_ATTACKS[king]) >> target & 1:
        return None
    for index in range(4):
        rook = int(pos.castling_rooks[index])
        is_own_right = pos.castling >> index & 1 and index >> 1 == king_piece >> 3
        if is_own_right and target == castled_squares(king, rook)[0]:
            return rook
    return None
