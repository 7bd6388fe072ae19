"""Explain a position or a move: search first, then say what can be counted where the printed line has settled.

Numbers are given only if they add up to the score that is shown and agree with its sign; otherwise facts without
numbers, and where there are none, the line alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess

from engine.analysis.board_facts import (
    BoardFact,
    board_facts,
    compensation_facts,
    given_material,
    has_opposite_bishops,
)
from engine.analysis.boards import to_position
from engine.analysis.comparison import agreeing_lines
from engine.analysis.ledger import LONGEST_LINE, balance, is_settled, settled_ledger
from engine.analysis.lookup import ending_text, tb_verdict_text
from engine.analysis.marks import CLEARLY_DECIDED, LEAST_MARKED_LOSS
from engine.analysis.move_points import MovePoints, MoveToExplain
from engine.analysis.move_searches import MoveSearches
from engine.analysis.move_verdicts import MoveVerdict, classify_move
from engine.analysis.reasons import reason_for
from engine.analysis.results import Score
from engine.analysis.review import Analyser, Line, PositionEval, SearchEffort, evaluate_board
from engine.analysis.themes import MATERIAL, PASSED, Point, displayed_part, position_points
from engine.analysis.wording import SHOWN_PLIES, line_text
from engine.core.position import PositionRecord
from engine.text.sides import SIDE_NAMES
from eval.explain import explain
from eval.weights import WeightsRecord, load_weights

MOST_REASONS = 5
REST = "what the network sees beyond that"
_MOST_FACTS = 2  # for each side
_MIN_REASON = 10  # centipawns: smaller points are part of the rest
_TB_WIN = 15_000  # centipawns: beyond this are wins by the endgame tables
_NAMEABLE = 30  # centipawns: a smaller score is too small to explain
_SLIGHT = 15  # centipawns: a smaller score favours nobody
_LIKELY_DRAW = 800  # of a thousand games
_CLOSE, _NEARLY = 15, 40  # centipawns that a move may cost to be as good as, or nearly as good as, the best


@dataclass(frozen=True)
class ExplainedReason:
    """One reason in words, and its worth in centipawns: to White, or to the side that moves."""

    centipawns: int
    words: str


@dataclass(frozen=True)
class Explanation:
    """Why a position, or a move in it, is good or bad. Scores are White's; mates count the explained move too."""

    state: str  # how the game has ended, or check; empty for neither
    table: str  # the result by the endgame tables; empty without an answer
    score: Score
    best: str  # the best line, in SAN; empty if the game is over
    move: str  # the explained move, in SAN; empty if there is none
    move_score: Score | None
    mark: str
    reply: str  # the best line after that move
    verdict: str  # in a sentence; empty if there is no move
    where: str = ""  # the position that reasons and facts are about: `here`, or `after 8...Nb4`
    # They add up to the score, White's; for a move, to what it costs or gains beside the other line, the mover's.
    reasons: tuple[ExplainedReason, ...] = ()
    facts: tuple[str, ...] = ()  # that can be counted on the board of `where`
    summary: str = ""  # of what the facts and reasons can account for
    points: tuple[str, ...] = ()  # what the move, or else the best one, does: ideas, threats, changes, the plan

    def lines(self) -> Iterator[str]:
        """The explanation as lines of text, most important first."""
        if self.state:
            yield self.state
        if self.table:
            yield f"endgame tables: {self.table}"
        if self.best:
            yield f"best: {self.best} ({_score_words(self.score, self.best)})"
        if self.move and self.move_score is not None:
            score = f"{_score_words(self.move_score, self.reply)}, " if self.reply and not self._is_score_said() else ""
            yield f"{self.move}{self.mark}: {score}{self.verdict}"
            if self.reply and self.reply not in self.verdict and self.reply not in self.best:
                yield f"then: {self.reply}"
        for point in self.points:
            yield f"  {_capitalized(point)}"
        if self.summary:
            yield _capitalized(self.summary)
        if self.reasons or self.facts:
            yield f"{_capitalized(self.where)}:"
            for reason in self.reasons:
                yield f"  {reason.centipawns / 100:+6.2f}  {reason.words}"
            for fact in self.facts:
                yield f"  {_capitalized(fact)}"

    def _is_score_said(self) -> bool:
        """Whether the score of the move is that of the best one, or a mate that its verdict names."""
        if self.move_score is not None and self.move_score.mate is not None:
            return re.search("mate in|#", self.verdict) is not None
        return self.move_score == self.score


@dataclass(frozen=True)
class _Account:
    """What accounts for a score in a position."""

    where: str
    reasons: tuple[ExplainedReason, ...] = ()
    facts: tuple[str, ...] = ()
    summary: str = ""


