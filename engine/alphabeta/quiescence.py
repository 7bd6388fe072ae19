"""Quiescence search: beyond the horizon captures, and at its first ply quiet checks, are searched, so that only quiet
positions are evaluated.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import correct_eval
from engine.alphabeta.evaluation import (
    evaluate_raw,
    horizon_eval,
    lazy_eval,
    make_move,
    tt_eval_or_evaluate,
    unmake_move,
)
from engine.alphabeta.history import set_threats
from engine.alphabeta.leaf_reservoir import offer_leaf
from engine.alphabeta.movepicker import ALL_QUIETS, BAD_NOISY, NO_QUIETS, QUIET_CHECKS, init_move_picker, next_move
from engine.alphabeta.node_entry import enter_node, is_draw, should_stop
from engine.alphabeta.pruning import blend_with_beta
from engine.alphabeta.pv import update_pv
from engine.alphabeta.see import capture_gain, see_ge
from engine.alphabeta.state import PLY_MASK, frame_at
from engine.alphabeta.tb import can_probe_tb, probe_tb_score
from engine.alphabeta.tt import (
    EXACT,
    LOWER,
    TT_MISS,
    UPPER,
    bound_cuts,
    entry_bound,
    entry_move,
    entry_tt_pv,
    legal_or_null,
    refine_by_tt,
    tt_lookup,
    tt_score_is_usable,
    tt_store,
)
from engine.core.bits import EMPTY
from engine.core.movegen import checkers_and_pinned
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy
from engine.kernel import inline, kernel
from engine.search.scores import DRAW, INFINITE, MAX_PLY, NO_SCORE, clamp_evaluation, is_decisive, is_loss, mated_in

_QUIESCENCE_DEPTH = np.int64(0)
_ZERO = np.int64(0)
_ANY_GAIN = np.int64(1)


@inline
def _terminal_score(pos, state, ply):
    """The score of a node that needs no search: stopped, drawn, too deep, or in the tablebases; else NO_SCORE."""
    enter_node(state, ply, _QUIESCENCE_DEPTH)
    if should_stop(state) or is_draw(pos, state, ply):
        return DRAW
    if ply >= MAX_PLY:
        return evaluate_raw(pos, state, ply)
    return probe_tb_score(pos, state, ply, _QUIESCENCE_DEPTH) if can_probe_tb(pos, state) else NO_SCORE


@inline
def _stand_pat(pos, state, alpha, beta, ply, tt_entry, tt_score, is_pv, in_check):
    """(the stand-pat score, the raw static evaluation or NO_SCORE if a lazy one was enough); in check there is none."""
    frame = frame_at(state, ply)
    frame.positional_eval = NO_SCORE
    if in_check:
        return -INFINITE, NO_SCORE
    margin = state.params.lazy_margin
    lazy = lazy_eval(pos, state, ply, tt_entry) if not is_pv else NO_SCORE
    if lazy != NO_SCORE and lazy - margin >= beta:
        return lazy - margin, NO_SCORE
    if lazy != NO_SCORE and lazy + margin <= alpha:
        return clamp_evaluation(lazy + margin), NO_SCORE
    raw_eval = tt_eval_or_evaluate(pos, state, ply, tt_entry)
    return refine_by_tt(state, tt_entry, tt_score, correct_eval(pos, state, ply, raw_eval)), raw_eval


@inline
def _init_moves(pos, state, ply, tt_entry, checkers, pinned):
    """Start picking moves; returns the TT move, if it is legal and, unless in check, noisy, else NULL_MOVE."""
    move = legal_or_null(pos, entry_move(tt_entry), checkers, pinned) if tt_entry != TT_MISS else NULL_MOVE
    tt_move = move if checkers != EMPTY or move == NULL_MOVE or is_noisy(pos, move) else NULL_MOVE
    init_move_picker(state, ply, tt_move)
    if checkers != EMPTY:
        set_threats(pos, state, ply)  # for the order of evasions
    return tt_move


@inline
def _tt_score_cuts(pos, state, tt_entry, tt_score, alpha, beta):
    return bound_cuts(entry_bound(tt_entry), tt_score, alpha, beta) and tt_score_is_usable(pos, state.params)


@inline
def _skip_remaining(pos, state, ply, move, in_check, searched):
    """Whether this move and all that follow are skipped: captures that lose material, or that come late; or in check,
    once some evasion has been searched, from the first quiet evasion on.
    """
    frame = frame_at(state, ply)
    if in_check:
        return state.params.use_evasion_pruning and searched > 0 and not is_noisy(pos, move)
    if state.params.use_quiescence_limit and searched >= state.params.quiescence_moves:
        return True
    return state.params.use_quiescence_see and frame.stage == BAD_NOISY


@inline
def _best_case(pos, state, move, futility_base, alpha, in_check):
    """The most that `move` can bring, given that all but the piece that it takes brings `futility_base`; INFINITE if
    there is no telling, as for a quiet check, and -INFINITE for a check that loses material.
    """
    if in_check:
        return INFINITE
    if not is_noisy(pos, move):
        return INFINITE if see_ge(pos, move, _ZERO) else -INFINITE
    if state.params.use_quiescence_futility and futility_base <= alpha and not see_ge(pos, move, _ANY_GAIN):
        return futility_base
    return futility_base + capture_gain(pos, move) if state.params.use_delta_pruning else INFINITE


@inline
def _bound_of(best, beta, is_exact):
    return LOWER if best >= beta else (EXACT if is_exact else UPPER)


@inline
def _fail_high_score(state, score, beta):
    """A score that fails high, drawn towards beta: the opponent will avoid the position anyway."""
    if not state.params.use_quiescence_blend or score < beta or is_decisive(score) or is_decisive(beta):
        return score
    return blend_with_beta(score, beta, state.params.fail_high_blend)


@kernel
def quiescence(pos, state, alpha, beta, ply, with_checks):
    """Search until the position is quiet: captures and promotions; in check all evasions, but quiet ones only until one
    move has been searched; in the first ply, `with_checks`, moves that give check.
    """
    ply &= PLY_MASK
    # Step 1. Stop, draws, the deepest ply, and the endgame tables.
    terminal_score = _terminal_score(pos, state, ply)
    if terminal_score != NO_SCORE:
        return terminal_score
    is_pv = beta - alpha > 1 and not state.pv_is_not_needed

    # Step 2. The transposition table.
    checkers, pinned = checkers_and_pinned(pos)
    in_check = checkers != EMPTY
    tt_entry, tt_score = tt_lookup(pos, state, ply)
    if tt_entry != TT_MISS and not is_pv and _tt_score_cuts(pos, state, tt_entry, tt_score, alpha, beta):
        return tt_score

    # Step 3. Stand pat: the side to move need not capture at all.
    best, raw_eval = _stand_pat(pos, state, alpha, beta, ply, tt_entry, tt_score, is_pv, in_check)
    offer_leaf(pos, state.leaves, raw_eval, best, alpha, beta)
    if best >= beta:
        return _fail_high_score(state, best, beta)
    alpha, futility_base = max(alpha, best), best + state.params.delta_margin

    # Step 4. The moves.
    tt_move = _init_moves(pos, state, ply, tt_entry, checkers, pinned)
    quiet_filter = ALL_QUIETS if in_check else (QUIET_CHECKS if with_checks else NO_QUIETS)
    best_move, old_alpha, searched = NULL_MOVE, alpha, _ZERO
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, quiet_filter)
        if move == NULL_MOVE:
            break
        if not is_loss(best):
            if _skip_remaining(pos, state, ply, move, in_check, searched):
                break
            upper_bound = _best_case(pos, state, move, futility_base, alpha, in_check)
            if upper_bound <= alpha:
                best = max(best, upper_bound)  # it cannot raise the score above alpha
                continue
        make_move(pos, state, ply, move)
        score = -quiescence(pos, state, -beta, -alpha, ply + 1, _ZERO)
        unmake_move(pos, move)
        searched += 1
        if state.stopped:
            return DRAW
        best = max(best, score)
        if score > alpha:
            alpha, best_move = score, move
            if is_pv:
                update_pv(state, ply, move)
            if score >= beta:
                break

    # Step 5. Mate, and what to remember.
    if in_check and searched == 0:
        return mated_in(ply)
    bound, best = _bound_of(best, beta, is_pv and alpha > old_alpha), _fail_high_score(state, best, beta)
    tt_store(pos, state, ply, best_move, best, raw_eval, _QUIESCENCE_DEPTH, bound, entry_tt_pv(tt_entry))
    return best


@inline
def enter_quiescence(pos, state, alpha, beta, ply):
    """The value of a node at the horizon of the search: quiescence, if it is on."""
    state.leaf_nodes += 1
    if not state.params.use_quiescence:
        return horizon_eval(pos, state, ply)
    return quiescence(pos, state, alpha, beta, ply, np.int64(state.params.use_quiescence_checks))
