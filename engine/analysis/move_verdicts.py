"""Verdicts on moves: what each cost, its mark, and the lines that show why.

The command, the Python interface and the page all use this module, from the searches of review.py and
verification.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import chess

from engine.analysis.boards import ends_in_mate, recent_board
from engine.analysis.lookup import is_book_theory, opening_name, tb_result, theory_plies
from engine.analysis.marks import (
    Mark,
    is_too_early,
    loss_between,
    mark_of_table_results,
    mark_of_theory,
)
from engine.analysis.praise import Praise
from engine.analysis.results import Score, score_after_move, score_before_move
from engine.analysis.review import Analyser, PositionEval, SearchEffort, evaluate_game
from engine.analysis.verification import VerifiedMove, candidates_of, verify, verify_move
from eval.human_curve import DECIDED

_MOST_TABLE_PIECES = 4  # with more, the curve is the judge
_MOST_PRAISE = 3  # good and only moves of a side in a game


@dataclass(frozen=True)
class MoveVerdict:
    """A move, its mark and what it cost. Scores are the mover's, before the move."""

    ply: int  # in its game, from 0
    board: chess.Board  # before the move, with its history
    move: chess.Move
    mark: Mark
    before: Score  # with the best move
    after: Score  # with the move that was played
    lost: float  # expected score on the human curve, from 0 to 1
    best_line: tuple[str, ...]  # in UCI text
    played_line: tuple[str, ...]  # beginning with the move
    second: Score | None  # of the second-best move
    depth: int
    is_theory: bool = False
    is_verified: bool = False  # by deeper searches of the move and of the best one
    table_results: tuple[int, int] | None = None  # of the mover, before and after the move, by the endgame tables
    praise: Praise | None = None

    @property
    def is_best(self) -> bool:
        """Whether the search would have played the move."""
        return self.best_line[:1] == self.played_line[:1]

    @property
    def cost(self) -> int:
        """Centipawns that the move lost, with scores cut where games are decided."""
        return 0 if self.is_best else max(_cut(self.before) - _cut(self.after), 0)

    @property
    def position_score(self) -> Score:
        """The score of the position after the move, for White."""
        return score_after_move(self.after).white()


def _cut(score: Score) -> int:
    return max(-DECIDED, min(score.value, DECIDED))


@dataclass(frozen=True)
class GameReview:
    """All searches of a game: of each position, and of the moves that were verified, by ply."""

    evals: Sequence[PositionEval]
    verified: Mapping[int, VerifiedMove]

    @property
    def nodes(self) -> int:
        """The nodes of all searches."""
        return (sum(found.nodes for found in self.evals) + sum(found.nodes for found in self.verified.values()))


def review_game(engine: Analyser, board: chess.Board, moves: Sequence[chess.Move], effort: SearchEffort) -> GameReview:
    """Review a game that starts at `board`, with one engine."""
    evals = list(evaluate_game(engine, board, moves, effort))
    candidates = candidates_of(board, moves, evals, effort, theory_plies(board, moves))
    return GameReview(evals, {candidate.ply: verify(engine, candidate) for candidate in candidates})


def classify_game(board: chess.Board, moves: Sequence[chess.Move], review: GameReview) -> list[MoveVerdict]:
    """The verdicts on the moves of a game that starts at `board`."""
    theory, cursor, verdicts = theory_plies(board, moves), board.copy(), []
    for ply, move in enumerate(moves):
        before = recent_board(cursor).copy()
        cursor.push(move)
        verified = review.verified.get(ply)
        if verified is None:
            found = _by_first_round(ply, before, move, review.evals[ply], review.evals[ply + 1])
        else:
            found = by_verification(ply, before, move, verified)
        verdicts.append(_with_praise(_with_rules(replace(found, is_theory=ply in theory), cursor)))
    verdicts = with_agreeing_mates(verdicts)
    excess = _too_much_praise(verdicts)
    return [replace(found, mark=Mark.NONE, praise=None) if found.ply in excess else found for found in verdicts]


