"""The nodes of the human-like search: a few plies, captures a little further, and some moves are overlooked.

Plain alpha-beta, without TT and pruning. Which moves are overlooked is decided by a hash of position, move
and the seed of the game, and by the distance: what is seen from afar is also seen from near, throughout a game.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.evaluation import evaluate_raw, make_move, unmake_move
from engine.alphabeta.node_entry import enter_node, is_draw, should_stop
from engine.alphabeta.pv import update_pv
from engine.alphabeta.see import SEE_VALUES, capture_gain
from engine.alphabeta.state import PLY_MASK, STATE_TYPE, StateRecord, frame_at
from engine.core.bits import EMPTY, KNIGHT, PAWN, QUEEN, popcount
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.moves import from_square, to_square
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.core.splitmix import GOLDEN, mix
from engine.humanlike.vision import VISION_TYPE, VisionRecord
from engine.kernel import Int, entry, inline, int64, kernel
from engine.search.scores import DRAW, INFINITE, MAX_PLY, NO_SCORE, clamp_evaluation, mated_in

# Per cent of `blindness`, by features that make a move easy or hard to see.
_OBVIOUS = np.int64(12)  # it captures the piece that has just moved, or evades a check
_PROFITABLE = np.int64(50)  # it captures a more valuable piece
_QUIET = np.int64(170)  # it is no capture
_FAR, _FAR_DISTANCE = np.int64(140), np.int64(4)  # it crosses half the board
_BACKWARD = np.int64(140)
_JUMPING = np.int64(130)  # knights are hard to foresee
_OWN = np.int64(60)  # a root move
_BY_PLY = np.int64(25)  # added for every ply beyond the first
_ALL, _MOST = np.int64(100), np.int64(900)  # per cent; per mille

_NOWHERE = np.int64(-1)
_HORIZON = np.int64(0)  # the remaining depth there
_THOUSAND = np.uint64(1000)


@inline
def _difficulty(pos, move, last_target, in_check):
    """How hard `move` is to see, in per cent of a normal capture. `last_target` is the target of the last move."""
    start, target = from_square(move), to_square(move)
    if target == last_target or in_check:
        return _OBVIOUS
    mover, gain = np.int64(pos.board[start]) & 7, capture_gain(pos, move)
    percent = _ALL
    if gain == 0:
        percent = _QUIET
    elif gain > SEE_VALUES[mover]:
        percent = _PROFITABLE
    ranks, files = (target >> 3) - (start >> 3), (target & 7) - (start & 7)
    if max(abs(ranks), abs(files)) >= _FAR_DISTANCE:
        percent = percent * _FAR // _ALL
    if (ranks < 0) != (pos.side != 0) and ranks != 0:
        percent = percent * _BACKWARD // _ALL
    if mover == KNIGHT:
        percent = percent * _JUMPING // _ALL
    return percent


@inline
def roll_per_mille(pos, move, seed):
    """A number from 0 to 999 that depends on position, move and the seed of the game alone."""
    return np.int64((mix(pos.key ^ seed ^ np.uint64(move) * GOLDEN) >> np.uint64(20)) % _THOUSAND)


@kernel
def overlooks(pos, vision, move, ply, last_target, in_check):
    """Whether the search overlooks `move`, `ply` plies ahead."""
    percent = _difficulty(pos, move, last_target, in_check)
    percent = percent * (_ALL + _BY_PLY * (ply - 1)) // _ALL if ply > 0 else percent * _OWN // _ALL
    chance = min(vision.blindness * percent // _ALL, _MOST)
    return roll_per_mille(pos, move, vision.seed) < chance


@inline
def _material(pos, color):
    """The material of a side in centipawns."""
    total = np.int64(0)
    for piece_type in range(PAWN, QUEEN + 1):
        total += SEE_VALUES[piece_type] * popcount(pos.types[piece_type] & pos.colors[color])
    return total


@inline
def _perceived_eval(pos, state, vision, ply):
    """The evaluation for the side to move: material, plus the part of the rest that `knowledge` allows."""
    us = np.int64(pos.side)
    material = _material(pos, us) - _material(pos, 1 - us)
    score = evaluate_raw(pos, state, ply)
    return clamp_evaluation(material + (score - material) * vision.knowledge // _ALL)


@inline
def _bring_forward(pos, moves, begin, end):
    """Swap the best capture of the moves from `begin` on to `begin`; return its gain, 0 if none is a capture."""
    best, most = begin, np.int64(-1)
    for index in range(begin, end):
        gain = capture_gain(pos, np.int64(moves[index]))
        if gain > most:
            best, most = index, gain
    moves[begin], moves[best] = moves[best], moves[begin]
    return most


@kernel
def humanlike_search(pos, state, vision, depth, capture_plies, alpha, beta, ply, last_target):
    """The perceived score of `pos` for the side to move: `depth` plies of all moves, then captures.

    Captures are followed for `capture_plies` plies; recaptures on `last_target` are followed to the end.
    """
    ply &= PLY_MASK
    # Step 1. Stop, draws, mate and stalemate.
    enter_node(state, ply, max(depth, _HORIZON))
    if should_stop(state) or is_draw(pos, state, ply):
        return DRAW
    checkers, pinned = checkers_and_pinned(pos)
    begin = np.int64(frame_at(state, ply).moves_begin)
    end = generate(pos, state.move_list, begin, ALL_MOVES, checkers, pinned)
    if begin == end:
        return mated_in(ply) if checkers != EMPTY else DRAW
    frame_at(state, ply + 1).moves_begin = end

    # Step 2. At the horizon, stand pat.
    in_check = checkers != EMPTY
    is_horizon = depth <= 0 and (not in_check or capture_plies <= 0)
    best = -INFINITE
    if is_horizon or ply >= MAX_PLY:
        best = _perceived_eval(pos, state, vision, ply)
        if best >= beta or ply >= MAX_PLY:
            return best
        alpha = max(alpha, best)

    # Step 3. The moves that are not overlooked, captures first.
    is_capture = True
    for index in range(begin, end):
        if is_capture:
            is_capture = _bring_forward(pos, state.move_list.moves, index, end) > 0
        move = np.int64(state.move_list.moves[index])
        target = to_square(move)
        if is_horizon and not is_capture:
            break
        if is_horizon and capture_plies <= 0 and target != last_target:
            continue
        if overlooks(pos, vision, move, ply, last_target, in_check):
            continue
        make_move(pos, state, ply, move)
        score = -humanlike_search(pos, state, vision, depth - 1, capture_plies - np.int64(depth <= 0), -beta, -alpha,
                                  ply + 1, target)
        unmake_move(pos, move)
        if state.stopped:
            return DRAW
        best = max(best, score)
        if score > alpha:
            alpha = score
            update_pv(state, ply, move)
            if score >= beta:
                break

    # Step 4. If all moves are overlooked, the static evaluation.
    return best if best > -INFINITE else _perceived_eval(pos, state, vision, ply)


@entry(POSITION_TYPE, STATE_TYPE, VISION_TYPE, int64, int64, int64, int64)
def value_of_move(pos: PositionRecord, state: StateRecord, vision: VisionRecord, move: int, depth: int,
                  least: int, must_see: int) -> Int:
    """The perceived score of the root move `move`, `depth` plies deep including it; NO_SCORE if it is overlooked.

    A score up to `least` is only an upper bound. The PV is that of ply 0. The result is invalid if `state.stopped` is
    set. With `must_see` the move itself is never overlooked.
    """
    state.root_depth = depth
    checkers, _ = checkers_and_pinned(pos)
    if not must_see and overlooks(pos, vision, move, np.int64(0), _NOWHERE, checkers != EMPTY):
        return NO_SCORE
    frame_at(state, np.int64(1)).moves_begin = 0  # the root's moves are kept elsewhere
    make_move(pos, state, np.int64(0), move)
    score = -humanlike_search(pos, state, vision, depth - 1, np.int64(vision.capture_plies), -INFINITE,
                              np.int64(-least), np.int64(1), to_square(move))
    unmake_move(pos, move)
    update_pv(state, np.int64(0), move)
    return score