def explain_board(engine: Analyser, board: chess.Board, move: chess.Move | None, effort: SearchEffort,
                  weights: WeightsRecord | None = None) -> Explanation:
    """Search the position, and the position after the legal `move` if there is one, and explain the result."""
    weights = load_weights() if weights is None else weights
    is_over = ending_text(board) is not None
    state, table = game_state_text(board), "" if is_over else tb_verdict_text(board) or ""
    if move is None or is_over:
        return _explained_position(engine, board, effort, weights, (state, table))
    verdict = classify_move(engine, board, move, effort)
    after = board.copy()
    after.push(move)
    line = verdict.played_line[1:]
    reply = line if verdict.after.mate is not None else settled_line(after, line) or quiet_part(after, line)
    account = _account_of(after, reply, verdict.after.white(), weights) if line else _Account("")
    best = verdict.best_line if verdict.before.mate is not None else verdict.best_line[:SHOWN_PLIES]
    reply_text, sentence = line_text(after, reply, len(reply)), _sentence(verdict, after)
    points = [_without_line(point, sentence) for point in _points_of_move(engine, verdict)]
    return Explanation(state, table, verdict.before.white(), line_text(board, best, len(best)), board.san(move),
                       verdict.after.white(), verdict.mark.text, reply_text, sentence, account.where, account.reasons,
                       account.facts, account.summary, tuple(points))


