"""Polyglot books: keys of positions, entries, files, and the choice of a move.

A file is a sorted list of entries of sixteen bytes, big-endian: the key of a position (8), a move (2), its weight (2)
and a learning field (4). A move is `to | from << 6 | promotion << 12`, and castling is king takes rook.
"""

from __future__ import annotations

import mmap
import random
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import chess.polyglot
import numpy as np

from engine.core.attacks import PAWN_ATTACKS
from engine.core.bits import BLACK, EMPTY, NO_PIECE, NO_SQUARE, PAWN, square_name
from engine.core.game import Game
from engine.core.moves import NULL_MOVE, PROMOTION, from_square, move_type, to_square
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.core.uci_moves import parse_uci
from engine.kernel import entry, int64, kernel
from engine.system.errors import InputError, reason_of
from engine.system.files import file_size, is_plain_text, open_bytes, write_file

BUILT_IN = Path(__file__).with_name("openings.bin")
BEST_ONLY, PROPORTIONAL, FLAT = 0, 50, 100  # values of `variety`

_FORMAT = struct.Struct(">QHHI")
ENTRY_BYTES = _FORMAT.size
LARGEST_WEIGHT = 0xFFFF
_PROMOTIONS = " nbrq"
_ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
_CHUNK = ENTRY_BYTES << 16  # bytes that are checked at a time

# The random numbers of the format: pieces, castling rights, en passant files, White to move.
_NUMBERS = np.array(chess.polyglot.POLYGLOT_RANDOM_ARRAY, np.uint64)
_CASTLING, _EN_PASSANT = np.int64(768), np.int64(772)
_WHITE_TO_MOVE = _NUMBERS[780]


@kernel
def position_key(pos, passed_square):
    """The Polyglot key of `pos` after a double push over `passed_square`, which is NO_SQUARE after any other move.

    The format counts en passant if a pawn is in place to capture, even if the capture is illegal. A position record
    keeps only legal captures, so the caller passes the square.
    """
    key = EMPTY
    for square in range(64):
        piece = np.int64(pos.board[square])
        if piece != NO_PIECE:
            piece_type, color = piece & 7, piece >> 3
            key ^= _NUMBERS[64 * (2 * (piece_type - PAWN) + 1 - color) + square]
    for right in range(4):
        if pos.castling >> right & 1:
            key ^= _NUMBERS[_CASTLING + right]
    us = np.int64(pos.side)
    if passed_square != NO_SQUARE and PAWN_ATTACKS[us ^ 1, passed_square] & pos.types[PAWN] & pos.colors[us] != EMPTY:
        key ^= _NUMBERS[_EN_PASSANT + (passed_square & 7)]
    return key if us == BLACK else key ^ _WHITE_TO_MOVE


@kernel
def en_passant_candidate(pos, move):
    """The square that `move`, just made, passed over if it was a double push; otherwise NO_SQUARE."""
    start, target = from_square(move), to_square(move)
    is_double_push = move != NULL_MOVE and pos.board[target] & 7 == PAWN and abs(target - start) == 16
    return (start + target) >> 1 if is_double_push else np.int64(NO_SQUARE)


@entry(POSITION_TYPE, int64)
def polyglot_key(pos: PositionRecord, last_move: int) -> int:
    """The key of a position after `last_move`, which is NULL_MOVE if it is unknown.

    In that case en passant counts only if it is legal, because the record keeps no other en passant square.
    """
    passed = en_passant_candidate(pos, last_move)
    return position_key(pos, passed if last_move != NULL_MOVE else np.int64(pos.ep))


class BookEntry(NamedTuple):
    """A book entry: one move in one position."""

    key: int
    move: int  # as encoded in the file
    weight: int
    learn: int = 0

    def text(self) -> str:
        """The move as UCI text, with castling as king takes rook."""
        promotion = self.move >> 12 & 7
        letter = _PROMOTIONS[promotion] if 0 < promotion < len(_PROMOTIONS) else ""
        return square_name(self.move >> 6 & 63) + square_name(self.move & 63) + letter


def game_key(game: Game) -> int:
    """The key of the position that a game has reached."""
    return int(polyglot_key(game.position, game.moves[-1] if game.moves else int(NULL_MOVE)))


