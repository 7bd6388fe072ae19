"""Step 4 of four, backpropagation: the leaf's value is added to every node on the path, and proofs are passed up."""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel
from engine.mcts.nodes import ONE, add_value, node_at, prove


@kernel
def back_propagate(worker, depth, value):
    """Add the leaf's value, from its side to move's view, to the nodes on the path; the sign changes at each ply.

    If the leaf is proven, its ancestors may be proven too.
    """
    pool = worker.pool
    amount = np.int64(round(-value * ONE))
    is_proven = worker.params.use_solver != 0 and node_at(pool, worker.path[depth]).proof != 0
    for ply in range(depth, -1, -1):
        index = worker.path[ply]
        if is_proven and ply < depth:
            node, proof = node_at(pool, index), prove(pool, index)
            if proof != 0:
                node.proof = proof
            is_proven = node.proof != 0  # maybe by another thread
        add_value(pool, index, amount)
        amount = -amount
