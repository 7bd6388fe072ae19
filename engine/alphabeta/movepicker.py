"""Move picker: the better the order, the more alpha-beta can cut off.

The picker yields moves one by one and generates them as late as possible: first the TT move, then captures that
do not lose material, killers and the counter move, quiet moves by histories and bonuses, and losing captures last. A
node that is cut off by the TT move never generates any.

Without `use_ordering` all moves but the TT move, which has its own switch, come in the generator's order. That
applies to nodes of the main search; the captures of quiescence are always ordered.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.history import (
    capture_score,
    from_to,
    pawn_history_row,
    piece_to_index,
    quiet_history_score,
    threat_index,
)
from engine.alphabeta.params import ONE_BITS
from engine.alphabeta.see import see_ge
from engine.alphabeta.state import PLY_MASK, frame_at
from engine.alphabeta.tt import tt_prefetch
from engine.core.attacks import KNIGHT_ATTACKS, PAWN_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import BISHOP, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, contains
from engine.core.legality import gives_check, is_legal, is_pseudo_legal
from engine.core.movegen import ALL_MOVES, NOISY, QUIET, generate
from engine.core.moves import NORMAL, NULL_MOVE, from_square, move_type, to_square
from engine.core.position import is_noisy, key_after, king_square, occupied_squares
from engine.kernel import inline, kernel

ESCAPE_BONUSES = np.array([0, 0, 5000, 5000, 8000, 16000, 0, 0], np.int64)  # by type, on the histories' scale


@kernel
def check_squares(pos):
    """The squares from which a pawn, a knight, a bishop and a rook of the side to move would give check."""
    them, occupied = np.int64(pos.side) ^ 1, occupied_squares(pos)
    king = king_square(pos, them)
    return PAWN_ATTACKS[them, king], KNIGHT_ATTACKS[king], bishop_attacks(king, occupied), rook_attacks(king, occupied)


@kernel
def discovered_check_candidates(pos):
    """A superset of the pieces that may give a discovered check: the nearest own pieces on all straight lines, or on
    all diagonals, from the enemy king, if a slider stands behind one of them.
    """
    us, occupied = np.int64(pos.side), occupied_squares(pos)
    king, ours = king_square(pos, us ^ 1), pos.colors[us]
    straight, diagonal = rook_attacks(king, occupied) & ours, bishop_attacks(king, occupied) & ours
    candidates = EMPTY
    if rook_attacks(king, occupied ^ straight) & ours & (pos.types[ROOK] | pos.types[QUEEN]) & ~straight != EMPTY:
        candidates |= straight
    if bishop_attacks(king, occupied ^ diagonal) & ours & (pos.types[BISHOP] | pos.types[QUEEN]) & ~diagonal != EMPTY:
        candidates |= diagonal
    return candidates


@inline
def _attacked_by_lesser(piece_type, attacked_by_lesser):
    """The squares on which a piece of this type is attacked by a less valuable one; none for pawns and kings.

    `attacked_by_lesser` holds the squares attacked by pawns; by minor pieces as well; by rooks as well.
    """
    if piece_type == PAWN or piece_type == KING:
        return EMPTY
    return attacked_by_lesser[2 if piece_type == QUEEN else (1 if piece_type == ROOK else 0)]


@inline
def _check_squares_of(piece_type, check_masks):
    """The squares from which a piece type gives check."""
    pawn, knight, bishop, rook = check_masks
    if piece_type == PAWN:
        return pawn
    if piece_type == KNIGHT:
        return knight
    squares = bishop if piece_type == BISHOP or piece_type == QUEEN else EMPTY
    return squares | rook if piece_type == ROOK or piece_type == QUEEN else squares


@inline
def quiet_gives_check(pos, move, check_masks, discovering):
    """Whether a quiet move gives check, given `check_squares` and `discovered_check_candidates`."""
    start, target = from_square(move), to_square(move)
    if contains(discovering, start) or move_type(move) != NORMAL:
        return gives_check(pos, move)
    return contains(_check_squares_of(np.int64(pos.board[start]) & 7, check_masks), target)


@inline
def quiet_bonus(pos, params, move, attacked_by_lesser, check_masks):
    """The ordering bonus of a quiet move: for escaping from a less valuable attacker, and for giving check; negative
    for moving into such an attack.
    """
    start, target = from_square(move), to_square(move)
    piece_type = np.int64(pos.board[start]) & 7
    squares = _attacked_by_lesser(piece_type, attacked_by_lesser)
    fled = np.int64(contains(squares, start)) - np.int64(contains(squares, target))
    score = fled * (ESCAPE_BONUSES[piece_type] * params.hint_escape >> ONE_BITS)
    return score + params.hint_check if contains(_check_squares_of(piece_type, check_masks), target) else score


(TT_STAGE, GENERATE_NOISY, GOOD_NOISY, FIRST_KILLER, SECOND_KILLER, COUNTER_MOVE, GENERATE_QUIET, QUIETS, BAD_NOISY,
 FINISHED) = (np.int64(stage) for stage in range(10))
# Which quiet moves the picker yields.
NO_QUIETS, ALL_QUIETS, QUIET_CHECKS = (np.int64(choice) for choice in range(3))
_NO_LOSS = np.int64(0)

# A scored move is one number: its score, then its index counted from the end of the list, then the move. The largest
# number is the best move, the first among equals, and finding it takes no branch that could be mispredicted.
_SCORE_SHIFT, _INDEX_SHIFT = np.int64(32), np.int64(16)
_INDEX_MASK, _MOVE_MASK = np.int64(0xFFFF << 16), np.int64(0xFFFF)
_LAST_INDEX = np.int64(0xFFFF)


@inline
def _pack_scored_move(score, index, move):
    return score << _SCORE_SHIFT | (_LAST_INDEX - np.int64(index)) << _INDEX_SHIFT | move


@inline
def _index_of(scored_move):
    return _LAST_INDEX - ((scored_move & _INDEX_MASK) >> _INDEX_SHIFT)


@inline
def init_move_picker(state, ply, tt_move):
    """Start picking a node's moves; its list follows that of the parent."""
    frame, child = frame_at(state, ply), frame_at(state, ply + 1)
    begin = np.int64(frame.moves_begin)
    frame.stage = TT_STAGE if tt_move != NULL_MOVE else GENERATE_NOISY
    frame.moves_cursor = begin
    frame.moves_end = begin
    frame.bad_noisy_end = begin
    child.moves_begin = begin
    for index in range(3):
        frame.refutations[index] = NULL_MOVE


