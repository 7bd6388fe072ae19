"""What nodes of the search and of quiescence share: limits, draws, probing tables, the evaluation, the line."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import correct_eval
from engine.alphabeta.ordering import piece_to_index
from engine.alphabeta.state import ROOT_OFFSET
from engine.alphabeta.transpositions import (
    EXACT,
    LOWER,
    TT_MISS,
    UPPER,
    entry_bound,
    entry_eval,
    pack_entry,
    probe_entry,
    score_from_tt,
    score_to_tt,
    store_entry,
    tt_prefetch,
)
from engine.core.bits import BISHOP, EMPTY, KNIGHT, QUEEN, ROOK, popcount
from engine.core.draws import is_fifty_moves, is_insufficient_material, is_repetition
from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.moves import NULL_MOVE
from engine.core.position import make, make_null, occupied_squares, unmake
from engine.kernel import inline, kernel
from engine.kernel.intrinsics import load_atomic, perf_counter_ns
from engine.search.scores import DRAW, NO_SCORE, is_decisive, mated_in, tb_win_in
from eval.evaluate import cache_null_move_eval, evaluate, psqt_score
from eval.network.accumulators import push_move, push_null_move, reset_stack
from eval.network.memory import has_network
from eval.network.score import evaluate_network
from eval.squares import psq_after, psq_of
from tablebase.codes import OUTCOME_DRAW, OUTCOME_LOSS, OUTCOME_WIN, UNKNOWN
from tablebase.probe import directory_at, has_castling_or_ep, outcome_with_rule50
from tablebase.syzygy.probe import probe_wdl
from tablebase.syzygy.records import NO_VALUE, SURE_LOSS, SURE_WIN, syzygy_at

_POLL_INTERVAL = np.int64(2048)  # nodes between two readings of the clock
_LONG_FIRST_ITERATION = np.int64(10_000)  # nodes


@kernel
def check_limits(state):
    """Check the node limit, the clock and the stop flag, and set `stopped` if the search has to end.

    The clock and the stop flag do not end the first iteration, which takes microseconds: without it there would be no
    move worth playing. The exception is an explosion of captures, as with dozens of queens.
    """
    state.next_poll = min(state.nodes + _POLL_INTERVAL, state.node_limit)
    is_over = perf_counter_ns() >= state.deadline or load_atomic(state.stop_address) != 0
    may_end = state.root_depth > 1 or state.nodes >= _LONG_FIRST_ITERATION
    if state.nodes >= state.node_limit or (is_over and may_end):
        state.stopped = 1


@inline
def enter_node(state, ply):
    """Enter a node, whose line is empty so far; returns whether the search has to end, checked every few nodes."""
    if state.nodes >= state.next_poll:
        check_limits(state)
    state.pv_length[ply] = 0
    state.seldepth = max(state.seldepth, ply)
    return state.stopped != 0


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


@inline
def is_draw(pos, state, ply):
    """Whether the position is a draw by rule, or by a repetition within the searched line."""
    if is_fifty_moves(pos):
        checkers, pinned = checkers_and_pinned(pos)
        begin = np.int64(state.moves_begin[ply])
        # Mate takes precedence over the draw.
        if checkers == EMPTY or generate(pos, state.move_list, begin, ALL_MOVES, checkers, pinned) > begin:
            return True
    return is_insufficient_material(pos) or is_repetition(pos, ply)


@inline
def tt_probe(pos, state):
    if not state.params.use_tt:
        return TT_MISS
    return probe_entry(state.tt_address, state.tt_buckets, pos.key)


@inline
def tt_lookup(pos, state, ply):
    """(the entry of the transposition table or MISS, its score or NO_SCORE)."""
    data = tt_probe(pos, state)
    return data, (score_from_tt(data, ply) if data != TT_MISS else NO_SCORE)


@inline
def tt_store(pos, state, ply, move, score, static_eval, depth, bound, was_pv):
    if state.params.use_tt:
        data = pack_entry(move, score_to_tt(score, ply), static_eval, depth, bound, was_pv)
        store_entry(state.tt_address, state.tt_buckets, state.tt_generation, pos.key, data)


@inline
def tt_score_is_usable(pos, params):
    """Whether scores of the TT may cut: not close to a draw by the fifty-move rule, of which they know nothing."""
    return params.use_tt_cutoffs and pos.rule50 < params.tt_rule50


@inline
def bound_cuts(bound, score, alpha, beta):
    """Whether a stored bound is enough for a cut-off in this window."""
    return bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)


@inline
def is_more_informative(bound, score, reference):
    """Whether a score with this bound is better than the estimate `reference`: exact, or a bound beyond it."""
    return bound == EXACT or (bound == LOWER and score > reference) or (bound == UPPER and score < reference)


@inline
def can_probe_tb(pos, state):
    """Whether few enough men are left for the endgame tables."""
    return popcount(occupied_squares(pos)) <= state.tb.max_pieces


@inline
def _can_probe_syzygy(pos, tb, depth):
    """Whether to probe Syzygy: its values hold right after a capture or pawn move, and a probe may read from disk."""
    men = popcount(occupied_squares(pos))
    is_worth_it = men < tb.syzygy_max_pieces or (men == tb.syzygy_max_pieces and depth >= tb.syzygy_depth)
    return (tb.syzygy_address != 0 and depth > 0 and is_worth_it and not has_castling_or_ep(pos)
            and (pos.rule50 == 0 or not tb.use_rule50))


@inline
def _probe_syzygy_wdl(pos, state, ply):
    tb = state.tb
    value = probe_wdl(pos, syzygy_at(tb.syzygy_address), tb.own_address, tb.own_max_pieces, state.move_list,
                      np.int64(state.moves_begin[ply]), state.tb_scratch, SURE_LOSS, SURE_WIN)
    if value == NO_VALUE:
        return UNKNOWN
    if value == 0 or (tb.use_rule50 and abs(value) < SURE_WIN):
        return OUTCOME_DRAW
    return OUTCOME_WIN if value > 0 else OUTCOME_LOSS


@kernel
def probe_tb_score(pos, state, ply, depth):
    """The score of an ending by the endgame tables, or NO_SCORE; wins and losses are scored by ply, not by distance."""
    tb = state.tb
    outcome = UNKNOWN
    if popcount(occupied_squares(pos)) <= tb.own_max_pieces:
        outcome = outcome_with_rule50(pos, directory_at(tb.own_address))
    if outcome == UNKNOWN and _can_probe_syzygy(pos, tb, depth):
        outcome = _probe_syzygy_wdl(pos, state, ply)
    if outcome == UNKNOWN:
        return NO_SCORE
    state.tb_hits += 1
    if outcome == OUTCOME_DRAW:
        return DRAW
    return tb_win_in(ply) if outcome == OUTCOME_WIN else -tb_win_in(ply)


@inline
def has_non_pawn_material(pos):
    """Whether the side to move has more than king and pawns; otherwise zugzwang is likely."""
    own = pos.colors[pos.side]
    return own & (pos.types[KNIGHT] | pos.types[BISHOP] | pos.types[ROOK] | pos.types[QUEEN]) != EMPTY


@inline
def legal_or_null(pos, move, checkers, pinned):
    """`move` if it is legal here, else NULL_MOVE: keys may collide, and entries may be torn."""
    if move != NULL_MOVE and is_pseudo_legal(pos, move) and is_legal(pos, move, checkers, pinned):
        return move
    return NULL_MOVE


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


@inline
def refine_by_tt(state, data, tt_score, estimate):
    """`estimate`, or the TT score if its bound makes it the better one."""
    if (data != TT_MISS and state.params.use_tt_cutoffs and not is_decisive(tt_score)
            and is_more_informative(entry_bound(data), tt_score, estimate)):
        return tt_score
    return estimate


@inline
def update_pv(state, ply, move):
    """Prepend `move` to the line of the next ply."""
    length = state.pv_length[ply + 1]
    state.pv[ply, 0] = move
    for index in range(length):
        state.pv[ply, index + 1] = state.pv[ply + 1, index]
    state.pv_length[ply] = length + 1
