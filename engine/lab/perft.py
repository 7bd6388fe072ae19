"""`perft DEPTH`: count positions. `perft --suite SUITE`: check a whole file of known counts."""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.cli.arguments import IntRange, add_fen, conflicts_with, positive, requires_option
from engine.cli.interruption import InterruptionError, is_interrupted
from engine.cli.output import add_json, pluralize, print_object
from engine.cli.progress import Show, map_with_progress, progress_bar
from engine.cli.tables import print_table
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.movegen import empty_move_list
from engine.core.perft import BULK, MAX_PERFT_DEPTH, perft
from engine.lab.perft_count import count_leaves
from engine.lab.suites.built_in import SuiteFile, add_list, is_chess960, suite_rows
from engine.system.errors import InputError
from engine.text.notation import parse_position

if TYPE_CHECKING:
    from engine.lab.suites.problems import PerftLine

_MISMATCH = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("depth", type=IntRange(0, MAX_PERFT_DEPTH), nargs="?",
                        help="depth in plies; with --suite, the largest depth to check")
    fen = add_fen(parser)
    divide = parser.add_argument("--divide", action="store_true", help="show the count below each root move, as UCI "
                                 "text, as other engines print it, for comparison")
    parser.add_argument("--chess960", action="store_true", help="Chess960 castling rights and notation")
    parser.add_argument("--suite", type=SuiteFile(is_perft=True), metavar="SUITE",
                        help="check the counts of a built-in suite, or lines 'FEN ;D1 20 ;D2 400' of a file")
    add_list(parser)
    for action in (fen, divide):
        conflicts_with(action, "--suite")
    requires_option(parser.add_argument("--max-nodes", type=positive, metavar="N", help="skip counts above N"),
                    "--suite")
    add_json(parser, "one object; with --divide also one per move, with --suite one per count")


def run(arguments: argparse.Namespace) -> int:
    """Count, print, and return the exit status."""
    if arguments.list:
        print_table(("suite", "contents", "source and licence"), suite_rows(is_perft=True),
                    left=("contents", "source and licence"))
        return 0
    if arguments.suite is not None:
        return _run_suite(arguments)
    if arguments.depth is None:
        raise InputError("perft needs a depth, or --suite NAME; --list shows the names")
    game = parse_position(arguments.fen or "startpos", arguments.chess960)
    return _run_position(game, arguments)


def _run_position(game: Game, arguments: argparse.Namespace) -> int:
    perft(game.position, empty_move_list(), 0, BULK)  # load the kernel first: only the counting is timed
    started = time.process_time()
    depth, is_divided = arguments.depth, arguments.divide and arguments.depth > 0
    nodes, is_whole = _divide(game, depth, arguments.json) if is_divided else _count(game, depth)
    seconds = time.process_time() - started
    if arguments.json:
        print_object({"type": "total", "fen": game.fen(), "depth": depth, "complete": is_whole,
                      **_cost(nodes, seconds)})
        return 0
    if is_divided and is_whole:
        print()
    print(f"Nodes searched: {nodes}" if is_whole else f"Nodes searched so far: {nodes}")
    print(_speed(nodes, seconds))
    return 0


def _divide(game: Game, depth: int, as_json: bool) -> tuple[int, bool]:
    """Print the count below each root move; return their sum, and whether all were counted."""
    nodes, moves = 0, game.legal_moves()
    with progress_bar(len(moves), counts=False) as show:
        for number, move in enumerate(moves):
            text, child = game.uci(move), game.copy()
            child.push_uci(text)
            try:
                leaves = count_leaves(child.position, depth - 1, report=partial(_show_move, show, text, number))
            except InterruptionError:
                return nodes, False
            if as_json:
                print_object({"type": "move", "move": text, "nodes": leaves})
            else:
                print(f"{text}: {leaves}", flush=True)
            nodes += leaves
    return nodes, True


def _show_move(show: Show, text: str, number: int, leaves: int, fraction: float) -> None:
    show(number + fraction, f"{text}, {leaves:,} nodes")


def _count(game: Game, depth: int) -> tuple[int, bool]:
    nodes = 0
    with progress_bar(1.0, counts=False) as show:
        def report(leaves: int, fraction: float) -> None:
            nonlocal nodes
            nodes = leaves
            show(fraction, f"{leaves:,} nodes")

        try:
            return count_leaves(game.position, depth, report=report), True
        except InterruptionError:
            return nodes, False


def _speed(nodes: int, seconds: float) -> str:
    return f"{seconds:.3f} s CPU, {nodes / max(seconds, 1e-6) / 1e6:.1f} Mnodes/s"


def _cost(nodes: int, seconds: float) -> dict[str, Any]:
    return {"nodes": nodes, "cpu_seconds": round(seconds, 6), "nodes_per_second": round(nodes / max(seconds, 1e-6))}


def _run_suite(arguments: argparse.Namespace) -> int:
    from engine.lab.suites.problems import read_perft_suite

    lines = read_perft_suite(arguments.suite)
    started = time.process_time()
    results = map_with_progress(lines, lambda line: _count_line(line, arguments),
                              lambda line: f"{arguments.suite.name}, line {line.number}")
    counts = [count for counts in results for count in counts]
    if not counts and not is_interrupted():
        raise InputError(f"suite {arguments.suite} has no count within the limits given")
    wrong, nodes = sum(not count.is_right for count in counts), sum(count.leaves for count in counts)
    seconds = time.process_time() - started
    if arguments.json:
        print_object({"type": "total", "positions": len(results), "counts": len(counts), "wrong": wrong,
                      **_cost(nodes, seconds)})
    else:
        print(f"{pluralize(len(results), 'position')}, {pluralize(len(counts), 'count')}, "
              f"{f'{wrong} WRONG' if wrong else 'all exact'}; {nodes} nodes, {_speed(nodes, seconds)}")
    return _MISMATCH if wrong else 0


class PerftCount(NamedTuple):
    """The known and the computed count of a position at a depth."""

    depth: int
    known: int
    leaves: int

    @property
    def is_right(self) -> bool:
        """Whether both counts are equal."""
        return self.leaves == self.known


def _count_line(line: PerftLine, arguments: argparse.Namespace) -> list[PerftCount]:
    """Count within the limits; print all counts as JSON, or only the wrong ones as text."""
    try:
        pos = parse_fen(line.fen, arguments.chess960 or is_chess960(arguments.suite))
    except InputError as error:
        raise InputError(f"suite {arguments.suite}, line {line.number}: {error}") from error
    deepest = MAX_PERFT_DEPTH if arguments.depth is None else arguments.depth
    counts = [PerftCount(depth, known, count_leaves(pos, depth)) for depth, known in line.counts
              if depth <= deepest and (arguments.max_nodes is None or known <= arguments.max_nodes)]
    for count in counts:
        if arguments.json:
            print_object({"type": "count", "line": line.number, "fen": line.fen, "depth": count.depth,
                          "known": count.known, "nodes": count.leaves, "correct": count.is_right})
        elif not count.is_right:
            print(f"line {line.number}: {line.fen}: depth {count.depth} must be {count.known}, got {count.leaves}")
    return counts
