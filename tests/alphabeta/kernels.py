"""Doors to kernels of the search that have no entry of their own, for tests only."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import corrected_eval, learn_correction
from engine.alphabeta.exchange import flag_sound_moves, see_reaches
from engine.alphabeta.gravity import moved
from engine.alphabeta.hints import checking_squares, checks, discovering_men, hint
from engine.alphabeta.ordering import (
    is_after_quiet,
    learn_from_cut,
    learn_from_evaluation,
    move_slot,
    next_move,
    note_threats,
    start_picking,
)
from engine.alphabeta.state import BEFORE_ROOT, STATE_TYPE
from engine.alphabeta.steps import known_or_new_evaluation, lazy_score, play
from engine.alphabeta.techniques import is_improving
from engine.alphabeta.transpositions import (
    MISS,
    entry_bound,
    entry_depth,
    entry_eval,
    entry_move,
    entry_score,
    entry_was_pv,
    node_score,
    pack,
    probe,
    store,
)
from engine.core.movegen import king_masks
from engine.core.moves import NULL_MOVE
from engine.core.position import POSITION_TYPE, make, unmake
from engine.expectimax.opponent import expected_value
from engine.kernel import array_type, entry, int64, kernel, uint64


@entry(POSITION_TYPE, int64, int64)
def wins_exchange(pos, move, threshold):
    return see_reaches(pos, move, threshold)


@entry(POSITION_TYPE, array_type("u2"), array_type("u1"))
def flag_moves(pos, moves, good):
    flag_sound_moves(pos, moves, len(moves), good)


@kernel
def _perft_by_picker(pos, state, depth, ply, tt_move):
    if depth == 0:
        return np.int64(1)
    checkers, pinned = king_masks(pos)
    start_picking(state, ply, tt_move)
    leaves = np.int64(0)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, np.int64(1))
        if move == NULL_MOVE:
            return leaves
        # Whatever comes by becomes a killer, a counter move and the next node's TT move: none may come twice.
        state.slots[BEFORE_ROOT + ply] = move_slot(pos, move)
        state.killers[ply, 1] = state.killers[ply, 0]
        state.killers[ply, 0] = move
        make(pos, move)
        leaves += _perft_by_picker(pos, state, depth - 1, ply + 1, NULL_MOVE)
        unmake(pos, move)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def perft_by_picker(pos, state, depth, tt_move):
    state.begin[0] = 0
    return _perft_by_picker(pos, state, depth, np.int64(0), tt_move)


@entry(int64, int64, int64, uint64, uint64)
def tt_store(address, buckets, generation, key, data):
    store(address, buckets, generation, key, data)


@entry(int64, int64, int64, int64, int64, int64)
def tt_pack(move, score, static_eval, depth, bound, was_pv):
    return pack(move, score, static_eval, depth, bound, was_pv)


@entry(int64, int64)
def tt_node_score(score, ply):
    return node_score(score, ply)


@entry(int64, int64, uint64, int64)
def tt_probe(address, buckets, key, ply):
    """(found, move, score, static evaluation, depth, bound, whether it was in a principal variation)"""
    data = probe(address, buckets, key)
    return (data != np.uint64(0), entry_move(data), entry_score(data, ply), entry_eval(data), entry_depth(data),
            entry_bound(data), entry_was_pv(data))


@entry(array_type("f8"), array_type("f8"))
def average(probabilities, values):
    return expected_value(probabilities, values, np.int64(0), np.int64(len(values)))


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, array_type("i8"))
def moves_by_picker(pos, state, ply, tt_move, out):
    """Write the moves of a node in the order in which they would be searched; returns how many."""
    checkers, pinned = king_masks(pos)
    start_picking(state, ply, tt_move)
    count = np.int64(0)
    while True:
        move = next_move(pos, state, ply, tt_move, checkers, pinned, np.int64(1))
        if move == NULL_MOVE:
            return count
        out[count] = move
        count += 1


@entry(POSITION_TYPE, STATE_TYPE, int64)
def slot_of_move(pos, state, move):
    return move_slot(pos, move)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64, int64)
def learn_cut(pos, state, ply, depth, best, quiets, noisies):
    learn_from_cut(pos, state, ply, depth, best, quiets, noisies)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def watch(pos, state, ply):
    """Note the threats against the side to move."""
    note_threats(pos, state, ply)


@entry(int64, int64, int64)
def moved_history(value, step, limit_bits):
    return moved(value, step, limit_bits)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def corrected(pos, state, ply, raw):
    return corrected_eval(pos, state, ply, raw)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64)
def learn_error(pos, state, ply, depth, error):
    learn_correction(pos, state, ply, depth, error)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def follows_quiet(pos, state, ply):
    return is_after_quiet(pos, state, ply)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def play_move(pos, state, ply, move):
    play(pos, state, ply, move)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64)
def learn_evaluation(pos, state, ply, before, now):
    learn_from_evaluation(pos, state, ply, before, now)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def exact_and_lazy(pos, state, ply):
    """(the static evaluation, what lazy evaluation takes it for by the ply before)"""
    lazy = lazy_score(pos, state, ply, MISS)
    return known_or_new_evaluation(pos, state, ply, MISS), lazy


@entry(POSITION_TYPE)
def squares_for_checks(pos):
    return checking_squares(pos)


@entry(POSITION_TYPE, STATE_TYPE, int64)
def hint_for(pos, state, move):
    note_threats(pos, state, np.int64(0))
    return hint(pos, state.params, move, state.danger[0], checking_squares(pos))


@entry(POSITION_TYPE, int64)
def is_quiet_check(pos, move):
    return checks(pos, move, checking_squares(pos), discovering_men(pos))


@entry(STATE_TYPE, int64, int64)
def improves(state, ply, in_check):
    return is_improving(state, ply, in_check)
