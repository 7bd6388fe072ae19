"""A game's positions judged, in parts that can be computed anywhere: a part is a pure function of what it is given.

With a limit of nodes or depth the same part gives the same judgement wherever and whenever it is computed; with one of
time, that depends on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import chess

from engine.analysis.results import MATED, STALEMATE, AnalysisInfo, Score

_LONGEST = 20  # positions of a span: short enough to share one game among cores
_LINES = 2  # how good the second-best move is tells whether the best was the only one


class Analyser(Protocol):
    """Who judges positions: the engine as Python programs see it."""

    def clear(self) -> None:
        """Forget what earlier searches found."""

    def analyse(self, board: chess.Board, *, movetime: int | None = None, depth: int | None = None,
                nodes: int | None = None, multipv: int = 1, moves: Iterable[chess.Move] = ()) -> Iterator[AnalysisInfo]:
        """What a search finds, the best at the end."""


class ReviewCancelledError(Exception):
    """Nobody waits for the judgement any more."""


@dataclass(frozen=True)
class SearchEffort:
    """How long to think about a position, in one of three ways, and the size of the table in MB."""

    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    hash: int = 16


@dataclass(frozen=True)
class GameSlice:
    """Some positions of a game: those after `first` to `last` of its moves, both included."""

    fen: str
    chess960: bool
    moves: tuple[str, ...]
    first: int
    last: int
    effort: SearchEffort


@dataclass(frozen=True)
class PositionEval:
    """What a search says of a position, for the side to move."""

    score: Score
    line: tuple[str, ...] = ()  # the best line; none if the game is over
    second: Score | None = None  # of the second-best move, if there is one
    depth: int = 0


def slices_of(board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort) -> list[GameSlice]:
    """The parts of a game that began at `board`; however many workers there are, they are the same."""
    count = len(moves) + 1
    number = -(-count // _LONGEST)
    borders = [count * part // number for part in range(number + 1)]
    texts = tuple(move.uci() for move in moves)
    fen = board.fen(shredder=board.chess960)
    return [GameSlice(fen, board.chess960, texts, begin, end - 1, effort)
            for begin, end in pairwise(borders)]


def evaluate_slice(engine: Analyser, span: GameSlice, is_halted: Callable[[],
                                                                          bool] = lambda: False) -> list[PositionEval]:
    """The judgements of a span; HaltedError as soon as `is_halted`.

    They are found from its end to its beginning: so what came later in the game is known where it matters.
    """
    engine.clear()
    board = chess.Board(span.fen, chess960=span.chess960)
    for text in span.moves[: span.last]:
        board.push(chess.Move.from_uci(text))
    found = []
    for ply in range(span.last, span.first - 1, -1):
        if is_halted():
            raise ReviewCancelledError
        found.append(evaluate_board(engine, board, span.effort))
        if ply > span.first:
            board.pop()
    return found[::-1]


def evaluate_board(engine: Analyser, board: chess.Board, effort: SearchEffort) -> PositionEval:
    """What the engine says of one position."""
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
    """The judgements of a whole game, by one engine."""
    for span in slices_of(board, moves, effort):
        yield from evaluate_slice(engine, span)