def _explained_position(engine: Analyser, board: chess.Board, effort: SearchEffort, weights: WeightsRecord,
                        known: tuple[str, str]) -> Explanation:
    """The explanation of a position; `known` is how the game has ended, and the result by the endgame tables."""
    here = _evaluated(engine, board, effort)
    line = settled_line(board, here.line)
    account = _account_of(board, line, here.score.white(), weights, known[1]) if here.line else _Account("")
    shown = here.line if here.score.mate is not None else line or here.line[: LONGEST_LINE // 2]
    return Explanation(*known, here.score.white(), line_text(board, shown, len(shown)), "", None, "", "", "",
                       account.where, account.reasons, account.facts, account.summary,
                       _points_of_best(engine, board, here))


def _without_line(point: str, verdict: str) -> str:
    """A sentence without the line in brackets at its end, if the verdict has what follows the first move of that."""
    found = re.fullmatch(r"(.*) \(\d+\.+\S+ (.*)\)", point)
    return found[1] if found is not None and _unnumbered(found[2]) in _unnumbered(verdict) else point


def _unnumbered(line: str) -> str:
    return re.sub(r"\d+\.+", "", line)


def _points_of_best(engine: Analyser, board: chess.Board, here: PositionEval) -> tuple[str, ...]:
    """What the best move of a position does; nothing if the game is over."""
    if not here.line:
        return ()
    return MovePoints(engine, MoveToExplain(board, tuple(here.line), here.score, here.score, here.second)).points()


def _points_of_move(engine: Analyser, verdict: MoveVerdict) -> tuple[str, ...]:
    """What the move of a verdict does."""
    found = MoveToExplain(verdict.board, tuple(verdict.played_line), verdict.before, verdict.after, verdict.second,
                          agreeing_lines(verdict.played_line, verdict.played_lines)[1:])
    return MovePoints(engine, found).points()


def _evaluated(engine: Analyser, board: chess.Board, effort: SearchEffort) -> PositionEval:
    """The evaluation of a position, with a line up to the mate if it announces one."""
    return MoveSearches(engine, board, effort, lambda: False).to_mate(evaluate_board(engine, board, effort, lines=2))


def settled_line(board: chess.Board, line: Line) -> Line:
    """The line up to where it has settled; empty if the position is at rest and the line changes no material."""
    ledger = settled_ledger(board, line) if line else None
    if ledger is None or (is_settled(board) and balance(ledger.end, True) == balance(board, True)):
        return ()
    return tuple(ledger.moves)


def quiet_part(board: chess.Board, line: Line) -> Line:
    """The first plies of a line that changes no material, up to the last position that is at rest."""
    cursor, found = board.copy(stack=False), 0
    for number, move in enumerate(line[: LONGEST_LINE // 2], 1):
        cursor.push(move)
        if is_settled(cursor):
            found = number
    return line[:found]


def game_state_text(board: chess.Board) -> str:
    """How the game has ended, or that the side to move is in check, in words; empty otherwise."""
    return ending_text(board) or (f"{SIDE_NAMES[board.turn]} is in check" if board.is_check() else "")


def _sentence(verdict: MoveVerdict, after: chess.Board) -> str:
    if ending := ending_text(after):
        return ending
    if verdict.mark.is_bad:
        return reason_for(verdict).text
    better = line_text(verdict.board, verdict.best_line, 1)
    if verdict.is_best:
        return "the best move"
    if verdict.before.mate is not None and verdict.after != verdict.before:
        return f"wins too, but {better} mates in {verdict.before.mate}" if verdict.before.is_winning_mate else (
            "all moves lose")
    if verdict.lost >= LEAST_MARKED_LOSS:
        return f"{'a known move, but' if verdict.is_theory else 'not best:'} {better} is clearly better"
    return "as good as any" if verdict.cost < _CLOSE else "nearly the best" if verdict.cost < _NEARLY else (
        f"playable, but {better} is better")


def _capitalized(text: str) -> str:
    """A sentence with its first letter in upper case, unless it begins with a square or a file."""
    return text if re.match(r"[a-h](?:[1-8]|-file)", text) else text[:1].upper() + text[1:]


def _score_words(score: Score, line: str) -> str:
    """A score with its WDL in words; a mate is announced only if the line beside it ends with it."""
    if score.mate is not None:
        winner = SIDE_NAMES[bool(score.wdl.win)]
        if score.mate and not line.endswith("#"):
            return f"{winner} wins by force"
        return f"{winner} mates in {abs(score.mate)}" if score.mate else f"{winner} has mated"
    if _is_decided(score):
        return f"{SIDE_NAMES[bool(score.wdl.win)]} wins by the endgame tables"
    win, draw, loss = (f"{part / 10:.0f} %" for part in score.wdl)
    return f"{score}: White wins {win}, draw {draw}, Black wins {loss}"


def _is_decided(score: Score) -> bool:
    return score.centipawns is None or abs(score.centipawns) >= _TB_WIN


def _account_of(board: chess.Board, line: Line, score: Score, weights: WeightsRecord,
                table: str = "") -> _Account:
    """What accounts for White's score, at the end of a printed line; `table` is the result by the endgame tables."""
    end, where = board.copy(), "here"
    for number, move in enumerate(line):
        if number == len(line) - 1:
            where = f"after {line_text(end, line[number:], 1)}"
        end.push(move)
    if _is_decided(score) or not any(end.generate_legal_moves()):
        return _Account("")
    value = score.centipawns or 0
    facts = board_facts(end)
    is_draw = score.wdl.draw >= _LIKELY_DRAW
    more = ("the bishops are of opposite colours",) if has_opposite_bishops(end) else ()
    if abs(value) < _NAMEABLE:
        if is_draw:
            facts = [fact for fact in facts if fact.topic in (MATERIAL, PASSED)]
        is_equal, ahead = abs(value) < _SLIGHT, SIDE_NAMES[value > 0]
        summary = "the engine expects a draw" if is_draw else (
            "the chances are about equal" if is_equal else f"{ahead} is slightly better")
        return _Account(where, facts=_named_facts(facts) + more, summary="" if table else summary)
    better = value > 0
    given = given_material(end, better)
    if given:
        given_here = given_material(board, better) if is_settled(board) else ""
        if given_here and not compensation_facts(end, better):  # the pressure that it was given for is gone by then
            return _compensation(board, "here", better, given_here)
        return _compensation(end, where, better, given)
    reasons = _numbered_reasons(end, value, weights)
    if reasons:
        return _Account(where, reasons, more)
    is_won = abs(value) >= CLEARLY_DECIDED and bool(facts) and facts[0].topic == MATERIAL
    named = _named_facts([fact for fact in facts if fact.side == better], 1 if is_won else 2 * _MOST_FACTS)
    side = SIDE_NAMES[better]
    summary = f"{side} is winning" if abs(value) >= CLEARLY_DECIDED and not is_draw else (
        f"the engine prefers {side} by {abs(value) / 100:.2f}" + (", but expects a draw" if is_draw else ""))
    if not named:
        return _Account("", summary=f"{summary}; no single feature accounts for it")
    return _Account(where, facts=named + more, summary=summary)


def _named_facts(facts: Sequence[BoardFact], most: int = _MOST_FACTS) -> tuple[str, ...]:
    """The words of the first facts, at most so many for each side."""
    return tuple(fact.words for number, fact in enumerate(facts)
                 if sum(other.side == fact.side for other in facts[:number]) < most)


def _compensation(board: chess.Board, where: str, better: chess.Color, given: str) -> _Account:
    """For a side that is better although it is behind in material."""
    side, facts = SIDE_NAMES[better], compensation_facts(board, better)
    behind = -balance(board, better)
    if not facts:
        pawns = "a pawn" if behind == 1 else f"{behind} pawns"
        return _Account("", summary=f"{side} has given {given}; the engine values the attack at more than {pawns}")
    return _Account(where, facts=tuple(facts[: 2 * _MOST_FACTS]), summary=f"{side} has given {given}. In return,")


def _numbered_reasons(end: chess.Board, value: int, weights: WeightsRecord) -> tuple[ExplainedReason, ...]:
    """Reasons that add up to White's score, with the rest as the last; none if they cannot account for it."""
    position, sign = to_position(end), 1 if value > 0 else -1
    points = _to_reasons(position, position_points(explain(position, weights), end))
    rows = [row for row in points if abs(row.centipawns) >= _MIN_REASON][:MOST_REASONS]
    rows.sort(key=lambda row: -row.centipawns * sign)
    rest = value - sum(row.centipawns for row in rows)
    largest = max((abs(row.centipawns) for row in rows), default=0)
    if not rows or rows[0].centipawns * sign <= 0 or abs(rest) > min(abs(value) // 2, largest):
        return ()
    for_it = sum(row.centipawns * sign for row in rows if row.centipawns * sign > 0)
    against = -sum(row.centipawns * sign for row in rows if row.centipawns * sign < 0)
    return (*rows, ExplainedReason(rest, REST)) if for_it > against else ()


def _to_reasons(position: PositionRecord, points: Sequence[Point]) -> list[ExplainedReason]:
    """The points on the displayed scale."""
    unit = displayed_part(position)
    return [ExplainedReason(round(point.parts * unit), point.words) for point in points]
