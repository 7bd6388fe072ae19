"""Histories: which moves were good in other nodes.

Quiet moves have a quiet history (by side, threats, from and to), a pawn history and continuation histories; captures
have a capture history. How wrong evaluations were is in correction.py.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.params import ONE_BITS
from engine.alphabeta.see import SEE_VALUES
from engine.alphabeta.state import MAX_TRIED, PAWN_HISTORY_SIZE, PLY_MASK, frame_at
from engine.core.attacks import attacks_by_piece_value
from engine.core.bits import BIT, EMPTY, NO_PIECE, PAWN, QUEEN
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
from engine.search.scores import NO_SCORE

HISTORY_BITS = np.int64(14)
HISTORY_LIMIT = np.int64(1) << HISTORY_BITS
_CONTINUATION_OFFSETS = np.array([1, 2, 4], np.int64)  # plies from a move back to those that it continues
_FROM_TO_MASK = np.int64(0xFFF)
_PAWN_MASK = np.uint64(PAWN_HISTORY_SIZE - 1)


@inline
def apply_gravity(value, bonus, limit_bits):
    """History gravity: the update shrinks as the value approaches its limit, 1 << limit_bits, so that the value never
    exceeds it if `bonus` does not.
    """
    value = np.int64(value)
    return value + bonus - (value * abs(bonus) >> limit_bits)


@inline
def _depth_bonus(params, rate, depth):
    """The size of a bonus or malus: `rate` for each ply of depth, up to `history_bonus_max`."""
    return min(rate * depth, params.history_bonus_max)


# Indices and scores.


@inline
def piece_to_index(pos, move):
    """The moving piece and its target square: the index of the move in most histories."""
    return np.int64(pos.board[from_square(move)]) * 64 + to_square(move)


@inline
def from_to(move):
    """The squares of a move: its index in the quiet history."""
    return move & _FROM_TO_MASK


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
    plain = np.int64(state.quiet_history[pos.side, threats, from_to(move)]) if params.use_history else np.int64(0)
    weighted = np.int64(state.pawn_history[pawn_history_row(pos, state), piece_to]) * params.weight_pawn
    if params.use_continuation:
        history = state.continuation_history
        weighted += np.int64(history[parent.piece_to, piece_to]) * params.weight_last
        weighted += np.int64(history[frame_at(state, ply - 2).piece_to, piece_to]) * params.weight_second
        weighted += np.int64(history[frame_at(state, ply - 4).piece_to, piece_to]) * params.weight_fourth
    return plain + (weighted >> ONE_BITS)


@inline
def capture_history_score(pos, state, move):
    """The history score of a capture or promotion."""
    return np.int64(state.capture_history[piece_to_index(pos, move), captured_type(pos, move)])


@inline
def capture_score(pos, state, move):
    """The ordering score of a capture or promotion: value of the victim, of the promotion, and capture history."""
    taken, weight = captured_type(pos, move), state.params.capture_victim
    score = weight * SEE_VALUES[taken] + capture_history_score(pos, state, move)
    flags = move_type(move)
    if flags >= PROMOTION:
        score += weight * SEE_VALUES[QUEEN] if promoted_type(flags) == QUEEN else -HISTORY_LIMIT
    return score


# Updates: a bonus, or a malus if it is negative.


@inline
def _add_quiet_history(state, side, ply, move, bonus):
    """Apply a bonus to the quiet history of a move of `side` at `ply`."""
    code, threats = from_to(move), threat_index(frame_at(state, ply).threats, move)
    entry = state.quiet_history[side, threats, code]
    state.quiet_history[side, threats, code] = apply_gravity(entry, bonus, state.params.history_bits)


@inline
def _add_continuation_history(state, before, piece_to, bonus):
    """Apply a bonus to a move as the continuation of `before`; nothing changes if that is 0, no move."""
    if before != 0:
        entry = state.continuation_history[before, piece_to]
        state.continuation_history[before, piece_to] = apply_gravity(entry, bonus, HISTORY_BITS)


@kernel
def _update_continuation_history(state, ply, piece_to, bonus):
    """Apply a bonus to a move as the continuation of the moves before it."""
    ply &= PLY_MASK
    for offset in _CONTINUATION_OFFSETS:
        _add_continuation_history(state, np.int64(frame_at(state, ply - offset).piece_to), piece_to, bonus)


@kernel
def _update_quiet_histories(pos, state, ply, move, bonus):
    """Apply a bonus to a quiet move of the side to move at `ply`, in all histories of quiet moves."""
    piece_to = piece_to_index(pos, move)
    _add_quiet_history(state, np.int64(pos.side), ply, move, bonus)
    if state.params.use_pawn_history:
        row = pawn_history_row(pos, state)
        state.pawn_history[row, piece_to] = apply_gravity(state.pawn_history[row, piece_to], bonus, HISTORY_BITS)
    _update_continuation_history(state, ply, piece_to, bonus)


@kernel
def _add_tt_cutoff_bonus(pos, state, ply, depth, move):
    """Apply a bonus to the TT move of a node cut off by its TT score, if it is quiet here: keys may collide."""
    ply &= PLY_MASK
    if is_pseudo_legal(pos, move) and not is_noisy(pos, move):
        set_threats(pos, state, ply)
        bonus = _depth_bonus(state.params, state.params.history_bonus, depth)
        _update_quiet_histories(pos, state, ply, move, bonus)


@inline
def last_move_was_quiet(pos, state, ply):
    """Whether the other side's last move was made in this search and was quiet."""
    parent = frame_at(state, ply - 1)
    return (ply > 0 and parent.piece_to != 0 and pos.captured == NO_PIECE
            and move_type(np.int64(parent.move)) == NORMAL)


