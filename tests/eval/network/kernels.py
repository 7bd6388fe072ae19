"""Doors to the network's kernels, for tests only."""

from __future__ import annotations

from engine.core.position import POSITION_TYPE, make, make_null, unmake, unmake_null
from engine.kernel import entry, int64
from eval.network.accumulators import push_move, push_null_move, reset_stack
from eval.network.evaluate import network_score
from eval.network.memory import ACCUMULATORS_TYPE


@entry(ACCUMULATORS_TYPE, int64)
def begin(accumulators, ply):
    reset_stack(accumulators, ply)


@entry(POSITION_TYPE, ACCUMULATORS_TYPE, int64)
def score_at(pos, accumulators, ply):
    return network_score(pos, accumulators, ply)


@entry(POSITION_TYPE, ACCUMULATORS_TYPE, int64, int64)
def play_move(pos, accumulators, ply, move):
    push_move(pos, accumulators, ply, move)
    make(pos, move)


@entry(POSITION_TYPE, int64)
def take_back_move(pos, move):
    unmake(pos, move)


@entry(POSITION_TYPE, ACCUMULATORS_TYPE, int64)
def pass_move(pos, accumulators, ply):
    push_null_move(accumulators, ply)
    make_null(pos)


@entry(POSITION_TYPE)
def take_back_pass(pos):
    unmake_null(pos)
