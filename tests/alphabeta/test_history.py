"""What a search learns on its way: the order of moves, histories, corrections of the evaluation, windows."""

from __future__ import annotations

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alphabeta.deepening import aspiration_window, widen_window
from engine.alphabeta.params import default_params
from engine.alphabeta.state import PAWN_HISTORY_SIZE, ROOT_OFFSET, new_state
from engine.alphabeta.tt import EXACT, LOWER, UPPER
from engine.core.game import Game
from engine.search.scores import INFINITE, NO_SCORE, mate_in
from eval.evaluator import features_evaluator
from tests.alphabeta.kernels import (
    corrected,
    exact_and_lazy,
    follows_quiet,
    hint_for,
    learn_cut,
    learn_error,
    learn_evaluation,
    learn_fail_low,
    learn_surprise,
    moved_history,
    moves_by_picker,
    play_move,
    slot_of_move,
    watch,
    wins_exchange,
)
from tests.eval.kernels import psq_from_scratch
from tests.kernels import all_attacked, attacks_by_value_entry
from tests.positions import reference_board, start_fens

STATE = new_state()
PLY = 6
FRAME = int(ROOT_OFFSET) + PLY
MIDDLE_GAME = "r1bqk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R w KQkq - 0 7"
HISTORY_LIMIT = 1 << 14


def fill_histories(state, seed):
    generator = np.random.default_rng(seed)
    for name in ("quiet_history", "capture_history", "continuation_history", "pawn_history"):
        state[name][...] = generator.integers(-3000, 3000, state[name].shape)
    state.continuation_history[0] = state.pawn_history[0] = 0  # of no move, and of a history that is off
    state.stack["piece_to"] = generator.integers(64, 1024, len(state.stack))


def picked(game, state, tt_move=0):
    out = np.zeros(1024, np.int64)
    return out[: moves_by_picker(game.position, state, PLY, tt_move, out)].tolist()


def quiet_score(game, state, move):
    """The weighted sum of the histories, by the definition, and the hint."""
    slot = slot_of_move(game.position, state, move)
    before = state.stack["piece_to"]
    one, two, four = (int(state.continuation_history[before[FRAME - back], slot]) for back in (1, 2, 4))
    threats = int(state.stack["threats"][FRAME])
    threatened = 2 * (threats >> (move & 63) & 1) + (threats >> (move >> 6 & 63) & 1)
    pawns = int(state.pawn_history[int(game.position.pawn_key) % PAWN_HISTORY_SIZE, slot])
    own = int(state.quiet_history[game.position.side, threatened, move & 0xFFF])
    params = state.params
    weighted = (one * params.weight_last + two * params.weight_second + four * params.weight_fourth
                + (pawns * params.weight_pawn if params.use_pawn_history else 0))
    return own + (weighted >> 10) + hint_for(game.position, state, move)


@settings(max_examples=60, deadline=None)
@given(fen=start_fens(chess960=False), seed=st.integers(0, 1000), choice=st.integers(0, 500), extra=st.integers(0, 1))
def test_the_order_of_moves(fen, seed, choice, extra):
    """Table move, captures that hold material, killers and counter move, quiets by their histories, other captures."""
    game, board, state = Game(fen), reference_board(fen), STATE
    fill_histories(state, seed)
    state.params.use_pawn_history = extra
    state.stack["threats"][FRAME] = all_attacked(game.position, game.position.side ^ 1) if extra else 0
    state.stack["attacked_by_lesser"][FRAME] = attacks_by_value_entry(game.position, game.position.side ^ 1)[:3]
    legal = game.legal_moves()
    if not legal:
        return
    tt_move, *refutations = (legal[(choice + step) % len(legal)] for step in (0, 7, 10, 13))
    *killers, counter = refutations
    state.stack["killers"][FRAME] = killers
    state.counter_moves[state.stack["piece_to"][FRAME - 1]] = counter
    order = picked(game, state, tt_move)
    assert sorted(order) == sorted(legal)
    assert order[0] == tt_move

    def is_noisy(move):
        parsed = board.parse_uci(game.uci(move))
        return board.is_capture(parsed) or parsed.promotion is not None

    def rank(move):
        if is_noisy(move):
            return 0 if wins_exchange(game.position, move, 0) else 3
        return 1 if move in refutations else 2

    ranks = [rank(move) for move in order[1:]]
    assert ranks == sorted(ranks)
    playable = [move for move in refutations if move != tt_move and not is_noisy(move)]
    assert [move for move in order[1:] if rank(move) == 1] == list(dict.fromkeys(playable))
    scores = [quiet_score(game, state, move) for move in order[1:] if rank(move) == 2]
    assert scores == sorted(scores, reverse=True)


def test_the_most_valuable_victim_comes_first(state):
    game = Game("4k3/8/8/q2r1n1p/1P2P1P1/8/8/4K3 w - - 0 1")
    captures = [game.uci(move) for move in picked(game, state)[:5]]
    assert [capture[2:] for capture in captures] == ["a5", "d5", "f5", "f5", "h5"]
    state.capture_history[:, chess.PAWN] = HISTORY_LIMIT // 4
    captures = [game.uci(move) for move in picked(game, state)[:5]]
    assert [capture[2:] for capture in captures] == ["a5", "d5", "h5", "f5", "f5"], "what did well comes earlier"


