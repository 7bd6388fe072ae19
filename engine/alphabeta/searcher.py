"""The alpha-beta search as its callers see it. Lazy SMP: every thread searches the same root, and the threads help each
other through the shared transposition table.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np

from engine.alphabeta.deepening import helper_deepening, re_search, start_multipv_line
from engine.alphabeta.iterations import MainThreadSearch, best_line_of
from engine.alphabeta.params import ParamsRecord
from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import NO_LIMIT, init_root_entry, move_to_front_entry, restrict_root_moves
from engine.alphabeta.state import StateRecord, clear_histories, new_state, set_params
from engine.alphabeta.threads import ThreadPool
from engine.alphabeta.tt import TranspositionTable
from engine.alphabeta.vote import ThreadResult, vote
from engine.core.position import PositionRecord
from engine.search.interface import Clearable, Evaluating, Resizable, Search, Stoppable, TbProbing, Threaded
from engine.search.tb import TbRecord, no_tb
from engine.search.types import Bound, Counts, Info, InfoString, Limits, Progress, Report, Result, TreeCounts, no_report
from engine.system.errors import InputError
from eval.evaluator import Evaluator, built_in_evaluator

# Seconds: an iteration that ends sooner is reported only if it is the last, since clients parse on the engine's clock.
_FIRST_REPORT = 0.02
_FIRST_PROGRESS = 3.0  # seconds: for shorter searches the lines are enough
_PROGRESS_INTERVAL = 1.0
_LONGEST_TIME = 1e9  # seconds; more would not fit into nanoseconds
_VOTE_TIMEOUT = 0.002  # seconds: how long the vote waits for a helper that has lost its core


class IterativeSearch(Search, Stoppable, Clearable, Evaluating, TbProbing):
    """Iterative deepening in one thread: what alpha-beta, minimax and expectimax have in common."""

    def __init__(self, megabytes: float = 1, params: ParamsRecord | None = None,
                 evaluation: Evaluator | None = None) -> None:
        self.tt = TranspositionTable(megabytes)
        self._params, self._evaluation = params, built_in_evaluator() if evaluation is None else evaluation
        self._stop = np.zeros(1, np.int64)
        self._states: list[StateRecord] = [new_state(self._params, self._evaluation)]
        self._started = 0.0
        self._soft_time: float | None = None
        self._tb = no_tb()

    def set_params(self, params: ParamsRecord) -> None:
        """Use other search parameters from now on."""
        self._params = params
        for state in self._states:
            set_params(state, params)

    def set_evaluation(self, evaluation: Evaluator) -> None:
        """Use this evaluator from now on, and clear what was found."""
        self._states = [new_state(self._params, evaluation) for _ in self._states]
        self._evaluation = evaluation
        self.clear()

    def set_tb(self, tb: TbRecord) -> None:
        """Probe these endgame tables from the next search on."""
        self._tb = tb

    def clear(self) -> None:
        """Clear everything, for a new game."""
        self.tt.clear(len(self._states))
        for state in self._states:
            clear_histories(state)

    def stop(self) -> None:
        """End the running search soon, or the next one if none is running; may be called from any thread."""
        self._stop[0] = 1

    def clear_stop(self) -> None:
        """Clear a `stop` that arrived after the search had ended."""
        self._stop[0] = 0

    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Give a search that was pondering its time limits. The soft one counts from the start of the search."""
        self._soft_time = soft_time
        deadline = time.perf_counter_ns() + int(min(hard_time, _LONGEST_TIME) * 1e9)
        for state in self._states:
            state.deadline = deadline
        if time.perf_counter() - self._started >= soft_time:
            self.stop()

    @property
    def nodes(self) -> int:
        """Nodes of the running or last search, in all threads."""
        return sum(int(state.nodes) for state in self._states)

    @property
    def counts(self) -> Counts:
        """Leaf nodes and cutoffs of the running or last search, in all threads."""
        return Counts(*(sum(int(state[name]) for state in self._states) for name in Counts._fields))

    @property
    def tree_counts(self) -> TreeCounts:
        """How well the techniques worked in the last search, in all threads."""
        return TreeCounts(*(sum(int(state[name]) for state in self._states) for name in TreeCounts._fields))

    @property
    def nodes_by_depth(self) -> list[int]:
        """Nodes entered in the last search, in all threads, by their remaining depth; the first are quiescence's."""
        return [int(sum(counts)) for counts in zip(*(state.nodes_by_depth for state in self._states), strict=True)]

    @property
    def tb_hits(self) -> int:
        """Positions found in endgame tables, in all threads."""
        return sum(int(state.tb_hits) for state in self._states)

    def load(self) -> None:
        """Compile or load the kernels."""
        for point in (init_root_entry, move_to_front_entry, search_from, start_multipv_line, re_search):
            point.load()

    def prepare(self, position: PositionRecord, limits: Limits) -> None:
        """Prepare a search of `position`; from now on `set_time` and `stop` take effect."""
        self.load()  # before the clock starts
        self._position, self._limits = position.copy(), limits
        self._started = time.perf_counter()
        self._soft_time = limits.soft_time
        self.tt.next_generation()
        for state in self._states:
            self._prepare(state)

    def search(self, report: Report = no_report) -> Result:
        """Search, and block until the search has ended. If there is no legal move, the move is 0.

        `report` is called with every finished line, and in a long search with its progress, from other threads.
        """
        try:
            if not self._states[0].root_count:
                return Result(0, 0, 0, 0, 0.0)
            lines = _LineReports(self, report, 0.0 if self._limits.reports_all else _FIRST_REPORT)
            main, finished = self._iterations(lines.add), threading.Event()
            progress: threading.Thread | None = None
            try:
                self._start_helpers()
                if report is not no_report and self._may_be_long():
                    progress = threading.Thread(target=self._report_progress, args=(main, report, finished),
                                                daemon=True)
                    progress.start()
                main.run(self._is_out_of_time)
            finally:
                self._stop_helpers()
                finished.set()
                if progress is not None:
                    progress.join()  # no progress may be reported after the answer
                lines.flush()
            return self._result(self._pick_result(main), lines.infos, report)
        finally:
            self._stop[0] = 0

    def _start_helpers(self) -> None:
        """Start the helper threads; a search in one thread has none."""

    def _stop_helpers(self) -> None:
        """Let the helper threads stop soon."""

    def _iterations(self, report: Report) -> MainThreadSearch:
        """The main thread's iterations; other modes override this."""
        return MainThreadSearch(self._position, self._states[0], self._limits, self._started, report)

    def _pick_result(self, main: MainThreadSearch) -> ThreadResult:
        """The thread that wins the vote."""
        return ThreadResult(main.depth, main.lines[0])

    def _result(self, chosen: ThreadResult, infos: list[Info], report: Report) -> Result:
        """The answer as a result; its line is reported unless the last one reported begins with the same move.

        A bound does not stand for an exact line: whether bounds are reported depends on the clock.
        """
        best, seconds = chosen.line, time.perf_counter() - self._started
        line = best.moves or (int(self._states[0].root_moves[0]),)
        reported = next((info.pv[:1] for info in reversed(infos)
                         if info.multipv == 1 and info.bound in (Bound.EXACT, best.bound)), ())
        if reported != line[:1]:
            depth = max(chosen.depth, 1)
            infos.append(Info(depth, depth, 1, best.score, self.nodes, seconds, self.tt.hashfull(), line, best.bound,
                              tb_hits=self.tb_hits))
            report(infos[-1])
        return Result(line[0], best.score, chosen.depth, self.nodes, seconds, line, infos)

    def _is_out_of_time(self, time_factor: float) -> bool:
        if time.perf_counter_ns() >= self._states[0].deadline:
            return True  # kernels read the clock every few hundred nodes: a tiny tree ends before that
        soft = self._soft_time
        return soft is not None and time.perf_counter() - self._started >= soft * time_factor

    def _may_be_long(self) -> bool:
        """Whether the search may last long enough to report progress. A useless thread would cost a tenth of a ms."""
        return self._limits.longest_time > _FIRST_PROGRESS

    def _report_progress(self, main: MainThreadSearch, report: Report, finished: threading.Event) -> None:
        """Report the progress of a long search."""
        state, wait = self._states[0], _FIRST_PROGRESS
        while not finished.wait(wait):
            wait = _PROGRESS_INTERVAL
            if state.current_move:
                report(Progress(main.depth + 1, int(state.current_move), int(state.current_move_number), self.nodes,
                                time.perf_counter() - self._started, self.tt.hashfull()))

    def _prepare(self, state: StateRecord) -> None:
        limits = self._limits
        init_root_entry(self._position, state)
        if limits.search_moves:
            restrict_root_moves(state, limits.search_moves)
        state.tt_address, state.tt_buckets = self.tt.address, self.tt.buckets
        state.tt_generation = self.tt.generation
        state["tb"] = self._tb
        state.tb_hits = 0
        state.stop_address = self._stop.ctypes.data
        state.node_limit = NO_LIMIT if limits.nodes is None else min(max(limits.nodes // len(self._states), 1),
                                                                     NO_LIMIT)
        left = limits.longest_time - (time.perf_counter() - self._started)
        state.deadline = time.perf_counter_ns() + int(min(left, _LONGEST_TIME) * 1e9)


class _LineReports:
    """The lines of one search: `infos` keeps all of them, `report` gets those found after `first_report` seconds, and
    the last ones in any case.
    """

    def __init__(self, search: IterativeSearch, report: Report, first_report: float) -> None:
        self._search, self._report, self._first_report = search, report, first_report
        self.infos: list[Info] = []
        self._held: list[Info] = []  # lines of an iteration that was too quick to be reported

    def add(self, info: Info | Progress | InfoString) -> None:
        """Keep a line that the main thread has found, completed by the counts of all threads."""
        assert isinstance(info, Info)
        search = self._search
        self.infos.append(replace(info, nodes=search.nodes, tb_hits=search.tb_hits, counts=search.counts))
        if info.multipv == 1:
            self._held.clear()
        self._held.append(self.infos[-1])
        if info.seconds >= self._first_report:
            self.flush()

    def flush(self) -> None:
        """Report the lines that were held back, with how full the TT is: counting that costs as much as a shallow
        iteration, so it is not done for lines that are never sent.
        """
        if self._held and self._report is not no_report:
            hashfull = self._search.tt.hashfull()
            for info in self._held:
                self._report(replace(info, hashfull=hashfull))
        self._held.clear()


class AlphaBetaSearch(IterativeSearch, Threaded, Resizable):
    """The full search: a transposition table of any size, shared by threads that have their own histories."""

    def __init__(self, megabytes: float = 64, threads: int = 1, params: ParamsRecord | None = None,
                 evaluation: Evaluator | None = None) -> None:
        super().__init__(megabytes, params, evaluation)
        self._pool = ThreadPool()
        self._helpers = 0  # helpers of the running search
        self._is_over = np.zeros(1, np.int64)  # the helpers' stop flag: `stop` is cancelled before all have seen it
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Search with this many threads from now on; InputError if there is no memory for them."""
        self._pool.shrink(threads - 1)
        try:
            new = [new_state(self._params, self._evaluation) for _ in range(threads - len(self._states))]
        except MemoryError as error:
            raise InputError(f"no memory for {threads} threads") from error
        self._states = [*self._states, *new][:threads]

    def set_evaluation(self, evaluation: Evaluator) -> None:
        """Use this evaluator from now on, and clear what was found."""
        self._pool.wait()
        super().set_evaluation(evaluation)

    def set_tb(self, tb: TbRecord) -> None:
        """Probe these endgame tables from the next search on; no helper probes those before any more."""
        self._pool.wait()
        super().set_tb(tb)

    def resize(self, megabytes: float) -> None:
        """Use a transposition table of this size from now on; it is emptied if its size changes."""
        self._pool.wait()
        if megabytes != self.tt.megabytes:
            self.tt.resize(megabytes)
            self.prefault()

    def prefault(self) -> None:
        """Prefault the memory of the transposition table."""
        self.tt.prefault()

    def clear(self) -> None:
        """Clear everything, for a new game."""
        self._pool.wait()
        super().clear()

    def load(self) -> None:
        """Compile or load the kernels."""
        super().load()
        if len(self._states) > 1:
            helper_deepening.load()

    def prepare(self, position: PositionRecord, limits: Limits) -> None:
        """Prepare a search of `position`; from now on `set_time` and `stop` take effect."""
        self._pool.wait()  # a helper of the previous search may not have seen yet that it is over
        super().prepare(position, limits)
        self._is_over[0] = 0
        for state in self._states[1:]:
            state.stop_address = self._is_over.ctypes.data

    def _help(self, position: PositionRecord, state: StateRecord, lines: int) -> None:
        """A helper's work. Kernels know the TT, the flags and the network only by address; being a method of the
        search that owns them, this keeps them alive while it runs.
        """
        helper_deepening(position, state, search_from.address, lines)

    def _start_helpers(self) -> None:
        """Start the helper threads, as many as the system allows; none for a search that is over before they run."""
        self._helpers = 0
        if self._limits.longest_time <= self._limits.brief_time:
            return
        lines = min(self._limits.multipv, int(self._states[0].root_count))
        self._helpers = self._pool.start([
            partial(self._help, self._position.copy(), state, lines) for state in self._states[1:]])

    def _stop_helpers(self) -> None:
        """Let the helper threads stop soon."""
        self._is_over[0] = 1

    def _pick_result(self, main: MainThreadSearch) -> ThreadResult:
        """The answer of the thread that wins the vote. A helper that does not stop at once has no vote."""
        own = super()._pick_result(main)
        if self._limits.depth or self._limits.multipv > 1:
            return own
        deadline = time.perf_counter() + _VOTE_TIMEOUT
        others = [ThreadResult(int(state.completed_depth), best_line_of(state))
                  for number, state in enumerate(self._states[1 : 1 + self._helpers])
                  if self._pool.wait_for(number, max(deadline - time.perf_counter(), 0.0))]
        return vote([own, *others])
