"""Leaves valued by the alpha-beta search, which is called by its address so that its code exists only once."""

from __future__ import annotations

import math

import numpy as np

from engine.alphabeta.calling import call_search
from engine.alphabeta.state import BEFORE_ROOT
from engine.alphabeta.steps import begin_evaluation
from engine.kernel import inline
from engine.search.scores import MATE, MATE_BAND

_LEAF_PLY = np.int64(1)  # not 0: the search must not treat a leaf as a root


@inline
def search_leaf(pos, state, worker, depth, alpha, beta):
    """The score of a shallow search, or of quiescence, in centipawns from the side to move's view."""
    begin_evaluation(pos, state, _LEAF_PLY)
    state.begin[_LEAF_PLY] = 0
    state.slots[BEFORE_ROOT] = 0
    return call_search(worker.search_address, pos, state, depth, alpha, beta, _LEAF_PLY)


@inline
def as_value(score, scale):
    """A score as a value from -1 to 1."""
    return math.tanh(np.float64(score) / scale)


@inline
def plies_to_mate(score):
    """Plies to the mate that a score of `search_leaf` announces: positive for a win; 0 if it is not a mate.

    Plies are counted from the leaf's parent: being mated at the leaf is -1.
    """
    if score >= MATE_BAND:
        return MATE - score
    if score <= -MATE_BAND:
        return -(MATE + score)
    return np.int64(0)
