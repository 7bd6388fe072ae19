"""Move ordering: the better the order, the more alpha-beta can cut.

The picker hands out moves one by one and generates them as late as possible: first the TT move, then captures that
do not lose material, killers and the counter move, quiet moves by histories and hints, and losing captures last. A node
that is cut off by the TT move never generates any.

Without `use_ordering` all moves but the TT move, which has its own switch, come in the generator's order. That
applies to nodes of the main search; the captures of quiescence are always ordered.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.exchange import EXCHANGE_VALUES, see_reaches
from engine.alphabeta.gravity import moved
from engine.alphabeta.hints import checking_squares, checks, discovering_men, hint
from engine.alphabeta.state import BEFORE_ROOT, PAWN_STRUCTURES, PLY_MASK
from engine.alphabeta.transpositions import expect
from engine.core.attacks import attacks_by_worth
from engine.core.bits import BIT, EMPTY, NO_PIECE, PAWN, QUEEN
from engine.core.legality import is_legal, is_pseudo_legal
from engine.core.movegen import ALL_MOVES, NOISY, QUIET, generate
from engine.core.moves import (
    EN_PASSANT,
    NORMAL,
    NULL_MOVE,
    PROMOTION,
    from_square,
    move_kind,
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
_LOOKS_BACK = np.array([1, 2, 4], np.int64)  # which moves before a move continuation histories are about
_WEIGHT_BITS = np.int64(10)  # weights of histories are in 1024ths
_NO_LOSS = np.int64(0)
_PAWN_MASK = np.uint64(PAWN_STRUCTURES - 1)

# A ranked move is one number: its score, then its place counted from the end of the list, then the move. The largest
# number is the best move, the first among equals, and finding it takes no branch that could be mispredicted.
_SCORE_SHIFT, _PLACE_SHIFT = np.int64(32), np.int64(16)
_PLACE_MASK, _MOVE_MASK = np.int64(0xFFFF << 16), np.int64(0xFFFF)
_LAST_PLACE = np.int64(0xFFFF)


@inline
def move_slot(pos, move):
    """The moving piece and its target square: the index of the move in most histories."""
    return np.int64(pos.board[from_square(move)]) * 64 + to_square(move)


@inline
def captured_type(pos, move):
    """The type of the piece that `move` takes; 0 for a quiet promotion."""
    return PAWN if move_kind(move) == EN_PASSANT else np.int64(pos.board[to_square(move)]) & 7


@inline
def note_threats(pos, state, ply):
    """Note which squares the other side attacks, for the histories and hints of this node's quiet moves."""
    by_pawns, by_minors, by_rooks, by_all = attacks_by_worth(pos, np.int64(pos.side) ^ 1)
    state.threats[ply] = by_all if state.params.use_threats else EMPTY
    state.danger[ply, 0], state.danger[ply, 1], state.danger[ply, 2] = by_pawns, by_minors, by_rooks


@inline
def _threat_index(threats, move):
    """Which history a quiet move has: whether it leaves an attacked square, and whether it goes to one."""
    return np.int64(threats >> from_square(move) & BIT) << 1 | np.int64(threats >> to_square(move) & BIT)


@inline
def _pawn_row(pos, state):
    """The row of the pawn-structure history; row 0, which then is never written to, if it is not in use."""
    return np.int64(pos.pawn_key & _PAWN_MASK) * np.int64(state.params.use_pawn_history)


@inline
def quiet_score(pos, state, move, ply):
    """The history score of a quiet move."""
    params, slot, threats = state.params, move_slot(pos, move), _threat_index(state.threats[ply], move)
    plain = np.int64(state.quiet_history[pos.side, threats, move & 0xFFF]) if params.use_history else np.int64(0)
    weighted = np.int64(state.pawn_history[_pawn_row(pos, state), slot]) * params.weight_pawn
    if params.use_continuation:
        top = BEFORE_ROOT + ply
        weighted += np.int64(state.continuation[state.slots[top - 1], slot]) * params.weight_last
        weighted += np.int64(state.continuation[state.slots[top - 2], slot]) * params.weight_second
        weighted += np.int64(state.continuation[state.slots[top - 4], slot]) * params.weight_fourth
    return plain + (weighted >> _WEIGHT_BITS)


