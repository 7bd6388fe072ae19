"""The second and third round of a review: moves that may deserve a mark are searched again, from the same root.

The first round compares two independent searches, before and after the move. Where a position decays with depth, that
books the decay to the move. Here the best move and the move played are compared at the same distance from the root, and
each again from the position it leads to; the best move gets the lower of its scores, the move played the higher one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import chess

from engine.analysis.marks import (
    LEAST_MARKED_LOSS,
    Mark,
    is_near_threshold,
    loss_between,
    lower_class_in_doubt,
    mark_of_scores,
)
from engine.analysis.results import Score, score_before_move
from engine.analysis.review import (
    Analyser,
    PositionEval,
    ReviewCancelledError,
    SearchEffort,
    board_after,
    evaluate_board,
)

_CANDIDATE_LOSS = 0.05  # expected score lost in the first round from which a move is searched again
_SWING = 0.10  # expected score by which the move before changed the evaluation where more effort is needed
_NODES_PER_PLY = 175_000  # the budget of a review: 14 million for forty moves of both sides
_LEAST_NODES, _MOST_NODES = 50_000, 250_000  # of each search of the second round
_SEARCHES, _SHARP_SEARCHES = 7, 16  # of a candidate, on average, in units of a search of the second round
_MATE_NODES = 20_000  # of each search that completes a mating line


@dataclass(frozen=True)
class Candidate:
    """A move that may deserve a mark: the last of `moves`, which start at `fen`."""

    ply: int
    fen: str
    chess960: bool
    moves: tuple[str, ...]
    effort: SearchEffort
    first_mark: Mark  # by the first round
    was_among_best: bool  # the first round had the move as one of its two best
    is_sharp: bool = False  # the effort is already that of the third round


@dataclass(frozen=True)
class VerifiedMove:
    """The best move and the move played, compared by deeper searches. Scores are the mover's, before the move."""

    mark: Mark  # a bad one or none
    lost: float
    best: Score
    best_line: tuple[str, ...]
    played: Score
    played_line: tuple[str, ...]  # beginning with the move
    second: Score | None  # of the second-best move at the root
    depth: int
    nodes: int

    @property
    def is_best(self) -> bool:
        """Whether the move played is the best one."""
        return self.best_line[0] == self.played_line[0]


def candidates_of(board: chess.Board, moves: Sequence[chess.Move], evals: Sequence[PositionEval],
                  effort: SearchEffort, theory: frozenset[int] = frozenset()) -> list[Candidate]:
    """The moves of a game to search again. `theory` are the plies of known opening moves."""
    fen, texts = board.fen(shredder=board.chess960), tuple(move.uci() for move in moves)
    found, sharp = [], set[int]()
    for ply, (here, there) in enumerate(pairwise(evals)):
        played = score_before_move(-there.score)
        if here.move == texts[ply] or not _is_suspicious(here.score, played, ply in theory):
            continue
        found.append(Candidate(ply, fen, board.chess960, texts[: ply + 1], effort, mark_of_scores(here.score, played),
                               texts[ply] in (here.move, here.second_move)))
        before = evals[ply - 1].score.human_expected if ply else 0.5
        if here.is_unsteady or there.is_unsteady or abs(before - (1 - here.score.human_expected)) >= _SWING:
            sharp.add(ply)
    deeper = _second_effort(effort, len(moves), len(found) - len(sharp), len(sharp))
    return [replace(candidate, effort=deeper.times_four(), is_sharp=True) if candidate.ply in sharp
            else replace(candidate, effort=deeper) for candidate in found]


def _is_suspicious(best: Score, played: Score, is_theory: bool) -> bool:
    lost = loss_between(best, played)
    if is_theory:
        return lost >= LEAST_MARKED_LOSS
    return lost >= _CANDIDATE_LOSS or mark_of_scores(best, played).is_bad


def _second_effort(effort: SearchEffort, plies: int, plain: int, sharp: int) -> SearchEffort:
    """The effort of the second round: four times the first, or by default what the budget of the game allows."""
    if not effort.is_default:
        return effort.for_positions().times_four()
    first_round = (effort.for_positions().nodes or 0) * (plies + 1)
    searches = _SEARCHES * plain + _SHARP_SEARCHES * sharp
    nodes = (_NODES_PER_PLY * plies - first_round) // max(searches, 1)
    return replace(effort, nodes=max(_LEAST_NODES, min(nodes, _MOST_NODES)))


def verify(engine: Analyser, candidate: Candidate, is_cancelled: Callable[[], bool] = lambda: False) -> VerifiedMove:
    """Search a candidate again; a pure function of it. ReviewCancelledError as soon as `is_cancelled` returns true."""
    engine.clear()
    board = board_after(candidate.fen, candidate.chess960, candidate.moves[:-1])
    move = chess.Move.from_uci(candidate.moves[-1])
    found = verify_move(engine, board, move, candidate.effort, is_cancelled)
    if not _is_unclear(candidate, found):
        return found
    deep = verify_move(engine, board, move, candidate.effort.times_four(), is_cancelled)
    return replace(deep, mark=lower_class_in_doubt(deep.mark, found.mark, deep.lost), nodes=deep.nodes + found.nodes)


def _is_unclear(candidate: Candidate, found: VerifiedMove) -> bool:
    """Whether a mark is in doubt, or a mistake of the first round has vanished."""
    if found.is_best or candidate.is_sharp:
        return False
    if not found.mark.is_bad:
        return candidate.first_mark.severity >= Mark.MISTAKE.severity
    is_surprising = found.mark is Mark.BLUNDER and candidate.was_among_best
    return found.mark is not candidate.first_mark or is_near_threshold(found.lost) or is_surprising


def verify_move(engine: Analyser, board: chess.Board, move: chess.Move, effort: SearchEffort,
                is_cancelled: Callable[[], bool] = lambda: False) -> VerifiedMove:
    """Compare a move with the best one by searches of the root, of the root restricted to it, and of both replies."""
    comparison = _Comparison(engine, board, effort, is_cancelled)
    root = comparison.root()
    best, played = root, root
    if root.move != move.uci():
        played = comparison.after(move)
        if _may_be_marked(best, played):
            played = max(played, comparison.only(move), key=_value)
        if _may_be_marked(best, played):
            best = min(root, comparison.after(chess.Move.from_uci(root.move)), key=_value)
    mark = mark_of_scores(best.score, played.score)
    lines = [comparison.mating_line(found) if mark.is_bad else found.line for found in (best, played)]
    return VerifiedMove(mark, loss_between(best.score, played.score), best.score, lines[0], played.score, lines[1],
                        root.second, root.depth, comparison.nodes)


def _value(found: PositionEval) -> int:
    return found.score.value


def _may_be_marked(best: PositionEval, played: PositionEval) -> bool:
    return mark_of_scores(best.score, played.score).is_bad


class _Comparison:
    """The searches that compare two moves of a position; `nodes` counts them all."""

    def __init__(self, engine: Analyser, board: chess.Board, effort: SearchEffort,
                 is_cancelled: Callable[[], bool]) -> None:
        self._engine, self._board, self._effort, self._is_cancelled = engine, board, effort, is_cancelled
        self.nodes = 0

    def root(self) -> PositionEval:
        """The two best lines."""
        return self._search(self._board, self._effort, lines=2)

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
        return replace(reply, score=score_before_move(-reply.score), line=(move.uci(), *reply.line))

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
