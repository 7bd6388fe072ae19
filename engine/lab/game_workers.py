"""The games of a file, worked on by the threads of this machine or of a cluster, with a progress bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager

from engine.analysis.game_queue import GameQueue, PendingGame
from engine.analysis.review_driver import Found
from engine.analysis.workers import cancel_all, resume
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import print_warning
from engine.cli.progress import Show, progress_bar
from engine.lab.arena.cluster import cluster
from engine.lab.arena.executors import threads
from engine.system.host import usable_cores

FinishedGames = Iterator[tuple[PendingGame[Found], Found] | None]


@contextmanager
def finished_games(queue: GameQueue[Found], done: int, total: int, *, address: str | None,
                   concurrency: int | None) -> Iterator[FinishedGames[Found]]:
    """The games in order, each with what was found, and None for one that was skipped with a warning.

    `done` of the `total` games were finished before. `address` is that of a cluster. Searches that still run are
    cancelled in the end.
    """
    resume()
    workers: AbstractContextManager[tuple[Executor, int]] = (
        cluster(address) if address is not None else threads(concurrency or usable_cores()))
    with workers as (executor, width), progress_bar(total) as show, stop_on_interrupt(cancel_all):
        try:
            yield _finish_games(queue.pending(executor, width), executor, done, show)
        finally:
            cancel_all()


def _finish_games(games: Iterable[PendingGame[Found] | str], executor: Executor, done: int,
              show: Show) -> FinishedGames[Found]:
    for number, pending in enumerate(games, done + 1):
        if isinstance(pending, str):
            print_warning(f"skipped {pending}")
            yield None
        else:
            yield pending, pending.finish(executor)
            show(number, "games")  # it is written by now
