"""Priors: the probabilities of moves before any visit, by the learned policy or by hand-made scores.

A hand-made score counts what the move captures, whether the piece can then be captured, whether it escapes from a less
valuable attacker, whether it gives check, and the PSQT. A softmax turns scores into probabilities. After many visits,
searches refine the priors.
"""

from __future__ import annotations

import math

import numpy as np

from engine.alphabeta.history import piece_to_index
from engine.alphabeta.see import SEE_VALUES, flag_see_ok, see_ge
from engine.core.attacks import attacks_by_piece_value
from engine.core.bits import BISHOP, BIT, EMPTY, KING, KNIGHT, QUEEN, ROOK
from engine.core.legality import gives_check
from engine.core.moves import CASTLING, from_square, move_type, to_square
from engine.kernel import inline, kernel
from engine.mcts.learning import add_history
from engine.mcts.leaves import make_move, proof_of, search_leaf, set_last_moves, unmake_move
from engine.mcts.nodes import children_of, node_at, prove
from engine.mcts.params import Selection
from engine.search.scores import INFINITE, is_decisive
from eval.evaluate import psqt_score
from eval.policy.inference import policy_scores, soften_scores
from eval.psqt import psq_after, psq_of

_ESCAPE_DIVISOR = np.int64(2)  # a piece that escapes gains its value divided by this
_PUCT = np.int64(Selection.PUCT)
_MIN_IMPURITY = 0.001
_MIN_FACTOR, _MAX_FACTOR = 0.5, 2.0  # of exploration, by impurity


@inline
def _is_threatened(piece_type, square, by_pawns, by_minors, by_rooks):
    """Whether a less valuable piece attacks a piece of this type on `square`."""
    attacked = EMPTY
    if piece_type == KNIGHT or piece_type == BISHOP:
        attacked = by_pawns
    elif piece_type == ROOK:
        attacked = by_minors
    elif piece_type == QUEEN:
        attacked = by_rooks
    return attacked & (BIT << square) != EMPTY


@inline
def _safety_score(pos, move, piece_type, by_pawns, by_minors, by_rooks, by_all):
    """Centipawns: negative if the piece is lost on its target square, positive if it escapes from a lesser attacker."""
    score = np.int64(0)
    value = SEE_VALUES[piece_type]
    if piece_type != KING and by_all & (BIT << to_square(move)) != EMPTY and not see_ge(pos, move, np.int64(0)):
        score -= value
    if _is_threatened(piece_type, from_square(move), by_pawns, by_minors, by_rooks):
        score += value // _ESCAPE_DIVISOR
    return score


@kernel
def handmade_scores(pos, state, worker, end):
    """Write the scores of the first `end` moves of the list, in centipawns, to `worker.priors`; return the best."""
    psq = psq_of(pos, state.weights)
    before = psqt_score(pos, state.weights, psq)
    by_pawns, by_minors, by_rooks, by_all = attacks_by_piece_value(pos, np.int64(pos.side) ^ 1)
    best = -1e9
    for index in range(end):
        move = np.int64(state.move_list.moves[index])
        piece_type = np.int64(pos.board[from_square(move)]) & 7
        after = psqt_score(pos, state.weights, psq_after(pos, state.weights, psq, move))
        score = np.float64(after - before)  # captures included
        if move_type(move) != CASTLING:
            score += np.float64(_safety_score(pos, move, piece_type, by_pawns, by_minors, by_rooks, by_all))
        if gives_check(pos, move):
            score += worker.params.check_bonus
        worker.priors[index] = score
        best = max(best, score)
    return best


@kernel
def policy_priors(pos, state, worker, end, temperature):
    """Write the policy's probabilities for the first `end` moves of the list to `worker.priors`."""
    flag_see_ok(pos, state.move_list.moves, end, worker.see_ok)
    best = policy_scores(worker.policy, pos, state.move_list.moves, end, worker.see_ok, worker.priors)
    if worker.params.history_weight > 0.0:
        best = add_history(pos, state, worker, end)
    soften_scores(worker.priors, end, best, temperature)


