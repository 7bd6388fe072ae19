"""The node of expectimax, in numbered steps.

At MAX nodes, which are ours, the best move counts. The opponent's nodes are chance nodes: each reply comes with the
probability that opponent.py gives it, and the node is worth the average. So nothing can be pruned: a single reply may
dominate. Averages of centipawns mean nothing beside mates, therefore values are utilities, from -1 (lost) to 1 (won),
and always MAX's.

Below the horizon both sides are taken to capture well: quiescence of the alpha-beta search, called by its address.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from engine.alphabeta.calling import call_search
from engine.alphabeta.state import PLY_MASK, STACK, STATE_TYPE, StateRecord
from engine.alphabeta.steps import extend_pv, is_draw, play, poll, take_back
from engine.core.bits import EMPTY
from engine.core.movegen import ALL_MOVES, MAX_MOVES, MOVE_LIST_PLIES, generate, king_masks
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.expectimax.opponent import (
    AssumptionsRecord,
    expected_value,
    guess_probabilities,
    is_random_mover,
    likeliest_first,
)
from engine.kernel import entry, inline, int64, kernel, record_type
from engine.kernel.records import I8, Fields, Numbers, dtype_of
from engine.search.scores import DRAW, INFINITE, MATE, MATE_BAND, MAX_PLY, mated_in

_QUIESCENCE = np.int64(0)  # a search so deep is quiescence alone
_UNCERTAIN = np.int64(0)
_LIST_LENGTH = MOVE_LIST_PLIES * MAX_MOVES

# What expectimax keeps beside the state of a search thread. Lists of moves stand in `state.list`; what is known of the
# move at some place there stands at the same place here.

class TreeRecord(Fields):
    """What expectimax keeps beside the state of a search thread."""

    assumed: AssumptionsRecord
    search_address: I8  # of search_from's machine code
    depth: I8  # of the iteration
    next_poll: I8  # the nodes at which limits are looked at
    # [ply]: the score of a mate that comes whatever the opponent plays, or _UNCERTAIN.
    certain: Annotated[Numbers, "i8", STACK]
    scores: Annotated[Numbers, "i8", _LIST_LENGTH]  # of a reply, in the opponent's eyes
    probabilities: Annotated[Numbers, "f8", _LIST_LENGTH]
    values: Annotated[Numbers, "f8", _LIST_LENGTH]


TREE = dtype_of(TreeRecord)
TREE_TYPE = record_type(TREE)


@inline
def is_max_node(ply):
    """Whether the side that is to move at the root is to move."""
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
    """The mate for MAX, or against it, that a score at the horizon proves for every reply; or _UNCERTAIN.

    Quiescence mates only where it has seen every way out; but where the opponent has to find the mate, he may not.
    """
    for_max = score if is_max_node(ply) else -score
    if for_max >= MATE_BAND or (for_max < 0 and score == mated_in(ply)):
        return for_max
    return _UNCERTAIN


@inline
def settle(state, tree, score, ply):
    """The utility for MAX of a position whose score for the side to move is known: the line ends here."""
    state.pv_length[ply] = 0
    tree.certain[ply] = certain_mate(score, ply)
    utility = utility_of(tree.assumed, score)
    return utility if is_max_node(ply) else -utility


@inline
def poll_limits(state, tree):
    """Look at the limits, if it is time to.

    Quiescence polls too, but it does not know of the iteration, and takes each for the first, which is finished as a
    rule. Hence a count of our own.
    """
    if state.nodes >= tree.next_poll:
        state.root_depth = tree.depth
        poll(state)
        tree.next_poll = state.next_poll


@inline
def list_moves(pos, state, ply):
    """Write the legal moves behind those of the ply above; returns where they begin and end, and if it is check."""
    checkers, pinned = king_masks(pos)
    begin = np.int64(state.begin[ply])
    end = generate(pos, state.list, begin, ALL_MOVES, checkers, pinned)
    return begin, end, checkers != EMPTY


@inline
def score_without_moves(in_check, ply):
    return mated_in(ply) if in_check else DRAW


@kernel
def horizon_score(pos, state, tree, ply, beta):
    """The score for the side to move where nothing is searched any more: by the rules, or else by quiescence.

    From `beta` upwards it is only known to be at least so much. Quiescence does not see stalemate: it is seen here.
    """
    if is_draw(pos, state, ply):
        return DRAW
    begin, end, in_check = list_moves(pos, state, ply)
    if begin == end:
        return score_without_moves(in_check, ply)
    return call_search(tree.search_address, pos, state, _QUIESCENCE, -INFINITE, beta, ply)


@kernel
def score_after(pos, state, tree, move, ply, beta):
    """The `horizon_score` of what `move` leads to, for the side that moved; below `-beta` it is only known to be so."""
    play(pos, state, ply, move)
    score = -horizon_score(pos, state, tree, ply + 1, beta)
    take_back(pos, move)
    return score


@kernel
def score_replies(pos, state, tree, begin, end, ply):
    """The score of every reply for the opponent, who is to move, by a look at what it leads to."""
    for index in range(begin, end):
        tree.scores[index] = score_after(pos, state, tree, np.int64(state.list.moves[index]), ply, INFINITE)


@inline
def model_replies(pos, state, tree, depth, begin, end, ply):
    """Give each reply of a chance node its probability, and sort them by it. At depth 1 their scores are known after.

    The scores of a random mover's replies are not asked for otherwise: he does not look at them.
    """
    if depth == 1 or not is_random_mover(tree.assumed):
        score_replies(pos, state, tree, begin, end, ply)
    guess_probabilities(tree.assumed, tree.scores, begin, end, tree.probabilities)
    likeliest_first(state.list.moves, tree.scores, tree.probabilities, begin, end)


@inline
def certain_of_all(lowest, highest):
    """The mate that comes by every reply, when theirs lie between `lowest` and `highest`: the longest."""
    if lowest > _UNCERTAIN:
        return lowest
    return min(highest, _UNCERTAIN)


@kernel
def expectimax(pos, state, tree, depth, ply):
    """The utility of `pos` for MAX, `depth` plies deep; its line in `state.pv[ply]`, what is sure in `tree.certain`."""
    ply &= PLY_MASK
    # Step 1. Stop; the horizon; the end of the game.
    poll_limits(state, tree)
    if state.stopped:
        return settle(state, tree, DRAW, ply)
    state.deepest = max(state.deepest, ply)
    if depth == 0:
        return settle(state, tree, horizon_score(pos, state, tree, ply, INFINITE), ply)
    if is_draw(pos, state, ply):
        return settle(state, tree, DRAW, ply)
    begin, end, in_check = list_moves(pos, state, ply)
    if begin == end:
        return settle(state, tree, score_without_moves(in_check, ply), ply)
    state.begin[ply + 1] = end

    # Step 2. At a chance node, what the opponent may play.
    is_max = is_max_node(ply)
    if not is_max:
        model_replies(pos, state, tree, depth, begin, end, ply)

    # Step 3. The value of every move.
    best, best_score = -np.inf, -INFINITE
    lowest, highest = INFINITE, -INFINITE
    for index in range(begin, end):
        if not is_max and tree.probabilities[index] == 0.0 and lowest <= _UNCERTAIN:
            # The rest is left out. Only where everything else is mated it is looked at: a mate must be certain.
            highest = max(highest, _UNCERTAIN)
            break
        move = np.int64(state.list.moves[index])
        if depth == 1:
            # MAX need not know by how much a move is worse than another; an average needs every number.
            score = score_after(pos, state, tree, move, ply, -best_score) if is_max else tree.scores[index]
            best_score = max(best_score, score)
            value = settle(state, tree, -score, ply + 1)
        else:
            play(pos, state, ply, move)
            value = expectimax(pos, state, tree, depth - 1, ply + 1)
            take_back(pos, move)
        if state.stopped:
            return settle(state, tree, DRAW, ply)
        tree.values[index] = value
        lowest, highest = min(lowest, tree.certain[ply + 1]), max(highest, tree.certain[ply + 1])
        # The line goes on with the best move, or with the likeliest reply, which is the first.
        if value > best if is_max else index == begin:
            extend_pv(state, ply, move)
        best = max(best, value)

    # Step 4. MAX takes the best, chance averages.
    if is_max:
        tree.certain[ply] = highest
        return best
    tree.certain[ply] = certain_of_all(lowest, highest)
    return expected_value(tree.probabilities, tree.values, begin, end)


@entry(POSITION_TYPE, STATE_TYPE, TREE_TYPE, int64, int64)
def value_of_move(pos: PositionRecord, state: StateRecord, tree: TreeRecord, move: int,
                  depth: int) -> tuple[float, int]:
    """The utility for MAX of playing `move` at the root, `depth` plies deep with it, and the mate that is certain.

    The line is in `state.pv[0]`. When `state.stopped` is set none of it means anything.
    """
    tree.depth, tree.next_poll = depth, 0
    state.begin[1] = 0  # the root's moves are kept elsewhere
    play(pos, state, np.int64(0), move)
    value = expectimax(pos, state, tree, depth - 1, np.int64(1))
    take_back(pos, move)
    extend_pv(state, np.int64(0), move)
    return value, tree.certain[1]
