"""Histories: which moves were good in other nodes, and by how much static evaluations were wrong.

Quiet moves have a quiet history (by side, threats, from and to), a pawn history and continuation histories; captures
have a capture history. Correction histories keep by how much searches differed from the static evaluation.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.see import SEE_VALUES
from engine.alphabeta.state import CORRECTION_MASK, MAX_TRIED, PAWN_HISTORY_SIZE, PLY_MASK, frame_at
from engine.alphabeta.tt import is_more_informative
from engine.core.attacks import attacks_by_piece_value
from engine.core.bits import BISHOP, BIT, EMPTY, KNIGHT, NO_PIECE, PAWN, QUEEN, ROOK, popcount
from engine.core.legality import is_pseudo_legal
from engine.core.moves import (
    EN_PASSANT,
    NORMAL,
    NULL_MOVE,
    PROMOTION,
    from_square,
    move_type,
    promoted_type,
    to_square,
)
from engine.core.position import is_noisy
from engine.kernel import inline, kernel
from engine.search.scores import NO_SCORE, clamp_evaluation, is_decisive

HISTORY_BITS = np.int64(14)
HISTORY_LIMIT = np.int64(1) << HISTORY_BITS
# plies between a move and the earlier move of a continuation history
_CONTINUATION_OFFSETS = np.array([1, 2, 4], np.int64)
WEIGHT_BITS = np.int64(10)  # weights of histories are in 1024ths
_PAWN_MASK = np.uint64(PAWN_HISTORY_SIZE - 1)
_CORRECTION_BITS = np.int64(10)
_LARGEST_CORRECTION_BONUS = (np.int64(1) << _CORRECTION_BITS) // 4
_PAIR_MULTIPLIER = np.uint64(0x4F1)  # odd, so that no bit of the earlier move is lost
_WHOLE = np.int64(1024)
_SCALE_BITS = np.int64(14)  # a full entry with weight 1024 corrects by 64 centipawns


@inline
def apply_gravity(value, bonus, limit_bits):
    """History gravity: the update shrinks as the value approaches its limit, 1 << limit_bits, so that the value never
    exceeds it if `bonus` does not.
    """
    value = np.int64(value)
    return value + bonus - (value * abs(bonus) >> limit_bits)


@inline
def piece_to_index(pos, move):
    """The moving piece and its target square: the index of the move in most histories."""
    return np.int64(pos.board[from_square(move)]) * 64 + to_square(move)


@inline
def captured_type(pos, move):
    """The type of the piece that `move` captures; 0 for a quiet promotion."""
    return PAWN if move_type(move) == EN_PASSANT else np.int64(pos.board[to_square(move)]) & 7


@inline
def set_threats(pos, state, ply):
    """Set the squares that the other side attacks, for the history scores and bonuses of this node's quiet moves."""
    frame = frame_at(state, ply)
    by_pawns, by_minors, by_rooks, by_all = attacks_by_piece_value(pos, np.int64(pos.side) ^ 1)
    frame.threats = by_all if state.params.use_threats else EMPTY
    frame.attacked_by_lesser[0] = by_pawns
    frame.attacked_by_lesser[1] = by_minors
    frame.attacked_by_lesser[2] = by_rooks


@inline
def threat_index(threats, move):
    """Index of a quiet move's history by threats: whether it leaves an attacked square, and whether it goes to one."""
    return np.int64(threats >> from_square(move) & BIT) << 1 | np.int64(threats >> to_square(move) & BIT)


@inline
def pawn_history_row(pos, state):
    """The row of the pawn history. Row 0 if the pawn history is off: it is never written to then."""
    return np.int64(pos.pawn_key & _PAWN_MASK) * np.int64(state.params.use_pawn_history)


@inline
def quiet_history_score(pos, state, move, ply):
    """The history score of a quiet move."""
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    params, piece_to, threats = state.params, piece_to_index(pos, move), threat_index(frame.threats, move)
    plain = np.int64(state.quiet_history[pos.side, threats, move & 0xFFF]) if params.use_history else np.int64(0)
    weighted = np.int64(state.pawn_history[pawn_history_row(pos, state), piece_to]) * params.weight_pawn
    if params.use_continuation:
        history = state.continuation_history
        weighted += np.int64(history[parent.piece_to, piece_to]) * params.weight_last
        weighted += np.int64(history[frame_at(state, ply - 2).piece_to, piece_to]) * params.weight_second
        weighted += np.int64(history[frame_at(state, ply - 4).piece_to, piece_to]) * params.weight_fourth
    return plain + (weighted >> WEIGHT_BITS)


@inline
def capture_score(pos, state, move):
    """The ordering score of a capture or promotion: value of the victim, of the promotion, and capture history."""
    taken = captured_type(pos, move)
    score = 16 * SEE_VALUES[taken] + np.int64(state.capture_history[piece_to_index(pos, move), taken])
    flags = move_type(move)
    if flags >= PROMOTION:
        score += 16 * SEE_VALUES[QUEEN] if promoted_type(flags) == QUEEN else -HISTORY_LIMIT
    return score


