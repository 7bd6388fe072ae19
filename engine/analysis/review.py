"""Review of a game: evaluate all its positions, in slices that can be computed independently.

A slice is a pure function of its arguments: with a limit on nodes or depth its result is the same on every machine;
with a time limit it depends on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import chess

from engine.analysis.boards import recent_board
from engine.analysis.results import MATED, STALEMATE, AnalysisInfo, Score

_LONGEST = 20  # positions of a slice, short enough to spread one game over the cores
_LINES = 2  # the second-best line shows whether the best move was the only one


class Analyser(Protocol):
    """The part of `Engine` that a review needs."""

    def clear(self) -> None:
        """Clear the state of earlier searches."""

    def analyse(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                nodes: int | None = None, multipv: int = 1, moves: Iterable[chess.Move] = ()) -> Iterator[AnalysisInfo]:
        """Yield the reports of a search, the best at the end."""


class ReviewCancelledError(Exception):
    """The review was cancelled."""


@dataclass(frozen=True)
class SearchEffort:
    """The limit of each search, by time, nodes or depth, and the hash size in MB."""

    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    hash: int = 16


@dataclass(frozen=True)
class GameSlice:
    """Some positions of a game: those after `first` to `last` moves, both included."""

    fen: str
    chess960: bool
    moves: tuple[str, ...]
    first: int
    last: int
    effort: SearchEffort


@dataclass(frozen=True)
class PositionEval:
    """The evaluation of a position by a search, from the side to move's point of view."""

    score: Score
    line: tuple[str, ...] = ()  # the best line; empty if the game is over
    second: Score | None = None  # of the second-best move, if there is one
    depth: int = 0


def slices_of(board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort) -> list[GameSlice]:
    """The slices of a game that starts at `board`; they do not depend on the number of workers.

    A slice begins with the first move, or, far into a long game, with a later one that is early enough for repetitions.
    """
    count = len(moves) + 1
    number = -(-count // _LONGEST)
    borders = [count * part // number for part in range(number + 1)]
    texts = tuple(move.uci() for move in moves)
    follower, slices = board.copy(stack=False), []
    for begin, end in pairwise(borders):
        start = recent_board(follower)
        skipped = begin - len(start.move_stack)
        root = start.root()
        slices.append(GameSlice(root.fen(shredder=root.chess960), board.chess960, texts[skipped : end - 1],
                                begin - skipped, end - 1 - skipped, effort))
        for move in moves[begin:end]:
            follower.push(move)
    return slices


def evaluate_slice(engine: Analyser, game_slice: GameSlice,
                   is_cancelled: Callable[[], bool] = lambda: False) -> list[PositionEval]:
    """Evaluate the positions of a slice; ReviewCancelledError as soon as `is_cancelled` returns true.

    The search goes from the last position to the first, so that the TT holds what came later in the game.
    """
    engine.clear()
    board = chess.Board(game_slice.fen, chess960=game_slice.chess960)
    for text in game_slice.moves[: game_slice.last]:
        board.push(chess.Move.from_uci(text))
    evals = []
    for ply in range(game_slice.last, game_slice.first - 1, -1):
        if is_cancelled():
            raise ReviewCancelledError
        evals.append(evaluate_board(engine, board, game_slice.effort))
        if ply > game_slice.first:
            board.pop()
    return evals[::-1]


def evaluate_board(engine: Analyser, board: chess.Board, effort: SearchEffort) -> PositionEval:
    """Evaluate one position by a search."""
    if not any(board.generate_legal_moves()):
        return PositionEval(MATED if board.is_check() else STALEMATE)
    if board.is_insufficient_material():
        return PositionEval(STALEMATE)
    best: dict[int, AnalysisInfo] = {}
    for info in engine.analyse(board, movetime=effort.movetime, nodes=effort.nodes, depth=effort.depth, multipv=_LINES):
        if info.number == 1:
            best = {}  # the second line of an earlier depth says little about this one
        best[info.number] = info
    first, second = best[1], best.get(2)
    return PositionEval(first.score, tuple(move.uci() for move in first.line), None if second is None else second.score,
                        first.depth)


def evaluate_game(engine: Analyser, board: chess.Board, moves: Sequence[chess.Move],
                  effort: SearchEffort) -> Iterator[PositionEval]:
    """Yield the evaluations of all positions of a game, by one engine."""
    for game_slice in slices_of(board, moves, effort):
        yield from evaluate_slice(engine, game_slice)
