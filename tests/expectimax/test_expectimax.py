"""Expectimax: its values compared with the textbook's, and its behaviour as a search."""

from __future__ import annotations

import functools
import math
import random

import chess
import numpy as np
import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.perft import PERFT_POSITIONS
from engine.course.reference.expectimax import expectimax
from engine.course.reference.games.chess import Chess
from engine.expectimax.chance import value_of_move
from engine.expectimax.opponent import OPPONENT_PARAMS, temperature_of
from engine.expectimax.searcher import ExpectimaxSearch, RootMove, score_of
from engine.search.interface import Clearable, Resizable, Stoppable, TbProbing, Threaded
from engine.search.scores import MAX_EVALUATION, mate_distance, mate_in
from engine.search.types import Limits
from eval.evaluator import features_evaluator
from tests.alphabeta.kernels import average
from tests.alphabeta.reference import minimax
from tests.alphabeta.test_truth import switched
from tests.positions import CORNERS, reference_board

MIDDLE_GAME = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"
MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1"
MATE_IN_THREE = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"

SCALE = {row.name: row.default for row in OPPONENT_PARAMS}["scale"]
SIGHT = {row.name: row.default for row in OPPONENT_PARAMS}["sight"]

SEARCHER = ExpectimaxSearch()
BY_FEATURES = ExpectimaxSearch(evaluation=features_evaluator())


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Have the kernels there before anything is timed."""
    SEARCHER.load()


def search(fen: str, temperature: float = 60.0, searcher: ExpectimaxSearch = SEARCHER, **limits):
    searcher.set_opponent(temperature)
    game = Game(fen)
    return game, searcher.run(game.position, Limits(**limits))


# The textbook's values.


def test_the_average_of_the_notes():
    """A half of 8, a third of 24 and a sixth of -12 are 10."""
    assert average(np.array([1 / 2, 1 / 3, 1 / 6]), np.array([8.0, 24.0, -12.0])) == pytest.approx(10)


def few_moves(count: int) -> list[str]:
    """Positions with few pieces and few moves, White to move."""
    rng = random.Random(9)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board(None)
        letters = ["K", "k", *rng.choices("PPpprRnNbBqQ", k=rng.choice((1, 2, 3)))]
        for square, letter in zip(rng.sample(range(64), len(letters)), letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and 1 <= board.legal_moves.count() <= 7:
            fens.append(board.fen())
    return fens


SMALL = [*few_moves(36), "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "k7/8/1K6/8/8/8/8/7R w - - 98 80",
         "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"]


class RememberedChess(Chess):
    """Chess with cached results, because every model meets each position at every depth."""

    actions = functools.cache(Chess.actions)
    result = functools.cache(Chess.result)
    is_terminal = functools.cache(Chess.is_terminal)
    to_move = functools.cache(Chess.to_move)


GAME = RememberedChess()


@functools.cache
def quiescence_score(fen: str) -> int:
    """The score of a position for the side to move, by plain quiescence."""
    return minimax(parse_fen(fen), 0, 1, with_quiescence=True)


def evaluate(fen: str) -> float:
    utility = math.tanh(quiescence_score(fen) / SCALE)
    return utility if fen.split()[1] == "w" else -utility


def policy_of(temperature: float, least_likelihood: float):
    def policy(fen: str) -> list[float]:
        seen = [max(-SIGHT, min(-quiescence_score(GAME.result(fen, action)), SIGHT)) for action in GAME.actions(fen)]
        likelihoods = [math.exp((score - max(seen)) / temperature) for score in seen]
        kept = [likelihood if likelihood >= least_likelihood else 0.0 for likelihood in likelihoods]
        return [likelihood / math.fsum(kept) for likelihood in kept]

    return policy


def uniform(fen: str) -> list[float]:
    count = len(GAME.actions(fen))
    return [1 / count] * count


def plain(temperature: float, least_likelihood: float) -> ExpectimaxSearch:
    """With quiescence that prunes nothing, and mates that are worth 1, as the textbook has them."""
    searcher = ExpectimaxSearch(switched("use_quiescence"), features_evaluator())
    searcher.set_opponent(temperature)
    searcher.set_opponent_param("mate_discount", 0.0)
    searcher.set_opponent_param("least_likelihood", least_likelihood)
    return searcher


MODELS = {
    "random": (plain(math.inf, 0.01), uniform),
    "softmax": (plain(80.0, 0.0), policy_of(80.0, 0.0)),
    "cold": (plain(15.0, 0.0), policy_of(15.0, 0.0)),
    "without the unlikely": (plain(80.0, 0.2), policy_of(80.0, 0.2)),
}


def utilities(searcher: ExpectimaxSearch, fen: str, depth: int) -> dict[str, float]:
    """The utility of every root move."""
    game = Game(fen)
    searcher.prepare(game.position, Limits())
    state, position = searcher._states[0], game.position.copy()
    return {game.uci(move): value_of_move(position, state, searcher._tree, move, depth)[0]
            for move in game.legal_moves()}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_values_are_the_textbooks(model, depth):
    searcher, policy = MODELS[model]
    for fen in SMALL[:: 1 if depth < 3 else 4]:
        truth = {action: expectimax(GAME, GAME.result(fen, action), policy, depth - 1, evaluate)
                 for action in GAME.actions(fen)}
        assert utilities(searcher, fen, depth) == pytest.approx(truth, abs=1e-12), fen
        best = max(truth.values())
        result = searcher.run(parse_fen(fen), Limits(depth=depth))
        assert truth[Game(fen).uci(result.move)] == pytest.approx(best, abs=1e-12)
        if not mate_distance(result.score) and abs(best) < 0.999:
            assert result.score == pytest.approx(SCALE * math.atanh(best), abs=0.51)


def test_both_colours_see_the_same():
    for fen in SMALL[:12]:
        mirrored = reference_board(fen).mirror().fen()
        ours, theirs = (sorted(utilities(MODELS["softmax"][0], position, 3).values()) for position in (fen, mirrored))
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_a_random_mover_is_the_limit_of_hot_players():
    for fen in (*SMALL[:12], MIDDLE_GAME):
        SEARCHER.set_opponent(math.inf)
        limit = utilities(SEARCHER, fen, 2)
        SEARCHER.set_opponent(1e13)
        assert utilities(SEARCHER, fen, 2) == pytest.approx(limit, abs=1e-9)


# Models and reality.


def test_a_trap_is_set_for_a_random_mover_only():
    """b4 gives a pawn away and attacks a bishop: good against a random mover, bad against all others."""
    game = Game(MIDDLE_GAME)
    assert game.uci(search(MIDDLE_GAME, math.inf, depth=3)[1].move) == "b2b4"
    assert game.uci(search(MIDDLE_GAME, temperature_of(2500), depth=3)[1].move) != "b2b4"
    adversary = AlphaBetaSearch(1)
    moves = tuple(move for move in game.legal_moves() if game.uci(move) == "b2b4")
    best = adversary.run(game.position, Limits(depth=10))
    trap = adversary.run(game.position, Limits(depth=10, search_moves=moves))
    assert best.move not in moves
    assert trap.score < best.score - 50


def test_the_better_the_opponent_the_lower_the_hopes():
    scores = [search(MIDDLE_GAME, temperature_of(rating), depth=2)[1].score for rating in (0, 400, 800, 1600, 2800)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] + 100


# Mates and draws.


@pytest.mark.parametrize(("fen", "moves", "depth", "temperature"), [
    (MATE_IN_ONE, 1, 1, math.inf), (MATE_IN_TWO, 2, 3, math.inf), (MATE_IN_TWO, 2, 3, 60.0),
    (MATE_IN_THREE, 3, 5, 5.0)])
def test_a_mate_that_no_reply_avoids_is_announced(fen, moves, depth, temperature):
    """By the features: which replies are so unlikely that they do not count depends on what evaluates them."""
    _, result = search(fen, temperature, BY_FEATURES, depth=depth)
    assert mate_distance(result.score) == moves
    assert not any(mate_distance(info.score) for info in result.infos if info.depth < depth)
    assert search(fen, temperature, BY_FEATURES, mate=moves)[1].depth == depth


def test_a_mate_that_is_only_likely_is_not_announced():
    """Qh6 threatens mate on g7. Nxf6 is the only defence, and few random movers find it."""
    fen = "5rk1/5p1p/5Pp1/3n4/8/8/8/2Q3K1 w - - 0 1"
    trap = tuple(move for move in Game(fen).legal_moves() if Game(fen).uci(move) == "c1h6")
    _, result = search(fen, math.inf, depth=3, search_moves=trap)
    assert mate_distance(result.score) is None
    assert 500 < result.score <= MAX_EVALUATION
    assert search(fen, 20.0, depth=3, search_moves=trap)[1].score < result.score - 200


def test_being_mated_and_stalemate_have_no_move():
    for fen in ("6rk/8/8/8/8/8/6q1/7K w - - 0 1", "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1"):
        assert search(fen, depth=3)[1].move == 0


def test_stalemate_at_the_horizon_is_a_draw():
    game = Game("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1")
    values = utilities(SEARCHER, game.fen(), 1)
    assert values["g5g6"] == 0.0
    assert values["f7e6"] > 0.9


def test_a_position_that_comes_for_the_third_time_is_a_draw():
    moves = "g1g2 h8h7 g2g1 h7h8 g1g2 h8h7 g2g1 h7h6 g1g3 h6h7".split()  # rook g1, king h7: twice so far
    game = Game("7k/8/8/8/8/8/8/K5R1 w - - 0 1", moves=moves)
    result = SEARCHER.run(game.position, Limits(depth=1, multipv=50))
    scores = {game.uci(info.pv[0]): info.score for info in result.infos}
    assert scores["g3g1"] == 0 < scores["g3g2"]


# Scores.


def test_scores_of_utilities():
    assert score_of(RootMove(0, math.tanh(1.5), (1,)), 350.0) == 525
    assert score_of(RootMove(0, 0.0, (1,)), 350.0) == 0
    for utility in (1.0, 1 - 1e-16):
        assert 0 < score_of(RootMove(0, utility, (1,)), 350.0) <= MAX_EVALUATION
        assert score_of(RootMove(0, -utility, (1,)), 350.0) == -score_of(RootMove(0, utility, (1,)), 350.0)
    assert score_of(RootMove(int(mate_in(3)), 0.99, (1,)), 350.0) == mate_in(3)


# The search interface.


def test_every_iteration_reports_every_line_in_order():
    game, reported = Game(MIDDLE_GAME), []
    result = SEARCHER.run(game.position, Limits(depth=3, multipv=5), reported.append)
    assert [(info.depth, info.multipv) for info in result.infos] == [
        (depth, number) for depth in (1, 2, 3) for number in (1, 2, 3, 4, 5)]
    assert reported[-5:] == result.infos[-5:]
    for depth in (1, 2, 3):
        lines = [info for info in result.infos if info.depth == depth]
        assert [info.score for info in lines] == sorted((info.score for info in lines), reverse=True)
        assert len({info.pv[0] for info in lines}) == 5
        assert all(len(info.pv) == depth <= info.seldepth for info in lines)
    assert (result.move, result.score, result.pv) == (lines[0].pv[0], lines[0].score, lines[0].pv)


def test_multipv_shows_the_moves_with_the_highest_utilities():
    SEARCHER.set_opponent(60.0)
    values = utilities(SEARCHER, MIDDLE_GAME, 2)
    game, result = search(MIDDLE_GAME, depth=2, multipv=256)
    shown = [game.uci(info.pv[0]) for info in result.infos if info.depth == 2]
    assert [values[text] for text in shown] == sorted(values.values(), reverse=True)


@pytest.mark.parametrize("temperature", [math.inf, 60.0])
def test_lines_are_legal(temperature):
    for fen in CORNERS:
        game, result = search(fen, temperature, nodes=20_000, multipv=3)
        if not game.legal_moves():
            continue
        assert result.infos
        for info in result.infos:
            board, cursor = reference_board(fen), Game(fen)
            for move in info.pv:
                text = cursor.uci(move)
                board.push(board.parse_uci(text))  # raises if it is illegal
                cursor.push_uci(text)


def test_the_line_goes_on_with_the_likeliest_reply():
    """The queen hangs, and the likeliest reply captures it."""
    _, result = search("3q3k/8/8/8/8/8/8/3QK3 b - - 0 1", 60.0, depth=2, multipv=256)
    game = Game("3q3k/8/8/8/8/8/8/3QK3 b - - 0 1")
    for info in result.infos:
        if info.depth == 2 and game.uci(info.pv[0]) == "d8d2":
            assert Game("7k/8/8/8/8/8/3q4/3QK3 w - - 0 1").uci(info.pv[1]) in ("d1d2", "e1d2")


def test_the_same_search_twice_gives_the_same():
    for limits in ({"nodes": 30_000}, {"depth": 3}):
        for fen in (MIDDLE_GAME, PERFT_POSITIONS[2].fen):
            first, _, second = (search(start, **limits)[1] for start in (fen, MATE_IN_TWO, fen))
            assert (first.move, first.score, first.nodes, first.pv) == (
                second.move, second.score, second.nodes, second.pv)


def test_search_moves_are_the_only_ones():
    game = Game(MIDDLE_GAME)
    moves = tuple(move for move in game.legal_moves() if game.uci(move) in ("a2a3", "g2g3"))
    result = SEARCHER.run(game.position, Limits(depth=3, search_moves=moves, multipv=4))
    assert {info.pv[0] for info in result.infos} == set(moves)
    assert result.move in moves


def test_a_broken_iteration_answers_with_a_move_of_the_last_one():
    """The best so far comes first: only one that is better at the new depth may replace it."""
    for nodes in range(2000, 60_000, 9000):
        _, result = search(MIDDLE_GAME, nodes=nodes, multipv=4)
        assert result.infos
        last = [info for info in result.infos if info.multipv == 1][-1]
        assert result.pv == last.pv or result.move == last.pv[0]


def test_it_has_the_capabilities_that_it_can_use():
    assert isinstance(SEARCHER, Stoppable) and isinstance(SEARCHER, Clearable)
    assert isinstance(SEARCHER, TbProbing)
    assert not isinstance(SEARCHER, Threaded) and not isinstance(SEARCHER, Resizable)


def test_a_new_game_begins_from_nothing():
    _, before = search(MIDDLE_GAME, depth=2)
    SEARCHER.clear()
    _, after = search(MIDDLE_GAME, depth=2)
    assert (before.score, before.nodes) == (after.score, after.nodes)
