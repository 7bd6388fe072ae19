"""How often the policy's first choice is the move that a search plays."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena.choices import moves_in, policy_best_move
from engine.arena.judging import one_position_each
from engine.arena.replay import SampleSource
from engine.core.movegen import MAX_MOVES, empty_move_list
from engine.core.position import PositionRecord
from engine.search.limits import Limits
from eval.policy.memory import LoadedPolicy

_MEGABYTES = 16
_BATCH = 256  # positions that wait for a thread


def held_out_positions(source: SampleSource, seed: int) -> Iterator[PositionRecord]:
    """One position of each held-out game, unless its move is forced."""
    chance, step = np.random.default_rng(seed), source.filter.held_out
    for games, number in source.games():
        for position, _ in one_position_each(games, chance, -number % step, step):
            if moves_in(position) > 1:
                yield position


def policy_agreement(policy: LoadedPolicy, positions: Iterator[PositionRecord], nodes: int,
                     threads: int) -> Iterator[bool]:
    """For each position, whether a search of `nodes` nodes plays the policy's first choice."""
    own = threading.local()

    def agrees(position: PositionRecord) -> bool:
        if not hasattr(own, "searcher"):
            own.searcher = AlphaBetaSearch(_MEGABYTES)
            own.list, own.good = empty_move_list(), np.zeros(MAX_MOVES, np.uint8)
            own.scores = np.zeros(MAX_MOVES, np.float32)
        chosen = policy_best_move(policy.address, position, own.list, own.good, own.scores)
        own.searcher.clear()
        return bool(own.searcher.run(position, Limits(nodes=nodes)).move == chosen)

    with ThreadPoolExecutor(threads) as pool:
        while batch := list(islice(positions, _BATCH)):
            yield from pool.map(agrees, batch)