@inline
def _add_quiet_history(state, side, ply, move, bonus):
    """Apply a bonus, or a malus if negative, to the quiet history of a move of `side` at `ply`."""
    frame = frame_at(state, ply)
    code, threats = move & 0xFFF, threat_index(frame.threats, move)
    entry = state.quiet_history[side, threats, code]
    state.quiet_history[side, threats, code] = apply_gravity(entry, bonus, state.params.history_bits)


@kernel
def _update_quiet_histories(pos, state, ply, move, bonus):
    piece_to = piece_to_index(pos, move)
    _add_quiet_history(state, np.int64(pos.side), ply, move, bonus)
    if state.params.use_pawn_history:
        row = pawn_history_row(pos, state)
        state.pawn_history[row, piece_to] = apply_gravity(state.pawn_history[row, piece_to], bonus, HISTORY_BITS)
    _update_continuation_history(state, ply, piece_to, bonus)


@kernel
def update_tt_move_history(pos, state, ply, depth, move):
    """Apply a bonus to the TT move of a node cut off by its TT score, if it is quiet here: keys may collide."""
    ply &= PLY_MASK
    if is_pseudo_legal(pos, move) and not is_noisy(pos, move):
        set_threats(pos, state, ply)
        _update_quiet_histories(pos, state, ply, move, min(state.params.history_bonus * depth,
                                                           state.params.history_bonus_max))


@kernel
def _update_continuation_history(state, ply, piece_to, bonus):
    """Apply a bonus, or a malus if negative, to a move as the continuation of the moves before it."""
    ply &= PLY_MASK
    for index in range(len(_CONTINUATION_OFFSETS)):
        before = np.int64(frame_at(state, ply - _CONTINUATION_OFFSETS[index]).piece_to)
        if before != 0:
            state.continuation_history[before, piece_to] = apply_gravity(state.continuation_history[before, piece_to],
                                                                         bonus,
                                                                         HISTORY_BITS)


@inline
def last_move_was_quiet(pos, state, ply):
    """Whether the other side's last move was made in this search and was quiet."""
    parent = frame_at(state, ply - 1)
    return (ply > 0 and parent.piece_to != 0 and pos.captured == NO_PIECE
            and move_type(np.int64(parent.move)) == NORMAL)


@kernel
def update_last_move_history(pos, state, ply, bonus):
    """Apply a bonus, or a malus if negative, to the other side's last move, which was quiet."""
    ply &= PLY_MASK
    parent = frame_at(state, ply - 1)
    _add_quiet_history(state, np.int64(pos.side) ^ 1, ply - 1, np.int64(parent.move), bonus)
    before, piece_to = np.int64(frame_at(state, ply - 2).piece_to), np.int64(parent.piece_to)
    if before != 0:
        state.continuation_history[before, piece_to] = apply_gravity(state.continuation_history[before, piece_to],
                                                                     bonus,
                                                                     HISTORY_BITS)


@kernel
def apply_eval_diff_bonus(pos, state, ply, before, now):
    """Apply a bonus to the last move by how much it changed the static evaluation, which was `before` for its side and
    is `now` for the side to move.
    """
    change = -(before + now) * state.params.history_evaluation
    limit = state.params.history_bonus_max
    update_last_move_history(pos, state, ply, min(max(change, -limit), limit))


@kernel
def _update_capture_history(pos, state, move, bonus):
    if not state.params.use_history:
        return
    piece_to, taken = piece_to_index(pos, move), captured_type(pos, move)
    state.capture_history[piece_to, taken] = apply_gravity(state.capture_history[piece_to, taken], bonus, HISTORY_BITS)


@kernel
def update_histories_on_cutoff(pos, state, ply, depth, best, quiets, noisies):
    """Apply a bonus to `best`, which caused a beta cutoff, and a malus to the moves tried before it: to `noisies`
    captures, and to `quiets` quiet moves if `best` is quiet.
    """
    ply &= PLY_MASK
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    bonus = min(state.params.history_bonus * depth, state.params.history_bonus_max)
    malus = -min(state.params.history_malus * depth, state.params.history_bonus_max)
    if is_noisy(pos, best):
        _update_capture_history(pos, state, best, bonus)
    else:
        if frame.killers[0] != best:
            frame.killers[1] = frame.killers[0]
            frame.killers[0] = best
        state.counter_moves[parent.piece_to] = best
        _update_quiet_histories(pos, state, ply, best, bonus)
        for index in range(quiets):
            _update_quiet_histories(pos, state, ply, np.int64(state.tried_quiets[ply, index]), malus)
    for index in range(noisies):
        _update_capture_history(pos, state, np.int64(state.tried_noisies[ply, index]), malus)


@inline
def _correction_index(key):
    return np.int64(key & CORRECTION_MASK)


