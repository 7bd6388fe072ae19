"""Doors to kernels of the search that have no entry of their own, for tests only."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import correct_eval, maybe_update_correction, update_correction_history
from engine.alphabeta.evaluation import is_improving, lazy_eval, make_move, tt_eval_or_evaluate
from engine.alphabeta.history import (
    apply_eval_diff_bonus,
    apply_gravity,
    last_move_was_quiet,
    piece_to_index,
    set_threats,
    update_histories_on_cutoff,
    update_last_move_on_fail_low,
)
from engine.alphabeta.movepicker import (
    check_squares,
    discovered_check_candidates,
    init_move_picker,
    next_move,
    quiet_bonus,
    quiet_gives_check,
)
from engine.alphabeta.pruning import lazy_reverse_futility, next_probcut_move, prune_noisy, prune_quiet
from engine.alphabeta.see import flag_see_ok, see_ge
from engine.alphabeta.state import STATE_TYPE, frame_at
from engine.alphabeta.tb import probe_tb_score
from engine.alphabeta.tt import (
    TT_MISS,
    entry_bound,
    entry_depth,
    entry_eval,
    entry_move,
    entry_tt_pv,
    pack_entry,
    probe_entry,
    score_from_tt,
    score_to_tt,
    store_entry,
)
from engine.core.movegen import checkers_and_pinned
from engine.core.moves import NULL_MOVE
from engine.core.position import POSITION_TYPE, make, unmake
from engine.expectimax.opponent import expected_value
from engine.kernel import array_type, entry, int64, kernel, uint64


@entry(POSITION_TYPE, int64, int64)
def wins_exchange(pos, move, threshold):
    return see_ge(pos, move, threshold)


@entry(POSITION_TYPE, array_type("u2"), array_type("u1"))
def flag_moves(pos, moves, good):
    flag_see_ok(pos, moves, len(moves), good)


@kernel
def _perft_by_picker(pos, state, depth, ply, tt_move):
    if depth == 0:
        return np.int64(1)
    checkers, pinned = checkers_and_pinned(pos)
    init_move_picker(state, ply, tt_move)
    leaves = np.int64(0)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, np.int64(1))
        if move == NULL_MOVE:
            return leaves
        # Whatever comes by becomes a killer, a counter move and the next node's TT move: none may come twice.
        frame = frame_at(state, ply)
        frame.piece_to = piece_to_index(pos, move)
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = move
        make(pos, move)
        leaves += _perft_by_picker(pos, state, depth - 1, ply + 1, NULL_MOVE)
        unmake(pos, move)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def perft_by_picker(pos, state, depth, tt_move):
    frame_at(state, np.int64(0)).moves_begin = 0
    return _perft_by_picker(pos, state, depth, np.int64(0), tt_move)


@entry(int64, int64, int64, uint64, uint64)
def tt_store(address, buckets, generation, key, data):
    store_entry(address, buckets, generation, key, data)


@entry(int64, int64, int64, int64, int64, int64)
def tt_pack(move, score, static_eval, depth, bound, was_pv):
    return pack_entry(move, score, static_eval, depth, bound, was_pv)


@entry(int64, int64)
def tt_node_score(score, ply):
    return score_to_tt(score, ply)


@entry(int64, int64, uint64, int64)
def tt_probe(address, buckets, key, ply):
    """(found, move, score, static evaluation, depth, bound, whether it was in a principal variation)"""
    data = probe_entry(address, buckets, key)
    return (data != np.uint64(0), entry_move(data), score_from_tt(data, ply), entry_eval(data), entry_depth(data),
            entry_bound(data), entry_tt_pv(data))


@entry(array_type("f8"), array_type("f8"))
def average(probabilities, values):
    return expected_value(probabilities, values, np.int64(0), np.int64(len(values)))


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, array_type("i8"))
def moves_by_picker(pos, state, ply, tt_move, out):
    """Write the moves of a node in the order in which they would be searched; returns how many."""
    checkers, pinned = checkers_and_pinned(pos)
    init_move_picker(state, ply, tt_move)
    count = np.int64(0)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, np.int64(1))
        if move == NULL_MOVE:
            return count
        out[count] = move
        count += 1


@entry(POSITION_TYPE, STATE_TYPE, int64)
def slot_of_move(pos, state, move):
    return piece_to_index(pos, move)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64, int64)
def learn_cut(pos, state, ply, depth, best, quiets, noisies):
    update_histories_on_cutoff(pos, state, ply, depth, best, quiets, noisies)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def watch(pos, state, ply):
    """Note the threats against the side to move."""
    set_threats(pos, state, ply)


@entry(int64, int64, int64)
def moved_history(value, step, limit_bits):
    return apply_gravity(value, step, limit_bits)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def corrected(pos, state, ply, raw):
    return correct_eval(pos, state, ply, raw)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64)
def learn_error(pos, state, ply, depth, error):
    update_correction_history(pos, state, ply, depth, error)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def follows_quiet(pos, state, ply):
    return last_move_was_quiet(pos, state, ply)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def play_move(pos, state, ply, move):
    make_move(pos, state, ply, move)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64)
def learn_evaluation(pos, state, ply, before, now):
    apply_eval_diff_bonus(pos, state, ply, before, now)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def exact_and_lazy(pos, state, ply):
    """(the static evaluation, what lazy evaluation takes it for by the ply before)"""
    lazy = lazy_eval(pos, state, ply, TT_MISS)
    return tt_eval_or_evaluate(pos, state, ply, TT_MISS), lazy


@entry(POSITION_TYPE)
def squares_for_checks(pos):
    return check_squares(pos)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def hint_for(pos, state, move):
    set_threats(pos, state, np.int64(0))
    return quiet_bonus(pos, state.params, move, frame_at(state, np.int64(0)).attacked_by_lesser, check_squares(pos))


@entry(POSITION_TYPE, int64)
def is_quiet_check(pos, move):
    return quiet_gives_check(pos, move, check_squares(pos), discovered_check_candidates(pos))


@entry(STATE_TYPE, int64, int64)
def improves(state, ply, in_check):
    return is_improving(state, ply, in_check)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def score_by_tb(pos, state, ply, depth):
    return probe_tb_score(pos, state, ply, depth)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64)
def fails_high_by_lazy_eval(pos, state, depth, ply, beta):
    return lazy_reverse_futility(pos, state, depth, ply, beta, TT_MISS)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, array_type("i8"))
def probcut_moves(pos, state, ply, gain, out):
    """Write the moves that ProbCut tries; returns how many."""
    checkers, pinned = checkers_and_pinned(pos)
    init_move_picker(state, ply, NULL_MOVE)
    count = np.int64(0)
    while True:
        move = next_probcut_move(pos, state, ply, NULL_MOVE, checkers, pinned, gain)
        if move == NULL_MOVE:
            return count
        out[count] = move
        count += 1


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64, int64, int64, int64)
def prunes_quiet(pos, state, move, depth, reduction, improving, history, static_eval, alpha):
    return prune_quiet(pos, state, move, depth, reduction, improving, history, static_eval, alpha)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64, int64)
def prunes_noisy(pos, state, move, depth, static_eval, alpha, loses_material):
    return prune_noisy(pos, state, move, depth, static_eval, alpha, loses_material)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64)
def learn_fail_low(pos, state, ply, depth, best, old_alpha):
    update_last_move_on_fail_low(pos, state, ply, depth, best, old_alpha)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64, int64, int64)
def learn_surprise(pos, state, ply, depth, static_eval, best, best_move, bound):
    maybe_update_correction(pos, state, ply, depth, static_eval, best, best_move, bound)
