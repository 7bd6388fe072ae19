"""Check that endgame tables are sound and agree with Syzygy's, also near the fifty-move rule."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import chess.syzygy

from engine.cli.progress import track
from engine.core.draws import FIFTY_MOVES
from engine.core.game import Game
from engine.lab.tablebase.opening import open_tables
from engine.system.errors import InputError
from tablebase.codes import is_won
from tablebase.material import Ending
from tablebase.random_positions import random_board
from tablebase.root_ranking import IS_MATED, LOSES, MATES, WINS
from tablebase.tables import OwnTables

_DIFFERENT = 1
_SHOWN_DIFFERENCES = 10
_FULL = int(FIFTY_MOVES)


def verify(folders: Sequence[Path], syzygy: Path | None, positions: int, seed: int) -> int:
    """Read every block, and compare random positions with Syzygy tables. Return the exit status."""
    tables = open_tables(folders)
    for directory in tables.directories.values():
        for ending in track(directory.endings, lambda ending: ending.name):
            directory.load(ending, lambda text: print(f"error: {text}", file=sys.stderr))
    damaged = [directory for directory in tables.directories.values()
               if not all(directory.is_sound(ending) for ending in directory.endings)]
    counts = (f"{len(directory.endings)} {table_kind.name} tables"
              for table_kind, directory in tables.directories.items())
    print(", ".join(counts) + ": " + ("damaged" if damaged else "all blocks are sound"))
    differences = 0 if syzygy is None else _compare(tables, syzygy, positions, seed)
    return _DIFFERENT if damaged or differences else 0


def _compare(tables: OwnTables, folder: Path, positions: int, seed: int) -> int:
    """Compare random positions with the Syzygy tables of `folder`; return the number of differences."""
    rng = random.Random(seed)  # noqa: S311  a sample is not secret
    with chess.syzygy.open_tablebase(str(folder)) as syzygy_tables:
        known = [ending for ending in tables.outcomes.endings if (folder / f"{ending.name}.rtbw").exists()]
        if not known:
            raise InputError(f"--syzygy: {folder} has none of our endings")
        differences = _count(_outcomes(tables, syzygy_tables, _boards(known, positions, rng)), len(known), "")
        with_dtz = [ending for ending in known if (folder / f"{ending.name}.rtbz").exists()]
        if with_dtz:
            boards = _boards(with_dtz, positions, rng)
            differences += _count(_results(tables, syzygy_tables, boards, rng), len(with_dtz),
                                  ", with the fifty-move counter anywhere but where Syzygy rounds")
    return differences


def _boards(endings: Sequence[Ending], positions: int, rng: random.Random) -> Iterator[chess.Board]:
    for _ in track(range(positions), lambda number: f"position {number}"):
        yield random_board(rng.choice(endings), rng)


def _count(pairs: Iterator[tuple[chess.Board, int | None, int]], endings: int, how: str) -> int:
    """Print and return how many of the pairs, ours and Syzygy's, differ."""
    compared = differences = 0
    for board, ours, theirs in pairs:
        compared += 1
        if ours != theirs:
            differences += 1
            if differences <= _SHOWN_DIFFERENCES:
                print(f"error: {board.fen()}: ours {ours}, Syzygy {theirs}", file=sys.stderr)
    print(f"{compared} random positions of {endings} endings{how}: {differences} differ from Syzygy")
    return differences


def _outcomes(tables: OwnTables, syzygy_tables: chess.syzygy.Tablebase,
              boards: Iterator[chess.Board]) -> Iterator[tuple[chess.Board, int | None, int]]:
    """The WDL of each board, 1, 0 or -1 for the side to move, by our tables and by Syzygy's."""
    for board in boards:
        code, wdl = tables.code(Game(board.fen()).position), syzygy_tables.get_wdl(board)
        if wdl is not None:  # otherwise a capture leads to a missing table
            ours = None if code is None else 0 if code == 0 else 1 if is_won(code) else -1
            yield board, ours, _sign(wdl)


def _results(tables: OwnTables, syzygy_tables: chess.syzygy.Tablebase, boards: Iterator[chess.Board],
             rng: random.Random) -> Iterator[tuple[chess.Board, int | None, int]]:
    """The results with a random fifty-move counter, except at the limit, where Syzygy's rounded DTZ cannot decide."""
    for board in boards:
        board.halfmove_clock = rng.randrange(_FULL)
        distance = syzygy_tables.get_dtz(board)
        if distance is None or board.ep_square is not None or not any(board.legal_moves):
            continue
        plies = board.halfmove_clock + abs(distance)
        if plies != _FULL:
            ranked_moves = tables.ranked_moves(Game(board.fen()).position)
            best = ranked_moves[0].outcome_class if ranked_moves else None
            ours = None if best is None else (best in (MATES, WINS)) - (best in (LOSES, IS_MATED))
            yield board, ours, _sign(distance) if plies < _FULL else 0


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
