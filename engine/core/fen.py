"""Parsing and formatting of FEN, X-FEN and Shredder-FEN.

The parser validates every field, so that kernels only ever receive legal positions.
"""

from __future__ import annotations

from engine.core.bits import (
    BLACK,
    KING,
    NO_PIECE,
    NO_SQUARE,
    PAWN,
    PIECE_LETTERS,
    ROOK,
    WHITE,
    parse_square,
    square_name,
)
from engine.core.position import PositionRecord, castling_index, empty_position
from engine.core.setup import ALL_CASTLING_RIGHTS, finish_setup
from engine.system.errors import InputError, quote

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

_COLOR_NAMES = ("white", "black")
_LARGEST_COUNTER = 9999


def parse_fen(text: str, chess960: bool = False) -> PositionRecord:
    """Return a new position from a FEN of six fields, or of four without the counters; InputError if it is illegal.

    Without `chess960`, castling rights require king and rook on their standard squares.
    """
    fields = text.split()
    if len(fields) not in (4, 6):
        raise InputError(f"FEN {quote(text)} has {len(fields)} fields, expected 6, or 4 without counters")
    board, side, castling, ep = fields[:4]
    halfmoves, fullmove = fields[4:] or ("0", "1")
    pos = empty_position()
    pos.chess960 = chess960
    _place_pieces(pos, board)
    _check_pieces(pos)
    if side not in ("w", "b"):
        raise InputError(f"FEN side to move must be 'w' or 'b', got {quote(side)}")
    pos.side = int(BLACK if side == "b" else WHITE)
    _set_castling(pos, castling)
    pos.ep = _parse_en_passant(pos, ep)
    pos.rule50 = _parse_counter(halfmoves, "halfmove clock")
    pos.first_fullmove = max(1, _parse_counter(fullmove, "fullmove number"))
    if not finish_setup(pos):
        raise InputError(f"FEN has {_COLOR_NAMES[1 - pos.side]} in check with {_COLOR_NAMES[pos.side]} to move")
    return pos


def _place_pieces(pos: PositionRecord, board: str) -> None:
    """Set up the pieces of the first field. The bitboards are built as ints, since writing to a record is slow."""
    pieces, types, colors = [int(NO_PIECE)] * 64, [0] * 8, [0, 0]
    ranks = board.split("/")
    if len(ranks) != 8:
        raise InputError(f"FEN board {quote(board)} has {len(ranks)} ranks, expected 8")
    for rank, row in zip(range(7, -1, -1), ranks, strict=True):
        file = 0
        for letter in row:
            if letter in "12345678":
                file += int(letter)
                continue
            if letter == " " or letter not in PIECE_LETTERS:
                raise InputError(f"FEN rank {rank + 1}: unknown letter {quote(letter)} in {quote(row)}")
            if file < 8:
                piece, square = PIECE_LETTERS.index(letter), 8 * rank + file
                pieces[square] = piece
                types[piece & 7] |= 1 << square
                colors[piece >> 3] |= 1 << square
            file += 1
        if file != 8:
            raise InputError(f"FEN rank {rank + 1}: {quote(row)} has {file} squares, expected 8")
    pos.board[:], pos.types[:], pos.colors[:] = pieces, types, colors


def _check_pieces(pos: PositionRecord) -> None:
    board = pos.board.tolist()
    for color, name in enumerate(_COLOR_NAMES):
        kings = board.count(8 * color + KING)
        if kings != 1:
            raise InputError(f"FEN has {kings or 'no'} {name} king{'s' * (kings > 1)}")
    for square in (*range(8), *range(56, 64)):
        if board[square] & 7 == PAWN:
            raise InputError(f"FEN has a pawn on {square_name(square)}")


def _set_castling(pos: PositionRecord, text: str) -> None:
    """Set the castling rights and the squares of their rooks; `finish_setup` derives the rest."""
    pos.castling_kept[:] = ALL_CASTLING_RIGHTS
    pos.castling_rooks[:] = NO_SQUARE
    if text == "-":
        return
    for letter in text:
        color = 0 if letter.isupper() else 1
        king = pos.board.tolist().index(8 * color + KING)
        rook = _castling_rook(pos, color, king, letter)
        index = castling_index(color, king, rook)
        if pos.castling >> index & 1:
            raise InputError(f"FEN castling {quote(text)} names the same right twice")
        pos.castling |= 1 << index
        pos.castling_rooks[index] = rook