def test_a_new_queen_comes_before_captures_and_lesser_pieces_after_them(state):
    game = Game("4k3/P7/8/8/8/7p/6P1/4K3 w - - 0 1")
    noisy = [game.uci(move) for move in picked(game, state)[:5]]
    assert noisy[:2] == ["a7a8q", "g2h3"]
    assert set(noisy[2:]) == {"a7a8r", "a7a8b", "a7a8n"}


@given(bits=st.integers(10, 14), value=st.floats(-1, 1), step=st.floats(-1, 1))
def test_histories_never_leave_their_range_and_move_the_right_way(bits, value, step):
    limit = 1 << bits
    value, step = int(value * limit), int(step * limit)
    after = moved_history(value, step, bits)
    assert -limit <= after <= limit
    assert (after - value) * step >= 0 or abs(after - value) <= 1


def test_a_cut_is_remembered(state):
    game = Game(MIDDLE_GAME)
    names = {game.uci(move): move for move in game.legal_moves()}
    best, others, capture = names["c3d5"], [names["a2a3"], names["h2h3"]], names["c4f7"]
    state.stack["piece_to"][FRAME - 1] = 700
    state.tried_quiets[PLY, :2] = others
    state.tried_noisies[PLY, :1] = [capture]
    learn_cut(game.position, state, PLY, 5, best, 2, 1)
    assert state.stack["killers"][FRAME].tolist() == [best, 0]
    assert state.counter_moves[700] == best
    assert state.quiet_history[0, 0, best & 0xFFF] > 0
    assert all(state.quiet_history[0, 0, move & 0xFFF] < 0 for move in others)
    assert state.continuation_history[700, slot_of_move(game.position, state, best)] > 0
    assert state.capture_history[slot_of_move(game.position, state, capture), chess.PAWN] < 0
    learn_cut(game.position, state, PLY, 5, others[0], 0, 0)
    assert state.stack["killers"][FRAME].tolist() == [others[0], best]


def test_threats_and_pawns_have_histories_of_their_own(state):
    """White's knight on g5 is attacked by the pawn on h6, so its retreats are learned apart from other moves."""
    state.params.use_threats = state.params.use_pawn_history = 1
    game = Game("4k3/8/7p/6N1/8/3p4/8/2R1K3 w - - 0 1")
    names = {game.uci(move): move for move in game.legal_moves()}
    for text, threatened in (("g5e4", 2), ("g5h7", 2), ("c1c2", 1), ("e1f1", 0), ("g5f7", 3)):
        move = names[text]
        watch(game.position, state, PLY)
        learn_cut(game.position, state, PLY, 5, move, 0, 0)
        assert [index for index in range(4) if state.quiet_history[0, index, move & 0xFFF]] == [threatened], text
        slot = slot_of_move(game.position, state, move)
        assert state.pawn_history[int(game.position.pawn_key) % PAWN_HISTORY_SIZE, slot] > 0
        assert np.count_nonzero(state.pawn_history[:, slot]) == 1


def test_a_capture_that_cuts_becomes_no_killer(state):
    game = Game(MIDDLE_GAME)
    capture = next(move for move in game.legal_moves() if game.uci(move) == "c4f7")
    learn_cut(game.position, state, PLY, 5, capture, 0, 0)
    assert state.stack["killers"][FRAME].tolist() == [0, 0]
    assert state.capture_history[slot_of_move(game.position, state, capture), chess.PAWN] > 0


@pytest.mark.parametrize(("text", "is_quiet"), [("c3d5", True), ("c4f7", False), ("e1g1", False)])
def test_whether_the_last_move_was_quiet(state, text, is_quiet):
    """Castling is left out, for its target is the rook's square."""
    game = Game(MIDDLE_GAME)
    move = next(move for move in game.legal_moves() if game.uci(move) == text)
    play_move(game.position, state, PLY, move)
    assert follows_quiet(game.position, state, PLY + 1) == is_quiet
    assert not follows_quiet(game.position, state, 0)


@pytest.mark.parametrize(("before", "now", "sign"), [(10, -60, 1), (10, -10, 0), (10, 40, -1)])
def test_a_move_is_judged_by_what_it_did_to_the_evaluation(state, before, now, sign):
    game = Game(MIDDLE_GAME)
    move = next(move for move in game.legal_moves() if game.uci(move) == "c3d5")
    state.stack["piece_to"][FRAME - 1] = 700
    slot = slot_of_move(game.position, state, move)
    play_move(game.position, state, PLY, move)
    learn_evaluation(game.position, state, PLY + 1, before, now)
    assert np.sign(state.quiet_history[0, 0, move & 0xFFF]) == sign
    assert np.sign(state.continuation_history[700, slot]) == sign


