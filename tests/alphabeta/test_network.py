"""Searches that evaluate by a network."""

from __future__ import annotations

from pathlib import Path

import chess
import numpy as np
import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.perft import PERFT_POSITIONS
from engine.expectimax.searcher import ExpectimaxSearch
from engine.mcts import params
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits
from eval.blank import material_only_network
from eval.cache import SCORE_SLOTS
from eval.evaluate import evaluate_entry
from eval.evaluator import FEATURES, Evaluator, evaluator_named, features_evaluator
from eval.network.file import Shape, write_network
from eval.network.memory import LoadedNetwork
from tests.eval.network import reference

SHAPE = Shape(128, (8, 16), reference.QUARTERS, output_buckets=4)
RANDOM = reference.random_network(4, SHAPE, 40)
BY_RANDOM = Evaluator(features_evaluator().weights, LoadedNetwork(RANDOM))
BY_MATERIAL = Evaluator(features_evaluator().weights, LoadedNetwork(material_only_network()))
HANGING_QUEEN = "rnb1kbnr/pppp1ppp/8/4p1q1/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1"  # Bxg5


def remembered_score(searcher: AlphaBetaSearch, fen: str) -> int | None:
    """What the thread's cache has as the evaluation of a position, if anything."""
    key = int(parse_fen(fen).key)
    known = int(searcher._states[0].cache.scores[key % SCORE_SLOTS])
    is_known = known // SCORE_SLOTS == key // SCORE_SLOTS and known % SCORE_SLOTS
    return known % SCORE_SLOTS - SCORE_SLOTS // 2 if is_known else None


def has_own_rule(board: chess.Board) -> bool:
    """Whether it is an ending that the features have a say in."""
    return any(not board.pieces(chess.PAWN, color) for color in chess.COLORS)


@pytest.mark.parametrize("fen", [known.fen for known in PERFT_POSITIONS[:3]])
def test_what_a_search_evaluated_is_what_the_reference_says(fen):
    """With null moves, castling, promotions, take-backs and every order of moves: no score may be off."""
    searcher = AlphaBetaSearch(4, evaluation=BY_RANDOM)
    searcher.run(parse_fen(fen), Limits(depth=8))
    seen = 0
    board = chess.Board(fen)
    for first in list(board.legal_moves):
        board.push(first)
        for second in [chess.Move.null(), *board.legal_moves] if not board.is_check() else list(board.legal_moves):
            board.push(second)
            score = None if has_own_rule(board) else remembered_score(searcher, board.fen())
            if score is not None:
                seen += 1
                assert score == reference.score(board, RANDOM), board.fen()
            board.pop()
        board.pop()
    assert seen > 20


@pytest.mark.parametrize("searcher", [
    AlphaBetaSearch(4, evaluation=BY_MATERIAL), ExpectimaxSearch(evaluation=BY_MATERIAL),
    MctsSearch(params.puct(), 4, evaluation=BY_MATERIAL)], ids=["alpha-beta", "expectimax", "mcts"])
def test_every_kind_of_search_takes_what_hangs(searcher):
    game = Game(HANGING_QUEEN)
    limits = Limits(nodes=300) if isinstance(searcher, MctsSearch) else Limits(depth=3)
    result = searcher.run(game.position, limits)
    assert game.uci(result.move) == "c1g5"
    assert result.score > 0


def test_the_evaluation_can_be_exchanged():
    game, searcher, limits = Game(), AlphaBetaSearch(4, evaluation=features_evaluator()), Limits(depth=8)
    by_features = searcher.run(game.position, limits)
    searcher.set_evaluation(BY_MATERIAL)
    by_material = searcher.run(game.position, limits)
    searcher.set_evaluation(features_evaluator())
    again = searcher.run(game.position, limits)
    assert (by_features.nodes, by_features.score) == (again.nodes, again.score)
    assert by_material.nodes != by_features.nodes


def test_threads_share_a_network():
    searcher = AlphaBetaSearch(4, threads=2, evaluation=BY_RANDOM)
    game = Game(PERFT_POSITIONS[1].fen)
    assert searcher.run(game.position, Limits(depth=8)).move in game.legal_moves()
    addresses = {int(state.accumulators.network) for state in searcher._states}
    assert len(addresses) == 1


def evaluated(fen: str, evaluation: Evaluator) -> int:
    """The static evaluation, by a search that is nothing else."""
    searcher = AlphaBetaSearch(1, evaluation=evaluation)
    searcher.run(parse_fen(fen), Limits(depth=1))
    score = remembered_score(searcher, fen)
    assert score is not None
    return score


def test_a_bare_king_is_mated_by_the_features():
    for fen in ("8/8/3k4/8/8/2BNK3/8/8 w - - 0 1", "8/8/3k4/8/8/4K3/8/6R1 b - - 0 1"):
        assert evaluated(fen, BY_RANDOM) == evaluate_entry(parse_fen(fen), features_evaluator().weights)
    assert evaluated("8/8/8/3k4/8/3PPPP1/3K4/8 w - - 0 1", BY_RANDOM) > 0


def test_an_advantage_that_cannot_be_turned_into_a_win_counts_little():
    drawn = "8/5k2/4n3/8/8/2R1K3/8/8 w - - 0 1"  # rook against knight
    assert evaluated(drawn, BY_MATERIAL) < reference.score(chess.Board(drawn), material_only_network()) // 4


def test_evaluations_by_name(tmp_path: Path):
    path = tmp_path / "a.network"
    write_network(RANDOM, path)
    first, second = evaluator_named(str(path)), evaluator_named(str(path))
    assert first.network is not None and first.network is second.network
    assert evaluator_named(FEATURES).network is None
    write_network(reference.random_network(5, Shape(128, (8, 8))), path)
    changed = evaluator_named(str(path)).network
    assert changed is not None and changed is not first.network
    assert np.array_equal(first.network.network.feature_biases, RANDOM.feature_biases)
