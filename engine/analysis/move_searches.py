"""The searches that compare moves of one position: the root, the root restricted, and the positions after moves."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

import chess

from engine.analysis.boards import ends_in_mate
from engine.analysis.results import Score, score_before_move
from engine.analysis.review import Analyser, Line, PositionEval, SearchEffort, evaluate_unless_cancelled

_MATE_NODES = 20_000, 80_000, 320_000  # of each search that completes a mating line, by attempt
_LONGEST_MATE = 60  # plies of a mating line: longer ones are not completed


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

    def after(self, move: chess.Move) -> PositionEval:
        """The position after a move, as an evaluation before it, for the mover."""
        self._board.push(move)
        try:
            reply = self._search(self._board, self._effort)
        finally:
            self._board.pop()
        return reply.after(move, score=score_before_move(-reply.score))

    def after_both(self, move: chess.Move, reply: chess.Move) -> PositionEval:
        """The position after a move and a certain reply, as an evaluation before them, for the mover."""
        self._board.push(move)
        self._board.push(reply)
        try:
            found = self._search(self._board, self._effort)
        finally:
            self._board.pop()
            self._board.pop()
        return found.after(move, reply, score=score_before_move(found.score))

    def line_from(self, board: chess.Board, nodes: int) -> Line:
        """The best line of another position, by a search with so many nodes."""
        return self._search(board, self._effort.with_nodes(nodes)).line

    def to_mate(self, found: PositionEval) -> PositionEval:
        """An evaluation with a line up to the mate that it announces, as long as the score says; others as they are.

        A PV from the TT is often shorter than its mate. If no search finds the rest, the line stays short.
        """
        mate, best = found.score.mate, found
        if mate is None or not found.line:
            return found
        for nodes in _MATE_NODES:
            line = self._up_to_mate(best, nodes)
            if line is not None:
                best = replace(best, line=line)
                if len(line) == _plies_to_mate(best.score):
                    return best
            again = self._search(self._board, self._effort.with_nodes(nodes), moves=found.line[:1])
            if _is_same_or_faster(again.score, best.score):
                best = replace(best, score=again.score, line=again.line)
        line = self._up_to_mate(best, _MATE_NODES[-1], is_exact=False)
        if line is None:
            return found
        number = (len(line) + 1) // 2 * (1 if best.score.is_winning_mate else -1)
        return replace(best, score=replace(best.score, mate=number), line=line)

    def _up_to_mate(self, found: PositionEval, nodes: int, is_exact: bool = True) -> Line | None:
        """The line of an evaluation, continued to the mate by searches of so many nodes; None if they do not find it.

        Unless `is_exact` is false, each search must mate as fast as the score says, and each reply resist as long.
        """
        board, line, plies = self._board.copy(), list[chess.Move](), _plies_to_mate(found.score)
        known = deque(found.line)
        while not board.is_checkmate():
            if len(line) >= _LONGEST_MATE or board.is_game_over():
                return None
            if not known:
                next_eval = self._search(board, self._effort.with_nodes(nodes))
                left = _plies_to_mate(next_eval.score)
                if not left or (is_exact and left != plies - len(line)):
                    return None
                known.extend(next_eval.line if ends_in_mate(board, next_eval.line) else next_eval.line[:1])
            line.append(known.popleft())
            board.push(line[-1])
        return tuple(line)

    def _search(self, board: chess.Board, effort: SearchEffort, lines: int = 1,
                moves: Sequence[chess.Move] | None = None) -> PositionEval:
        found = evaluate_unless_cancelled(self._engine, board, effort, self._is_cancelled, lines, moves)
        self.nodes += effort.nodes or found.nodes
        return found


def _plies_to_mate(score: Score) -> int:
    """The plies to the mate that a score of the side to move announces; 0 without one."""
    if score.mate is None:
        return 0
    return 2 * score.mate - 1 if score.is_winning_mate else 2 * abs(score.mate)


def _is_same_or_faster(score: Score, than: Score) -> bool:
    """Whether a score announces a mate of the same side, and not a slower one."""
    is_same_side = score.mate is not None and score.is_winning_mate == than.is_winning_mate
    return is_same_side and _plies_to_mate(score) <= _plies_to_mate(than)
