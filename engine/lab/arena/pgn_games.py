"""Games in PGN as training games without scores, for policies that learn what people play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from book.pgn import PgnGame, read_pgn
from book.replay import replay_san
from engine.core.fen import START_FEN, parse_fen
from engine.core.movegen import empty_move_list
from engine.lab.arena.game_file import Games
from engine.lab.arena.game_rows import GAME_ROW, pack_position
from engine.system.errors import InputError

PGN_BYTES, PACKED_PGN_BYTES = 6.0, 1.6  # per position in a plain and in a compressed file, approximately
_GAMES_PER_BLOCK = 4096
_LONGEST_GAME = np.iinfo(np.uint16).max  # plies that fit into a row
_RESULTS = {"1-0": 1, "0-1": -1}


def is_pgn(path: Path) -> bool:
    """Whether a file is PGN, possibly compressed, according to its name."""
    return ".pgn" in (suffix.lower() for suffix in path.suffixes[-2:])


def read_pgn_games(path: Path, warn: Callable[[str], None]) -> Iterator[Games]:
    """The main lines of a PGN file in blocks, with scores of 0.

    A game ends before its first illegal move, which is reported to `warn`, as are starts that cannot be set up.
    """
    block: list[_MainLine] = []
    reader = _Reader(warn)
    for game in read_pgn(path):
        line = reader.main_line(game)
        if line is not None:
            block.append(line)
        if len(block) == _GAMES_PER_BLOCK:
            yield _as_games(block)
            block = []
    if block:
        yield _as_games(block)


_MainLine = tuple[np.void, "np.ndarray[tuple[int], np.dtype[np.uint16]]"]


class _Reader:
    """Replays games from their SAN."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn, self._list = warn, empty_move_list()

    def main_line(self, game: PgnGame) -> _MainLine | None:
        """The row and the moves of a game; None if it has no moves or cannot be set up."""
        try:
            position = parse_fen(game.headers.get("FEN", START_FEN))
        except InputError as error:
            self._warn(f"game {game.number}: {error}; skipped")
            return None
        row = pack_position(position)
        _, moves = replay_san(game.moves[:_LONGEST_GAME], position, self._list)
        if len(moves) < len(game.moves):
            self._warn(f"game {game.number}: {game.moves[len(moves)]} after ply {len(moves)} is not a legal move; "
                       "the game ends there")
        row["result"], row["plies"] = _RESULTS.get(game.result, 0), len(moves)
        return (row, moves.astype(np.uint16)) if len(moves) else None


def _as_games(lines: list[_MainLine]) -> Games:
    rows = np.array([row for row, _ in lines], GAME_ROW)
    starts = np.concatenate([[0], np.cumsum(rows["plies"], dtype=np.int64)])
    moves = np.concatenate([moves for _, moves in lines])
    return Games(rows, starts, moves, np.zeros(len(moves), np.int16))