@inline
def noisy_score(pos, state, move):
    """The value of the victim, and of a promotion, plus the capture history."""
    taken = captured_type(pos, move)
    score = 16 * EXCHANGE_VALUES[taken] + np.int64(state.noisy_history[move_slot(pos, move), taken])
    kind = move_kind(move)
    if kind >= PROMOTION:
        score += 16 * EXCHANGE_VALUES[QUEEN] if promoted_type(kind) == QUEEN else -HISTORY_LIMIT
    return score


@inline
def _ranked(score, place, move):
    return score << _SCORE_SHIFT | (_LAST_PLACE - np.int64(place)) << _PLACE_SHIFT | move


@inline
def _place_of(ranked):
    return _LAST_PLACE - ((ranked & _PLACE_MASK) >> _PLACE_SHIFT)


@inline
def start_picking(state, ply, tt_move):
    """Start picking a node's moves; its list follows that of the parent."""
    begin = np.int64(state.begin[ply])
    state.stage[ply] = TT_STAGE if tt_move != NULL_MOVE else GENERATE_NOISY
    state.cursor[ply] = begin
    state.end[ply] = begin
    state.bad_end[ply] = begin
    state.begin[ply + 1] = begin
    for index in range(3):
        state.specials[ply, index] = NULL_MOVE


@inline
def _rank_quiets(pos, state, ply, first, end):
    """Rank a range of the list by `quiet_score` and the hints, looking up the rows of the histories only once."""
    top, params = BEFORE_ROOT + ply, state.params
    on = np.int64(params.use_continuation)  # row 0 is never written to
    last = state.continuation[on * state.slots[top - 1]]
    second = state.continuation[on * state.slots[top - 2]]
    fourth = state.continuation[on * state.slots[top - 4]]
    pawn_history = state.pawn_history[_pawn_row(pos, state)]
    history, threats = state.quiet_history[pos.side], state.threats[ply]
    danger, checking = state.danger[ply], checking_squares(pos)
    for place in range(np.uint64(first), np.uint64(end)):
        move = np.int64(state.list.moves[place])
        slot = move_slot(pos, move)
        of_move = np.int64(history[_threat_index(threats, move), move & 0xFFF])
        score = of_move if params.use_history else np.int64(0)
        weighted = np.int64(last[slot]) * params.weight_last + np.int64(second[slot]) * params.weight_second
        weighted += np.int64(fourth[slot]) * params.weight_fourth + np.int64(pawn_history[slot]) * params.weight_pawn
        score += weighted >> _WEIGHT_BITS
        if params.use_hints:
            score += hint(pos, params, move, danger, checking)
        state.ranked[place] = _ranked(score, place, move)


@inline
def _keep_checks(pos, state, ply, first, end):
    """Keep the checks in a range of quiet moves, ranked as answers to the last move; returns where they end."""
    checking, discovering = checking_squares(pos), discovering_men(pos)
    on = np.int64(state.params.use_continuation)  # row 0 is never written to
    answers = state.continuation[on * state.slots[BEFORE_ROOT + ply - 1]]
    kept = first
    for place in range(np.uint64(first), np.uint64(end)):
        move = np.int64(state.list.moves[place])
        if checks(pos, move, checking, discovering):
            state.ranked[kept] = _ranked(np.int64(answers[move_slot(pos, move)]), kept, move)
            kept += 1
    return kept


@inline
def _generate_stage(pos, state, ply, wanted, checkers, pinned, with_quiets):
    first = np.int64(state.end[ply])
    end = generate(pos, state.list, first, wanted, checkers, pinned)
    if wanted == QUIET and with_quiets == QUIET_CHECKS:
        end = _keep_checks(pos, state, ply, first, end)
    elif wanted == QUIET:
        _rank_quiets(pos, state, ply, first, end)
    else:
        for place in range(np.uint64(first), np.uint64(end)):
            move = np.int64(state.list.moves[place])
            score = noisy_score(pos, state, move) if wanted == NOISY else np.int64(0)
            state.ranked[place] = _ranked(score, place, move)
    state.cursor[ply] = first
    state.end[ply] = end
    state.begin[ply + 1] = end


