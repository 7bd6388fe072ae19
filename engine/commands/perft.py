"""`perft DEPTH`: count positions. `perft --suite FILE.epd`: check a whole file of known counts."""

from __future__ import annotations

import argparse
import time
from functools import partial

from engine.chesstext import read_position
from engine.commands.shared.arguments import Whole, add_fen, in_file, never_with, only_with, positive
from engine.commands.shared.interruption import InterruptionError, is_interrupted
from engine.commands.shared.leaves import count_leaves
from engine.commands.shared.progress import Show, each, progress_bar
from engine.commands.shared.suites import PerftLine, read_perft_suite
from engine.commands.shared.wording import amount
from engine.core.errors import InputError
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.movegen import empty_move_list
from engine.core.perft import COUNT_LAST_PLY, DEEPEST, perft

_MISMATCH = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("depth", type=Whole(0, DEEPEST), nargs="?",
                        help="plies to look ahead; with --suite, the deepest to check")
    fen = add_fen(parser)
    divide = parser.add_argument("--divide", action="store_true", help="show the count below each root move, as UCI "
                                 "text: what other engines print, so that both can be compared")
    parser.add_argument("--chess960", action="store_true", help="Chess960 castling rights and notation")
    parser.add_argument("--suite", type=in_file, metavar="FILE.epd", help="check lines 'FEN ;D1 20 ;D2 400'")
    for action in (fen, divide):
        never_with(action, "--suite")
    only_with(parser.add_argument("--max-nodes", type=positive, metavar="N", help="skip counts above N"), "--suite")


def run(arguments: argparse.Namespace) -> int:
    """Count, print, and return the exit status."""
    if arguments.suite is not None:
        return _run_suite(arguments)
    if arguments.depth is None:
        raise InputError("perft needs a depth, or --suite FILE.epd")
    game = read_position(arguments.fen or "startpos", arguments.chess960)
    return _run_position(game, arguments.depth, arguments.divide)


def _run_position(game: Game, depth: int, divided: bool) -> int:
    perft(game.position, empty_move_list(), 0, COUNT_LAST_PLY)  # so that the time below is that of counting
    started = time.process_time()
    nodes, is_whole = _divide(game, depth) if divided and depth > 0 else _count(game, depth)
    print(f"Nodes searched: {nodes}" if is_whole else f"Nodes searched so far: {nodes}")
    print(_speed(nodes, time.process_time() - started))
    return 0


def _divide(game: Game, depth: int) -> tuple[int, bool]:
    """Print the count below each root move; returns their sum, and whether all were counted."""
    nodes, moves = 0, game.legal_moves()
    with progress_bar(len(moves), counts=False) as show:
        for number, move in enumerate(moves):
            text, child = game.text(move), game.copy()
            child.play(text)
            try:
                leaves = count_leaves(child.position, depth - 1, tell=partial(_tell_move, show, text, number))
            except InterruptionError:
                return nodes, False
            print(f"{text}: {leaves}", flush=True)
            nodes += leaves
    print()
    return nodes, True


def _tell_move(show: Show, text: str, number: int, leaves: int, share: float) -> None:
    show(number + share, f"{text}, {leaves:,} nodes")


def _count(game: Game, depth: int) -> tuple[int, bool]:
    nodes = 0
    with progress_bar(1.0, counts=False) as show:
        def tell(leaves: int, share: float) -> None:
            nonlocal nodes
            nodes = leaves
            show(share, f"{leaves:,} nodes")

        try:
            return count_leaves(game.position, depth, tell=tell), True
        except InterruptionError:
            return nodes, False


def _speed(nodes: int, seconds: float) -> str:
    return f"{seconds:.3f} s CPU, {nodes / max(seconds, 1e-6) / 1e6:.1f} Mnodes/s"


def _run_suite(arguments: argparse.Namespace) -> int:
    lines = read_perft_suite(arguments.suite)
    started = time.process_time()
    found = each(lines, lambda line: _count_line(line, arguments),
                 lambda line: f"{arguments.suite.name}, line {line.number}")
    counts = [(line, *count) for line, counts in zip(lines, found, strict=False) for count in counts]
    failures = [f"line {line.number}: {line.fen}: depth {depth} has {known}, counted {leaves}"
                for line, depth, known, leaves in counts if leaves != known]
    for failure in failures:
        print(failure)
    if not counts and not is_interrupted():
        raise InputError(f"suite {arguments.suite} has no count within the limits given")
    verdict = f"{len(failures)} WRONG" if failures else "all exact"
    nodes = sum(leaves for *_, leaves in counts)
    print(f"{amount(len(found), 'position')}, {amount(len(counts), 'count')}, {verdict}; {nodes} nodes, "
          + _speed(nodes, time.process_time() - started))
    return _MISMATCH if failures else 0


def _count_line(line: PerftLine, arguments: argparse.Namespace) -> list[tuple[int, int, int]]:
    """(depth, known, found) for each count of the line that the limits let through."""
    try:
        pos = parse_fen(line.fen, arguments.chess960)
    except InputError as error:
        raise InputError(f"suite {arguments.suite}, line {line.number}: {error}") from error
    deepest = DEEPEST if arguments.depth is None else arguments.depth
    return [(depth, known, count_leaves(pos, depth)) for depth, known in line.counts
            if depth <= deepest and (arguments.max_nodes is None or known <= arguments.max_nodes)]
