"""Step 4 of 4, backpropagation: adds the value of the leaf to every node on the path, and propagates proofs."""

from __future__ import annotations

import numpy as np

from engine.kernel import inline, kernel
from engine.mcts.nodes import ONE, add_value, is_drawn_at_best, node_at, prove
from engine.mcts.shared_values import store_shared_value


@inline
def _is_proven(node):
    return node.proof != 0 or node.is_drawn != 0


@kernel
def _prove_by_children(pool, index):
    """Store what the children of a node prove about it; return whether its result is proven now."""
    node, proof = node_at(pool, index), prove(pool, index)
    if proof != 0:
        node.proof = proof
    elif is_drawn_at_best(pool, index):
        node.is_drawn = 1
    return _is_proven(node)  # another thread may have proven it


@kernel
def back_propagate(worker, depth, value, draw):
    """Add the value of the leaf, from the view of its side to move, to all nodes on the path, negated at each ply.

    `draw` is the probability of a draw. If the leaf is proven, its ancestors may be proven too.
    """
    pool = worker.pool
    amount, draw_amount = np.int64(round(-value * ONE)), np.int64(round(draw * ONE))
    is_proven = worker.params.use_solver != 0 and _is_proven(node_at(pool, worker.path[depth]))
    for ply in range(depth, -1, -1):
        index = worker.path[ply]
        if is_proven and ply < depth:
            is_proven = _prove_by_children(pool, index)
        add_value(pool, index, amount, draw_amount)
        store_shared_value(worker, worker.keys[ply], node_at(pool, index))
        amount = -amount
