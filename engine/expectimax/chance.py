"""The node of expectimax, in numbered steps.

At MAX nodes, where the engine moves, the best move counts. The opponent's nodes are chance nodes: each reply comes with
the probability that opponent.py gives it, and the node is worth the average. So nothing can be pruned: a single reply
may dominate. Centipawns cannot be averaged with mates, so values are utilities from -1 (lost) to 1 (won), and always
MAX's.

Beyond the horizon both sides are assumed to capture well: by alpha-beta's quiescence search, called by its address.
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

_QUIESCENCE = np.int64(0)  # the depth of a search that is quiescence only
_UNCERTAIN = np.int64(0)
_LIST_LENGTH = MOVE_LIST_PLIES * MAX_MOVES


class ExpectimaxRecord(Fields):
    """What expectimax keeps besides the state of a search thread. Moves are in `state.list`; what is known about the
    move at some index there is at the same index here.
    """

    opponent_model: OpponentParamsRecord
    search_address: I8  # of search_from's machine code
    depth: I8  # of the iteration
    next_poll: I8  # the number of nodes at which limits are checked next
    # [ply]: the score of a mate that comes whatever the opponent plays, or _UNCERTAIN.
    proven_mate: Annotated[Numbers, "i8", STACK_SIZE]
    scores: Annotated[Numbers, "i8", _LIST_LENGTH]  # of a reply, from the opponent's view
    probabilities: Annotated[Numbers, "f8", _LIST_LENGTH]
    values: Annotated[Numbers, "f8", _LIST_LENGTH]


TREE = dtype_of(ExpectimaxRecord)
TREE_TYPE = record_type(TREE)


@inline
def is_max_node(ply):
    """Whether the side to move is the one that moves at the root."""
    return ply & 1 == 0


@inline
def utility_of(assumed, score):
    """What a score is worth to the side to move; every mate is worth more than any evaluation."""
    size = abs(score)
    if size >= MATE_BAND:
        utility = 1.0 - (MATE - size) * assumed.mate_discount
    else:
        utility = min(math.tanh(size / assumed.scale), 1.0 - 2 * MAX_PLY * assumed.mate_discount)
    return utility if score >= 0 else -utility


@inline
def certain_mate(score, ply):
    """The mate for or against MAX that a score at the horizon proves whatever the opponent plays; or _UNCERTAIN.

    Quiescence announces a mate only if it has tried every evasion; but a mate that the opponent has to find is not
    certain.
    """
    for_max = score if is_max_node(ply) else -score
    if for_max >= MATE_BAND or (for_max < 0 and score == mated_in(ply)):
        return for_max
    return _UNCERTAIN


@inline
def leaf_utility(state, tree, score, ply):
    """The utility for MAX of a position whose score for the side to move is known; the line ends here."""
    frame_at(state, ply).pv_length = 0
    tree.proven_mate[ply] = certain_mate(score, ply)
    utility = utility_of(tree.opponent_model, score)
    return utility if is_max_node(ply) else -utility


@inline
def poll_limits(state, tree):
    """Check the limits, if it is time to.

    Quiescence polls too, but it does not know the depth of the iteration and takes each one for the first, which is not
    interrupted. Hence the separate count.
    """
    if state.nodes >= tree.next_poll:
        state.root_depth = tree.depth
        check_limits(state)
        tree.next_poll = state.next_poll


@inline
def list_moves(pos, state, ply):
    """Write the legal moves after those of the previous ply; returns (begin, end, whether it is check)."""
    checkers, pinned = checkers_and_pinned(pos)
    begin = np.int64(frame_at(state, ply).moves_begin)
    end = generate(pos, state.move_list, begin, ALL_MOVES, checkers, pinned)
    return begin, end, checkers != EMPTY


@inline
def score_without_moves(in_check, ply):
    return mated_in(ply) if in_check else DRAW


@kernel
def horizon_score(pos, state, tree, ply, beta):
    """The score for the side to move at the horizon: by the rules, or else by quiescence.

    A score of `beta` or more is only a lower bound. Quiescence does not see stalemate, so it is tested here.
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
    """Score every reply for the opponent, who is to move, by quiescence after it; if stopped, only some of them."""
    for index in range(begin, end):
        poll_limits(state, tree)
        if state.stopped:
            return
        tree.scores[index] = score_after(pos, state, tree, np.int64(state.move_list.moves[index]), ply, INFINITE)


@inline
def model_replies(pos, state, tree, depth, begin, end, ply):
    """Give each reply of a chance node its probability, and sort the replies by it. At depth 1 they are scored too.

    Otherwise a random mover's replies are not scored, since their scores do not matter to it.
    """
    if depth == 1 or not is_random_mover(tree.opponent_model):
        score_replies(pos, state, tree, begin, end, ply)
    guess_probabilities(tree.opponent_model, tree.scores, begin, end, tree.probabilities)
    sort_by_probability(state.move_list.moves, tree.scores, tree.probabilities, begin, end)


@inline
def certain_of_all(lowest, highest):
    """The mate that comes after every reply, whose own mates are between `lowest` and `highest`: the longest one."""
    if lowest > _UNCERTAIN:
        return lowest
    return min(highest, _UNCERTAIN)


@kernel
def expectimax(pos, state, tree, depth, ply):
    """The utility of `pos` for MAX at `depth`; the line is in `state.pv[ply]`, any certain mate in `tree.certain`."""
    ply &= PLY_MASK
    # Step 1. Stop; the horizon; the end of the game.
    poll_limits(state, tree)
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

    # Step 2. At a chance node, what the opponent may play.
    is_max = is_max_node(ply)
    if not is_max:
        model_replies(pos, state, tree, depth, begin, end, ply)

    # Step 3. The value of every move.
    best, best_score = -np.inf, -INFINITE
    lowest, highest = INFINITE, -INFINITE
    for index in range(begin, end):
        if not is_max and tree.probabilities[index] == 0.0 and lowest <= _UNCERTAIN:
            # Unlikely replies are left out, unless all others are mated: a mate must be certain.
            highest = max(highest, _UNCERTAIN)
            break
        move = np.int64(state.move_list.moves[index])
        if depth == 1:
            # MAX need not know by how much a move is worse than the best; an average needs every value.
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
        # The line continues with the best move, or with the likeliest reply, which is the first.
        if value > best if is_max else index == begin:
            update_pv(state, ply, move)
        best = max(best, value)

    # Step 4. MAX takes the best, chance averages.
    if is_max:
        tree.proven_mate[ply] = highest
        return best
    tree.proven_mate[ply] = certain_of_all(lowest, highest)
    return expected_value(tree.probabilities, tree.values, begin, end)


@entry(POSITION_TYPE, STATE_TYPE, TREE_TYPE, int64, int64)
def value_of_move(pos: PositionRecord, state: StateRecord, tree: ExpectimaxRecord, move: int,
                  depth: int) -> tuple[float, int]:
    """The utility for MAX of playing `move` at the root, searched to `depth` plies including it, and a certain mate.

    The line is in `state.pv[0]`. If `state.stopped` is set, none of it means anything.
    """
    tree.depth, tree.next_poll = depth, 0
    frame_at(state, np.int64(1)).moves_begin = 0  # the root's moves are kept elsewhere
    make_move(pos, state, np.int64(0), move)
    value = expectimax(pos, state, tree, depth - 1, np.int64(1))
    unmake_move(pos, move)
    update_pv(state, np.int64(0), move)
    return value, tree.proven_mate[1]
