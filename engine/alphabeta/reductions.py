"""How deep to search: extensions, and reductions of nodes and of late moves. One named function each."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.evaluation import complexity, opponent_is_worsening
from engine.alphabeta.history import TT_MOVE_HISTORY_BITS
from engine.alphabeta.state import REDUCTION_ROWS, frame_at
from engine.alphabeta.tt import LOWER, entry_bound, entry_depth
from engine.core.attacks import PAWN_ATTACKS, piece_attacks
from engine.core.bits import BISHOP, BIT, EMPTY, KNIGHT, PAWN, QUEEN, ROOK
from engine.core.moves import NULL_MOVE, from_square, to_square
from engine.core.position import occupied_squares
from engine.kernel import inline, kernel
from engine.search.scores import NO_SCORE, is_decisive

_ONE_PLY = np.int64(1024)
_ONE_PLY_BITS = np.int64(10)


@inline
def whole_plies(reduction):
    """The plies in a reduction, which is counted in 1024ths."""
    return reduction >> _ONE_PLY_BITS


# Extensions, and reductions of whole nodes.


@inline
def hindsight_depth(state, ply, depth):
    """Hindsight: the depth of a node after its static evaluation. A ply more if its move was reduced by much although
    it did not worsen the opponent's position; a ply less if it was reduced and both sides' evaluations leave a surplus.
    """
    params, frame, parent = state.params, frame_at(state, ply), frame_at(state, ply - 1)
    reduction = np.int64(parent.reduction)
    if not params.use_hindsight or reduction == 0 or ply == 0:
        return depth
    parent.reduction = 0  # no other search of this node was reduced
    if frame.static_eval == NO_SCORE or parent.static_eval == NO_SCORE:
        return depth
    if reduction >= params.hindsight_reduction and not opponent_is_worsening(state, ply):
        return depth + 1
    has_surplus = frame.static_eval + parent.static_eval > params.hindsight_surplus
    return depth - 1 if has_surplus and depth >= 2 else depth


@inline
def iir_reduction(params, depth):
    """Plies by which a node without a TT move is reduced."""
    return np.int64(params.use_iir and depth >= params.iir_depth)


@inline
def may_be_singular(state, depth, ply, tt_move, tt_entry, tt_score):
    """Whether to test the TT move for singularity: its score must be a lower bound from enough depth."""
    params = state.params
    return (params.use_singular and ply > 0 and depth >= params.singular_depth and tt_move != NULL_MOVE
            and entry_depth(tt_entry) >= depth - params.singular_tt_depth and entry_bound(tt_entry) & LOWER
            and not is_decisive(tt_score) and ply < params.singular_root_depths * state.root_depth)


@inline
def singular_extension(state, ply, is_pv, tt_is_noisy, shortfall):
    """Plies by which a singular move is extended: two if all others are far worse, three if it is quiet and they are
    hopeless, but neither often in one line.

    `shortfall` is by how much they fall short of the score that would make the move an ordinary one.
    """
    frame = frame_at(state, ply)
    params = state.params
    if (not params.use_double_extensions or is_pv or shortfall <= _double_margin(state, ply)
            or frame.double_extensions >= params.double_limit):
        return np.int64(1)
    frame.double_extensions += 1
    is_triple = params.use_triple_extensions and not tt_is_noisy and shortfall > params.triple_margin
    return np.int64(3) if is_triple else np.int64(2)


@inline
def _double_margin(state, ply):
    """The shortfall that extends a singular move by two plies: smaller in complex positions, and if TT moves have been
    best of late.
    """
    params = state.params
    margin = np.int64(params.double_margin)
    if params.use_complexity:
        margin -= complexity(state, ply) * params.complexity_margin >> _ONE_PLY_BITS
    if params.use_tt_move_history:
        margin -= state.tt_move_history[0] * params.double_tt_history >> TT_MOVE_HISTORY_BITS
    return margin


@inline
def multi_cut_score(params, score, singular_beta, beta):
    """The score of a node where moves other than the TT move reach `singular_beta`, if that shows that the node fails
    high in any case; else NO_SCORE.
    """
    if not params.use_multi_cut:
        return NO_SCORE
    if singular_beta >= beta:
        return singular_beta
    return score if score >= beta and not is_decisive(score) else NO_SCORE


@inline
def negative_extension(params, cut_node, tt_score, beta):
    """Plies, negative or 0, for a TT move that is not singular: other moves are about as good."""
    if not params.use_negative_extensions:
        return np.int64(0)
    if tt_score >= beta:
        return np.int64(-2)
    return np.int64(-1) if cut_node else np.int64(0)


# Reductions of moves.


@inline
def lmr_base(state, depth, move_count, is_quiet):
    """The reduction of a late move in 1024ths of a ply, by depth and move number alone."""
    row, column = min(depth, REDUCTION_ROWS - 1), min(move_count, REDUCTION_ROWS - 1)
    return np.int64(state.reductions[np.int64(is_quiet), row, column])


@inline
def lmr_adjust_for_node(state, ply, reduction, is_pv, cut_node, improving, is_check, tt_is_noisy):
    """The reduction of a late move, adjusted for the kind of node, for checks, and for cutoffs after its siblings."""
    frame = frame_at(state, ply)
    params = state.params
    if is_pv:
        reduction -= params.lmr_pv
    if cut_node:
        reduction += params.lmr_cut_node
    if not improving:
        reduction += params.lmr_not_improving
    if is_check:
        reduction -= params.lmr_check
    if tt_is_noisy:
        reduction += params.lmr_tt_capture
    if params.use_tt_pv and frame.tt_pv and not is_pv:
        reduction -= params.lmr_tt_pv
    if params.use_fail_high_count and frame_at(state, ply + 1).cutoff_count > params.fail_high_count:
        reduction += params.lmr_fail_high_count
    if params.use_complexity:
        reduction -= complexity(state, ply) * params.lmr_complexity
    return reduction


@kernel
def attacks_more_valuable(pos, move):
    """Whether a quiet move, which is yet to be made, attacks a piece more valuable than its own that it did not attack
    before.
    """
    us, start, target = np.int64(pos.side), from_square(move), to_square(move)
    piece_type, types = np.int64(pos.board[start]) & 7, pos.types
    more_valuable = types[QUEEN] | types[ROOK]
    if piece_type == PAWN:
        more_valuable |= types[KNIGHT] | types[BISHOP]
        attacked = PAWN_ATTACKS[us, target] & ~PAWN_ATTACKS[us, start]
    elif piece_type == KNIGHT or piece_type == BISHOP or piece_type == ROOK:
        occupied = occupied_squares(pos)
        now = piece_attacks(piece_type, target, occupied ^ BIT << start | BIT << target)
        attacked = now & ~piece_attacks(piece_type, start, occupied)
        if piece_type == ROOK:
            more_valuable = types[QUEEN]
    else:
        return False
    return attacked & more_valuable & pos.colors[us ^ 1] != EMPTY


@inline
def lmr_adjust_for_quiet(pos, state, ply, move, reduction, history):
    """The reduction of a late quiet move, which is yet to be made, adjusted for killers, threats and history."""
    frame = frame_at(state, ply)
    if state.params.use_killers and (move == frame.killers[0] or move == frame.killers[1]):
        reduction -= state.params.lmr_killer
    if state.params.use_threat_reductions and attacks_more_valuable(pos, move):
        reduction -= state.params.lmr_threat
    return reduction - history * _ONE_PLY // state.params.lmr_history_divisor


@inline
def reduced_depth(new_depth, reduction):
    """The depth left after a reduction: at least one ply, at most `new_depth`."""
    return min(max(new_depth - whole_plies(reduction), 1), new_depth)


@inline
def set_reduction(state, ply, reduction):
    """Note the plies by which the move that is about to be searched is reduced, and count it if it is."""
    frame_at(state, ply).reduction = reduction
    state.reduced_searches += np.int64(reduction > 0)


@inline
def re_search_depth(state, new_depth, score, best):
    """The depth of the re-search after a reduced search returned `score`: deeper if that beats the best score so far by
    much, shallower if by little.
    """
    params = state.params
    state.re_searches += 1
    if not params.use_re_search_depth:
        return new_depth
    return (new_depth + np.int64(score > best + params.deeper_margin)
            - np.int64(score < best + params.shallower_margin and new_depth > 1))
