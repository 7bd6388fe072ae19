"""Techniques that are off by default: each does what it says once its switch is on, and nothing before."""

from __future__ import annotations

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alphabeta.history import update_tt_move_reliability
from engine.alphabeta.params import default_params
from engine.alphabeta.pruning import blend_fail_high, reverse_futility_cuts, tt_probcut_cuts
from engine.alphabeta.reductions import hindsight_depth, lmr_adjust_for_node, re_search_depth, singular_extension
from engine.alphabeta.root_moves import NO_LIMIT, init_root_entry
from engine.alphabeta.state import LOW_PLIES, ROOT_OFFSET
from engine.alphabeta.tt import LOWER, TT_MISS, UPPER, pack_entry, tt_score_cuts
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.search.scores import NO_SCORE, mate_in
from tests.alphabeta.kernels import (
    corrected,
    learn_cut,
    learn_error,
    learn_re_search,
    makes_threat,
    moves_by_picker,
    prunes_quiet,
    quiescence_score,
    slot_of_move,
)
from tests.positions import reference_board, start_fens

STOP = np.zeros(1, np.int64)  # a stop flag that nobody sets
PLY = 6
FRAME = int(ROOT_OFFSET) + PLY
MIDDLE_GAME = "r1bqk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R w KQkq - 0 7"
START = parse_fen(chess.STARTING_FEN)


def reduction(state) -> int:
    return int(lmr_adjust_for_node(state, PLY, 5000, False, 0, 1, False, False))


def test_late_moves_are_reduced_more_after_many_cutoffs_of_their_siblings(state):
    plain, frequent = reduction(state), state.params.fail_high_count + 1
    state.stack["cutoff_count"][FRAME + 1] = frequent
    assert reduction(state) == plain
    state.params.use_fail_high_count = 1
    assert reduction(state) == plain + state.params.lmr_fail_high_count
    state.stack["cutoff_count"][FRAME + 1] = frequent - 1
    assert reduction(state) == plain


def test_a_move_is_searched_again_deeper_if_it_is_much_better_and_less_deep_if_hardly(state):
    far, near = state.params.deeper_margin, state.params.shallower_margin
    assert [re_search_depth(state, 8, 100 + gain, 100) for gain in (near - 1, near, far + 1)] == [8, 8, 8]
    state.params.use_re_search_depth = 1
    assert [re_search_depth(state, 8, 100 + gain, 100) for gain in (near - 1, near, far, far + 1)] == [7, 8, 8, 9]
    assert re_search_depth(state, 1, 100, 100) == 1


def cuts(state, estimate: int) -> bool:
    return bool(reverse_futility_cuts(state, PLY, 3, estimate, 0, 0))


def least_cut(state) -> int:
    """The lowest estimate above a beta of 0 that reverse futility pruning cuts at depth 3."""
    return next(estimate for estimate in range(2000) if cuts(state, estimate))


def test_a_large_correction_makes_the_search_careful(state):
    state.stack["correction"][FRAME] = -40
    plain = reduction(state), least_cut(state), singular_extension(state, PLY, False, False, state.params.double_margin)
    state.params.use_complexity = 1
    assert reduction(state) == plain[0] - 40 * state.params.lmr_complexity
    assert least_cut(state) == plain[1] + 40 * state.params.complexity_margin // 1024
    assert plain[2] == 1 and singular_extension(state, PLY, False, False, state.params.double_margin) == 2


@pytest.mark.parametrize(("reduced", "mine", "theirs", "expected"), [
    (3, 10, -30, 9), (3, 30, -10, 8), (2, 10, -30, 8), (0, 10, -30, 8),  # who was reduced a lot and stands no worse
    (1, 60, 30, 7), (1, 40, 30, 8), (0, 60, 30, 8),  # both sides think that they are better
    (3, NO_SCORE, -30, 8), (3, 10, NO_SCORE, 8)])  # in check there is no telling