@inline
def _score_quiets(pos, state, ply, first, end):
    """Score a range of the list by `quiet_history_score` and `quiet_bonus`, looking up the histories' rows
    only once.
    """
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    params = state.params
    on = np.int64(params.use_continuation)  # row 0 is never written to
    last = state.continuation_history[on * parent.piece_to]
    second = state.continuation_history[on * frame_at(state, ply - 2).piece_to]
    fourth = state.continuation_history[on * frame_at(state, ply - 4).piece_to]
    pawn_history = state.pawn_history[pawn_history_row(pos, state)]
    history, threats = state.quiet_history[pos.side], frame.threats
    attacked_by_lesser, check_masks = frame.attacked_by_lesser, check_squares(pos)
    for index in range(np.uint64(first), np.uint64(end)):
        move = np.int64(state.move_list.moves[index])
        piece_to = piece_to_index(pos, move)
        plain = np.int64(history[threat_index(threats, move), from_to(move)])
        score = plain if params.use_history else np.int64(0)
        weighted = np.int64(pawn_history[piece_to]) * params.weight_pawn
        weighted += np.int64(last[piece_to]) * params.weight_last + np.int64(second[piece_to]) * params.weight_second
        weighted += np.int64(fourth[piece_to]) * params.weight_fourth
        score += weighted >> ONE_BITS
        if params.use_hints:
            score += quiet_bonus(pos, params, move, attacked_by_lesser, check_masks)
        state.scored_moves[index] = _pack_scored_move(score, index, move)


@inline
def _keep_quiet_checks(pos, state, ply, first, end):
    """Keep the checks in a range of quiet moves, scored by continuation history; returns where they end."""
    parent = frame_at(state, ply - 1)
    check_masks, discovering = check_squares(pos), discovered_check_candidates(pos)
    on = np.int64(state.params.use_continuation)  # row 0 is never written to
    replies = state.continuation_history[on * parent.piece_to]
    kept = first
    for index in range(np.uint64(first), np.uint64(end)):
        move = np.int64(state.move_list.moves[index])
        if quiet_gives_check(pos, move, check_masks, discovering):
            state.scored_moves[kept] = _pack_scored_move(np.int64(replies[piece_to_index(pos, move)]), kept, move)
            kept += 1
    return kept


@inline
def _generate_stage(pos, state, ply, gen_type, checkers, pinned, quiet_filter):
    frame, child = frame_at(state, ply), frame_at(state, ply + 1)
    first = np.int64(frame.moves_end)
    end = generate(pos, state.move_list, first, gen_type, checkers, pinned)
    if gen_type == QUIET and quiet_filter == QUIET_CHECKS:
        end = _keep_quiet_checks(pos, state, ply, first, end)
    elif gen_type == QUIET:
        _score_quiets(pos, state, ply, first, end)
    else:
        for index in range(np.uint64(first), np.uint64(end)):
            move = np.int64(state.move_list.moves[index])
            score = capture_score(pos, state, move) if gen_type == NOISY else np.int64(0)
            state.scored_moves[index] = _pack_scored_move(score, index, move)
    frame.moves_cursor = first
    frame.moves_end = end
    child.moves_begin = end


