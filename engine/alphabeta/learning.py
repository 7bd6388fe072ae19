"""What a node learns from its result, for the histories and the corrections of the evaluation."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import learn_correction
from engine.alphabeta.ordering import (
    is_after_quiet,
    learn_from_evaluation,
    reward_if_quiet,
    reward_last_move,
)
from engine.alphabeta.state import MOST_TRIED
from engine.alphabeta.steps import bound_allows
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy
from engine.kernel import inline
from engine.search.scores import NO_SCORE, is_decisive


@inline
def learn_from_last_move(pos, state, ply, excluded):
    """Let the histories learn what the last move, if it was quiet, did to the static evaluation."""
    if (state.params.use_history and excluded == NULL_MOVE and is_after_quiet(pos, state, ply)
            and state.static_evals[ply] != NO_SCORE and state.static_evals[ply - 1] != NO_SCORE):
        learn_from_evaluation(pos, state, ply, np.int64(state.static_evals[ply - 1]), np.int64(state.static_evals[ply]))


@inline
def remember_tried(state, ply, move, is_quiet, quiets, noisies):
    """Note a move that did not cause a cut-off; returns how many quiet and how many noisy moves are noted."""
    if is_quiet:
        if quiets < MOST_TRIED:
            state.tried_quiets[ply, quiets] = move
            quiets += 1
    elif noisies < MOST_TRIED:
        state.tried_noisies[ply, noisies] = move
        noisies += 1
    return quiets, noisies


@inline
def reward_if_all_answers_fail(pos, state, ply, depth, best, old_alpha):
    """If the node fails low the last move was good: reward it if it was quiet."""
    params = state.params
    if params.use_history and best <= old_alpha and is_after_quiet(pos, state, ply):
        reward_last_move(pos, state, ply, min(params.history_fail_low * depth, params.history_bonus_max))


@inline
def learn_from_tt_cut(pos, state, ply, depth, move, tt_score, beta):
    """Reward the quiet TT move of a node that its TT score cuts off: it would have been the best again."""
    if state.params.use_tt_history and tt_score >= beta and move != NULL_MOVE:
        reward_if_quiet(pos, state, ply, depth, move)


@inline
def learn_from_surprise(pos, state, ply, depth, static_eval, best, best_move, bound):
    """Learn a correction if the search refutes the static evaluation and the best move is not a capture."""
    if (state.params.use_correction and static_eval != NO_SCORE and not is_decisive(best)
            and (best_move == NULL_MOVE or not is_noisy(pos, best_move)) and bound_allows(bound, best, static_eval)):
        learn_correction(pos, state, ply, depth, best - static_eval)
