"""Counting the moves of many games, in bounded memory: how often each was played, and what it scored."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_COUNT = np.dtype([("key", "u8"), ("move", "u2"), ("games", "u4"), ("points", "u4")])  # points: the mover's half points
_BUFFER = 1 << 20  # moves between two sortings

Counts = npt.NDArray[Any]  # of _COUNT, sorted by key and move


class MoveCounter:
    """Counts of moves. If there are more than `most` different moves, the rarest are dropped.

    A move that reappears is counted from zero again, so a count may be too low by at most `undercount`.
    """

    def __init__(self, most: int = 1 << 23) -> None:
        self._most = most
        self._counts = np.zeros(0, _COUNT)
        self._new: list[Counts] = []
        self._new_size = 0
        self.undercount = 0

    def add(self, keys: npt.NDArray[np.uint64], moves: npt.NDArray[np.uint16], points: npt.NDArray[np.uint8]) -> None:
        """Add one game: the keys of its positions, its moves, and the half points that each mover scored."""
        part = np.zeros(len(keys), _COUNT)
        part["key"], part["move"], part["games"], part["points"] = keys, moves, 1, points
        self._new.append(part)
        self._new_size += len(part)
        if self._new_size >= _BUFFER:
            self._sort_in()

    def counts(self) -> Counts:
        """All moves, sorted by key and move."""
        self._sort_in()
        return self._counts

    def _sort_in(self) -> None:
        whole = np.concatenate([self._counts, *self._new])
        self._new, self._new_size = [], 0
        if len(whole) == 0:
            return
        whole = whole[np.lexsort((whole["move"], whole["key"]))]
        is_first = np.ones(len(whole), np.bool_)
        is_first[1:] = (whole["key"][1:] != whole["key"][:-1]) | (whole["move"][1:] != whole["move"][:-1])
        starts = np.flatnonzero(is_first)
        summed = whole[starts]
        for field in ("games", "points"):
            summed[field] = np.add.reduceat(whole[field], starts)
        rarest = 0
        while len(summed) > self._most:
            rarest += 1
            summed = summed[summed["games"] > rarest]
        self.undercount += rarest
        self._counts = summed
