"""The tree searches among those that are compared: pure Monte Carlo, UCT, PUCT, and the learned one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from engine.commands.compare.contenders import SearchOutcome, SearchVariant
from engine.commands.shared.searching import search as search_until_interrupted
from engine.commands.shared.trees import TREES
from engine.core.fen import START_FEN, parse_fen
from engine.core.position import PositionRecord
from engine.mcts.params import TreeParamsRecord
from engine.mcts.searcher import MctsSearch
from engine.search.limits import Counts, Info, InfoString, Limits, Progress

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
