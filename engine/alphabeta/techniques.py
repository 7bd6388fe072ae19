"""What the techniques of the node decide, each by its name: predicates, margins, reductions, and what is learned.

Nothing here calls the search: recursion stands in node.py alone. All are expanded there, so that a name costs nothing.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import corrected_eval, learn_correction
from engine.alphabeta.exchange import captured_value, exchange_wins
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
    """Whether the root may play `move`: it was not ruled out by searchmoves, nor taken by a better line of MultiPV."""
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
    """At the root, the best move of the last iteration: whenever the search is broken off, it was searched first."""
    if ply == 0 and state.root_depth > 1 and state.root_nodes[state.first_root_move] > 0:
        return np.int64(state.root_moves[state.first_root_move])
    return tt_move


@inline
def count_root_nodes(state, ply, move, nodes):
    """At the root, note that so many nodes were spent below a move."""
    if ply == 0:
        for index in range(state.root_count):
            if state.root_moves[index] == move:
                state.root_nodes[index] += nodes


# Bookkeeping.


@inline
def begin_node(state, ply):
    """Forget the killers of another node's children; extensions are counted along the line."""
    state.killers[ply + 1, 0] = state.killers[ply + 1, 1] = NULL_MOVE
    state.extended[ply] = state.extended[ply - 1] if ply > 0 else 0


@inline
def keep_best(state, ply, move, score, is_pv):
    """Keep the best line so far; at the root its score too, in case the search is broken off."""
    if is_pv:
        extend_pv(state, ply, move)
    if ply == 0:
        state.root_score = score


@inline
def count_cut(state, move_count):
    """Count a cut, and whether the first move made it: the measure of the ordering."""
    state.cuts += 1
    state.first_cuts += np.int64(move_count == 1)


# What is known without a search.


@inline
def tb_limits(pos, state, ply, depth):
    """(floor, ceiling) of the score by the endgame tables: a win may be a mate, a loss too; both are 0 in a draw."""
    known_score = tb_score(pos, state, ply, depth)
    if known_score == NO_SCORE:
        return -INFINITE, INFINITE
    if known_score == DRAW:
        return DRAW, DRAW
    return (known_score, INFINITE) if is_win(known_score) else (-INFINITE, known_score)


@inline
def tt_score_cuts(pos, params, data, tt_score, alpha, beta, depth, is_scout):
    """Whether the table answers what the window asks, as deep as it is asked, and far from a draw by fifty moves.

    Where null windows ask whether a line holds, only they are answered: the line itself stays whole.
    """
    return (is_scout and params.use_tt_cutoffs and entry_depth(data) >= depth
            and bound_settles(entry_bound(data), tt_score, alpha, beta) and pos.rule50 < params.tt_rule50)


@inline
def score_without_moves(alpha, ply, excluded, in_check):
    """The score of a node where no move is left: mate or stalemate, unless one was excluded."""
    if excluded != NULL_MOVE:
        return alpha
    return mated_in(ply) if in_check else DRAW


# The static evaluation.


@inline
def foreseen_fail_high(pos, state, depth, ply, beta, data):
    """What reverse futility would return, if a lazy evaluation can foresee that it will; else NO_SCORE."""
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
    """In check there is no static evaluation: the reply is forced, and what it leads to is not known yet."""
    state.static_evals[ply] = NO_SCORE
    state.rests[ply] = NO_SCORE


@inline
def is_improving(state, ply, in_check):
    """1 if the evaluation rose since the side's last turn, or nothing is known of that; else 0."""
    if in_check or ply < 2:
        return np.int64(0)
    earlier = state.static_evals[ply - 2]
    if earlier == NO_SCORE:
        earlier = state.static_evals[ply - 4] if ply >= 4 else NO_SCORE
    return np.int64(earlier == NO_SCORE or state.static_evals[ply] > earlier)


@inline
def learn_from_last_move(pos, state, ply):
    """Let the histories learn what the last move, if it was quiet, did to the evaluation."""
    if (state.params.use_history and is_after_quiet(pos, state, ply) and state.static_evals[ply - 1] != NO_SCORE):
        learn_from_evaluation(pos, state, ply, np.int64(state.static_evals[ply - 1]), np.int64(state.static_evals[ply]))


# Pruning of whole nodes.


@inline
def is_far_below(params, depth, estimate, alpha):
    """Razoring: whether only a capture could lift the node to alpha."""
    return params.use_razoring and depth <= params.razor_depth and estimate + params.razor_margin * depth <= alpha


@inline
def is_far_above(params, depth, estimate, beta, improving):
    """Reverse futility: whether no reply will bring the node below beta."""
    return (params.use_reverse_futility and depth <= params.rfp_depth and not is_decisive(beta)
            and not is_decisive(estimate)
            and estimate - params.rfp_margin * depth + params.rfp_improving * improving >= beta)


@inline
def may_pass(pos, state, depth, ply, beta, estimate):
    """Whether a null move is tried: the side stands well, has pieces (else zugzwang), and did not just pass."""
    params = state.params
    return (params.use_null_move and depth >= params.null_depth and estimate >= beta
            and state.static_evals[ply] >= beta - params.null_static_margin * depth
            and state.slots[BEFORE_ROOT + ply - 1] != 0 and has_pieces(pos) and ply >= state.null_floor
            and not is_loss(beta))


