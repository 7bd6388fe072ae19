"""The node of expectimax, in numbered steps.

At MAX nodes, where the engine moves, the best move counts. The opponent's nodes are chance nodes: opponent.py gives
each reply a probability, and the value of the node is the expected value. So nothing can be pruned: a single reply may
dominate. Centipawns cannot be averaged with mates, so values are utilities from -1 (loss) to 1 (win), always for MAX.

At the horizon the quiescence search of alpha-beta, called by address, gives the score.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from engine.alphabeta.evaluation import make_move, unmake_move
from engine.alphabeta.node_entry import check_limits, is_draw
from engine.alphabeta.pv import update_pv
from engine.alphabeta.state import PLY_MASK, STACK_SIZE, STATE_TYPE, StateRecord, call_search, frame_at
from engine.core.bits import EMPTY
from engine.core.movegen import ALL_MOVES, MAX_MOVES, MOVE_LIST_PLIES, checkers_and_pinned, generate
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.expectimax.opponent import (
    OpponentParamsRecord,
    expected_value,
    guess_probabilities,
    is_random_mover,
    sort_by_probability,
)
from engine.kernel import entry, inline, int64, kernel, record_type
from engine.kernel.records import I8, Fields, Numbers, dtype_of
from engine.search.scores import DRAW, INFINITE, MATE, MATE_BAND, MAX_PLY, mated_in

_QUIESCENCE = np.int64(0)  # the depth of a search that is only quiescence
_UNCERTAIN = np.int64(0)
_LIST_LENGTH = MOVE_LIST_PLIES * MAX_MOVES


class ExpectimaxRecord(Fields):
    """The data of expectimax besides the state of the search thread.

    The arrays are parallel to `state.move_list`: an index refers to the same move in all of them.
    """

    opponent_model: OpponentParamsRecord
    search_address: I8  # of the machine code of search_from
    depth: I8  # of the current iteration
    next_poll: I8  # the node count at which the limits are checked next
    # [ply]: the score of a mate that the opponent cannot avoid, or _UNCERTAIN.
    proven_mate: Annotated[Numbers, "i8", STACK_SIZE]
    scores: Annotated[Numbers, "i8", _LIST_LENGTH]  # of replies, from the opponent's view
    probabilities: Annotated[Numbers, "f8", _LIST_LENGTH]
    values: Annotated[Numbers, "f8", _LIST_LENGTH]


EXPECTIMAX = dtype_of(ExpectimaxRecord)
EXPECTIMAX_TYPE = record_type(EXPECTIMAX)


@inline
def is_max_node(ply):
    """Whether the side to move is the one that moves at the root."""
    return ply & 1 == 0


@inline
def utility_of(model, score):
    """The utility of a score for the side to move; every mate is beyond any evaluation."""
    size = abs(score)
    if size >= MATE_BAND:
        utility = 1.0 - (MATE - size) * model.mate_discount
    else:
        utility = min(math.tanh(size / model.scale), 1.0 - 2 * MAX_PLY * model.mate_discount)
    return utility if score >= 0 else -utility


@inline
def certain_mate(score, ply):
    """The mate score for MAX that a score at the horizon proves for any play of the opponent; or _UNCERTAIN.

    Quiescence returns a mate only after trying every evasion. A mate that the opponent has to find is not certain.
    """
    for_max = score if is_max_node(ply) else -score
    if for_max >= MATE_BAND or (for_max < 0 and score == mated_in(ply)):
        return for_max
    return _UNCERTAIN


@inline
def leaf_utility(state, tree, score, ply):
    """The utility for MAX of a leaf with this score for the side to move. Clears the PV and sets `proven_mate`."""
    frame_at(state, ply).pv_length = 0
    tree.proven_mate[ply] = certain_mate(score, ply)
    utility = utility_of(tree.opponent_model, score)
    return utility if is_max_node(ply) else -utility


@inline
def check_limits_if_due(state, tree):
    """Check the limits every few nodes.

    Quiescence checks them too, but it treats every iteration as the first, which is never interrupted, because it does
    not know the depth. Hence the separate node count.
    """
    if state.nodes >= tree.next_poll:
        state.root_depth = tree.depth
        check_limits(state)
        tree.next_poll = state.next_poll


@inline
def list_moves(pos, state, ply):
    """Write the legal moves after those of the previous ply; return (begin, end, whether in check)."""
    checkers, pinned = checkers_and_pinned(pos)
    begin = np.int64(frame_at(state, ply).moves_begin)
    end = generate(pos, state.move_list, begin, ALL_MOVES, checkers, pinned)
    return begin, end, checkers != EMPTY


@inline
def score_without_moves(in_check, ply):
    return mated_in(ply) if in_check else DRAW


@kernel
def horizon_score(pos, state, tree, ply, beta):
    """The score for the side to move at the horizon: by the rules, otherwise by quiescence.

    A score of `beta` or more is only a lower bound. Quiescence does not detect stalemate, so this function does.
    """
    if is_draw(pos, state, ply):
        return DRAW
    begin, end, in_check = list_moves(pos, state, ply)
    if begin == end:
        return score_without_moves(in_check, ply)
    return call_search(tree.search_address, pos, state, _QUIESCENCE, -INFINITE, beta, ply)


@kernel
def score_after(pos, state, tree, move, ply, beta):
    """The `horizon_score` after `move`, for the side that moved; a score of `-beta` or less is only an upper bound."""
    make_move(pos, state, ply, move)
    score = -horizon_score(pos, state, tree, ply + 1, beta)
    unmake_move(pos, move)
    return score


@kernel
def score_replies(pos, state, tree, begin, end, ply):
    """Write the score of every reply for the opponent, by quiescence after it; not all of them if stopped."""
    for index in range(begin, end):
        check_limits_if_due(state, tree)
        if state.stopped:
            return
        tree.scores[index] = score_after(pos, state, tree, np.int64(state.move_list.moves[index]), ply, INFINITE)


@inline
def model_replies(pos, state, tree, depth, begin, end, ply):
    """Set the probabilities of the replies of a chance node, and sort the replies by them.

    Replies are scored first, except those of a random mover above depth 1, whose scores are not needed.
    """
    if depth == 1 or not is_random_mover(tree.opponent_model):
        score_replies(pos, state, tree, begin, end, ply)
    guess_probabilities(tree.opponent_model, tree.scores, begin, end, tree.probabilities)
    sort_by_probability(state.move_list.moves, tree.scores, tree.probabilities, begin, end)


@inline
def mate_by_all_replies(lowest, highest):
    """The mate that every reply leads to, the longest one, if those of the replies are from `lowest` to `highest`."""
    if lowest > _UNCERTAIN:
        return lowest
    return min(highest, _UNCERTAIN)


@kernel
def expectimax(pos, state, tree, depth, ply):
    """The utility of `pos` for MAX at `depth`. Sets the PV of this ply and `tree.proven_mate[ply]`."""
    ply &= PLY_MASK
    # Step 1. Stop; the horizon; the end of the game.
    check_limits_if_due(state, tree)
    if state.stopped:
        return leaf_utility(state, tree, DRAW, ply)
    state.seldepth = max(state.seldepth, ply)
    if depth == 0:
        return leaf_utility(state, tree, horizon_score(pos, state, tree, ply, INFINITE), ply)
    if is_draw(pos, state, ply):
        return leaf_utility(state, tree, DRAW, ply)
    begin, end, in_check = list_moves(pos, state, ply)
    if begin == end:
        return leaf_utility(state, tree, score_without_moves(in_check, ply), ply)
    frame_at(state, ply + 1).moves_begin = end

    # Step 2. At a chance node, the probabilities of the replies.
    is_max = is_max_node(ply)
    if not is_max:
        model_replies(pos, state, tree, depth, begin, end, ply)

    # Step 3. The value of every move.
    best, best_score = -np.inf, -INFINITE
    lowest, highest = INFINITE, -INFINITE
    for index in range(begin, end):
        if not is_max and tree.probabilities[index] == 0.0 and lowest <= _UNCERTAIN:
            # Unlikely replies are skipped, unless all others lead to mate, because a mate must be certain.
            highest = max(highest, _UNCERTAIN)
            break
        move = np.int64(state.move_list.moves[index])
        if depth == 1:
            # MAX only needs a bound for moves worse than the best; an expected value needs every value.
            score = score_after(pos, state, tree, move, ply, -best_score) if is_max else tree.scores[index]
            best_score = max(best_score, score)
            value = leaf_utility(state, tree, -score, ply + 1)
        else:
            make_move(pos, state, ply, move)
            value = expectimax(pos, state, tree, depth - 1, ply + 1)
            unmake_move(pos, move)
        if state.stopped:
            return leaf_utility(state, tree, DRAW, ply)
        tree.values[index] = value
        lowest, highest = min(lowest, tree.proven_mate[ply + 1]), max(highest, tree.proven_mate[ply + 1])
        # The PV continues with the best move, or with the most probable reply, which is the first.
        if value > best if is_max else index == begin:
            update_pv(state, ply, move)
        best = max(best, value)

    # Step 4. The maximum at MAX nodes, the expected value at chance nodes.
    if is_max:
        tree.proven_mate[ply] = highest
        return best
    tree.proven_mate[ply] = mate_by_all_replies(lowest, highest)
    return expected_value(tree.probabilities, tree.values, begin, end)


@entry(POSITION_TYPE, STATE_TYPE, EXPECTIMAX_TYPE, int64, int64)
def value_of_move(pos: PositionRecord, state: StateRecord, tree: ExpectimaxRecord, move: int,
                  depth: int) -> tuple[float, int]:
    """(utility for MAX, certain mate or 0) of the root move `move`, searched to `depth` plies including it.

    The PV is that of ply 0. The result is invalid if `state.stopped` is set.
    """
    tree.depth, tree.next_poll = depth, 0
    frame_at(state, np.int64(1)).moves_begin = 0  # the root's moves are kept elsewhere
    make_move(pos, state, np.int64(0), move)
    value = expectimax(pos, state, tree, depth - 1, np.int64(1))
    unmake_move(pos, move)
    update_pv(state, np.int64(0), move)
    return value, tree.proven_mate[1]
