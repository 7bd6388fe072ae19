"""Entry points to kernels of the tree search that have none of their own, for tests only."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.state import STATE_TYPE
from engine.core.movegen import checkers_and_pinned
from engine.core.position import POSITION_TYPE
from engine.kernel import entry, int64
from engine.mcts.learning import update_learned
from engine.mcts.leaves import proof_of, set_last_moves, static_eval
from engine.mcts.nodes import add_value, count_visit, node_at, write_node
from engine.mcts.sampling import random_below, random_move
from engine.mcts.select import select
from engine.mcts.shared_values import lookup_shared_value, store_shared_value
from engine.mcts.simulate import playout, set_up_playout
from engine.mcts.values import score_for, win_loss_of
from engine.mcts.worker import WORKER_TYPE


@entry(WORKER_TYPE, int64)
def select_child(worker, parent):
    return select(worker, parent)


@entry(POSITION_TYPE, STATE_TYPE, WORKER_TYPE)
def one_playout(pos, state, worker):
    set_up_playout(worker, pos)
    return playout(worker.playout_position, state, worker)


@entry(int64, int64, int64)
def visit(pool, index, value):
    """A whole visit, with its value in multiples of 1 / ONE."""
    count_visit(pool, index)
    add_value(pool, index, value, np.int64(0))


@entry(int64, int64)
def begin_visit(pool, index):
    count_visit(pool, index)


@entry(int64, int64, int64)
def write_child(pool, index, prior):
    write_node(pool, index, np.int64(index), np.float64(prior) / 1000.0)


@entry(WORKER_TYPE, int64)
def draw(worker, end):
    return random_below(worker, end)


@entry(int64)
def proof_by(score):
    return proof_of(score)


@entry(POSITION_TYPE, WORKER_TYPE, int64)
def value_of(pos, worker, score):
    """(win probability, loss probability, the score of their difference) of a score."""
    win, loss = win_loss_of(pos, worker, score)
    return win, loss, score_for(pos, worker, win - loss)


@entry(WORKER_TYPE, int64, int64)
def share_node(worker, index, key):
    store_shared_value(worker, np.uint64(key), node_at(worker.pool, index))


@entry(WORKER_TYPE, int64)
def value_shared(worker, key):
    return lookup_shared_value(worker, np.uint64(key))


@entry(POSITION_TYPE, WORKER_TYPE)
def sample_move(pos, worker):
    _, pinned = checkers_and_pinned(pos)
    return random_move(pos, worker, pinned)


@entry(POSITION_TYPE, STATE_TYPE, WORKER_TYPE, int64, int64)
def update_by(pos, state, worker, index, visits):
    """The update by a node at the end of a path of one move."""
    update_learned(pos, state, worker, np.int64(index), visits, np.int64(1))


@entry(POSITION_TYPE, STATE_TYPE, WORKER_TYPE)
def evaluated(pos, state, worker):
    """The static evaluation of a leaf after a path of one move."""
    set_last_moves(state, worker, np.int64(1))
    return static_eval(pos, state)