def test_hindsight_corrects_the_reduction_of_the_last_move(state, reduced, mine, theirs, expected):
    def depth() -> int:
        state.stack["reduction"][FRAME - 1] = reduced
        state.stack["static_eval"][FRAME - 1 : FRAME + 1] = theirs, mine
        return int(hindsight_depth(state, PLY, 8))

    assert depth() == 8
    state.params.use_hindsight = 1
    assert depth() == expected
    assert state.stack["reduction"][FRAME - 1] == 0
    assert hindsight_depth(state, PLY, 8) == 8, "not twice"


def test_minor_pieces_and_kings_have_a_correction_of_their_own(state):
    """The other position has the same minor pieces and kings, but not one pawn or rook in common."""
    params = state.params
    params.use_material_scaling = params.correction_pawn = params.correction_non_pawn = 0
    params.correction_continuation = 0
    here, like, unlike = (parse_fen(fen) for fen in ("4k2r/5ppp/2n5/8/4B3/8/PP6/R3K3 w - - 0 1",
                                                     "r3k3/1pp5/2n5/8/4B3/8/5PPP/4K2R w - - 0 1",
                                                     "4k2r/5ppp/3n4/8/4B3/8/PP6/R3K3 w - - 0 1"))
    for is_on in (0, 1):
        params.use_minor_correction = is_on
        for _ in range(20):
            learn_error(here, state, PLY, 8, 100)
        assert [corrected(position, state, PLY, 10) > 10 for position in (here, like, unlike)] == [
            is_on, is_on, False]


def test_the_fourth_last_move_has_a_correction_of_its_own(state):
    params, before = state.params, state.stack["piece_to"]
    params.use_material_scaling = params.correction_pawn = params.correction_non_pawn = 0
    params.correction_continuation = 0
    position = parse_fen(MIDDLE_GAME)
    for is_on in (0, 1):
        params.use_fourth_correction = is_on
        before[FRAME - 4 : FRAME] = 300, 400, 500, 600
        for _ in range(20):
            learn_error(position, state, PLY, 8, 100)
        assert (corrected(position, state, PLY, 10) > 10) == is_on
        before[FRAME - 2] = 501
        assert (corrected(position, state, PLY, 10) > 10) == is_on
        before[FRAME - 4] = 301
        assert corrected(position, state, PLY, 10) == 10


def test_reverse_futility_needs_less_if_the_opponent_is_worsening(state):
    state.stack["static_eval"][FRAME - 1 : FRAME + 1] = -30, 60
    plain = least_cut(state)
    state.params.use_opponent_worsening = 1
    assert least_cut(state) == plain - state.params.rfp_worsening
    for parent in (-60, NO_SCORE):
        state.stack["static_eval"][FRAME - 1] = parent
        assert least_cut(state) == plain


def tt_entry(depth: int, bound: int = int(LOWER)) -> np.uint64:
    return pack_entry(77, 0, 0, depth, bound, 0)


def test_a_lower_bound_far_above_beta_cuts_without_a_search():
    params = default_params()
    far, shallow = 20 + params.tt_probcut_margin, 10 - params.tt_probcut_depth
    assert not tt_probcut_cuts(START, params, 10, 20, tt_entry(shallow), far)
    params.use_tt_probcut = 1
    assert tt_probcut_cuts(START, params, 10, 20, tt_entry(shallow), far)
    for beta, entry, score in ((20, tt_entry(shallow), far - 1), (20, tt_entry(shallow - 1), far),
                               (20, tt_entry(shallow, int(UPPER)), far), (20, TT_MISS, NO_SCORE),
                               (20, tt_entry(shallow), mate_in(9)), (-mate_in(9), tt_entry(shallow), far)):
        assert not tt_probcut_cuts(START, params, 10, beta, entry, score)


def test_bounds_cut_where_they_agree_with_the_kind_of_node():
    params = default_params()

    def is_cut(depth: int, cut_node: int, bound: int, score: int) -> bool:
        return bool(tt_score_cuts(START, params, tt_entry(20, bound), score, 10, 11, depth, True, cut_node))

    low, high = (int(UPPER), 0), (int(LOWER), 30)
    assert all(is_cut(5, cut_node, *known) for cut_node in (0, 1) for known in (low, high))
    params.use_tt_agreement = 1
    assert [is_cut(5, cut_node, *known) for cut_node in (0, 1) for known in (low, high)] == [True, False, False, True]
    assert all(is_cut(params.tt_agreement_depth, node, *known) for node in (0, 1) for known in (low, high))


