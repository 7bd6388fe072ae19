"""Whether endgame tables are sound, and say what Syzygy's say, also near the fifty-move rule."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import chess.syzygy

from engine.commands.shared.progress import track
from engine.commands.tablebase.report import open_tables
from engine.core.draws import FIFTY_MOVES
from engine.core.game import Game
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
    """Read every block; compare random positions with Syzygy tables. Returns the exit status."""
    tables = open_tables(folders)
    for directory in tables.directories.values():
        for ending in track(directory.endings, lambda ending: ending.name):
            directory.load(ending, lambda text: print(f"error: {text}", file=sys.stderr))
    damaged = [directory for directory in tables.directories.values()
               if not all(directory.is_sound(ending) for ending in directory.endings)]
    print(", ".join(f"{len(directory.endings)} endings of {kind.value}"
                    for kind, directory in tables.directories.items())
          + ": " + ("damaged" if damaged else "all blocks are sound"))
    differences = 0 if syzygy is None else _compare(tables, syzygy, positions, seed)
    return _DIFFERENT if damaged or differences else 0


def _compare(tables: OwnTables, folder: Path, positions: int, seed: int) -> int:
    """How many of so many random positions have another result by the Syzygy tables of the folder."""
    chance = random.Random(seed)  # noqa: S311  a sample needs no secrecy
    with chess.syzygy.open_tablebase(str(folder)) as judge:
        known = [ending for ending in tables.outcomes.endings if (folder / f"{ending.name}.rtbw").exists()]
        if not known:
            raise InputError(f"--syzygy: no table of {folder} is one of ours")
        differences = _count(_outcomes(tables, judge, _boards(known, positions, chance)), len(known), "")
        with_distances = [ending for ending in known if (folder / f"{ending.name}.rtbz").exists()]
        if with_distances:
            boards = _boards(with_distances, positions, chance)
            differences += _count(_results(tables, judge, boards, chance), len(with_distances),
                                  ", with the fifty-move counter anywhere but where Syzygy rounds")
    return differences


def _boards(endings: Sequence[Ending], positions: int, chance: random.Random) -> Iterator[chess.Board]:
    for _ in track(range(positions), lambda number: f"position {number}"):
        yield random_board(chance.choice(endings), chance)


def _count(pairs: Iterator[tuple[chess.Board, int | None, int]], endings: int, how: str) -> int:
    """Print how many of the pairs, ours and Syzygy's, differ; returns that number."""
    compared = differences = 0
    for board, ours, theirs in pairs:
        compared += 1
        if ours != theirs:
            differences += 1
            if differences <= _SHOWN_DIFFERENCES:
                print(f"error: {board.fen()}: ours {ours}, Syzygy {theirs}", file=sys.stderr)
    print(f"{compared} random positions of {endings} endings{how}: {differences} differ from Syzygy")
    return differences


def _outcomes(tables: OwnTables, judge: chess.syzygy.Tablebase,
              boards: Iterator[chess.Board]) -> Iterator[tuple[chess.Board, int | None, int]]:
    """Who wins, 1, 0 or -1 for the side to move, by ours and by Syzygy's tables."""
    for board in boards:
        code, wdl = tables.code(Game(board.fen()).position), judge.get_wdl(board)
        if wdl is not None:  # else a capture leads to a table that is not there
            ours = None if code is None else 0 if code == 0 else 1 if is_won(code) else -1
            yield board, ours, _sign(wdl)


def _results(tables: OwnTables, judge: chess.syzygy.Tablebase, boards: Iterator[chess.Board],
             chance: random.Random) -> Iterator[tuple[chess.Board, int | None, int]]:
    """The same with a counter at random. Syzygy's distances may be a ply too short: at the limit they do not tell."""
    for board in boards:
        board.halfmove_clock = chance.randrange(_FULL)
        distance = judge.get_dtz(board)
        if distance is None or board.ep_square is not None or not any(board.legal_moves):
            continue
        plies = board.halfmove_clock + abs(distance)
        if plies != _FULL:
            fates = tables.ranked_moves(Game(board.fen()).position)
            ours = (fates[0].outcome_class in (MATES, WINS)) - (fates[0].outcome_class in (LOSES,
                                                                                           IS_MATED)) if fates else None
            yield board, ours, _sign(distance) if plies < _FULL else 0


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
