"""`perft DEPTH`: count positions. `perft --suite FILE.epd`: check a whole file of known counts."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.commands._display import track
from engine.core.errors import InputError, quote
from engine.core.fen import START_FEN, parse_fen
from engine.core.notation import format_move
from engine.core.perft import DEEPEST, count_positions, divide
from engine.core.position import PositionRecord

_MISMATCH = 1
_KNOWN_COUNT = re.compile(r"D(\d+)\s+(\d+)")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("depth", type=int, nargs="?", help="plies to look ahead; with --suite, the deepest to check")
    parser.add_argument("--fen", default=START_FEN, help="the position to count from (default: the starting position)")
    parser.add_argument("--divide", action="store_true", help="show the count below each root move")
    parser.add_argument("--chess960", action="store_true", help="Chess960 castling rights and notation")
    parser.add_argument("--suite", type=Path, metavar="FILE.epd", help="check lines of the form 'FEN ;D1 20 ;D2 400'")
    parser.add_argument("--max-nodes", type=int, metavar="N", help="with --suite: skip counts above N")


def run(arguments: argparse.Namespace) -> int:
    """Count, print, and return the exit status."""
    if arguments.depth is not None and not 0 <= arguments.depth <= DEEPEST:
        raise InputError(f"depth must be from 0 to {DEEPEST}, not {arguments.depth}")
    if arguments.suite is not None:
        return _run_suite(arguments)
    if arguments.depth is None:
        raise InputError("perft needs a depth, or --suite FILE.epd")
    pos = parse_fen(arguments.fen, arguments.chess960)
    count_positions(pos, min(arguments.depth, 1))  # load the kernels, so that the time below is that of counting
    started = time.process_time()
    nodes = _print_divide(pos, arguments.depth) if arguments.divide else count_positions(pos, arguments.depth)
    print(f"Nodes searched: {nodes}")
    print(_speed(nodes, time.process_time() - started))
    return 0


def _print_divide(pos: PositionRecord, depth: int) -> int:
    total = 0
    for move, leaves in divide(pos, depth):
        print(f"{format_move(pos, move)}: {leaves}", flush=True)
        total += leaves
    print()
    return total if depth > 0 else 1


def _speed(nodes: int, seconds: float) -> str:
    return f"{seconds:.3f} s CPU, {nodes / max(seconds, 1e-9) / 1e6:.1f} Mnodes/s"


class SuiteLine(NamedTuple):
    """One position of a suite and what is known of it."""

    number: int
    fen: str
    counts: list[tuple[int, int]]  # (depth, leaves)


def read_suite(path: Path) -> list[SuiteLine]:
    """The positions and known counts of a suite file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read suite {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"suite {path} is not a text file: {error.reason} at byte {error.start}") from error
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        fen, _, known = line.partition(";")
        if fen.strip() and not fen.startswith("#"):
            counts = [(int(depth), int(leaves)) for depth, leaves in _KNOWN_COUNT.findall(known)]
            if not counts:
                raise InputError(f"suite {path}, line {number}: no counts of the form ';D1 20' in {quote(line)}")
            lines.append(SuiteLine(number, fen.strip(), counts))
    if not lines:
        raise InputError(f"suite {path} holds no positions")
    return lines


def _run_suite(arguments: argparse.Namespace) -> int:
    deepest = DEEPEST if arguments.depth is None else arguments.depth
    most_nodes = sys.maxsize if arguments.max_nodes is None else arguments.max_nodes
    lines = read_suite(arguments.suite)
    checked, nodes, failures = 0, 0, []
    started = time.process_time()
    for line in track(lines, lambda line: f"{arguments.suite.name}, line {line.number}"):
        wanted = [(depth, known) for depth, known in line.counts if depth <= deepest and known <= most_nodes]
        for depth, known, found in _count_line(line, wanted, arguments.chess960):
            checked += 1
            nodes += found
            if found != known:
                failures.append(f"line {line.number}: {line.fen}: depth {depth} has {known}, counted {found}")
    for failure in failures:
        print(failure)
    verdict = f"{len(failures)} WRONG" if failures else "all exact"
    print(f"{len(lines)} positions, {checked} counts, {verdict}; {nodes} nodes, "
          + _speed(nodes, time.process_time() - started))
    return _MISMATCH if failures else 0


def _count_line(line: SuiteLine, wanted: list[tuple[int, int]], chess960: bool) -> Iterator[tuple[int, int, int]]:
    try:
        pos = parse_fen(line.fen, chess960)
    except InputError as error:
        raise InputError(f"line {line.number}: {error}") from error
    for depth, known in wanted:
        yield depth, known, count_positions(pos, depth)
