"""The node: fail-soft principal variation search in numbered steps.

Scores are the side to move's. `alpha` is what that side is sure of already, `beta` what the other side will not
allow; a score of at least beta ends the node. Every technique can be switched off in params.py.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import corrected_eval, learn_correction
from engine.alphabeta.exchange import captured_value, exchange_wins
from engine.alphabeta.ordering import (
    BAD_NOISY,
    is_after_quiet,
    is_noisy,
    learn_from_cut,
    learn_from_evaluation,
    next_move,
    picked_score,
    reward_last_move,
    start_picking,
)
from engine.alphabeta.quiescence import quiescence
from engine.alphabeta.state import BEFORE_ROOT, MOST_TRIED, PLY_MASK, REDUCTION_ROWS
from engine.alphabeta.steps import (
    bound_allows,
    bound_settles,
    cut_off_value,
    extend_pv,
    has_pieces,
    is_draw,
    is_tb_ending,
    known_or_new_evaluation,
    lazy_score,
    pass_turn,
    play,
    poll,
    sharpened,
    take_back,
    tb_bound,
    tb_score,
    tt_probe,
    tt_store,
    validated,
)
from engine.alphabeta.transpositions import (
    EXACT,
    LOWER,
    MISS,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    expect,
)
from engine.core.bits import EMPTY
from engine.core.legality import gives_check
from engine.core.movegen import king_masks
from engine.core.moves import NULL_MOVE
from engine.core.position import unmake_null
from engine.kernel import inline, kernel
from engine.search.scores import DRAW, INFINITE, MAX_PLY, NO_SCORE, is_decisive, is_loss, is_win, mate_in, mated_in

_ONE_PLY = np.int64(1024)  # of reductions


@inline
def is_open_root_move(state, move):
    """Whether the root may play `move`: it was not ruled out by searchmoves, nor taken by a better line of MultiPV."""
    for index in range(state.first_root_move, state.root_count):  # noqa: SIM110  kernels have no generators
        if state.root_moves[index] == move:
            return True
    return False


@inline
def count_root_nodes(state, move, nodes):
    for index in range(state.root_count):
        if state.root_moves[index] == move:
            state.root_nodes[index] += nodes


@inline
def is_improving(state, ply, in_check):
    """Whether the evaluation rose since the side's last turn."""
    if in_check or ply < 2:
        return np.int64(0)
    earlier = state.static_evals[ply - 2]
    if earlier == NO_SCORE:
        earlier = state.static_evals[ply - 4] if ply >= 4 else NO_SCORE
    return np.int64(earlier == NO_SCORE or state.static_evals[ply] > earlier)


@inline
def reduction_of(state, depth, move_count, is_quiet):
    """The plies, in 1024ths, that a late move is searched less deep."""
    row, column = min(depth, REDUCTION_ROWS - 1), min(move_count, REDUCTION_ROWS - 1)
    return np.int64(state.reductions[is_quiet, row, column])


@inline
def quiet_is_hopeless(pos, state, move, depth, left, score, static_eval, alpha):
    """Futility, history and SEE pruning of a quiet move; `left` of `depth` is what would remain after its reduction."""
    params = state.params
    if (params.use_futility and left <= params.futility_depth
            and static_eval + params.futility_base + params.futility_margin * left <= alpha):
        return True
    if (params.use_history_pruning and depth <= params.history_prune_depth
            and score < -params.history_prune_margin * depth):
        return True
    return params.use_see_pruning and not exchange_wins(pos, move, -params.see_quiet_margin * left)


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


