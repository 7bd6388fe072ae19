"""The evaluation as a whole: its trace, its symmetries, its caches and its bounds."""

from __future__ import annotations

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.fen import parse_fen
from engine.core.game import Game
from eval.cache import empty_eval_cache
from eval.evaluate import LARGEST_SCORE, evaluate_entry, trace_position
from eval.features import TEMPO
from eval.trace import WHOLE_PHASE, WHOLE_SCALE, empty_trace
from eval.weights import values_of
from tests.eval.boards import (
    game_fens,
    heaps,
    is_playable,
    middle_game_weights,
    own_weights,
    random_weights,
    score_of,
    symmetric_weights,
)
from tests.eval.kernels import evaluate_after_passing, evaluate_cached, psq_by_move, psq_from_scratch
from tests.positions import play_both, reference_board, start_fens

SILLY = (
    "qqqqkqqq/qqqqqqqq/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/QQQQQQQQ/QQQQKQQQ b - - 0 1",
    "k7/8/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQK b - - 0 1",
    "nnnnknnn/nnnnnnnn/8/8/8/8/RRRRRRRR/RRRRKRRR w - - 0 1",
    "4k3/PPPPPPPP/PPPPPPPP/8/8/8/8/4K3 b - - 0 1",
)


def score_by_trace(fen, weights):
    """The score that a trace and the weights make, by the formula of the evaluation, in plain Python."""
    pos, trace = parse_fen(fen), empty_trace()
    traced = trace_position(pos, weights, trace)
    counts = (trace.counts[0] - trace.counts[1]).astype(object)
    mg, eg = (int(counts @ values.astype(object)) for values in values_of(weights))
    whole_phase, whole_scale = int(WHOLE_PHASE), int(WHOLE_SCALE)
    phase, scale = int(trace.phase), int(trace.scale)
    blended = mg * phase * whole_scale + eg * scale * (whole_phase - phase)
    score = min(abs(blended) // (whole_phase * whole_scale), int(LARGEST_SCORE)) * (1 if blended > 0 else -1)
    return -score if pos.side else score, traced


@pytest.mark.parametrize("weights", [own_weights(), random_weights()], ids=["own", "random"])
def test_the_trace_times_the_weights_is_the_evaluation(weights):
    fens = (*game_fens(30, 120), *SILLY)
    assert len(fens) > 2500
    for fen in fens:
        score, traced = score_by_trace(fen, weights)
        assert score == traced == score_of(fen, weights), fen


@settings(max_examples=300, deadline=None)
@given(heaps().filter(is_playable))
def test_the_trace_is_right_for_heaps_of_pieces(fen):
    score, traced = score_by_trace(fen, random_weights())
    assert score == traced == score_of(fen, random_weights())


@pytest.mark.parametrize("weights", [random_weights(), middle_game_weights()], ids=["random", "middle game only"])
def test_both_colors_are_treated_alike(weights):
    for fen in game_fens(30, 120):
        assert score_of(fen, weights) == score_of(reference_board(fen).mirror(), weights), fen


@settings(max_examples=300, deadline=None)
@given(heaps().filter(is_playable))
def test_both_colors_are_treated_alike_in_heaps_of_pieces(fen):
    assert score_of(fen, random_weights()) == score_of(reference_board(fen).mirror(), random_weights())


def test_both_wings_are_treated_alike():
    weights = symmetric_weights()
    for fen in game_fens(30, 120):
        board = reference_board(fen)
        board.castling_rights = chess.BB_EMPTY
        flipped = board.transform(chess.flip_horizontal)
        assert score_of(board, weights) == score_of(flipped, weights), fen


def test_only_the_tempo_depends_on_who_moves_when_no_pawn_runs():
    board = chess.Board()
    first = score_of(board)
    board.turn = chess.BLACK
    assert first == score_of(board) > 0


@settings(max_examples=60, deadline=None)
@given(st.data(), st.booleans())
def test_squares_are_kept_incrementally(data, chess960):
    fen = data.draw(start_fens(chess960))
    game, board = Game(fen, chess960), reference_board(fen, chess960)
    psq = psq_from_scratch(game.position, random_weights())
    for choice in data.draw(st.lists(st.integers(0, 10_000), max_size=80)):
        sums = {game.uci(move): psq_by_move(game.position, random_weights(), psq, move) for move in game.legal_moves()}
        text = play_both(game, board, choice)
        if text is None:
            break
        psq = sums[text]
        assert psq == psq_from_scratch(game.position, random_weights())


@pytest.mark.parametrize(("fen", "text"), [
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1"),
    ("r3k2r/pp3p2/8/8/8/8/PP3P2/R3K2R w KQkq - 0 1", "e1d1"),
    ("3rk3/pp1R1p2/8/8/8/8/PP3P2/4K3 b - - 0 1", "e8d7"),
    ("8/2p5/8/1P1pP2k/8/8/8/K7 w - d6 0 1", "e5d6"),
    ("8/8/8/8/3pP2k/8/8/K7 b - e3 0 1", "d4e3"),
    ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8n"),
    ("7k/8/8/8/8/8/p7/1R5K b - - 0 1", "a2b1q"),
])
def test_squares_follow_special_moves(fen, text):
    game = Game(fen)
    psq = psq_from_scratch(game.position, random_weights())
    moves = {game.uci(move): move for move in game.legal_moves()}
    psq = psq_by_move(game.position, random_weights(), psq, moves[text])
    game.push_uci(text)
    assert psq == psq_from_scratch(game.position, random_weights())


def test_caches_change_no_score():
    cache = empty_eval_cache()
    fens = game_fens(30, 120)
    for _ in range(2):  # once to fill it, once to be answered by it
        for fen in fens:
            pos = parse_fen(fen)
            psq = psq_from_scratch(pos, own_weights())
            assert evaluate_cached(pos, own_weights(), psq, cache) == evaluate_entry(pos, own_weights()), fen


def test_passing_changes_the_score_by_the_tempo_alone():
    """Nearly: where the endgame score of the side that is ahead is scaled down, the tempo is too."""
    cache, differences = empty_eval_cache(), []
    for fen in game_fens(30, 120):
        board = chess.Board(fen)
        own_pieces = board.occupied_co[board.turn] & ~board.pawns & ~board.kings
        if not board.is_check() and own_pieces:
            pos = parse_fen(fen)
            remembered = evaluate_after_passing(pos, own_weights(), psq_from_scratch(pos, own_weights()), cache)
            differences.append(abs(remembered - evaluate_entry(pos, own_weights())))
    assert len(differences) > 1000
    assert np.percentile(differences, 95) <= 2
    assert max(differences) < 100


def test_the_cache_answers_a_known_position_and_no_other():
    cache, pos = empty_eval_cache(), parse_fen(chess.STARTING_FEN)
    psq = psq_from_scratch(pos, own_weights())
    score = evaluate_cached(pos, own_weights(), psq, cache)
    assert evaluate_cached(pos, random_weights(), psq, cache) == score
    for bit in range(64):
        other = parse_fen(chess.STARTING_FEN)
        other.key ^= 1 << bit
        assert evaluate_cached(other, random_weights(), psq, cache) != score


def test_an_empty_cache_knows_no_position_whose_key_is_small():
    cache, pos = empty_eval_cache(), parse_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    pos.key = 0
    psq = psq_from_scratch(pos, own_weights())
    assert evaluate_cached(pos, own_weights(), psq, cache) == evaluate_entry(pos, own_weights()) > 0


@pytest.mark.parametrize("fen", SILLY)
@pytest.mark.parametrize("weights", [own_weights(), random_weights()], ids=["own", "random"])
def test_silly_positions_stay_within_bounds(fen, weights):
    assert abs(score_of(fen, weights)) <= LARGEST_SCORE


def test_the_starting_position_is_worth_the_tempo():
    mg, _ = values_of(own_weights())
    assert score_of(chess.STARTING_FEN) == mg[TEMPO] > 0


@pytest.mark.parametrize(("better", "worse"), [
    ("4k3/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "4k3/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w - - 0 1"),
    ("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 0 1",
     "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPPKPPP/RNBQ3R w kq - 0 1"),
    ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "6k1/5ppp/8/8/8/8/5PPP/B5K1 w - - 0 1"),
    ("8/3P4/8/1k6/8/6K1/8/8 w - - 0 1", "8/8/8/1k6/8/3P2K1/8/8 w - - 0 1"),
    ("6k1/5p1p/6p1/8/8/8/5PPP/3Q2K1 w - - 0 1", "6k1/5p1p/6p1/8/8/5P1P/5P2/3Q2K1 w - - 0 1"),
])
def test_what_every_player_knows(better, worse):
    assert score_of(better) > score_of(worse)
