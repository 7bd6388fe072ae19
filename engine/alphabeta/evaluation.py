"""Making moves with the evaluator kept up to date, and the static evaluation of a node."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import correct_eval
from engine.alphabeta.history import piece_to_index
from engine.alphabeta.node_entry import enter_node, is_draw
from engine.alphabeta.state import frame_at
from engine.alphabeta.tb import can_probe_tb, probe_tb_score
from engine.alphabeta.tt import TT_MISS, entry_eval, refine_by_tt, tt_prefetch
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

_HORIZON = np.int64(0)  # the remaining depth there


@kernel
def make_move(pos, state, ply, move):
    """Make `move` at `ply`, and update the frame and the evaluator."""
    frame, child = frame_at(state, ply), frame_at(state, ply + 1)
    if has_network(state.accumulators):
        push_move(pos, state.accumulators, ply, move)
    else:
        child.psq = psq_after(pos, state.weights, frame.psq, move)
    frame.piece_to = piece_to_index(pos, move)
    frame.move = move
    make(pos, move)
    state.nodes += 1


@kernel
def unmake_move(pos, move):
    """Unmake `move`, as a kernel of its own: inlined, it would make the node functions too large."""
    unmake(pos, move)


@kernel
def reset_eval_stack(pos, state, ply):
    """Start the evaluation's stacks at `ply` with a position that is unrelated to the plies before."""
    frame = frame_at(state, ply)
    if has_network(state.accumulators):
        reset_stack(state.accumulators, ply)
    else:
        frame.psq = psq_of(pos, state.weights)


@inline
def make_null_move(pos, state, ply, raw_eval):
    """Make a null move at `ply`, where the raw evaluation is `raw_eval`, and update the frame and the evaluator."""
    frame, child = frame_at(state, ply), frame_at(state, ply + 1)
    frame.piece_to = 0
    frame.move_history = 0
    make_null(pos)
    tt_prefetch(state.tt_address, state.tt_buckets, pos.key)
    child.moves_begin = frame.moves_begin
    if has_network(state.accumulators):
        push_null_move(state.accumulators, ply)
    else:
        child.psq = frame.psq
        cache_null_move_eval(pos, state.weights, state.cache, raw_eval)


@inline
def evaluate_raw(pos, state, ply):
    """The evaluator's score of `pos`, neither scaled nor corrected."""
    frame = frame_at(state, ply)
    if has_network(state.accumulators):
        return evaluate_network(pos, state.weights, state.accumulators, ply, state.cache)
    return evaluate(pos, state.weights, frame.psq, state.cache)


@kernel
def horizon_eval(pos, state, ply):
    """The value of a position at the horizon without quiescence: the result if it is known, else the evaluation."""
    enter_node(state, ply, _HORIZON)
    if is_draw(pos, state, ply):
        return DRAW
    if can_probe_tb(pos, state):
        known_score = probe_tb_score(pos, state, ply, _HORIZON)
        if known_score != NO_SCORE:
            return known_score
    checkers, pinned = checkers_and_pinned(pos)
    if generate(pos, None, np.int64(0), ALL_MOVES, checkers, pinned) == 0:
        return mated_in(ply) if checkers != EMPTY else DRAW
    return correct_eval(pos, state, ply, evaluate_raw(pos, state, ply))


@inline
def lazy_eval(pos, state, ply, tt_entry):
    """Lazy evaluation: current material and piece-square values, and everything else as it was before the last move.

    Costs next to nothing, and is seldom off by more than `lazy_margin`. NO_SCORE if the position is in the TT, which
    may hold its evaluation, or if the parent's evaluation is unknown.
    """
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    if tt_entry != TT_MISS or not state.params.use_lazy_evaluation or ply == 0:
        return NO_SCORE
    last = parent.positional_eval
    return psqt_score(pos, state.weights, frame.psq) - last if last != NO_SCORE else NO_SCORE


@inline
def tt_eval_or_evaluate(pos, state, ply, tt_entry):
    """The static evaluation, taken from the TT entry if it holds one."""
    frame = frame_at(state, ply)
    is_known = tt_entry != TT_MISS and entry_eval(tt_entry) != NO_SCORE
    score = entry_eval(tt_entry) if is_known else evaluate_raw(pos, state, ply)
    if has_network(state.accumulators):
        frame.positional_eval = NO_SCORE  # a network's score has no cheap part
    else:
        frame.positional_eval = score - psqt_score(pos, state.weights, frame.psq)
    return score


@inline
def evaluate_node(pos, state, ply, tt_entry, tt_score, in_check):
    """(the raw static evaluation, the best estimate of the score); sets the frame's `static_eval`, the corrected
    evaluation.

    In check all are NO_SCORE: an evaluation would mean nothing before the check is answered.
    """
    frame = frame_at(state, ply)
    if in_check:
        frame.static_eval = frame.positional_eval = NO_SCORE
        return NO_SCORE, NO_SCORE
    raw_eval = tt_eval_or_evaluate(pos, state, ply, tt_entry)
    static_eval = correct_eval(pos, state, ply, raw_eval)
    frame.static_eval = static_eval
    return raw_eval, refine_by_tt(state, tt_entry, tt_score, static_eval)


@inline
def is_improving(state, ply, in_check):
    """1 if the static evaluation has risen since the side's previous turns, or none of those is known; 0 if not, and if
    in check.
    """
    frame = frame_at(state, ply)
    if in_check:
        return np.int64(0)
    earlier = frame_at(state, ply - 2).static_eval if ply >= 2 else NO_SCORE
    if earlier == NO_SCORE:
        earlier = frame_at(state, ply - 4).static_eval if ply >= 4 else NO_SCORE
    return np.int64(earlier == NO_SCORE or frame.static_eval > earlier)
