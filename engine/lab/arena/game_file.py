"""Training games on disk: start position, moves, scores and result, in self-contained blocks.

A file is a sequence of blocks. Each has a header (magic, version, numbers, checksum), then one row per game, then all
moves, then all scores; a compact block has a byte for each of them (see compact_games.py). If a file is truncated or
damaged, the complete blocks before that can still be read.
"""

from __future__ import annotations

import lzma
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.lab.arena.compact_games import compact_moves, compact_scores, expand_moves, expand_scores
from engine.lab.arena.game_rows import GAME_ROW, Rows
from engine.system.errors import InputError
from engine.system.files import append_whole, open_bytes

MAGIC = b"ADVG"
_VERSION, _COMPACT_VERSION = 1, 2
_BYTES_EACH = {_VERSION: 4, _COMPACT_VERSION: 2}  # of a position: its move and its score
_USUAL_BYTES = ((4.25, 2.7), (2.4, 1.6))  # [whether it is compact][whether it is compressed]
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


def pack_block(rows: Rows | Sequence[Any], moves: np.ndarray[Any, Any],
               scores: np.ndarray[Any, Any]) -> bytes:
    """The bytes of a block; the rows hold results and lengths, `moves` and `scores` those of all games in sequence."""
    body = np.array(rows, GAME_ROW).tobytes() + moves.astype("<u2").tobytes() + scores.astype("<i2").tobytes()
    return _with_header(body, _VERSION, len(rows), len(moves))


def pack_compact_block(games: Games) -> bytes:
    """The bytes of a compact block; scores lose what is beyond their 255 steps."""
    rows = np.array(games.rows, GAME_ROW)
    body = rows.tobytes() + compact_moves(rows, games.moves).tobytes() + compact_scores(games.scores).tobytes()
    return _with_header(body, _COMPACT_VERSION, len(rows), games.positions)


def _with_header(body: bytes, version: int, games: int, plies: int) -> bytes:
    header = np.zeros((), _HEADER)
    header["magic"], header["version"] = MAGIC, version
    header["games"], header["plies"], header["checksum"] = games, plies, zlib.crc32(body)
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
    version = int(header["version"])
    if version not in _BYTES_EACH:
        return None, f"expected version {' or '.join(map(str, _BYTES_EACH))}, got {version}"
    games, plies = int(header["games"]), int(header["plies"])
    size = games * GAME_ROW.itemsize + _BYTES_EACH[version] * plies
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
    if version == _COMPACT_VERSION:
        ranks, steps = np.frombuffer(body, np.uint8, 2 * plies, rows.nbytes).reshape(2, plies)
        return Games(rows, starts, expand_moves(rows, ranks), expand_scores(steps)), ""
    moves = np.frombuffer(body, "<u2", plies, rows.nbytes)
    return Games(rows, starts, moves, np.frombuffer(body, "<i2", plies, rows.nbytes + moves.nbytes)), ""


def bytes_per_position(path: Path) -> float:
    """Approximately how many bytes of a file a position takes, with its share of the start of its game."""
    is_packed = path.suffix == ".xz"
    try:
        with open_bytes(path) as plain, (lzma.open(plain) if is_packed else plain) as file:
            head = file.read(_HEADER.itemsize)
    except (lzma.LZMAError, EOFError):
        head = b""
    version = int(np.frombuffer(head, _HEADER)[0]["version"]) if len(head) == _HEADER.itemsize else _VERSION
    return _USUAL_BYTES[version == _COMPACT_VERSION][is_packed]


class GameFile:
    """A file to which whole blocks are appended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.blocks = self.positions = 0

    def recover(self) -> str | None:
        """Count the blocks and positions; truncate a torn end, and return the warning about it.

        DamagedFileError, without a change, if there is other damage: the data after it may be worth keeping.
        """
        warning = None
        try:
            for games in read_games(self._path):
                self.blocks += 1
                self.positions += games.positions
        except DamagedFileError as error:
            if not error.is_torn:
                raise
            warning = str(error)
            os.truncate(self._path, error.offset)
        return warning

    def append(self, block: bytes, positions: int) -> None:
        """Append one block; OSError, with the file unchanged, if that fails."""
        append_whole(self._path, block)
        self.blocks += 1
        self.positions += positions
