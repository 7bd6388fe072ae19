"""Quiescence: where the search cuts off, what is not quiet is still played out, so that the evaluation holds."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import corrected_eval
from engine.alphabeta.exchange import captured_value
from engine.alphabeta.ordering import BAD_NOISY, next_move, start_picking
from engine.alphabeta.state import PLY_MASK
from engine.alphabeta.steps import (
    bound_settles,
    extend_pv,
    is_draw,
    is_tb_ending,
    known_or_new_evaluation,
    lazy_score,
    play,
    poll,
    sharpened,
    static_evaluation,
    take_back,
    tb_score,
    tt_probe,
    tt_store,
    validated,
)
from engine.alphabeta.transpositions import EXACT, LOWER, MISS, UPPER, entry_bound, entry_move, entry_score
from engine.core.bits import EMPTY
from engine.core.movegen import king_masks
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy
from engine.kernel import kernel
from engine.search.scores import DRAW, INFINITE, MAX_PLY, NO_SCORE, clamp_evaluation, is_loss, mated_in

_QUIESCENCE_DEPTH = np.int64(0)


@kernel
def quiescence(pos, state, alpha, beta, ply):
    """Search on until the position is quiet: captures and promotions only, unless the side to move is in check. Then
    every evasion may be tried, quiet ones until one of them is not mated.
    """
    ply &= PLY_MASK
    # Step 1. Stop, draws, and the end of the stack.
    if state.nodes >= state.next_poll:
        poll(state)
    state.pv_length[ply] = 0
    if state.stopped:
        return DRAW
    state.deepest = max(state.deepest, ply)
    if is_draw(pos, state, ply):
        return DRAW
    if ply >= MAX_PLY:
        return static_evaluation(pos, state, ply)
    is_pv = beta - alpha > 1 and not state.lines_are_cut

    # Step 2. The endgame tables.
    if is_tb_ending(pos, state):
        known_score = tb_score(pos, state, ply, _QUIESCENCE_DEPTH)
        if known_score != NO_SCORE:
            return known_score

    # Step 3. The table.
    checkers, pinned = king_masks(pos)
    in_check = checkers != EMPTY
    data = tt_probe(pos, state)
    tt_score = NO_SCORE
    if data != MISS:
        tt_score = entry_score(data, ply)
        if not is_pv and state.params.use_tt_cutoffs and bound_settles(entry_bound(data), tt_score, alpha, beta):
            return tt_score

    # Step 4. Stand pat: the side to move need not capture at all.
    raw_eval = NO_SCORE
    best = -INFINITE
    state.rests[ply] = NO_SCORE
    if not in_check:
        lazy = lazy_score(pos, state, ply, data) if not is_pv else NO_SCORE
        if lazy != NO_SCORE and lazy - state.params.lazy_margin >= beta:
            return lazy - state.params.lazy_margin
        if lazy != NO_SCORE and lazy + state.params.lazy_margin <= alpha:
            best = clamp_evaluation(lazy)
        else:
            raw_eval = known_or_new_evaluation(pos, state, ply, data)
            best = sharpened(state, data, tt_score, corrected_eval(pos, state, ply, raw_eval))
        if best >= beta:
            return best
        alpha = max(alpha, best)
    futile = best + state.params.delta_margin

    # Step 5. The moves.
    tt_move = validated(pos, entry_move(data), checkers, pinned) if data != MISS else NULL_MOVE
    if not in_check and tt_move != NULL_MOVE and not is_noisy(pos, tt_move):
        tt_move = NULL_MOVE
    start_picking(state, ply, tt_move)
    best_move = NULL_MOVE
    old_alpha = alpha
    searched = np.int64(0)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, np.int64(in_check))
        if move == NULL_MOVE:
            break
        if not in_check and not is_loss(best):
            # A capture that loses material, or that cannot lift the score to alpha, is not worth a look.
            if state.params.use_quiescence_see and state.stage[ply] == BAD_NOISY:
                break
            hoped_for = futile + captured_value(pos, move)
            if state.params.use_delta_pruning and hoped_for <= alpha:
                best = max(best, hoped_for)
                continue
        elif (in_check and state.params.use_evasion_pruning and searched > 0 and not is_loss(best)
                and not is_noisy(pos, move)):
            break  # one way out that is not mate is enough; captures that hold material have been tried before
        play(pos, state, ply, move)
        score = -quiescence(pos, state, -beta, -alpha, ply + 1)
        take_back(pos, move)
        searched += 1
        if state.stopped:
            return DRAW
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if is_pv:
                    extend_pv(state, ply, move)
                if score >= beta:
                    break

    # Step 6. Mate, and what to remember.
    if in_check and searched == 0:
        return mated_in(ply)
    bound = LOWER if best >= beta else (EXACT if is_pv and alpha > old_alpha else UPPER)
    tt_store(pos, state, ply, best_move, best, raw_eval, _QUIESCENCE_DEPTH, bound)
    return best
