"""Step 4 of four, backpropagation: the leaf's value is added to every node on the path, and proofs are passed up."""

from __future__ import annotations

import numpy as np

from engine.kernel import inline, kernel
from engine.mcts.nodes import ONE, add_value, is_drawn_at_best, node_at, prove
from engine.mcts.shared_values import store_shared_value


@inline
def _is_settled(node):
    return node.proof != 0 or node.is_drawn != 0


@kernel
def _settle(pool, index):
    """Write down what a node's children prove about it; returns whether its result is known now."""
    node, proof = node_at(pool, index), prove(pool, index)
    if proof != 0:
        node.proof = proof
    elif is_drawn_at_best(pool, index):
        node.is_drawn = 1
    return _is_settled(node)  # maybe by another thread


@kernel
def back_propagate(worker, depth, value, draw):
    """Add the leaf's value, from its side to move's view, to the nodes on the path; the sign changes at each ply.

    `draw` is the chance of a draw, the same for both sides. If the leaf is proven, its ancestors may be proven too.
    """
    pool = worker.pool
    amount, draw_amount = np.int64(round(-value * ONE)), np.int64(round(draw * ONE))
    is_settled = worker.params.use_solver != 0 and _is_settled(node_at(pool, worker.path[depth]))
    for ply in range(depth, -1, -1):
        index = worker.path[ply]
        if is_settled and ply < depth:
            is_settled = _settle(pool, index)
        add_value(pool, index, amount, draw_amount)
        store_shared_value(worker, worker.keys[ply], node_at(pool, index))
        amount = -amount
