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

from engine.analysis.boards import recent_board
from engine.analysis.comparison import MoveComparison, Statement, agreeing_lines
from engine.analysis.difference import statements
from engine.analysis.marks import (
    LEAST_MARKED_LOSS,
    Mark,
    cost_between,
    is_costly_in_decided_game,
    is_near_threshold,
    loss_between,
    lower_class_in_doubt,
    mark_of_scores,
)
from engine.analysis.move_searches import MoveSearches
from engine.analysis.praise import Praise, is_praiseworthy, praise_of
from engine.analysis.results import Score, score_before_move
from engine.analysis.review import Analyser, Line, PositionEval, SearchEffort, board_after, never

_CANDIDATE_LOSS = 0.05  # expected score lost in the first round from which a move is searched again
_SWING = 0.10  # expected score by which the move before changed the evaluation where more effort is needed
# The budget of a review, on average: 14 million nodes for forty moves of both sides. A game whose marks are often in
# doubt takes up to a tenth more, since the searches of a candidate are estimated before they are made.
_NODES_PER_PLY = 175_000
_LEAST_NODES, _MOST_NODES = 30_000, 600_000  # of each search of the second round
_LEAST_PRAISE_NODES = 80_000  # the same, where a move may be praised: a combination takes depth
# Searches of a candidate, on average, in units of a search of the second round.
_SEARCHES, _SHARP_SEARCHES, _PRAISE_SEARCHES = 9, 20, 3


@dataclass(frozen=True)
class Candidate:
    """A move that may deserve a mark: the last of `moves`, which start at `fen`."""

    ply: int
    fen: str
    chess960: bool
    moves: Line
    effort: SearchEffort
    first_mark: Mark  # by the first round
    glance: chess.Move | None  # what everybody sees
    is_sharp: bool = False  # the effort is already that of the third round
    may_be_praised: bool = False
    positions = 1  # for the progress

    def run(self, engine: Analyser, is_cancelled: Callable[[], bool] = never) -> VerifiedMove:
        """Search the move again; ReviewCancelledError as soon as `is_cancelled` returns true."""
        return verify(engine, self, is_cancelled)


@dataclass(frozen=True)
class VerifiedMove:
    """The best move and the move played, compared by deeper searches. Scores are the mover's, before the move."""

    mark: Mark  # a bad one or none
    lost: float
    best: Score
    best_line: Line
    played: Score
    played_line: Line  # beginning with the move
    second: Score | None  # of the second-best move at the root
    depth: int
    nodes: int
    praise: Praise | None = None
    # The lines of the last iterations of the searches that gave the scores.
    best_lines: tuple[Line, ...] = ()
    played_lines: tuple[Line, ...] = ()
    statements: tuple[Statement, ...] = ()  # about the difference of the two, the most telling first

    @property
    def is_best(self) -> bool:
        """Whether the move played is the best one."""
        return self.best_line[0] == self.played_line[0]


def candidates_of(board: chess.Board, moves: Sequence[chess.Move], evals: Sequence[PositionEval],
                  effort: SearchEffort, theory: frozenset[int] = frozenset()) -> list[Candidate]:
    """The moves of a game to search again. `theory` are the plies of known opening moves."""
    found, cursor = list[Candidate](), board.copy()
    for ply, (here, there) in enumerate(pairwise(evals)):
        played = score_before_move(-there.score)
        line = here.line if here.move == moves[ply] else (moves[ply], *there.line)
        is_praised = is_praiseworthy(cursor, moves[ply], here, played, line, ply in theory)
        is_bad = here.move != moves[ply] and _is_suspicious(here.score, played, ply in theory)
        if is_bad or is_praised:
            start = recent_board(cursor)
            fen = start.root().fen(shredder=board.chess960)
            found.append(Candidate(ply, fen, board.chess960, (*start.move_stack, moves[ply]), effort,
                                   mark_of_scores(here.score, played) if is_bad else Mark.NONE,
                                   here.glance,
                                   is_bad and _is_sharp(evals, ply), is_praised))
        cursor.push(moves[ply])
    deeper = _second_effort(effort, len(moves), sum(position_eval.nodes for position_eval in evals), found)
    return [replace(candidate, effort=_effort_of(candidate, deeper)) for candidate in found]


def _effort_of(candidate: Candidate, deeper: SearchEffort) -> SearchEffort:
    if candidate.is_sharp:
        return deeper.times_four()
    is_enough = not candidate.may_be_praised or deeper.nodes is None or not candidate.effort.is_default
    return deeper if is_enough else replace(deeper, nodes=max(deeper.nodes or 0, _LEAST_PRAISE_NODES))


def _is_sharp(evals: Sequence[PositionEval], ply: int) -> bool:
    """Whether the first round was unsteady, or the move before changed the evaluation much."""
    here, there = evals[ply], evals[ply + 1]
    before = evals[ply - 1].score.human_expected if ply else 0.5
    return here.is_unsteady or there.is_unsteady or abs(before - (1 - here.score.human_expected)) >= _SWING


