"""Move ordering: the better the order, the more alpha-beta can cut.

The picker hands out moves one by one and generates them as late as possible: first the TT move, then captures that
do not lose material, killers and the counter move, quiet moves by histories and hints, and losing captures last. A node
that is cut off by the TT move never generates any.

Without `use_ordering` all moves but the TT move, which has its own switch, come in the generator's order. That
applies to nodes of the main search; the captures of quiescence are always ordered.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.exchange import SEE_VALUES, see_ge
from engine.alphabeta.gravity import apply_gravity
from engine.alphabeta.hints import check_squares, discovered_check_candidates, quiet_bonus, quiet_gives_check
from engine.alphabeta.state import PAWN_HISTORY_SIZE, PLY_MASK, ROOT_OFFSET
from engine.alphabeta.transpositions import tt_prefetch
from engine.core.attacks import attacks_by_piece_value
from engine.core.bits import BIT, EMPTY, NO_PIECE, PAWN, QUEEN
from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.movegen import ALL_MOVES, NOISY, QUIET, generate
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
from engine.core.position import is_noisy, key_after
from engine.kernel import inline, kernel

(TT_STAGE, GENERATE_NOISY, GOOD_NOISY, FIRST_KILLER, SECOND_KILLER, COUNTER_MOVE, GENERATE_QUIET, QUIETS, BAD_NOISY,
 FINISHED) = (np.int64(stage) for stage in range(10))

NO_QUIETS, ALL_QUIETS, QUIET_CHECKS = (np.int64(kind) for kind in range(3))  # which quiet moves the picker hands out

HISTORY_BITS = np.int64(14)
HISTORY_LIMIT = np.int64(1) << HISTORY_BITS
_CONTINUATION_OFFSETS = np.array([1, 2, 4], np.int64)  # which moves before a move continuation histories are about
_WEIGHT_BITS = np.int64(10)  # weights of histories are in 1024ths
_NO_LOSS = np.int64(0)
_PAWN_MASK = np.uint64(PAWN_HISTORY_SIZE - 1)

# A ranked move is one number: its score, then its place counted from the end of the list, then the move. The largest
# number is the best move, the first among equals, and finding it takes no branch that could be mispredicted.
_SCORE_SHIFT, _PLACE_SHIFT = np.int64(32), np.int64(16)
_PLACE_MASK, _MOVE_MASK = np.int64(0xFFFF << 16), np.int64(0xFFFF)
_LAST_PLACE = np.int64(0xFFFF)


@inline
def piece_to_index(pos, move):
    """The moving piece and its target square: the index of the move in most histories."""
    return np.int64(pos.board[from_square(move)]) * 64 + to_square(move)


@inline
def captured_type(pos, move):
    """The type of the piece that `move` takes; 0 for a quiet promotion."""
    return PAWN if move_type(move) == EN_PASSANT else np.int64(pos.board[to_square(move)]) & 7


@inline
def set_threats(pos, state, ply):
    """Note which squares the other side attacks, for the histories and hints of this node's quiet moves."""
    by_pawns, by_minors, by_rooks, by_all = attacks_by_piece_value(pos, np.int64(pos.side) ^ 1)
    state.threats[ply] = by_all if state.params.use_threats else EMPTY
    attacked_by_lesser = state.attacked_by_lesser[ply]
    attacked_by_lesser[0], attacked_by_lesser[1], attacked_by_lesser[2] = by_pawns, by_minors, by_rooks


@inline
def _threat_index(threats, move):
    """Which history a quiet move has: whether it leaves an attacked square, and whether it goes to one."""
    return np.int64(threats >> from_square(move) & BIT) << 1 | np.int64(threats >> to_square(move) & BIT)


@inline
def _pawn_row(pos, state):
    """The row of the pawn-structure history; row 0, which then is never written to, if it is not in use."""
    return np.int64(pos.pawn_key & _PAWN_MASK) * np.int64(state.params.use_pawn_history)


@inline
def quiet_history_score(pos, state, move, ply):
    """The history score of a quiet move."""
    params, slot, threats = state.params, piece_to_index(pos, move), _threat_index(state.threats[ply], move)
    plain = np.int64(state.quiet_history[pos.side, threats, move & 0xFFF]) if params.use_history else np.int64(0)
    weighted = np.int64(state.pawn_history[_pawn_row(pos, state), slot]) * params.weight_pawn
    if params.use_continuation:
        top = ROOT_OFFSET + ply
        weighted += np.int64(state.continuation_history[state.piece_to[top - 1], slot]) * params.weight_last
        weighted += np.int64(state.continuation_history[state.piece_to[top - 2], slot]) * params.weight_second
        weighted += np.int64(state.continuation_history[state.piece_to[top - 4], slot]) * params.weight_fourth
    return plain + (weighted >> _WEIGHT_BITS)


