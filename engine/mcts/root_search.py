"""An alpha-beta search of the root beside the tree: a share of the effort, whose best move gains prior.

A tree finds tactics slowly, because its visits follow the priors. The search of the root goes one ply deeper whenever
it has had less than its share of the positions of the first thread, which runs it. The tree then visits the best move
of that search, and still decides by its own values.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.deepening import aspiration_search
from engine.kernel import inline, kernel
from engine.mcts.leaves import proof_of
from engine.mcts.nodes import children_of, node_at, prove
from engine.mcts.params import Selection
from engine.search.scores import MAX_PLY

_PUCT = np.int64(Selection.PUCT)
_DEEPEST = np.int64(MAX_PLY // 2)


@inline
def root_search_is_due(state, worker):
    """Whether the search of the root has had less than its share of the thread's positions; only the first runs it."""
    params = worker.params
    positions = np.float64(state.nodes + worker.iterations)  # an iteration may value its leaf without a search
    return (params.root_share > 0.0 and params.selection == _PUCT and worker.is_first
            and np.float64(worker.root_search_nodes) <= params.root_share * positions
            and worker.root_search_depth < _DEEPEST)


@inline
def _raise_prior(worker, best):
    """Scale all priors by 1 - gain, and add the gain to the best move's. The children are not sorted again, because
    other threads hold their indices.
    """
    gain = worker.params.root_gain
    node_at(worker.pool, worker.root).is_shuffled = 1
    first, end = children_of(worker.pool, worker.root)
    for index in range(first, end):
        child = node_at(worker.pool, index)
        child.prior = (1.0 - gain) * np.float64(child.prior) + (gain if np.int64(child.move) == best else 0.0)


@inline
def _prove_move(worker, best, proof):
    """Store the proof of a won root move, and what it proves about the root."""
    first, end = children_of(worker.pool, worker.root)
    for index in range(first, end):
        child = node_at(worker.pool, index)
        if np.int64(child.move) == best and (child.proof == 0 or proof < child.proof):
            child.proof = proof
    root_proof = prove(worker.pool, worker.root)
    if root_proof != 0:
        node_at(worker.pool, worker.root).proof = root_proof


@kernel
def deepen_root(pos, state, worker):
    """Search the expanded root one ply deeper than before, and raise the prior of its best move."""
    before = np.int64(state.nodes)
    depth = worker.root_search_depth + 1
    aspiration_search(pos, state, worker.search_address, depth)
    worker.root_search_nodes += np.int64(state.nodes) - before
    if state.stopped:
        return
    worker.root_search_depth = depth
    best, proof = np.int64(state.root_moves[0]), proof_of(np.int64(state.line_score))
    if depth >= worker.params.root_min_depth:
        _raise_prior(worker, best)
    if proof > 0 and worker.params.use_solver:
        _prove_move(worker, best, proof)
