"""The games of a file, worked on by several workers at a time: the next games begin before the first is finished."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import chess.pgn

from engine.analysis.pgn_reader import Warn, read_games
from engine.analysis.review import SearchEffort
from engine.analysis.review_driver import Found, GameReview, ReviewDriver, Rounds
from engine.analysis.workers import run_task

_TASKS_AHEAD = 2  # for each worker


@dataclass
class PendingGame(Generic[Found]):
    """A game that is worked on."""

    number: int  # in the file, from 1
    game: chess.pgn.Game
    rounds: Rounds[Found]
    results: list[Future[Any]]  # of the current round's tasks

    def finish(self, executor: Executor) -> Found:
        """Wait for all rounds, and return what they have found."""
        while self.rounds.tasks:
            self.rounds.advance([result.result() for result in self.results])
            self.results = _submit(self.rounds, executor)
        return self.rounds.found


def _submit(rounds: Rounds[Any], executor: Executor) -> list[Future[Any]]:
    return [executor.submit(run_task, task) for task in rounds.tasks]


@dataclass(frozen=True)
class GameQueue(Generic[Found]):
    """The games of a file after the first `done`, and how to begin the work on one.

    `wanted` has the numbers of the games to work on, None for all.
    """

    path: Path
    done: int
    begin: Callable[[chess.pgn.Game], Rounds[Found]]
    warn: Warn
    wanted: Container[int] | None = None

    def pending(self, executor: Executor, width: int) -> Iterator[PendingGame[Found] | str]:
        """Yield the games in order, after submitting their first round to the `width` workers.

        An invalid game is replaced by an error message.
        """
        waiting: deque[PendingGame[Found] | str] = deque()
        tasks = 0
        for number, game in read_games(self.path, self.warn, self.wanted):
            if number <= self.done:
                continue
            if isinstance(game, str):
                waiting.append(game)
            else:
                rounds = self.begin(game)
                pending = PendingGame(number, game, rounds, _submit(rounds, executor))
                waiting.append(pending)
                tasks += len(pending.results)
            while max(tasks, len(waiting)) > _TASKS_AHEAD * width and len(waiting) > 1:
                first = waiting.popleft()
                tasks -= len(first.results) if isinstance(first, PendingGame) else 0
                yield first
        yield from waiting


def review_queue(path: Path, done: int, effort: SearchEffort, warn: Warn,
                 wanted: Container[int] | None = None) -> GameQueue[GameReview]:
    """The games of a file after the first `done`, to be reviewed."""
    return GameQueue(path, done, lambda game: ReviewDriver(game.board(), list(game.mainline_moves()), effort), warn,
                     wanted)
