"""The node: fail-soft principal variation search in numbered steps.

Scores are from the side to move's view. `alpha` is what that side is already sure of, `beta` what the other side will
not allow; a score of at least beta ends the node. Every technique can be switched off in params.py; what each of them
decides is in pruning.py, reductions.py, evaluation.py and history.py. The number in brackets is the Elo that the
engine loses without the technique at 5,000 nodes per move, give or take forty and more for the largest: see "What each
technique is worth" in history/arena.md.

All steps that search are in one function: Numba does not link kernels that call each other, and the compiler of
engine/kernel refuses them.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import maybe_update_correction
from engine.alphabeta.evaluation import evaluate_node, is_improving, make_move, make_null_move, unmake_move
from engine.alphabeta.history import (
    add_tried_move,
    set_threats,
    update_histories_on_cutoff,
    update_history_on_tt_cutoff,
    update_last_move_by_eval,
    update_last_move_on_fail_low,
)
from engine.alphabeta.movepicker import (
    ALL_QUIETS,
    BAD_NOISY,
    NO_QUIETS,
    init_move_picker,
    next_move,
    picked_move_history,
)
from engine.alphabeta.node_entry import enter_node, is_draw, should_stop
from engine.alphabeta.pruning import (
    has_non_pawn_material,
    late_move_pruning_applies,
    lazy_reverse_futility,
    mate_distance_window,
    mate_or_stalemate_score,
    may_try_null_move,
    may_try_probcut,
    next_probcut_move,
    nmp_min_ply_after,
    null_move_depth,
    prune_noisy,
    prune_quiet,
    reverse_futility_cuts,
    reverse_futility_score,
)
from engine.alphabeta.pv import count_cutoff, init_frame, record_best_move, set_tt_pv, tt_pv_to_store
from engine.alphabeta.quiescence import enter_quiescence, quiescence
from engine.alphabeta.reductions import (
    excluded_depth,
    iir_reduction,
    lmr_adjust_for_node,
    lmr_adjust_for_quiet,
    lmr_base,
    may_be_singular,
    multi_cut_score,
    negative_extension,
    reduced_depth,
    singular_extension,
)
from engine.alphabeta.root_moves import add_root_move_nodes, root_best_move, root_move_is_allowed, set_current_root_move
from engine.alphabeta.state import PLY_MASK, frame_at
from engine.alphabeta.tb import can_probe_tb, tb_bounds
from engine.alphabeta.tt import (
    EXACT,
    LOWER,
    TT_MISS,
    UPPER,
    entry_move,
    legal_or_null,
    tt_lookup,
    tt_score_cuts,
    tt_store,
)
from engine.core.bits import EMPTY
from engine.core.legality import gives_check
from engine.core.movegen import checkers_and_pinned
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy, unmake_null
from engine.kernel import kernel
from engine.search.scores import DRAW, INFINITE, MAX_PLY, NO_SCORE, is_decisive, is_loss, is_win

ZERO = np.int64(0)
ONE = np.int64(1)


@kernel
def search(pos, state, alpha, beta, depth, ply, cut_node):
    """The value of `pos` at `depth`: exact inside the window, else a bound. `cut_node`: a beta cutoff is expected."""
    ply &= PLY_MASK
    frame = frame_at(state, ply)
    params = state.params
    # Step 1. At the horizon, quiescence searches only captures, checks and the like [402].
    if depth <= 0 or ply >= MAX_PLY:
        return enter_quiescence(pos, state, alpha, beta, ply)
    is_root, is_pv = ply == 0, beta - alpha > 1
    may_cut = not is_pv or not (params.use_pvs or is_root)
    child_cut_node = ONE - cut_node
    excluded = np.int64(frame.excluded_move)

    # Step 2. Stop and draws.
    enter_node(state, ply, depth)
    if should_stop(state):
        return DRAW
    tb_floor, tb_ceiling, old_alpha = -INFINITE, INFINITE, alpha
    if not is_root:
        if is_draw(pos, state, ply):
            return DRAW
        # Step 3. Mate-distance pruning: a shorter mate has already been found [0].
        alpha, beta = mate_distance_window(params, alpha, beta, ply)
        old_alpha = alpha
        if alpha >= beta:
            return alpha

        # Step 4. The endgame tables: with few pieces the result is known. Only a mate can be better, or worse.
        if can_probe_tb(pos, state) and excluded == NULL_MOVE:
            tb_floor, tb_ceiling = tb_bounds(pos, state, ply, depth)
            if tb_floor >= beta or tb_ceiling <= alpha or tb_floor == tb_ceiling:
                return tb_floor if tb_floor > -INFINITE else tb_ceiling
            alpha = max(alpha, tb_floor)

    # Step 5. The transposition table: the same position by another move order [346, its cutoffs alone 156].
    checkers, pinned = checkers_and_pinned(pos)
    in_check = checkers != EMPTY
    tt_entry, tt_score = tt_lookup(pos, state, ply) if excluded == NULL_MOVE else (TT_MISS, NO_SCORE)
    tt_pv = set_tt_pv(state, ply, is_pv, tt_entry, excluded)
    tt_hit = tt_entry != TT_MISS
    if tt_hit and tt_score_cuts(pos, params, tt_entry, tt_score, alpha, beta, depth, may_cut):
        update_history_on_tt_cutoff(pos, state, ply, depth, entry_move(tt_entry), tt_score, beta)
        return tt_score
    tt_move = legal_or_null(pos, entry_move(tt_entry), checkers, pinned) if tt_hit else NULL_MOVE
    tt_move = root_best_move(state, ply, tt_move)
    tt_is_noisy = tt_move != NULL_MOVE and is_noisy(pos, tt_move)

    # Step 6. The static evaluation, corrected by the correction histories [14], refined by the TT score.
    may_prune = not is_pv and not in_check and excluded == NULL_MOVE
    # Where a lazy evaluation, which only the features have, suffices, step 7 needs no full one.
    lazy_cutoff_score = lazy_reverse_futility(pos, state, depth, ply, beta, tt_entry) if may_prune else NO_SCORE
    if lazy_cutoff_score != NO_SCORE:
        return lazy_cutoff_score
    raw_eval, estimate = evaluate_node(pos, state, ply, tt_entry, tt_score, in_check)
    update_last_move_by_eval(pos, state, ply, excluded)
    static_eval = np.int64(frame.static_eval)
    improving = is_improving(state, ply, in_check)
    init_frame(state, ply)

    if may_prune:
        # Step 7. Reverse futility pruning: far above beta, no reply will bring the score below it [100].
        if reverse_futility_cuts(state, depth, ply, estimate, beta, improving):
            return reverse_futility_score(params, estimate, beta)
        # Step 8. Null move: if even passing fails high, a move will; verified at high depth against zugzwang [35].
        if may_try_null_move(pos, state, depth, ply, beta, estimate):
            reduced = null_move_depth(params, depth, estimate, beta)
            make_null_move(pos, state, ply, raw_eval)
            score = -search(pos, state, -beta, -beta + 1, reduced, ply + 1, child_cut_node)
            unmake_null(pos)
            if state.stopped:
                return DRAW
            if score >= beta:
                score = beta if is_win(score) else score
                if depth < params.null_verify_depth or state.nmp_min_ply > 0:
                    return score
                state.nmp_min_ply = nmp_min_ply_after(params, ply, reduced)
                verified = search(pos, state, beta - 1, beta, reduced, ply, ZERO)
                state.nmp_min_ply = 0
                if state.stopped:
                    return DRAW
                if verified >= beta:
                    return score
        # Step 9. ProbCut: a capture that beats beta by a margin in a shallow search will beat it in a deep one [10].
        probcut_beta, shallow = beta + params.probcut_margin, depth - params.probcut_reduction
        if may_try_probcut(params, depth, beta, probcut_beta, tt_entry, tt_score):
            noisy_tt_move = tt_move if tt_is_noisy else NULL_MOVE
            init_move_picker(state, ply, noisy_tt_move)
            frame.move_history = 0
            while True:
                move = next_probcut_move(pos, state, ply, noisy_tt_move, checkers, pinned, probcut_beta - static_eval)
                if move == NULL_MOVE:
                    break
                make_move(pos, state, ply, move)
                score = -quiescence(pos, state, -probcut_beta, -probcut_beta + 1, ply + 1, ZERO)
                if score >= probcut_beta:
                    score = -search(pos, state, -probcut_beta, -probcut_beta + 1, shallow, ply + 1, child_cut_node)
                unmake_move(pos, move)
                if state.stopped:
                    return DRAW
                if score >= probcut_beta:
                    tt_store(pos, state, ply, move, score, raw_eval, max(shallow + 1, ZERO), LOWER, tt_pv)
                    return score if is_decisive(score) else score - (probcut_beta - beta)

    # Step 10. Internal iterative reduction: without a TT move the node is not yet worth its depth [0].
    if tt_move == NULL_MOVE and excluded == NULL_MOVE and not is_root and (is_pv or cut_node):
        depth -= iir_reduction(params, depth)

    # Step 11. Singular extension: a TT move that is much better than all others is searched deeper [33].
    extension = ZERO
    if excluded == NULL_MOVE and may_be_singular(state, depth, ply, tt_move, tt_entry, tt_score):
        singular_beta = tt_score - params.singular_margin * depth
        frame.excluded_move = tt_move
        score = search(pos, state, singular_beta - 1, singular_beta, excluded_depth(params, depth), ply, cut_node)
        frame.excluded_move = NULL_MOVE
        if state.stopped:
            return DRAW
        if score < singular_beta:
            extension = singular_extension(state, ply, is_pv, singular_beta - score)
        else:
            # Multi-cut: without its TT move the node fails high as well [12].
            score = multi_cut_score(params, score, singular_beta, beta)
            if score != NO_SCORE:
                return score
            extension = negative_extension(params, cut_node, tt_score, beta)

    # Step 12. The moves, in order of promise [700: history 100, killers 31, continuation history 19, counter moves 17].
    set_threats(pos, state, ply)
    init_move_picker(state, ply, tt_move)
    best, best_move = tb_floor, NULL_MOVE
    move_count, quiet_count, noisy_count = ZERO, ZERO, ZERO
    double_extensions = np.int64(frame.double_extensions)
    quiet_filter, no_zugzwang = ALL_QUIETS, has_non_pawn_material(pos)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, quiet_filter)
        if move == NULL_MOVE:
            break
        if move == excluded or (is_root and not root_move_is_allowed(state, move)):
            continue
        move_count += 1
        set_current_root_move(state, ply, move, move_count)
        is_quiet = not is_noisy(pos, move)
        history = picked_move_history(pos, state, move, ply) if is_quiet else ZERO
        reduction = lmr_base(state, depth, move_count, is_quiet)

        # Step 13. Late move pruning [49], and SEE [69], futility [37] and history pruning [-5].
        if not is_root and not is_loss(best) and no_zugzwang:
            if not is_quiet:
                if prune_noisy(pos, state, move, depth, static_eval, alpha, frame.stage == BAD_NOISY):
                    continue
            elif not in_check:
                if late_move_pruning_applies(params, depth, move_count, improving):
                    quiet_filter = NO_QUIETS
                    continue
                if prune_quiet(pos, state, move, depth, reduction, improving, history, static_eval, alpha):
                    continue

        # Step 14. Extensions, and the late move reduction: with good ordering a late move is seldom best [91].
        extra = extension if move == tt_move else ZERO
        new_depth = depth - 1 + extra
        frame.double_extensions = double_extensions + np.int64(extra == 2)
        is_late = params.use_late_move_reductions and depth >= params.lmr_depth and move_count > 1 + np.int64(is_root)
        if is_late:
            is_check = gives_check(pos, move)
            reduction = lmr_adjust_for_node(state, ply, reduction, is_pv, cut_node, improving, is_check, tt_is_noisy)
            if is_quiet:
                reduction = lmr_adjust_for_quiet(state, ply, move, reduction, history)
        nodes_before = state.nodes
        frame.move_history = history
        make_move(pos, state, ply, move)

        # Step 15. The reduced search of a late move, and the re-search if it beats alpha all the same.
        score, window_beta = -INFINITE, alpha + 1 if params.use_pvs else beta
        if is_late:
            reduced = reduced_depth(new_depth, reduction)
            state.reduced_searches += np.int64(reduced < new_depth)
            score = -search(pos, state, -window_beta, -alpha, reduced, ply + 1, ONE)
            if score > alpha and reduced < new_depth:
                state.re_searches += 1
                score = -search(pos, state, -window_beta, -alpha, new_depth, ply + 1, child_cut_node)
        elif not is_pv or move_count > 1:
            # Step 16. Principal variation search: a null window shows that a move is not better [119].
            score = -search(pos, state, -window_beta, -alpha, new_depth, ply + 1, child_cut_node)
        if is_pv and (move_count == 1 or (score > alpha and params.use_pvs)):
            score = -search(pos, state, -beta, -alpha, new_depth, ply + 1, ZERO)
        unmake_move(pos, move)
        add_root_move_nodes(state, ply, move, state.nodes - nodes_before)
        if state.stopped:
            return DRAW

        # Step 17. A new best move, or a beta cutoff: alpha-beta [849].
        if score > best:
            best = score
            if score > alpha:
                if params.use_alphabeta:
                    alpha = score
                best_move = move
                record_best_move(state, ply, move, score, is_pv)
                if score >= beta:
                    count_cutoff(state, move_count)
                    break
        quiet_count, noisy_count = add_tried_move(state, ply, move, is_quiet, quiet_count, noisy_count)

    # Step 18. No legal move: mate or stalemate.
    if move_count == 0:
        return mate_or_stalemate_score(alpha, ply, excluded, in_check)
    best = min(best, tb_ceiling)

    # Step 19. Update the histories by the move that caused the cutoff, and by how wrong the evaluation was.
    if best >= beta:
        update_histories_on_cutoff(pos, state, ply, depth, best_move, quiet_count, noisy_count)
    if excluded == NULL_MOVE:
        update_last_move_on_fail_low(pos, state, ply, depth, best, old_alpha)
        bound = LOWER if best >= beta else (EXACT if is_pv and best > old_alpha else UPPER)
        maybe_update_correction(pos, state, ply, depth, static_eval, best, best_move, bound)
        if not is_root or state.first_root_move == 0:
            tt_store(pos, state, ply, best_move, best, raw_eval, depth, bound,
                     tt_pv_to_store(state, ply, bound == UPPER))
    return best
