"""What the steps of the node decide: plain arithmetic over parameters, and its promises."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.alphabeta.params import default_params
from engine.alphabeta.pruning import (
    late_move_pruning_applies,
    mate_distance_window,
    may_try_null_move,
    may_try_probcut,
    nmp_min_ply_after,
    null_move_depth,
    reverse_futility_cuts,
    reverse_futility_score,
)
from engine.alphabeta.quiescence import _fail_high_score
from engine.alphabeta.reductions import (
    excluded_depth,
    iir_reduction,
    lmr_adjust_for_node,
    lmr_adjust_for_quiet,
    lmr_base,
    may_be_singular,
    negative_extension,
    reduced_depth,
    singular_extension,
)
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.state import ROOT_OFFSET, new_state
from engine.alphabeta.tt import EXACT, LOWER, TT_MISS, UPPER, pack_entry, tt_score_cuts
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.search.scores import INFINITE, NO_SCORE, mate_distance, mate_in, mated_in
from engine.search.types import Limits
from eval.evaluator import features_evaluator
from tests.alphabeta.kernels import (
    exact_and_lazy,
    fails_high_by_lazy_eval,
    probcut_moves,
    prunes_noisy,
    prunes_quiet,
)
from tests.eval.kernels import psq_from_scratch

PARAMS = default_params()
PLY = 3
FRAME = int(ROOT_OFFSET) + PLY
MOVE = 77
DEPTHS = st.integers(1, 60)
STATE = new_state(default_params())


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
    assert lmr_adjust_for_node(state, PLY, 3000, False, 0, 1, False, True) > plain
    state.stack["tt_pv"][FRAME] = 1
    assert lmr_adjust_for_node(state, PLY, 3000, False, 0, 1, False, False) < plain
    good, bad = (lmr_adjust_for_quiet(state, PLY, 77, plain, history) for history in (8000, -8000))
    assert good < plain < bad


def test_a_killer_counts_only_while_killers_are_in_use(state):
    state.stack["killers"][FRAME, 1] = 77
    assert lmr_adjust_for_quiet(state, PLY, 77, 3000, 0) == 3000 - state.params.lmr_killer
    state.params.use_killers = 0
    assert lmr_adjust_for_quiet(state, PLY, 77, 3000, 0) == 3000


def test_the_other_moves_are_searched_at_least_a_ply_deep(state):
    for depth in range(2, 30):
        for share in (256, 512, 768):
            state.params.singular_share = share
            assert 1 <= excluded_depth(state.params, depth) < depth


def test_double_extensions_are_rationed(state):
    far, near = PARAMS.double_margin + 1, PARAMS.double_margin
    assert singular_extension(state, PLY, False, near) == 1
    assert singular_extension(state, PLY, True, far) == 1
    assert singular_extension(state, PLY, False, far) == 2
    state.stack["double_extensions"][FRAME] = PARAMS.double_limit - 1
    assert singular_extension(state, PLY, False, far) == 2
    state.stack["double_extensions"][FRAME] = PARAMS.double_limit
    assert singular_extension(state, PLY, False, far) == 1


def test_a_move_that_is_not_singular_is_searched_less_deep_if_the_node_will_be_cut():
    assert negative_extension(PARAMS, 0, 100, 50) == -2
    assert negative_extension(PARAMS, 1, 20, 50) == -1
    assert negative_extension(PARAMS, 0, 20, 50) == 0


def test_a_node_without_a_tt_move_loses_a_ply_once_it_is_deep():
    assert iir_reduction(PARAMS, PARAMS.iir_depth) == 1
    assert iir_reduction(PARAMS, PARAMS.iir_depth - 1) == 0


@given(st.integers(-3000, 3000), st.integers(-3000, 3000))
def test_reverse_futility_returns_a_score_between_beta_and_the_estimate(estimate, beta):
    if reverse_futility_cuts(STATE, 3, PLY, estimate, beta, 0):
        assert beta <= reverse_futility_score(PARAMS, estimate, beta) <= estimate


@given(st.integers(-3000, 3000), st.integers(-3000, 3000))
def test_quiescence_draws_a_score_above_beta_towards_it_but_no_mate(score, beta):
    state = SimpleNamespace(params=PARAMS)
    blended = _fail_high_score(state, score, beta)
    assert blended == score if score < beta else beta <= blended <= score
    assert _fail_high_score(state, mate_in(9), beta) == mate_in(9)
    assert _fail_high_score(state, score, -mate_in(9)) == score


def test_reverse_futility_never_answers_mates_and_deep_nodes():
    assert reverse_futility_cuts(STATE, 1, PLY, 900, 0, 0)
    assert not reverse_futility_cuts(STATE, PARAMS.rfp_depth + 1, PLY, 900, 0, 0)
    assert not reverse_futility_cuts(STATE, 1, PLY, 900, -mate_in(9), 0)
    assert not reverse_futility_cuts(STATE, 1, PLY, mate_in(9), 0, 0)


def test_reverse_futility_needs_more_the_deeper_the_node_and_less_if_it_improves():
    def least(depth: int, improving: int) -> int:
        return next(estimate for estimate in range(2000)
                    if reverse_futility_cuts(STATE, depth, PLY, estimate, 0, improving))

    assert 0 < least(1, 0) < least(2, 0) < least(PARAMS.rfp_depth, 0)
    assert least(3, 1) < least(3, 0)


def test_reverse_futility_needs_more_after_a_move_with_a_good_history(state):
    def least(history: int) -> int:
        state.stack["move_history"][FRAME - 1] = history
        return next(estimate for estimate in range(2000) if reverse_futility_cuts(state, 3, PLY, estimate, 0, 0))

    assert least(3200) == least(0) == least(-3200)
    state.params.rfp_history = 16
    assert least(3200) - least(0) == least(0) - least(-3200) == 50


def test_a_lazy_evaluation_cuts_only_if_it_would_with_its_margin_against_it():
    state, position = new_state(evaluation=features_evaluator()), parse_fen("4k3/8/8/8/8/8/4P3/1N2K2R w - - 0 1")
    state.stack["psq"][FRAME] = psq_from_scratch(position, state.weights)
    state.stack["positional_eval"][FRAME - 1] = 0
    lazy = exact_and_lazy(position, state, PLY)[1]
    highest = lazy - PARAMS.lazy_margin - 2 * PARAMS.rfp_margin
    assert fails_high_by_lazy_eval(position, state, 2, PLY, highest) == highest
    assert fails_high_by_lazy_eval(position, state, 2, PLY, highest + 1) == NO_SCORE
    assert highest - 100 < fails_high_by_lazy_eval(position, state, 2, PLY, highest - 100) < highest
    state.stack["positional_eval"][FRAME - 1] = NO_SCORE
    assert fails_high_by_lazy_eval(position, state, 2, PLY, highest) == NO_SCORE


@pytest.mark.parametrize(("change", "is_tried"), [
    ({}, True), ({"estimate": 49}, False), ({"depth": PARAMS.null_depth - 1}, False), ({"last": 0}, False),
    ({"fen": "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"}, False), ({"null_floor": PLY + 1}, False),
    ({"static_eval": 50 - PARAMS.null_static_margin * 6 - 1}, False), ({"beta": -mate_in(9)}, False)])
def test_when_a_null_move_is_tried(state, change, is_tried):
    case = {"estimate": 50, "depth": 6, "last": 700, "null_floor": PLY, "beta": 50, "static_eval": 50,
            "fen": "4k3/4p3/8/8/8/8/4P3/1N2K3 w - - 0 1", **change}
    state.stack["piece_to"][FRAME - 1], state.nmp_min_ply = case["last"], case["null_floor"]
    state.stack["static_eval"][FRAME] = case["static_eval"]
    assert may_try_null_move(parse_fen(case["fen"]), state, case["depth"], PLY, case["beta"],
                             case["estimate"]) == is_tried


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
    for depth in (1, 3, 6):
        assert first(depth, 1) == PARAMS.lmp_base + PARAMS.lmp_factor * depth * depth // 1024 + 1
    assert first(5, 0) < first(5, 1)
    assert not late_move_pruning_applies(PARAMS, PARAMS.lmp_depth + 1, 299, 0)


def tt_entry(depth, bound=LOWER):
    return pack_entry(MOVE, 0, 0, depth, bound, 0)


@pytest.mark.parametrize(("depth", "beta", "known_depth", "tt_score", "is_tried"), [
    (PARAMS.probcut_depth, 10, None, NO_SCORE, True),
    (PARAMS.probcut_depth - 1, 10, None, NO_SCORE, False),
    (PARAMS.probcut_depth, -mate_in(9), None, NO_SCORE, False),
    (8, 10, 8 - PARAMS.probcut_tt_depth, 109, False),  # what is known speaks against it
    (8, 10, 8 - PARAMS.probcut_tt_depth, 110, True),
    (8, 10, 7 - PARAMS.probcut_tt_depth, 109, True),  # not known from enough depth
])
def test_when_probcut_is_tried(depth, beta, known_depth, tt_score, is_tried):
    found = TT_MISS if known_depth is None else tt_entry(known_depth)
    assert may_try_probcut(PARAMS, depth, beta, beta + 100, found, tt_score) == is_tried


def test_probcut_tries_captures_that_win_enough(state):
    game, out = Game("4k3/8/8/q2r1n1p/1P2P1P1/8/8/4K3 w - - 0 1"), np.zeros(256, np.int64)
    state.stack["moves_begin"][FRAME] = 0
    for gain, captures in ((0, "b4a5 e4d5 e4f5 g4f5 g4h5"), (301, "b4a5 e4d5"), (501, "b4a5"), (901, "")):
        tried = out[: probcut_moves(game.position, state, PLY, gain, out)].tolist()
        assert sorted(map(game.uci, tried)) == captures.split()


@pytest.mark.parametrize(("change", "is_tested"), [
    ({}, True), ({"ply": 0}, False), ({"depth": PARAMS.singular_depth - 1}, False), ({"tt_move": 0}, False),
    ({"known_depth": 7 - PARAMS.singular_tt_depth}, False), ({"bound": UPPER}, False), ({"bound": EXACT}, True),
    ({"tt_score": mate_in(9)}, False), ({"root_depth": 1}, False)])
def test_when_a_move_is_tested_for_singularity(state, change, is_tested):
    case = {"ply": PLY, "depth": 8, "tt_move": MOVE, "known_depth": 8 - PARAMS.singular_tt_depth, "bound": LOWER,
            "tt_score": 20, "root_depth": 9, **change}
    state.root_depth = case["root_depth"]
    assert bool(may_be_singular(state, case["depth"], case["ply"], case["tt_move"],
                                tt_entry(case["known_depth"], case["bound"]), case["tt_score"])) == is_tested


@pytest.mark.parametrize(("bound", "score", "cuts"), [
    (EXACT, 15, True), (EXACT, 5, True), (LOWER, 20, True), (LOWER, 19, False), (UPPER, 10, True), (UPPER, 11, False)])
def test_a_tt_score_cuts_if_its_bound_settles_the_window(bound, score, cuts):
    fen = "4k3/8/8/8/8/8/8/4K2R w - - {} 60"
    late = PARAMS.tt_rule50

    def is_cut(depth: int, rule50: int = 0, may_cut: bool = True) -> bool:
        position = parse_fen(fen.format(rule50))
        return bool(tt_score_cuts(position, PARAMS, tt_entry(6, bound), score, 10, 20, depth, may_cut))

    assert [is_cut(depth) for depth in (5, 6, 7)] == [cuts, cuts, False]
    assert [is_cut(6, rule50) for rule50 in (late - 1, late)] == [cuts, False]
    assert not is_cut(6, may_cut=False)


@given(st.integers(1, 100))
def test_no_mate_is_nearer_than_from_the_node(ply):
    """At the node the side to move may be mated already, and its own mate takes a move."""
    assert mate_distance_window(PARAMS, -INFINITE, INFINITE, ply) == (mated_in(ply), mate_in(ply + 1))
    assert mate_distance_window(PARAMS, -30, 40, ply) == (-30, 40)


def move_called(fen: str, text: str) -> tuple[Game, int]:
    game = Game(fen)
    return game, next(move for move in game.legal_moves() if game.uci(move) == text)


_FUTILE = -PARAMS.futility_base - 3 * PARAMS.futility_margin  # where three plies are left
_BAD_HISTORY = -PARAMS.history_prune_depth * PARAMS.history_prune_margin - 1  # at the greatest depth where it counts


@pytest.mark.parametrize(("text", "change", "is_pruned"), [
    ("a1a2", {}, False), ("a1a2", {"static_eval": _FUTILE}, True), ("a1a2", {"static_eval": _FUTILE + 1}, False),
    ("a1a2", {"static_eval": _FUTILE + 1, "reduction": 1024}, True),
    ("a1a2", {"static_eval": -3000, "depth": PARAMS.futility_depth + 2}, False),
    ("a1a2", {"history": _BAD_HISTORY, "depth": PARAMS.history_prune_depth}, True),
    ("a1a2", {"history": _BAD_HISTORY + 1, "depth": PARAMS.history_prune_depth}, False),
    ("a1a2", {"history": 5 * _BAD_HISTORY, "depth": PARAMS.history_prune_depth + 1}, False),
    ("a1a8", {"static_eval": -3000, "history": _BAD_HISTORY, "depth": PARAMS.history_prune_depth}, False),  # a check
])
def test_which_quiet_moves_are_pruned(state, text, change, is_pruned):
    case = {"depth": 4, "reduction": 1023, "history": 0, "static_eval": 0, **change}
    game, move = move_called("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", text)
    assert prunes_quiet(game.position, state, move, case["depth"], case["reduction"], 1, case["history"],
                        case["static_eval"], 0) == is_pruned


def test_a_quiet_move_that_loses_a_rook_is_pruned_unless_enough_plies_are_left(state):
    game, move = move_called("4k3/8/8/1p6/8/8/8/R3K3 w - - 0 1", "a1a4")
    deepest = 1 + (500 - 1) // PARAMS.see_quiet_margin
    pruned = [prunes_quiet(game.position, state, move, depth, 0, 1, 0, 0, 0) for depth in range(1, deepest + 3)]
    assert pruned == [True] * deepest + [False] * 2


def test_a_quiet_move_with_a_good_history_needs_less_to_be_searched(state):
    game, move = move_called("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2")
    state.params.futility_history = 32
    worst = {history: max(-static_eval for static_eval in range(-2000, 1)
                          if not prunes_quiet(game.position, state, move, 4, 1023, 1, history, static_eval, 0))
             for history in (-3200, 0, 3200)}
    assert worst == {-3200: -_FUTILE - 101, 0: -_FUTILE - 1, 3200: -_FUTILE + 99}


def test_a_quiet_move_may_lose_more_by_the_square_of_the_plies_left(state):
    game, move = move_called("4k3/8/8/1p6/8/8/8/R3K3 w - - 0 1", "a1a4")
    state.params.see_quiet_margin, state.params.see_quiet_squared = 20, 10
    pruned = [prunes_quiet(game.position, state, move, left + 1, 0, 1, 0, 0, 0) for left in range(1, 8)]
    assert pruned == [20 * left + 10 * left * left < 500 for left in range(1, 8)]


_LOST = -PARAMS.capture_futility_base - 2 * PARAMS.capture_futility_margin  # at depth 2


@pytest.mark.parametrize(("fen", "text", "depth", "static_eval", "is_pruned"), [
    ("4k3/8/8/q6p/1P4P1/8/8/4K3 w - - 0 1", "g4h5", 2, _LOST - 100, True),
    ("4k3/8/8/q6p/1P4P1/8/8/4K3 w - - 0 1", "g4h5", 2, _LOST - 99, False),
    ("4k3/8/8/q6p/1P4P1/8/8/4K3 w - - 0 1", "b4a5", 2, _LOST - 900, True),
    ("4k3/8/8/q6p/1P4P1/8/8/4K3 w - - 0 1", "b4a5", 2, _LOST - 899, False),
    ("4k3/8/8/q6p/1P4P1/8/8/4K3 w - - 0 1", "g4h5", PARAMS.capture_futility_depth + 1, -9000, False),
    ("4k3/8/8/q6p/1P4P1/8/8/4K3 w - - 0 1", "g4h5", 2, NO_SCORE, False),  # in check
    ("n3k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 2, -9000, False),  # a check
])
def test_which_captures_are_pruned(state, fen, text, depth, static_eval, is_pruned):
    game, move = move_called(fen, text)
    assert prunes_noisy(game.position, state, move, depth, static_eval, 0, 0) == is_pruned


def test_a_capture_with_a_good_history_needs_less_to_be_searched(state):
    game, move = move_called("4k3/8/8/q6p/1P4P1/8/8/4K3 w - - 0 1", "g4h5")
    state.params.capture_futility_history = 64
    state.capture_history[:] = 1600
    pruned = [prunes_noisy(game.position, state, move, 2, _LOST - 200 + offset, 0, 0) for offset in (0, 1)]
    assert pruned == [True, False]


def test_a_capture_that_loses_a_queen_for_a_pawn_is_pruned_unless_the_node_is_deep(state):
    game, move = move_called("4k3/8/4p3/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5")
    deepest = max(depth for depth in range(1, 20)
                  if PARAMS.see_noisy_margin * depth * depth + PARAMS.see_noisy_linear * depth < 900 - 100)
    pruned = [prunes_noisy(game.position, state, move, depth, 9000, 0, 1) for depth in range(1, deepest + 3)]
    assert pruned == [True] * deepest + [False] * 2
    assert not prunes_noisy(game.position, state, move, 1, 9000, 0, 0), "what holds material is not looked at"


def test_a_remembered_mate_is_not_announced_if_the_fifty_moves_end_before_it():
    searcher, fen = AlphaBetaSearch(1, evaluation=features_evaluator()), "8/8/4k3/8/8/8/8/QR2K1B1 w - - {} 90"
    found = mate_distance(searcher.run(parse_fen(fen.format(0)), Limits(depth=10)).score)
    assert found is not None and found > 2
    late = 100 - (2 * found - 1) + 1  # the last move of the mate would come after the draw
    again = mate_distance(searcher.run(parse_fen(fen.format(late)), Limits(depth=10)).score)
    assert again is None
