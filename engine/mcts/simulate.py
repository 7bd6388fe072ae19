"""Step 3 of 4, simulation: the value of a new leaf, by a random or light playout, or by a search instead."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.see import capture_gain, see_ge
from engine.core.bits import EMPTY
from engine.core.draws import is_fifty_moves, is_insufficient_material
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy
from engine.kernel import inline, kernel
from engine.mcts.leaves import evaluate_leaf, make_move, proof_of, search_leaf, set_last_moves
from engine.mcts.params import Leaf
from engine.mcts.sampling import random_below, random_event, random_move
from engine.mcts.values import score_for, win_loss_of
from engine.search.scores import INFINITE

_RANDOM, _CUT_OFF = np.int64(Leaf.RANDOM), np.int64(Leaf.CUT_OFF)
_SEARCH, _EVALUATION = np.int64(Leaf.SEARCH), np.int64(Leaf.EVALUATION)
_SAFE_MOVE_TRIES = np.int64(4)


@inline
def set_up_playout(worker, pos):
    """Copy the position, without its history, to `worker.playout_position`."""
    copy = worker.playout_position
    for index in range(8):
        copy.types[index] = pos.types[index]
    for index in range(64):
        copy.board[index] = pos.board[index]
        copy.castling_kept[index] = pos.castling_kept[index]
    for index in range(4):
        copy.castling_rooks[index] = pos.castling_rooks[index]
        copy.castling_empty[index] = pos.castling_empty[index]
        copy.castling_safe[index] = pos.castling_safe[index]
    copy.colors[0], copy.colors[1] = pos.colors[0], pos.colors[1]
    copy.castling, copy.ep, copy.side, copy.rule50 = pos.castling, pos.ep, pos.side, pos.rule50
    copy.captured, copy.chess960, copy.ply = pos.captured, pos.chess960, np.uint32(0)
    copy.key, copy.pawn_key = pos.key, pos.pawn_key
    copy.non_pawn_keys[0], copy.non_pawn_keys[1] = pos.non_pawn_keys[0], pos.non_pawn_keys[1]


@inline
def _leaf_score(pos, state, worker, expected):
    """The score of a leaf, searched in a window around the expected value; only a bound outside of it."""
    params = worker.params
    middle = score_for(pos, worker, expected)
    return search_leaf(pos, state, worker, params.leaf_depth, middle - params.leaf_window, middle + params.leaf_window)


@inline
def _best_capture(pos, state, end):
    """The capture of the most valuable piece that does not lose material; NULL_MOVE if there is none."""
    best, most = NULL_MOVE, np.int64(0)
    for index in range(end):
        move = np.int64(state.move_list.moves[index])
        if is_noisy(pos, move):
            value = capture_gain(pos, move)
            if value > most and see_ge(pos, move, np.int64(0)):
                best, most = move, value
    return best


@inline
def _light_move(pos, state, worker, end):
    """Mostly the best capture; otherwise a random move, preferably one that does not lose material."""
    capture = _best_capture(pos, state, end)
    if capture != NULL_MOVE and random_event(worker, worker.params.greed):
        return capture
    move = np.int64(state.move_list.moves[random_below(worker, end)])
    for _ in range(_SAFE_MOVE_TRIES):
        if see_ge(pos, move, np.int64(0)):
            break
        move = np.int64(state.move_list.moves[random_below(worker, end)])
    return move


@inline
def _list_moves(pos, state, checkers, pinned):
    return generate(pos, state.move_list, np.int64(0), ALL_MOVES, checkers, pinned)


@inline
def _playout_move(pos, state, worker, checkers, pinned):
    """The next move of a playout; NULL_MOVE if there is no legal move."""
    if worker.params.leaf == _RANDOM and checkers == EMPTY:
        move = random_move(pos, worker, pinned)
        if move != NULL_MOVE:
            return move
    end = _list_moves(pos, state, checkers, pinned)
    if end == 0:
        return NULL_MOVE
    if worker.params.leaf == _RANDOM:
        return np.int64(state.move_list.moves[random_below(worker, end)])
    return _light_move(pos, state, worker, end)


@kernel
def playout(pos, state, worker):
    """Play on `pos` to the end of the game or of the playout.

    Returns (value for the side to move at the start, draw probability).
    """
    side = np.int64(pos.side)
    worker.playouts += 1
    for ply in range(worker.params.longest_playout):
        if worker.params.leaf == _CUT_OFF and ply >= worker.params.cut_off_plies:
            set_last_moves(state, worker, np.int64(0))
            score = search_leaf(pos, state, worker, worker.params.leaf_depth, -INFINITE, INFINITE)
            win, loss = win_loss_of(pos, worker, score)
            value = win - loss
            return (value if pos.side == side else -value), 1.0 - win - loss
        checkers, pinned = checkers_and_pinned(pos)
        move = _playout_move(pos, state, worker, checkers, pinned)
        if move == NULL_MOVE and checkers != EMPTY:
            return (-1.0 if pos.side == side else 1.0), 0.0
        if move == NULL_MOVE or is_fifty_moves(pos) or is_insufficient_material(pos):
            return 0.0, 1.0
        make_move(pos, move)
        worker.playout_plies += 1
    worker.unfinished_playouts += 1
    return 0.0, 1.0


@kernel
def simulate(pos, state, worker, expected):
    """(value for the side to move, draw probability, `proof_of`) of a leaf where the game is not over.

    `expected` is an estimate of the value.
    """
    params = worker.params
    value, draw, proof, share = 0.0, 0.0, np.int64(0), 1.0
    if params.leaf == _SEARCH or params.leaf == _EVALUATION:
        is_static = params.leaf == _EVALUATION
        score = evaluate_leaf(pos, state) if is_static else _leaf_score(pos, state, worker, expected)
        win, loss = win_loss_of(pos, worker, score)
        value, draw, proof, share = win - loss, 1.0 - win - loss, proof_of(score), params.playout_share
    if share > 0.0 and proof == 0:
        set_up_playout(worker, pos)
        result, drawn = playout(worker.playout_position, state, worker)
        value = (1.0 - share) * value + share * result
        draw = (1.0 - share) * draw + share * drawn
    return value, draw, proof
