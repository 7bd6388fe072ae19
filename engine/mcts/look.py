"""Looking again: the more often a node is visited, the deeper its moves are searched to improve their priors.

A prior from a glance misses what a few more plies would show, and a move that gets no visits is never found out. So
every move is searched to a small depth, again and deeper as the node gets more visits, and the priors are corrected.
The values in the tree remain what the visits gave.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import inline, kernel
from engine.mcts.leaves import proof_of, search_leaf
from engine.mcts.nodes import children_of, node_at, prove
from engine.mcts.params import Selection
from engine.mcts.priors import softmax_priors
from engine.mcts.steps import make_move, unmake_move
from engine.search.scores import INFINITE

_PUCT = np.int64(Selection.PUCT)
_NEGLIGIBLE = 6.0  # a move that is this many temperatures below the best gets a negligible prior


@inline
def _refinement_number(params, visits, depth):
    """The number, from 0, of the look that is due at this visit; -1 if none is."""
    due = params.look_visits if depth == 0 else params.look_visits * params.look_inner
    number = np.int64(0)
    while due < visits:
        due *= params.look_growth
        number += 1
    return number if due == visits else np.int64(-1)


@inline
def refinement_is_due(params, visits, depth):
    """Whether a look at the moves is due at this visit, at least the `look_visits`th, to a node at this depth."""
    return params.selection == _PUCT and params.look_visits > 0 and _refinement_number(params, visits, depth) >= 0


@inline
def _search_child(pos, state, worker, node, plies, best):
    """The score of a child for its parent's side to move; far below `best` only a bound. A mate proves the child."""
    params = worker.params
    move = np.int64(node.move)
    enough = np.int64(min(_NEGLIGIBLE * params.look_temperature - best, np.float64(INFINITE)))
    make_move(pos, move)
    score = -search_leaf(pos, state, worker, plies, -INFINITE, enough)
    unmake_move(pos, move)
    proof = proof_of(score)
    if proof != 0 and params.use_solver and node.proof == 0 and not state.stopped:
        node.proof = proof
    return np.float64(score)


@kernel
def refine_priors(pos, state, worker, index, visits, depth):
    """Set the priors of a node's children by searches. Their order is kept, since other threads may be below them."""
    params = worker.params
    plies = params.look_depth + params.look_step * _refinement_number(params, visits, depth)
    first, end = children_of(worker.pool, index)
    best = -np.float64(INFINITE)
    for child in range(first, end):
        score = _search_child(pos, state, worker, node_at(worker.pool, child), plies, best)
        if state.stopped:
            return
        worker.priors[child - first] = score
        best = max(best, score)
    softmax_priors(worker, best, end - first, params.look_temperature)
    for child in range(first, end):
        looked = node_at(worker.pool, child)
        kept = (1.0 - params.look_share) * np.float64(looked.prior)
        looked.prior = kept + params.look_share * worker.priors[child - first]
    node = node_at(worker.pool, index)
    node.is_shuffled = 1
    proof = prove(worker.pool, index)
    if proof != 0:
        node.proof = proof