def with_agreeing_mates(verdicts: Sequence[MoveVerdict]) -> list[MoveVerdict]:
    """The verdicts with one distance for each mate: what a move allows is what the next one may miss.

    Both come from searches of their own; the shorter mate is the proven one if its line ends with it.
    """
    found = list(verdicts)
    for index in range(len(found) - 2, -1, -1):
        here, there = found[index : index + 2]
        allowed, missed = -score_after_move(here.after), there.before
        if allowed.mate is None or missed.mate is None or allowed.is_winning_mate != missed.is_winning_mate:
            continue
        if abs(missed.mate) < abs(allowed.mate) and ends_in_mate(there.board, there.best_line):
            found[index] = replace(here, after=score_before_move(-missed),
                                   played_line=(here.move.uci(), *there.best_line))
        elif abs(allowed.mate) < abs(missed.mate) and there.mark.is_bad and (
                here.played_line[1:2] != (there.move.uci(),) and ends_in_mate(there.board, here.played_line[1:])):
            found[index + 1] = replace(there, before=allowed, best_line=here.played_line[1:])
    return found


def _with_praise(found: MoveVerdict) -> MoveVerdict:
    """Apply the praise of a verified move; of theory, only sacrifices are praised."""
    praise = found.praise
    if praise is None or found.mark.is_bad or (found.is_theory and praise.offer is None):
        return replace(found, praise=None)
    return replace(found, mark=praise.mark)


def _too_much_praise(verdicts: Sequence[MoveVerdict]) -> set[int]:
    """The plies of good and only moves beyond the most telling ones of each side."""
    excess = set[int]()
    for side in chess.COLORS:
        praised = [found for found in verdicts if found.board.turn == side and found.mark in (Mark.GOOD, Mark.ONLY)]
        praised.sort(key=lambda found: -found.praise.gap if found.praise else 0.0)
        excess.update(found.ply for found in praised[_MOST_PRAISE:])
    return excess


def classify_move(engine: Analyser, board: chess.Board, move: chess.Move, effort: SearchEffort) -> MoveVerdict:
    """The verdict on one move of a position, by searches of `effort` each."""
    found = by_verification(len(board.move_stack), board, move, verify_move(engine, board.copy(), move, effort))
    after = board.copy()
    after.push(move)
    is_theory = not board.chess960 and (is_book_theory(board, move) or opening_name(after) is not None)
    return _with_rules(replace(found, is_theory=is_theory), after)


def _by_first_round(ply: int, board: chess.Board, move: chess.Move, here: PositionEval,
                    there: PositionEval) -> MoveVerdict:
    """A move that no deeper search was needed for: at most a little worse than the best."""
    played = score_before_move(-there.score)
    is_best = here.move == move.uci()
    return MoveVerdict(ply, board, move, Mark.NONE, here.score, played,
                      0.0 if is_best else loss_between(here.score, played), here.line, (move.uci(), *there.line),
                      here.second, there.depth)


def by_verification(ply: int, board: chess.Board, move: chess.Move, verified: VerifiedMove) -> MoveVerdict:
    """A move that was compared with the best one by deeper searches."""
    return MoveVerdict(ply, board, move, verified.mark, verified.best, verified.played,
                      verified.lost, verified.best_line, verified.played_line, verified.second, verified.depth,
                      is_verified=True, praise=verified.praise)


def _with_rules(found: MoveVerdict, after: chess.Board) -> MoveVerdict:
    """Apply the rules that come before the loss: endgame tables, theory, and the first moves of a game."""
    if chess.popcount(found.board.occupied) <= _MOST_TABLE_PIECES:
        before, reply = _table_result(found.board), _table_result(after)
        if before is not None and reply is not None:
            return replace(found, mark=mark_of_table_results(before, -reply), table_results=(before, -reply),
                           lost=max(before + reply, 0) / 2)
    if found.after.is_losing_mate or found.before.is_winning_mate:
        return found  # a mate is no matter of taste
    if is_too_early(found.board):
        return replace(found, mark=Mark.NONE)
    if found.is_theory:
        return replace(found, mark=mark_of_theory(found.lost))
    return found


def _table_result(board: chess.Board) -> int | None:
    """The result of the side to move by the rules or by the endgame tables; None without an answer."""
    if board.is_checkmate():
        return -1
    if board.is_stalemate() or board.is_insufficient_material():
        return 0
    return tb_result(board)
