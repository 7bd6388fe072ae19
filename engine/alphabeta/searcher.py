"""Lazy SMP: every thread searches the same root, and they help each other through the shared transposition table."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.alphabeta.deepening import NEVER, Deepening, keep_root_moves, prepare_root, search_from
from engine.alphabeta.params import ParamsRecord
from engine.alphabeta.state import StateRecord, clear_histories, new_state, set_params
from engine.alphabeta.transpositions import TranspositionTable
from engine.core.errors import InputError
from engine.core.position import PositionRecord
from engine.search.limits import Counts, Info, Limits, Progress, Remark, Report, Result, ignore
from engine.search.scores import is_win
from engine.search.tb import TbRecord, no_tb
from eval.weights import load_weights

# Seconds: an iteration that ends sooner is told of only if it is the last. Clients parse lines on the engine's clock.
_FIRST_REPORT = 0.02
_FIRST_PROGRESS = 3.0  # seconds: GUIs show shorter searches by their lines alone
_PROGRESS_INTERVAL = 1.0
_LONGEST_TIME = 1e9  # seconds; more would not fit into nanoseconds
_VOTE_OF_THE_WORST = 14  # how much even the lowest score counts in the vote, beside the centipawns above it


class Searcher:
    """The search as its owner sees it: a table, threads with their histories, and `run`."""

    def __init__(self, megabytes: int = 64, threads: int = 1, params: ParamsRecord | None = None,
                 weights: Any = None) -> None:
        self.tt = TranspositionTable(megabytes)
        self._params, self._weights = params, load_weights() if weights is None else weights
        self._stop = np.zeros(1, np.int64)
        self._states: list[StateRecord] = []
        self._started = 0.0
        self._soft_time: float | None = None
        self._tb = no_tb()
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Search with that many threads from now on."""
        try:
            new = [new_state(self._params, self._weights) for _ in range(threads - len(self._states))]
        except MemoryError as error:
            raise InputError(f"no memory for {threads} threads") from error
        self._states = [*self._states, *new][:threads]

    def resize(self, megabytes: float) -> None:
        """Use a table of this size, which is empty, from now on."""
        if megabytes != self.tt.megabytes:
            self.tt.resize(megabytes)

    def set_params(self, params: ParamsRecord) -> None:
        """Use other search parameters from now on."""
        self._params = params
        for state in self._states:
            set_params(state, params)

    def set_tb(self, tb: TbRecord) -> None:
        """Ask these endgame tables from the next search on."""
        self._tb = tb

    def clear(self) -> None:
        """Forget everything: a new game begins."""
        self.tt.clear(len(self._states))
        for state in self._states:
            clear_histories(state)

    def stop(self) -> None:
        """End the running search soon, or the next one if none is running; may be called from any thread."""
        self._stop[0] = 1

    def forget_stop(self) -> None:
        """Take back a `stop` that came too late to stop anything."""
        self._stop[0] = 0

    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Give the running search limits that it did not have: it was pondering. The soft one counts from its start."""
        self._soft_time = soft_time
        deadline = time.perf_counter_ns() + int(min(hard_time, _LONGEST_TIME) * 1e9)
        for state in self._states:
            state.deadline = deadline
        if time.perf_counter() - self._started >= soft_time:
            self.stop()

    @property
    def nodes(self) -> int:
        """Nodes of the running or last search, of all threads."""
        return sum(int(state.nodes) for state in self._states)

    @property
    def counts(self) -> Counts:
        """What the running or last search has done, in all threads."""
        return Counts(*(sum(int(state[name]) for state in self._states) for name in Counts._fields))

    @property
    def tb_hits(self) -> int:
        """How often the endgame tables have answered, to all threads."""
        return sum(int(state.tb_hits) for state in self._states)

    def run(self, position: PositionRecord, limits: Limits, report: Report = ignore) -> Result:
        """`begin`, then `finish`."""
        self.begin(position, limits)
        return self.finish(report)

    def begin(self, position: PositionRecord, limits: Limits) -> None:
        """Make everything ready for a search of `position`; from now on `set_time` and `stop` have their effect."""
        for point in (prepare_root, search_from):
            point.load()  # before the clock starts
        self._position, self._limits = position.copy(), limits
        self._started = time.perf_counter()
        self._soft_time = limits.soft_time
        self.tt.next_generation()
        for state in self._states:
            self._prepare(state)

    def finish(self, report: Report = ignore) -> Result:
        """Search; blocks until the search has ended. Without a legal move the result's move is 0.

        `report` hears of every finished line, and in a long search of its progress, from threads of the search.
        """
        try:
            return self._search(report)
        finally:
            self._stop[0] = 0

    def _search(self, report: Report) -> Result:
        main, *helpers = self._states
        position, limits = self._position, self._limits
        if not main.root_count:
            return Result(0, 0, 0, 0, 0.0)
        infos: list[Info] = []
        held: list[Info] = []  # lines of an iteration that was too quick to be told of

        def tell(info: Info | Progress | Remark) -> None:
            assert isinstance(info, Info)
            infos.append(replace(info, nodes=self.nodes, hashfull=self.tt.hashfull(), tb_hits=self.tb_hits,
                                 counts=self.counts))
            if info.line_number == 1:
                held.clear()
            held.append(infos[-1])
            if info.seconds >= _FIRST_REPORT:
                _report_all(held, report)

        endless = Limits(multipv=limits.multipv)
        workers = [self._worker(position.copy(), main, limits, tell),
                   *(self._worker(position.copy(), state, endless, ignore) for state in helpers)]
        threads = [threading.Thread(target=worker.run, args=(lambda _: False,), daemon=True) for worker in workers[1:]]
        finished = threading.Event()
        if report is not ignore and self._may_be_long():
            threads.append(threading.Thread(target=self._watch, args=(workers[0], report, finished), daemon=True))
        for thread in threads:
            thread.start()
        try:
            workers[0].run(self._is_late)
        finally:
            self.stop()
            finished.set()
            for thread in threads:
                thread.join()
            _report_all(held, report)
        return self._result(workers, infos, report)

    def _worker(self, position: PositionRecord, state: StateRecord, limits: Limits, report: Report) -> Deepening:
        """One thread's iterations; another kind of search has others."""
        return Deepening(position, state, limits, report)

    def _result(self, workers: Sequence[Deepening], infos: list[Info], report: Report) -> Result:
        """The answer of the thread that wins the vote; its line is reported if it is not the last one that was."""
        winner = workers[0] if self._limits.depth or self._limits.multipv > 1 else elect(workers)
        best, seconds = winner.lines[0], time.perf_counter() - self._started
        line = best.moves or (int(self._states[0].root_moves[0]),)
        told = next((info.line[:1] for info in reversed(infos) if info.line_number == 1), ())
        if told != line[:1]:
            infos.append(Info(max(winner.depth, 1), max(winner.depth, 1), 1, best.score, self.nodes, seconds,
                              self.tt.hashfull(), line, tb_hits=self.tb_hits))
            report(infos[-1])
        return Result(line[0], best.score, winner.depth, self.nodes, seconds, line, infos)

    def _is_late(self, patience: float) -> bool:
        soft = self._soft_time
        return soft is not None and time.perf_counter() - self._started >= soft * patience

    def _may_be_long(self) -> bool:
        """Whether the search may last until its progress is of interest. A thread in vain costs a tenth of a ms."""
        times = [limit for limit in (self._limits.hard_time, self._limits.movetime) if limit is not None]
        return not times or min(times) > _FIRST_PROGRESS

    def _watch(self, worker: Deepening, report: Report, finished: threading.Event) -> None:
        """Report the progress of a long search."""
        state, wait = self._states[0], _FIRST_PROGRESS
        while not finished.wait(wait):
            wait = _PROGRESS_INTERVAL
            if state.current_move:
                report(Progress(worker.depth + 1, int(state.current_move), int(state.current_number), self.nodes,
                                time.perf_counter() - self._started, self.tt.hashfull()))

    def _prepare(self, state: StateRecord) -> None:
        limits = self._limits
        prepare_root(self._position, state)
        if limits.search_moves:
            keep_root_moves(state, limits.search_moves)
        state.tt_address, state.tt_buckets = self.tt.address, self.tt.buckets
        state.generation = self.tt.generation
        state["tb"] = self._tb
        state.tb_hits = 0
        state.stop_address = self._stop.ctypes.data
        state.node_limit = NEVER if limits.nodes is None else min(max(limits.nodes // len(self._states), 1), NEVER)
        hard = min((limit for limit in (limits.hard_time, limits.movetime) if limit is not None), default=None)
        left = None if hard is None else hard - (time.perf_counter() - self._started)
        state.deadline = NEVER if left is None else time.perf_counter_ns() + int(min(left, _LONGEST_TIME) * 1e9)


def _report_all(held: list[Info], report: Report) -> None:
    """Tell of the lines that were held back."""
    for info in held:
        report(info)
    held.clear()


def elect(workers: Sequence[Deepening]) -> Deepening:
    """The thread whose answer is trusted. Each votes for its move by depth and score; a proven win needs no vote."""
    candidates = [worker for worker in workers if worker.depth > 0]
    if not candidates:
        return workers[0]
    lowest = min(worker.lines[0].score for worker in candidates)
    votes: dict[int, int] = {}
    for worker in candidates:
        line = worker.lines[0]
        weight = (line.score - lowest + _VOTE_OF_THE_WORST) * worker.depth
        votes[line.moves[0]] = votes.get(line.moves[0], 0) + weight
    if any(is_win(worker.lines[0].score) for worker in candidates):
        return max(candidates, key=lambda worker: worker.lines[0].score)
    return max(candidates, key=lambda worker: (votes[worker.lines[0].moves[0]], worker.depth, worker is workers[0]))
