"""The second and third round of a review: moves that may deserve a mark are searched again, from the same root.

The first round compares two independent searches, before and after the move. Where a position decays with depth, that
books the decay to the move. Here the best move and the move played are compared at the same distance from the root, and
each again from the position it leads to; the best move gets the lower of its scores, the move played the higher one.
The third round is a second look at the marks that are in doubt then, with what the second one has left of the budget.
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
# The budget of a review: on average 14 million nodes for forty moves of both sides, and up to a tenth more in a game
# where many positions are sharp or many marks in doubt.
_NODES_PER_PLY, _MOST_NODES_PER_PLY = 175_000, 192_500
_LEAST_NODES, _MOST_NODES = 30_000, 600_000  # of each search of the second round
_LEAST_PRAISE_NODES = 80_000  # the same, where a move may be praised: a combination takes depth
# Searches of a candidate, on average: 4, and a second look at every fourth one, whose searches count four times.
_SEARCHES, _SHARP_SEARCHES, _PRAISE_SEARCHES = 9, 5, 3
_MOST_SEARCHES = 6  # of a second look
_LEAST_TIMES, _MOST_TIMES = 2, 4  # the nodes of the second round, in sharp positions and in second looks


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
    is_sharp: bool = False  # the effort is already that of a second look
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


@dataclass(frozen=True)
class SecondLook:
    """A candidate whose mark is in doubt after the second round."""

    candidate: Candidate
    shallow: VerifiedMove  # what the second round found
    effort: SearchEffort
    positions = 1  # for the progress

    def run(self, engine: Analyser, is_cancelled: Callable[[], bool] = never) -> VerifiedMove:
        """Search the move again; ReviewCancelledError as soon as `is_cancelled` returns true."""
        return look_again(engine, self, is_cancelled)


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
    efforts = _second_efforts(effort, len(moves), sum(here.nodes for here in evals), found)
    return [replace(candidate, effort=_effort_of(candidate, *efforts)) for candidate in found]


def _effort_of(candidate: Candidate, deeper: SearchEffort, sharp: SearchEffort) -> SearchEffort:
    found = sharp if candidate.is_sharp else deeper
    is_enough = not candidate.may_be_praised or not candidate.effort.is_default
    return found if is_enough else replace(found, nodes=max(found.nodes or 0, _LEAST_PRAISE_NODES))


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


def _second_efforts(effort: SearchEffort, plies: int, spent: int,
                    candidates: Sequence[Candidate]) -> tuple[SearchEffort, SearchEffort]:
    """The efforts of the second round: in most positions, and in sharp ones.

    They are four and sixteen times the first, or by default what the budget of the game allows. `spent` is the number
    of nodes of the first round.
    """
    if not effort.is_default:
        deeper = effort.for_positions().times_four()
        return deeper, deeper.times_four()
    sharp = sum(candidate.is_sharp for candidate in candidates)
    praised = sum(candidate.may_be_praised for candidate in candidates)
    searches, sharp_searches = _SEARCHES * (len(candidates) - sharp - praised), _SHARP_SEARCHES * sharp
    units, left = searches + _MOST_TIMES * sharp_searches, _NODES_PER_PLY * plies - spent
    nodes = left // max(units + _PRAISE_SEARCHES * praised, 1)
    if nodes < _LEAST_PRAISE_NODES:  # praise takes its share first
        nodes = (left - _PRAISE_SEARCHES * _LEAST_PRAISE_NODES * praised) // max(units, 1)
    nodes = max(_LEAST_NODES, min(nodes, _MOST_NODES))
    others = nodes * searches + max(nodes, _LEAST_PRAISE_NODES) * _PRAISE_SEARCHES * praised
    sharp_nodes = (_MOST_NODES_PER_PLY * plies - spent - others) // max(sharp_searches, 1)
    return (replace(effort, nodes=nodes),
            replace(effort, nodes=max(_LEAST_TIMES * nodes, min(sharp_nodes, _MOST_TIMES * nodes))))


def verify(engine: Analyser, candidate: Candidate, is_cancelled: Callable[[], bool] = never) -> VerifiedMove:
    """Search a candidate again; a pure function of it. ReviewCancelledError as soon as `is_cancelled` returns true."""
    engine.clear()
    board = board_after(candidate.fen, candidate.chess960, candidate.moves[:-1])
    found = verify_move(engine, board, candidate.moves[-1], candidate.effort, is_cancelled)
    if candidate.may_be_praised:
        searches = MoveSearches(engine, board, candidate.effort, is_cancelled)
        praise = praise_of(searches, board, found.played_line, candidate.glance, (found.best, found.second),
                           found.played)
        found = replace(found, praise=praise, nodes=found.nodes + searches.nodes)
    return explained(engine, board, found, candidate.effort, is_cancelled)


def second_looks(candidates: Sequence[Candidate], verified: Sequence[VerifiedMove], evals: Sequence[PositionEval],
                 effort: SearchEffort) -> list[SecondLook]:
    """The candidates whose marks are in doubt, to be searched with four times the effort.

    By default they share what is left of the budget, the heaviest marks first; where it is not enough for twice the
    nodes, the lightest marks stay as they are.
    """
    looks = [SecondLook(candidate, found, candidate.effort.times_four())
             for candidate, found in zip(candidates, verified, strict=True) if _is_unclear(candidate, found)]
    if not effort.is_default:
        return looks
    looks.sort(key=_severity, reverse=True)
    spent = sum(here.nodes for here in evals) + sum(found.nodes for found in verified)
    left = _MOST_NODES_PER_PLY * (len(evals) - 1) - spent
    while looks and _times(looks, left) < _LEAST_TIMES:
        looks.pop()
    return [replace(look, effort=effort.with_nodes(int(_times(looks, left) * _nodes(look)))) for look in looks]


def _severity(look: SecondLook) -> int:
    return max(look.candidate.first_mark.severity, look.shallow.mark.severity)


def _times(looks: Sequence[SecondLook], left: int) -> float:
    """How many times the nodes of the second round each of these looks may take."""
    return min(left / (_MOST_SEARCHES * sum(map(_nodes, looks))), _MOST_TIMES)


def _nodes(look: SecondLook) -> int:
    """The nodes of a search of the second round, which the default effort limits."""
    return look.candidate.effort.nodes or 0


def look_again(engine: Analyser, look: SecondLook, is_cancelled: Callable[[], bool] = never) -> VerifiedMove:
    """Search a move whose mark is in doubt once more; a pure function of the task."""
    engine.clear()
    candidate, shallow = look.candidate, look.shallow
    board = board_after(candidate.fen, candidate.chess960, candidate.moves[:-1])
    deep = verify_move(engine, board, candidate.moves[-1], look.effort, is_cancelled)
    found = replace(deep, mark=lower_class_in_doubt(deep.mark, shallow.mark, deep.lost),
                    nodes=deep.nodes + shallow.nodes)
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
