"""Probing the endgame tables inside the search tree."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.state import frame_at
from engine.core.bits import popcount
from engine.core.position import occupied_squares
from engine.kernel import inline, kernel
from engine.search.scores import DRAW, INFINITE, NO_SCORE, is_win, tb_win_in
from tablebase.codes import OUTCOME_DRAW, OUTCOME_LOSS, OUTCOME_WIN, UNKNOWN
from tablebase.probe import directory_at, has_castling_or_ep, outcome_with_rule50
from tablebase.syzygy.probe_wdl import probe_wdl
from tablebase.syzygy.records import NO_WDL, WDL_LOSS, WDL_WIN, syzygy_at


@inline
def can_probe_tb(pos, state):
    """Whether few enough pieces are left for the endgame tables."""
    return popcount(occupied_squares(pos)) <= state.tb.max_pieces


@inline
def _can_probe_syzygy(pos, tb, depth):
    """Whether to probe Syzygy: its values hold right after a capture or pawn move, and a probe may read from disk."""
    piece_count = popcount(occupied_squares(pos))
    is_worth_it = piece_count < tb.syzygy_max_pieces or (piece_count == tb.syzygy_max_pieces
                                                         and depth >= tb.syzygy_depth)
    return (tb.syzygy_address != 0 and depth > 0 and is_worth_it and not has_castling_or_ep(pos)
            and (pos.rule50 == 0 or not tb.use_rule50))


@inline
def _probe_syzygy_wdl(pos, state, ply):
    frame = frame_at(state, ply)
    tb = state.tb
    value = probe_wdl(pos, syzygy_at(tb.syzygy_address), tb.own_address, tb.own_max_pieces, state.move_list,
                      np.int64(frame.moves_begin), state.tb_scratch, WDL_LOSS, WDL_WIN)
    if value == NO_WDL:
        return UNKNOWN
    if value == 0 or (tb.use_rule50 and abs(value) < WDL_WIN):
        return OUTCOME_DRAW
    return OUTCOME_WIN if value > 0 else OUTCOME_LOSS


@kernel
def probe_tb_score(pos, state, ply, depth):
    """The score of an ending by the endgame tables, or NO_SCORE; wins and losses are scored by ply, not by distance."""
    tb = state.tb
    outcome = UNKNOWN
    if popcount(occupied_squares(pos)) <= tb.own_max_pieces:
        outcome = outcome_with_rule50(pos, directory_at(tb.own_address))
    if outcome == UNKNOWN and _can_probe_syzygy(pos, tb, depth):
        outcome = _probe_syzygy_wdl(pos, state, ply)
    if outcome == UNKNOWN:
        return NO_SCORE
    state.tb_hits += 1
    if outcome == OUTCOME_DRAW:
        return DRAW
    return tb_win_in(ply) if outcome == OUTCOME_WIN else -tb_win_in(ply)


@inline
def tb_bounds(pos, state, ply, depth):
    """(floor, ceiling) of the score by the endgame tables: a win may still be a mate, and so may a loss."""
    known_score = probe_tb_score(pos, state, ply, depth)
    if known_score == NO_SCORE:
        return -INFINITE, INFINITE
    if known_score == DRAW:
        return DRAW, DRAW
    return (known_score, INFINITE) if is_win(known_score) else (-INFINITE, known_score)
