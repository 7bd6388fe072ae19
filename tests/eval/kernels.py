"""Entry points for kernels of the evaluation that have none of their own, for tests only."""

from __future__ import annotations

from engine.core.position import POSITION_TYPE, make_null
from engine.kernel import entry, int64
from eval.cache import EVAL_CACHE_TYPE
from eval.evaluate import cache_null_move_eval, evaluate
from eval.psqt import psq_after, psq_of
from eval.weights import WEIGHTS_TYPE, eg_of, mg_of


@entry(POSITION_TYPE, WEIGHTS_TYPE)
def psq_from_scratch(pos, weights):
    return psq_of(pos, weights)


@entry(POSITION_TYPE, WEIGHTS_TYPE, int64, int64)
def psq_by_move(pos, weights, psq, move):
    return psq_after(pos, weights, psq, move)


@entry(POSITION_TYPE, WEIGHTS_TYPE, int64, EVAL_CACHE_TYPE)
def evaluate_cached(pos, weights, psq, cache):
    return evaluate(pos, weights, psq, cache)


@entry(POSITION_TYPE, WEIGHTS_TYPE, int64, EVAL_CACHE_TYPE)
def evaluate_after_passing(pos, weights, psq, cache):
    score = evaluate(pos, weights, psq, cache)
    make_null(pos)
    cache_null_move_eval(pos, weights, cache, score)
    return evaluate(pos, weights, psq, cache)


@entry(int64)
def unpack(packed):
    return mg_of(packed), eg_of(packed)
