"""How long an answer takes near the end of a game, beside the time that it was given."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.commands.shared.progress import track
from engine.commands.shared.tables import print_table
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
    """The time from an order to its answer, in milliseconds: on the clock, and of the thread that answers."""

    wall: float
    cpu: float


def player_with(syzygy: Path | None) -> Player:
    """A player that is ready, by Syzygy tables alone if a folder is named."""
    settings = Settings()
    player = Player(settings)
    player.load()
    if syzygy is not None:
        for name, text in (("OwnTables", "false"), ("SyzygyPath", str(syzygy))):
            settings.set(find_option(name), text)
            player.apply(find_option(name))
    gc.freeze()  # as the engine does when it is loaded
    return player


def measure_latencies(player: Player, order: GoRequest, fens: Sequence[str]) -> list[Answer]:
    """How long the player takes for each position, with its tables read."""
    found = []
    for fen in fens:
        player.set_position(fen, [])
        player.get_ready()
        cpu, received = time.thread_time(), time.perf_counter()
        player.go(order, received, SearchSignals(), lambda _: None)
        found.append(Answer(1000 * (time.perf_counter() - received), 1000 * (time.thread_time() - cpu)))
    return found


def random_fens(men: int, count: int, chance: random.Random) -> list[str]:
    """Random positions with so many men, the fifty-move counter anywhere."""
    fens: list[str] = []
    while len(fens) < count:
        board = random_ending_board(men, chance)
        board.halfmove_clock = chance.randrange(100)
        if any(board.legal_moves):
            fens.append(board.fen())
    return fens


def print_answers(syzygy: Path | None, positions: int, seed: int) -> None:
    """Print the usual and the longest time of an answer, for several controls and numbers of men."""
    chance, player = random.Random(seed), player_with(syzygy)  # noqa: S311  a sample needs no secrecy
    # what is only loaded when it is needed
    measure_latencies(player, GoRequest(movetime=10), random_fens(4, 1, chance))
    rows = []
    for name, men in track([(name, men) for name in CONTROLS for men in PIECE_COUNTS],
                           lambda job: f"{job[0]}, {job[1]} men"):
        times = measure_latencies(player, CONTROLS[name], random_fens(men, positions, chance))
        wall, cpu = (np.array([getattr(answer, field) for answer in times]) for field in ("wall", "cpu"))
        rows.append((name, str(men), *(f"{value:.1f}" for value in (
            np.median(wall), np.percentile(wall, 99), wall.max(), np.median(cpu), cpu.max()))))
    print_table(("control", "men", "ms median", "99 %", "longest", "CPU ms median", "longest"), rows)