@kernel
def update_last_move_history(pos, state, ply, bonus):
    """Apply a bonus to the other side's last move, which was quiet."""
    ply &= PLY_MASK
    parent = frame_at(state, ply - 1)
    _add_quiet_history(state, np.int64(pos.side) ^ 1, ply - 1, np.int64(parent.move), bonus)
    before, piece_to = np.int64(frame_at(state, ply - 2).piece_to), np.int64(parent.piece_to)
    _add_continuation_history(state, before, piece_to, bonus)


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
    """Apply a bonus to a capture or promotion."""
    if not state.params.use_history:
        return
    piece_to, taken = piece_to_index(pos, move), captured_type(pos, move)
    state.capture_history[piece_to, taken] = apply_gravity(state.capture_history[piece_to, taken], bonus, HISTORY_BITS)


@kernel
def update_histories_on_cutoff(pos, state, ply, depth, best, quiet_count, noisy_count):
    """Apply a bonus to `best`, which caused a beta cutoff, and a malus to the moves tried before it: to the captures,
    and to the quiet moves if `best` is quiet.
    """
    ply &= PLY_MASK
    frame, parent, params = frame_at(state, ply), frame_at(state, ply - 1), state.params
    bonus, malus = _depth_bonus(params, params.history_bonus, depth), -_depth_bonus(params, params.history_malus, depth)
    if is_noisy(pos, best):
        _update_capture_history(pos, state, best, bonus)
    else:
        if frame.killers[0] != best:
            frame.killers[1] = frame.killers[0]
            frame.killers[0] = best
        state.counter_moves[parent.piece_to] = best
        _update_quiet_histories(pos, state, ply, best, bonus)
        for index in range(quiet_count):
            _update_quiet_histories(pos, state, ply, np.int64(state.tried_quiets[ply, index]), malus)
    for index in range(noisy_count):
        _update_capture_history(pos, state, np.int64(state.tried_noisies[ply, index]), malus)


@inline
def update_last_move_by_eval(pos, state, ply, excluded):
    """Update the histories of the last move, if it was quiet, by how it changed the static evaluation."""
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    if (state.params.use_history and excluded == NULL_MOVE and last_move_was_quiet(pos, state, ply)
            and frame.static_eval != NO_SCORE and parent.static_eval != NO_SCORE):
        apply_eval_diff_bonus(pos, state, ply, np.int64(parent.static_eval), np.int64(frame.static_eval))


@inline
def add_tried_move(state, ply, move, is_quiet, quiet_count, noisy_count):
    """Add a move that caused no cutoff to the tried moves; returns the number of quiet and of noisy ones."""
    if is_quiet:
        if quiet_count < MAX_TRIED:
            state.tried_quiets[ply, quiet_count] = move
            quiet_count += 1
    elif noisy_count < MAX_TRIED:
        state.tried_noisies[ply, noisy_count] = move
        noisy_count += 1
    return quiet_count, noisy_count


@inline
def update_last_move_on_fail_low(pos, state, ply, depth, best, old_alpha):
    """If the node fails low, apply a bonus to the last move if it was quiet."""
    params = state.params
    if params.use_history and best <= old_alpha and last_move_was_quiet(pos, state, ply):
        update_last_move_history(pos, state, ply, _depth_bonus(params, params.history_fail_low, depth))


@inline
def update_history_on_tt_cutoff(pos, state, ply, depth, move, tt_score, beta):
    """Apply a bonus to the quiet TT move of a node that its TT score cuts off: it would have been best again."""
    if state.params.use_tt_history and tt_score >= beta and move != NULL_MOVE:
        _add_tt_cutoff_bonus(pos, state, ply, depth, move)
