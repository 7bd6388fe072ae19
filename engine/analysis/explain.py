"""Explain a position or a move: search first, then name the differences where the best line has settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess

from engine.analysis.boards import fen_and_moves
from engine.analysis.judgement import JudgedMove, judge_move
from engine.analysis.lookup import tb_verdict_text
from engine.analysis.reasons import line_text, reason_for, sacrifice, settled_end
from engine.analysis.results import Score
from engine.analysis.review import Analyser, SearchEffort, evaluate_board
from engine.analysis.themes import Point, move_points, position_points
from engine.core.game import Game
from engine.core.position import PositionRecord
from engine.system.errors import InputError
from engine.text.display import to_cp
from eval.explain import PARTS_PER_CENTIPAWN, compare, explain
from eval.wdl import features_wdl_model
from eval.weights import WeightsRecord, load_weights

MOST_REASONS = 5
_MIN_REASON = 10  # centipawns: smaller points are not reported
_MIN_SHARE = 0.15  # of the largest point: smaller ones are not reported
_SETTLE_PLIES = 2  # so that each side has answered the other's threats
_SCALE_CENTIPAWNS = 10_000  # to measure the display scale
_TB_WIN = 15_000  # centipawns: beyond this are wins by the endgame tables
_CLEAR = 100  # centipawns: one side is clearly better
_CLOSE, _NEARLY = 15, 40  # centipawns that a move may cost to be as good as, or nearly as good as, the best


@dataclass(frozen=True)
class ExplainedReason:
    """One reason in words, and its worth in centipawns: to White, or to the side that moves."""

    centipawns: int
    words: str


@dataclass(frozen=True)
class Explanation:
    """Why a position, or a move in it, is good or bad. Scores are White's; mates count the explained move too."""

    state: str  # checkmate, stalemate or check; empty for none of them
    table: str  # the result by the endgame tables; empty without an answer
    score: Score
    best: str  # the best line, in SAN; empty if the game is over
    move: str  # the explained move, in SAN; empty if there is none
    move_score: Score | None
    mark: str
    reply: str  # the best line after that move
    verdict: str  # in a sentence; empty if there is no move
    # White's, where the best line has settled; or what the move changes, for the mover
    reasons: tuple[ExplainedReason, ...]

    def lines(self) -> Iterator[str]:
        """The explanation as lines of text, most important first."""
        if self.state:
            yield self.state
        if self.table:
            yield f"endgame tables: {self.table}"
        if self.best:
            yield f"best: {self.best} ({_score_words(self.score)})"
        if self.move and self.move_score is not None:
            score = f"{_score_words(self.move_score)}, " if self.reply else ""
            yield f"{self.move}{self.mark}: {score}{self.verdict}"
            if self.reply:
                yield f"then: {self.reply}"
        if self.reasons:
            yield f"what {self.move} changes:" if self.move else "what matters:"
            for reason in self.reasons:
                yield f"  {reason.centipawns / 100:+6.2f}  {reason.words}"
        elif self.best and not self.move and self.score.centipawns is not None and abs(self.score.centipawns) < _CLEAR:
            yield "neither side has an advantage that could be named"


def explain_board(engine: Analyser, board: chess.Board, move: chess.Move | None, effort: SearchEffort,
                  weights: WeightsRecord | None = None) -> Explanation:
    """Search the position, and the position after `move` if there is one, and explain the result."""
    weights = load_weights() if weights is None else weights
    if move is not None and not board.is_legal(move):
        raise InputError(f"{move.uci()} is not a legal move in {board.fen()}")
    here = evaluate_board(engine, board, effort)
    state, table = game_state_text(board), (tb_verdict_text(board) or "") if here.line else ""
    score, best = here.score.white(), line_text(board, here.line)
    if move is None or not here.line:
        reasons = _position_reasons(settled_end(board, here.line, _SETTLE_PLIES), score, weights) if here.line else ()
        return Explanation(state, table, score, best, "", None, "", "", "", reasons)
    after = board.copy()
    after.push(move)
    judged = judge_move(engine, board, move, effort)
    line = judged.played_line[1:]
    reasons = _move_reasons(board, settled_end(after, line), weights) if line else ()
    if judged.mark.is_bad:
        reasons = tuple(reason for reason in reasons if reason.centipawns < 0)  # its merits do not matter
    return Explanation(state, table, judged.before.white(), line_text(board, judged.best_line), board.san(move),
                       judged.after.white(), judged.mark.text, line_text(after, line), _sentence(judged, after),
                       () if _is_decided(judged.after) else reasons)


