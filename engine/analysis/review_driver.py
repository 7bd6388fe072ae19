"""The driver of a review: what to search, round by round, and all searches in the end.

The command, the page and the Python interface run the same rounds, each with engines of its own: tasks of a round are
pure functions, so that they may run anywhere, in any order and at the same time, and all three give the same marks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import chess

from engine.analysis.lookup import theory_plies
from engine.analysis.neighbours import contradicting_slices, with_corrections
from engine.analysis.review import Analyser, PositionEval, SearchEffort, never, slices_of
from engine.analysis.verification import VerifiedMove, candidates_of, second_looks

Found = TypeVar("Found")


class ReviewTask(Protocol):
    """A part of a round, which can be sent to another process."""

    @property
    def positions(self) -> int:
        """The number of positions or moves that it is about, for the progress."""

    def run(self, engine: Analyser, is_cancelled: Callable[[], bool] = never) -> Any:
        """Search; ReviewCancelledError as soon as `is_cancelled` returns true."""


@dataclass(frozen=True)
class GameReview:
    """All searches of a game: of each position, and of the moves that were verified, by ply."""

    evals: Sequence[PositionEval]
    verified: Mapping[int, VerifiedMove]

    @property
    def nodes(self) -> int:
        """The nodes of all searches."""
        return (sum(found.nodes for found in self.evals) + sum(found.nodes for found in self.verified.values()))


class Rounds(Generic[Found]):
    """Work on a game in rounds: run the `tasks` of each, and `advance` with their results."""

    def __init__(self, rounds: Generator[Sequence[ReviewTask], Sequence[Any], Found]) -> None:
        """`rounds` yields the tasks of each round for their results, and returns what all of them have found."""
        self._rounds = rounds
        self.tasks: Sequence[ReviewTask] = next(rounds)  # of the current round; none when all are done
        self._found: list[Found] = []

    def advance(self, results: Sequence[Any]) -> None:
        """End the current round; `results` are those of its tasks, in the same order."""
        try:
            self.tasks = self._rounds.send(results)
        except StopIteration as end:
            self.tasks = ()
            self._found.append(end.value)

    @property
    def found(self) -> Found:
        """What all rounds have found, when there are no more tasks."""
        (found,) = self._found
        return found


class ReviewDriver(Rounds[GameReview]):
    """The review of a game that starts at `board`."""

    def __init__(self, board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort) -> None:
        super().__init__(_rounds(board, moves, effort))

    @property
    def review(self) -> GameReview:
        """All searches of the game, when there are no more tasks."""
        return self.found


def _rounds(board: chess.Board, moves: Sequence[chess.Move],
            effort: SearchEffort) -> Generator[Sequence[ReviewTask], Sequence[Any], GameReview]:
    """Yield the tasks of each round for their results; returns all searches."""
    evals = [position_eval for part in (yield slices_of(board, moves, effort)) for position_eval in part]
    slices = contradicting_slices(board, moves, evals, effort)
    if slices:
        evals = with_corrections(evals, moves, (yield slices))
    candidates = candidates_of(board, moves, evals, effort, theory_plies(board, moves))
    verified = (yield candidates) if candidates else ()
    found_at = {candidate.ply: found for candidate, found in zip(candidates, verified, strict=True)}
    looks = second_looks(candidates, verified, evals, effort)
    if looks:
        found_at |= {look.candidate.ply: found for look, found in zip(looks, (yield looks), strict=True)}
    return GameReview(evals, found_at)


def review_game(engine: Analyser, board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort) -> GameReview:
    """Review a game that starts at `board`, with one engine."""
    driver = ReviewDriver(board, moves, effort)
    while driver.tasks:
        driver.advance([task.run(engine) for task in driver.tasks])
    return driver.review