@inline
def _continuation_correction_index(state, ply):
    """Index of the correction by the last two moves, hashed: a table of all pairs would not fit into the cache."""
    parent = frame_at(state, ply - 1)
    before, last = np.uint64(frame_at(state, ply - 2).piece_to), np.uint64(parent.piece_to)
    return np.int64((before * _PAIR_MULTIPLIER ^ last) & CORRECTION_MASK)


@inline
def _scale_eval(pos, params, raw):
    """`raw` scaled by material, and towards 0 as the fifty-move rule draws closer."""
    if params.use_material_scaling:
        material = (popcount(pos.types[PAWN]) + 3 * popcount(pos.types[KNIGHT] | pos.types[BISHOP])
                    + 5 * popcount(pos.types[ROOK]) + 9 * popcount(pos.types[QUEEN]))
        raw = raw * (params.material_base + params.material_factor * material) // _WHOLE
    if params.use_rule50_scaling:
        raw -= raw * np.int64(pos.rule50) // params.rule50_divisor
    return raw


@kernel
def correct_eval(pos, state, ply, raw):
    """The static evaluation: `raw`, scaled, plus the correction histories."""
    us, params = np.int64(pos.side), state.params
    raw = _scale_eval(pos, params, raw)
    if not params.use_correction:
        return clamp_evaluation(raw)
    total = params.correction_pawn * np.int64(state.pawn_correction[us, _correction_index(pos.pawn_key)])
    for color in range(2):
        entry = np.int64(state.non_pawn_correction[us, color, _correction_index(pos.non_pawn_keys[color])])
        total += params.correction_non_pawn * entry
    recent = np.int64(state.continuation_correction[_continuation_correction_index(state, ply)])
    total += params.correction_continuation * recent
    return clamp_evaluation(raw + (total >> _SCALE_BITS))


@kernel
def update_correction_history(pos, state, ply, depth, error):
    """Update the correction histories: a search to `depth` returned a score `error` above the static evaluation."""
    parent = frame_at(state, ply - 1)
    bonus = min(max(error * depth // 8, -_LARGEST_CORRECTION_BONUS), _LARGEST_CORRECTION_BONUS)
    us = np.int64(pos.side)
    piece_to = _correction_index(pos.pawn_key)
    state.pawn_correction[us, piece_to] = apply_gravity(state.pawn_correction[us, piece_to], bonus, _CORRECTION_BITS)
    for color in range(2):
        piece_to = _correction_index(pos.non_pawn_keys[color])
        entry = state.non_pawn_correction[us, color, piece_to]
        state.non_pawn_correction[us, color, piece_to] = apply_gravity(entry, bonus, _CORRECTION_BITS)
    if parent.piece_to != 0:
        piece_to = _continuation_correction_index(state, ply)
        state.continuation_correction[piece_to] = apply_gravity(state.continuation_correction[piece_to], bonus,
                                                                _CORRECTION_BITS)


@inline
def update_last_move_by_eval(pos, state, ply, excluded):
    """Update the histories of the last move, if it was quiet, by how it changed the static evaluation."""
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    if (state.params.use_history and excluded == NULL_MOVE and last_move_was_quiet(pos, state, ply)
            and frame.static_eval != NO_SCORE and parent.static_eval != NO_SCORE):
        apply_eval_diff_bonus(pos, state, ply, np.int64(parent.static_eval), np.int64(frame.static_eval))


@inline
def add_tried_move(state, ply, move, is_quiet, quiets, noisies):
    """Add a move that caused no cutoff to the tried moves; returns the number of quiet and of noisy ones."""
    if is_quiet:
        if quiets < MAX_TRIED:
            state.tried_quiets[ply, quiets] = move
            quiets += 1
    elif noisies < MAX_TRIED:
        state.tried_noisies[ply, noisies] = move
        noisies += 1
    return quiets, noisies


@inline
def update_last_move_on_fail_low(pos, state, ply, depth, best, old_alpha):
    """If the node fails low, apply a bonus to the last move if it was quiet."""
    params = state.params
    if params.use_history and best <= old_alpha and last_move_was_quiet(pos, state, ply):
        update_last_move_history(pos, state, ply, min(params.history_fail_low * depth, params.history_bonus_max))


@inline
def update_history_on_tt_cutoff(pos, state, ply, depth, move, tt_score, beta):
    """Apply a bonus to the quiet TT move of a node that its TT score cuts off: it would have been best again."""
    if state.params.use_tt_history and tt_score >= beta and move != NULL_MOVE:
        update_tt_move_history(pos, state, ply, depth, move)


@inline
def maybe_update_correction(pos, state, ply, depth, static_eval, best, best_move, bound):
    """Learn a correction if the search refutes the static evaluation and the best move is not a capture."""
    if (state.params.use_correction and static_eval != NO_SCORE and not is_decisive(best)
            and (best_move == NULL_MOVE or not is_noisy(pos, best_move)) and is_more_informative(bound, best,
                                                                                                 static_eval)):
        update_correction_history(pos, state, ply, depth, best - static_eval)