@inline
def capture_score(pos, state, move):
    """The value of the victim, and of a promotion, plus the capture history."""
    taken = captured_type(pos, move)
    score = 16 * SEE_VALUES[taken] + np.int64(state.capture_history[piece_to_index(pos, move), taken])
    kind = move_type(move)
    if kind >= PROMOTION:
        score += 16 * SEE_VALUES[QUEEN] if promoted_type(kind) == QUEEN else -HISTORY_LIMIT
    return score


@inline
def _pack_scored_move(score, place, move):
    return score << _SCORE_SHIFT | (_LAST_PLACE - np.int64(place)) << _PLACE_SHIFT | move


@inline
def _index_of(ranked):
    return _LAST_PLACE - ((ranked & _PLACE_MASK) >> _PLACE_SHIFT)


@inline
def init_move_picker(state, ply, tt_move):
    """Start picking a node's moves; its list follows that of the parent."""
    begin = np.int64(state.moves_begin[ply])
    state.stage[ply] = TT_STAGE if tt_move != NULL_MOVE else GENERATE_NOISY
    state.moves_cursor[ply] = begin
    state.moves_end[ply] = begin
    state.bad_noisy_end[ply] = begin
    state.moves_begin[ply + 1] = begin
    for index in range(3):
        state.refutations[ply, index] = NULL_MOVE


@inline
def _score_quiets(pos, state, ply, first, end):
    """Rank a range of the list by `quiet_history_score` and the hints, looking up the rows of the histories
    only once.
    """
    top, params = ROOT_OFFSET + ply, state.params
    on = np.int64(params.use_continuation)  # row 0 is never written to
    last = state.continuation_history[on * state.piece_to[top - 1]]
    second = state.continuation_history[on * state.piece_to[top - 2]]
    fourth = state.continuation_history[on * state.piece_to[top - 4]]
    pawn_history = state.pawn_history[_pawn_row(pos, state)]
    history, threats = state.quiet_history[pos.side], state.threats[ply]
    danger, checking = state.attacked_by_lesser[ply], check_squares(pos)
    for place in range(np.uint64(first), np.uint64(end)):
        move = np.int64(state.move_list.moves[place])
        slot = piece_to_index(pos, move)
        of_move = np.int64(history[_threat_index(threats, move), move & 0xFFF])
        score = of_move if params.use_history else np.int64(0)
        weighted = np.int64(last[slot]) * params.weight_last + np.int64(second[slot]) * params.weight_second
        weighted += np.int64(fourth[slot]) * params.weight_fourth + np.int64(pawn_history[slot]) * params.weight_pawn
        score += weighted >> _WEIGHT_BITS
        if params.use_hints:
            score += quiet_bonus(pos, params, move, danger, checking)
        state.scored_moves[place] = _pack_scored_move(score, place, move)


@inline
def _keep_quiet_checks(pos, state, ply, first, end):
    """Keep the checks in a range of quiet moves, ranked as answers to the last move; returns where they end."""
    checking, discovering = check_squares(pos), discovered_check_candidates(pos)
    on = np.int64(state.params.use_continuation)  # row 0 is never written to
    answers = state.continuation_history[on * state.piece_to[ROOT_OFFSET + ply - 1]]
    kept = first
    for place in range(np.uint64(first), np.uint64(end)):
        move = np.int64(state.move_list.moves[place])
        if quiet_gives_check(pos, move, checking, discovering):
            state.scored_moves[kept] = _pack_scored_move(np.int64(answers[piece_to_index(pos, move)]), kept, move)
            kept += 1
    return kept


@inline
def _generate_stage(pos, state, ply, gen_type, checkers, pinned, with_quiets):
    first = np.int64(state.moves_end[ply])
    end = generate(pos, state.move_list, first, gen_type, checkers, pinned)
    if gen_type == QUIET and with_quiets == QUIET_CHECKS:
        end = _keep_quiet_checks(pos, state, ply, first, end)
    elif gen_type == QUIET:
        _score_quiets(pos, state, ply, first, end)
    else:
        for place in range(np.uint64(first), np.uint64(end)):
            move = np.int64(state.move_list.moves[place])
            score = capture_score(pos, state, move) if gen_type == NOISY else np.int64(0)
            state.scored_moves[place] = _pack_scored_move(score, place, move)
    state.moves_cursor[ply] = first
    state.moves_end[ply] = end
    state.moves_begin[ply + 1] = end


@inline
def _pick_best(state, ply):
    """Swap the best of the remaining moves to the front and step past it."""
    cursor = np.uint64(state.moves_cursor[ply])
    first = best = state.scored_moves[cursor]
    for place in range(cursor + np.uint64(1), np.uint64(state.moves_end[ply])):
        best = max(best, state.scored_moves[place])
    state.scored_moves[_index_of(best)] = (first & ~_PLACE_MASK) | (best & _PLACE_MASK)
    state.scored_moves[cursor] = best
    state.moves_cursor[ply] = cursor + np.uint64(1)
    return best & _MOVE_MASK


