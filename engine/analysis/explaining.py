"""Why a position or a move is good or bad: a search first, then the features where its line has become quiet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess

from engine.analysis.boards import place_of
from engine.analysis.marks import Verdict, verdict_on
from engine.analysis.reasons import balance_in_words, line_text, quiet_end, reason_for
from engine.analysis.spans import Analyst, Effort, Judgement, judge
from engine.analysis.values import Score
from engine.core.errors import InputError
from engine.core.game import Game
from engine.core.position import PositionRecord
from engine.shown import shown_score
from eval.explain import PARTS, Term, compare, explain
from eval.phrases import PHRASES, in_words
from eval.weights import WeightsRecord, load_weights

MOST_TERMS = 5
_LEAST = 5  # centipawns: what is worth less is not worth a word
_MATERIAL = "material"  # the feature
_UNIT = 10_000  # centipawns, to find the scale by


@dataclass(frozen=True)
class Reason:
    """One thing that matters, in words, and what it is worth in centipawns: to White, or to the side that moves."""

    centipawns: int
    words: str


@dataclass(frozen=True)
class Explanation:
    """Why a position, or a move in it, is good or bad. Scores are White's."""

    state: str  # checkmate, stalemate or check; empty for none of them
    score: Score
    best: str  # the best line, in SAN; empty if the game is over
    move: str  # the move in question, in SAN; empty if none is
    move_score: Score | None
    mark: str
    reply: str  # what that move allows: the best line after it
    verdict: str  # in a sentence; empty if the move is as good as any
    reasons: tuple[Reason, ...]  # White's, where the best line is quiet; or what the move changes, for who moves

    def lines(self) -> Iterator[str]:
        """All of it for people, the most important first."""
        if self.state:
            yield self.state
        if self.best:
            yield f"best: {self.best} ({_told(self.score)})"
        if self.move and self.move_score is not None:
            yield f"{self.move}{self.mark}: {_told(self.move_score)}" + (f", {self.verdict}" if self.verdict else "")
            if self.reply:
                yield f"then: {self.reply}"
        if self.reasons:
            yield f"what {self.move} changes, when things have calmed down:" if self.move else (
                "what matters, when things have calmed down:")
            for reason in self.reasons:
                yield f"  {reason.centipawns / 100:+6.2f}  {reason.words}"


def explained(engine: Analyst, board: chess.Board, move: chess.Move | None, effort: Effort,
              weights: WeightsRecord | None = None) -> Explanation:
    """Search the position, and what follows the move if there is one, and say what was found."""
    used = load_weights() if weights is None else weights
    state = state_of(board)
    here = judge(engine, board, effort)
    if move is None or not here.line:
        end = quiet_end(board, here.line)
        reasons = () if _is_decided(here.score) else _position_reasons(end, used)
        return Explanation(state, _for_white(board, here.score), line_text(board, here.line), "", None, "", "", "",
                           reasons)
    if not board.is_legal(move):
        raise InputError(f"{move.uci()} is no legal move in {board.fen()}")
    after = board.copy()
    after.push(move)
    there = judge(engine, after, effort)
    verdict = verdict_on(board, move, here, there)
    return Explanation(state, _for_white(board, here.score), line_text(board, here.line), board.san(move),
                       _for_white(after, there.score), verdict.mark.text, line_text(after, there.line),
                       _sentence(board, after, move, (here, there), verdict),
                       () if _is_decided(there.score) else _move_reasons(board, after, there, used))


def state_of(board: chess.Board) -> str:
    """What is to be said first of a position: checkmate, stalemate, check."""
    side = chess.COLOR_NAMES[board.turn]
    if board.is_checkmate():
        return f"checkmate: {chess.COLOR_NAMES[not board.turn]} has won"
    if board.is_stalemate():
        return f"stalemate: {side} has no move, the game is drawn"
    if board.is_insufficient_material():
        return "neither side can mate: the game is drawn"
    return f"{side} is in check" if board.is_check() else ""


def _sentence(board: chess.Board, after: chess.Board, move: chess.Move, both: tuple[Judgement, Judgement],
              verdict: Verdict) -> str:
    if after.is_game_over():
        return state_of(after)
    return reason_for(board, move, *both, verdict)


def _told(score: Score) -> str:
    """A score with the chances that it stands for."""
    if score.mate is not None:
        winner = "white" if score.wdl.win else "black"
        return f"{winner} mates in {abs(score.mate)}" if score.mate else f"{winner} has mated"
    win, draw, loss = (f"{share / 10:.0f} %" for share in score.wdl)
    return f"{score}: white wins {win}, draw {draw}, black wins {loss}"


def _for_white(board: chess.Board, score: Score) -> Score:
    return score if board.turn else -score


def _is_decided(score: Score) -> bool:
    return score.mate is not None


def position_of(board: chess.Board) -> PositionRecord:
    """The engine's own record of a board's position; InputError if it cannot be played."""
    fen, moves = place_of(board)
    return Game(fen, board.chess960, moves).position


def shown_parts(position: PositionRecord, parts: int) -> int:
    """Parts of a centipawn on the one scale that users see."""
    return round(parts / PARTS * shown_score(position, _UNIT) / _UNIT)


def _position_reasons(board: chess.Board, weights: WeightsRecord) -> tuple[Reason, ...]:
    """The weightiest terms of a position, for White."""
    position = position_of(board)
    terms = sorted(explain(position, weights).present(), key=lambda term: -abs(term.parts))
    found = [Reason(shown_parts(position, term.parts), whose_term(term)) for term in terms
             if term.feature.group != "tempo"]
    return _weighty(found)


def whose_term(term: Term) -> str:
    """Whose a term is, and what: `white: the bishop pair`."""
    owner = "white" if abs(term.white.parts) >= abs(term.black.parts) else "black"
    return f"{owner}: {PHRASES[term.feature.name].noun.format(own='its', other='the opponent' + chr(39) + 's')}"


def _move_reasons(board: chess.Board, after: chess.Board, there: Judgement, weights: WeightsRecord,
                  ) -> tuple[Reason, ...]:
    """What is different where the line after a move is quiet, for the side that made it."""
    quiet = quiet_end(after, there.line)
    end, mover = position_of(quiet), 0 if board.turn else 1
    changes = compare(explain(position_of(board), weights), explain(end, weights), mover).changes
    material = sum(change.parts for change in changes if change.feature.name == _MATERIAL)
    found = [Reason(shown_parts(end, change.parts), in_words(change, mover)) for change in changes
             if change.feature.name != _MATERIAL]
    found.append(Reason(shown_parts(end, material), balance_in_words(board, quiet)))  # an even trade is no reason
    return _weighty(sorted(found, key=lambda reason: -abs(reason.centipawns)))


def _weighty(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    return tuple(reason for reason in reasons if abs(reason.centipawns) >= _LEAST)[:MOST_TERMS]
