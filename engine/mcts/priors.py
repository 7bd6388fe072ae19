"""Priors: the probabilities of moves before any visit, by the learned policy or by hand-made scores.

A hand-made score counts what the move captures, whether the piece can then be captured, whether it escapes from a less
valuable attacker, whether it gives check, and the PSQT. A softmax turns scores into probabilities.
"""

from __future__ import annotations

import math

import numpy as np

from engine.alphabeta.see import SEE_VALUES, flag_see_ok, see_ge
from engine.core.attacks import attacks_by_piece_value
from engine.core.bits import BISHOP, BIT, EMPTY, KING, KNIGHT, QUEEN, ROOK
from engine.core.legality import gives_check
from engine.core.moves import CASTLING, from_square, move_type, to_square
from engine.kernel import inline, kernel
from engine.mcts.learning import add_history
from eval.evaluate import psqt_score
from eval.policy.inference import policy_scores, soften_scores
from eval.psqt import psq_after, psq_of

_ESCAPE_DIVISOR = np.int64(2)  # a piece that escapes gains its value divided by this
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
