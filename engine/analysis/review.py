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
from engine.analysis.lookup import ending_text
from engine.analysis.results import AnalysisInfo, Score, drawn_score, mated_score

DEFAULT_NODES = 40_000  # for each position of a game
DEFAULT_HASH = 16  # MB: the same for the command, the page and the Python interface, since marks depend on it
_LONGEST = 28  # positions of a slice, short enough to spread one game over the cores
_GLANCE_NODES, _FEWEST_MOVES = 700, 3
_UNSTEADY = 0.10  # expected score by which two depths of a search differ where more effort is needed
_RECENT_ITERATIONS = 3  # whose lines are kept: what most of them show is no accident of one
_DEPTH_STEP = 2  # plies that four times as many nodes are worth


Line = tuple[chess.Move, ...]


class Analyser(Protocol):
    """The part of `Engine` that a review needs."""

    def clear(self) -> None:
        """Clear the state of earlier searches."""

    def search(self, board: chess.Board, effort: SearchEffort, multipv: int = 1,
               moves: Sequence[chess.Move] | None = None) -> Sequence[AnalysisInfo]:
        """The reports of a search, the best at the end. `moves` restricts it to these moves."""


def never() -> bool:
    """Default for `is_cancelled`."""
    return False


class ReviewCancelledError(Exception):
    """The review was cancelled."""


@dataclass(frozen=True)
class SearchEffort:
    """The limits of each search, by time, nodes and depth.

    `hash` is the size of the transposition table in MB, for one thread; None for what the engine has.
    """

    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    hash: int | None = None

    @property
    def is_default(self) -> bool:
        """Whether no other limit is set than that of the default."""
        return self.movetime is self.depth is None and self.nodes in (None, DEFAULT_NODES)

    def for_positions(self) -> SearchEffort:
        """The effort of the first round: the default number of nodes unless the nodes or the depth are set.

        A time is an upper bound; it does not replace the nodes.
        """
        return replace(self, nodes=DEFAULT_NODES) if self.nodes is None and self.depth is None else self

    def with_nodes(self, nodes: int) -> SearchEffort:
        """An effort of so many nodes, whatever the limits."""
        return SearchEffort(nodes=nodes, hash=self.hash)

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
    moves: tuple[chess.Move, ...]
    first: int
    last: int
    effort: SearchEffort
    has_glances: bool = True  # for each position, also what a search of a moment prefers
    lines: int = 1  # for each position

    @property
    def positions(self) -> int:
        """The number of positions."""
        return self.last - self.first + 1

    def run(self, engine: Analyser, is_cancelled: Callable[[], bool] = never) -> list[PositionEval]:
        """Evaluate the positions; ReviewCancelledError as soon as `is_cancelled` returns true."""
        return evaluate_slice(engine, self, is_cancelled)


@dataclass(frozen=True)
class PositionEval:
    """The evaluation of a position by a search, from the side to move's point of view."""

    score: Score
    line: Line = ()  # the best line; empty if the game is over
    second: Score | None = None  # of the second-best move, if there is one
    depth: int = 0
    second_move: chess.Move | None = None
    is_unsteady: bool = False  # the last two depths of the search disagree
    nodes: int = 0
    recent_lines: tuple[Line, ...] = ()  # the best lines of the last iterations, `line` last
    glance: chess.Move | None = None  # what a search of a moment prefers, on an empty table: what everybody sees

    @property
    def move(self) -> chess.Move | None:
        """The best move; None if the game is over."""
        return self.line[0] if self.line else None

    def after(self, *moves: chess.Move, score: Score) -> PositionEval:
        """The same evaluation before some moves, with the score there."""
        lines = tuple((*moves, *line) for line in self.recent_lines)
        return replace(self, score=score, line=(*moves, *self.line), recent_lines=lines)


def slices_between(board: chess.Board, moves: Sequence[chess.Move], borders: Iterable[tuple[int, int]],
                   effort: SearchEffort, has_glances: bool = True, lines: int = 1) -> Iterator[GameSlice]:
    """Slices of a game that starts at `board`, from one number of moves up to another, in order.

    A slice begins with the first move, or, far into a long game, with a later one that is early enough for repetitions.
    """
    cursor, ply = board.copy(stack=False), 0
    for begin, end in borders:
        for move in moves[ply:begin]:
            cursor.push(move)
        ply = begin
        start = recent_board(cursor)
        skipped = begin - len(start.move_stack)
        root = start.root()
        yield GameSlice(root.fen(shredder=root.chess960), board.chess960, tuple(moves[skipped : end - 1]),
                        begin - skipped, end - 1 - skipped, effort, has_glances, lines)