@inline
def _pick_best(state, ply):
    """Swap the best of the remaining moves to the front and step past it."""
    cursor = np.uint64(state.cursor[ply])
    first = best = state.ranked[cursor]
    for place in range(cursor + np.uint64(1), np.uint64(state.end[ply])):
        best = max(best, state.ranked[place])
    state.ranked[_place_of(best)] = (first & ~_PLACE_MASK) | (best & _PLACE_MASK)
    state.ranked[cursor] = best
    state.cursor[ply] = cursor + np.uint64(1)
    return best & _MOVE_MASK


@inline
def _is_playable_quiet(pos, move, checkers, pinned):
    """Whether a move that was good in another node is legal and quiet here."""
    return (move != NULL_MOVE and is_pseudo_legal(pos, move) and not is_noisy(pos, move)
            and is_legal(pos, move, checkers, pinned))


@inline
def _special_quiet(state, ply, stage):
    """The killer or counter move of a stage."""
    if stage == COUNTER_MOVE:
        slot = state.slots[BEFORE_ROOT + ply - 1]
        return np.int64(state.counter_moves[slot]) if state.params.use_counter_moves else NULL_MOVE
    if not state.params.use_killers:
        return NULL_MOVE
    return np.int64(state.killers[ply, 0 if stage == FIRST_KILLER else 1])


@inline
def _is_special(state, ply, move):
    """Whether `move` has already been handed out as a killer or counter move."""
    return move == state.specials[ply, 0] or move == state.specials[ply, 1] or move == state.specials[ply, 2]


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
            while np.int64(state.cursor[ply]) < np.int64(state.end[ply]):
                move = _pick_best(state, ply)
                if move == tt_move:
                    continue
                if see_reaches(pos, move, _NO_LOSS):
                    return move
                state.list.moves[state.bad_end[ply]] = move
                state.bad_end[ply] += 1
            state.stage[ply] = _stage_after_good_captures(with_quiets)
            state.cursor[ply] = state.begin[ply] if not with_quiets else state.cursor[ply]
        elif stage == FIRST_KILLER or stage == SECOND_KILLER or stage == COUNTER_MOVE:
            state.stage[ply] = stage + 1
            move = _special_quiet(state, ply, stage)
            if (move != tt_move and not _is_special(state, ply, move)
                    and _is_playable_quiet(pos, move, checkers, pinned)):
                state.specials[ply, stage - FIRST_KILLER] = move
                return move
        elif stage == QUIETS:
            may_go_on = with_quiets or not state.params.use_ordering  # unordered, they include captures
            while may_go_on and np.int64(state.cursor[ply]) < np.int64(state.end[ply]):
                move = _pick_best(state, ply)
                if move != tt_move and not _is_special(state, ply, move):
                    return move
            state.stage[ply] = BAD_NOISY
            state.cursor[ply] = state.begin[ply]
        elif stage == BAD_NOISY:
            if np.int64(state.cursor[ply]) < np.int64(state.bad_end[ply]):
                move = np.int64(state.list.moves[state.cursor[ply]])
                state.cursor[ply] += 1
                return move
            state.stage[ply] = FINISHED
        else:
            return NULL_MOVE


@kernel
def next_move(pos, state, ply, tt_move, checkers, pinned, with_quiets):
    """The next move to search, or NULL_MOVE when there is none. `with_quiets` may be lowered between calls."""
    move = _pick_next(pos, state, ply, tt_move, checkers, pinned, with_quiets)
    if move != NULL_MOVE:
        # By the time the move has been made, the TT's bucket for the new position will be in the cache.
        expect(state.tt_address, state.tt_buckets, key_after(pos, move))
    return move


@inline
def picked_score(pos, state, move, ply):
    """The history score of the quiet move that `next_move` has just handed out; with its hints, if it was ranked."""
    if state.stage[ply] == QUIETS:
        return state.ranked[np.int64(state.cursor[ply]) - 1] >> _SCORE_SHIFT
    return quiet_score(pos, state, move, ply)


