"""What comes out of an analysis: plain values with boards' moves in them, and one scale of scores."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from engine.core.position import PositionRecord
from engine.search.scores import mate_distance
from engine.text.display import to_cp_and_wdl
from eval.wdl import WDL_TOTAL, Wdl, WdlModel

_MATE_VALUE = 100_000  # centipawns: beyond every score that is no mate


@dataclass(frozen=True, slots=True)
class Score:
    """How good a position is for one side, by default the one to move. `-score` is the other side's.

    Either `centipawns` or `mate` is a number, the other None. A hundred centipawns win every second game; `mate` counts
    moves, negative for the side that is mated; 0 is a mate that is on the board.
    """

    centipawns: int | None
    mate: int | None
    wdl: Wdl

    def __neg__(self) -> Score:
        return Score(None if self.centipawns is None else -self.centipawns,
                     None if self.mate is None else -self.mate, Wdl(*reversed(self.wdl)))

    def __str__(self) -> str:
        """`+0.35`, `#3` for a mate in three moves, `#-3` for being mated in three."""
        return f"#{self.mate}" if self.centipawns is None else f"{self.centipawns / 100:+.2f}"

    @property
    def expected(self) -> float:
        """The share of a point that is to be expected, from 0 to 1."""
        return (self.wdl.win + self.wdl.draw / 2) / WDL_TOTAL

    @property
    def value(self) -> int:
        """A number to compare scores by: centipawns, and beyond all of them the mates, the sooner the further."""
        if self.centipawns is not None:
            return self.centipawns
        assert self.mate is not None
        distance = _MATE_VALUE - abs(self.mate)
        return distance if self.wdl.win > self.wdl.loss else -distance


@dataclass(frozen=True, slots=True)
class AnalysisInfo:
    """What a search has found so far: one of the best moves, with its line."""

    depth: int
    deepest: int  # plies of the longest line that was looked at
    number: int  # 1 for the best move, 2 for the second with `multipv`
    score: Score
    line: tuple[chess.Move, ...]
    nodes: int
    seconds: float
    bound: str = "exact"  # or `lower`, `upper`: the score is at least, at most this
    tb_hits: int = 0  # positions that were found in endgame tables

    @property
    def move(self) -> chess.Move:
        """The first move of the line."""
        return self.line[0]


@dataclass(frozen=True, slots=True)
class PlayResult:
    """A move to be played, and why."""

    move: chess.Move | None  # None if the game is over
    line: tuple[chess.Move, ...]  # the move and what is expected after it
    score: Score | None  # None for a move from the book
    depth: int
    nodes: int
    seconds: float


_WON, _DRAWN, _LOST = Wdl(WDL_TOTAL, 0, 0), Wdl(0, WDL_TOTAL, 0), Wdl(0, 0, WDL_TOTAL)
MATED = Score(None, 0, _LOST)
STALEMATE = Score(0, None, _DRAWN)


def for_white(board: chess.Board, score: Score) -> Score:
    """White's score, given that of the side to move on `board`."""
    return score if board.turn else -score


def to_score(position: PositionRecord, score: int, model: WdlModel | None = None) -> Score:
    """A search's score of a position, for the side to move.

    `model` is that of the evaluation that the score is by, which is the built-in one if nothing is said.
    """
    mate = mate_distance(score)
    if mate is not None:
        return Score(None, mate, _WON if score > 0 else _LOST)
    centipawns, wdl = to_cp_and_wdl(position, score, model)
    return Score(centipawns, None, wdl)
