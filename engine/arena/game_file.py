"""Training games on disk: start position, moves, scores and result, in self-contained blocks.

A file is a sequence of blocks. Each has a header (magic, version, numbers, checksum), then one row per game, then all
moves, then all scores. If a file is truncated or damaged, the complete blocks before that can still be read.
"""

from __future__ import annotations

import lzma
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import numpy as np

from engine.core.bits import BIT, EMPTY, NO_SQUARE, ROOK, clear_lsb, lsb
from engine.core.position import POSITION_TYPE, PositionRecord, castling_index, king_square, occupied_squares
from engine.core.setup import ALL_CASTLING_RIGHTS, add_castling_right, compute_keys
from engine.kernel import array_type, entry, inline, kernel
from engine.system.errors import InputError
from engine.system.files import append_whole, open_bytes

# Four bits per piece, in the order of the occupied squares from a1: 0-5 white pawn to king, 6-11 black, 12 and 13 a
# white and a black rook that may still castle.
GAME_ROW = np.dtype([("occupied", "<u8"), ("pieces", "u1", 16), ("side", "u1"), ("ep", "u1"), ("rule50", "u1"),
                     ("result", "i1"), ("plies", "<u2")])
GAME_ROWS_TYPE = array_type(GAME_ROW)
CASTLING_ROOKS = 12
_MAX_PIECES = np.int64(32)
_LARGEST_RULE50 = np.int64(255)

Rows = np.ndarray[Any, Any]  # of GAME_ROW
MAGIC = b"ADVG"
_VERSION = 1
_LARGEST_BLOCK = 1 << 28  # bytes; a larger size can only be damage
_TRUNCATED = "the last block is truncated"
_HEADER = np.dtype([("magic", "S4"), ("version", "<u2"), ("flags", "<u2"), ("games", "<u4"), ("plies", "<u4"),
                    ("checksum", "<u4")])  # the checksum is over what follows the header


@dataclass(frozen=True)
class Games:
    """The games of a block as arrays. The moves and scores of game i are at `starts[i]` to `starts[i + 1]`."""

    rows: np.ndarray[Any, Any]  # of GAME_ROW
    starts: np.ndarray[Any, Any]
    moves: np.ndarray[Any, Any]  # in sixteen bits, as in the engine
    scores: np.ndarray[Any, Any]  # centipawns from the mover's view

    @property
    def positions(self) -> int:
        """The number of positions in the games, each with a move and a score."""
        return len(self.moves)


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


def pack_block(rows: Rows | Sequence[Any], moves: np.ndarray[Any, Any],
               scores: np.ndarray[Any, Any]) -> bytes:
    """The bytes of a block; the rows hold results and lengths, `moves` and `scores` those of all games in sequence."""
    body = np.array(rows, GAME_ROW).tobytes() + moves.astype("<u2").tobytes() + scores.astype("<i2").tobytes()
    header = np.zeros((), _HEADER)
    header["magic"], header["version"] = MAGIC, _VERSION
    header["games"], header["plies"], header["checksum"] = len(rows), len(moves), zlib.crc32(body)
    return header.tobytes() + body


class DamagedFileError(InputError):
    """A damaged file; `offset` is the end of its last complete block, `blocks` the number of complete ones.

    `is_torn` means that the file ends in the middle of a block, because the process died while writing.
    """

    def __init__(self, path: Path, offset: int, blocks: int, reason: str) -> None:
        super().__init__(f"{path} is damaged at byte {offset}: {reason}; the {blocks} blocks before are intact")
        self.offset, self.blocks, self.is_torn = offset, blocks, reason == _TRUNCATED


def read_games(path: Path) -> Iterator[Games]:
    """The blocks of a file, which may be compressed by xz, one at a time.

    DamagedFileError, after the complete blocks, holds the offset of the damage in the uncompressed file.
    """
    offset, blocks = 0, 0
    with open_bytes(path) as plain, (lzma.open(plain) if path.suffix == ".xz" else plain) as file:
        while True:
            try:
                head = file.read(_HEADER.itemsize)
                games, reason = _read_block(head, file) if head else (None, "")
            except (lzma.LZMAError, EOFError):
                games, reason = None, "it cannot be decompressed"
            if reason:
                raise DamagedFileError(path, offset, blocks, reason)
            if games is None:
                return
            yield games
            offset, blocks = file.tell(), blocks + 1


def _read_block(head: bytes, file: Any) -> tuple[Games | None, str]:
    """(the block whose header was just read, ""), or (None, the problem)."""
    if not head.startswith(MAGIC[: len(head)]):
        return None, "no block of training games begins here"
    if len(head) < _HEADER.itemsize:
        return None, _TRUNCATED
    header = np.frombuffer(head, _HEADER)[0]
    if header["version"] != _VERSION:
        return None, f"expected version {_VERSION}, got {header['version']}"
    games, plies = int(header["games"]), int(header["plies"])
    size = games * GAME_ROW.itemsize + 4 * plies
    if size > _LARGEST_BLOCK:
        return None, f"a block of {size} bytes is too large"
    body = file.read(size)
    if len(body) < size:
        return None, _TRUNCATED
    if zlib.crc32(body) != header["checksum"]:
        return None, "the checksum is wrong"
    rows = np.frombuffer(body, GAME_ROW, games)
    if int(rows["plies"].sum()) != plies:
        return None, "the lengths of the games do not add up"
    starts = np.concatenate([[0], np.cumsum(rows["plies"], dtype=np.int64)])
    end = rows.nbytes
    moves = np.frombuffer(body, "<u2", plies, end)
    return Games(rows, starts, moves, np.frombuffer(body, "<i2", plies, end + moves.nbytes)), ""


class GameFile:
    """A file to which whole blocks are appended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.blocks = self.positions = self._size = 0

    def recover(self) -> str | None:
        """Count the blocks and positions; truncate a torn end, and return the warning about it.

        DamagedFileError, without a change, if there is other damage: the data after it may be worth keeping.
        """
        warning = None
        try:
            for games in read_games(self._path):
                self.blocks += 1
                self.positions += games.positions
                self._size += _HEADER.itemsize + games.rows.nbytes + games.moves.nbytes + games.scores.nbytes
        except DamagedFileError as error:
            if not error.is_torn:
                raise
            warning = str(error)
            os.truncate(self._path, self._size)
        return warning

    def append(self, block: bytes, positions: int) -> None:
        """Append one block; OSError, with the file unchanged, if that fails."""
        append_whole(self._path, block)
        self._size += len(block)
        self.blocks += 1
        self.positions += positions


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
