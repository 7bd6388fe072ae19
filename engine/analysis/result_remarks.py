"""Remarks on how a game ended: a draw, a resignation or a loss on time that does not fit the last position."""

from __future__ import annotations

from collections.abc import Mapping

import chess

from engine.analysis.lookup import tb_result
from engine.analysis.marks import CLEARLY_DECIDED
from engine.analysis.move_verdicts import MoveVerdict
from engine.text.sides import SIDE_NAMES

_NOT_LOST = -100  # centipawns, at least
_WINNERS = {"1-0": chess.WHITE, "0-1": chess.BLACK}
_ON_TIME = ("time", "flag", "clock")
_BY_DECISION = ("normal", "resign", "agree", "won by", "drawn by")  # in a Termination header, of the players


def result_remark(headers: Mapping[str, str], last: MoveVerdict) -> str:
    """What is remarkable about the result of a game whose last move this is; empty if it fits the position."""
    result, termination = headers.get("Result", "*"), headers.get("Termination", "").lower()
    end = last.board.copy()
    end.push(last.move)
    is_on_time = any(word in termination for word in _ON_TIME)
    is_by_decision = not termination or any(word in termination for word in _BY_DECISION)
    if result == "1/2-1/2" and is_by_decision and not is_on_time and not end.is_game_over(claim_draw=True):
        winning = next((side for side in chess.COLORS if _score_of(last, end, side) >= CLEARLY_DECIDED), None)
        verb = "a draw was agreed" if "agree" in termination else "a draw"
        return "" if winning is None else f"{verb}, although {_state(winning, 'winning', last)}"
    if result not in _WINNERS or end.is_checkmate() or not (is_on_time or is_by_decision):
        return ""
    loser = not _WINNERS[result]
    score, name = _score_of(last, end, loser), SIDE_NAMES[loser]
    state = "winning" if score >= CLEARLY_DECIDED else "not lost" if score >= _NOT_LOST else ""
    if is_on_time:
        return f"{name} lost on time" + (f", although {_state(loser, state, last)}" if state else "")
    verb = f"{name} resigned" if _is_resignation(termination) else f"a win for {SIDE_NAMES[not loser]}"
    return f"{verb}, although {_state(loser, state, last)}" if state else ""


def _is_resignation(termination: str) -> bool:
    """Whether a game without a mate on the board was resigned; PGN calls that a normal end."""
    return "resign" in termination or termination == "normal"


def _state(side: chess.Color, state: str, last: MoveVerdict) -> str:
    return f"{SIDE_NAMES[side]} is {state} ({last.position_score})"


def _score_of(last: MoveVerdict, end: chess.Board, side: chess.Color) -> int:
    """A side's score in the last position; where no deeper search confirmed it, the lower one of two positions."""
    by_table = 0 if end.is_insufficient_material() else tb_result(end)
    if by_table is not None:
        return (1 if side == end.turn else -1) * by_table * CLEARLY_DECIDED
    scores = [last.after] if last.is_verified else [last.after, last.before]
    return min(score.pov(side).value for score in scores)
