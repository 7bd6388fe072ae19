"""Accuracy: how well a player played, in one game or many."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

import chess

from engine.analysis.judgement import JudgedMove
from engine.analysis.marks import BAD, Mark

_SHARPNESS = 5.0  # accuracy falls to 1/e when a move loses a fifth of a point
_LAST_OPENING_MOVE = 10
_ENDGAME_PHASE = 8  # knights and bishops 1, rooks 2, queens 4, of 24


class Phase(Enum):
    """A part of the game."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


def phase_of(board: chess.Board) -> Phase:
    """The part of the game that a position belongs to."""
    pieces = (chess.popcount(board.knights | board.bishops) + 2 * chess.popcount(board.rooks)
              + 4 * chess.popcount(board.queens))
    if pieces <= _ENDGAME_PHASE:
        return Phase.ENDGAME
    return Phase.OPENING if board.fullmove_number <= _LAST_OPENING_MOVE else Phase.MIDDLEGAME


@dataclass
class PlayerAccuracy:
    """How accurately a player played, in one game or many."""

    games: int = 0
    moves: int = 0
    accuracy_sum: float = 0.0
    cost_sum: int = 0
    counts: dict[str, dict[str, int]] = field(
        default_factory=lambda: {phase.value: {mark.text: 0 for mark in BAD} for phase in Phase})  # [phase][mark]

    @property
    def accuracy(self) -> float:
        """From 0 to 100: the mean over all moves of 100 exp(-5 x lost expected score)."""
        return self.accuracy_sum / self.moves if self.moves else 100.0

    @property
    def average_loss(self) -> float:
        """Average loss in centipawns per move."""
        return self.cost_sum / self.moves if self.moves else 0.0

    def of(self, mark: Mark) -> int:
        """The number of moves with this mark."""
        return sum(counts[mark.text] for counts in self.counts.values())

    def add(self, judged: JudgedMove, phase: Phase) -> None:
        """Count one move."""
        self.moves += 1
        self.accuracy_sum += 100 * math.exp(-_SHARPNESS * judged.lost)
        self.cost_sum += judged.cost
        if judged.mark.is_bad:
            self.counts[phase.value][judged.mark.text] += 1

    def add_all(self, others: Iterable[PlayerAccuracy]) -> None:
        """Add the counts of other games."""
        for other in others:
            self.games += other.games
            self.moves += other.moves
            self.accuracy_sum += other.accuracy_sum
            self.cost_sum += other.cost_sum
            for phase, counts in other.counts.items():
                for mark, number in counts.items():
                    self.counts[phase][mark] += number


def player_accuracies(judged_moves: Iterable[JudgedMove]) -> tuple[PlayerAccuracy, PlayerAccuracy]:
    """White's and Black's accuracy in a game."""
    white, black = PlayerAccuracy(games=1), PlayerAccuracy(games=1)
    for judged in judged_moves:
        (white if judged.board.turn else black).add(judged, phase_of(judged.board))
    return white, black
