"""Accuracy: how well a player played, in one game or many, by phase, and like whom.

The accuracy of a move falls with the expected score that it loses on the human curve. A move counts by what was at
stake: fully where the game is open, hardly where it is decided, and not at all where there was nothing to find.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import chess

from engine.analysis.marks import BAD, COMPLETELY_DECIDED, Mark
from engine.analysis.move_verdicts import MoveVerdict
from engine.analysis.praise import is_recapture

_STEEPNESS = 4.5  # a move that loses a tenth of a point has an accuracy of 64
_LEAST_STAKE = 0.05  # of a move in a decided game
_LEAST_ACCURACY = 5.0  # of a move, in the harmonic mean
_LARGEST_LOSS = 300  # centipawns of one move, in the average loss
_LEAST_PHASE_STAKES = 3.0  # below which a phase has no accuracy
_OPENING_PIECES, _ENDGAME_PIECES = 11, 6  # knights, bishops, rooks and queens: at least, at most
_FIRST_RANK_PIECES = 4  # fewer on a side's first rank end the opening

# The rating of a player whose loss per stake is x, fitted to games of Stockfish on a ladder of UCI_Elo levels.
RATING_BASE, RATING_SLOPE, RATING_ERROR = -970.0, 835.0, 420.0  # see history/analysis.md
_RATING_FLOOR = 0.004  # added to the loss, so that a perfect game has a rating
_LEAST_RATED_MOVES = 15  # with a stake
_NINE_OF_TEN = 1.64  # standard deviations on either side
_LEAST_STAKES = 0.95  # below which there is no accuracy: about one move in an even position
_TYPICAL_STAKES = 15.0  # of a game
_NARROWEST_RANGE = 150  # half of it
LOWEST_RATING, HIGHEST_RATING = 600, 3200  # the ladder tells nothing beyond


class Phase(Enum):
    """A part of the game."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


def phase_of(board: chess.Board) -> Phase:
    """The part of the game that a position belongs to: by the pieces on the board, not by the number of moves."""
    pieces = chess.popcount(board.knights | board.bishops | board.rooks | board.queens)
    if pieces <= _ENDGAME_PIECES:
        return Phase.ENDGAME
    first_ranks = (board.occupied_co[chess.WHITE] & chess.BB_RANK_1, board.occupied_co[chess.BLACK] & chess.BB_RANK_8)
    is_developed = any(chess.popcount(rank) < _FIRST_RANK_PIECES for rank in first_ranks)
    return Phase.OPENING if pieces >= _OPENING_PIECES and not is_developed else Phase.MIDDLEGAME


def stake_of(verdict: MoveVerdict) -> float:
    """How much a move counts, from 0 to 1: what was at stake before it."""
    if _is_grave(verdict):
        return _stake_before(verdict)
    if verdict.is_theory or verdict.board.legal_moves.count() == 1 or is_recapture(verdict.board, verdict.move):
        return 0.0
    return _stake_before(verdict)


def _is_grave(verdict: MoveVerdict) -> bool:
    """Whether a move counts even if it is theory or a recapture: it has a bad mark, or a mate is allowed or missed."""
    is_allowed = verdict.after.is_losing_mate and not verdict.before.is_losing_mate
    return verdict.mark.is_bad or is_allowed or (verdict.before.is_winning_mate and not verdict.after.is_winning_mate)


def _stake_before(verdict: MoveVerdict) -> float:
    expected = verdict.before.human_expected
    by_table = verdict.lost if verdict.table_results is not None else 0.0  # a win given away counts, however large
    return max(_LEAST_STAKE, 4 * expected * (1 - expected), by_table)


class RatingRange(NamedTuple):
    """The ratings on Stockfish's scale from which nine of ten such games come; open at the ends of the scale."""

    low: int
    high: int

    def __str__(self) -> str:
        if self.low == LOWEST_RATING:
            return f"below {self.high}"
        return f"above {self.low}" if self.high == HIGHEST_RATING else f"{self.low} to {self.high}"


