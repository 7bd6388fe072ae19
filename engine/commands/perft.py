"""`perft DEPTH`: count positions. `perft --suite FILE.epd`: check a whole file of known counts."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from engine.chesstext import read_position
from engine.commands.shared.arguments import Whole, add_fen, positive
from engine.commands.shared.progress import track
from engine.commands.shared.suites import PerftLine, read_perft_suite
from engine.core.errors import InputError
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.movegen import empty_move_list
from engine.core.perft import COUNT_LAST_PLY, DEEPEST, divide, perft
from engine.host import run_interruptible

_MISMATCH = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("depth", type=Whole(0, DEEPEST), nargs="?",
                        help="plies to look ahead; with --suite, the deepest to check")
    add_fen(parser)
    parser.add_argument("--divide", action="store_true", help="show the count below each root move, as UCI text: "
                        "what other engines print, so that both can be compared")
    parser.add_argument("--chess960", action="store_true", help="Chess960 castling rights and notation")
    parser.add_argument("--suite", type=Path, metavar="FILE.epd", help="check lines of the form 'FEN ;D1 20 ;D2 400'")
    parser.add_argument("--max-nodes", type=positive, metavar="N", help="with --suite: skip counts above N")


def run(arguments: argparse.Namespace) -> int:
    """Count, print, and return the exit status."""
    if arguments.suite is not None:
        if arguments.fen is not None or arguments.divide:
            raise InputError("--fen and --divide do not go with --suite")
        return run_interruptible(lambda: _run_suite(arguments))
    if arguments.max_nodes is not None:
        raise InputError("--max-nodes goes with --suite only")
    if arguments.depth is None:
        raise InputError("perft needs a depth, or --suite FILE.epd")
    game = read_position(arguments.fen or "startpos", arguments.chess960)
    return run_interruptible(lambda: _run_position(game, arguments.depth, arguments.divide))


def _run_position(game: Game, depth: int, divided: bool) -> int:
    out = empty_move_list()
    perft(game.position, out, 0, COUNT_LAST_PLY)  # load the kernel, so that the time below is that of counting
    started = time.process_time()
    if divided and depth > 0:
        nodes = 0
        for text, leaves in divide(game, depth):
            print(f"{text}: {leaves}", flush=True)
            nodes += leaves
        print()
    else:
        nodes = perft(game.position, out, depth, COUNT_LAST_PLY)
    print(f"Nodes searched: {nodes}")
    print(_speed(nodes, time.process_time() - started))
    return 0


def _speed(nodes: int, seconds: float) -> str:
    return f"{seconds:.3f} s CPU, {nodes / max(seconds, 1e-6) / 1e6:.1f} Mnodes/s"


def _run_suite(arguments: argparse.Namespace) -> int:
    lines = read_perft_suite(arguments.suite)
    checked, nodes, failures = 0, 0, []
    started = time.process_time()
    for line in track(lines, lambda line: f"{arguments.suite.name}, line {line.number}"):
        for depth, known, found in _count_line(line, arguments):
            checked += 1
            nodes += found
            if found != known:
                failures.append(f"line {line.number}: {line.fen}: depth {depth} has {known}, counted {found}")
    for failure in failures:
        print(failure)
    if not checked:
        raise InputError(f"suite {arguments.suite} has no count within the limits given")
    verdict = f"{len(failures)} WRONG" if failures else "all exact"
    print(f"{len(lines)} positions, {checked} counts, {verdict}; {nodes} nodes, "
          + _speed(nodes, time.process_time() - started))
    return _MISMATCH if failures else 0


def _count_line(line: PerftLine, arguments: argparse.Namespace) -> list[tuple[int, int, int]]:
    """(depth, known, found) for each count of the line that the limits let through."""
    try:
        pos = parse_fen(line.fen, arguments.chess960)
    except InputError as error:
        raise InputError(f"suite {arguments.suite}, line {line.number}: {error}") from error
    deepest = DEEPEST if arguments.depth is None else arguments.depth
    out = empty_move_list()
    return [(depth, known, perft(pos, out, depth, COUNT_LAST_PLY)) for depth, known in line.counts
            if depth <= deepest and (arguments.max_nodes is None or known <= arguments.max_nodes)]
