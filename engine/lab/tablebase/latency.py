"""How long an answer takes with few pieces, compared with the time available."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.cli.progress import track
from engine.cli.tables import print_table
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from tablebase.random_positions import random_ending_board

CONTROLS = {
    "movetime 5": GoRequest(movetime=5), "movetime 10": GoRequest(movetime=10), "movetime 20": GoRequest(movetime=20),
    "0.2+0.01": GoRequest(times=(200, 200), increments=(10, 10)),
}
PIECE_COUNTS = (4, 5, 6, 8, 10)


@dataclass(frozen=True)
class Answer:
    """The time from a request to its answer, in milliseconds: wall clock, and CPU time of the answering thread."""

    wall: float
    cpu: float


def player_with(syzygy: Path | None) -> Player:
    """A loaded player; it uses only Syzygy tables if a folder is given."""
    settings = Settings()
    player = Player(settings)
    player.load()
    if syzygy is not None:
        settings.own_tables, settings.syzygy_path = False, str(syzygy)
        for name in ("OwnTables", "SyzygyPath"):
            player.apply(find_option(name))
    gc.freeze()  # as the engine does after loading
    return player


def measure_latencies(player: Player, request: GoRequest, fens: Sequence[str]) -> list[Answer]:
    """Measure how long the player takes for each position, with its tables loaded."""
    answers = []
    for fen in fens:
        player.set_position(fen, [])
        player.get_ready()
        cpu, received = time.thread_time(), time.perf_counter()
        player.go(request, received, SearchSignals(), lambda _: None)
        answers.append(Answer(1000 * (time.perf_counter() - received), 1000 * (time.thread_time() - cpu)))
    return answers


def random_fens(pieces: int, count: int, rng: random.Random) -> list[str]:
    """Random positions with this many pieces and a random fifty-move counter."""
    fens: list[str] = []
    while len(fens) < count:
        board = random_ending_board(pieces, rng)
        board.halfmove_clock = rng.randrange(100)
        if any(board.legal_moves):
            fens.append(board.fen())
    return fens


def print_latencies(syzygy: Path | None, positions: int, seed: int) -> None:
    """Print the median and the longest time of an answer for several time controls and piece counts."""
    rng, player = random.Random(seed), player_with(syzygy)  # noqa: S311  a sample is not secret
    # warm-up: some parts are loaded when first needed
    measure_latencies(player, GoRequest(movetime=10), random_fens(4, 1, rng))
    rows = []
    for name, pieces in track([(name, pieces) for name in CONTROLS for pieces in PIECE_COUNTS],
                           lambda job: f"{job[0]}, {job[1]} pieces"):
        times = measure_latencies(player, CONTROLS[name], random_fens(pieces, positions, rng))
        wall, cpu = (np.array([getattr(answer, field) for answer in times]) for field in ("wall", "cpu"))
        rows.append((name, str(pieces), *(f"{value:.1f}" for value in (
            np.median(wall), np.percentile(wall, 99), wall.max(), np.median(cpu), cpu.max()))))
    print_table(("control", "pieces", "ms median", "99 %", "longest", "CPU ms median", "longest"), rows)