@inline
def _pick_best(state, ply):
    """Swap the best of the remaining moves to the front and step past it."""
    frame = frame_at(state, ply)
    cursor = np.uint64(frame.moves_cursor)
    first = best = state.scored_moves[cursor]
    for index in range(cursor + np.uint64(1), np.uint64(frame.moves_end)):
        best = max(best, state.scored_moves[index])
    state.scored_moves[_index_of(best)] = (first & ~_INDEX_MASK) | (best & _INDEX_MASK)
    state.scored_moves[cursor] = best
    frame.moves_cursor = cursor + np.uint64(1)
    return best & _MOVE_MASK


@inline
def _is_playable_quiet(pos, move, checkers, pinned):
    """Whether a move that was good in another node is legal and quiet here."""
    return (move != NULL_MOVE and is_pseudo_legal(pos, move) and not is_noisy(pos, move)
            and is_legal(pos, move, checkers, pinned))


@inline
def _refutation_of(state, ply, stage):
    """The killer or counter move of a stage."""
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    if stage == COUNTER_MOVE:
        piece_to = parent.piece_to
        return np.int64(state.counter_moves[piece_to]) if state.params.use_counter_moves else NULL_MOVE
    if not state.params.use_killers:
        return NULL_MOVE
    return np.int64(frame.killers[0 if stage == FIRST_KILLER else 1])


@inline
def _is_refutation(state, ply, move):
    """Whether `move` has already been handed out as a killer or counter move."""
    frame = frame_at(state, ply)
    return move == frame.refutations[0] or move == frame.refutations[1] or move == frame.refutations[2]


@inline
def _stage_after_good_captures(quiet_filter):
    if quiet_filter == QUIET_CHECKS:
        return GENERATE_QUIET
    return FIRST_KILLER if quiet_filter else BAD_NOISY


@inline
def _pick_next(pos, state, ply, tt_move, checkers, pinned, quiet_filter):
    """`next_move`, stage by stage."""
    ply &= PLY_MASK
    frame = frame_at(state, ply)
    while True:
        stage = np.int64(frame.stage)
        if stage == TT_STAGE:
            frame.stage = GENERATE_NOISY
            return tt_move
        if stage == GENERATE_NOISY or stage == GENERATE_QUIET:
            gen_type = NOISY if stage == GENERATE_NOISY else QUIET
            if quiet_filter == ALL_QUIETS and not state.params.use_ordering:
                gen_type, stage = ALL_MOVES, GENERATE_QUIET
            if gen_type == NOISY or quiet_filter:
                _generate_stage(pos, state, ply, gen_type, checkers, pinned, quiet_filter)
            frame.stage = stage + 1
        elif stage == GOOD_NOISY:
            while np.int64(frame.moves_cursor) < np.int64(frame.moves_end):
                move = _pick_best(state, ply)
                if move == tt_move:
                    continue
                if see_ge(pos, move, _NO_LOSS):
                    return move
                state.move_list.moves[frame.bad_noisy_end] = move
                frame.bad_noisy_end += 1
            frame.stage = _stage_after_good_captures(quiet_filter)
            if frame.stage == BAD_NOISY:
                frame.moves_cursor = frame.moves_begin
        elif stage == FIRST_KILLER or stage == SECOND_KILLER or stage == COUNTER_MOVE:
            frame.stage = stage + 1
            move = _refutation_of(state, ply, stage)
            if (move != tt_move and not _is_refutation(state, ply, move)
                    and _is_playable_quiet(pos, move, checkers, pinned)):
                frame.refutations[stage - FIRST_KILLER] = move
                return move
        elif stage == QUIETS:
            may_go_on = quiet_filter or not state.params.use_ordering  # unordered, they include captures
            while may_go_on and np.int64(frame.moves_cursor) < np.int64(frame.moves_end):
                move = _pick_best(state, ply)
                if move != tt_move and not _is_refutation(state, ply, move):
                    return move
            frame.stage = BAD_NOISY
            frame.moves_cursor = frame.moves_begin
        elif stage == BAD_NOISY:
            if np.int64(frame.moves_cursor) < np.int64(frame.bad_noisy_end):
                move = np.int64(state.move_list.moves[frame.moves_cursor])
                frame.moves_cursor += 1
                return move
            frame.stage = FINISHED
        else:
            return NULL_MOVE


@kernel
def next_move(pos, state, ply, tt_move, checkers, pinned, quiet_filter):
    """The next move to search, or NULL_MOVE when there is none. `quiet_filter` may be lowered between calls."""
    move = _pick_next(pos, state, ply, tt_move, checkers, pinned, quiet_filter)
    if move != NULL_MOVE:
        # By the time the move has been made, the TT's bucket for the new position will be in the cache.
        tt_prefetch(state.tt_address, state.tt_buckets, key_after(pos, move))
    return move


@inline
def picked_move_history(pos, state, move, ply):
    """The history score of the quiet move that `next_move` has just handed out; with its bonus, if it was scored."""
    frame = frame_at(state, ply)
    if frame.stage == QUIETS:
        return state.scored_moves[np.int64(frame.moves_cursor) - 1] >> _SCORE_SHIFT
    return quiet_history_score(pos, state, move, ply)