@kernel
def search(pos, state, alpha, beta, depth, ply, cut_node):
    """The value of `pos` searched `depth` plies, as far as the window asks; `cut_node` says that a cut is expected."""
    ply &= PLY_MASK
    params = state.params
    # Step 1. At the horizon, search on only what is not quiet.
    if depth <= 0 or ply >= MAX_PLY:
        state.leaves += 1
        if params.use_quiescence:
            return quiescence(pos, state, alpha, beta, ply)
        return cut_off_value(pos, state, ply)
    is_root, is_pv = ply == 0, beta - alpha > 1
    excluded = np.int64(state.excluded[ply])

    # Step 2. Stop and draws.
    if state.nodes >= state.next_poll:
        poll(state)
    state.pv_length[ply] = 0
    if state.stopped:
        return DRAW
    state.deepest = max(state.deepest, ply)
    floor, ceiling = -INFINITE, INFINITE
    if not is_root:
        if is_draw(pos, state, ply):
            return DRAW
        # Step 3. Mate-distance pruning: a shorter mate is known already.
        if params.use_mate_distance:
            alpha = max(alpha, mated_in(ply))
            beta = min(beta, mate_in(ply + 1))
            if alpha >= beta:
                return alpha

        # Step 4. The endgame tables: near the end, the result is known. Only a mate can be better, or worse.
        if is_tb_ending(pos, state) and excluded == NULL_MOVE:
            known_score = tb_score(pos, state, ply, depth)
            if known_score != NO_SCORE:
                if bound_settles(tb_bound(known_score), known_score, alpha, beta):
                    return known_score
                if is_win(known_score):
                    floor = known_score
                    alpha = max(alpha, floor)
                else:
                    ceiling = known_score

    # Step 5. The table: the same position by another order of moves.
    checkers, pinned = king_masks(pos)
    in_check = checkers != EMPTY
    data = tt_probe(pos, state) if excluded == NULL_MOVE else MISS
    tt_score = entry_score(data, ply) if data != MISS else NO_SCORE
    # Where null windows ask whether a line holds, only they are answered: the line itself stays whole.
    may_cut = not is_pv or not (params.use_pvs or is_root)
    if (may_cut and data != MISS and params.use_tt_cutoffs and entry_depth(data) >= depth
            and bound_settles(entry_bound(data), tt_score, alpha, beta) and pos.rule50 < 90):
        return tt_score
    tt_move = validated(pos, entry_move(data), checkers, pinned) if data != MISS else NULL_MOVE
    if is_root and state.root_depth > 1 and state.root_nodes[state.first_root_move] > 0:
        # The best move so far: whenever the search is broken off, it has been searched first.
        tt_move = np.int64(state.root_moves[state.first_root_move])

    # Step 6. The static evaluation, corrected by experience, sharpened by the table.
    raw_eval = NO_SCORE
    estimate = NO_SCORE
    if in_check:
        state.static_evals[ply] = NO_SCORE
        state.rests[ply] = NO_SCORE
    else:
        if (not is_pv and excluded == NULL_MOVE and params.use_reverse_futility and depth <= params.rfp_depth
                and not is_decisive(beta)):
            # Step 8, before the evaluation where it can be foreseen.
            lazy = lazy_score(pos, state, ply, data)
            cautious = lazy - params.lazy_margin - params.rfp_margin * depth
            if lazy != NO_SCORE and cautious >= beta:
                return (cautious + beta) // 2
        raw_eval = known_or_new_evaluation(pos, state, ply, data)
        estimate = corrected_eval(pos, state, ply, raw_eval)
        state.static_evals[ply] = estimate
        estimate = sharpened(state, data, tt_score, estimate)
    static_eval = np.int64(state.static_evals[ply])
    improving = is_improving(state, ply, in_check)
    if (params.use_history and not in_check and excluded == NULL_MOVE and is_after_quiet(pos, state, ply)
            and state.static_evals[ply - 1] != NO_SCORE):
        learn_from_evaluation(pos, state, ply, np.int64(state.static_evals[ply - 1]), static_eval)
    state.killers[ply + 1, 0] = state.killers[ply + 1, 1] = NULL_MOVE
    state.extended[ply] = state.extended[ply - 1] if ply > 0 else 0

    if not is_pv and not in_check and excluded == NULL_MOVE:
        # Step 7. Razoring: far below alpha, only captures can help, and quiescence knows.
        if params.use_razoring and depth <= params.razor_depth and estimate + params.razor_margin * depth <= alpha:
            score = quiescence(pos, state, alpha, alpha + 1, ply)
            if score <= alpha:
                return score

        # Step 8. Reverse futility: far above beta, the reply will not bring it below.
        if (params.use_reverse_futility and depth <= params.rfp_depth and not is_decisive(beta)
                and not is_decisive(estimate)
                and estimate - params.rfp_margin * depth + params.rfp_improving * improving >= beta):
            return (estimate + beta) // 2

        # Step 9. Null move: if even passing holds beta, a move will. Not in endings of zugzwang; verified deep down.
        if (params.use_null_move and depth >= params.null_depth and estimate >= beta
                and static_eval >= beta - 20 * depth and state.slots[BEFORE_ROOT + ply - 1] != 0 and has_pieces(pos)
                and ply >= state.null_floor and not is_loss(beta)):
            reduced = depth - (params.null_base + depth // params.null_divisor
                               + min((estimate - beta) // params.null_eval_divisor, 3))
            state.slots[BEFORE_ROOT + ply] = 0
            pass_turn(pos, state, ply, raw_eval)
            expect(state.tt_address, state.tt_buckets, pos.key)
            state.begin[ply + 1] = state.begin[ply]
            score = -search(pos, state, -beta, -beta + 1, reduced, ply + 1, np.int64(1) - cut_node)
            unmake_null(pos)
            if state.stopped:
                return DRAW
            if score >= beta:
                score = beta if is_win(score) else score
                if depth < params.null_verify_depth or state.null_floor > 0:
                    return score
                state.null_floor = ply + 3 * reduced // 4
                verified = search(pos, state, beta - 1, beta, reduced, ply, np.int64(0))
                state.null_floor = 0
                if verified >= beta:
                    return score

        # Step 10. ProbCut: a capture that beats beta by a margin in a shallow search will beat beta in the deep one.
        raised = beta + params.probcut_margin
        if (params.use_probcut and depth >= params.probcut_depth and not is_decisive(beta)
                and not (data != MISS and entry_depth(data) >= depth - 3 and tt_score < raised)):
            noisy_tt_move = tt_move if tt_move != NULL_MOVE and is_noisy(pos, tt_move) else NULL_MOVE
            start_picking(state, ply, noisy_tt_move)
            while True:
                move = next_move(pos, state, ply, noisy_tt_move, checkers, pinned, np.int64(0))
                if move == NULL_MOVE or state.stage[ply] == BAD_NOISY:
                    break
                if not exchange_wins(pos, move, raised - static_eval):
                    continue
                play(pos, state, ply, move)
                score = -quiescence(pos, state, -raised, -raised + 1, ply + 1)
                if score >= raised:
                    score = -search(pos, state, -raised, -raised + 1, depth - 4, ply + 1, np.int64(1) - cut_node)
                take_back(pos, move)
                if state.stopped:
                    return DRAW
                if score >= raised:
                    tt_store(pos, state, ply, move, score, raw_eval, depth - 3, LOWER)
                    return score if is_decisive(score) else score - params.probcut_margin

    # Step 11. Internal iterative reduction: without a move from the table, the node is not worth its full depth yet.
    if (params.use_iir and depth >= params.iir_depth and tt_move == NULL_MOVE and excluded == NULL_MOVE
            and not is_root and (is_pv or cut_node)):
        depth -= 1

    # Step 12. Singular extension: is the table's move better than all others? Then it deserves to be searched deeper.
    extension = np.int64(0)
    if (params.use_singular and not is_root and depth >= params.singular_depth and tt_move != NULL_MOVE
            and excluded == NULL_MOVE and entry_depth(data) >= depth - 3 and entry_bound(data) & LOWER
            and not is_decisive(tt_score) and ply < 2 * state.root_depth):
        singular_beta = tt_score - params.singular_margin * depth
        state.excluded[ply] = tt_move
        score = search(pos, state, singular_beta - 1, singular_beta, (depth - 1) // 2, ply, cut_node)
        state.excluded[ply] = NULL_MOVE
        state.pv_length[ply] = 0
        if state.stopped:
            return DRAW
        if score < singular_beta:
            extension = np.int64(1)
            if (params.use_double_extensions and not is_pv and score < singular_beta - params.double_margin
                    and state.extended[ply] < 8):
                extension = np.int64(2)
                state.extended[ply] += 1
        elif params.use_multi_cut and score >= beta and not is_decisive(score):
            return score  # another move beats beta as well: several cuts, one is enough
        elif params.use_negative_extensions and tt_score >= beta:
            extension = np.int64(-2)
        elif params.use_negative_extensions and cut_node:
            extension = np.int64(-1)

    # Step 13. The moves, the best first.
    start_picking(state, ply, tt_move)
    best, best_move, old_alpha = floor, NULL_MOVE, alpha
    move_count, quiets, noisies = np.int64(0), np.int64(0), np.int64(0)
    with_quiets, no_zugzwang = np.int64(1), has_pieces(pos)
    tt_move_is_noisy = tt_move != NULL_MOVE and is_noisy(pos, tt_move)
    most_quiet_moves = (params.lmp_base + depth * depth) >> (1 - improving)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, with_quiets)
        if move == NULL_MOVE:
            break
        if move == excluded or (is_root and not is_open_root_move(state, move)):
            continue
        move_count += 1
        if is_root:
            state.current_move, state.current_number = move, move_count + state.first_root_move
        is_quiet = not is_noisy(pos, move)
        may_prune = not is_root and not is_loss(best) and no_zugzwang

        # Step 14. Pruning of moves that come late or promise too little; never the first, nor when being mated.
        if (may_prune and is_quiet and not in_check and params.use_late_move_pruning and depth <= params.lmp_depth
                and move_count > most_quiet_moves):
            with_quiets = np.int64(0)
            continue
        history = picked_score(pos, state, move, ply) if is_quiet else np.int64(0)
        reduction = reduction_of(state, depth, move_count, np.int64(is_quiet))
        if may_prune:
            if is_quiet:
                left = max(depth - 1 - (reduction >> 10), 0)
                if (not in_check and quiet_is_hopeless(pos, state, move, depth, left, history, static_eval, alpha)
                        and not gives_check(pos, move)):
                    continue
            elif noisy_is_hopeless(pos, state, move, depth, static_eval, alpha, state.stage[ply] == BAD_NOISY):
                continue

        # Step 15. Extensions.
        new_depth = depth - 1
        if move == tt_move:
            new_depth += extension

        is_late = params.use_reductions and depth >= 2 and move_count > 1 + np.int64(is_root)
        checks = is_late and gives_check(pos, move)
        nodes_before = state.nodes
        play(pos, state, ply, move)

        # Step 16. Late-move reduction: with good ordering a late move seldom matters; if it does, search it again.
        score = -INFINITE
        scout_beta = alpha + 1 if params.use_pvs else beta
        if is_late:
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
            if is_quiet:
                if move == state.killers[ply, 0] or move == state.killers[ply, 1]:
                    reduction -= params.lmr_killer
                reduction -= history * _ONE_PLY // params.lmr_history_divisor
            reduced = min(max(new_depth - (reduction >> 10), 1), new_depth)
            score = -search(pos, state, -scout_beta, -alpha, reduced, ply + 1, np.int64(1))
            if score > alpha and reduced < new_depth:
                score = -search(pos, state, -scout_beta, -alpha, new_depth, ply + 1, np.int64(1) - cut_node)
        elif not is_pv or move_count > 1:
            # Step 17. Principal variation search: a null window proves that a move is not better.
            score = -search(pos, state, -scout_beta, -alpha, new_depth, ply + 1, np.int64(1) - cut_node)
        if is_pv and (move_count == 1 or (score > alpha and params.use_pvs)):
            score = -search(pos, state, -beta, -alpha, new_depth, ply + 1, np.int64(0))
        take_back(pos, move)
        if is_root:
            count_root_nodes(state, move, state.nodes - nodes_before)
        if state.stopped:
            return DRAW

        # Step 18. A new best move, or a cut.
        if score > best:
            best = score
            if score > alpha:
                if params.use_alphabeta:
                    alpha = score
                best_move = move
                if is_pv:
                    extend_pv(state, ply, move)
                if is_root:
                    state.root_score = score
                if score >= beta:
                    state.cuts += 1
                    state.first_cuts += np.int64(move_count == 1)
                    break
        if is_quiet:
            if quiets < MOST_TRIED:
                state.tried_quiets[ply, quiets] = move
                quiets += 1
        elif noisies < MOST_TRIED:
            state.tried_noisies[ply, noisies] = move
            noisies += 1

    # Step 19. No legal move: mate or stalemate.
    if move_count == 0:
        if excluded != NULL_MOVE:
            return alpha
        return mated_in(ply) if in_check else DRAW

    best = min(best, ceiling)

    # Step 20. Learn: which move cut, and how wrong the evaluation was.
    if best >= beta:
        learn_from_cut(pos, state, ply, depth, best_move, quiets, noisies)
    elif params.use_history and best <= old_alpha and excluded == NULL_MOVE and is_after_quiet(pos, state, ply):
        # All answers are bad: the last move was good.
        reward_last_move(pos, state, ply, min(params.history_fail_low * depth, params.history_bonus_max))
    if excluded == NULL_MOVE:
        bound = LOWER if best >= beta else (EXACT if is_pv and best > old_alpha else UPPER)
        is_surprise = (not in_check and not is_decisive(best)
                       and (best_move == NULL_MOVE or not is_noisy(pos, best_move))
                       and bound_allows(bound, best, static_eval))
        if params.use_correction and is_surprise:
            learn_correction(pos, state, ply, depth, best - static_eval)
        if not is_root or state.first_root_move == 0:
            tt_store(pos, state, ply, best_move, best, raw_eval, depth, bound)
    return best
