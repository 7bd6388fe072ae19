"""A person's search as its owner sees it: every move that comes to mind, with what it is thought to be worth."""

from __future__ import annotations

import random

from engine.alphabeta.iterations import MainThreadSearch, PvLine
from engine.alphabeta.searcher import IterativeSearch
from engine.alphabeta.state import StateRecord, root_pv
from engine.core.position import PositionRecord
from engine.humanlike.lookahead import value_of_move
from engine.humanlike.vision import Vision, VisionRecord, new_vision, write_vision
from engine.search.scores import INFINITE, NO_SCORE
from engine.search.types import Bound, Limits, Report
from eval.evaluator import Evaluator


class HumanlikeIterations(MainThreadSearch):
    """A look at every root move, one ply deep, then two. Each has its value after every iteration."""

    def __init__(self, pos: PositionRecord, state: StateRecord, limits: Limits, started: float, report: Report,
                 sight: VisionRecord) -> None:
        super().__init__(pos, state, limits, started, report)
        self._sight = sight
        self._moves: list[int] = state.root_moves[: state.root_count].tolist()  # the best so far first
        self._most = len(self.lines)

    def _iterate(self) -> bool:
        depth = self.depth + 1
        self._state.seldepth = 0
        found = self._values(depth, must_see=False)
        if found == []:
            found = self._values(depth, must_see=True)
        if found is None:
            return False
        found.sort(key=lambda line: -line.score)
        seen = [line.moves[0] for line in found]
        self._moves = seen + [move for move in self._moves if move not in seen]
        self.lines, self.depth = found[: self._most], depth
        for number, line in enumerate(self.lines):
            self._report_line(depth, number, line, Bound.EXACT)
        return True

    def _values(self, depth: int, must_see: bool) -> list[PvLine] | None:
        """The moves that come to mind, with their values; None if that was broken off."""
        state, found, best = self._state, [], -int(INFINITE)
        for number, move in enumerate(self._moves, start=1):
            state.current_move, state.current_move_number = move, number
            least = max(best - int(self._sight.margin) - 1, -int(INFINITE))
            score = int(value_of_move(self._pos, state, self._sight, move, depth, least, int(must_see)))
            if state.stopped:
                return None
            if score != NO_SCORE:
                found.append(PvLine(score, root_pv(state)))
                best = max(best, score)
        return found

    def _time_factor(self) -> float:
        """People who see so little need no long time for it."""
        return 1.0


class HumanlikeSearch(IterativeSearch):
    """Somebody's search: what he sees is set by `set_vision`, and what he overlooks by the game's seed."""

    def __init__(self, evaluation: Evaluator | None = None) -> None:
        self._sight = new_vision()
        super().__init__(evaluation=evaluation)

    def set_vision(self, sight: Vision, seed: int, chance: random.Random) -> int:
        """Look so from the next search on; returns how many plies deep this time."""
        write_vision(self._sight, sight, seed)
        return int(sight.depth) + (chance.random() < sight.depth % 1)

    def load(self) -> None:
        """Compile or load the kernels."""
        super().load()
        value_of_move.load()

    def _iterations(self, report: Report) -> HumanlikeIterations:
        return HumanlikeIterations(self._position.copy(), self._states[0], self._limits, self._started, report,
                                   self._sight)
