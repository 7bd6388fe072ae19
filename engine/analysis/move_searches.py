"""The searches that compare moves of one position: the root, the root restricted, and the positions after moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import chess

from engine.analysis.results import score_before_move
from engine.analysis.review import Analyser, PositionEval, ReviewCancelledError, SearchEffort, evaluate_board

_MATE_NODES = 20_000  # of each search that completes a mating line
_GLANCE_NODES = 1_000


class MoveSearches:
    """The searches that compare two moves of a position; `nodes` counts them all."""

    def __init__(self, engine: Analyser, board: chess.Board, effort: SearchEffort,
                 is_cancelled: Callable[[], bool]) -> None:
        self._engine, self._board, self._effort, self._is_cancelled = engine, board, effort, is_cancelled
        self.nodes = 0

    def root(self) -> PositionEval:
        """The two best lines."""
        return self._search(self._board, self._effort.for_two_lines(), lines=2)

    def only(self, move: chess.Move) -> PositionEval:
        """The root restricted to one move."""
        return self._search(self._board, self._effort, moves=[move])

    def among(self, moves: Sequence[chess.Move]) -> PositionEval:
        """The root restricted to some moves."""
        return self._search(self._board, self._effort, moves=moves)

    def at_a_glance(self) -> PositionEval:
        """The two best lines of a search of a moment, which sees what everybody sees."""
        return self._search(self._board, SearchEffort(nodes=_GLANCE_NODES), lines=2)

    def after(self, move: chess.Move) -> PositionEval:
        """The position after a move, as an evaluation before it, for the mover."""
        self._board.push(move)
        try:
            reply = self._search(self._board, self._effort)
        finally:
            self._board.pop()
        return replace(reply, score=score_before_move(-reply.score), line=(move.uci(), *reply.line))

    def after_both(self, move: chess.Move, reply: chess.Move) -> PositionEval:
        """The position after a move and a certain reply, as an evaluation before them, for the mover."""
        self._board.push(move)
        self._board.push(reply)
        try:
            found = self._search(self._board, self._effort)
        finally:
            self._board.pop()
            self._board.pop()
        return replace(found, score=score_before_move(found.score), line=(move.uci(), reply.uci(), *found.line))

    def mating_line(self, found: PositionEval) -> tuple[str, ...]:
        """The line of an evaluation; one that leads to mate is completed up to the mate by further searches."""
        if found.score.mate is None:
            return found.line
        board = self._board.copy()
        for text in found.line:
            board.push_uci(text)
        line, longest = list(found.line), 2 * abs(found.score.mate)
        while len(line) < longest and not board.is_game_over():
            reply = self._search(board, SearchEffort(nodes=_MATE_NODES))
            if reply.score.mate is None:
                break
            for text in reply.line:
                board.push_uci(text)
                line.append(text)
        return tuple(line)

    def _search(self, board: chess.Board, effort: SearchEffort, lines: int = 1,
                moves: Sequence[chess.Move] = ()) -> PositionEval:
        if self._is_cancelled():
            raise ReviewCancelledError
        try:
            found = evaluate_board(self._engine, board, effort, lines, moves)
        except KeyError:
            raise ReviewCancelledError from None  # stopped before the first iteration
        if self._is_cancelled():
            raise ReviewCancelledError  # stopped early
        self.nodes += effort.nodes or found.nodes
        return found
