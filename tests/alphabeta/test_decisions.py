"""What the steps of the node decide: plain arithmetic over parameters, and its promises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.alphabeta.params import default_params
from engine.alphabeta.pruning import (
    late_move_pruning_applies,
    nmp_min_ply_after,
    null_move_depth,
    reverse_futility_cuts,
    reverse_futility_score,
)
from engine.alphabeta.reductions import (
    iir_reduction,
    lmr_adjust_for_node,
    lmr_adjust_for_quiet,
    lmr_base,
    negative_extension,
    reduced_depth,
    singular_extension,
)
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.state import ROOT_OFFSET, new_state
from engine.core.fen import parse_fen
from engine.search.scores import mate_distance, mate_in
from engine.search.types import Limits
from eval.evaluator import features_evaluator

PARAMS = default_params()
PLY = 3
DEPTHS = st.integers(1, 60)


@pytest.fixture
def state():
    return new_state(default_params())


@given(DEPTHS, st.integers(-20_000, 80_000))
def test_a_reduced_move_keeps_a_ply_and_is_never_extended(new_depth, reduction):
    assert 1 <= reduced_depth(new_depth, reduction) <= new_depth
    assert reduced_depth(new_depth, 1023) == new_depth


def test_late_moves_are_reduced_more_and_captures_less(state):
    for depth in (3, 8, 20):
        quiet = [lmr_base(state, depth, count, True) for count in range(1, 60)]
        assert quiet == sorted(quiet)
        assert all(lmr_base(state, depth, count, False) <= quiet[count - 1] for count in range(2, 60))
    assert lmr_base(state, 500, 500, True) == lmr_base(state, 63, 63, True)


def test_what_speaks_for_a_move_takes_from_its_reduction(state):
    plain = lmr_adjust_for_node(state, PLY, 3000, False, 0, 1, False, False)
    assert lmr_adjust_for_node(state, PLY, 3000, True, 0, 1, False, False) < plain
    assert lmr_adjust_for_node(state, PLY, 3000, False, 0, 1, True, False) < plain
    assert lmr_adjust_for_node(state, PLY, 3000, False, 1, 1, False, False) > plain
    assert lmr_adjust_for_node(state, PLY, 3000, False, 0, 0, False, False) > plain
    assert lmr_adjust_for_quiet(state, PLY, 77, plain, 8000) < plain < lmr_adjust_for_quiet(state, PLY, 77, plain,
                                                                                            -8000)


def test_a_killer_counts_only_while_killers_are_in_use(state):
    state.stack["killers"][ROOT_OFFSET + PLY, 1] = 77
    assert lmr_adjust_for_quiet(state, PLY, 77, 3000, 0) == 3000 - state.params.lmr_killer
    state.params.use_killers = 0
    assert lmr_adjust_for_quiet(state, PLY, 77, 3000, 0) == 3000


def test_double_extensions_are_rationed(state):
    far, near = PARAMS.double_margin + 1, PARAMS.double_margin
    assert singular_extension(state, PLY, False, near) == 1
    assert singular_extension(state, PLY, True, far) == 1
    assert [singular_extension(state, PLY, False, far) for _ in range(PARAMS.double_limit + 2)] == (
        [2] * PARAMS.double_limit + [1] * 2)


def test_a_move_that_is_not_singular_is_searched_less_deep_if_the_node_will_be_cut():
    assert negative_extension(PARAMS, 0, 100, 50) == -2
    assert negative_extension(PARAMS, 1, 20, 50) == -1
    assert negative_extension(PARAMS, 0, 20, 50) == 0


def test_a_node_without_a_tt_move_loses_a_ply_once_it_is_deep():
    assert iir_reduction(PARAMS, PARAMS.iir_depth) == 1
    assert iir_reduction(PARAMS, PARAMS.iir_depth - 1) == 0


@given(st.integers(-3000, 3000), st.integers(-3000, 3000))
def test_reverse_futility_returns_a_score_between_beta_and_the_estimate(estimate, beta):
    if reverse_futility_cuts(PARAMS, 3, estimate, beta, 0):
        assert beta <= reverse_futility_score(PARAMS, estimate, beta) <= estimate


def test_reverse_futility_never_answers_mates_and_deep_nodes():
    assert reverse_futility_cuts(PARAMS, 1, 900, 0, 0)
    assert not reverse_futility_cuts(PARAMS, PARAMS.rfp_depth + 1, 900, 0, 0)
    assert not reverse_futility_cuts(PARAMS, 1, 900, -mate_in(9), 0)
    assert not reverse_futility_cuts(PARAMS, 1, mate_in(9), 0, 0)


def test_a_null_move_is_reduced_more_the_more_there_is_to_lose():
    depths = [null_move_depth(PARAMS, 12, estimate, 0) for estimate in range(0, 1000, 50)]
    assert depths == sorted(depths, reverse=True)
    assert depths[0] < 12
    assert depths[0] - depths[-1] == PARAMS.null_eval_max
    assert 4 < nmp_min_ply_after(PARAMS, 4, 8) <= 12


def test_late_moves_are_pruned_sooner_at_low_depth_and_if_nothing_improves():
    def first(depth: int, improving: int) -> int:
        return next(count for count in range(1, 300) if late_move_pruning_applies(PARAMS, depth, count, improving))

    assert first(1, 1) < first(3, 1) < first(6, 1)
    assert first(5, 0) < first(5, 1)
    assert not late_move_pruning_applies(PARAMS, PARAMS.lmp_depth + 1, 299, 0)


def test_a_remembered_mate_is_not_announced_if_the_fifty_moves_end_before_it():
    searcher, fen = AlphaBetaSearch(1, evaluation=features_evaluator()), "8/8/4k3/8/8/8/8/QR2K1B1 w - - {} 90"
    found = mate_distance(searcher.run(parse_fen(fen.format(0)), Limits(depth=10)).score)
    assert found is not None and found > 2
    late = 100 - (2 * found - 1) + 1  # the last move of the mate would come after the draw
    again = mate_distance(searcher.run(parse_fen(fen.format(late)), Limits(depth=10)).score)
    assert again is None
