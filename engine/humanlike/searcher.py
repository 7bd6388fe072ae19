"""The human-like search: scores every root move that it does not overlook."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

from engine.alphabeta.iterations import MainThreadSearch, PvLine
from engine.alphabeta.searcher import IterativeSearch
from engine.alphabeta.state import StateRecord, root_pv
from engine.core.position import PositionRecord
from engine.humanlike.lookahead import value_of_move
from engine.humanlike.vision import Vision, VisionRecord, new_vision, write_vision
from engine.search.scores import INFINITE, NO_SCORE
from engine.search.types import Bound, Limits, Report
from eval.evaluator import Evaluator
from eval.human_curve import human_centipawns, human_expected


class Attention(NamedTuple):
    """Which root moves get exact scores, and which cannot be overlooked."""

    largest_loss: float  # of expected score
    familiar: frozenset[int]  # moves that are so natural in the position that they are never overlooked

    def least(self, best: int) -> int:
        """The score below which a move is too bad to be played, if another one has the score `best`."""
        least = human_centipawns(human_expected(best) - self.largest_loss)
        return int(max(least - 1, -int(INFINITE)))


class HumanlikeIterations(MainThreadSearch):
    """Iterative deepening; after every iteration each root move that is seen has its score."""

    def __init__(self, pos: PositionRecord, state: StateRecord, limits: Limits, started: float, report: Report,
                 vision: VisionRecord, attention: Attention) -> None:
        super().__init__(pos, state, limits, started, report)
        self._vision, self._attention = vision, attention
        self._moves: list[int] = state.root_moves[: state.root_count].tolist()  # the best of the last iteration first
        self._multipv = len(self.lines)

    def _iterate(self) -> bool:
        depth = self.depth + 1
        self._state.seldepth = 0
        lines = self._root_lines(depth, must_see=False)
        if lines == []:
            lines = self._root_lines(depth, must_see=True)
        if lines is None:
            return False
        lines.sort(key=lambda line: -line.score)
        seen = [line.moves[0] for line in lines]
        self._moves = seen + [move for move in self._moves if move not in seen]
        self.lines, self.depth = lines[: self._multipv], depth
        for number, line in enumerate(self.lines):
            self._report_line(depth, number, line, Bound.EXACT)
        return True

    def _root_lines(self, depth: int, must_see: bool) -> list[PvLine] | None:
        """The lines of the root moves that are not overlooked; None if the search was stopped."""
        state, lines, best = self._state, [], -int(INFINITE)
        for number, move in enumerate(self._moves, start=1):
            state.current_move, state.current_move_number = move, number
            is_seen = must_see or move in self._attention.familiar
            score = int(value_of_move(self._pos, state, self._vision, move, depth, self._attention.least(best),
                                      int(is_seen)))
            if state.stopped:
                return None
            if score != NO_SCORE:
                lines.append(PvLine(score, root_pv(state)))
                best = max(best, score)
        return lines

    def _time_factor(self) -> float:
        """A constant: the shallow search needs no time management."""
        return 1.0


class HumanlikeSearch(IterativeSearch):
    """A human-like search. `set_vision` sets how much it sees; the game's seed decides which moves it overlooks."""

    def __init__(self, evaluation: Evaluator | None = None) -> None:
        self._vision, self._attention = new_vision(), Attention(0.0, frozenset())
        super().__init__(evaluation=evaluation)

    def set_vision(self, vision: Vision, seed: int, rng: random.Random, familiar: Iterable[int] = ()) -> int:
        """Set the vision of the next search; return its depth, whose fraction is rounded up or down at random.

        Root moves that are `familiar` are not overlooked.
        """
        write_vision(self._vision, vision, seed)
        self._attention = Attention(vision.largest_loss, frozenset(familiar))
        return int(vision.depth) + (rng.random() < vision.depth % 1)

    def load(self) -> None:
        """Compile or load the kernels."""
        super().load()
        value_of_move.load()

    def _iterations(self, report: Report) -> HumanlikeIterations:
        return HumanlikeIterations(self._position, self._states[0], self._limits, self._started, report,
                                   self._vision, self._attention)
