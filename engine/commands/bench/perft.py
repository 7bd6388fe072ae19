"""`bench perft`: the speed of the move generator, beside another engine's."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.bench.rival import ReferenceEngine, open_reference_engine
from engine.commands.shared.output import print_object
from engine.commands.shared.perft_count import count_leaves
from engine.commands.shared.progress import map_with_progress
from engine.commands.shared.tables import print_table
from engine.core.fen import parse_fen
from engine.core.movegen import empty_move_list
from engine.core.perft import BULK, NO_BULK, PERFT_POSITIONS, KnownPerft, perft
from engine.kernel import Int

_FAILED = 1
_SHORTEST_TIME = 1e-3  # seconds; nothing is measured finer


class WrongCountError(Exception):
    """An engine counted leaves that are not there: it must not be measured, but mended."""


@dataclass
class PerftSpeed:
    """The best speeds seen for one position, in million leaves a CPU second."""

    position: KnownPerft
    counted: float = 0.0
    made: float = 0.0
    rival: float = 0.0


def print_perft(runs: int, against: str | None, as_json: bool) -> int:
    """Measure every known position, print a table, and return the exit status."""
    with contextlib.ExitStack() as stack:
        rival = open_reference_engine(stack, against)
        try:
            speeds = map_with_progress(PERFT_POSITIONS, lambda position: _measure_position(position, runs, rival),
                                       lambda known: known.name)
        except WrongCountError as error:
            print(f"error: {error}", file=sys.stderr)
            return _FAILED
        if speeds and as_json:
            _print_objects(speeds, rival)
        elif speeds:
            _print_speeds(speeds, runs, rival)
    return 0


def _print_objects(speeds: Sequence[PerftSpeed], rival: ReferenceEngine | None) -> None:
    """In million leaves a CPU second, and the geometric means of all."""
    for speed in speeds:
        counts = speed.position.counts
        print_object({"kind": "position", "name": speed.position.name, "fen": speed.position.fen, "depth": len(counts),
                      "leaves": counts[-1], **_figures(speed.counted, speed.made, speed.rival if rival else None)})
    counted, made = _mean([speed.counted for speed in speeds]), _mean([speed.made for speed in speeds])
    theirs = _mean([speed.rival for speed in speeds]) if rival else None
    print_object({"kind": "total", "rival_name": rival.name if rival else None, **_figures(counted, made, theirs)})


def _figures(counted: float, made: float, rival: float | None) -> dict[str, float | None]:
    return {"counted": round(counted, 3), "made": round(made, 3), "rival": None if rival is None else round(rival, 3),
            "ratio": None if rival is None else round(counted / rival, 3)}


def _print_speeds(speeds: Sequence[PerftSpeed], runs: int, rival: ReferenceEngine | None) -> None:
    headings = ("position", "depth", "leaves", "counted", "made", *((rival.name, "ratio") if rival else ()))
    rows = []
    for speed in speeds:
        counts = speed.position.counts
        compared = (f"{speed.rival:.1f}", f"{speed.counted / speed.rival:.2f}") if rival else ()
        rows.append((speed.position.name, str(len(counts)), f"{counts[-1]:,}", f"{speed.counted:.1f}",
                     f"{speed.made:.1f}", *compared))
    print_table(headings, rows, title=f"perft, Mnodes per CPU second, best of {runs}")
    counted, made = _mean([speed.counted for speed in speeds]), _mean([speed.made for speed in speeds])
    print("counted: the last ply is counted, not made; made: every move made and taken back, one ply less deep")
    print(f"geometric means: counted {counted:.1f}, made {made:.1f} Mnodes/s; made / counted {made / counted:.2f}")
    if rival:
        theirs = _mean([speed.rival for speed in speeds])
        print(f"{rival.name}: {theirs:.1f} Mnodes/s; ratio {counted / theirs:.2f}")


def _measure_position(position: KnownPerft, runs: int, rival: ReferenceEngine | None) -> PerftSpeed:
    """Alternate the runs of both engines, so that a change of the machine's speed meets both."""
    depth = len(position.counts)
    speed = PerftSpeed(position)
    perft(parse_fen(position.fen), empty_move_list(), 1, BULK)  # load it before the clock starts
    for _ in range(runs):
        speed.counted = max(speed.counted, _speed(position, depth, BULK))
        speed.made = max(speed.made, _speed(position, depth - 1, NO_BULK))
        if rival:
            leaves, seconds = rival.perft(position.fen, depth)
            _check(position, depth, leaves, rival.name)
            speed.rival = max(speed.rival, leaves / seconds / 1e6)
    return speed


def _speed(position: KnownPerft, depth: int, counted_plies: Int) -> float:
    pos, started = parse_fen(position.fen), time.process_time()
    leaves = count_leaves(pos, depth, counted_plies)
    seconds = max(time.process_time() - started, _SHORTEST_TIME)
    _check(position, depth, leaves, "Adversary")
    return leaves / seconds / 1e6


def _check(position: KnownPerft, depth: int, leaves: int, counter: str) -> None:
    known = position.counts[depth - 1]
    if leaves != known:
        raise WrongCountError(f"{counter} counts {leaves} leaves in {position.name} at depth {depth}, not {known}")


def _mean(values: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))