@inline
def softmax_priors(worker, best, end, temperature):
    """Turn the scores in `worker.priors` into probabilities: a softmax, with a floor for every move."""
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
    """Sort moves and priors, the highest prior first."""
    for index in range(1, end):
        prior, move = worker.priors[index], state.move_list.moves[index]
        gap = index
        while gap > 0 and worker.priors[gap - 1] < prior:
            worker.priors[gap] = worker.priors[gap - 1]
            state.move_list.moves[gap] = state.move_list.moves[gap - 1]
            gap -= 1
        worker.priors[gap] = prior
        state.move_list.moves[gap] = move


@inline
def scale_by_impurity(worker, end):
    """Multiply priors, which add up to 1, by the factor of exploration that their Gini impurity asks for.

    The purer they are, the more there is to explore: one move is expected, and may be wrong. 1 at the usual impurity.
    """
    params = worker.params
    if params.impurity_weight == 0.0:
        return
    purity = 0.0
    for index in range(end):
        purity += worker.priors[index] * worker.priors[index]
    excess = math.log(params.usual_impurity / max(1.0 - purity, _MIN_IMPURITY))
    factor = min(max(1.0 + params.impurity_weight * excess, _MIN_FACTOR), _MAX_FACTOR)
    for index in range(end):
        worker.priors[index] *= factor


@inline
def _refinement_number(params, visits, depth):
    """The number, from 0, of the refinement that is due at this visit; -1 if none is."""
    due = params.refine_visits if depth == 0 else params.refine_visits * params.refine_inner
    number = np.int64(0)
    while due < visits:
        due *= params.refine_growth
        number += 1
    return number if due == visits else np.int64(-1)


@inline
def refinement_is_due(params, visits, depth):
    """Whether priors are refined at this visit, at least the `refine_visits`th, to a node at this depth."""
    return params.selection == _PUCT and params.refine_visits > 0 and _refinement_number(params, visits, depth) >= 0


@inline
def _score_of_child(pos, state, worker, plies, beta):
    """The score of a child for its side to move, exact below `beta`; INFINITE if a zero window shows that it is not."""
    if worker.params.use_refine_test and beta < INFINITE:
        score = search_leaf(pos, state, worker, plies, beta - 1, beta)
        if score >= beta or state.stopped:
            return score if is_decisive(score) else INFINITE
    return search_leaf(pos, state, worker, plies, -INFINITE, beta)


@inline
def _search_child(pos, state, worker, child, depth, plies, best):
    """The score of the child of a node at `depth` for the node's side to move; only a bound far below `best`.

    A mate proves the child.
    """
    params, node = worker.params, node_at(worker.pool, child)
    move = np.int64(node.move)
    worker.path[depth + 1], worker.piece_to[depth + 1] = child, piece_to_index(pos, move)
    set_last_moves(state, worker, depth + 1)
    beta = np.int64(min(params.refine_band * params.refine_temperature - best, np.float64(INFINITE)))
    make_move(pos, move)
    score = -_score_of_child(pos, state, worker, plies, beta)
    unmake_move(pos, move)
    proof = proof_of(score) if score > -INFINITE else np.int64(0)
    if proof != 0 and params.use_solver and node.proof == 0 and not state.stopped:
        node.proof = proof
    return np.float64(score)


@kernel
def refine_priors(pos, state, worker, index, visits, depth):
    """Refine the priors of a node's children by searches. Keeps their order, since other threads may be below them."""
    params = worker.params
    plies = params.refine_depth + params.refine_step * _refinement_number(params, visits, depth)
    first, end = children_of(worker.pool, index)
    best = -np.float64(INFINITE)
    for child in range(first, end):
        score = _search_child(pos, state, worker, child, depth, plies, best)
        if state.stopped:
            return
        worker.priors[child - first] = score
        best = max(best, score)
    softmax_priors(worker, best, end - first, params.refine_temperature)
    scale_by_impurity(worker, end - first)
    for child in range(first, end):
        child_node = node_at(worker.pool, child)
        kept = (1.0 - params.refine_share) * np.float64(child_node.prior)
        child_node.prior = kept + params.refine_share * worker.priors[child - first]
    node = node_at(worker.pool, index)
    node.is_shuffled = 1
    proof = prove(worker.pool, index)
    if proof != 0:
        node.proof = proof
