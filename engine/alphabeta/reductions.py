"""How deep to search: extensions, and reductions of nodes and of late moves. One named function each."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.params import ONE, ONE_BITS
from engine.alphabeta.state import REDUCTION_ROWS, frame_at
from engine.alphabeta.tt import LOWER, entry_bound, entry_depth
from engine.core.moves import NULL_MOVE
from engine.kernel import inline
from engine.search.scores import NO_SCORE, is_decisive


@inline
def whole_plies(reduction):
    """The plies in a reduction, which is counted in 1024ths."""
    return reduction >> ONE_BITS


# Extensions, and reductions of whole nodes.


@inline
def iir_reduction(params, depth):
    """Plies by which a node without a TT move is reduced."""
    return np.int64(params.use_iir and depth >= params.iir_depth)


@inline
def may_be_singular(state, depth, ply, tt_move, tt_entry, tt_score):
    """Whether to test the TT move for singularity: its score must be a lower bound from enough depth."""
    params = state.params
    return (params.use_singular and ply > 0 and depth >= params.singular_depth and tt_move != NULL_MOVE
            and entry_depth(tt_entry) >= depth - params.singular_tt_depth and entry_bound(tt_entry) & LOWER
            and not is_decisive(tt_score) and ply < params.singular_root_depths * state.root_depth)


@inline
def excluded_depth(params, depth):
    """The depth to which the moves other than the TT move are searched, to see whether it is singular."""
    return max(whole_plies((depth - 1) * params.singular_share), 1)


@inline
def singular_extension(state, ply, is_pv, shortfall):
    """Plies by which a singular move is extended: two if all others are far worse, but not often in one line.

    `shortfall` is by how much they fall short of the score that would make the move an ordinary one.
    """
    frame = frame_at(state, ply)
    params = state.params
    if (not params.use_double_extensions or is_pv or shortfall <= params.double_margin
            or frame.double_extensions >= params.double_limit):
        return np.int64(1)
    return np.int64(2)


@inline
def multi_cut_score(params, score, singular_beta, beta):
    """The score of a node where moves other than the TT move reach `singular_beta`, if that shows that the node fails
    high in any case; else NO_SCORE.
    """
    if not params.use_multi_cut:
        return NO_SCORE
    if singular_beta >= beta:
        return singular_beta
    return score if score >= beta and not is_decisive(score) else NO_SCORE


@inline
def negative_extension(params, cut_node, tt_score, beta):
    """Plies, negative or 0, for a TT move that is not singular: other moves are about as good."""
    if not params.use_negative_extensions:
        return np.int64(0)
    if tt_score >= beta:
        return np.int64(-2)
    return np.int64(-1) if cut_node else np.int64(0)


# Reductions of moves.


@inline
def lmr_base(state, depth, move_count, is_quiet):
    """The reduction of a late move in 1024ths of a ply, by depth and move number alone."""
    row, column = min(depth, REDUCTION_ROWS - 1), min(move_count, REDUCTION_ROWS - 1)
    return np.int64(state.reductions[np.int64(is_quiet), row, column])


@inline
def lmr_adjust_for_node(state, ply, reduction, is_pv, cut_node, improving, is_check, tt_is_noisy):
    """The reduction of a late move, adjusted for the kind of node and for checks."""
    frame = frame_at(state, ply)
    params = state.params
    if is_pv:
        reduction -= params.lmr_pv
    if cut_node:
        reduction += params.lmr_cut_node
    if not improving:
        reduction += params.lmr_not_improving
    if is_check:
        reduction -= params.lmr_check
    if tt_is_noisy:
        reduction += params.lmr_tt_capture
    if params.use_tt_pv and frame.tt_pv and not is_pv:
        reduction -= params.lmr_tt_pv
    return reduction


@inline
def lmr_adjust_for_quiet(state, ply, move, reduction, history):
    """The reduction of a late quiet move, adjusted for killers and history."""
    frame = frame_at(state, ply)
    params = state.params
    if params.use_killers and (move == frame.killers[0] or move == frame.killers[1]):
        reduction -= params.lmr_killer
    return reduction - history * ONE // params.lmr_history_divisor


@inline
def reduced_depth(new_depth, reduction):
    """The depth left after a reduction: at least one ply, at most `new_depth`."""
    return min(max(new_depth - whole_plies(reduction), 1), new_depth)
