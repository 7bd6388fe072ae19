"""One attempt at what is asked: the time so far, hints, and what the answer is worth."""

from __future__ import annotations

import time
from collections.abc import Callable

import chess

from engine.coach.schedule import Outcome


class TrainingAttempt:
    """Hints, wrong moves and the time since the position was shown."""

    def __init__(self, now: Callable[[], float] = time.monotonic, *, is_repeat: bool = False) -> None:
        self._now, self._began = now, now()
        self.is_repeat = is_repeat  # of what was failed before in this session, which counted then
        self.hints = 0
        self.hints_here = 0  # at the move that is asked
        self.is_failed = False

    @property
    def seconds(self) -> float:
        """The time since the position was shown."""
        return self._now() - self._began

    def outcome_within(self, at_once: float) -> Outcome:
        """How the position was answered; `at_once` are the seconds that an answer at once may take."""
        if self.is_failed:
            return Outcome.FAILED
        if self.hints:
            return Outcome.WITH_HINTS
        return Outcome.AT_ONCE if self.seconds <= at_once else Outcome.SOLVED

    def hint_at(self, board: chess.Board, move: chess.Move, named: str) -> str:
        """First which piece moves, then `named`, which is the move in words."""
        self.hints += 1
        self.hints_here += 1
        if self.hints_here > 1:
            return named
        piece = chess.piece_name(board.piece_type_at(move.from_square) or chess.KING)
        return f"the {piece} on {chess.square_name(move.from_square)} moves"

    def squares_hinted_at(self, move: chess.Move) -> list[str]:
        """The squares of the asked move that hints have named."""
        return [chess.square_name(square) for square in (move.from_square, move.to_square)[: self.hints_here]]
