"""Why a wrong try fails: what the opponent's answer to it costs, and never what would have been right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import chess

from engine.analysis.claims import loss_claim, mate_claim, material_after_move, perpetual_claim, threat_claim
from engine.analysis.comparison import board_after_move
from engine.analysis.results import Score
from engine.analysis.review import Line
from engine.analysis.wording import line_text, loss_text
from engine.text.sides import SIDE_NAMES

_LEAST_LOSS = 2  # pawns: less does not refute a move
_WINNING, _BETTER, _NEAR_DRAW = 200, 60, 10  # centipawns


def refutation_reason(board: chess.Board, line: Sequence[chess.Move], score: Score) -> str:
    """What a wrong try costs, the first move of the line that refutes it; the score is the solver's after it.

    It is proven by the line alone, so that it says nothing of the move of the solution, nor of its motif.
    """
    after, reply = board_after_move(board, line[0]), line[1:]
    if after.is_stalemate():
        return "gives stalemate"
    if reply and score.is_losing_mate:
        mate = mate_claim(after, reply)
        return "walks into a forced mate" if mate is None else f"allows mate in {mate.number}"
    if reply and abs(score.value) <= _NEAR_DRAW and perpetual_claim(after, reply) is not None:
        return "allows perpetual check"
    cost = _loss(board, after, line) or _threat(after, reply)
    return "; ".join(filter(None, (cost, _outcome(score, board.turn))))


def shown_refutation(refutation: Line, right: chess.Move) -> Line:
    """The part of a refutation before the solver makes the move of the solution after all; at least the reply."""
    own = len(list(takewhile(right.__ne__, refutation[1::2])))
    return refutation[: 2 * own + 1]


def _loss(board: chess.Board, after: chess.Board, line: Sequence[chess.Move]) -> str:
    played = material_after_move(board, line)
    claim = None if played is None or played.net > -_LEAST_LOSS else loss_claim(board, played, line[0])
    return "" if played is None or claim is None else loss_text(after, claim, played.base)


def _threat(after: chess.Board, reply: Sequence[chess.Move]) -> str:
    threat = threat_claim(after, reply)
    if threat is None:
        return ""
    passed = board_after_move(after, reply[0])
    passed.push(chess.Move.null())
    return f"allows the threat of {line_text(passed, threat[1:])}"


def _outcome(score: Score, side: chess.Color) -> str:
    """Who stands how, by the solver's score."""
    if score.value <= -_BETTER:
        return f"{SIDE_NAMES[not side]} is {'winning' if score.value <= -_WINNING else 'better'}"
    return "the game is even" if score.value < _BETTER else f"{SIDE_NAMES[side]} is only a little better"
