"""Verdicts on moves: what each cost, its mark, and the lines that show why.

They come from the searches of a review, which review_driver.py runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import chess

from engine.analysis.boards import ends_in_mate, recent_board
from engine.analysis.claims import loss_claim, material_after_move, promotion_claim
from engine.analysis.comparison import Statement
from engine.analysis.ledger import PIECE_VALUES
from engine.analysis.lookup import is_book_theory, opening_name, tb_result, theory_plies
from engine.analysis.marks import (
    LEAST_MISTAKE,
    Mark,
    cost_between,
    is_costly_in_decided_game,
    is_too_early,
    loss_between,
    mark_of_table_results,
    mark_of_theory,
)
from engine.analysis.praise import Praise
from engine.analysis.results import Score, score_after_move, score_before_move
from engine.analysis.review import Analyser, Line, PositionEval, SearchEffort
from engine.analysis.review_driver import GameReview
from engine.analysis.verification import VerifiedMove, explained, verify_move

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
    best_line: Line
    played_line: Line  # beginning with the move
    second: Score | None  # of the second-best move
    depth: int
    is_theory: bool = False
    is_verified: bool = False  # by deeper searches of the move and of the best one
    table_results: tuple[int, int] | None = None  # of the mover, before and after the move, by the endgame tables
    praise: Praise | None = None
    # The lines of the last iterations of the searches that gave the scores, if it was verified.
    best_lines: tuple[Line, ...] = ()
    played_lines: tuple[Line, ...] = ()
    statements: tuple[Statement, ...] = ()  # about the difference to the best move, the most telling first

    @property
    def is_best(self) -> bool:
        """Whether the search would have played the move."""
        return self.best_line[:1] == self.played_line[:1]

    @property
    def cost(self) -> int:
        """Centipawns that the move lost, with scores cut where games are decided."""
        return 0 if self.is_best else cost_between(self.before, self.after)

    @property
    def position_score(self) -> Score:
        """The score of the position after the move, for White."""
        return score_after_move(self.after).white()


def classify_game(board: chess.Board, moves: Sequence[chess.Move], review: GameReview) -> list[MoveVerdict]:
    """The verdicts on the moves of a game that starts at `board`."""
    theory, cursor, verdicts = theory_plies(board, moves), board.copy(), list[MoveVerdict]()
    is_theory = True
    for ply, move in enumerate(moves):
        before = recent_board(cursor).copy()
        cursor.push(move)
        verified = review.verified.get(ply)
        if verified is None:
            found = _by_first_round(ply, before, move, review.evals[ply], review.evals[ply + 1])
        else:
            found = by_verification(ply, before, move, verified)
        found = replace(found, is_theory=is_theory and ply in theory)
        is_theory = is_theory and found.lost < LEAST_MISTAKE  # whatever follows a mistake is none
        verdicts.append(_with_praise(_with_rules(found, cursor)))
    verdicts = with_agreeing_mates(verdicts)
    verdicts = _with_first_moves_praised(verdicts)
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
                                   played_line=(here.move, *there.best_line))
        elif abs(allowed.mate) < abs(missed.mate) and there.mark.is_bad and (
                here.played_line[1:2] != (there.move,) and ends_in_mate(there.board, here.played_line[1:])):
            found[index + 1] = replace(there, before=allowed, best_line=here.played_line[1:])
    return found


def _with_praise(found: MoveVerdict) -> MoveVerdict:
    """Apply the praise of a verified move; of theory, only sacrifices are praised."""
    praise = found.praise
    if praise is None or found.mark.is_bad or (found.is_theory and praise.offer is None):
        return replace(found, praise=None)
    return replace(found, mark=praise.mark)


def _with_first_moves_praised(verdicts: Sequence[MoveVerdict]) -> list[MoveVerdict]:
    """The verdicts with praise for the first move of a combination, and later ones only if they give more."""
    found, begun = list(verdicts), dict[chess.Color, MoveVerdict]()  # the last move of a praised line, by side
    for index, verdict in enumerate(verdicts):
        side, first = verdict.board.turn, begun.get(verdict.board.turn)
        plies = 0 if first is None else verdict.ply - first.ply
        game = tuple(other.move for other in verdicts[index - plies : index + 1])
        if first is not None and plies and first.played_line[: plies + 1] == game:
            if verdict.praise is not None and _given(verdict) <= _given(first):
                found[index] = replace(verdict, mark=Mark.NONE, praise=None)
        elif verdict.praise is not None:
            begun[side] = verdict
    return found


def _given(verdict: MoveVerdict) -> int:
    return verdict.praise.offer.given if verdict.praise is not None and verdict.praise.offer is not None else 0


def _too_much_praise(verdicts: Sequence[MoveVerdict]) -> set[int]:
    """The plies of good and only moves beyond the most telling ones of each side."""
    excess = set[int]()
    for side in chess.COLORS:
        praised = [found for found in verdicts if found.board.turn == side and found.mark in (Mark.GOOD, Mark.ONLY)]
        praised.sort(key=lambda found: -found.praise.gap if found.praise else 0.0)
        excess.update(found.ply for found in praised[_MOST_PRAISE:])
    return excess


def classify_move(engine: Analyser, board: chess.Board, move: chess.Move, effort: SearchEffort) -> MoveVerdict:
    """The verdict on one move of a position, by searches of `effort` each: as a review gives it with this effort."""
    engine.clear()
    recent = recent_board(board).copy()
    verified = explained(engine, recent, verify_move(engine, recent, move, effort), effort)
    found = by_verification(len(board.move_stack), board, move, verified)
    after = board.copy()
    after.push(move)
    is_theory = not board.chess960 and (is_book_theory(board, move) or opening_name(after) is not None)
    return _with_rules(replace(found, is_theory=is_theory), after)


def _by_first_round(ply: int, board: chess.Board, move: chess.Move, here: PositionEval,
                    there: PositionEval) -> MoveVerdict:
    """A move that no deeper search was needed for: at most a little worse than the best."""
    played = score_before_move(-there.score)
    is_best = here.move == move
    return MoveVerdict(ply, board, move, Mark.NONE, here.score, played,
                      0.0 if is_best else loss_between(here.score, played), here.line, (move, *there.line),
                      here.second, there.depth)


def by_verification(ply: int, board: chess.Board, move: chess.Move, verified: VerifiedMove) -> MoveVerdict:
    """A move that was compared with the best one by deeper searches."""
    return MoveVerdict(ply, board, move, verified.mark, verified.best, verified.played,
                      verified.lost, verified.best_line, verified.played_line, verified.second, verified.depth,
                      is_verified=True, praise=verified.praise, best_lines=verified.best_lines,
                      played_lines=verified.played_lines, statements=verified.statements)


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
    if found.is_verified and not found.mark.is_bad and _is_blunder_in_decided_game(found, after):
        return replace(found, mark=Mark.DUBIOUS)
    return found


def _is_blunder_in_decided_game(found: MoveVerdict, after: chess.Board) -> bool:
    """Whether a move loses a piece or lets a pawn promote, though both its score and the best one's are decided."""
    if not is_costly_in_decided_game(found.before, found.after):
        return False
    played, best = (material_after_move(found.board, line) for line in (found.played_line, found.best_line))
    claim = None if played is None else loss_claim(found.board, played, found.move)
    if played is not None and claim is not None:
        kept = 0 if best is None else best.net
        return min(-played.net, kept - played.net) >= PIECE_VALUES[chess.KNIGHT]
    better = _after(found.board, found.best_line[0])
    return _promotes(after, found.played_line) and not _promotes(better, found.best_line)


def _promotes(after: chess.Board, line: Line) -> bool:
    """Whether the side to move after the first move of a line promotes a pawn for good."""
    return len(line) > 1 and promotion_claim(after, line[1:]) is not None


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


def _table_result(board: chess.Board) -> int | None:
    """The result of the side to move by the rules or by the endgame tables; None without an answer."""
    if board.is_checkmate():
        return -1
    if board.is_stalemate() or board.is_insufficient_material():
        return 0
    return tb_result(board)
