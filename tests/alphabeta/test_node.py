"""Steps of the node whose effect is certain: neither side has a choice, or one move is better by a known sum."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.alphabeta.params import ParamsRecord, minimax_params, set_param
from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import init_root_entry
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.state import ROOT_OFFSET, new_state
from engine.alphabeta.tt import TranspositionTable
from engine.core.fen import parse_fen
from engine.search.types import Limits
from eval.evaluator import Evaluator, features_evaluator
from eval.features import SQUARES_PAWN, WEIGHT_COUNT
from eval.weights import weights_from
from tests.alphabeta.kernels import tt_probe
from tests.alphabeta.reference import minimax

# All but one pawn of each side are locked, and the kings with them: until White's fourth move only the first one leaves
# a choice, between one step of the e-pawn and two.
LOCKED = "6bk/5p1p/5PpP/8/8/p1p5/P1P1P3/KB6 w - - 0 1"
LOCKED_DEPTH = 5
# White has a pawn to push and a king to move. Black has nothing but the king.
PAWN_TO_PUSH = "k7/8/8/8/8/8/4P3/K7 b - - 0 1"
RANK = 10  # centipawns


def switched(**values: int) -> ParamsRecord:
    """Parameters with every technique off but alpha-beta, PVS and those named."""
    params = minimax_params()
    for name, value in {"use_alphabeta": 1, "use_pvs": 1, **values}.items():
        set_param(params, name, value)
    return params


def search(fen: str, depth: int, evaluation: Evaluator | None = None, **values: int):
    """(score, nodes, the deepest ply) of a search with these parameters."""
    searcher = AlphaBetaSearch(1, params=switched(**values), evaluation=evaluation or features_evaluator())
    result = searcher.run(parse_fen(fen), Limits(depth=depth))
    return result.score, result.nodes, result.infos[-1].seldepth - 1


def pawns_by_rank() -> Evaluator:
    """An evaluation that knows nothing but how far pawns are advanced."""
    values = np.zeros(WEIGHT_COUNT, np.int64)
    values[SQUARES_PAWN : SQUARES_PAWN + 128] = RANK * (np.arange(128) // 8 % 8)
    return Evaluator(weights_from(values, values))


@pytest.mark.parametrize("depth", range(2, LOCKED_DEPTH + 1))
def test_the_first_move_of_a_node_and_the_second_of_the_root_are_never_reduced(depth):
    """There are no others: with the largest reductions that a tuner may try, the tree must be the same as without."""
    plain = search(LOCKED, depth)
    assert plain[0] == minimax(parse_fen(LOCKED), depth, 0, with_quiescence=False)
    largest = {"lmr_base": 1400, "lmr_factor": 700, "lmr_pv": 0, "lmr_cut_node": 2600, "lmr_not_improving": 2048}
    assert search(LOCKED, depth, use_late_move_reductions=1, **largest) == plain


def test_an_only_move_is_singular():
    singular = {"use_tt": 1, "use_singular": 1, "singular_depth": 3}
    assert search(LOCKED, LOCKED_DEPTH, use_tt=1)[2] == LOCKED_DEPTH
    assert search(LOCKED, LOCKED_DEPTH, **singular)[2] > LOCKED_DEPTH


@pytest.mark.parametrize(("margin", "is_singular"), [(1, True), (5, False)])
def test_a_move_is_singular_if_all_others_are_worse_by_more_than_the_margin(margin, is_singular):
    """Each push of the pawn is worth a rank more than a move of the king, after which there is one push less."""
    depth, evaluation = 6, pawns_by_rank()
    singular = {"use_tt": 1, "use_singular": 1, "singular_depth": 5, "singular_margin": margin}
    assert (margin * singular["singular_depth"] < RANK) == is_singular
    assert search(PAWN_TO_PUSH, depth, evaluation, use_tt=1)[2] == depth
    assert (search(PAWN_TO_PUSH, depth, evaluation, **singular)[2] > depth) == is_singular


@pytest.mark.parametrize("is_excluded", [False, True])
def test_a_search_that_leaves_a_move_out_stores_nothing_for_its_position(is_excluded):
    """Its score is that of another question: without the best move, the position is worth less."""
    position, table, stop = parse_fen(PAWN_TO_PUSH), TranspositionTable(1), np.zeros(8, np.int64)
    state = new_state(switched(use_tt=1), pawns_by_rank())
    state.tt_address, state.tt_buckets, state.stop_address = table.address, table.buckets, stop.ctypes.data
    state.node_limit = state.deadline = (1 << 63) - 1
    init_root_entry(position, state)
    board = chess.Board(PAWN_TO_PUSH)
    move = next(iter(board.legal_moves))
    state.stack[ROOT_OFFSET + 1].excluded_move = move.from_square | move.to_square << 6 if is_excluded else 0
    search_from(position, state, 2, -1000, 1000, 1)
    found, *_ = tt_probe(table.address, table.buckets, int(position.key), 1)
    assert found is not is_excluded
    assert table.words.any(), "the positions below are stored"
