"""How good a move was: what it cost, the mark that it deserves, and how accurate a player was."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import chess
import chess.pgn

from engine.analysis.results import Score
from engine.analysis.review import PositionEval

_CAP = 1500  # centipawns: more than this wins every game, and a mate counts as much
_SHARPNESS = 5.0  # accuracy falls to 1/e when a move loses a fifth of a point
_ONLY_MOVE_GAP = 0.2  # share of a point that the second-best move loses
_LAST_OPENING_MOVE = 10
_ENDGAME_PHASE = 8  # knights and bishops 1, rooks 2, queens 4, of 24


class Mark(Enum):
    """What is written after a move."""

    NONE = ""
    GOOD = "!"
    ONLY = "□"
    DUBIOUS = "?!"
    MISTAKE = "?"
    BLUNDER = "??"

    @property
    def text(self) -> str:
        """As people write it."""
        return str(self.value)

    @property
    def nag(self) -> int | None:
        """As PGN writes it; None for no mark."""
        return _NAGS.get(self)

    @property
    def is_bad(self) -> bool:
        """Whether something was lost."""
        return self in BAD


_NAGS = {Mark.GOOD: chess.pgn.NAG_GOOD_MOVE, Mark.ONLY: chess.pgn.NAG_FORCED_MOVE,
         Mark.DUBIOUS: chess.pgn.NAG_DUBIOUS_MOVE, Mark.MISTAKE: chess.pgn.NAG_MISTAKE,
         Mark.BLUNDER: chess.pgn.NAG_BLUNDER}
BAD = (Mark.DUBIOUS, Mark.MISTAKE, Mark.BLUNDER)

# The mark, the share of a point that has to be lost for it, and the centipawns that are enough by themselves: where a
# game is nearly won, even a rook more is hardly worth a tenth of a point.
_THRESHOLDS = ((Mark.BLUNDER, 0.3, math.inf), (Mark.MISTAKE, 0.2, 250.0), (Mark.DUBIOUS, 0.1, 150.0))


class Phase(Enum):
    """A part of the game."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


@dataclass(frozen=True)
class MoveVerdict:
    """What a move did to the mover's prospects."""

    before: Score  # with the best move, for the mover
    after: Score  # with the move that was played, for the mover
    lost: float  # share of a point, from 0 to 1
    cost: int  # centipawns
    mark: Mark


def classify_move(board: chess.Board, move: chess.Move, here: PositionEval, there: PositionEval) -> MoveVerdict:
    """The verdict on a move of `board`, by the judgements of the positions before and after it."""
    before, after = here.score, -there.score
    if here.line and move == chess.Move.from_uci(here.line[0]):
        return MoveVerdict(before, after, 0.0, 0, _good_mark(board, move, here))
    lost = max(before.expected - after.expected, 0.0)
    cost = max(_capped(before) - _capped(after), 0)
    mark = next((mark for mark, share, centipawns in _THRESHOLDS if lost >= share or cost >= centipawns), Mark.NONE)
    return MoveVerdict(before, after, lost, cost, mark)


def _capped(score: Score) -> int:
    return max(-_CAP, min(score.value, _CAP))


def _good_mark(board: chess.Board, move: chess.Move, here: PositionEval) -> Mark:
    """The mark of a best move: was it the only good one, and was it hard to see?"""
    if here.second is None or here.score.mate == 1 or here.score.expected - here.second.expected < _ONLY_MOVE_GAP:
        return Mark.NONE
    if board.move_stack and board.peek().to_square == move.to_square:
        return Mark.NONE  # to take back is what everybody sees
    is_plain = board.is_check() or board.is_capture(move) or move.promotion is not None
    return Mark.ONLY if is_plain else Mark.GOOD


def phase_of(board: chess.Board) -> Phase:
    """The part of the game that a position belongs to."""
    pieces = (chess.popcount(board.knights | board.bishops) + 2 * chess.popcount(board.rooks)
              + 4 * chess.popcount(board.queens))
    if pieces <= _ENDGAME_PHASE:
        return Phase.ENDGAME
    return Phase.OPENING if board.fullmove_number <= _LAST_OPENING_MOVE else Phase.MIDDLEGAME


@dataclass
class PlayerAccuracy:
    """How one player did, in one game or in many."""

    games: int = 0
    moves: int = 0
    accuracy_sum: float = 0.0
    cost_sum: int = 0
    counts: dict[str, dict[str, int]] = field(
        default_factory=lambda: {phase.value: {mark.text: 0 for mark in BAD} for phase in Phase})  # [phase][mark]

    @property
    def accuracy(self) -> float:
        """From 0 to 100: the mean over the moves of 100 exp(-5 x the share of a point that was lost)."""
        return self.accuracy_sum / self.moves if self.moves else 100.0

    @property
    def average_loss(self) -> float:
        """Centipawns a move."""
        return self.cost_sum / self.moves if self.moves else 0.0

    def of(self, mark: Mark) -> int:
        """How many moves got this mark."""
        return sum(counts[mark.text] for counts in self.counts.values())

    def add(self, verdict: MoveVerdict, phase: Phase) -> None:
        """Count one move."""
        self.moves += 1
        self.accuracy_sum += 100 * math.exp(-_SHARPNESS * verdict.lost)
        self.cost_sum += verdict.cost
        if verdict.mark.is_bad:
            self.counts[phase.value][verdict.mark.text] += 1

    def add_all(self, others: Iterable[PlayerAccuracy]) -> None:
        """Count what others have counted."""
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
    """White's and Black's, of a game whose positions before each move are `boards`."""
    white, black = PlayerAccuracy(games=1), PlayerAccuracy(games=1)
    for board, verdict in zip(boards, verdicts, strict=True):
        (white if board.turn else black).add(verdict, phase_of(board))
    return white, black