@inline
def _is_playable_quiet(pos, move, checkers, pinned):
    """Whether a move that was good in another node is legal and quiet here."""
    return (move != NULL_MOVE and is_pseudo_legal(pos, move) and not is_noisy(pos, move)
            and is_legal(pos, move, checkers, pinned))


@inline
def _refutation_of(state, ply, stage):
    """The killer or counter move of a stage."""
    if stage == COUNTER_MOVE:
        slot = state.piece_to[ROOT_OFFSET + ply - 1]
        return np.int64(state.counter_moves[slot]) if state.params.use_counter_moves else NULL_MOVE
    if not state.params.use_killers:
        return NULL_MOVE
    return np.int64(state.killers[ply, 0 if stage == FIRST_KILLER else 1])


@inline
def _is_refutation(state, ply, move):
    """Whether `move` has already been handed out as a killer or counter move."""
    return move == state.refutations[ply, 0] or move == state.refutations[ply, 1] or move == state.refutations[ply, 2]


@inline
def _stage_after_good_captures(with_quiets):
    if with_quiets == QUIET_CHECKS:
        return GENERATE_QUIET
    return FIRST_KILLER if with_quiets else BAD_NOISY


@inline
def _pick_next(pos, state, ply, tt_move, checkers, pinned, with_quiets):
    """`next_move`, stage by stage."""
    ply &= PLY_MASK
    while True:
        stage = np.int64(state.stage[ply])
        if stage == TT_STAGE:
            state.stage[ply] = GENERATE_NOISY
            return tt_move
        if stage == GENERATE_NOISY or stage == GENERATE_QUIET:
            wanted = NOISY if stage == GENERATE_NOISY else QUIET
            if with_quiets == ALL_QUIETS and not state.params.use_ordering:
                wanted, stage = ALL_MOVES, GENERATE_QUIET
            if wanted == NOISY or with_quiets:
                _generate_stage(pos, state, ply, wanted, checkers, pinned, with_quiets)
            state.stage[ply] = stage + 1
        elif stage == GOOD_NOISY:
            while np.int64(state.moves_cursor[ply]) < np.int64(state.moves_end[ply]):
                move = _pick_best(state, ply)
                if move == tt_move:
                    continue
                if see_ge(pos, move, _NO_LOSS):
                    return move
                state.move_list.moves[state.bad_noisy_end[ply]] = move
                state.bad_noisy_end[ply] += 1
            state.stage[ply] = _stage_after_good_captures(with_quiets)
            state.moves_cursor[ply] = state.moves_begin[ply] if not with_quiets else state.moves_cursor[ply]
        elif stage == FIRST_KILLER or stage == SECOND_KILLER or stage == COUNTER_MOVE:
            state.stage[ply] = stage + 1
            move = _refutation_of(state, ply, stage)
            if (move != tt_move and not _is_refutation(state, ply, move)
                    and _is_playable_quiet(pos, move, checkers, pinned)):
                state.refutations[ply, stage - FIRST_KILLER] = move
                return move
        elif stage == QUIETS:
            may_go_on = with_quiets or not state.params.use_ordering  # unordered, they include captures
            while may_go_on and np.int64(state.moves_cursor[ply]) < np.int64(state.moves_end[ply]):
                move = _pick_best(state, ply)
                if move != tt_move and not _is_refutation(state, ply, move):
                    return move
            state.stage[ply] = BAD_NOISY
            state.moves_cursor[ply] = state.moves_begin[ply]
        elif stage == BAD_NOISY:
            if np.int64(state.moves_cursor[ply]) < np.int64(state.bad_noisy_end[ply]):
                move = np.int64(state.move_list.moves[state.moves_cursor[ply]])
                state.moves_cursor[ply] += 1
                return move
            state.stage[ply] = FINISHED
        else:
            return NULL_MOVE


@kernel
def next_move(pos, state, ply, tt_move, checkers, pinned, quiet_filter):
    """The next move to search, or NULL_MOVE when there is none. `with_quiets` may be lowered between calls."""
    move = _pick_next(pos, state, ply, tt_move, checkers, pinned, quiet_filter)
    if move != NULL_MOVE:
        # By the time the move has been made, the TT's bucket for the new position will be in the cache.
        tt_prefetch(state.tt_address, state.tt_buckets, key_after(pos, move))
    return move


