"""What a node knows without a search, and what it keeps: the root's moves, lines, scores of tables, the static
evaluation. What its techniques decide is in pruning.py and reductions.py, and what it learns in learning.py.

Nothing in these files calls the search: all recursion is in node.py. The functions are inlined there, so they cost
nothing.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import correct_eval
from engine.alphabeta.steps import (
    bound_cuts,
    probe_tb_score,
    refine_by_tt,
    tt_eval_or_evaluate,
    tt_score_is_usable,
    update_pv,
)
from engine.alphabeta.transpositions import TT_MISS, entry_bound, entry_depth, entry_tt_pv
from engine.core.moves import NULL_MOVE
from engine.kernel import inline
from engine.search.scores import DRAW, INFINITE, NO_SCORE, is_win, mate_in, mated_in

# The root.


@inline
def root_move_is_allowed(state, move):
    """Whether the root may play `move`: not ruled out by searchmoves, nor taken by a better MultiPV line."""
    for index in range(state.first_root_move, state.root_count):  # noqa: SIM110  kernels have no generators
        if state.root_moves[index] == move:
            return True
    return False


@inline
def set_current_root_move(state, ply, move, number):
    """At the root, note which move is being searched."""
    if ply == 0:
        state.current_move, state.current_move_number = move, number + state.first_root_move


@inline
def root_best_move(state, ply, tt_move):
    """At the root, the best move so far, so that it is searched first and an aborted search can still answer."""
    if ply == 0 and state.root_depth > 1 and state.root_nodes[state.first_root_move] > 0:
        return np.int64(state.root_moves[state.first_root_move])
    return tt_move


@inline
def add_root_move_nodes(state, ply, move, nodes):
    """At the root, count the nodes spent on a move."""
    if ply == 0:
        for index in range(state.root_count):
            if state.root_moves[index] == move:
                state.root_nodes[index] += nodes


# Bookkeeping.


@inline
def init_frame(state, ply):
    """Clear the killers of the children, and inherit the count of double extensions from the parent."""
    state.killers[ply + 1, 0] = state.killers[ply + 1, 1] = NULL_MOVE
    state.double_extensions[ply] = state.double_extensions[ply - 1] if ply > 0 else 0


@inline
def record_best_move(state, ply, move, score, is_pv):
    """Keep the best line so far; at the root its score too, in case the search is aborted."""
    if is_pv:
        update_pv(state, ply, move)
    if ply == 0:
        state.root_score = score


@inline
def count_cutoff(state, move_count):
    """Count a cut-off, and whether the first move caused it: the measure of the move ordering."""
    state.beta_cutoffs += 1
    state.first_move_cutoffs += np.int64(move_count == 1)


@inline
def set_tt_pv(state, ply, is_pv, data, excluded):
    """Note whether the position is or was in a principal variation, and return it as 1 or 0. A search that leaves out
    a move adds nothing new.
    """
    if excluded == NULL_MOVE:
        state.tt_pv[ply] = is_pv or (data != TT_MISS and entry_tt_pv(data))
    return np.int64(state.tt_pv[ply])


@inline
def tt_pv_to_store(state, ply, fails_low):
    """What the TT remembers about principal variations: if all replies fail low, the last move may well be played."""
    was_pv = np.int64(state.tt_pv[ply])
    return np.int64(state.tt_pv[ply - 1]) | was_pv if fails_low and ply > 0 else was_pv


# What is known without a search.


@inline
def tb_bounds(pos, state, ply, depth):
    """(floor, ceiling) of the score by the endgame tables: a win may still be a mate, and so may a loss."""
    known_score = probe_tb_score(pos, state, ply, depth)
    if known_score == NO_SCORE:
        return -INFINITE, INFINITE
    if known_score == DRAW:
        return DRAW, DRAW
    return (known_score, INFINITE) if is_win(known_score) else (-INFINITE, known_score)


@inline
def tt_score_cuts(pos, params, data, tt_score, alpha, beta, depth, is_scout):
    """Whether the TT score cuts the node off: deep enough, and not close to a draw by the fifty-move rule.

    With PVS only nodes with a null window are cut off, so that the principal variation stays whole.
    """
    return (is_scout and entry_depth(data) >= depth and bound_cuts(entry_bound(data), tt_score, alpha, beta)
            and tt_score_is_usable(pos, params))


@inline
def mate_distance_window(params, alpha, beta, ply):
    """(alpha, beta): the window without scores that no mate from here can reach."""
    if not params.use_mate_distance:
        return alpha, beta
    return max(alpha, mated_in(ply)), min(beta, mate_in(ply + 1))


@inline
def mate_or_stalemate_score(alpha, ply, excluded, in_check):
    """The score of a node without moves: mate or stalemate, unless a move was excluded."""
    if excluded != NULL_MOVE:
        return alpha
    return mated_in(ply) if in_check else DRAW


# The static evaluation.


@inline
def evaluate_node(pos, state, ply, data, tt_score, in_check):
    """(the raw static evaluation, the best estimate of the score); sets `static_evals`, the corrected evaluation.

    In check all are NO_SCORE: an evaluation would mean nothing before the check is answered.
    """
    if in_check:
        state.static_evals[ply] = state.positional_evals[ply] = NO_SCORE
        return NO_SCORE, NO_SCORE
    raw_eval = tt_eval_or_evaluate(pos, state, ply, data)
    static_eval = correct_eval(pos, state, ply, raw_eval)
    state.static_evals[ply] = static_eval
    return raw_eval, refine_by_tt(state, data, tt_score, static_eval)


@inline
def is_improving(state, ply, in_check):
    """1 if the static evaluation has risen since the side's previous turns, or none of those is known; 0 if not, and if
    in check.
    """
    if in_check:
        return np.int64(0)
    earlier = state.static_evals[ply - 2] if ply >= 2 else NO_SCORE
    if earlier == NO_SCORE:
        earlier = state.static_evals[ply - 4] if ply >= 4 else NO_SCORE
    return np.int64(earlier == NO_SCORE or state.static_evals[ply] > earlier)