@pytest.mark.parametrize(("best", "is_good"), [(-10, True), (0, True), (1, False)])
def test_a_move_after_which_everything_fails_low_is_rewarded(state, best, is_good):
    game = Game(MIDDLE_GAME)
    move = next(move for move in game.legal_moves() if game.uci(move) == "c3d5")
    play_move(game.position, state, PLY, move)
    learn_fail_low(game.position, state, PLY + 1, 5, best, 0)
    assert (state.quiet_history[0, 0, move & 0xFFF] > 0) == is_good
    assert is_good or not state.quiet_history.any()


@pytest.mark.parametrize(("change", "sign"), [
    ({}, 1), ({"best": -10}, -1), ({"bound": LOWER}, 1), ({"bound": UPPER}, 0), ({"best": -10, "bound": LOWER}, 0),
    ({"best": -10, "bound": UPPER}, -1), ({"move": "c4f7"}, 0), ({"move": None}, 1), ({"best": mate_in(9)}, 0),
    ({"static_eval": NO_SCORE}, 0)])
def test_the_evaluation_learns_only_from_scores_that_refute_it(state, change, sign):
    """A bound on the wrong side of the evaluation refutes nothing, nor does a capture, which no evaluation foresees."""
    case, game = {"static_eval": 20, "best": 50, "bound": EXACT, "move": "c3d5", **change}, Game(MIDDLE_GAME)
    before = corrected(game.position, state, PLY, 20)
    move = next((move for move in game.legal_moves() if game.uci(move) == case["move"]), 0)
    learn_surprise(game.position, state, PLY, 16, case["static_eval"], case["best"], move, case["bound"])
    assert np.sign(corrected(game.position, state, PLY, 20) - before) == sign


def test_lazy_evaluation_is_seldom_far_off():
    """Along random games, whose moves are wilder than those of a search."""
    state, errors = new_state(evaluation=features_evaluator()), []
    generator = np.random.default_rng(3)
    for _ in range(20):
        game = Game(MIDDLE_GAME)
        state.stack["psq"][ROOT_OFFSET] = psq_from_scratch(game.position, state.weights)
        state.stack["positional_eval"][ROOT_OFFSET] = NO_SCORE
        for ply in range(60):
            exact, lazy = exact_and_lazy(game.position, state, ply)
            if lazy != NO_SCORE:
                errors.append(abs(exact - lazy))
            legal = game.legal_moves()
            if not legal:
                break
            play_move(game.position, state, ply, int(generator.choice(legal)))
    assert len(errors) > 500
    assert np.percentile(errors, 90) <= state.params.lazy_margin


@pytest.mark.parametrize("error", [-300, -40, 40, 300])
def test_the_evaluation_is_corrected_towards_what_searches_found(state, error):
    position = Game(MIDDLE_GAME).position
    before = corrected(position, state, PLY, 25)
    assert abs(before - 25) <= 2, "only scaled by material"
    corrections = []
    for _ in range(50):
        learn_error(position, state, PLY, 6, error)
        corrections.append(corrected(position, state, PLY, 25) - before)
    assert all(correction * error >= 0 for correction in corrections)
    assert abs(corrections[-1]) >= abs(corrections[0]) > 0
    assert abs(corrections[-1]) < 200
    other = Game(chess.STARTING_FEN).position  # the same two last moves, and nothing else in common
    assert abs(corrected(other, state, PLY, 25) - 25) < abs(corrections[-1])


def test_the_evaluation_shrinks_as_the_fifty_moves_pass(state):
    fens = [f"4k3/8/2n5/8/7P/8/5B2/4K3 w - - {plies} 60" for plies in (0, 30, 60, 90)]
    state.params.use_material_scaling = state.params.use_rule50_scaling = 0
    plain = [corrected(Game(fen).position, state, PLY, -200) for fen in fens]
    assert plain == [-200] * 4
    state.params.use_rule50_scaling = 1
    shrunk = [corrected(Game(fen).position, state, PLY, -200) for fen in fens]
    assert shrunk[0] == -200
    assert shrunk == sorted(shrunk)
    assert shrunk[-1] < 0
    state.params.use_correction = 0  # another technique: without it evaluations still shrink
    assert [corrected(Game(fen).position, state, PLY, -200) for fen in fens] == shrunk


@given(expected=st.integers(-2000, 2000), scores=st.lists(st.integers(-9000, 9000), max_size=30))
def test_windows_widen_until_every_score_lies_inside(expected, scores):
    params = default_params()
    assert aspiration_window(params, 1, expected) == (-INFINITE, INFINITE)
    alpha, beta = aspiration_window(params, 10, expected)
    assert alpha < expected < beta
    width = int(params.aspiration_window)
    for score in scores:
        if alpha < score < beta:
            continue
        low, high, wider = widen_window(params, alpha, beta, score, width)
        assert low < score < high or score in (low, high)
        assert high - low > 0
        assert wider == width + width // 2
        alpha, beta, width = low, high, wider
    for _ in range(12):
        alpha, beta, width = widen_window(params, alpha, beta, beta, width)
    assert (alpha, beta) == (-INFINITE, INFINITE)