@inline
def picked_move_history(pos, state, move, ply):
    """The history score of the quiet move that `next_move` has just handed out; with its hints, if it was ranked."""
    if state.stage[ply] == QUIETS:
        return state.scored_moves[np.int64(state.moves_cursor[ply]) - 1] >> _SCORE_SHIFT
    return quiet_history_score(pos, state, move, ply)


@inline
def _add_quiet_history(state, side, ply, move, bonus):
    """Reward a quiet move of `side` at `ply`, whatever the position."""
    code, threats = move & 0xFFF, _threat_index(state.threats[ply], move)
    entry = state.quiet_history[side, threats, code]
    state.quiet_history[side, threats, code] = apply_gravity(entry, bonus, state.params.history_bits)


@kernel
def _update_quiet_histories(pos, state, ply, move, bonus):
    slot = piece_to_index(pos, move)
    _add_quiet_history(state, np.int64(pos.side), ply, move, bonus)
    if state.params.use_pawn_history:
        row = _pawn_row(pos, state)
        state.pawn_history[row, slot] = apply_gravity(state.pawn_history[row, slot], bonus, HISTORY_BITS)
    _update_continuation_history(state, ply, slot, bonus)


@kernel
def update_tt_move_history(pos, state, ply, depth, move):
    """Reward `move`, which would have cut the node off, if it is a quiet move here at all: keys may collide."""
    ply &= PLY_MASK
    if is_pseudo_legal(pos, move) and not is_noisy(pos, move):
        set_threats(pos, state, ply)
        _update_quiet_histories(pos, state, ply, move, min(state.params.history_bonus * depth,
                                                           state.params.history_bonus_max))


@kernel
def _update_continuation_history(state, ply, slot, bonus):
    """Reward the move in `slot`, as an answer to the moves before it, or punish it if `bonus` is negative."""
    ply &= PLY_MASK
    top = ROOT_OFFSET + ply
    for index in range(len(_CONTINUATION_OFFSETS)):
        before = np.int64(state.piece_to[top - _CONTINUATION_OFFSETS[index]])
        if before != 0:
            state.continuation_history[before, slot] = apply_gravity(state.continuation_history[before, slot], bonus,
                                                                     HISTORY_BITS)


@inline
def last_move_was_quiet(pos, state, ply):
    """Whether the other side's last move was made in this search and was quiet."""
    return (ply > 0 and state.piece_to[ROOT_OFFSET + ply - 1] != 0 and pos.captured == NO_PIECE
            and move_type(np.int64(state.played_moves[ply - 1])) == NORMAL)


@kernel
def update_last_move_history(pos, state, ply, bonus):
    """Reward the other side's last move, which was quiet, or punish it if `bonus` is negative."""
    ply &= PLY_MASK
    top = ROOT_OFFSET + ply
    _add_quiet_history(state, np.int64(pos.side) ^ 1, ply - 1, np.int64(state.played_moves[ply - 1]), bonus)
    before, slot = np.int64(state.piece_to[top - 2]), np.int64(state.piece_to[top - 1])
    if before != 0:
        state.continuation_history[before, slot] = apply_gravity(state.continuation_history[before, slot], bonus,
                                                                 HISTORY_BITS)


@kernel
def apply_eval_diff_bonus(pos, state, ply, before, now):
    """Reward the last move for what it did to the static evaluation, which was `before` for its side and is `now` for
    the side to move.
    """
    change = -(before + now) * state.params.history_evaluation
    limit = state.params.history_bonus_max
    update_last_move_history(pos, state, ply, min(max(change, -limit), limit))


@kernel
def _update_capture_history(pos, state, move, bonus):
    if not state.params.use_history:
        return
    slot, taken = piece_to_index(pos, move), captured_type(pos, move)
    state.capture_history[slot, taken] = apply_gravity(state.capture_history[slot, taken], bonus, HISTORY_BITS)


@kernel
def update_histories_on_cutoff(pos, state, ply, depth, best, quiets, noisies):
    """Reward `best`, which caused the cut-off, and punish what was tried before it: `noisies`, and if it is quiet
    `quiets`.
    """
    ply &= PLY_MASK
    bonus = min(state.params.history_bonus * depth, state.params.history_bonus_max)
    malus = -min(state.params.history_malus * depth, state.params.history_bonus_max)
    if is_noisy(pos, best):
        _update_capture_history(pos, state, best, bonus)
    else:
        if state.killers[ply, 0] != best:
            state.killers[ply, 1] = state.killers[ply, 0]
            state.killers[ply, 0] = best
        state.counter_moves[state.piece_to[ROOT_OFFSET + ply - 1]] = best
        _update_quiet_histories(pos, state, ply, best, bonus)
        for index in range(quiets):
            _update_quiet_histories(pos, state, ply, np.int64(state.tried_quiets[ply, index]), malus)
    for index in range(noisies):
        _update_capture_history(pos, state, np.int64(state.tried_noisies[ply, index]), malus)
