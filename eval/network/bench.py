"""What an evaluation costs per node: the same moves, made with the network, with the features, and with neither."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.position import POSITION_TYPE, PositionRecord, make, unmake
from engine.kernel import Int, array_type, entry, int64, kernel
from eval.cache import EVAL_CACHE_TYPE, EvalCacheRecord, score_slot
from eval.evaluate import evaluate
from eval.network.accumulators import push_move, reset_stack
from eval.network.evaluate import network_score
from eval.network.memory import ACCUMULATORS_TYPE, AccumulatorsRecord
from eval.psqt import psq_after, psq_of
from eval.weights import WEIGHTS_TYPE, WeightsRecord

_MOVES = array_type("u2")


@kernel
def _unmake_all(pos, moves):
    for ply in range(len(moves) - 1, -1, -1):
        unmake(pos, np.int64(moves[ply]))


@entry(POSITION_TYPE, _MOVES, int64)
def replay_moves(pos: PositionRecord, moves: Any, rounds: int) -> Int:
    """Make and unmake the moves `rounds` times; returns a sum, so that nothing is optimised away."""
    total = np.int64(0)
    for _ in range(rounds):
        for ply in range(len(moves)):
            make(pos, np.int64(moves[ply]))
            total += np.int64(pos.rule50)
        _unmake_all(pos, moves)
    return total


@entry(POSITION_TYPE, _MOVES, int64, ACCUMULATORS_TYPE)
def replay_with_network(pos: PositionRecord, moves: Any, rounds: int, accumulators: AccumulatorsRecord) -> Int:
    """The same, with the network's score after each move; returns their sum."""
    total = np.int64(0)
    for _ in range(rounds):
        reset_stack(accumulators, np.int64(0))
        total += network_score(pos, accumulators, np.int64(0))
        for ply in range(len(moves)):
            push_move(pos, accumulators, ply, np.int64(moves[ply]))
            make(pos, np.int64(moves[ply]))
            total += network_score(pos, accumulators, ply + 1)
        _unmake_all(pos, moves)
    return total


@entry(POSITION_TYPE, _MOVES, int64, WEIGHTS_TYPE, EVAL_CACHE_TYPE)
def replay_with_features(pos: PositionRecord, moves: Any, rounds: int, weights: WeightsRecord,
                         cache: EvalCacheRecord) -> Int:
    """The same, with the features' score after each move; structures are cached, scores are not."""
    total = np.int64(0)
    for _ in range(rounds):
        psq = psq_of(pos, weights)
        for ply in range(len(moves)):
            psq = psq_after(pos, weights, psq, np.int64(moves[ply]))
            make(pos, np.int64(moves[ply]))
            cache.scores[score_slot(pos.key)] = 0
            total += evaluate(pos, weights, psq, cache)
        _unmake_all(pos, moves)
    return total
