"""The search variants that `compare` compares.

`alphabeta_variants` are the steps of a ladder from minimax to the full search, each of which adds one technique to the
engine's own search; `tree_variants` are the tree searches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from engine.alphabeta.params import PARAMETERS, ParamsRecord
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.searches import search as search_until_interrupted
from engine.core.fen import START_FEN, parse_fen
from engine.core.position import PositionRecord
from engine.lab.arena.configs import Config
from engine.lab.arena.participants import cpu_limit
from engine.lab.tree_searches import TREES
from engine.mcts.params import TreeParamsRecord
from engine.mcts.searcher import MctsSearch
from engine.search.interface import limits_alike
from engine.search.types import Bound, Counts, Info, InfoString, Limits, Progress, Result

_SWITCHES = tuple(row.name for row in PARAMETERS if row.is_on)
_SHORTEST_TIME = 1e-6  # seconds: avoids division by zero
SECONDS_PER_PLY = 0.15  # of CPU time for a tree search if the limit is a depth, which trees do not have


@dataclass(frozen=True)
class DepthResult:
    """The result of an iteration, with the nodes and time since the start of the search."""

    depth: int
    nodes: int
    counts: Counts
    seconds: float  # of CPU time
    score: int  # centipawns, for the side to move
    move: int


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a variant in one position, with its cost.

    If the limit is a depth, the cost is that of the deepest completed iteration; if it is nodes or time, the total.
    """

    nodes: int
    counts: Counts
    seconds: float  # of CPU time
    score: int  # centipawns, for the side to move
    move: int
    depth: int  # 0 for tree searches
    stages: tuple[DepthResult, ...] = ()
    growth: tuple[tuple[int, Mapping[int, int]], ...] = ()  # of a tree: total visits, and the visits of each root move


@dataclass(frozen=True)
class SearchVariant:
    """A search with a name."""

    name: str
    search: Callable[[PositionRecord, Limits], SearchOutcome]


@dataclass(frozen=True)
class LadderStep:
    """A technique, and the switches that it adds to those of all earlier steps."""

    name: str
    switches: tuple[str, ...] = ()
    deepens: bool = field(default=False, kw_only=True)  # whether iterative deepening starts with this step


LADDER = (
    LadderStep("minimax"),
    LadderStep("alpha-beta, no order", ("use_alphabeta",)),
    LadderStep("+ captures first", ("use_ordering",)),  # by victim and SEE
    LadderStep("+ killers", ("use_killers",)),
    LadderStep("+ history", ("use_history", "use_counter_moves", "use_continuation")),
    LadderStep("+ transposition table", ("use_tt", "use_tt_cutoffs")),
    LadderStep("+ iterative deepening", deepens=True),
    LadderStep("+ quiescence", ("use_quiescence", "use_delta_pruning", "use_quiescence_see", "use_evasion_pruning")),
    LadderStep("+ PVS, aspiration", ("use_pvs", "use_aspiration", "use_mate_distance")),
    LadderStep("+ null move", ("use_null_move",)),
    LadderStep("+ reductions", ("use_late_move_reductions",)),
    LadderStep("full search", _SWITCHES),
)
ORDERED_ALPHABETA = LADDER[6]  # all move ordering, no pruning
_FULL_WIDTH = LADDER[8]  # the last step without pruning before quiescence


def alphabeta_variants(megabytes: int) -> list[SearchVariant]:
    """One variant per step of the ladder, the simplest first; they share a TT of this size."""
    searcher = AlphaBetaSearch(megabytes)
    # Load the kernels before anything is measured.
    search_until_interrupted(searcher, parse_fen(START_FEN), Limits(depth=1))
    return [variant_at(step, searcher) for step in LADDER]


def variant_at(step: LadderStep, searcher: AlphaBetaSearch) -> SearchVariant:
    """The search with the techniques of the ladder up to `step`."""
    params = _params_up_to(step)
    deepens = any(earlier.deepens for earlier in _steps_up_to(step))

    def search(position: PositionRecord, limits: Limits) -> SearchOutcome:
        searcher.set_params(params)
        if deepens or limits.depth is None:  # only deepening can use up a number of nodes or a time
            return _search_iteratively(searcher, position, limits)
        return _search_each_depth(searcher, position, limits)

    return SearchVariant(step.name, search)


def full_width_switches() -> tuple[tuple[str, int], ...]:
    """The parameters of a config with all move ordering and quiescence, but without pruning before the horizon."""
    return _switches_up_to(_FULL_WIDTH)


def _steps_up_to(step: LadderStep) -> tuple[LadderStep, ...]:
    return LADDER[: LADDER.index(step) + 1]


