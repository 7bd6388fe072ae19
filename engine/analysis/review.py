"""The first round of a review: evaluate all positions of a game, in slices that can be computed independently.

A slice is a pure function of its arguments: with a limit on nodes or depth its result is the same on every machine;
with a time limit it depends on the machine. verification.py searches again where a move may deserve a mark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import chess

from engine.analysis.boards import recent_board
from engine.analysis.results import AnalysisInfo, Score, drawn_score, mated_score

DEFAULT_NODES = 40_000  # for each position of a game
_LONGEST = 20  # positions of a slice, short enough to spread one game over the cores
_UNSTEADY = 0.10  # expected score by which two depths of a search differ where more effort is needed
_DEPTH_STEP = 2  # plies that four times as many nodes are worth


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
    """The limits of each search, by time, nodes and depth, and the hash size in MB."""

    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    hash: int = 16

    @property
    def is_default(self) -> bool:
        """Whether no limit is set."""
        return self.movetime is self.nodes is self.depth is None

    def for_positions(self) -> SearchEffort:
        """The effort of the first round: the default number of nodes unless the nodes or the depth are set.

        A time is an upper bound; it does not replace the nodes.
        """
        return replace(self, nodes=DEFAULT_NODES) if self.nodes is None and self.depth is None else self

    def for_two_lines(self) -> SearchEffort:
        """The effort of a search for two lines that is to go as deep as one for one line."""
        return replace(self, movetime=None if self.movetime is None else 2 * self.movetime,
                       nodes=None if self.nodes is None else 2 * self.nodes)

    def times_four(self) -> SearchEffort:
        """The effort of a search that is to be four times as thorough."""
        return replace(self, movetime=None if self.movetime is None else 4 * self.movetime,
                       nodes=None if self.nodes is None else 4 * self.nodes,
                       depth=None if self.depth is None else self.depth + _DEPTH_STEP)


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
    second_move: str = ""
    is_unsteady: bool = False  # the last two depths of the search disagree
    nodes: int = 0

    @property
    def move(self) -> str:
        """The best move; empty if the game is over."""
        return self.line[0] if self.line else ""


def slices_of(board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort) -> list[GameSlice]:
    """The slices of a game that starts at `board`; they do not depend on the number of workers.

    A slice begins with the first move, or, far into a long game, with a later one that is early enough for repetitions.
    """
    count = len(moves) + 1
    number = -(-count // _LONGEST)
    borders = [count * part // number for part in range(number + 1)]
    texts = tuple(move.uci() for move in moves)
    cursor, slices = board.copy(stack=False), []
    for begin, end in pairwise(borders):
        start = recent_board(cursor)
        skipped = begin - len(start.move_stack)
        root = start.root()
        slices.append(GameSlice(root.fen(shredder=root.chess960), board.chess960, texts[skipped : end - 1],
                                begin - skipped, end - 1 - skipped, effort))
        for move in moves[begin:end]:
            cursor.push(move)
    return slices


def evaluate_slice(engine: Analyser, game_slice: GameSlice,
                   is_cancelled: Callable[[], bool] = lambda: False) -> list[PositionEval]:
    """Evaluate the positions of a slice; ReviewCancelledError as soon as `is_cancelled` returns true.

    The search goes from the last position to the first, so that the TT holds what came later in the game.
    """
    engine.clear()
    board = board_after(game_slice.fen, game_slice.chess960, game_slice.moves[: game_slice.last])
    effort = game_slice.effort.for_positions()
    evals = []
    for ply in range(game_slice.last, game_slice.first - 1, -1):
        if is_cancelled():
            raise ReviewCancelledError
        evals.append(evaluate_board(engine, board, effort))
        if ply > game_slice.first:
            board.pop()
    return evals[::-1]


def board_after(fen: str, chess960: bool, moves: Iterable[str]) -> chess.Board:
    """The board after some moves, with its history, so that repetitions count."""
    board = chess.Board(fen, chess960=chess960)
    for text in moves:
        board.push(chess.Move.from_uci(text))
    return board


def evaluate_board(engine: Analyser, board: chess.Board, effort: SearchEffort, lines: int = 2,
                   moves: Sequence[chess.Move] = ()) -> PositionEval:
    """Evaluate one position by a search, restricted to `moves` if there are any.

    Only exact scores of finished iterations count. KeyError if the search was stopped before the first one.
    """
    if not any(board.generate_legal_moves()):
        return PositionEval(mated_score(board.turn) if board.is_check() else drawn_score(board.turn))
    if board.is_insufficient_material() or board.is_seventyfive_moves() or board.is_fivefold_repetition():
        return PositionEval(drawn_score(board.turn))
    found: dict[int, AnalysisInfo] = {}
    previous: Score | None = None
    for info in engine.analyse(board, movetime=effort.movetime, nodes=effort.nodes, depth=effort.depth,
                               multipv=lines, moves=moves):
        if info.bound != "exact":
            continue
        if info.number == 1:
            previous = found[1].score if found else None
            found = {}  # the second line of an earlier depth says little about this one
        found[info.number] = info
    first, second = found[1], found.get(2)
    is_unsteady = previous is not None and abs(previous.human_expected - first.score.human_expected) >= _UNSTEADY
    return PositionEval(first.score, tuple(move.uci() for move in first.line), None if second is None else second.score,
                        first.depth, "" if second is None else second.move.uci(), is_unsteady, first.nodes)


def evaluate_game(engine: Analyser, board: chess.Board, moves: Sequence[chess.Move],
                  effort: SearchEffort) -> Iterator[PositionEval]:
    """Yield the evaluations of all positions of a game, by one engine."""
    for game_slice in slices_of(board, moves, effort):
        yield from evaluate_slice(engine, game_slice)
