"""How long a probe takes, and what probing costs a search."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.game import Game
from engine.lab.tablebase.opening import open_tables
from engine.search.tb import no_tb
from engine.search.types import Limits
from engine.system.errors import InputError
from tablebase.indexing import PAIR_SQUARES
from tablebase.material import all_endings
from tablebase.probe import count_wins, has_castling_or_ep
from tablebase.random_positions import random_board
from tablebase.syzygy.tables import SyzygyTables
from tablebase.tables import OwnTables, TableDirectory

_COLD_PLACEMENTS, _HOT_PLACEMENTS = 1 << 21, 64
_COLD_ROUNDS, _HOT_ROUNDS = 4, 100_000
_SEARCH_NODES, _SEARCH_ROUNDS = 200_000, 5
_SYZYGY_POSITIONS, _SYZYGY_ROUNDS = 400, 500
_SMALL_ENDINGS = (
    "8/5p2/8/4k1p1/8/4K1P1/5P2/8 w - - 0 1",
    "8/8/3k4/3p1p2/8/3K4/3P1P2/8 w - - 0 1",
    "8/5k2/3r4/5p2/8/3R1K2/6P1/8 w - - 0 1",
    "8/2p5/3k4/1p1n4/8/2PK4/1P1N4/8 w - - 0 1",
    "4k3/1r3p2/8/6p1/8/6P1/1R3P2/4K3 w - - 0 1",
    "8/3k4/2b3p1/7p/7P/2B3P1/3K4/8 b - - 0 1",
    "8/1q3k2/6p1/8/8/6P1/1Q3K2/8 w - - 0 1",
    "8/2k5/p1b5/1p6/1P6/P1N5/2K5/8 b - - 0 1",
)


def print_speed(folders: Sequence[Path], syzygy: Path | None) -> None:
    """Print how long a WDL probe takes, for a few positions repeatedly (hot) and for many different ones (cold).

    Then print the nodes per second of a search with tables and without, and the time of Syzygy probes.
    """
    tables = open_tables(folders)
    tables.load_outcomes()
    for name, count, rounds in (("hot", _HOT_PLACEMENTS, _HOT_ROUNDS), ("cold", _COLD_PLACEMENTS, _COLD_ROUNDS)):
        placements = _placements(tables.outcomes, count)
        times = []
        for in_turn in (0, 1):
            count_wins(tables.outcomes.directory, placements, 1, in_turn)
            started = time.process_time()
            count_wins(tables.outcomes.directory, placements, rounds, in_turn)
            times.append((time.process_time() - started) / count / rounds * 1e9)
        print(f"{name}: {times[0]:.1f} ns per probe, {times[1]:.1f} if each waits for the last one; {count} positions")
    with_tables, without = _nodes_per_second(tables)
    print(f"search with six to eight pieces: {with_tables / 1e6:.3f} Mnps with tables, {without / 1e6:.3f} without: "
          f"{with_tables / without:.3f}")
    if syzygy is not None:
        _print_syzygy_speed(SyzygyTables([syzygy]))


def _nodes_per_second(tables: OwnTables) -> tuple[float, float]:
    """Nodes per CPU second of a search in endings, with tables and without; the best round of each position counts."""
    endings = no_tb()
    endings.own_address = tables.outcomes.address
    endings.own_max_pieces = endings.max_pieces = tables.max_pieces
    searcher = AlphaBetaSearch(megabytes=16)
    seconds = np.full((2, len(_SMALL_ENDINGS)), np.inf)
    nodes = np.zeros(seconds.shape)
    for _ in range(_SEARCH_ROUNDS):
        for index, fen in enumerate(_SMALL_ENDINGS):
            for which, record in enumerate((endings, no_tb())):
                searcher.clear()
                searcher.set_tb(record)
                started = time.process_time()
                nodes[which, index] = searcher.run(Game(fen).position, Limits(nodes=_SEARCH_NODES)).nodes
                seconds[which, index] = min(seconds[which, index], time.process_time() - started)
    with_tables, without = nodes.sum(axis=1) / seconds.sum(axis=1)
    return float(with_tables), float(without)


def _print_syzygy_speed(syzygy: SyzygyTables) -> None:
    rng = random.Random(1)  # noqa: S311  a sample is not secret
    endings = all_endings(4)
    positions = [Game(random_board(rng.choice(endings), rng).fen()).position for _ in range(_SYZYGY_POSITIONS)]
    known = [position for position in positions if syzygy.value(position) is not None
             and not has_castling_or_ep(position)]
    if not known:
        raise InputError("--syzygy: no tables with four pieces")
    started = time.process_time()
    for position in known:
        syzygy.value(position, _SYZYGY_ROUNDS)
    seconds = time.process_time() - started
    print(f"Syzygy: {seconds / len(known) / _SYZYGY_ROUNDS * 1e6:.2f} microseconds per probe, captures included, over "
          f"{len(known)} positions")


def _placements(directory: TableDirectory, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Random placements of endings with two pieces besides the kings, in the layout of `count_wins`."""
    rng = np.random.default_rng(1)
    endings = [ending for ending in directory.endings if len(ending.pieces) == 2]
    if not endings:
        raise InputError("--tables: no tables with four pieces")
    rows = np.zeros((count, 8), np.uint8)
    pairs = PAIR_SQUARES[1]
    rows[:, :2] = pairs[rng.integers(len(pairs), size=count)]
    rows[:, 2:4] = rng.integers(8, 56, size=(count, 2))
    rows[:, 4:6] = np.array([ending.pieces for ending in endings], np.uint8)[rng.integers(len(endings), size=count)]
    rows[:, 6] = rng.integers(2, size=count)
    return rows.reshape(-1)
