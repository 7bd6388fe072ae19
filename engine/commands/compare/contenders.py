"""Who is compared: a ladder of search techniques, each rung adding one to those below, on the engine's own search.

A contender is a name and a function; whatever finds a move in a position can be one. `contenders` lists them all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from engine.alphabeta.params import PARAMETERS, ParamsRecord, default_params, set_param
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.commands.shared.searches import TREES
from engine.commands.shared.searches import search as search_until_interrupted
from engine.core.fen import START_FEN, parse_fen
from engine.core.position import PositionRecord
from engine.mcts.params import TreeParamsRecord
from engine.mcts.searcher import MctsSearch
from engine.search.types import Bound, Counts, Info, InfoString, Limits, Progress, Result

_SWITCHES = tuple(row.name for row in PARAMETERS if row.is_on)
_SHORTEST_TIME = 1e-6  # seconds; nothing is divided by less


@dataclass(frozen=True)
class DepthResult:
    """What was known when a depth had been searched, and what it had cost from the beginning."""

    depth: int
    nodes: int
    counts: Counts
    seconds: float  # of CPU time
    score: int  # centipawns, for the side to move
    move: int


@dataclass(frozen=True)
class SearchOutcome:
    """What a contender made of a position.

    With a depth to reach, the figures are those of the deepest one that was finished; with a budget of nodes or time,
    those of all that was spent.
    """

    nodes: int
    counts: Counts
    seconds: float  # of CPU time
    score: int  # centipawns, for the side to move
    move: int
    depth: int  # 0 where depth means nothing
    stages: tuple[DepthResult, ...] = ()
    growth: tuple[tuple[int, Mapping[int, int]], ...] = ()  # of a tree: all visits, and those of each root move


@dataclass(frozen=True)
class SearchVariant:
    """A way to choose a move."""

    name: str
    search: Callable[[PositionRecord, Limits], SearchOutcome]


@dataclass(frozen=True)
class LadderStep:
    """A technique, and the switches of the search that it turns on beside all those of the rungs before."""

    name: str
    switches: tuple[str, ...] = ()
    deepens: bool = field(default=False, kw_only=True)  # whether it, and each after it, deepens iteratively


LADDER = (
    LadderStep("minimax"),
    LadderStep("alpha-beta, no order", ("use_alphabeta",)),
    LadderStep("+ captures first", ("use_ordering",)),  # by victim and exchange: what MVV-LVA aims at
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
ORDERED_ALPHABETA = LADDER[6]  # all that orders moves, nothing that leaves any out
_FULL_WIDTH = LADDER[8]  # the last rung that leaves no move out before quiescence


def contenders(megabytes: int) -> list[SearchVariant]:
    """Everyone, the simplest first; those that need a transposition table share one of that size."""
    searcher = AlphaBetaSearch(megabytes)
    # Compile, or load, before anything is measured.
    search_until_interrupted(searcher, parse_fen(START_FEN), Limits(depth=1))
    return [on_the_ladder(rung, searcher) for rung in LADDER]


def on_the_ladder(rung: LadderStep, searcher: AlphaBetaSearch) -> SearchVariant:
    """The search with the techniques up to this rung."""
    below = LADDER[: LADDER.index(rung) + 1]
    params = _switched([name for step in below for name in step.switches])
    deepens = any(step.deepens for step in below)

    def search(position: PositionRecord, limits: Limits) -> SearchOutcome:
        searcher.set_params(params)
        if deepens or limits.depth is None:  # a budget can only be used up by deepening
            return _deepened(searcher, position, limits)
        return _at_once(searcher, position, limits)

    return SearchVariant(rung.name, search)


def full_width_params() -> ParamsRecord:
    """The search with quiescence and all that orders moves, and nothing that leaves any out before the horizon."""
    return _switched([name for step in LADDER[: LADDER.index(_FULL_WIDTH) + 1] for name in step.switches])


def _switched(names: list[str]) -> ParamsRecord:
    """The parameters with these techniques and no others."""
    params = default_params()
    for name in _SWITCHES:
        set_param(params, name, int(name in names))
    return params


def _deepened(searcher: AlphaBetaSearch, position: PositionRecord, limits: Limits) -> SearchOutcome:
    """Search depth after depth, each helped by those before."""
    result, spent = _measured(searcher, position, limits)
    pace = spent / max(result.seconds, _SHORTEST_TIME)
    stages = tuple(_stage(info, pace) for info in result.infos if info.bound is Bound.EXACT and info.counts.leaf_nodes)
    if limits.depth is not None and stages:
        return _outcome_of(stages)
    return SearchOutcome(result.nodes, searcher.counts, spent, result.score, result.move, result.depth, stages)


def _at_once(searcher: AlphaBetaSearch, position: PositionRecord, limits: Limits) -> SearchOutcome:
    """Search each depth on its own, as if it had been the only one; the time is a limit on all of them together."""
    assert limits.depth is not None
    started, stages = time.perf_counter(), list[DepthResult]()
    for depth in range(1, limits.depth + 1):
        left = None if limits.movetime is None else limits.movetime - (time.perf_counter() - started)
        if left is not None and left < _expected_seconds(stages):
            break
        result, spent = _measured(searcher, position, replace(limits, depth=depth, first_depth=depth, movetime=left))
        if result.depth != depth:
            break
        stages.append(DepthResult(depth, result.nodes, searcher.counts, spent, result.score, result.move))
    return _outcome_of(tuple(stages))


def _expected_seconds(stages: list[DepthResult]) -> float:
    """How long the next depth will take if the tree goes on to grow as it did on average: it is not begun in vain."""
    if len(stages) < 2:
        return 0.0
    growth = (stages[-1].nodes / stages[0].nodes) ** (1 / (len(stages) - 1))
    return float(stages[-1].seconds * growth)


def _measured(searcher: AlphaBetaSearch, position: PositionRecord, limits: Limits) -> tuple[Result, float]:
    """A search that remembers nothing of earlier ones, and its CPU seconds."""
    searcher.clear()
    started = time.process_time()
    result = search_until_interrupted(searcher, position, limits)
    return result, time.process_time() - started


def _stage(info: Info, pace: float) -> DepthResult:
    return DepthResult(info.depth, info.nodes, info.counts, info.seconds * pace, info.score, info.pv[0])


def _outcome_of(stages: tuple[DepthResult, ...]) -> SearchOutcome:
    """The last of the stages, as the answer."""
    last = stages[-1]
    return SearchOutcome(last.nodes, last.counts, last.seconds, last.score, last.move, last.depth, stages)


_SECONDS_A_PLY = 0.15  # where a depth is asked for, which says nothing to a tree


def tree_contenders(megabytes: int) -> list[SearchVariant]:
    """All of them, in one memory."""
    searcher = MctsSearch(megabytes=megabytes)
    # Compile, or load, before anything is measured.
    search_until_interrupted(searcher, parse_fen(START_FEN), Limits(nodes=1))
    return [_contender(name, searcher, make()) for name, make in TREES.items()]


def _contender(name: str, searcher: MctsSearch, params: TreeParamsRecord) -> SearchVariant:
    def search(position: PositionRecord, limits: Limits) -> SearchOutcome:
        searcher.set_params(params)
        searcher.clear()
        growth: list[tuple[int, Mapping[int, int]]] = []

        def watch(found: Info | Progress | InfoString) -> None:
            visits = searcher.visits()
            growth.append((sum(visits.values()), visits))

        if limits.depth is not None:
            seconds = _SECONDS_A_PLY * limits.depth
            limits = replace(limits, depth=None, movetime=min(seconds, limits.movetime or seconds))
        started = time.process_time()
        result = search_until_interrupted(searcher, position, limits, watch)
        seconds = time.process_time() - started
        return SearchOutcome(searcher.positions, Counts(leaf_nodes=result.nodes), seconds, result.score, result.move, 0,
                             growth=tuple(growth))

    return SearchVariant(name, search)
