"""A person's search as its owner sees it: every move that comes to mind, with what it is thought to be worth."""

from __future__ import annotations

import random

from engine.alphabeta.iterations import Iterations, Line
from engine.alphabeta.searcher import DeepeningSearch
from engine.alphabeta.state import StateRecord
from engine.core.position import PositionRecord
from engine.fallible.looking import value_of_move
from engine.fallible.sight import Sight, SightRecord, new_sight, write_sight
from engine.search.limits import Bound, Limits, Report
from engine.search.scores import INFINITE, NO_SCORE
from eval.choice import Evaluation


class Glances(Iterations):
    """A look at every root move, one ply deep, then two. Each has its value after every iteration."""

    def __init__(self, pos: PositionRecord, state: StateRecord, limits: Limits, started: float, report: Report,
                 sight: SightRecord) -> None:
        super().__init__(pos, state, limits, started, report)
        self._sight = sight
        self._moves: list[int] = state.root_moves[: state.root_count].tolist()  # the best so far first
        self._most = len(self.lines)

    def _iterate(self) -> bool:
        depth = self.depth + 1
        self._state.deepest = 0
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
            self._tell(depth, number, line, Bound.EXACT)
        return True

    def _values(self, depth: int, must_see: bool) -> list[Line] | None:
        """The moves that come to mind, with their values; None if that was broken off."""
        state, found, best = self._state, [], -int(INFINITE)
        for number, move in enumerate(self._moves, start=1):
            state.current_move, state.current_number = move, number
            least = max(best - int(self._sight.margin) - 1, -int(INFINITE))
            score = int(value_of_move(self._pos, state, self._sight, move, depth, least, int(must_see)))
            if state.stopped:
                return None
            if score != NO_SCORE:
                found.append(Line(score, tuple(state.pv[0, : state.pv_length[0]].tolist())))
                best = max(best, score)
        return found

    def _patience(self) -> float:
        """People who see so little need no long time for it."""
        return 1.0


class Fallible(DeepeningSearch):
    """Somebody's search: what he sees is set by `see_as`, and what he overlooks by the game's seed."""

    def __init__(self, evaluation: Evaluation | None = None) -> None:
        self._sight = new_sight()
        super().__init__(evaluation=evaluation)

    def see_as(self, sight: Sight, seed: int, chance: random.Random) -> int:
        """Look so from the next search on; returns how many plies deep this time."""
        write_sight(self._sight, sight, seed)
        return int(sight.depth) + (chance.random() < sight.depth % 1)

    def load(self) -> None:
        """Compile or load the kernels."""
        super().load()
        value_of_move.load()

    def _iterations(self, report: Report) -> Glances:
        return Glances(self._position.copy(), self._states[0], self._limits, self._started, report, self._sight)