@dataclass
class PhaseSums:
    """Sums over the moves of a phase: stakes, accuracies and their inverses by stake, losses by stake."""

    stakes: float = 0.0
    accuracies: float = 0.0
    inverses: float = 0.0
    losses: float = 0.0

    def add(self, stake: float, lost: float) -> None:
        """Count one move."""
        accuracy = 100 * math.exp(-_STEEPNESS * lost)
        self.stakes += stake
        self.accuracies += stake * accuracy
        self.inverses += stake / max(accuracy, _LEAST_ACCURACY)
        self.losses += lost if stake else 0.0

    def add_all(self, others: Iterable[PhaseSums]) -> None:
        """Add the sums of other games."""
        for other in others:
            self.stakes += other.stakes
            self.accuracies += other.accuracies
            self.inverses += other.inverses
            self.losses += other.losses

    @property
    def accuracy(self) -> float | None:
        """Half the mean and half the harmonic mean, so that one blunder counts more than many small losses.

        None if too little was at stake.
        """
        if self.stakes < _LEAST_STAKES:
            return None
        return (self.accuracies / self.stakes + self.stakes / self.inverses) / 2


def _no_counts() -> dict[str, dict[str, int]]:
    return {phase.value: {mark.text: 0 for mark in BAD} for phase in Phase}


def _no_sums() -> dict[str, PhaseSums]:
    return {phase.value: PhaseSums() for phase in Phase}


@dataclass
class PlayerAccuracy:
    """How accurately a player played, in one game or many."""

    games: int = 0
    moves: int = 0
    undecided: int = 0  # moves that count for the accuracy, in positions that were not decided or marked as bad
    cost_sum: int = 0  # centipawns, of these
    counts: dict[str, dict[str, int]] = field(default_factory=_no_counts)  # [phase][mark]
    sums: dict[str, PhaseSums] = field(default_factory=_no_sums)  # [phase]
    staked: int = 0  # moves with something at stake

    @property
    def accuracy(self) -> float | None:
        """From 0 to 100, over all moves; None if too little was at stake."""
        return self._total().accuracy

    def phase_accuracy(self, phase: Phase) -> float | None:
        """The accuracy in one phase; None if too little was at stake in it."""
        sums = self.sums[phase.value]
        return sums.accuracy if sums.stakes >= _LEAST_PHASE_STAKES else None

    @property
    def average_loss(self) -> float:
        """Average loss in centipawns per move that counts for the accuracy, in positions that were not decided.

        Bad moves count in decided positions, too.
        """
        return self.cost_sum / self.undecided if self.undecided else 0.0

    @property
    def rating_range(self) -> RatingRange | None:
        """The ratings from which nine of ten players come who lose about as much. It narrows with the games.

        None if too little was at stake to tell anything.
        """
        total = self._total()
        if self.staked < _LEAST_RATED_MOVES:
            return None
        rating = RATING_BASE - RATING_SLOPE * math.log(total.losses / total.stakes + _RATING_FLOOR)
        width = max(_NARROWEST_RANGE, _NINE_OF_TEN * RATING_ERROR / math.sqrt(total.stakes / _TYPICAL_STAKES))
        found = RatingRange(*(max(LOWEST_RATING, min(round(end / 50) * 50, HIGHEST_RATING))
                              for end in (rating - width, rating + width)))
        return None if found == (LOWEST_RATING, HIGHEST_RATING) else found

    def _total(self) -> PhaseSums:
        total = PhaseSums()
        total.add_all(self.sums.values())
        return total

    def of(self, mark: Mark) -> int:
        """The number of moves with this mark."""
        return sum(counts[mark.text] for counts in self.counts.values())

    def add(self, verdict: MoveVerdict, phase: Phase) -> None:
        """Count one move."""
        self.moves += 1
        stake = stake_of(verdict)
        self.staked += stake > 0
        self.sums[phase.value].add(stake, verdict.lost)
        if stake and (abs(verdict.before.value) < COMPLETELY_DECIDED or verdict.mark.is_bad):
            self.undecided += 1
            self.cost_sum += min(verdict.cost, _LARGEST_LOSS)
        if verdict.mark.is_bad:
            self.counts[phase.value][verdict.mark.text] += 1

    def add_all(self, others: Iterable[PlayerAccuracy]) -> None:
        """Add the counts of other games; moves are pooled, games are not averaged."""
        for other in others:
            self.games += other.games
            self.moves += other.moves
            self.staked += other.staked
            self.undecided += other.undecided
            self.cost_sum += other.cost_sum
            for phase, counts in other.counts.items():
                self.sums[phase].add_all([other.sums[phase]])
                for mark, number in counts.items():
                    self.counts[phase][mark] += number


def player_accuracies(verdicts: Iterable[MoveVerdict]) -> tuple[PlayerAccuracy, PlayerAccuracy]:
    """White's and Black's accuracy in a game."""
    white, black = PlayerAccuracy(games=1), PlayerAccuracy(games=1)
    for verdict in verdicts:
        (white if verdict.board.turn else black).add(verdict, phase_of(verdict.board))
    return white, black
