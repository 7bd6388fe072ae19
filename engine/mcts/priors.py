"""Priors: what each move promises, before any of them is tried. The learned policy says so, or else a glance.

A glance sees what the move captures, whether the piece can then be taken, whether it escapes from a less valuable
attacker, whether it gives check, and what its squares are worth. A softmax turns that into probabilities.
"""

from __future__ import annotations

import math

import numpy as np

from engine.alphabeta.see import SEE_VALUES, flag_see_ok, see_ge
from engine.core.attacks import KING_ATTACKS, KNIGHT_ATTACKS, PAWN_ATTACKS, bishop_attacks, rook_attacks
from engine.core.bits import BISHOP, BIT, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, clear_lsb, lsb
from engine.core.legality import gives_check
from engine.core.moves import CASTLING, from_square, move_type, to_square
from engine.core.position import king_square, occupied_squares
from engine.kernel import inline, kernel
from engine.mcts.leaves import make_move, proof_of, search_leaf, unmake_move
from engine.mcts.nodes import children_of, node_at, prove
from engine.mcts.params import Selection
from engine.search.scores import INFINITE
from eval.evaluate import psqt_score
from eval.policy.inference import policy_scores, soften_scores
from eval.psqt import psq_after, psq_of

_SHARE_OF_DANGER = np.int64(2)  # a piece that escapes saves its value divided by this


@inline
def _attacks_of(pos, color, kind, occupied):
    """All squares attacked by the pieces of one kind other than queen and king."""
    attacked = EMPTY
    pieces = pos.types[kind] & pos.colors[color]
    while pieces != EMPTY:
        square = lsb(pieces)
        if kind == PAWN:
            attacked |= PAWN_ATTACKS[color, square]
        elif kind == KNIGHT:
            attacked |= KNIGHT_ATTACKS[square]
        elif kind == BISHOP:
            attacked |= bishop_attacks(square, occupied)
        else:
            attacked |= rook_attacks(square, occupied)
        pieces = clear_lsb(pieces)
    return attacked


@inline
def _attacked_by_cheaper(pos, enemy, occupied):
    """Squares that the enemy attacks: (by pawns, by pawns and minors, by all but queen and king, by all)."""
    by_pawns = _attacks_of(pos, enemy, PAWN, occupied)
    by_minors = by_pawns | _attacks_of(pos, enemy, KNIGHT, occupied) | _attacks_of(pos, enemy, BISHOP, occupied)
    by_rooks = by_minors | _attacks_of(pos, enemy, ROOK, occupied)
    by_all = by_rooks | KING_ATTACKS[king_square(pos, enemy)]
    queens = pos.types[QUEEN] & pos.colors[enemy]
    while queens != EMPTY:
        square = lsb(queens)
        by_all |= bishop_attacks(square, occupied) | rook_attacks(square, occupied)
        queens = clear_lsb(queens)
    return by_pawns, by_minors, by_rooks, by_all


@inline
def _is_in_danger(kind, square, by_pawns, by_minors, by_rooks):
    """Whether a less valuable piece attacks the square."""
    attacked = EMPTY
    if kind == KNIGHT or kind == BISHOP:
        attacked = by_pawns
    elif kind == ROOK:
        attacked = by_minors
    elif kind == QUEEN:
        attacked = by_rooks
    return attacked & (BIT << square) != EMPTY


@inline
def _safety_gained(pos, move, kind, by_pawns, by_minors, by_rooks, by_all):
    """Centipawns lost if the piece can be won where it goes, and gained if it escapes from a less valuable attacker."""
    gained = np.int64(0)
    value = SEE_VALUES[kind]
    if kind != KING and by_all & (BIT << to_square(move)) != EMPTY and not see_ge(pos, move, np.int64(0)):
        gained -= value
    if _is_in_danger(kind, from_square(move), by_pawns, by_minors, by_rooks):
        gained += value // _SHARE_OF_DANGER
    return gained


