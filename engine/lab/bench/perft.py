"""`bench perft`: the speed of the move generator, also compared with another engine."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.cli.output import print_object
from engine.cli.progress import map_with_progress
from engine.cli.tables import print_table
from engine.core.fen import parse_fen
from engine.core.movegen import empty_move_list
from engine.core.perft import BULK, NO_BULK, PERFT_POSITIONS, KnownPerft, perft
from engine.kernel import Int
from engine.lab.bench.reference_engine import ReferenceEngine, open_reference_engine
from engine.lab.perft_count import count_leaves

_FAILED = 1
_SHORTEST_TIME = 1e-3  # seconds: the resolution of the measurement


class WrongCountError(Exception):
    """An engine returned a wrong perft count, so that its speed means nothing."""


@dataclass
class PerftSpeed:
    """The best speeds for one position, in million leaves per CPU second."""

    position: KnownPerft
    bulk: float = 0.0
    no_bulk: float = 0.0
    reference: float = 0.0


def print_perft(runs: int, against: str | None, as_json: bool) -> int:
    """Measure every known position, print a table, and return the exit status."""
    with contextlib.ExitStack() as stack:
        reference = open_reference_engine(stack, against)
        try:
            speeds = map_with_progress(PERFT_POSITIONS, lambda position: _measure_position(position, runs, reference),
                                       lambda known: known.name)
        except WrongCountError as error:
            print(f"error: {error}", file=sys.stderr)
            return _FAILED
        if speeds and as_json:
            _print_objects(speeds, reference)
        elif speeds:
            _print_speeds(speeds, runs, reference)
    return 0


def _print_objects(speeds: Sequence[PerftSpeed], reference: ReferenceEngine | None) -> None:
    """Print one object per position, and the geometric means, in million leaves per CPU second."""
    for speed in speeds:
        counts = speed.position.counts
        print_object({"type": "position", "name": speed.position.name, "fen": speed.position.fen, "depth": len(counts),
                      "leaves": counts[-1], **_figures(speed.bulk, speed.no_bulk,
                                                       speed.reference if reference else None)})
    bulk, no_bulk = _mean([speed.bulk for speed in speeds]), _mean([speed.no_bulk for speed in speeds])
    theirs = _mean([speed.reference for speed in speeds]) if reference else None
    print_object({"type": "total", "reference_name": reference.name if reference else None,
                  **_figures(bulk, no_bulk, theirs)})


def _figures(bulk: float, no_bulk: float, reference: float | None) -> dict[str, float | None]:
    return {"bulk": round(bulk, 3), "no_bulk": round(no_bulk, 3),
            "reference": None if reference is None else round(reference, 3),
            "ratio": None if reference is None else round(bulk / reference, 3)}


def _print_speeds(speeds: Sequence[PerftSpeed], runs: int, reference: ReferenceEngine | None) -> None:
    headings = ("position", "depth", "leaves", "bulk", "no bulk", *((reference.name, "ratio") if reference else ()))
    rows = []
    for speed in speeds:
        counts = speed.position.counts
        compared = (f"{speed.reference:.1f}", f"{speed.bulk / speed.reference:.2f}") if reference else ()
        rows.append((speed.position.name, str(len(counts)), f"{counts[-1]:,}", f"{speed.bulk:.1f}",
                     f"{speed.no_bulk:.1f}", *compared))
    print_table(headings, rows, title=f"perft, Mnodes per CPU second, best of {runs}")
    bulk, no_bulk = _mean([speed.bulk for speed in speeds]), _mean([speed.no_bulk for speed in speeds])
    print("bulk: the last ply is counted without making its moves; no bulk: every move is made, one ply less deep")
    print(f"geometric means: bulk {bulk:.1f}, no bulk {no_bulk:.1f} Mnodes/s, {no_bulk / bulk:.2f} of it")
    if reference:
        theirs = _mean([speed.reference for speed in speeds])
        print(f"{reference.name}: {theirs:.1f} Mnodes/s; ratio {bulk / theirs:.2f}")


def _measure_position(position: KnownPerft, runs: int, reference: ReferenceEngine | None) -> PerftSpeed:
    """Alternate the runs of both engines, so that a change of the machine's speed affects both."""
    depth = len(position.counts)
    speed = PerftSpeed(position)
    perft(parse_fen(position.fen), empty_move_list(), 1, BULK)  # loads the kernel before the clock starts
    for _ in range(runs):
        speed.bulk = max(speed.bulk, _speed(position, depth, BULK))
        speed.no_bulk = max(speed.no_bulk, _speed(position, depth - 1, NO_BULK))
        if reference:
            leaves, seconds = reference.perft(position.fen, depth)
            _check(position, depth, leaves, reference.name)
            speed.reference = max(speed.reference, leaves / seconds / 1e6)
    return speed


def _speed(position: KnownPerft, depth: int, bulk_plies: Int) -> float:
    pos, started = parse_fen(position.fen), time.process_time()
    leaves = count_leaves(pos, depth, bulk_plies)
    seconds = max(time.process_time() - started, _SHORTEST_TIME)
    _check(position, depth, leaves, "Adversary")
    return leaves / seconds / 1e6


def _check(position: KnownPerft, depth: int, leaves: int, counter: str) -> None:
    known = position.counts[depth - 1]
    if leaves != known:
        raise WrongCountError(f"{counter}: perft {depth} of {position.name} must be {known}, got {leaves}")


def _mean(values: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))
