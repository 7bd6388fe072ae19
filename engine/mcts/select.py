"""Step 1 of 4, selection: the child to descend to, balancing exploitation and exploration."""

from __future__ import annotations

import math

import numpy as np

from engine.kernel import inline, kernel
from engine.mcts.nodes import ONE, average, average_before, children_of, node_at
from engine.mcts.params import Selection

_UCB1, _PUCT = np.int64(Selection.UCB1), np.int64(Selection.PUCT)
_WORST = -1e30
_PER_ONE = 1.0 / np.float64(ONE)


@inline
def ucb1(child, log_of_parent_visits, exploration):
    """The mean result, from 0 to 1, plus a bonus for rarely visited moves: U / N + C sqrt(ln N(parent) / N)."""
    return 0.5 + 0.5 * average(child) + exploration * math.sqrt(log_of_parent_visits / np.float64(child.visits))


@inline
def puct_bound(child, exploration):
    """The mean value, plus a bonus for moves with a high prior and few visits.

    U / N + c P sqrt(N(parent)) / (1 + N), where `exploration` is c sqrt(N(parent)); over one denominator, because a
    division takes longer than everything else.
    """
    visits = np.float64(child.visits)
    bonus = exploration * np.float64(child.prior) * visits
    return (np.float64(child.value_sum) * _PER_ONE * (1.0 + visits) + bonus) / (visits * (1.0 + visits))


@inline
def _select_by_ucb1(worker, parent, first, end):
    """The first unvisited child, in their random order; otherwise the one with the highest UCB1."""
    log_visits = math.log(max(np.float64(node_at(worker.pool, parent).visits - 1), 1.0))
    best, best_bound = first, _WORST
    for index in range(first, end):
        child = node_at(worker.pool, index)
        if child.visits == 0:
            return index
        bound = ucb1(child, log_visits, worker.params.exploration)
        if bound > best_bound:
            best, best_bound = index, bound
    return best


@inline
def _exploration(worker, visits):
    """PUCT's c sqrt(N): c grows with the logarithm of the visits, and with the spread of the values in the tree."""
    params = worker.params
    growth = 1.0 + params.puct_growth * math.log(1.0 + visits / params.puct_base) if params.puct_growth > 0.0 else 1.0
    return params.puct * growth * worker.exploration_factor * math.sqrt(visits)


@inline
def _select_by_puct(worker, parent, first, end):
    """The unproven child with the highest bound. In children sorted by prior, only the first unvisited one counts."""
    node = node_at(worker.pool, parent)
    is_sorted = not node.is_shuffled
    exploration = _exploration(worker, np.float64(node.visits))
    best, best_bound, visited_prior = first, _WORST, 0.0
    for index in range(first, end):
        child = node_at(worker.pool, index)
        prior = np.float64(child.prior)
        if child.proof != 0:
            visited_prior += prior
            continue
        if child.visits > 0:
            bound = puct_bound(child, exploration)
            visited_prior += prior
        else:
            # First-play urgency falls as the prior of the visited moves grows.
            expected = -average_before(node) - worker.params.first_play * math.sqrt(visited_prior)
            bound = expected + exploration * prior
        if bound > best_bound:
            best, best_bound = index, bound
        if child.visits == 0 and is_sorted:
            break
    return best


@inline
def _select_evenly(worker, first, end):
    """The child with the fewest visits."""
    best = first
    for index in range(first + 1, end):
        if node_at(worker.pool, index).visits < node_at(worker.pool, best).visits:
            best = index
    return best


@kernel
def select(worker, parent):
    """The child of an expanded node that the next visit goes to."""
    first, end = children_of(worker.pool, parent)
    if worker.params.selection == _PUCT:
        return _select_by_puct(worker, parent, first, end)
    if worker.params.selection == _UCB1:
        return _select_by_ucb1(worker, parent, first, end)
    return _select_evenly(worker, first, end)
