"""Output of `tablebase`: probes, statistics and speed."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.output import pluralize, print_object, print_warning
from engine.cli.tables import print_table
from engine.core.game import Game
from engine.search.tb import no_tb
from engine.search.types import Limits
from engine.system.errors import InputError
from engine.text.notation import san
from tablebase.files import TableKind
from tablebase.indexing import PAIR_SQUARES
from tablebase.material import all_endings, ending_of, pieces_besides_kings
from tablebase.probe import count_wins, has_castling_or_ep
from tablebase.random_positions import random_board
from tablebase.root_ranking import (
    BLESSED_LOSS,
    CURSED_WIN,
    DRAWS,
    IS_MATED,
    LOSES,
    MATES,
    MAY_LOSE,
    MAY_WIN,
    WINS,
    RankedMove,
)
from tablebase.syzygy.tables import SyzygyTables
from tablebase.tables import OwnTables, TableDirectory

_RESULTS = {
    int(grade): words for grade, words in (
        (MATES, "wins"), (WINS, "wins, but the mate may take longer than the table says: the fifty-move rule is near"),
        (MAY_WIN, "wins unless the fifty-move rule comes first"),
        (CURSED_WIN, "draws: the fifty-move rule or a repetition comes before the win"), (DRAWS, "draws"),
        (BLESSED_LOSS, "draws: the fifty-move rule or a repetition comes before the loss"),
        (MAY_LOSE, "loses unless the fifty-move rule comes first"),
        (LOSES, "loses, but the mate may take longer than the table says: the fifty-move rule is near"),
        (IS_MATED, "loses"))}
# For programs: the result, and whether the fifty-move rule cannot change it any more.
_SHORT_RESULTS = {
    int(grade): (result, is_certain) for grade, result, is_certain in (
        (MATES, "win", True), (WINS, "win", True), (MAY_WIN, "win", False), (CURSED_WIN, "draw", True),
        (DRAWS, "draw", True), (BLESSED_LOSS, "draw", True), (MAY_LOSE, "loss", False), (LOSES, "loss", True),
        (IS_MATED, "loss", True))}
_COLD_PLACEMENTS, _HOT_PLACEMENTS = 1 << 21, 64
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


def open_tables(folders: Sequence[Path]) -> OwnTables:
    """Open the tables of the folders, with a warning for each broken file; InputError if there are none."""
    tables = OwnTables(folders)
    for warning in tables.take_warnings():
        print_warning(warning)
    if not tables.max_pieces:
        raise InputError(f"no tables in {', '.join(str(folder) for folder in folders)}")
    return tables


def print_verdicts(game: Game, folders: Sequence[Path], as_json: bool) -> None:
    """Print who wins, and the result of each legal move, best first."""
    tables = open_tables(folders)
    reason = tables.reason_not_covered(game.position)
    if reason is not None:
        raise InputError(f"no table for {game.fen()}: {reason}")
    tables.load_for(game.position, *TableKind)
    code, ranked_moves = tables.code(game.position), tables.ranked_moves(game.position)
    for warning in tables.take_warnings():
        print_warning(warning)
    if code is None or ranked_moves is None:
        ending = ending_of(pieces_besides_kings(game.position))[0].name
        raise InputError(f"no table for {game.fen()}: {ending} is missing or damaged")
    side = "black" if game.position.side else "white"
    if as_json:
        print_object({"fen": game.fen(), "turn": side, **_outcome(code, ranked_moves[0] if ranked_moves else None),
                      "moves": [{"move": san(game, ranked.move), "uci": game.uci(ranked.move), **_outcome(0, ranked)}
                                for ranked in ranked_moves]})
        return
    print(f"{game.fen()}\n{side} to move {_in_words(code, ranked_moves[0] if ranked_moves else None)}")
    if not ranked_moves:
        return
    rows = [(san(game, ranked_move.move), _RESULTS[ranked_move.outcome_class], str(ranked_move.code)
             if ranked_move.outcome_class in (MATES, IS_MATED) else "")
            for ranked_move in ranked_moves]
    print_table(("move", f"for {side}", "plies to mate"), rows, left=(f"for {side}",))


def _outcome(code: int, ranked_move: RankedMove | None) -> dict[str, Any]:
    """The result of a move for the side that makes it; without a move, the result by the position's code."""
    if ranked_move is None:
        return {"result": "loss" if code == 1 else "draw", "certain": True, "plies": 0 if code == 1 else None}
    result, is_certain = _SHORT_RESULTS[ranked_move.outcome_class]
    is_mate = ranked_move.outcome_class in (MATES, IS_MATED)
    return {"result": result, "certain": is_certain, "plies": int(ranked_move.code) if is_mate else None}


def _in_words(code: int, best: RankedMove | None) -> str:
    """The result of a position in words, by its code and its best move under the fifty-move rule."""
    if best is None:
        return "is mated" if code == 1 else "draws: stalemate"
    if best.outcome_class in (MATES, IS_MATED):
        plies = best.code  # counted before the move
        mate = f"{pluralize((plies + 1) // 2, 'move')}, {pluralize(plies, 'ply', 'plies')}"
        return f"{_RESULTS[best.outcome_class]}: mate in {mate}"
    return _RESULTS[best.outcome_class]


def _print_stats_objects(tables: OwnTables) -> None:
    for ending in tables.outcomes.endings:
        for side, summary in enumerate(tables.outcomes.entry(ending).summary):
            is_win = summary.longest_win >= summary.longest_loss
            print_object({"ending": ending.name, "turn": ("white", "black")[side], "positions": summary.positions,
                          "wins": summary.wins, "draws": summary.draws, "losses": summary.losses,
                          "longest": summary.longest if summary.longest >= 0 else None,
                          "example": (summary.win_example if is_win else summary.loss_example) or None})


def print_stats(folders: Sequence[Path], as_json: bool) -> None:
    """Print the statistics of every table."""
    tables = open_tables(folders)
    if as_json:
        _print_stats_objects(tables)
        return
    rows = []
    positions, seconds = 0, 0.0
    for ending in tables.outcomes.endings:
        entry = tables.outcomes.entry(ending)
        seconds += entry.seconds
        for side, summary in enumerate(entry.summary):
            positions += summary.positions
            is_win = summary.longest_win >= summary.longest_loss
            example = summary.win_example if is_win else summary.loss_example
            longest = pluralize(summary.longest, "ply", "plies") if summary.longest >= 0 else ""
            rows.append((ending.name if side == 0 else "", ("white", "black")[side], f"{summary.positions:,}",
                         f"{summary.wins:,}", f"{summary.draws:,}", f"{summary.losses:,}", longest, example or "",
                         f"{entry.seconds:.1f}" if side == 0 else ""))
    print_table(("ending", "to move", "positions", "wins", "draws", "losses", "longest", "an example", "CPU s"), rows,
                left=("to move", "an example"))
    print(f"{len(tables.outcomes.endings)} endings, {positions:,} positions, {seconds:.0f} s CPU to generate")


def print_speed(folders: Sequence[Path], syzygy: Path | None) -> None:
    """Print how long a WDL probe takes, for a few positions repeatedly (hot) and for many different ones (cold).

    Then print the nodes per second of a search with tables and without, and the time of Syzygy probes.
    """
    tables = open_tables(folders)
    tables.load_outcomes()
    for name, count, rounds in (("hot", _HOT_PLACEMENTS, 100_000), ("cold", _COLD_PLACEMENTS, 4)):
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