def test_a_quiet_move_without_any_rival_is_extended_by_three(state):
    hopeless = state.params.triple_margin + 1
    assert singular_extension(state, PLY, False, False, hopeless) == 2
    state.params.use_triple_extensions = 1
    assert singular_extension(state, PLY, False, False, hopeless) == 3
    assert singular_extension(state, PLY, False, True, hopeless) == 2
    assert singular_extension(state, PLY, False, False, hopeless - 1) == 2
    assert singular_extension(state, PLY, True, False, hopeless) == 1


def test_a_reliable_tt_move_is_extended_sooner(state):
    update_tt_move_reliability(state, 77, 77, False)
    assert state.tt_move_history[0] == 0
    state.params.use_tt_move_history = 1
    for best, is_extended in ((77, True), (78, False)):
        for _ in range(40):
            update_tt_move_reliability(state, 77, best, False)
        shortfall = state.params.double_margin + (-10 if is_extended else 10)
        assert singular_extension(state, PLY, False, False, shortfall) == 1 + is_extended
    before = int(state.tt_move_history[0])
    for tt_move, best, is_pv in ((0, 77, False), (77, 0, False), (77, 77, True)):
        update_tt_move_reliability(state, tt_move, best, is_pv)
    assert state.tt_move_history[0] == before


def picked(game: Game, state, ply: int = PLY) -> list[str]:
    out = np.zeros(256, np.int64)
    return [game.uci(move) for move in out[: moves_by_picker(game.position, state, ply, 0, out)].tolist()]


def move_called(game: Game, text: str) -> int:
    return next(move for move in game.legal_moves() if game.uci(move) == text)


@pytest.mark.parametrize("plies_ago", [3, 6])
def test_moves_follow_those_of_three_and_six_plies_ago(state, plies_ago):
    game = Game(MIDDLE_GAME)
    move = move_called(game, "a2a4")
    slot = slot_of_move(game.position, state, move)
    for is_on in (0, 1):
        state.params.use_far_continuation = is_on
        state.stack["piece_to"][FRAME - 6 : FRAME] = 0
        state.stack["piece_to"][FRAME - plies_ago] = 700
        learn_cut(game.position, state, PLY, 9, move, 0, 0)
        assert (state.continuation_history[700, slot] > 0) == is_on
    for name in ("quiet_history", "pawn_history", "stack", "counter_moves"):
        state[name][...] = 0
    state.stack["piece_to"][FRAME - plies_ago] = 700
    state.continuation_history[700, slot] = 16_000
    quiet = [text for text in picked(game,
                                     state) if not reference_board(MIDDLE_GAME).is_capture(chess.Move.from_uci(text))]
    assert quiet[0] == "a2a4"
    state.params.use_far_continuation = 0
    assert picked(game, state).index("a2a4") > picked(game, state).index(quiet[1])


def test_plies_near_the_root_have_a_history_of_one_search(state):
    game = Game(MIDDLE_GAME)
    move = move_called(game, "a2a4")
    for is_on, ply in ((0, 1), (1, LOW_PLIES), (1, 1)):
        state.params.use_low_ply_history = is_on
        learn_cut(game.position, state, ply, 9, move, 0, 0)
        assert state.low_ply_history.any() == (is_on and ply < LOW_PLIES)
    for name in ("quiet_history", "pawn_history", "stack", "counter_moves"):
        state[name][...] = 0
    state.low_ply_history[1, move & 0xFFF] = 4000
    assert picked(game, state, 1).index("a2a4") < picked(game, state, 2).index("a2a4")
    init_root_entry(game.position, state)
    assert not state.low_ply_history.any()


