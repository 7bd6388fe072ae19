"""Move verdicts and accuracy: what a move cost, its mark, and how accurately a player played."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import chess
import chess.pgn

from engine.analysis.results import Score
from engine.analysis.review import PositionEval

_CAP = 1500  # centipawns: scores are clamped here, because more wins every game anyway
_SHARPNESS = 5.0  # accuracy falls to 1/e when a move loses a fifth of a point
_ONLY_MOVE_GAP = 0.2  # expected score that the second-best move loses
_LAST_OPENING_MOVE = 10
_ENDGAME_PHASE = 8  # knights and bishops 1, rooks 2, queens 4, of 24


class Mark(Enum):
    """The mark after a move."""

    NONE = ""
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


_NAGS = {Mark.GOOD: chess.pgn.NAG_GOOD_MOVE, Mark.ONLY: chess.pgn.NAG_FORCED_MOVE,
         Mark.DUBIOUS: chess.pgn.NAG_DUBIOUS_MOVE, Mark.MISTAKE: chess.pgn.NAG_MISTAKE,
         Mark.BLUNDER: chess.pgn.NAG_BLUNDER}
BAD = (Mark.DUBIOUS, Mark.MISTAKE, Mark.BLUNDER)

# The mark, the loss of expected score that it needs, and the loss in centipawns that is enough by itself: in a nearly
# won game, even a rook is hardly worth a tenth of a point.
_THRESHOLDS = ((Mark.BLUNDER, 0.3, math.inf), (Mark.MISTAKE, 0.2, 250.0), (Mark.DUBIOUS, 0.1, 150.0))


class Phase(Enum):
    """A part of the game."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


@dataclass(frozen=True)
class MoveVerdict:
    """What a move did to the mover's expected score."""

    before: Score  # with the best move, for the mover
    after: Score  # with the move that was played, for the mover
    lost: float  # expected score, from 0 to 1
    cost: int  # centipawns
    mark: Mark


def classify_move(board: chess.Board, move: chess.Move, here: PositionEval, there: PositionEval) -> MoveVerdict:
    """The verdict on a move of `board`, from the evaluations of the positions before and after it."""
    before, after = here.score, -there.score
    if here.line and move == chess.Move.from_uci(here.line[0]):
        return MoveVerdict(before, after, 0.0, 0, _good_mark(board, move, here))
    lost = max(before.expected - after.expected, 0.0)
    cost = max(_capped(before) - _capped(after), 0)
    mark = next((mark for mark, min_lost, min_cost in _THRESHOLDS if lost >= min_lost or cost >= min_cost), Mark.NONE)
    return MoveVerdict(before, after, lost, cost, mark)


def _capped(score: Score) -> int:
    return max(-_CAP, min(score.value, _CAP))


def _good_mark(board: chess.Board, move: chess.Move, here: PositionEval) -> Mark:
    """The mark of a best move: whether it was the only good one, and whether it was hard to find."""
    if here.second is None or here.score.mate == 1 or here.score.expected - here.second.expected < _ONLY_MOVE_GAP:
        return Mark.NONE
    if board.move_stack and board.peek().to_square == move.to_square:
        return Mark.NONE  # recaptures are obvious
    is_forcing = board.is_check() or board.is_capture(move) or move.promotion is not None
    return Mark.ONLY if is_forcing else Mark.GOOD


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

    def add(self, verdict: MoveVerdict, phase: Phase) -> None:
        """Count one move."""
        self.moves += 1
        self.accuracy_sum += 100 * math.exp(-_SHARPNESS * verdict.lost)
        self.cost_sum += verdict.cost
        if verdict.mark.is_bad:
            self.counts[phase.value][verdict.mark.text] += 1

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


def player_accuracies(boards: Sequence[chess.Board], verdicts: Sequence[MoveVerdict]) -> tuple[PlayerAccuracy,
                                                                                               PlayerAccuracy]:
    """White's and Black's accuracy in a game; `boards` are the positions before each move."""
    white, black = PlayerAccuracy(games=1), PlayerAccuracy(games=1)
    for board, verdict in zip(boards, verdicts, strict=True):
        (white if board.turn else black).add(verdict, phase_of(board))
    return white, black
