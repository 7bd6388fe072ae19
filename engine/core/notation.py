"""Moves as UCI text, both ways and in both castling notations."""

from __future__ import annotations

from engine.core.bits import KING, NO_PIECE, PAWN, ROOK, parse_square, square_name
from engine.core.errors import InputError, quote
from engine.core.moves import CASTLING, EN_PASSANT, NORMAL, NULL_MOVE, PROMOTION
from engine.core.position import PositionRecord

_PROMOTION_LETTERS = "nbrq"  # in the order of the kinds


def format_move(pos: PositionRecord, move: int) -> str:
    """UCI text of a move of `pos`: "e2e4", "e7e8q"; castling "e1g1", or "e1h1" in Chess960; "0000" for no move."""
    if move == NULL_MOVE:
        return "0000"
    start, target, kind = move & 63, move >> 6 & 63, move >> 12
    if kind == CASTLING and not pos.chess960:
        target = (start & 56) + (6 if target > start else 2)
    promotion = _PROMOTION_LETTERS[kind - PROMOTION] if kind >= PROMOTION else ""
    return square_name(start) + square_name(target) + promotion


def read_move(pos: PositionRecord, text: str) -> int:
    """The move that UCI text means in `pos`, legal or not; InputError if the text is no move at all.

    Castling is understood in both notations, whichever the position would write.
    """
    start, target = parse_square(text[:2]), parse_square(text[2:4])
    promotion = text[4:].lower()
    if start is None or target is None or (promotion and promotion not in tuple(_PROMOTION_LETTERS)):
        raise InputError(f"move {quote(text)} is not of the form e2e4 or e7e8q")
    piece, captured = int(pos.board[start]), int(pos.board[target])
    kind = int(NORMAL)
    if promotion:
        kind = int(PROMOTION) + _PROMOTION_LETTERS.index(promotion)
    elif piece & 7 == PAWN and target == pos.ep and start & 7 != target & 7:
        kind = int(EN_PASSANT)
    elif piece & 7 == KING:
        rook = _castling_partner(pos, start, target, piece, captured)
        if rook is not None:
            target, kind = rook, int(CASTLING)
    return start | target << 6 | kind << 12


def _castling_partner(pos: PositionRecord, start: int, target: int, king: int, captured: int) -> int | None:
    """The rook with which a king that is written to move so castles; None for an ordinary king's move."""
    own_rook = king - KING + ROOK
    if captured == own_rook:
        return target
    files = abs((target & 7) - (start & 7))
    if captured != NO_PIECE or files < 2 or start >> 3 != target >> 3:
        return None
    index = 2 * (king >> 3) + (target < start)
    return int(pos.castling_rooks[index])