@inline
def _reward_side(state, side, ply, move, bonus):
    """Reward a quiet move of `side` at `ply`, whatever the position."""
    code, threats = move & 0xFFF, _threat_index(state.threats[ply], move)
    entry = state.quiet_history[side, threats, code]
    state.quiet_history[side, threats, code] = moved(entry, bonus, state.params.history_bits)


@kernel
def _reward_quiet(pos, state, ply, move, bonus):
    slot = move_slot(pos, move)
    _reward_side(state, np.int64(pos.side), ply, move, bonus)
    if state.params.use_pawn_history:
        row = _pawn_row(pos, state)
        state.pawn_history[row, slot] = moved(state.pawn_history[row, slot], bonus, HISTORY_BITS)
    _reward_continuation(state, ply, slot, bonus)


@kernel
def reward_if_quiet(pos, state, ply, depth, move):
    """Reward `move`, which would have cut the node off, if it is a quiet move here at all: keys may collide."""
    ply &= PLY_MASK
    if is_pseudo_legal(pos, move) and not is_noisy(pos, move):
        note_threats(pos, state, ply)
        _reward_quiet(pos, state, ply, move, min(state.params.history_bonus * depth, state.params.history_bonus_max))


@kernel
def _reward_continuation(state, ply, slot, bonus):
    """Reward the move in `slot`, as an answer to the moves before it, or punish it if `bonus` is negative."""
    ply &= PLY_MASK
    top = BEFORE_ROOT + ply
    for index in range(len(_LOOKS_BACK)):
        before = np.int64(state.slots[top - _LOOKS_BACK[index]])
        if before != 0:
            state.continuation[before, slot] = moved(state.continuation[before, slot], bonus, HISTORY_BITS)


@inline
def is_after_quiet(pos, state, ply):
    """Whether the other side's last move was made in this search and was quiet."""
    return (ply > 0 and state.slots[BEFORE_ROOT + ply - 1] != 0 and pos.captured == NO_PIECE
            and move_kind(np.int64(state.moves[ply - 1])) == NORMAL)


@kernel
def reward_last_move(pos, state, ply, bonus):
    """Reward the other side's last move, which was quiet, or punish it if `bonus` is negative."""
    ply &= PLY_MASK
    top = BEFORE_ROOT + ply
    _reward_side(state, np.int64(pos.side) ^ 1, ply - 1, np.int64(state.moves[ply - 1]), bonus)
    before, slot = np.int64(state.slots[top - 2]), np.int64(state.slots[top - 1])
    if before != 0:
        state.continuation[before, slot] = moved(state.continuation[before, slot], bonus, HISTORY_BITS)


@kernel
def learn_from_evaluation(pos, state, ply, before, now):
    """Reward the last move for what it did to the static evaluation, which was `before` for its side and is `now` for
    the side to move.
    """
    change = -(before + now) * state.params.history_evaluation
    limit = state.params.history_bonus_max
    reward_last_move(pos, state, ply, min(max(change, -limit), limit))


@kernel
def _reward_noisy(pos, state, move, bonus):
    if not state.params.use_history:
        return
    slot, taken = move_slot(pos, move), captured_type(pos, move)
    state.noisy_history[slot, taken] = moved(state.noisy_history[slot, taken], bonus, HISTORY_BITS)


@kernel
def learn_from_cut(pos, state, ply, depth, best, quiets, noisies):
    """Reward `best`, which caused the cut-off, and punish what was tried before it: `noisies`, and if it is quiet
    `quiets`.
    """
    ply &= PLY_MASK
    bonus = min(state.params.history_bonus * depth, state.params.history_bonus_max)
    malus = -min(state.params.history_malus * depth, state.params.history_bonus_max)
    if is_noisy(pos, best):
        _reward_noisy(pos, state, best, bonus)
    else:
        if state.killers[ply, 0] != best:
            state.killers[ply, 1] = state.killers[ply, 0]
            state.killers[ply, 0] = best
        state.counter_moves[state.slots[BEFORE_ROOT + ply - 1]] = best
        _reward_quiet(pos, state, ply, best, bonus)
        for index in range(quiets):
            _reward_quiet(pos, state, ply, np.int64(state.tried_quiets[ply, index]), malus)
    for index in range(noisies):
        _reward_noisy(pos, state, np.int64(state.tried_noisies[ply, index]), malus)
