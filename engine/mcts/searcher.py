"""The tree search as its users see it: a pool of nodes, and threads that grow the tree.

While they do, this thread only reads the tree, to report and to see whether the search is over. When the pool is full
the threads pause until room has been made.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace

import numpy as np

from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import NO_LIMIT, init_root_entry, restrict_root_moves
from engine.alphabeta.state import StateRecord, clear_histories, new_state, root_pv
from engine.alphabeta.tt import TranspositionTable
from engine.core.game import make_if_legal
from engine.core.position import PositionRecord
from engine.mcts.iterate import grow
from engine.mcts.lines import RootLine, best_lines, without_unfinished_mate
from engine.mcts.nodes import Pool, compact, prove_node
from engine.mcts.params import Selection, TreeParamsRecord, puct
from engine.mcts.shared_values import SharedValues
from engine.mcts.values import curve, reset_value_spread, set_curves
from engine.mcts.worker import WorkerRecord, new_worker
from engine.search.interface import Search
from engine.search.scores import INFINITE, MATE, is_decisive, mate_distance
from engine.search.tb import TbRecord, no_tb
from engine.search.types import Info, Limits, Report, Result, no_report
from engine.system.errors import InputError
from eval.evaluator import Evaluator, built_in_evaluator
from eval.policy.memory import NO_POLICY, LoadedPolicy, built_in_policy
from eval.wdl import material_on

POOL_SHARE = 75  # of the memory, in percent; the rest is a transposition table for the searches of leaves, and
_SHARED_SHARE = 4  # for the values of transpositions in the tree

_PLIES_TO_FIND_A_MATE = 6  # extra depth to find a known mate, since the search prunes
_SECONDS_TO_FIND_MATES = 0.02
_MOST_VISITS = 1 << 30  # of the root: counters have 32 bits
_PLAYOUTS_A_PLY = 100  # per move: without a tree there is no depth, but a larger one still means more work
_PULSE = 0.01  # seconds between two checks of the threads
_FIRST_REPORT, _LONGEST_SILENCE = 0.1, 2.0
_REPORT_GROWTH = 1.5  # the time of each report is this factor later than the last, so that there are few


class MctsSearch(Search):
    """One tree, grown by several threads."""

    def __init__(self, params: TreeParamsRecord | None = None, megabytes: float = 64, threads: int = 1,
                 pool_share: int = POOL_SHARE, seed: int = 0, evaluation: Evaluator | None = None,
                 policy: LoadedPolicy | None = None) -> None:
        """`policy` is the learned one; the default is that which comes with the engine."""
        self._params, self._seed, self._pool_share = puct() if params is None else params, seed, pool_share
        self._stop = np.zeros(1, np.int64)  # whether the search is to end
        self._halt = np.zeros(1, np.int64)  # whether the threads are to pause; this is the flag they read
        self._tb = no_tb()
        self._evaluation = built_in_evaluator() if evaluation is None else evaluation
        self._policy = built_in_policy() if policy is None else policy
        self._states: list[StateRecord] = []
        self._workers: list[WorkerRecord] = []
        self._rooted: PositionRecord | None = None  # the position whose tree the pool holds
        self._limits = Limits()
        self._started, self._deadline, self._soft_time, self._next_report = 0.0, math.inf, math.inf, 0.0
        self.resize(megabytes)
        self.set_threads(threads)

    def resize(self, megabytes: float) -> None:
        """Use this much memory for the tree and a transposition table, and forget what was found."""
        tt = TranspositionTable(megabytes * (100 - self._pool_share - _SHARED_SHARE) / 100)
        size = int(megabytes * (1 << 20))
        shared = SharedValues(size * _SHARED_SHARE // 100)
        self.pool = Pool(size * self._pool_share // 100)
        self.tt, self.shared, self._rooted = tt, shared, None

    def touch(self) -> None:
        """Have the system provide all memory of the transposition table now; that of the tree is used in order."""
        self.tt.prefault()

    def set_threads(self, threads: int) -> None:
        """Search with this many threads from now on; InputError if there is no memory for them."""
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
        self._params, self._rooted = params, None
        self.shared.clear()
        for worker in self._workers:
            worker["params"] = params
            set_curves(worker, params, self._evaluation.wdl_model)

    def set_evaluation(self, evaluation: Evaluator) -> None:
        """Evaluate positions with this evaluation from now on, and forget what was found."""
        self._states = [new_state(evaluation=evaluation) for _ in self._states]
        self._evaluation = evaluation
        for worker in self._workers:
            set_curves(worker, self._params, evaluation.wdl_model)
        self.clear()

    def set_tb(self, tb: TbRecord) -> None:
        """Probe these endgame tables from the next search on."""
        self._tb = tb

    def clear(self) -> None:
        """Forget everything, for a new game."""
        self.tt.clear(len(self._states))
        self.shared.clear()
        self._rooted = None
        for number, (state, worker) in enumerate(zip(self._states, self._workers, strict=True)):
            clear_histories(state)
            worker.random = new_worker(self._params, number, self._seed).random

    def stop(self) -> None:
        """End the running search soon, or the next one if none is running; may be called from any thread."""
        self._stop[0] = 1
        self._halt[0] = 1

    def forget_stop(self) -> None:
        """Cancel a `stop` that came too late to stop anything."""
        self._stop[0] = 0

    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Give a search that was pondering its time limits. The soft one counts from the start of the search."""
        self._soft_time, self._deadline = soft_time, time.perf_counter() + hard_time
        deadline = _in_nanoseconds(self._deadline)
        for state, worker in zip(self._states, self._workers, strict=True):
            state.deadline = worker.deadline = deadline

    @property
    def positions(self) -> int:
        """All positions that the running or last search has seen: in the tree, in playouts, in searches of leaves."""
        return self.nodes + sum(int(state.nodes) for state in self._states) + sum(
            int(worker.playout_plies) for worker in self._workers)

    @property
    def nodes(self) -> int:
        """Iterations of the running or last search, in all threads."""
        return sum(int(worker.iterations) for worker in self._workers)

    def visits(self) -> dict[int, int]:
        """How often each root move has been visited."""
        root = self.pool.nodes[self.pool.root]
        return {int(child.move): int(child.visits) for child in self.pool.children(root)}

    def load(self) -> None:
        """Compile or load the kernels."""
        for point in (init_root_entry, search_from, make_if_legal, grow, compact, prove_node):
            point.load()

    def prepare(self, position: PositionRecord, limits: Limits) -> None:
        """Prepare a search of `position`; from now on `set_time` and `stop` take effect."""
        self.load()  # before the clock starts
        self._started, self._limits = time.perf_counter(), limits
        self._soft_time = math.inf if limits.soft_time is None else limits.soft_time
        hard = min((limit for limit in (limits.hard_time, limits.movetime) if limit is not None), default=math.inf)
        self._deadline, self._next_report = self._started + hard, _FIRST_REPORT
        self.tt.next_generation()
        self._reuse_root(position)
        for state, worker in zip(self._states, self._workers, strict=True):
            self._prepare(position, state, worker)
        if self._params.selection == Selection.EVEN and limits.depth is not None:
            playouts = _PLAYOUTS_A_PLY * limits.depth * int(self._workers[0].root_count)
            self._limits = replace(limits, depth=None, nodes=min(playouts, limits.nodes or playouts))

    def _reuse_root(self, position: PositionRecord) -> None:
        """Keep the subtree of this position, if there is one."""
        if self._rooted is None or self._limits.search_moves:
            self.pool.clear()
        elif self.pool.reuse_tree(self._rooted, position):
            self._compact_tree()
        self.pool.new_root()
        self._position = position.copy()
        self._curve = curve(self._params, self._evaluation.wdl_model, material_on(position.board.tolist()))
        self._rooted = None if self._limits.search_moves else self._position

    def _compact_tree(self) -> None:
        """Make room in a kept tree, or start a new one if there is no time for that or nothing worth keeping."""
        root = self.pool.nodes[self.pool.root]
        is_crowded = 2 * self.pool.used > self.pool.capacity
        has_no_time = self.pool.seconds_to_make_room() > (self._deadline - self._started) / 4
        if not root.first or root.visits >= _MOST_VISITS or (is_crowded and has_no_time):
            self.pool.clear()
        elif is_crowded:
            self.pool.free_space()

    def _prepare(self, position: PositionRecord, state: StateRecord, worker: WorkerRecord) -> None:
        init_root_entry(position, state)
        if self._limits.search_moves:
            restrict_root_moves(state, self._limits.search_moves)
        state.tt_address, state.tt_buckets = self.tt.address, self.tt.buckets
        state.tt_generation, state["tb"], state.tb_hits = self.tt.generation, self._tb, 0
        state.pv_is_not_needed = 1  # only the value of a leaf is asked for
        state.node_limit, state.stop_address = NO_LIMIT, self._halt.ctypes.data
        worker.root_moves, worker.root_count = state.root_moves, state.root_count
        worker.search_address, worker.stop_address = search_from.address, self._halt.ctypes.data
        worker.policy = NO_POLICY if self._policy is None else self._policy.address
        worker.pool, worker.pool_capacity = self.pool.address, self.pool.capacity
        worker.pool_counter = self.pool.counter.ctypes.data
        worker.shared, worker.shared_entries = self.shared.address, self.shared.entries
        worker.stops_when_proven = self._limits.multipv == 1
        for counter in ("iterations", "deepest", "depth_sum", "playouts", "playout_plies", "unfinished_playouts",
                        "is_frozen"):
            worker[counter] = 0
        reset_value_spread(worker)

    def search(self, report: Report = no_report) -> Result:
        """Search, and block until the search has ended. If there is no legal move, the move is 0."""
        try:
            if not self._workers[0].root_count:
                return Result(0, 0, 0, 0, 0.0)
            with ThreadPoolExecutor(len(self._workers)) as threads:
                try:
                    return self._search(threads, report)
                finally:
                    self._halt[0] = 1  # whatever happened, the tree must not grow any more
        finally:
            self._stop[0] = 0

    def _search(self, threads: ThreadPoolExecutor, report: Report) -> Result:
        infos: list[Info] = []
        while not self._grow(threads, infos, report):
            self._make_room()
        best = self._report_lines(infos, report, is_last=True)[0]
        return Result(best.moves[0], best.score, infos[-1].depth, self.nodes, self._elapsed(), best.moves, infos)

    def _grow(self, threads: ThreadPoolExecutor, infos: list[Info], report: Report) -> bool:
        """Let all threads grow the tree until the search is over or the pool is full; returns whether it is over."""
        self._halt[0] = 0
        deadline = _in_nanoseconds(self._deadline)
        for number, (state, worker) in enumerate(zip(self._states, self._workers, strict=True)):
            state.stopped = worker.is_full = 0
            state.deadline = worker.deadline = deadline
            worker.root, worker.iteration_limit = self.pool.root, self._share_of_nodes(number)
        if self._stop[0]:
            self._halt[0] = 1
        growing = {threads.submit(grow, self._position.copy(), state, worker)
                   for state, worker in zip(self._states, self._workers, strict=True)
                   if worker.iterations < worker.iteration_limit}
        is_over = self._watch(growing, infos, report)
        return is_over or not any(worker.is_full for worker in self._workers)

    def _watch(self, growing: set[Future[None]], infos: list[Info], report: Report) -> bool:
        """Report while the threads work, and halt them when it is time; returns whether the search is over."""
        is_over = False
        while growing:
            ended, growing = wait(growing, _PULSE)
            for future in ended:
                future.result()  # raises what was raised in the thread
            is_over = is_over or self._is_over()
            if is_over or any(worker.is_full for worker in self._workers):
                self._halt[0] = 1
            elif self._elapsed() >= self._next_report:
                self._report_lines(infos, report)
        return is_over

    def _share_of_nodes(self, number: int) -> int:
        """The total number of iterations that one of the threads may do."""
        if self._limits.nodes is None:
            return NO_LIMIT
        threads = len(self._workers)
        return min((self._limits.nodes + threads - 1 - number) // threads, NO_LIMIT)

    def _make_room(self) -> None:
        """Make room in the pool; if there is no time for that, the tree grows no further."""
        if self.pool.seconds_to_make_room() < (self._deadline - time.perf_counter()) / 2:
            self.pool.free_space()
        else:
            for worker in self._workers:
                worker.is_frozen = 1

    def _is_over(self) -> bool:
        limits = self._limits
        if self._stop[0] or time.perf_counter() >= self._deadline:
            return True
        if limits.nodes is not None and self.nodes >= limits.nodes:
            return True
        root = self.pool.nodes[self.pool.root]
        if root.visits >= _MOST_VISITS or (root.proof and self._is_settled()):
            return True
        if limits.depth is None and limits.mate is None and self._soft_time == math.inf:
            return False
        lines = best_lines(self.pool, self._params, self._curve, 2)
        return bool(lines) and self._is_enough(*lines)

    def _is_settled(self) -> bool:
        """Whether all lines asked for are proven."""
        if self._limits.multipv == 1:
            return True
        lines = best_lines(self.pool, self._params, self._curve, self._limits.multipv)
        return all(mate_distance(line.score) is not None for line in lines)

    def _is_enough(self, best: RootLine, *others: RootLine) -> bool:
        """Whether the depth or mate asked for has been reached, or the soft time is over."""
        limits = self._limits
        if limits.depth is not None and (len(best.moves) >= limits.depth or best.is_over):
            return True
        distance = mate_distance(best.score)
        if limits.mate is not None and distance is not None and 0 < distance <= limits.mate:
            return True
        return self._is_late(best, others)

    def _is_late(self, best: RootLine, others: tuple[RootLine, ...]) -> bool:
        """Whether the soft time is over, or no other move could overtake the best in what is left of it."""
        elapsed = self._elapsed()
        left = self._soft_time - elapsed
        if left <= 0 or self._workers[0].root_count == 1:
            return self._soft_time < math.inf
        return bool(others) and best.visits - others[0].visits > left * self.nodes / elapsed

    def _elapsed(self) -> float:
        return time.perf_counter() - self._started

    def _report_lines(self, infos: list[Info], report: Report, is_last: bool = False) -> list[RootLine]:
        """Report the current best lines; the last time, complete those that announce a mate."""
        lines = best_lines(self.pool, self._params, self._curve, self._limits.multipv)
        if is_last:
            self._halt[0], deadline = 0, time.perf_counter() + _SECONDS_TO_FIND_MATES
            lines = [self._with_mate(line, deadline) for line in lines]
        lines = [without_unfinished_mate(line, self._curve) for line in lines]
        nodes, seconds = self.nodes, self._elapsed()
        self._next_report = min(seconds * _REPORT_GROWTH, seconds + _LONGEST_SILENCE)
        depth = max(round(sum(int(worker.depth_sum) for worker in self._workers) / max(nodes, 1)), 1)
        deepest = max(int(worker.deepest) for worker in self._workers)
        hits = sum(int(state.tb_hits) for state in self._states)
        for number, line in enumerate(lines, start=1):
            infos.append(Info(depth, max(deepest, depth), number, line.score, nodes, seconds, self.pool.fullness(),
                              line.moves, tb_hits=hits, wdl=self._chances(line)))
            report(infos[-1])
        return lines

    def _chances(self, line: RootLine) -> tuple[int, int, int] | None:
        """The tree's own chances of a line; None if it knows of no draws, or if the score says it all."""
        return line.chances if self._params.use_outcome and not is_decisive(line.score) else None

    def _with_mate(self, line: RootLine, deadline: float) -> RootLine:
        """The line, completed if it announces a mate: the search of a leaf may have proven it outside the tree."""
        distance = mate_distance(line.score)
        if distance is None:
            return line
        position, state = self._position.copy(), self._states[0]
        for move in line.moves:
            make_if_legal(position, move)
        left = int(MATE) - abs(line.score) - len(line.moves)
        state.deadline, state.pv_is_not_needed = _in_nanoseconds(deadline), 0
        for depth in range(left, left + _PLIES_TO_FIND_A_MATE if left > 0 else left):
            init_root_entry(position, state)
            score = search_from(position, state, depth, -int(INFINITE), int(INFINITE), 0)
            rest = root_pv(state)
            if not state.stopped and int(MATE) - abs(score) == len(rest) == left:
                return replace(line, moves=line.moves + rest)
        return line


def _in_nanoseconds(deadline: float) -> int:
    return NO_LIMIT if deadline == math.inf else min(int(deadline * 1e9), NO_LIMIT)
