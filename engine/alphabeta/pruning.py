"""Pruning of nodes and of moves, one function per technique."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.evaluation import lazy_eval
from engine.alphabeta.history import capture_history_score
from engine.alphabeta.movepicker import BAD_NOISY, NO_QUIETS, next_move
from engine.alphabeta.params import ONE, ONE_BITS
from engine.alphabeta.reductions import whole_plies
from engine.alphabeta.see import capture_gain, see_ge
from engine.alphabeta.state import frame_at
from engine.alphabeta.tt import TT_MISS, entry_depth
from engine.core.bits import BISHOP, EMPTY, KNIGHT, QUEEN, ROOK
from engine.core.legality import gives_check
from engine.core.moves import NULL_MOVE
from engine.kernel import inline
from engine.search.scores import DRAW, NO_SCORE, is_decisive, is_loss, mate_in, mated_in

_QUARTERS = np.int64(4)
_HALF = ONE // 2


@inline
def has_non_pawn_material(pos):
    """Whether the side to move has more than king and pawns; otherwise zugzwang is likely."""
    own = pos.colors[pos.side]
    return own & (pos.types[KNIGHT] | pos.types[BISHOP] | pos.types[ROOK] | pos.types[QUEEN]) != EMPTY


@inline
def mate_distance_window(params, alpha, beta, ply):
    """Mate-distance pruning: clamp the window to the scores that a mate from this ply can reach."""
    if not params.use_mate_distance:
        return alpha, beta
    return max(alpha, mated_in(ply)), min(beta, mate_in(ply + 1))


@inline
def mate_or_stalemate_score(alpha, ply, excluded, in_check):
    """The score of a node without moves: mate or stalemate, unless a move was excluded."""
    if excluded != NULL_MOVE:
        return alpha
    return mated_in(ply) if in_check else DRAW


# Pruning of whole nodes.


@inline
def blend_with_beta(score, beta, share):
    """A score between `beta` and a `score` above it, which has this share, in 1024ths: bounds need not be extreme."""
    return (score * share + beta * (ONE - share)) >> ONE_BITS


@inline
def reverse_futility_margin(state, depth, ply, improving):
    """By how much an estimate must be above beta to show that no reply will matter; more after a promising move."""
    params = state.params
    history = np.int64(frame_at(state, ply - 1).move_history) * params.rfp_history >> ONE_BITS
    return max(params.rfp_margin * depth - params.rfp_improving * improving + history, 0)


@inline
def lazy_reverse_futility(pos, state, depth, ply, beta, tt_entry):
    """A cautious score, if a lazy evaluation already shows that reverse futility pruning will cut; else NO_SCORE."""
    params = state.params
    if not params.use_reverse_futility or depth > params.rfp_depth or is_decisive(beta):
        return NO_SCORE
    lazy = lazy_eval(pos, state, ply, tt_entry)
    cautious = lazy - params.lazy_margin - reverse_futility_margin(state, depth, ply, np.int64(0))
    return blend_with_beta(cautious, beta, _HALF) if lazy != NO_SCORE and cautious >= beta else NO_SCORE


@inline
def reverse_futility_cuts(state, depth, ply, estimate, beta, improving):
    """Reverse futility pruning: whether no reply will bring the score below beta."""
    params = state.params
    if not params.use_reverse_futility or depth > params.rfp_depth or is_decisive(beta) or is_decisive(estimate):
        return False
    return estimate >= beta + reverse_futility_margin(state, depth, ply, improving)


@inline
def reverse_futility_score(params, estimate, beta):
    """The score of a node that reverse futility pruning cuts off: between the estimate and beta."""
    return blend_with_beta(estimate, beta, params.rfp_blend)


@inline
def may_try_null_move(pos, state, depth, ply, beta, estimate):
    """Whether to try a null move: the side to move is above beta and has pieces, and the last move was not null."""
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    params = state.params
    return (params.use_null_move and depth >= params.null_depth and estimate >= beta
            and frame.static_eval >= beta - params.null_static_margin * depth
            and parent.piece_to != 0 and has_non_pawn_material(pos) and ply >= state.nmp_min_ply
            and not is_loss(beta))


@inline
def null_move_depth(params, depth, estimate, beta):
    """The depth to which the position after a null move is searched."""
    surplus = min((estimate - beta) // params.null_eval_divisor, params.null_eval_max)
    return depth - (params.null_base + depth // params.null_divisor + surplus)


@inline
def nmp_min_ply_after(params, ply, reduced):
    """The first ply where null moves are allowed again while one is being verified."""
    return ply + params.null_verify_quarters * reduced // _QUARTERS


@inline
def may_try_probcut(params, depth, beta, probcut_beta, tt_entry, tt_score):
    """Whether to try ProbCut: at enough depth, unless a TT score from enough depth is below `probcut_beta`."""
    if not params.use_probcut or depth < params.probcut_depth or is_decisive(beta):
        return False
    is_known = tt_entry != TT_MISS and entry_depth(tt_entry) >= depth - params.probcut_tt_depth
    return not (is_known and tt_score < probcut_beta)


@inline
def next_probcut_move(pos, state, ply, tt_move, checkers, pinned, gain):
    """The next capture or promotion that wins at least `gain` by exchanges, for ProbCut; NULL_MOVE if there is none."""
    frame = frame_at(state, ply)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, NO_QUIETS)
        if move == NULL_MOVE or frame.stage == BAD_NOISY:
            return NULL_MOVE
        if see_ge(pos, move, gain):
            return move


# Pruning of moves.


@inline
def late_move_pruning_applies(params, depth, move_count, improving):
    """Late move pruning: whether so many moves have been tried that the remaining quiet ones are skipped; sooner if
    the evaluation is not improving.
    """
    return (params.use_late_move_pruning and depth <= params.lmp_depth
            and move_count > (params.lmp_base + (params.lmp_factor * depth * depth >> ONE_BITS)) >> (1 - improving))


@inline
def prune_quiet(pos, state, move, depth, reduction, improving, history, static_eval, alpha):
    """Futility and SEE pruning, by the depth left after reduction, and history pruning of a quiet move; no checks."""
    params = state.params
    reduction += params.pruning_not_improving * (1 - improving)
    left = max(depth - 1 - whole_plies(reduction), 0)
    margin = params.futility_base + params.futility_margin * left + (history * params.futility_history >> ONE_BITS)
    is_futile = params.use_futility and left <= params.futility_depth and static_eval + margin <= alpha
    see_margin = (params.see_quiet_margin + params.see_quiet_squared * left) * left
    has_bad_history = (params.use_history_pruning and depth <= params.history_prune_depth
                       and history < -params.history_prune_margin * depth)
    return ((is_futile or has_bad_history
             or (params.use_see_pruning and not see_ge(pos, move, -see_margin)))
            and not gives_check(pos, move))


@inline
def prune_noisy(pos, state, move, depth, static_eval, alpha, loses_material):
    """Futility and SEE pruning of a capture or promotion; in check `static_eval` is NO_SCORE, above everything."""
    params = state.params
    margin = (params.capture_futility_base + params.capture_futility_margin * depth
              + (capture_history_score(pos, state, move) * params.capture_futility_history >> ONE_BITS))
    if (params.use_capture_futility and depth <= params.capture_futility_depth
            and static_eval + margin + capture_gain(pos, move) <= alpha and not gives_check(pos, move)):
        return True
    return (params.use_see_pruning and loses_material
            and not see_ge(pos, move, -(params.see_noisy_margin * depth + params.see_noisy_linear) * depth))