@inline
def depth_after_passing(params, depth, estimate, beta):
    """How deep the position after a null move is searched."""
    surplus = min((estimate - beta) // params.null_eval_divisor, params.null_eval_max)
    return depth - (params.null_base + depth // params.null_divisor + surplus)


@inline
def null_floor_of(params, ply, reduced):
    """The ply below which no null move is made while one is verified: for most of the verification's depth."""
    return ply + params.null_verify_quarters * reduced // _QUARTERS


@inline
def may_probcut(params, depth, beta, data, tt_score):
    """Whether ProbCut is worth a try: deep enough, and not refuted by the table."""
    if not params.use_probcut or depth < params.probcut_depth or is_decisive(beta):
        return False
    is_known = data != MISS and entry_depth(data) >= depth - params.probcut_tt_depth
    return not (is_known and tt_score < beta + params.probcut_margin)


# Extensions, and what comes instead.


@inline
def internal_reduction(params, depth):
    """Plies that a node loses because the table has no move for it."""
    return np.int64(params.use_iir and depth >= params.iir_depth)


@inline
def may_be_singular(state, depth, ply, tt_move, data, tt_score):
    """Whether it is asked if the table's move is better than all others: it must be known to be good, to some depth."""
    params = state.params
    return (params.use_singular and ply > 0 and depth >= params.singular_depth and tt_move != NULL_MOVE
            and entry_depth(data) >= depth - params.singular_tt_depth and entry_bound(data) & LOWER
            and not is_decisive(tt_score) and ply < params.singular_root_depths * state.root_depth)


@inline
def singular_extension(state, ply, is_pv, score, singular_beta):
    """Plies that a singular move gains: two if all others are far behind, but not often in one line."""
    params = state.params
    if (params.use_double_extensions and not is_pv and score < singular_beta - params.double_margin
            and state.extended[ply] < params.double_limit):
        state.extended[ply] += 1
        return np.int64(2)
    return np.int64(1)


@inline
def negative_extension(params, cut_node, tt_score, beta):
    """Plies, negative or 0, for a table move that is not singular: others will do as well."""
    if not params.use_negative_extensions:
        return np.int64(0)
    if tt_score >= beta:
        return np.int64(-2)
    return np.int64(-1) if cut_node else np.int64(0)


# Pruning and reduction of moves.


@inline
def comes_too_late(params, depth, move_count, improving):
    """Late-move pruning: whether so many moves have been searched that quiet ones are given up, sooner if things do
    not improve.
    """
    return (params.use_late_move_pruning and depth <= params.lmp_depth
            and move_count > (params.lmp_base + depth * depth) >> (1 - improving))


@inline
def basic_reduction(state, depth, move_count, is_quiet):
    """The plies, in 1024ths, that a late move is searched less deep, by depth and number alone."""
    row, column = min(depth, REDUCTION_ROWS - 1), min(move_count, REDUCTION_ROWS - 1)
    return np.int64(state.reductions[np.int64(is_quiet), row, column])


@inline
def quiet_is_hopeless(pos, state, move, depth, reduction, history, static_eval, alpha):
    """Futility, history and SEE pruning of a quiet move that does not give check, as far as its reduction leaves it."""
    params = state.params
    left = max(depth - 1 - (reduction >> _ONE_PLY_BITS), 0)
    is_hopeless = (params.use_futility and left <= params.futility_depth
                   and static_eval + params.futility_base + params.futility_margin * left <= alpha)
    is_hopeless = is_hopeless or (params.use_history_pruning and depth <= params.history_prune_depth
                                  and history < -params.history_prune_margin * depth)
    is_hopeless = is_hopeless or (params.use_see_pruning
                                  and not exchange_wins(pos, move, -params.see_quiet_margin * left))
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
            and not exchange_wins(pos, move, -params.see_noisy_margin * depth * depth))


@inline
def adjusted_reduction(params, reduction, is_pv, cut_node, improving, checks, tt_move_is_noisy):
    """The reduction of a late move after what is known of the node, and of whether the move gives check."""
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
def quiet_reduction(state, ply, move, reduction, history):
    """The reduction of a late quiet move after what the histories know of it."""
    if move == state.killers[ply, 0] or move == state.killers[ply, 1]:
        reduction -= state.params.lmr_killer
    return reduction - history * _ONE_PLY // state.params.lmr_history_divisor


@inline
def reduced_depth(new_depth, reduction):
    """The depth that is left after a reduction: at least one ply, at most what there was."""
    return min(max(new_depth - (reduction >> _ONE_PLY_BITS), 1), new_depth)


# What is learned.


@inline
def remember_tried(state, ply, move, is_quiet, quiets, noisies):
    """Note a move that did not cut; returns how many quiet and how many other ones are noted."""
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
    """If every answer is bad, the last move was good; if it was quiet, its history says so."""
    params = state.params
    if params.use_history and best <= old_alpha and is_after_quiet(pos, state, ply):
        reward_last_move(pos, state, ply, min(params.history_fail_low * depth, params.history_bonus_max))


@inline
def learn_from_surprise(pos, state, ply, depth, static_eval, best, best_move, bound):
    """Correct the evaluation of positions like this one, where the search found another score and it was quiet."""
    if (state.params.use_correction and static_eval != NO_SCORE and not is_decisive(best)
            and (best_move == NULL_MOVE or not is_noisy(pos, best_move)) and bound_allows(bound, best, static_eval)):
        learn_correction(pos, state, ply, depth, best - static_eval)
