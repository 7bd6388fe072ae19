"""The tree search: a pool of nodes, and threads that grow the tree.

Meanwhile the calling thread only reads the tree, to report and to check the limits. When the pool is full, the threads
pause until space is free.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np

from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import NO_LIMIT, init_root_entry, restrict_root_moves
from engine.alphabeta.state import StateRecord, clear_histories, new_state
from engine.alphabeta.tt import TranspositionTable
from engine.core.game import make_if_legal
from engine.core.position import PositionRecord
from engine.mcts.completion import unvisited_line, with_mate
from engine.mcts.iterate import grow
from engine.mcts.limits import SearchClock, depth_or_mate_is_reached, in_nanoseconds, share_of
from engine.mcts.lines import RootLine, best_lines, in_score_order, proof_text, without_unfinished_mate
from engine.mcts.nodes import Pool, compact, prove_node
from engine.mcts.params import Selection, TreeParamsRecord, puct
from engine.mcts.shared_values import SharedValues
from engine.mcts.values import curve, reset_value_spread, set_curves
from engine.mcts.worker import WorkerRecord, new_worker
from engine.search.interface import FullSearch
from engine.search.scores import is_decisive, mate_distance
from engine.search.tb import TbRecord, no_tb
from engine.search.types import Bound, Info, InfoString, Limits, Report, Result, no_report
from engine.system.errors import InputError
from eval.evaluator import Evaluator, built_in_evaluator
from eval.policy.memory import NO_POLICY, LoadedPolicy, built_in_policy
from eval.wdl import material_on

# Per cent of the memory for nodes and for shared values; the rest is the TT of the searches of leaves.
POOL_PERCENT = 75
_SHARED_PERCENT = 4

_COMPLETION_SECONDS = 0.02
_MAX_VISITS = 1 << 30  # of the root: counters have 32 bits
_PLAYOUTS_PER_PLY = 100  # per move: `depth` without a tree is converted to playouts
_CHECK_SECONDS = 0.01  # between two checks of the limits
_FIRST_REPORT, _MAX_REPORT_INTERVAL = 0.1, 2.0
_REPORT_GROWTH = 1.5  # each report comes at this multiple of the time of the last one


class MctsSearch(FullSearch):
    """One tree, grown by several threads."""

    def __init__(self, params: TreeParamsRecord | None = None, megabytes: float = 64, threads: int = 1,
                 pool_percent: int = POOL_PERCENT, seed: int = 0, evaluation: Evaluator | None = None,
                 policy: LoadedPolicy | None = None) -> None:
        """The defaults of `evaluation` and `policy` are the ones that come with the engine."""
        self._params, self._seed, self._pool_percent = puct() if params is None else params, seed, pool_percent
        self._stop = np.zeros(1, np.int64)  # whether the search must end
        self._pause = np.zeros(1, np.int64)  # whether the threads must pause; the only flag that they read
        self._tb = no_tb()
        self._evaluation = built_in_evaluator() if evaluation is None else evaluation
        self._policy = built_in_policy() if policy is None else policy
        self._states: list[StateRecord] = []
        self._workers: list[WorkerRecord] = []
        self._tree_position: PositionRecord | None = None  # the position of the root of the tree in the pool
        self._limits, self._next_report = Limits(), 0.0
        self._clock = SearchClock(self._limits)
        self.resize(megabytes)
        self.set_threads(threads)

    def resize(self, megabytes: float) -> None:
        """Use this much memory for the tree, the shared values and the TT; all of them are cleared."""
        tt = TranspositionTable(megabytes * (100 - self._pool_percent - _SHARED_PERCENT) / 100)
        size = int(megabytes * (1 << 20))
        shared = SharedValues(size * _SHARED_PERCENT // 100)
        self.pool = Pool(size * self._pool_percent // 100)
        self.tt, self.shared, self._tree_position = tt, shared, None

    def prefault(self) -> None:
        """Prefault the memory of the TT; the tree uses its memory in order."""
        self.tt.prefault()

    def set_threads(self, threads: int) -> None:
        """Use this many threads from now on; InputError if there is not enough memory."""
        try:
            new = [(new_state(evaluation=self._evaluation), self._new_worker(number))
                   for number in range(len(self._states), threads)]
        except MemoryError as error:
            raise InputError(f"no memory for {threads} threads") from error
        self._states = [*self._states, *(state for state, _ in new)][:threads]
        self._workers = [*self._workers, *(worker for _, worker in new)][:threads]

    def _new_worker(self, number: int) -> WorkerRecord:
        worker = new_worker(self._params, number, self._seed)
        set_curves(worker, self._params, self._evaluation.wdl_model)
        return worker

    def set_params(self, params: TreeParamsRecord) -> None:
        """Use other parameters from now on, with a new tree."""
        self._params, self._tree_position = params, None
        self.shared.clear()
        for worker in self._workers:
            worker["params"] = params
            set_curves(worker, params, self._evaluation.wdl_model)

    def set_evaluation(self, evaluation: Evaluator) -> None:
        """Use this evaluator from now on, and clear everything."""
        self._states = [new_state(evaluation=evaluation) for _ in self._states]
        self._evaluation = evaluation
        for worker in self._workers:
            set_curves(worker, self._params, evaluation.wdl_model)
        self.clear()

    def set_tb(self, tb: TbRecord) -> None:
        """Probe these endgame tables from the next search on."""
        self._tb = tb

    def clear(self) -> None:
        """Clear the tree, the shared values, the TT and the histories for a new game."""
        self.tt.clear(len(self._states))
        self.shared.clear()
        self._tree_position = None
        for number, (state, worker) in enumerate(zip(self._states, self._workers, strict=True)):
            clear_histories(state)
            worker.random = new_worker(self._params, number, self._seed).random
            worker.move_history[:] = 0

    def set_seed(self, seed: int) -> None:
        """Use this seed from the next `clear` on."""
        self._seed = seed

    def stop(self) -> None:
        """Stop the running search, or the next one if none is running; may be called from any thread."""
        self._stop[0] = 1
        self._pause[0] = 1

    def clear_stop(self) -> None:
        """Cancel a `stop` that came after the end of the search."""
        self._stop[0] = 0

    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Set the time limits of a running search after a ponderhit. The soft limit counts from its start."""
        self._clock.set_time(soft_time, hard_time)
        deadline = in_nanoseconds(self._clock.deadline)
        for state, worker in zip(self._states, self._workers, strict=True):
            state.deadline = worker.deadline = deadline

    @property
    def positions(self) -> int:
        """All positions of the running or last search: in the tree, in playouts and in searches of leaves."""
        return sum(map(_positions, self._states, self._workers))

    @property
    def nodes(self) -> int:
        """Iterations of the running or last search, of all threads."""
        return sum(int(worker.iterations) for worker in self._workers)

    def visits(self) -> dict[int, int]:
        """The visits of each root move."""
        root = self.pool.nodes[self.pool.root]
        return {int(child.move): int(child.visits) for child in self.pool.children(root)}

    def load(self) -> None:
        """Compile or load the kernels."""
        for point in (init_root_entry, search_from, make_if_legal, grow, compact, prove_node):
            point.load()

    def prepare(self, position: PositionRecord, limits: Limits) -> None:
        """Prepare a search of `position`; from now on `set_time` and `stop` take effect."""
        self.load()  # before the clock starts
        self._limits, self._clock, self._next_report = limits, SearchClock(limits), _FIRST_REPORT
        self.tt.next_generation()
        self._reuse_root(position)
        for state, worker in zip(self._states, self._workers, strict=True):
            self._prepare(position, state, worker)
        if self._params.selection == Selection.EVEN and limits.depth is not None:
            playouts = _PLAYOUTS_PER_PLY * limits.depth * int(self._workers[0].root_count)
            self._limits = replace(limits, depth=None, nodes=min(playouts, limits.nodes or playouts))

    def _reuse_root(self, position: PositionRecord) -> None:
        """Keep the subtree of this position if the tree has it; otherwise start a new tree."""
        if self._tree_position is None or self._limits.search_moves:
            self.pool.clear()
        elif self.pool.reuse_tree(self._tree_position, position):
            self._compact_tree()
        self.pool.new_root()
        self._position = position.copy()
        self._curve = curve(self._params, self._evaluation.wdl_model, material_on(position.board.tolist()))
        self._tree_position = None if self._limits.search_moves else self._position

    def _compact_tree(self) -> None:
        """Free space in a kept tree, or start a new one if there is no time for that or nothing to keep."""
        root = self.pool.nodes[self.pool.root]
        is_crowded = 2 * self.pool.used > self.pool.capacity
        has_no_time = self.pool.seconds_to_free_space() > self._clock.left / 4
        if not root.first or root.visits >= _MAX_VISITS or (is_crowded and has_no_time):
            self.pool.clear()
        elif is_crowded:
            self.pool.free_space()

    def _prepare(self, position: PositionRecord, state: StateRecord, worker: WorkerRecord) -> None:
        init_root_entry(position, state)
        if self._limits.search_moves:
            restrict_root_moves(state, self._limits.search_moves)
        state.tt_address, state.tt_buckets = self.tt.address, self.tt.buckets
        state.tt_generation, state["tb"], state.tb_hits = self.tt.generation, self._tb, 0
        state.pv_is_not_needed = 1  # searches of leaves only return a score
        state.node_limit, state.stop_address = NO_LIMIT, self._pause.ctypes.data
        worker.root_moves, worker.root_count = state.root_moves, state.root_count
        worker.search_address, worker.stop_address = search_from.address, self._pause.ctypes.data
        worker.policy = NO_POLICY if self._policy is None else self._policy.address
        worker.pool, worker.pool_capacity = self.pool.address, self.pool.capacity
        worker.pool_counter = self.pool.counter.ctypes.data
        worker.shared, worker.shared_entries = self.shared.address, self.shared.entries
        worker.stops_when_proven = self._limits.multipv == 1 and self._limits.mate is None
        for counter in ("iterations", "seldepth", "depth_sum", "playouts", "playout_plies", "unfinished_playouts",
                        "root_search_depth", "root_search_nodes", "is_frozen"):
            worker[counter] = 0
        reset_value_spread(worker)

    def search(self, report: Report = no_report) -> Result:
        """Search until a limit is reached. The move of the result is 0 if there is no legal move."""
        try:
            if not self._workers[0].root_count:
                return Result(0, 0, 0, 0, 0.0)
            if self._clock.is_brief:
                return self._search_briefly(report)
            with ThreadPoolExecutor(len(self._workers)) as threads:
                try:
                    return self._search(threads, report)
                finally:
                    self._pause[0] = 1  # also after an exception the tree must not grow any more
        finally:
            self._stop[0] = 0

    def _search(self, threads: ThreadPoolExecutor, report: Report) -> Result:
        infos: list[Info] = []
        while not self._grow(threads, infos, report):
            self._free_space()
        return self._result(infos, report)

    def _search_briefly(self, report: Report) -> Result:
        """Grow the tree in the calling thread, to the soft limit."""
        self._clock.end_at_soft_time()
        self._prepare_growth()
        grow(self._position.copy(), self._states[0], self._workers[0])
        return self._result([], report)

    def _result(self, infos: list[Info], report: Report) -> Result:
        best = self._report_lines(infos, report, is_last=True)[0]
        return Result(best.moves[0], best.score, infos[-1].depth, self.nodes, self._clock.elapsed, best.moves, infos)

    def _grow(self, threads: ThreadPoolExecutor, infos: list[Info], report: Report) -> bool:
        """Grow the tree in all threads until the search is over or the pool is full; return whether it is over."""
        self._prepare_growth()
        growing = {threads.submit(grow, self._position.copy(), state, worker)
                   for state, worker in zip(self._states, self._workers, strict=True)
                   if worker.iterations < worker.iteration_limit
                   and _positions(state, worker) < worker.position_limit}
        is_over = self._watch(growing, infos, report)
        return is_over or not any(worker.is_full for worker in self._workers)

    def _prepare_growth(self) -> None:
        """Set the limits of all threads, and let them run unless the search was stopped."""
        self._pause[0] = 0
        limits, threads, deadline = self._limits, len(self._workers), in_nanoseconds(self._clock.deadline)
        for number, (state, worker) in enumerate(zip(self._states, self._workers, strict=True)):
            state.stopped = worker.is_full = 0
            state.deadline = worker.deadline = deadline
            worker.root, worker.iteration_limit = self.pool.root, share_of(number, threads, limits.nodes)
            worker.position_limit = share_of(number, threads, limits.positions)
        if self._stop[0]:
            self._pause[0] = 1

    def _watch(self, growing: set[Future[None]], infos: list[Info], report: Report) -> bool:
        """Report while the threads run, and stop them at a limit; return whether the search is over."""
        is_over = False
        while growing:
            ended, growing = wait(growing, _CHECK_SECONDS)
            for future in ended:
                future.result()  # raises the exception of the thread
            is_over = is_over or self._is_over()
            if is_over or any(worker.is_full for worker in self._workers):
                self._pause[0] = 1
            elif self._clock.elapsed >= self._next_report:
                self._report_lines(infos, report)
        return is_over

    def _free_space(self) -> None:
        """Free space in the pool; if there is no time for that, freeze the tree."""
        if self.pool.seconds_to_free_space() < self._clock.left / 2:
            self.pool.free_space()
        else:
            for worker in self._workers:
                worker.is_frozen = 1

    def _is_over(self) -> bool:
        limits = self._limits
        if self._stop[0] or self._clock.left <= 0:
            return True
        if self.nodes >= (limits.nodes or NO_LIMIT) or self.positions >= (limits.positions or NO_LIMIT):
            return True
        root = self.pool.nodes[self.pool.root]
        if root.visits >= _MAX_VISITS or (root.proof and self._is_proof_enough(root)):
            return True
        if limits.depth is None and limits.mate is None and self._clock.soft_time == math.inf:
            return False
        lines = best_lines(self.pool, self._params, self._curve, 2)
        return bool(lines) and (depth_or_mate_is_reached(limits, lines[0]) or self._clock.soft_time_is_over(
            lines, self.nodes, int(self._workers[0].root_count)))

    def _is_proof_enough(self, root: Any) -> bool:
        """Whether nothing more is to be found: all MultiPV lines are proven, or all moves if a short mate is sought."""
        limits = self._limits
        if limits.mate is not None:
            return bool((self.pool.children(root)["proof"] != 0).all())
        if limits.multipv == 1:
            return True
        lines = best_lines(self.pool, self._params, self._curve, limits.multipv)
        return all(mate_distance(line.score) is not None for line in lines)

    def _report_lines(self, infos: list[Info], report: Report, is_last: bool = False) -> list[RootLine]:
        """Report the current best lines; with `is_last`, first complete those with a mate score."""
        lines = best_lines(self.pool, self._params, self._curve, self._limits.multipv)
        if is_last:
            lines = self._completed(lines)
            if proven := proof_text(self.pool.nodes[self.pool.root]):
                report(InfoString(proven))
        lines = in_score_order([without_unfinished_mate(line, self._curve) for line in lines])
        nodes, seconds = self.nodes, self._clock.elapsed
        self._next_report = min(seconds * _REPORT_GROWTH, seconds + _MAX_REPORT_INTERVAL)
        depth = max(round(sum(int(worker.depth_sum) for worker in self._workers) / max(nodes, 1)), 1)
        seldepth = max(int(worker.seldepth) for worker in self._workers)
        hits = sum(int(state.tb_hits) for state in self._states)
        for number, line in enumerate(lines, start=1):
            infos.append(Info(depth, max(seldepth, depth), number, line.score, nodes, seconds, self.pool.hashfull(),
                              line.moves, Bound.UPPER if line.is_capped else Bound.EXACT, tb_hits=hits,
                              wdl=self._wdl(line)))
            report(infos[-1])
        return lines

    def _completed(self, lines: list[RootLine]) -> list[RootLine]:
        """The lines, with the moves of their mates, and as many as were asked for."""
        state, limits = self._states[0], self._limits
        self._pause[0] = 0
        if limits.nodes is None and limits.positions is None:  # otherwise the result must not depend on the clock
            state.deadline = in_nanoseconds(time.perf_counter() + _COMPLETION_SECONDS)
        return [*(with_mate(self._position, state, line) for line in lines),
                *(unvisited_line(self._position, state, move) for move in self._unvisited_moves(len(lines)))]

    def _wdl(self, line: RootLine) -> tuple[int, int, int] | None:
        """The WDL of a line by the tree; None without the WDL model, or if the score is decisive."""
        has_wdl = self._params.use_outcome and line.visits and not line.is_capped and not is_decisive(line.score)
        return line.wdl if has_wdl else None

    def _unvisited_moves(self, shown: int) -> list[int]:
        """The root moves without a visit that are needed to show as many lines as were asked for."""
        children = self.pool.children(self.pool.nodes[self.pool.root])
        unvisited: list[int] = children[(children["visits"] == 0) & (children["proof"] == 0)]["move"].tolist()
        return unvisited[: max(self._limits.multipv - shown, 0)]


def _positions(state: StateRecord, worker: WorkerRecord) -> int:
    """The positions that one thread has visited."""
    return int(worker.iterations) + int(state.nodes) + int(worker.playout_plies)
