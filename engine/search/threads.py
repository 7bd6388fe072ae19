"""Lazy SMP: every thread searches the same root, and they help each other through the shared transposition table."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.core.game import list_moves
from engine.core.position import PositionRecord
from engine.search.deepening import NEVER, deepen, prepare_root, root_moves, search_line
from engine.search.limits import Info, Limits, Result
from engine.search.params import ParamsRecord
from engine.search.state import StateRecord, clear_histories, new_state, set_params
from engine.search.table import Table

_NO_REPORT: Callable[[Info], None] = lambda info: None  # noqa: E731


class Searcher:
    """The search as its owner sees it: a table, threads with their histories, and `run`."""

    def __init__(self, megabytes: int = 64, threads: int = 1, params: ParamsRecord | None = None,
                 weights: Any = None) -> None:
        self.table = Table(megabytes)
        self._params, self._weights = params, weights
        self._stop = np.zeros(1, np.int64)
        self._states: list[StateRecord] = []
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Search with that many threads from now on."""
        while len(self._states) < threads:
            self._states.append(new_state(self._params, self._weights))
        del self._states[threads:]

    def set_params(self, params: ParamsRecord) -> None:
        """Use other search parameters from now on."""
        self._params = params
        for state in self._states:
            set_params(state, params)

    def clear(self) -> None:
        """Forget everything: a new game begins."""
        self.table.clear(len(self._states))
        for state in self._states:
            clear_histories(state)

    def stop(self) -> None:
        """End the running search soon; may be called from any thread."""
        self._stop[0] = 1

    @property
    def nodes(self) -> int:
        """Nodes of the running or last search, of all threads."""
        return sum(int(state.nodes) for state in self._states)

    def run(self, position: PositionRecord, limits: Limits, report: Callable[[Info], None] = _NO_REPORT) -> Result:
        """Search `position`, which must have a legal move; blocks until the search has ended."""
        for point in (list_moves, prepare_root, search_line):
            point.load()  # before the clock starts
        started = time.perf_counter()
        self._stop[0] = 0
        self.table.next_generation()
        for state in self._states:
            self._prepare(state, position, limits, started)
        if not self._states[0].root_count:
            return Result(0, 0, 0, 0, 0.0)
        helpers = [threading.Thread(target=self._help, args=(state, position, limits, started), daemon=True)
                   for state in self._states[1:]]
        for helper in helpers:
            helper.start()

        def tell(info: Info) -> None:
            full = Info(info.depth, info.deepest, info.line_number, info.score, self.nodes, info.seconds,
                        self.table.hashfull(), info.line)
            infos.append(full)
            report(full)

        infos: list[Info] = []
        depth, lines = deepen(copy.deepcopy(position), self._states[0], limits, started, tell)
        self.stop()
        for helper in helpers:
            helper.join()
        best = lines[0]
        move = best.moves[0] if best.moves else int(self._states[0].root_moves[0])
        return Result(move, best.score, depth, self.nodes, time.perf_counter() - started, best.moves, infos)

    def _prepare(self, state: StateRecord, position: PositionRecord, limits: Limits, started: float) -> None:
        prepare_root(position, state)
        root_moves(position, state, limits.search_moves)
        state.table_address, state.table_buckets = self.table.address, self.table.buckets
        state.generation = self.table.generation
        state.stop_address = self._stop.ctypes.data
        state.node_limit = NEVER if limits.nodes is None else max(1, limits.nodes // len(self._states))
        hard = min((limit for limit in (limits.hard_time, limits.movetime) if limit is not None), default=None)
        left = None if hard is None else hard - (time.perf_counter() - started)
        state.deadline = NEVER if left is None else time.perf_counter_ns() + int(left * 1e9)

    def _help(self, state: StateRecord, position: PositionRecord, limits: Limits, started: float) -> None:
        endless = Limits(multipv=limits.multipv, search_moves=limits.search_moves)
        deepen(copy.deepcopy(position), state, endless, started, _NO_REPORT)
