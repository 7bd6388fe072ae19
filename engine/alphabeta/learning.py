"""What a node learns from its result, for the histories and the corrections of the evaluation."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import update_correction_history
from engine.alphabeta.ordering import (
    apply_eval_diff_bonus,
    last_move_was_quiet,
    update_last_move_history,
    update_tt_move_history,
)
from engine.alphabeta.state import MAX_TRIED
from engine.alphabeta.steps import is_more_informative
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy
from engine.kernel import inline
from engine.search.scores import NO_SCORE, is_decisive


@inline
def update_last_move_by_eval(pos, state, ply, excluded):
    """Let the histories learn what the last move, if it was quiet, did to the static evaluation."""
    if (state.params.use_history and excluded == NULL_MOVE and last_move_was_quiet(pos, state, ply)
            and state.static_evals[ply] != NO_SCORE and state.static_evals[ply - 1] != NO_SCORE):
        apply_eval_diff_bonus(pos, state, ply, np.int64(state.static_evals[ply - 1]), np.int64(state.static_evals[ply]))


@inline
def add_tried_move(state, ply, move, is_quiet, quiets, noisies):
    """Note a move that did not cause a cut-off; returns how many quiet and how many noisy moves are noted."""
    if is_quiet:
        if quiets < MAX_TRIED:
            state.tried_quiets[ply, quiets] = move
            quiets += 1
    elif noisies < MAX_TRIED:
        state.tried_noisies[ply, noisies] = move
        noisies += 1
    return quiets, noisies


@inline
def update_last_move_on_fail_low(pos, state, ply, depth, best, old_alpha):
    """If the node fails low the last move was good: reward it if it was quiet."""
    params = state.params
    if params.use_history and best <= old_alpha and last_move_was_quiet(pos, state, ply):
        update_last_move_history(pos, state, ply, min(params.history_fail_low * depth, params.history_bonus_max))


@inline
def update_history_on_tt_cutoff(pos, state, ply, depth, move, tt_score, beta):
    """Reward the quiet TT move of a node that its TT score cuts off: it would have been the best again."""
    if state.params.use_tt_history and tt_score >= beta and move != NULL_MOVE:
        update_tt_move_history(pos, state, ply, depth, move)


@inline
def maybe_update_correction(pos, state, ply, depth, static_eval, best, best_move, bound):
    """Learn a correction if the search refutes the static evaluation and the best move is not a capture."""
    if (state.params.use_correction and static_eval != NO_SCORE and not is_decisive(best)
            and (best_move == NULL_MOVE or not is_noisy(pos, best_move)) and is_more_informative(bound, best,
                                                                                                 static_eval)):
        update_correction_history(pos, state, ply, depth, best - static_eval)