def slices_of(board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort, *, has_glances: bool = True,
              lines: int = 1) -> list[GameSlice]:
    """The slices of a game that starts at `board`; they do not depend on the number of workers."""
    count = len(moves) + 1
    number = -(-count // _LONGEST)
    borders = pairwise(count * part // number for part in range(number + 1))
    return list(slices_between(board, moves, borders, effort, has_glances, lines))


def evaluate_slice(engine: Analyser, game_slice: GameSlice,
                   is_cancelled: Callable[[], bool] = never) -> list[PositionEval]:
    """Evaluate the positions of a slice; ReviewCancelledError as soon as `is_cancelled` returns true.

    The search goes from the last position to the first, so that the TT holds what came later in the game: one line
    finds its way back through the game, a second one would fill the table with what was not played.
    """
    last = board_after(game_slice.fen, game_slice.chess960, game_slice.moves[: game_slice.last])
    glances = [_glance(engine, board, game_slice.effort, is_cancelled) if game_slice.has_glances else None
               for board in _backward(last, game_slice)]
    engine.clear()
    effort = game_slice.effort.for_positions()
    evals = [replace(evaluate_unless_cancelled(engine, board, effort, is_cancelled, game_slice.lines), glance=glance)
             for board, glance in zip(_backward(last, game_slice), glances, strict=True)]
    return evals[::-1]


def _backward(last: chess.Board, game_slice: GameSlice) -> Iterator[chess.Board]:
    """The board of each position of a slice, the last one first."""
    board = last.copy()
    for ply in range(game_slice.last, game_slice.first - 1, -1):
        yield board
        if ply > game_slice.first:
            board.pop()


def _glance(engine: Analyser, board: chess.Board, effort: SearchEffort,
            is_cancelled: Callable[[], bool]) -> chess.Move | None:
    """What a search of a moment prefers; None where there is little to choose from."""
    if board.legal_moves.count() < _FEWEST_MOVES:
        return None
    engine.clear()  # after a longer search it would know the answer
    return evaluate_unless_cancelled(engine, board, effort.with_nodes(_GLANCE_NODES), is_cancelled).move


def board_after(fen: str, chess960: bool, moves: Iterable[chess.Move]) -> chess.Board:
    """The board after some moves, with its history, so that repetitions count."""
    board = chess.Board(fen, chess960=chess960)
    for move in moves:
        board.push(move)
    return board


def evaluate_board(engine: Analyser, board: chess.Board, effort: SearchEffort, lines: int = 1,
                   moves: Sequence[chess.Move] | None = None) -> PositionEval:
    """Evaluate one position by a search, restricted to `moves` unless they are None.

    Only exact scores of finished iterations count. KeyError if the search was stopped before the first one.
    """
    if ending_text(board) is not None:
        return PositionEval(mated_score(board.turn) if board.is_checkmate() else drawn_score(board.turn))
    found: dict[int, AnalysisInfo] = {}
    previous: Score | None = None
    lines_found: list[Line] = []
    for info in engine.search(board, effort, lines, moves):
        if info.bound != "exact":
            continue
        if info.number == 1:
            previous = found[1].score if found else None
            found = {}  # the second line of an earlier depth says little about this one
            lines_found.append(info.line)
        found[info.number] = info
    first, second = found[1], found.get(2)
    is_unsteady = previous is not None and abs(previous.human_expected - first.score.human_expected) >= _UNSTEADY
    return PositionEval(first.score, first.line, None if second is None else second.score, first.depth,
                        None if second is None else second.move, is_unsteady, first.nodes,
                        tuple(lines_found[-_RECENT_ITERATIONS:]))


def evaluate_unless_cancelled(engine: Analyser, board: chess.Board, effort: SearchEffort,
                              is_cancelled: Callable[[], bool], lines: int = 1,
                              moves: Sequence[chess.Move] | None = None) -> PositionEval:
    """`evaluate_board`, or ReviewCancelledError if `is_cancelled` returns true before or after the search."""
    if is_cancelled():
        raise ReviewCancelledError
    try:
        evaluated = evaluate_board(engine, board, effort, lines, moves)
    except KeyError:
        raise ReviewCancelledError from None  # stopped before the first iteration
    if is_cancelled():
        raise ReviewCancelledError  # stopped early
    return evaluated