@kernel
def handmade_scores(pos, state, worker, end):
    """Write what the first `end` moves of the list promise, in centipawns, to `worker.priors`; returns the best."""
    psq = psq_of(pos, state.weights)
    before = psqt_score(pos, state.weights, psq)
    by_pawns, by_minors, by_rooks, by_all = _attacked_by_cheaper(pos, np.int64(pos.side) ^ 1, occupied_squares(pos))
    best = -1e9
    for index in range(end):
        move = np.int64(state.move_list.moves[index])
        kind = np.int64(pos.board[from_square(move)]) & 7
        after = psqt_score(pos, state.weights, psq_after(pos, state.weights, psq, move))
        promise = np.float64(after - before)  # captures included
        if move_type(move) != CASTLING:
            promise += np.float64(_safety_gained(pos, move, kind, by_pawns, by_minors, by_rooks, by_all))
        if gives_check(pos, move):
            promise += worker.params.check_bonus
        worker.priors[index] = promise
        best = max(best, promise)
    return best


@kernel
def policy_priors(pos, state, worker, end, temperature):
    """Write the policy's probabilities for the first `end` moves of the list to `worker.priors`."""
    flag_see_ok(pos, state.move_list.moves, end, worker.see_ok)
    best = policy_scores(worker.policy, pos, state.move_list.moves, end, worker.see_ok, worker.priors)
    soften_scores(worker.priors, end, best, temperature)


@inline
def softmax_priors(worker, best, end, temperature):
    """Turn what the moves promise into probabilities: a softmax, and an equal share for all."""
    total = 0.0
    for index in range(end):
        weight = math.exp((worker.priors[index] - best) / temperature)
        worker.priors[index] = weight
        total += weight
    floor = worker.params.prior_floor
    for index in range(end):
        worker.priors[index] = (1.0 - floor) * worker.priors[index] / total + floor / np.float64(end)


@inline
def sort_by_prior(state, worker, end):
    """Sort the moves, the most promising first."""
    for index in range(1, end):
        prior, move = worker.priors[index], state.move_list.moves[index]
        place = index
        while place > 0 and worker.priors[place - 1] < prior:
            worker.priors[place] = worker.priors[place - 1]
            state.move_list.moves[place] = state.move_list.moves[place - 1]
            place -= 1
        worker.priors[place] = prior
        state.move_list.moves[place] = move


_PUCT = np.int64(Selection.PUCT)
_NEGLIGIBLE = 6.0  # a move that is this many temperatures below the best gets a negligible prior


@inline
def _refinement_number(params, visits, depth):
    """The number, from 0, of the look that is due at this visit; -1 if none is."""
    due = params.look_visits if depth == 0 else params.look_visits * params.look_inner
    number = np.int64(0)
    while due < visits:
        due *= params.look_growth
        number += 1
    return number if due == visits else np.int64(-1)


@inline
def refinement_is_due(params, visits, depth):
    """Whether a look at the moves is due at this visit, at least the `look_visits`th, to a node at this depth."""
    return params.selection == _PUCT and params.look_visits > 0 and _refinement_number(params, visits, depth) >= 0


@inline
def _search_child(pos, state, worker, node, plies, best):
    """The score of a child for its parent's side to move; far below `best` only a bound. A mate proves the child."""
    params = worker.params
    move = np.int64(node.move)
    enough = np.int64(min(_NEGLIGIBLE * params.look_temperature - best, np.float64(INFINITE)))
    make_move(pos, move)
    score = -search_leaf(pos, state, worker, plies, -INFINITE, enough)
    unmake_move(pos, move)
    proof = proof_of(score)
    if proof != 0 and params.use_solver and node.proof == 0 and not state.stopped:
        node.proof = proof
    return np.float64(score)


@kernel
def refine_priors(pos, state, worker, index, visits, depth):
    """Set the priors of a node's children by searches. Their order is kept, since other threads may be below them."""
    params = worker.params
    plies = params.look_depth + params.look_step * _refinement_number(params, visits, depth)
    first, end = children_of(worker.pool, index)
    best = -np.float64(INFINITE)
    for child in range(first, end):
        score = _search_child(pos, state, worker, node_at(worker.pool, child), plies, best)
        if state.stopped:
            return
        worker.priors[child - first] = score
        best = max(best, score)
    softmax_priors(worker, best, end - first, params.look_temperature)
    for child in range(first, end):
        looked = node_at(worker.pool, child)
        kept = (1.0 - params.look_share) * np.float64(looked.prior)
        looked.prior = kept + params.look_share * worker.priors[child - first]
    node = node_at(worker.pool, index)
    node.is_shuffled = 1
    proof = prove(worker.pool, index)
    if proof != 0:
        node.proof = proof
