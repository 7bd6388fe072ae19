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
from engine.analysis.marks import (
    LEAST_MARKED_LOSS,
    Mark,
    is_near_threshold,
    loss_between,
    lower_class_in_doubt,
    mark_of_scores,
)
from engine.analysis.move_searches import MoveSearches
from engine.analysis.praise import Praise, is_praiseworthy, praise_of
from engine.analysis.results import Score, score_before_move
from engine.analysis.review import Analyser, PositionEval, SearchEffort, board_after

_CANDIDATE_LOSS = 0.05  # expected score lost in the first round from which a move is searched again
_SWING = 0.10  # expected score by which the move before changed the evaluation where more effort is needed
_NODES_PER_PLY = 175_000  # the budget of a review: 14 million for forty moves of both sides
_LEAST_NODES, _MOST_NODES = 30_000, 600_000  # of each search of the second round
# Searches of a candidate, on average, in units of a search of the second round.
_SEARCHES, _SHARP_SEARCHES, _PRAISE_SEARCHES = 9, 20, 4


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
    may_be_praised: bool = False


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
    praise: Praise | None = None

    @property
    def is_best(self) -> bool:
        """Whether the move played is the best one."""
        return self.best_line[0] == self.played_line[0]


def candidates_of(board: chess.Board, moves: Sequence[chess.Move], evals: Sequence[PositionEval],
                  effort: SearchEffort, theory: frozenset[int] = frozenset()) -> list[Candidate]:
    """The moves of a game to search again. `theory` are the plies of known opening moves."""
    texts = tuple(move.uci() for move in moves)
    found, cursor = list[Candidate](), board.copy()
    for ply, (here, there) in enumerate(pairwise(evals)):
        played = score_before_move(-there.score)
        is_praised = is_praiseworthy(cursor, moves[ply], here, played)
        is_bad = here.move != texts[ply] and _is_suspicious(here.score, played, ply in theory)
        if is_bad or is_praised:
            start = recent_board(cursor)
            fen, before = start.root().fen(shredder=board.chess960), [move.uci() for move in start.move_stack]
            found.append(Candidate(ply, fen, board.chess960, (*before, texts[ply]), effort,
                                   mark_of_scores(here.score, played) if is_bad else Mark.NONE,
                                   texts[ply] in (here.move, here.second_move),
                                   is_bad and _is_sharp(evals, ply), is_praised))
        cursor.push(moves[ply])
    deeper = _second_effort(effort, len(moves), found)
    return [replace(candidate, effort=deeper.times_four() if candidate.is_sharp else deeper) for candidate in found]


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


def _second_effort(effort: SearchEffort, plies: int, candidates: Sequence[Candidate]) -> SearchEffort:
    """The effort of the second round: four times the first, or by default what the budget of the game allows."""
    if not effort.is_default:
        return effort.for_positions().times_four()
    first_round = (effort.for_positions().nodes or 0) * (plies + 1)
    sharp = sum(candidate.is_sharp for candidate in candidates)
    praised = sum(candidate.may_be_praised for candidate in candidates)
    searches = _SEARCHES * (len(candidates) - sharp - praised) + _SHARP_SEARCHES * sharp + _PRAISE_SEARCHES * praised
    nodes = (_NODES_PER_PLY * plies - first_round) // max(searches, 1)
    return replace(effort, nodes=max(_LEAST_NODES, min(nodes, _MOST_NODES)))


def verify(engine: Analyser, candidate: Candidate, is_cancelled: Callable[[], bool] = lambda: False) -> VerifiedMove:
    """Search a candidate again; a pure function of it. ReviewCancelledError as soon as `is_cancelled` returns true."""
    engine.clear()
    board = board_after(candidate.fen, candidate.chess960, candidate.moves[:-1])
    move = chess.Move.from_uci(candidate.moves[-1])
    found = verify_move(engine, board, move, candidate.effort, is_cancelled)
    if candidate.may_be_praised:
        searches = MoveSearches(engine, board, candidate.effort, is_cancelled)
        praise = praise_of(searches, board, found.played_line, found.best, found.played, found.second)
        found = replace(found, praise=praise, nodes=found.nodes + searches.nodes)
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
    searches = MoveSearches(engine, board, effort, is_cancelled)
    root = searches.root()
    best, played = root, root
    if root.move != move.uci():
        played = searches.after(move)
        if _may_be_marked(best, played):
            played = max(played, searches.only(move), key=_value)
        if _may_be_marked(best, played):
            best = _best_of(searches, root, move)
    is_best = best is played
    best = searches.to_mate(best)
    played = best if is_best else searches.to_mate(played)
    return VerifiedMove(mark_of_scores(best.score, played.score), loss_between(best.score, played.score), best.score,
                        best.line, played.score, played.line, root.second, root.depth, searches.nodes)


def _best_of(searches: MoveSearches, root: PositionEval, played: chess.Move) -> PositionEval:
    """The best move, by the lower of its scores; the second-best one if the first does not keep what it promised."""
    first = min(root, searches.after(chess.Move.from_uci(root.move)), key=_value)
    if root.second is None or root.second_move == played.uci() or first.score >= root.second:
        return first
    second = searches.after(chess.Move.from_uci(root.second_move))
    second = replace(second, score=min(second.score, root.second))
    return max(first, second, key=_value)


def _value(found: PositionEval) -> int:
    return found.score.value


def _may_be_marked(best: PositionEval, played: PositionEval) -> bool:
    return mark_of_scores(best.score, played.score).is_bad