def _is_suspicious(best: Score, played: Score, is_theory: bool) -> bool:
    lost = loss_between(best, played)
    if is_theory:
        return lost >= LEAST_MARKED_LOSS
    return lost >= _CANDIDATE_LOSS or mark_of_scores(best, played).is_bad


def _second_effort(effort: SearchEffort, plies: int, spent: int, candidates: Sequence[Candidate]) -> SearchEffort:
    """The effort of the second round: four times the first, or by default what the budget of the game allows.

    `spent` is the number of nodes of the first round.
    """
    if not effort.is_default:
        return effort.for_positions().times_four()
    sharp = sum(candidate.is_sharp for candidate in candidates)
    praised = sum(candidate.may_be_praised for candidate in candidates)
    searches, left = _SEARCHES * (len(candidates) - sharp - praised) + _SHARP_SEARCHES * sharp, _NODES_PER_PLY * plies
    nodes = (left - spent) // max(searches + _PRAISE_SEARCHES * praised, 1)
    if nodes < _LEAST_PRAISE_NODES:  # praise takes its share first
        nodes = (left - spent - _PRAISE_SEARCHES * _LEAST_PRAISE_NODES * praised) // max(searches, 1)
    return replace(effort, nodes=max(_LEAST_NODES, min(nodes, _MOST_NODES)))


def verify(engine: Analyser, candidate: Candidate, is_cancelled: Callable[[], bool] = never) -> VerifiedMove:
    """Search a candidate again; a pure function of it. ReviewCancelledError as soon as `is_cancelled` returns true."""
    engine.clear()
    board = board_after(candidate.fen, candidate.chess960, candidate.moves[:-1])
    move = candidate.moves[-1]
    found = verify_move(engine, board, move, candidate.effort, is_cancelled)
    if candidate.may_be_praised:
        searches = MoveSearches(engine, board, candidate.effort, is_cancelled)
        praise = praise_of(searches, board, found.played_line, candidate.glance, (found.best, found.second),
                           found.played)
        found = replace(found, praise=praise, nodes=found.nodes + searches.nodes)
    if _is_unclear(candidate, found):
        deep = verify_move(engine, board, move, candidate.effort.times_four(), is_cancelled)
        found = replace(deep, mark=lower_class_in_doubt(deep.mark, found.mark, deep.lost),
                        nodes=deep.nodes + found.nodes)
    return explained(engine, board, found, candidate.effort, is_cancelled)


def explained(engine: Analyser, board: chess.Board, found: VerifiedMove, effort: SearchEffort,
              is_cancelled: Callable[[], bool] = never) -> VerifiedMove:
    """A bad move with what can be said of the difference to the best one; it takes up to 30,000 nodes."""
    if not found.mark.is_bad or found.is_best:
        return found
    searches = MoveSearches(engine, board, effort, is_cancelled)
    comparison = MoveComparison(board, agreeing_lines(found.played_line, found.played_lines),
                            agreeing_lines(found.best_line, found.best_lines),
                            cost_between(found.best, found.played), searches.line_from)
    return replace(found, statements=tuple(statements(comparison)), nodes=found.nodes + searches.nodes)


def _is_unclear(candidate: Candidate, found: VerifiedMove) -> bool:
    """Whether a mark is in doubt, or a mistake of the first round has vanished."""
    if found.is_best or candidate.is_sharp:
        return False
    if not found.mark.is_bad:
        return candidate.first_mark.severity >= Mark.MISTAKE.severity
    return found.mark is not candidate.first_mark or is_near_threshold(found.lost)


def verify_move(engine: Analyser, board: chess.Board, move: chess.Move, effort: SearchEffort,
                is_cancelled: Callable[[], bool] = never) -> VerifiedMove:
    """Compare a move with the best one by searches of the root, of the root restricted to it, and of both replies."""
    searches = MoveSearches(engine, board, effort, is_cancelled)
    root = searches.root()
    best, played = root, root
    if root.move != move:
        played = searches.after(move)
        if _may_be_marked(best, played):
            played = max(played, searches.only(move), key=_value)
        if _may_be_marked(best, played):
            best = _best_of(searches, root, move)
    is_best = best is played
    best = searches.to_mate(best)
    played = best if is_best else searches.to_mate(played)
    return VerifiedMove(mark_of_scores(best.score, played.score), loss_between(best.score, played.score), best.score,
                        best.line, played.score, played.line, root.second, root.depth, searches.nodes,
                        best_lines=best.recent_lines, played_lines=played.recent_lines)


def _best_of(searches: MoveSearches, root: PositionEval, played: chess.Move) -> PositionEval:
    """The best move, by the lower of its scores; the second-best one if the first does not keep what it promised."""
    first = min(root, searches.after(root.line[0]), key=_value)
    if root.second is None or root.second_move in (None, played) or first.score >= root.second:
        return first
    second = searches.after(root.second_move)
    second = replace(second, score=min(second.score, root.second))
    return max(first, second, key=_value)


def _value(found: PositionEval) -> int:
    return found.score.value


def _may_be_marked(best: PositionEval, played: PositionEval) -> bool:
    return mark_of_scores(best.score, played.score).is_bad or is_costly_in_decided_game(best.score, played.score)
