"""How a person looks ahead: a few plies, captures a little further, and not every move comes to mind.

Plain alpha-beta, without tables and tricks. Which moves are overlooked is no matter of chance each time: position, move
and game decide, so that somebody who did not see a fork two moves ahead does not see it one move ahead either.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.evaluation import evaluate_raw, make_move, unmake_move
from engine.alphabeta.node_entry import enter_node, is_draw
from engine.alphabeta.pv import update_pv
from engine.alphabeta.see import SEE_VALUES, capture_gain
from engine.alphabeta.state import PLY_MASK, STATE_TYPE, StateRecord, frame_at
from engine.core.bits import EMPTY, KNIGHT, PAWN, QUEEN, popcount
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.moves import from_square, to_square
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.humanlike.vision import SIGHT_TYPE, VisionRecord
from engine.kernel import Int, entry, inline, int64, kernel
from engine.search.scores import DRAW, INFINITE, MAX_PLY, NO_SCORE, clamp_evaluation, mated_in

# Per cent of `blindness`, by what makes a move easy or hard to think of.
_OBVIOUS = np.int64(12)  # it takes the man that has just moved, or answers a check
_PROFITABLE = np.int64(50)  # it takes something that is worth more
_QUIET = np.int64(170)  # it takes nothing
_FAR, _FAR_DISTANCE = np.int64(140), np.int64(4)  # it crosses half the board
_BACKWARD = np.int64(140)
_JUMPING = np.int64(130)  # knights are hard to foresee
_OWN = np.int64(60)  # a move of one's own, now
_BY_PLY = np.int64(25)  # more, for every ply beyond the next one
_ALL, _MOST = np.int64(100), np.int64(900)  # of a hundred; of a thousand

_NOWHERE = np.int64(-1)
_GOLD, _FIRST, _SECOND = (np.uint64(word) for word in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_THOUSAND = np.uint64(1000)


@inline
def _mix64(word):
    """A word of which every bit depends on all of `word` (the finalizer of splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


@inline
def _difficulty(pos, move, target, in_check):
    """How hard a move is to think of, in per cent of an ordinary capture. `target` is where the last move went."""
    start, goal = from_square(move), to_square(move)
    if goal == target or in_check:
        return _OBVIOUS
    mover, taken = np.int64(pos.board[start]) & 7, capture_gain(pos, move)
    percent = _ALL
    if taken == 0:
        percent = _QUIET
    elif taken > SEE_VALUES[mover]:
        percent = _PROFITABLE
    ranks, files = (goal >> 3) - (start >> 3), (goal & 7) - (start & 7)
    if max(abs(ranks), abs(files)) >= _FAR_DISTANCE:
        percent = percent * _FAR // _ALL
    if (ranks < 0) != (pos.side != 0) and ranks != 0:
        percent = percent * _BACKWARD // _ALL
    if mover == KNIGHT:
        percent = percent * _JUMPING // _ALL
    return percent


@kernel
def overlooks(pos, sight, move, ply, target, in_check):
    """Whether `move` does not come to mind, `ply` plies ahead."""
    percent = _difficulty(pos, move, target, in_check)
    percent = percent * (_ALL + _BY_PLY * (ply - 1)) // _ALL if ply > 0 else percent * _OWN // _ALL
    chance = min(sight.blindness * percent // _ALL, _MOST)
    roll = _mix64(pos.key ^ sight.seed ^ np.uint64(move) * _GOLD) >> np.uint64(20)
    return np.int64(roll % _THOUSAND) < chance


@inline
def _material(pos, color):
    """What the men of a side are worth, in centipawns, as people count."""
    total = np.int64(0)
    for piece_type in range(PAWN, QUEEN + 1):
        total += SEE_VALUES[piece_type] * popcount(pos.types[piece_type] & pos.colors[color])
    return total


@inline
def _perceived_eval(pos, state, sight, ply):
    """What a position looks like to the side to move: the men that can be counted, and what is understood beside."""
    us = np.int64(pos.side)
    men = _material(pos, us) - _material(pos, 1 - us)
    score = evaluate_raw(pos, state, ply)
    return clamp_evaluation(men + (score - men) * sight.knowledge // _ALL)


@inline
def _bring_forward(pos, moves, place, end):
    """Put the move that takes most of those from `place` on to that place; returns what it takes."""
    best, most = place, np.int64(-1)
    for index in range(place, end):
        taken = capture_gain(pos, np.int64(moves[index]))
        if taken > most:
            best, most = index, taken
    moves[place], moves[best] = moves[best], moves[place]
    return most


@kernel
def humanlike_search(pos, state, sight, depth, chain, alpha, beta, ply, target):
    """What a person thinks that `pos` is worth to the side to move: `depth` plies of all moves, then captures.

    Captures are followed for `chain` plies, and on the square `target` of the last move to their end.
    """
    ply &= PLY_MASK
    # Step 1. Stop, draws, mate and stalemate.
    if enter_node(state, ply):
        return DRAW
    if is_draw(pos, state, ply):
        return DRAW
    checkers, pinned = checkers_and_pinned(pos)
    begin = np.int64(frame_at(state, ply).moves_begin)
    end = generate(pos, state.move_list, begin, ALL_MOVES, checkers, pinned)
    if begin == end:
        return mated_in(ply) if checkers != EMPTY else DRAW
    frame_at(state, ply + 1).moves_begin = end

    # Step 2. At the end of what is looked at, what the side to move has without a capture.
    in_check = checkers != EMPTY
    is_ending = depth <= 0 and (not in_check or chain <= 0)
    best = -INFINITE
    if is_ending or ply >= MAX_PLY:
        best = _perceived_eval(pos, state, sight, ply)
        if best >= beta or ply >= MAX_PLY:
            return best
        alpha = max(alpha, best)

    # Step 3. The moves that come to mind, captures first.
    is_capture = True
    for index in range(begin, end):
        if is_capture:
            is_capture = _bring_forward(pos, state.move_list.moves, index, end) > 0
        move = np.int64(state.move_list.moves[index])
        goal = to_square(move)
        if is_ending and not is_capture:
            break
        if is_ending and chain <= 0 and goal != target:
            continue
        if overlooks(pos, sight, move, ply, target, in_check):
            continue
        make_move(pos, state, ply, move)
        score = -humanlike_search(pos, state, sight, depth - 1, chain - np.int64(depth <= 0), -beta, -alpha, ply + 1,
                                  goal)
        unmake_move(pos, move)
        if state.stopped:
            return DRAW
        best = max(best, score)
        if score > alpha:
            alpha = score
            update_pv(state, ply, move)
            if score >= beta:
                break

    # Step 4. Where nothing came to mind, the position as it stands.
    return best if best > -INFINITE else _perceived_eval(pos, state, sight, ply)


@entry(POSITION_TYPE, STATE_TYPE, SIGHT_TYPE, int64, int64, int64, int64)
def value_of_move(pos: PositionRecord, state: StateRecord, sight: VisionRecord, move: int, depth: int,
                  least: int, must_see: int) -> Int:
    """What a person thinks of playing `move` at the root, `depth` plies deep with it; NO_SCORE if it is overlooked.

    A value up to `least` is only known to be no better. The line is in `state.pv[0]`; when `state.stopped` is set,
    nothing of this means anything. With `must_see` the move itself is not overlooked.
    """
    state.root_depth = depth
    checkers, _ = checkers_and_pinned(pos)
    if not must_see and overlooks(pos, sight, move, np.int64(0), _NOWHERE, checkers != EMPTY):
        return NO_SCORE
    frame_at(state, np.int64(1)).moves_begin = 0  # the root's moves are kept elsewhere
    make_move(pos, state, np.int64(0), move)
    score = -humanlike_search(pos, state, sight, depth - 1, np.int64(sight.capture_plies), -INFINITE, np.int64(-least),
                              np.int64(1),
                              to_square(move))
    unmake_move(pos, move)
    update_pv(state, np.int64(0), move)
    return score