def game_state_text(board: chess.Board) -> str:
    """Checkmate, stalemate, check or insufficient material, in words; empty otherwise."""
    side = chess.COLOR_NAMES[board.turn]
    if board.is_checkmate():
        return f"checkmate: {chess.COLOR_NAMES[not board.turn]} has won"
    if board.is_stalemate():
        return f"stalemate: {side} has no move, the game is drawn"
    if board.is_insufficient_material():
        return "neither side can mate: the game is drawn"
    return f"{side} is in check" if board.is_check() else ""


def _sentence(judged: JudgedMove, after: chess.Board) -> str:
    if after.is_game_over():
        return game_state_text(after)
    if judged.mark.is_bad:
        return reason_for(judged)
    board, better = judged.board, line_text(judged.board, judged.best_line, 1)
    given = sacrifice(board, after, judged.played_line[1:])
    offer = f": it gives {given}" if given else ""
    if judged.is_best:
        return f"the best move{offer}"
    if judged.before.mate is not None and judged.after != judged.before:
        return f"wins too, but {better} mates in {judged.before.mate}" if judged.before.is_winning_mate else (
            "all moves lose")
    words = "as good as any" if judged.cost < _CLOSE else "nearly the best" if judged.cost < _NEARLY else (
        f"playable, but {better} is better")
    return f"{words}{offer}"


def _score_words(score: Score) -> str:
    """A score with its WDL in words."""
    if score.mate is not None:
        winner = "white" if score.wdl.win else "black"
        return f"{winner} mates in {abs(score.mate)}" if score.mate else f"{winner} has mated"
    if _is_decided(score):
        return f"{'white' if score.wdl.win else 'black'} wins by the endgame tables"
    win, draw, loss = (f"{part / 10:.0f} %" for part in score.wdl)
    return f"{score}: white wins {win}, draw {draw}, black wins {loss}"


def _is_decided(score: Score) -> bool:
    return score.centipawns is None or abs(score.centipawns) >= _TB_WIN


def to_position(board: chess.Board) -> PositionRecord:
    """The engine's record of a board's position; InputError if it is illegal."""
    fen, moves = fen_and_moves(board)
    return Game(fen, board.chess960, moves).position


def _position_reasons(board: chess.Board, score: Score, weights: WeightsRecord) -> tuple[ExplainedReason, ...]:
    """The main reasons in a position, White's; at most one against the side that the search says is better."""
    if _is_decided(score):
        return ()
    position = to_position(board)
    reasons = _to_reasons(position, position_points(explain(position, weights), board))
    if abs(score.value) < _CLEAR:
        return reasons[:MOST_REASONS]
    sign = 1 if score.value > 0 else -1
    favourable = [reason for reason in reasons if reason.centipawns * sign > 0]
    against = [reason for reason in reasons if reason.centipawns * sign < 0 and favourable
               and abs(reason.centipawns) < abs(favourable[0].centipawns)]
    return (*favourable[: MOST_REASONS - 1], *against[:1])


def _move_reasons(board: chess.Board, settled: chess.Board, weights: WeightsRecord) -> tuple[ExplainedReason, ...]:
    """What has changed where the line after a move has settled, for the mover."""
    end, mover = to_position(settled), 0 if board.turn else 1
    after = explain(end, weights)
    comparison = compare(explain(to_position(board), weights), after, mover)
    return _to_reasons(end, move_points(comparison, board, settled, after.phase_share))[:MOST_REASONS]


def _to_reasons(position: PositionRecord, points: Sequence[Point]) -> tuple[ExplainedReason, ...]:
    """The points large enough to be reported, on the displayed scale."""
    # the points are from the hand-written features, whatever evaluator the search weights
    unit = to_cp(position, _SCALE_CENTIPAWNS, features_wdl_model()) / _SCALE_CENTIPAWNS / PARTS_PER_CENTIPAWN
    reasons = [ExplainedReason(round(point.parts * unit), point.words) for point in points]
    least = max([_MIN_REASON, *(_MIN_SHARE * abs(reason.centipawns) for reason in reasons[:1])])
    return tuple(reason for reason in reasons if abs(reason.centipawns) >= least)