def pack_move(move: int) -> int:
    """Encode a move as in the file."""
    flags = int(move_type(move))
    promotion = flags - int(PROMOTION) + 1 if flags >= PROMOTION else 0
    return int(to_square(move)) | int(from_square(move)) << 6 | promotion << 12


def book_move(pos: PositionRecord, packed: int) -> int:
    """Decode a move of the file in `pos`, legal or not; NULL_MOVE if it is malformed.

    Castling is king takes rook; a king move of two squares, as in some files, is accepted too.
    """
    return int(NULL_MOVE) if packed >> 12 >= len(_PROMOTIONS) else parse_uci(pos, BookEntry(0, packed, 0).text())


class Book:
    """A book file, open for lookups; a context manager."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._map = _open(self.path)
        self._indices = range(len(self._map) // ENTRY_BYTES)
        if not self._is_sorted():
            self.close()
            raise InputError(f"book {self.path} is not sorted; it is damaged or not a Polyglot book")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> Iterator[BookEntry]:
        return (self._entry(index) for index in self._indices)

    def close(self) -> None:
        """Close the file."""
        self._map.close()

    def _is_sorted(self) -> bool:
        """Whether the keys are in order; checked in chunks, so that a large book is not copied into memory."""
        last = np.uint64(0)
        for begin in range(0, len(self._map), _CHUNK):
            keys = np.frombuffer(self._map[begin : begin + _CHUNK], _ENTRY)["key"].astype(np.uint64)
            if keys[0] < last or (keys[1:] < keys[:-1]).any():
                return False
            last = keys[-1]
        return True

    def entries(self, key: int) -> list[BookEntry]:
        """The entries for the position with this key, in the file's order."""
        index = bisect_left(self._indices, key, key=self._key)
        entries = []
        while index < len(self._indices) and self._key(index) == key:
            entries.append(self._entry(index))
            index += 1
        return entries

    def _key(self, index: int) -> int:
        return int.from_bytes(self._map[index * ENTRY_BYTES : index * ENTRY_BYTES + 8])

    def _entry(self, index: int) -> BookEntry:
        return BookEntry(*_FORMAT.unpack_from(self._map, index * ENTRY_BYTES))


def _open(path: Path) -> mmap.mmap:
    size = file_size(path)
    if not size:
        raise InputError(f"book {path} is empty")
    with open_bytes(path) as file:
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InputError(f"cannot read {path}: {reason_of(error)}") from error
    if size % ENTRY_BYTES:
        mapped.close()
        raise InputError(f"book {path} is truncated or not a Polyglot book: size must be a multiple of "
                         f"{ENTRY_BYTES}, got {size}")
    return mapped


def is_book(path: Path) -> bool:
    """Whether a file is a Polyglot book. The format has no signature, so text files that look sorted are excluded."""
    try:
        Book(path).close()
        return not is_plain_text(path)
    except InputError:
        return False


def write_book(entries: Iterable[BookEntry], path: Path | str) -> int:
    """Write the entries, sorted by key and then by weight; return their number."""
    ordered = sorted(entries, key=lambda entry: (entry.key, -entry.weight, entry.move))
    write_file(Path(path), b"".join(_FORMAT.pack(*entry) for entry in ordered))
    return len(ordered)


def play_probabilities(weights: Sequence[int], variety: int) -> list[float]:
    """The probability of each of the moves with these weights.

    BEST_ONLY plays the moves of the highest weight, PROPORTIONAL in proportion to the weights, FLAT all equally often;
    in between, the weights are raised to a power. Moves of weight 0 are never played.
    """
    best = max(weights, default=0)
    if best <= 0:
        return [0.0] * len(weights)
    if variety <= BEST_ONLY:
        raised = [float(weight == best) for weight in weights]
    else:
        power = (FLAT - variety) / variety
        raised = [(weight / best) ** power if weight > 0 else 0.0 for weight in weights]
    total = sum(raised)
    return [value / total for value in raised]


def choose_index(probabilities: Sequence[float], rng: random.Random) -> int | None:
    """The index of a random move with these probabilities; None if there is none."""
    return rng.choices(range(len(probabilities)), probabilities)[0] if any(probabilities) else None