def test_a_capture_with_a_good_history_comes_before_quiet_moves_even_if_it_loses_a_little(state):
    """The bishop takes a knight that a pawn defends; the queen takes a pawn that another one defends."""
    game = Game("4k3/8/1p2p3/2n2p2/8/B7/8/2Q2K2 w - - 0 1")
    rook = Game("4k3/8/4p3/3p4/8/8/3R4/4K3 w - - 0 1")
    capture = move_called(rook, "d2d5")
    state.capture_history[slot_of_move(rook.position, state, capture), chess.PAWN] = 16_000
    assert picked(game, state)[0] == "a3c5"
    assert picked(rook, state)[-1] == "d2d5"
    state.params.use_good_capture_history = 1
    assert picked(rook, state)[0] == "d2d5"
    state.capture_history[...] = -2000
    assert picked(rook, state)[-1] == "d2d5"


VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 9}


@settings(max_examples=40, deadline=None)
@given(fen=start_fens(chess960=False))
def test_a_threat_is_a_new_attack_on_a_more_valuable_piece(fen):
    game, board = Game(fen), reference_board(fen)
    for move in game.legal_moves():
        parsed = board.parse_uci(game.uci(move))
        if board.is_capture(parsed) or parsed.promotion or board.is_castling(parsed):
            continue
        own = board.piece_type_at(parsed.from_square)
        before = board.attacks(parsed.from_square)
        after = board.copy()
        after.push(parsed)
        expected = any(after.color_at(square) == after.turn and after.piece_type_at(square) != chess.KING
                       and VALUES[after.piece_type_at(square)] > VALUES[own]
                       for square in after.attacks(parsed.to_square) - before)
        assert bool(makes_threat(game.position, move)) == expected, (fen, parsed)


@pytest.mark.parametrize("is_on", [0, 1])
def test_quiescence_does_not_call_a_capture_futile_that_gives_check(state, is_on):
    """Black is two queens down and may take a pawn with check."""
    game = Game("r5k1/8/8/8/8/8/P6K/2QQ4 b - - 0 1")
    init_root_entry(game.position, state)
    state.node_limit = state.deadline = NO_LIMIT
    state.stop_address = STOP.ctypes.data
    state.params.use_tt = 0
    state.params.use_quiescence_check_captures = is_on
    assert quiescence_score(game.position, state, 0, 1) < 0
    assert (state.nodes > 0) == is_on


def test_a_re_search_teaches_the_continuation_history(state):
    state.stack["piece_to"][FRAME - 1 : FRAME + 1] = 600, 700
    learn_re_search(state, PLY, 6, 1, 0)
    assert not state.continuation_history.any()
    state.params.use_re_search_bonus = 1
    learn_re_search(state, PLY, 6, 0, 0)
    assert not state.continuation_history.any()
    learn_re_search(state, PLY, 6, 1, 0)
    bonus = min(6 * state.params.history_bonus, state.params.history_bonus_max)
    assert state.continuation_history[600, 700] == bonus // 2
    learn_re_search(state, PLY, 6, 1, 1)
    assert state.continuation_history[600, 700] <= 0


@given(st.integers(-3000, 3000), st.integers(-3000, 3000), st.integers(1, 30))
def test_a_score_that_fails_high_is_drawn_towards_beta_the_less_the_deeper(best, beta, depth):
    params = default_params()
    assert blend_fail_high(params, best, beta, depth) == best
    params.use_fail_high_blend = 1
    blended = blend_fail_high(params, best, beta, depth)
    assert blended == best if best < beta else beta <= blended <= best
    assert blended <= blend_fail_high(params, best, beta, depth + 1)
    assert blend_fail_high(params, mate_in(9), beta, depth) == mate_in(9)


def test_futility_counts_fractions_of_a_reduced_ply(state):
    game = Game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    move, params = move_called(game, "a1a2"), state.params
    half = -params.futility_base - params.futility_margin * 5 // 2  # what two and a half plies may bring
    for is_on in (0, 1):
        params.use_fractional_futility = is_on
        pruned = [prunes_quiet(game.position, state, move, 4, 512, 0, half + extra, 0) for extra in (0, 1)]
        assert pruned == ([True, False] if is_on else [False, False])
