"""The rows of training games: the start position of a game in 30 bytes, with its result and length."""

from __future__ import annotations

from typing import Any

import chess
import numpy as np

from engine.core.bits import BIT, EMPTY, NO_SQUARE, ROOK, clear_lsb, lsb
from engine.core.position import POSITION_TYPE, PositionRecord, castling_index, king_square, occupied_squares
from engine.core.setup import ALL_CASTLING_RIGHTS, add_castling_right, compute_keys
from engine.kernel import array_type, entry, inline, kernel

# Four bits per piece, in the order of the occupied squares from a1: 0-5 white pawn to king, 6-11 black, 12 and 13 a
# white and a black rook that may still castle.
GAME_ROW = np.dtype([("occupied", "<u8"), ("pieces", "u1", 16), ("side", "u1"), ("ep", "u1"), ("rule50", "u1"),
                     ("result", "i1"), ("plies", "<u2")])
GAME_ROWS_TYPE = array_type(GAME_ROW)
CASTLING_ROOKS = 12
_MAX_PIECES = np.int64(32)
_LARGEST_RULE50 = np.int64(255)

Rows = np.ndarray[Any, Any]  # of GAME_ROW


@entry(POSITION_TYPE, GAME_ROWS_TYPE)
def pack_first_row(pos: PositionRecord, rows: Rows) -> None:
    """`pack_into` the first row, for Python."""
    pack_into(pos, rows, np.int64(0))


def pack_position(pos: PositionRecord) -> Any:
    """A row for a game that starts at `pos`; its result and length are not yet set."""
    rows = np.zeros(1, GAME_ROW)
    pack_first_row(pos, rows)
    return rows[0]


def unpack_position(row: Any) -> chess.Board:
    """The position that `pack_position` packed."""
    board = chess.Board(None, chess960=True)
    codes = np.stack([row["pieces"] & 15, row["pieces"] >> 4], axis=-1).ravel().tolist()
    for square, code in zip(chess.scan_forward(int(row["occupied"])), codes, strict=False):
        if code >= CASTLING_ROOKS:
            board.castling_rights |= chess.BB_SQUARES[square]
            piece = chess.Piece(chess.ROOK, code == CASTLING_ROOKS)
        else:
            piece = chess.Piece(code % 6 + 1, code < 6)
        board.set_piece_at(square, piece)
    board.turn = not row["side"]
    board.ep_square = None if row["ep"] == NO_SQUARE else int(row["ep"])
    board.halfmove_clock = int(row["rule50"])
    return board


@kernel
def pack_into(pos, rows, index):
    """Write `pos` to `rows[index]`, as the first position of a game whose result and length are not yet set."""
    row = rows[index]
    for byte in range(_MAX_PIECES // 2):
        row.pieces[byte] = 0
    row.occupied = occupied_squares(pos)
    row.side = pos.side
    row.ep = pos.ep
    row.rule50 = min(np.int64(pos.rule50), _LARGEST_RULE50)
    number = np.int64(0)
    left = occupied_squares(pos)
    while left != EMPTY and number < _MAX_PIECES:
        square = lsb(left)
        left = clear_lsb(left)
        row.pieces[number >> 1] |= _piece_code(pos, square) << 4 * (number & 1)
        number += 1


@inline
def _piece_code(pos, square):
    """The four bits of the piece on `square`."""
    piece = np.int64(pos.board[square])
    color, piece_type = piece >> 3, piece & 7
    if piece_type == ROOK:
        for index in range(2 * color, 2 * color + 2):
            if pos.castling >> index & 1 and np.int64(pos.castling_rooks[index]) == square:
                return CASTLING_ROOKS + color
    return 6 * color + piece_type - 1


@kernel
def unpack_into(pos, rows, index):
    """Set up `pos` from `rows[index]`, as a Chess960 position."""
    row = rows[index]
    _clear(pos)
    pos.side = row.side
    pos.ep = row.ep
    pos.rule50 = row.rule50
    castling_rooks = EMPTY
    number = np.int64(0)
    left = row.occupied
    while left != EMPTY:
        square = lsb(left)
        left = clear_lsb(left)
        code = np.int64(row.pieces[number >> 1]) >> 4 * (number & 1) & 15
        number += 1
        if code >= CASTLING_ROOKS:
            castling_rooks |= BIT << square
            color, piece_type = code - CASTLING_ROOKS, np.int64(ROOK)
        else:
            color = np.int64(1) if code >= 6 else np.int64(0)
            piece_type = code - 6 * color + 1
        pos.board[square] = color * 8 + piece_type
        pos.types[piece_type] |= BIT << square
        pos.colors[color] |= BIT << square
    while castling_rooks != EMPTY:
        rook = lsb(castling_rooks)
        castling_rooks = clear_lsb(castling_rooks)
        color = np.int64(pos.board[rook]) >> 3
        king = king_square(pos, color)
        add_castling_right(pos, castling_index(color, king, rook), king, rook)
    compute_keys(pos)


@inline
def _clear(pos):
    for index in range(8):
        pos.types[index] = EMPTY
    pos.colors[0] = EMPTY
    pos.colors[1] = EMPTY
    for square in range(64):
        pos.board[square] = 0
        pos.castling_kept[square] = ALL_CASTLING_RIGHTS
    pos.castling = 0
    pos.captured = 0
    pos.ply = 0
    pos.last_null = 0
    pos.first_fullmove = 1
    pos.chess960 = 1