def _params_up_to(step: LadderStep) -> ParamsRecord:
    """The parameters with only the techniques up to `step` switched on."""
    return Config(params=_switches_up_to(step)).params_record()


def _switches_up_to(step: LadderStep) -> tuple[tuple[str, int], ...]:
    names = [name for earlier in _steps_up_to(step) for name in earlier.switches]
    return tuple((name, int(name in names)) for name in _SWITCHES)


def _search_iteratively(searcher: AlphaBetaSearch, position: PositionRecord, limits: Limits) -> SearchOutcome:
    """Search by iterative deepening."""
    result, seconds = _timed_search(searcher, position, limits)
    cpu_share = seconds / max(result.seconds, _SHORTEST_TIME)
    stages = tuple(_depth_result(info,
                                 cpu_share) for info in result.infos if info.bound is Bound.EXACT
                   and info.counts.leaf_nodes)
    if limits.depth is not None and stages:
        return _outcome_of(stages)
    return SearchOutcome(result.nodes, searcher.counts, seconds, result.score, result.move, result.depth, stages)


def _search_each_depth(searcher: AlphaBetaSearch, position: PositionRecord, limits: Limits) -> SearchOutcome:
    """Search each depth separately, with an empty TT; `limits.movetime` limits the total CPU time."""
    assert limits.depth is not None
    started, stages = time.process_time(), list[DepthResult]()
    for depth in range(1, limits.depth + 1):
        left = None if limits.movetime is None else limits.movetime - (time.process_time() - started)
        if left is not None and left < _expected_seconds(stages):
            break
        result, seconds = _timed_search(searcher, position, replace(limits, depth=depth, first_depth=depth,
                                                                    movetime=left))
        if result.depth != depth:
            break
        stages.append(DepthResult(depth, result.nodes, searcher.counts, seconds, result.score, result.move))
    return _outcome_of(tuple(stages))


def _expected_seconds(stages: list[DepthResult]) -> float:
    """The expected time of the next depth, if the tree keeps growing at its average rate; 0 if that is unknown."""
    if len(stages) < 2:
        return 0.0
    growth = (stages[-1].nodes / stages[0].nodes) ** (1 / (len(stages) - 1))
    return float(stages[-1].seconds * growth)


def _timed_search(searcher: AlphaBetaSearch, position: PositionRecord, limits: Limits) -> tuple[Result, float]:
    """Run a search with an empty TT and empty histories; return its result and its CPU seconds, which `limits.movetime`
    limits.
    """
    searcher.clear()
    started = time.process_time()
    with cpu_limit(searcher, limits.movetime) if limits.movetime is not None else nullcontext():
        result = search_until_interrupted(searcher, position, replace(limits, movetime=None))
    return result, time.process_time() - started


def _depth_result(info: Info, cpu_share: float) -> DepthResult:
    return DepthResult(info.depth, info.nodes, info.counts, info.seconds * cpu_share, info.score, info.pv[0])


def _outcome_of(stages: tuple[DepthResult, ...]) -> SearchOutcome:
    """The outcome of a search that ended with the last of these stages."""
    last = stages[-1]
    return SearchOutcome(last.nodes, last.counts, last.seconds, last.score, last.move, last.depth, stages)


def tree_variants(megabytes: int) -> list[SearchVariant]:
    """The tree searches, which share their memory."""
    searcher = MctsSearch(megabytes=megabytes)
    # Load the kernels before anything is measured.
    search_until_interrupted(searcher, parse_fen(START_FEN), Limits(nodes=1))
    return [_tree_variant(name, searcher, make()) for name, make in TREES.items()]


def _tree_variant(name: str, searcher: MctsSearch, params: TreeParamsRecord) -> SearchVariant:
    def search(position: PositionRecord, limits: Limits) -> SearchOutcome:
        searcher.set_params(params)
        searcher.clear()
        growth: list[tuple[int, Mapping[int, int]]] = []

        def watch(_: Info | Progress | InfoString) -> None:
            visits = searcher.visits()
            growth.append((sum(visits.values()), visits))

        seconds = limits.movetime or math.inf
        if limits.depth is not None:
            seconds = min(seconds, SECONDS_PER_PLY * limits.depth)
        started = time.process_time()
        with cpu_limit(searcher, seconds) if limits.nodes is None else nullcontext():
            bounds = Limits() if limits.nodes is None else limits_alike(searcher, limits.nodes)
            result = search_until_interrupted(searcher, position, bounds, watch)
        seconds = time.process_time() - started
        return SearchOutcome(searcher.positions, Counts(leaf_nodes=result.nodes), seconds, result.score, result.move, 0,
                             growth=tuple(growth))

    return SearchVariant(name, search)
