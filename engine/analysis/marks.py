"""The mark after a move, from what it costs on the human curve."""

from __future__ import annotations

from enum import Enum

import chess
import chess.pgn

from engine.analysis.results import Score
from eval.human_curve import DECIDED

# Centipawns. Where both scores lie beyond these on the same side, a mark needs more, or is not given at all.
_NEARLY_DECIDED, CLEARLY_DECIDED, COMPLETELY_DECIDED = 250, 300, 500
_NEARLY_DECIDED_LOSS = 0.16  # by the judge, most marks below that were wrong there: see history/analysis.md
NEARLY_MATED = 600  # a side this far behind was lost anyway, one this far ahead still wins
_NEAR_MATE = 3  # moves: a mate that a person should see
_FIRST_MARKED_PLY = 3  # Black's second move
_PIECES_OF_AN_OPENING = 31  # fewer are on the board of a position that was set up
THRESHOLD_MARGIN = 0.02  # a loss this close to a threshold is in doubt


class Mark(Enum):
    """The mark after a move."""

    NONE = ""
    BRILLIANT = "!!"
    GOOD = "!"
    ONLY = "□"
    DUBIOUS = "?!"
    MISTAKE = "?"
    BLUNDER = "??"

    @property
    def text(self) -> str:
        """The mark as text."""
        return str(self.value)

    @property
    def nag(self) -> int | None:
        """The mark as a PGN NAG; None for no mark."""
        return _NAGS.get(self)

    @property
    def is_bad(self) -> bool:
        """Whether the mark is for an inaccuracy, a mistake or a blunder."""
        return self in BAD

    @property
    def severity(self) -> int:
        """0 for no bad mark, 1 for an inaccuracy, 2 for a mistake, 3 for a blunder."""
        return BAD.index(self) + 1 if self.is_bad else 0


_NAGS = {Mark.BRILLIANT: chess.pgn.NAG_BRILLIANT_MOVE, Mark.GOOD: chess.pgn.NAG_GOOD_MOVE,
         Mark.ONLY: chess.pgn.NAG_FORCED_MOVE, Mark.DUBIOUS: chess.pgn.NAG_DUBIOUS_MOVE,
         Mark.MISTAKE: chess.pgn.NAG_MISTAKE, Mark.BLUNDER: chess.pgn.NAG_BLUNDER}
BAD = (Mark.DUBIOUS, Mark.MISTAKE, Mark.BLUNDER)

# The mark, and the loss of expected score on the human curve that it needs.
THRESHOLDS = ((Mark.BLUNDER, 0.22), (Mark.MISTAKE, 0.13), (Mark.DUBIOUS, 0.08))
_LEAST_LOSS = dict(THRESHOLDS)
LEAST_MARKED_LOSS, LEAST_MISTAKE = _LEAST_LOSS[Mark.DUBIOUS], _LEAST_LOSS[Mark.MISTAKE]


def loss_between(best: Score, played: Score) -> float:
    """The expected score that a move loses on the human curve; both scores are the mover's, before the move."""
    return max(best.human_expected - played.human_expected, 0.0)


def cost_between(best: Score, played: Score) -> int:
    """The centipawns that a move loses, with scores cut where games are decided."""
    return max(_cut(best) - _cut(played), 0)


def _cut(score: Score) -> int:
    return max(-DECIDED, min(score.value, DECIDED))


def mark_of_scores(best: Score, played: Score) -> Mark:
    """The mark that the scores of the best move and of the move played ask for, by mates, then by the loss."""
    by_loss = _mark_of_loss(best, played)
    if best.is_losing_mate:
        return Mark.NONE  # mated sooner or later
    if best.is_winning_mate:
        return _mark_of_missed_mate(best, played, by_loss)
    if not played.is_losing_mate:
        return by_loss
    if best.value > -CLEARLY_DECIDED:
        return Mark.BLUNDER
    if best.value >= -NEARLY_MATED:
        return Mark.MISTAKE
    assert played.mate is not None
    return Mark.DUBIOUS if abs(played.mate) <= _NEAR_MATE else Mark.NONE


def _mark_of_loss(best: Score, played: Score) -> Mark:
    lost = loss_between(best, played)
    mark = next((mark for mark, least in THRESHOLDS if lost >= least), Mark.NONE)
    if are_both_beyond(best, played, COMPLETELY_DECIDED):
        return Mark.NONE
    if are_both_beyond(best, played, _NEARLY_DECIDED) and lost < _NEARLY_DECIDED_LOSS:
        return Mark.NONE
    return mark


def is_costly_in_decided_game(best: Score, played: Score) -> bool:
    """Whether a move loses what would be marked elsewhere, in a game that is decided without it."""
    is_decided = are_both_beyond(best, played, _NEARLY_DECIDED) and best.mate is played.mate is None
    return is_decided and loss_between(best, played) >= LEAST_MARKED_LOSS


def _mark_of_missed_mate(best: Score, played: Score, by_loss: Mark) -> Mark:
    assert best.mate is not None
    if played.is_winning_mate:
        return Mark.NONE  # a slower mate is a mate
    if played.value <= 0:
        return Mark.BLUNDER
    if best.mate <= _NEAR_MATE:
        if played.value >= NEARLY_MATED:
            return Mark.DUBIOUS
        return max(by_loss, Mark.MISTAKE, key=lambda mark: mark.severity)
    return Mark.NONE if played.value >= COMPLETELY_DECIDED else by_loss


def are_both_beyond(one: Score, other: Score, centipawns: int) -> bool:
    """Whether the same side is ahead by more than this in both scores."""
    return (min(one.value, other.value) > centipawns) or (max(one.value, other.value) < -centipawns)


def mark_of_table_results(before: int, after: int) -> Mark:
    """The mark by the endgame tables: 1, 0, -1 for a win, draw or loss of the mover, before and after the move."""
    return Mark.BLUNDER if after < before else Mark.NONE


def mark_of_theory(lost: float) -> Mark:
    """The mark of a known opening move: it takes a mistake to get one, and then it is only called dubious."""
    return Mark.DUBIOUS if lost >= LEAST_MISTAKE else Mark.NONE


def is_too_early(board: chess.Board) -> bool:
    """Whether the next move is one of the first of a game, which are never marked."""
    return board.ply() < _FIRST_MARKED_PLY and chess.popcount(board.occupied) >= _PIECES_OF_AN_OPENING


def is_near_threshold(lost: float) -> bool:
    """Whether a slightly different loss would change the mark."""
    return any(abs(lost - least) < THRESHOLD_MARGIN for _, least in THRESHOLDS)


def lower_class_in_doubt(deep: Mark, shallow: Mark, lost: float) -> Mark:
    """The mark after a deeper search: one lower where the loss barely reaches a threshold that it did not before."""
    is_barely = deep.severity > shallow.severity and lost < _LEAST_LOSS[deep] + THRESHOLD_MARGIN
    return (Mark.NONE, *BAD)[deep.severity - 1] if is_barely else deep
