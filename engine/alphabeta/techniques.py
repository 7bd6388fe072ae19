"""What the techniques of the node decide, one named function each: predicates, margins, reductions, and learning.

Nothing here calls the search: all recursion is in node.py. The functions are inlined there, so they cost nothing.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import corrected_eval, learn_correction
from engine.alphabeta.exchange import captured_value, see_reaches
from engine.alphabeta.ordering import is_after_quiet, learn_from_evaluation, reward_last_move
from engine.alphabeta.state import BEFORE_ROOT, MOST_TRIED, REDUCTION_ROWS
from engine.alphabeta.steps import (
    bound_allows,
    bound_settles,
    extend_pv,
    has_pieces,
    known_or_new_evaluation,
    lazy_score,
    sharpened,
    tb_score,
)
from engine.alphabeta.transpositions import LOWER, MISS, entry_bound, entry_depth
from engine.core.legality import gives_check
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy
from engine.kernel import inline
from engine.search.scores import DRAW, INFINITE, NO_SCORE, is_decisive, is_loss, is_win, mated_in

_ONE_PLY = np.int64(1024)  # of reductions
_ONE_PLY_BITS = np.int64(10)
_QUARTERS = np.int64(4)


# The root.


@inline
def is_open_root_move(state, move):
    """Whether the root may play `move`: not ruled out by searchmoves, nor taken by a better MultiPV line."""
    for index in range(state.first_root_move, state.root_count):  # noqa: SIM110  kernels have no generators
        if state.root_moves[index] == move:
            return True
    return False


@inline
def note_root_move(state, ply, move, number):
    """At the root, note which move is being searched."""
    if ply == 0:
        state.current_move, state.current_number = move, number + state.first_root_move


@inline
def best_so_far(state, ply, tt_move):
    """At the root, the best move so far, so that it is searched first and an aborted search can still answer."""
    if ply == 0 and state.root_depth > 1 and state.root_nodes[state.first_root_move] > 0:
        return np.int64(state.root_moves[state.first_root_move])
    return tt_move


@inline
def count_root_nodes(state, ply, move, nodes):
    """At the root, count the nodes spent on a move."""
    if ply == 0:
        for index in range(state.root_count):
            if state.root_moves[index] == move:
                state.root_nodes[index] += nodes


# Bookkeeping.


@inline
def begin_node(state, ply):
    """Clear the killers of the children, and inherit the count of double extensions from the parent."""
    state.killers[ply + 1, 0] = state.killers[ply + 1, 1] = NULL_MOVE
    state.extended[ply] = state.extended[ply - 1] if ply > 0 else 0


@inline
def keep_best(state, ply, move, score, is_pv):
    """Keep the best line so far; at the root its score too, in case the search is aborted."""
    if is_pv:
        extend_pv(state, ply, move)
    if ply == 0:
        state.root_score = score


@inline
def count_cut(state, move_count):
    """Count a cut-off, and whether the first move caused it: the measure of the move ordering."""
    state.cuts += 1
    state.first_cuts += np.int64(move_count == 1)


# What is known without a search.


@inline
def tb_limits(pos, state, ply, depth):
    """(floor, ceiling) of the score by the endgame tables: a win may still be a mate, and so may a loss."""
    known_score = tb_score(pos, state, ply, depth)
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
    return (is_scout and params.use_tt_cutoffs and entry_depth(data) >= depth
            and bound_settles(entry_bound(data), tt_score, alpha, beta) and pos.rule50 < params.tt_rule50)


@inline
def score_without_moves(alpha, ply, excluded, in_check):
    """The score of a node without moves: mate or stalemate, unless a move was excluded."""
    if excluded != NULL_MOVE:
        return alpha
    return mated_in(ply) if in_check else DRAW


# The static evaluation.


@inline
def foreseen_fail_high(pos, state, depth, ply, beta, data):
    """What reverse futility pruning returns, if a lazy evaluation already shows that it applies; else NO_SCORE."""
    params = state.params
    if not params.use_reverse_futility or depth > params.rfp_depth or is_decisive(beta):
        return NO_SCORE
    lazy = lazy_score(pos, state, ply, data)
    cautious = lazy - params.lazy_margin - params.rfp_margin * depth
    return (cautious + beta) // 2 if lazy != NO_SCORE and cautious >= beta else NO_SCORE


@inline
def evaluate_node(pos, state, ply, data, tt_score):
    """(the raw static evaluation, the best estimate of the score); sets `static_evals`, the corrected evaluation."""
    raw_eval = known_or_new_evaluation(pos, state, ply, data)
    static_eval = corrected_eval(pos, state, ply, raw_eval)
    state.static_evals[ply] = static_eval
    return raw_eval, sharpened(state, data, tt_score, static_eval)


@inline
def forget_evaluation(state, ply):
    """In check there is no static evaluation: it would mean nothing before the check is answered."""
    state.static_evals[ply] = NO_SCORE
    state.rests[ply] = NO_SCORE


@inline
def is_improving(state, ply, in_check):
    """1 if the static evaluation has risen since the side's previous turns, or none of those is known; 0 if not, if in
    check, and at the first two plies.
    """
    if in_check or ply < 2:
        return np.int64(0)
    earlier = state.static_evals[ply - 2]
    if earlier == NO_SCORE:
        earlier = state.static_evals[ply - 4] if ply >= 4 else NO_SCORE
    return np.int64(earlier == NO_SCORE or state.static_evals[ply] > earlier)


@inline
def learn_from_last_move(pos, state, ply):
    """Let the histories learn what the last move, if it was quiet, did to the static evaluation."""
    if (state.params.use_history and is_after_quiet(pos, state, ply) and state.static_evals[ply - 1] != NO_SCORE):
        learn_from_evaluation(pos, state, ply, np.int64(state.static_evals[ply - 1]), np.int64(state.static_evals[ply]))


# Pruning of whole nodes.


@inline
def may_razor(params, depth, estimate, alpha):
    """Razoring: whether only a capture could raise the score to alpha."""
    return params.use_razoring and depth <= params.razor_depth and estimate + params.razor_margin * depth <= alpha


@inline
def reverse_futility_cuts(params, depth, estimate, beta, improving):
    """Reverse futility pruning: whether no reply will bring the score below beta."""
    return (params.use_reverse_futility and depth <= params.rfp_depth and not is_decisive(beta)
            and not is_decisive(estimate)
            and estimate - params.rfp_margin * depth + params.rfp_improving * improving >= beta)


@inline
def may_try_null_move(pos, state, depth, ply, beta, estimate):
    """Whether to try a null move: the side to move is above beta and has pieces, and the last move was not null."""
    params = state.params
    return (params.use_null_move and depth >= params.null_depth and estimate >= beta
            and state.static_evals[ply] >= beta - params.null_static_margin * depth
            and state.slots[BEFORE_ROOT + ply - 1] != 0 and has_pieces(pos) and ply >= state.null_floor
            and not is_loss(beta))


@inline
def null_move_depth(params, depth, estimate, beta):
    """The depth to which the position after a null move is searched."""
    surplus = min((estimate - beta) // params.null_eval_divisor, params.null_eval_max)
    return depth - (params.null_base + depth // params.null_divisor + surplus)


@inline
def null_floor_of(params, ply, reduced):
    """The first ply where null moves are allowed again while one is being verified."""
    return ply + params.null_verify_quarters * reduced // _QUARTERS


@inline
def may_probcut(params, depth, beta, data, tt_score):
    """Whether to try ProbCut: at enough depth, unless the TT score speaks against it."""
    if not params.use_probcut or depth < params.probcut_depth or is_decisive(beta):
        return False
    is_known = data != MISS and entry_depth(data) >= depth - params.probcut_tt_depth
    return not (is_known and tt_score < beta + params.probcut_margin)


# Extensions, and reductions of whole nodes.


@inline
def internal_reduction(params, depth):
    """Plies by which a node without a TT move is reduced."""
    return np.int64(params.use_iir and depth >= params.iir_depth)


@inline
def may_be_singular(state, depth, ply, tt_move, data, tt_score):
    """Whether to test the TT move for singularity: its score must be a lower bound from enough depth."""
    params = state.params
    return (params.use_singular and ply > 0 and depth >= params.singular_depth and tt_move != NULL_MOVE
            and entry_depth(data) >= depth - params.singular_tt_depth and entry_bound(data) & LOWER
            and not is_decisive(tt_score) and ply < params.singular_root_depths * state.root_depth)


@inline
def singular_extension(state, ply, is_pv, score, singular_beta):
    """Plies by which a singular move is extended: two if all others are far worse, but not often in one line."""
    params = state.params
    if (params.use_double_extensions and not is_pv and score < singular_beta - params.double_margin
            and state.extended[ply] < params.double_limit):
        state.extended[ply] += 1
        return np.int64(2)
    return np.int64(1)


@inline
def negative_extension(params, cut_node, tt_score, beta):
    """Plies, negative or 0, for a TT move that is not singular: other moves are about as good."""
    if not params.use_negative_extensions:
        return np.int64(0)
    if tt_score >= beta:
        return np.int64(-2)
    return np.int64(-1) if cut_node else np.int64(0)


# Pruning and reduction of moves.


@inline
def late_move_pruning_begins(params, depth, move_count, improving):
    """Late move pruning: whether so many moves have been searched that the remaining quiet ones are skipped; sooner if
    the evaluation is not improving.
    """
    return (params.use_late_move_pruning and depth <= params.lmp_depth
            and move_count > (params.lmp_base + depth * depth) >> (1 - improving))


@inline
def lmr_base(state, depth, move_count, is_quiet):
    """The reduction of a late move in 1024ths of a ply, by depth and move number alone."""
    row, column = min(depth, REDUCTION_ROWS - 1), min(move_count, REDUCTION_ROWS - 1)
    return np.int64(state.reductions[np.int64(is_quiet), row, column])


@inline
def quiet_is_hopeless(pos, state, move, depth, reduction, history, static_eval, alpha):
    """Futility and SEE pruning, by the depth left after reduction, and history pruning of a quiet move; no checks."""
    params = state.params
    left = max(depth - 1 - (reduction >> _ONE_PLY_BITS), 0)
    is_hopeless = (params.use_futility and left <= params.futility_depth
                   and static_eval + params.futility_base + params.futility_margin * left <= alpha)
    is_hopeless = is_hopeless or (params.use_history_pruning and depth <= params.history_prune_depth
                                  and history < -params.history_prune_margin * depth)
    is_hopeless = is_hopeless or (params.use_see_pruning
                                  and not see_reaches(pos, move, -params.see_quiet_margin * left))
    return is_hopeless and not gives_check(pos, move)


@inline
def noisy_is_hopeless(pos, state, move, depth, static_eval, alpha, loses_material):
    """Futility and SEE pruning of a capture or promotion; in check `static_eval` is NO_SCORE, above everything."""
    params = state.params
    margin = params.capture_futility_base + params.capture_futility_margin * depth
    if (params.use_capture_futility and depth <= params.capture_futility_depth
            and static_eval + margin + captured_value(pos, move) <= alpha and not gives_check(pos, move)):
        return True
    return (params.use_see_pruning and loses_material
            and not see_reaches(pos, move, -params.see_noisy_margin * depth * depth))


@inline
def lmr_of_node(params, reduction, is_pv, cut_node, improving, checks, tt_move_is_noisy):
    """The reduction of a late move, adjusted for the kind of node and for checks."""
    if is_pv:
        reduction -= params.lmr_pv
    if cut_node:
        reduction += params.lmr_cut_node
    if not improving:
        reduction += params.lmr_not_improving
    if checks:
        reduction -= params.lmr_check
    if tt_move_is_noisy:
        reduction += params.lmr_tt_capture
    return reduction


@inline
def lmr_of_quiet(state, ply, move, reduction, history):
    """The reduction of a late quiet move, adjusted for killers and history."""
    if move == state.killers[ply, 0] or move == state.killers[ply, 1]:
        reduction -= state.params.lmr_killer
    return reduction - history * _ONE_PLY // state.params.lmr_history_divisor


@inline
def reduced_depth(new_depth, reduction):
    """The depth left after a reduction: at least one ply, at most `new_depth`."""
    return min(max(new_depth - (reduction >> _ONE_PLY_BITS), 1), new_depth)


# Learning.


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
def learn_from_surprise(pos, state, ply, depth, static_eval, best, best_move, bound):
    """Learn a correction if the search refutes the static evaluation and the best move is not a capture."""
    if (state.params.use_correction and static_eval != NO_SCORE and not is_decisive(best)
            and (best_move == NULL_MOVE or not is_noisy(pos, best_move)) and bound_allows(bound, best, static_eval)):
        learn_correction(pos, state, ply, depth, best - static_eval)
