"""Results of an analysis: plain values with python-chess moves, and scores on one scale."""

from __future__ import annotations

from dataclasses import dataclass, replace

import chess

from engine.core.position import PositionRecord
from engine.search.scores import mate_distance
from engine.text.display import to_cp_and_wdl
from eval.human_curve import human_expected
from eval.wdl import WDL_TOTAL, Wdl, WdlModel

_MATE_VALUE = 100_000  # centipawns, beyond every score that is not a mate


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a position for one side, by default the side to move. `-score` is the other side's.

    Either `centipawns` or `mate` is a number, the other one None. 100 centipawns win half of the games; `mate` counts
    moves, negative for the side that is being mated; 0 is a mate on the board. Scores of the same side can be ordered.
    """

    centipawns: int | None
    mate: int | None
    wdl: Wdl
    side: chess.Color = chess.WHITE  # whose score it is

    def __neg__(self) -> Score:
        return Score(None if self.centipawns is None else -self.centipawns,
                     None if self.mate is None else -self.mate, Wdl(*reversed(self.wdl)), not self.side)

    def __str__(self) -> str:
        """`+0.35`, `#3` for a mate in three moves, `#-3` for being mated in three."""
        return f"#{self.mate}" if self.centipawns is None else f"{self.centipawns / 100:+.2f}"

    def __repr__(self) -> str:
        """`<Score +0.35 for white, 31 % wins, 52 % draws>`."""
        win, draw, _ = self.wdl
        return f"<Score {self} for {chess.COLOR_NAMES[self.side]}, {win / 10:.0f} % wins, {draw / 10:.0f} % draws>"

    def pov(self, side: chess.Color) -> Score:
        """The same score from one side's point of view."""
        return self if side == self.side else -self

    def white(self) -> Score:
        """The same score from White's point of view."""
        return self.pov(chess.WHITE)

    def __lt__(self, other: Score) -> bool:
        return self.value < self._comparable(other).value

    def __le__(self, other: Score) -> bool:
        return self.value <= self._comparable(other).value

    def __gt__(self, other: Score) -> bool:
        return self.value > self._comparable(other).value

    def __ge__(self, other: Score) -> bool:
        return self.value >= self._comparable(other).value

    def _comparable(self, other: Score) -> Score:
        if other.side != self.side:
            raise ValueError("scores of different sides cannot be ordered; compare white() or pov() of both")
        return other

    @property
    def expected(self) -> float:
        """The expected score between engines, from 0 to 1, by the WDL."""
        return (self.wdl.win + self.wdl.draw / 2) / WDL_TOTAL

    @property
    def human_expected(self) -> float:
        """The expected score between people, from 0 to 1, by the human curve. Moves are judged by it."""
        return human_expected(self.value)

    @property
    def is_winning_mate(self) -> bool:
        """Whether this side mates, or has mated."""
        return self.mate is not None and self.wdl.win > 0

    @property
    def is_losing_mate(self) -> bool:
        """Whether this side is being mated, or has been."""
        return self.mate is not None and self.wdl.loss > 0

    @property
    def value(self) -> int:
        """A number to compare scores by: centipawns; mates are beyond all of them, shorter ones further."""
        if self.centipawns is not None:
            return self.centipawns
        assert self.mate is not None
        distance = _MATE_VALUE - abs(self.mate)
        return distance if self.wdl.win > self.wdl.loss else -distance


@dataclass(frozen=True, slots=True)
class AnalysisInfo:
    """A report of a search: one of the best lines so far."""

    depth: int
    seldepth: int  # deepest ply reached
    number: int  # 1 for the best move, 2 for the second with `multipv`
    score: Score
    line: tuple[chess.Move, ...]
    nodes: int
    seconds: float
    bound: str = "exact"  # or `lower`, `upper`: the score is at least, at most this
    tb_hits: int = 0  # number of endgame table hits

    @property
    def move(self) -> chess.Move:
        """The first move of the line."""
        return self.line[0]


@dataclass(frozen=True, slots=True)
class PlayResult:
    """The move to play and the search behind it."""

    move: chess.Move | None  # None if there is no legal one
    line: tuple[chess.Move, ...]  # the PV, beginning with the move
    score: Score | None  # None for a move from the book
    depth: int
    nodes: int
    seconds: float


_WON, _DRAWN, _LOST = Wdl(WDL_TOTAL, 0, 0), Wdl(0, WDL_TOTAL, 0), Wdl(0, 0, WDL_TOTAL)


def score_before_move(score: Score) -> Score:
    """The mover's score before its move, from the mover's score after it: the move counts towards its mate."""
    return replace(score, mate=score.mate + 1) if score.mate is not None and score.is_winning_mate else score


def score_after_move(score: Score) -> Score:
    """The mover's score after its move, from the mover's score before it."""
    return replace(score, mate=score.mate - 1) if score.mate is not None and score.is_winning_mate else score


def mated_score(side: chess.Color) -> Score:
    """The score of a side that has been checkmated."""
    return Score(None, 0, _LOST, side)


def drawn_score(side: chess.Color) -> Score:
    """The score of a drawn position."""
    return Score(0, None, _DRAWN, side)


def to_score(position: PositionRecord, score: int, model: WdlModel | None = None) -> Score:
    """Convert a search's score of a position, for the side to move.

    `model` is the WDL model of the evaluator that produced the score, by default the built-in one's.
    """
    mate, side = mate_distance(score), int(position.side) == 0
    if mate is not None:
        return Score(None, mate, _WON if score > 0 else _LOST, side)
    centipawns, wdl = to_cp_and_wdl(position, score, model)
    return Score(centipawns, None, wdl, side)
