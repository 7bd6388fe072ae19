"""The random mover: all legal moves are equally likely. The weakest opponent, and what uniform expectimax assumes."""

from __future__ import annotations

import random
import time

from engine.core.game import list_moves
from engine.core.movegen import empty_move_list
from engine.core.position import PositionRecord, empty_position
from engine.search.contract import Search
from engine.search.limits import Info, Limits, Report, Result, no_report


class RandomMover(Search):
    """A search that does not search, and answers at once."""

    def __init__(self, seed: int | None = None) -> None:
        self._chance = random.Random(seed)  # noqa: S311  a game needs no secrecy
        self._moves = empty_move_list()
        self._position = empty_position()
        self._limits = Limits()

    def load(self) -> None:
        """Compile or load the kernel that lists moves."""
        list_moves.load()

    def prepare(self, position: PositionRecord, limits: Limits) -> None:
        """Remember the position and the limits."""
        self._position, self._limits = position, limits

    def search(self, report: Report = no_report) -> Result:
        """A random legal move, one of the search moves if there are any; 0 if there is none."""
        started = time.perf_counter()
        count, _ = list_moves(self._position, self._moves)
        allowed = self._limits.search_moves
        moves = [move for move in self._moves.moves[:count].tolist() if not allowed or move in allowed]
        chosen = self._chance.sample(moves, min(self._limits.multipv, len(moves)))
        seconds = time.perf_counter() - started
        infos = [Info(1, 1, number, 0, 1, seconds, 0, (move,)) for number, move in enumerate(chosen, start=1)]
        for info in infos:
            report(info)
        if not infos:
            return Result(0, 0, 0, 0, seconds)
        return Result(chosen[0], 0, 1, 1, seconds, (chosen[0],), infos)
