"""What nodes of the search and of quiescence share: limits, draws, probing tables, the evaluation, the line."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.history import correct_eval, piece_to_index
from engine.alphabeta.node_entry import (
    is_draw,
)
from engine.alphabeta.state import ROOT_OFFSET
from engine.alphabeta.tb import (
    can_probe_tb,
    probe_tb_score,
)
from engine.alphabeta.tt import (
    TT_MISS,
    entry_eval,
    refine_by_tt,
    tt_prefetch,
)
from engine.core.bits import EMPTY
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.position import make, make_null, unmake
from engine.kernel import inline, kernel
from engine.search.scores import DRAW, NO_SCORE, mated_in
from eval.evaluate import cache_null_move_eval, evaluate, psqt_score
from eval.network.accumulators import push_move, push_null_move, reset_stack
from eval.network.evaluate import evaluate_network
from eval.network.memory import has_network
from eval.psqt import psq_after, psq_of


@kernel
def make_move(pos, state, ply, move):
    """Make `move` at `ply`, and update what the search keeps besides the position."""
    if has_network(state.accumulators):
        push_move(pos, state.accumulators, ply, move)
    else:
        state.psq[ply + 1] = psq_after(pos, state.weights, state.psq[ply], move)
    state.piece_to[ROOT_OFFSET + ply] = piece_to_index(pos, move)
    state.played_moves[ply] = move
    make(pos, move)
    state.nodes += 1


@kernel
def unmake_move(pos, move):
    """Unmake `move`, as a kernel of its own: inlined, it would make the node functions too large."""
    unmake(pos, move)


@kernel
def reset_eval_stack(pos, state, ply):
    """Start the evaluation's stacks at `ply` with a position that is unrelated to the plies before."""
    if has_network(state.accumulators):
        reset_stack(state.accumulators, ply)
    else:
        state.psq[ply] = psq_of(pos, state.weights)


@inline
def make_null_move(pos, state, ply, raw_eval):
    """Make a null move at `ply`, where the static evaluation is `raw_eval`, and update what the search keeps."""
    state.piece_to[ROOT_OFFSET + ply] = 0
    make_null(pos)
    tt_prefetch(state.tt_address, state.tt_buckets, pos.key)
    state.moves_begin[ply + 1] = state.moves_begin[ply]
    if has_network(state.accumulators):
        push_null_move(state.accumulators, ply)
    else:
        state.psq[ply + 1] = state.psq[ply]
        cache_null_move_eval(pos, state.weights, state.cache, raw_eval)


@inline
def evaluate_raw(pos, state, ply):
    if has_network(state.accumulators):
        return evaluate_network(pos, state.weights, state.accumulators, ply, state.cache)
    return evaluate(pos, state.weights, state.psq[ply], state.cache)


@kernel
def horizon_eval(pos, state, ply):
    """The value of a position at the horizon without quiescence: the result if it is known, else the evaluation."""
    state.pv_length[ply] = 0
    state.seldepth = max(state.seldepth, ply)
    if is_draw(pos, state, ply):
        return DRAW
    if can_probe_tb(pos, state):
        known_score = probe_tb_score(pos, state, ply, np.int64(0))
        if known_score != NO_SCORE:
            return known_score
    checkers, pinned = checkers_and_pinned(pos)
    if generate(pos, None, np.int64(0), ALL_MOVES, checkers, pinned) == 0:
        return mated_in(ply) if checkers != EMPTY else DRAW
    return correct_eval(pos, state, ply, evaluate_raw(pos, state, ply))


@inline
def lazy_eval(pos, state, ply, data):
    """Lazy evaluation: current material and piece-square values, and everything else as it was before the last move.

    Costs next to nothing, and is seldom off by more than `lazy_margin`. NO_SCORE if the position is in the TT, which
    may hold its evaluation, or if the parent's evaluation is unknown.
    """
    if data != TT_MISS or not state.params.use_lazy_evaluation or ply == 0:
        return NO_SCORE
    last = state.positional_evals[ply - 1]
    return psqt_score(pos, state.weights, state.psq[ply]) - last if last != NO_SCORE else NO_SCORE


@inline
def tt_eval_or_evaluate(pos, state, ply, data):
    """The static evaluation, taken from the TT entry `data` if it holds one."""
    is_known = data != TT_MISS and entry_eval(data) != NO_SCORE
    score = entry_eval(data) if is_known else evaluate_raw(pos, state, ply)
    if has_network(state.accumulators):
        state.positional_evals[ply] = NO_SCORE  # a network's score has no cheap part
    else:
        state.positional_evals[ply] = score - psqt_score(pos, state.weights, state.psq[ply])
    return score


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