def _castling_rook(pos: PositionRecord, color: int, king: int, letter: str) -> int:
    """The square of the rook that a castling letter means; InputError unless king and rook stand as required."""
    side_or_file = letter.upper()
    if side_or_file not in "KQABCDEFGH":
        raise InputError(f"unknown FEN castling letter {quote(letter)}")
    back_rank = 56 * color
    square: int | None = None
    if king in range(back_rank, back_rank + 8):
        if side_or_file in ("K", "Q"):  # the outermost rook on that side of the king
            candidates = range(back_rank + 7, king, -1) if side_or_file == "K" else range(back_rank, king)
            square = next((s for s in candidates if pos.board[s] == 8 * color + ROOK), None)
        elif pos.board[back_rank + "ABCDEFGH".index(side_or_file)] == 8 * color + ROOK:
            square = back_rank + "ABCDEFGH".index(side_or_file)
    if square is None:
        raise InputError(f"FEN castling right {quote(letter)} without {_COLOR_NAMES[color]} king and rook in place")
    if not pos.chess960 and (king != back_rank + 4 or square & 7 not in (0, 7)):
        raise InputError(f"FEN castling right {quote(letter)} needs king and rook on their standard squares; "
                         "use Chess960")
    return square


def _parse_en_passant(pos: PositionRecord, text: str) -> int:
    if text == "-":
        return int(NO_SQUARE)
    square = parse_square(text)
    forward, rank = (8, 6) if pos.side == WHITE else (-8, 3)  # of the side that may capture
    if square is None or square >> 3 != rank - 1:
        raise InputError(f"FEN en-passant square {quote(text)} is not a square of rank {rank}")
    enemy_pawn = 8 * (1 - int(pos.side)) + int(PAWN)
    if pos.board[square - forward] != enemy_pawn or pos.board[square] or pos.board[square + forward]:
        raise InputError(f"FEN en-passant square {quote(text)}: no pawn has just passed it")
    return square


def _parse_counter(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) <= _LARGEST_COUNTER):
        raise InputError(f"FEN {name} must be a number from 0 to {_LARGEST_COUNTER}, got {quote(text)}")
    return int(text)


def format_fen(pos: PositionRecord, shredder: bool = False) -> str:
    """The FEN of `pos`, with castling rights as X-FEN (KQkq unless ambiguous) or, with `shredder`, as Shredder-FEN."""
    side = "b" if pos.side else "w"
    ep = "-" if pos.ep == NO_SQUARE else square_name(pos.ep)
    return f"{_format_board(pos)} {side} {_format_castling(pos, shredder)} {ep} {pos.rule50} {fullmove_number(pos)}"


def fullmove_number(pos: PositionRecord) -> int:
    """The fullmove number of the FEN: the number of the next move."""
    plies = int(pos.ply)
    black_started = int(pos.side) ^ plies & 1
    return int(pos.first_fullmove) + (plies + black_started) // 2


def _format_board(pos: PositionRecord) -> str:
    letters = "".join(PIECE_LETTERS[piece] if piece else "." for piece in pos.board.tolist())
    board = "/".join(letters[8 * rank:8 * rank + 8] for rank in range(7, -1, -1))
    for length in range(8, 0, -1):
        board = board.replace("." * length, str(length))
    return board


def _format_castling(pos: PositionRecord, shredder: bool) -> str:
    text = ""
    for index in range(4):
        if pos.castling >> index & 1:
            letter = _castling_letter(pos, index, shredder)
            text += letter.lower() if index >= 2 else letter
    return text or "-"


def _castling_letter(pos: PositionRecord, index: int, shredder: bool) -> str:
    rook, own_rook = int(pos.castling_rooks[index]), 8 * (index >> 1) + ROOK
    beyond = range(rook & 56, rook) if index & 1 else range(rook + 1, (rook | 7) + 1)
    if shredder or any(pos.board[square] == own_rook for square in beyond):
        return "ABCDEFGH"[rook & 7]
    return "KQ"[index & 1]
