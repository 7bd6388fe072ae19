"""The tree searches: limits, lines and errors."""

from __future__ import annotations

import threading
import time

import chess
import pytest

from engine.core.game import Game
from engine.lab.bench_positions import BENCH_FENS
from engine.mcts import params
from engine.mcts.lines import best_lines, mean_value
from engine.mcts.searcher import MctsSearch
from engine.search.scores import mate_distance
from engine.search.types import Info, Limits
from engine.system.errors import InputError
from tests.mcts.trees import MATES, MIDDLE_GAME, MODES, SEARCHERS, search
from tests.positions import CORNERS, CROWD, reference_board
from tests.timing import clocked, shortest


def test_a_mate_that_the_search_of_the_root_finds_ends_the_search():
    fen = "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1"
    game, result = search("puct", fen, nodes=100_000)
    assert game.uci(result.move) == "h6h7"
    assert mate_distance(result.score) == 2
    assert result.nodes < 100_000


def test_a_proven_best_move_ends_a_depth_with_several_lines():
    _, result = search("puct", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", depth=10, multipv=2, movetime=5.0)
    assert result.seconds < 4.0
    assert mate_distance(result.score) == 1


def test_the_fifty_move_counter_belongs_to_the_tree():
    """Mate in two, but with the counter at 98 the draw comes first."""
    fen = "7k/8/8/8/8/8/R7/1R2K3 w - - {} 80"
    _, result = search("puct", fen.format(0), nodes=20_000)
    assert mate_distance(result.score) == 2
    result = SEARCHERS["puct"].run(Game(fen.format(98)).position, Limits(nodes=3000))
    assert mate_distance(result.score) is None


def test_a_full_pool_and_a_root_without_children():
    searcher = MctsSearch(params.puct(), 1)
    game = Game()
    searcher.run(game.position, Limits(nodes=200))
    searcher.pool.counter[0] = searcher.pool.capacity
    child = searcher.pool.children(searcher.pool.nodes[searcher.pool.root])[-1]
    game.push_uci(game.uci(int(child.move)))
    for limits in (Limits(movetime=0.001), Limits(movetime=0.1), Limits(nodes=500)):
        assert searcher.run(game.position, limits).move in game.legal_moves()


@pytest.mark.parametrize("nodes", [1, 3, 30_001])
def test_nodes_are_exact_with_threads_and_a_small_pool(nodes):
    searcher = MctsSearch(params.puct(), 0.2, threads=2)
    assert searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=nodes)).nodes == nodes


def test_times_beyond_all_clocks():
    game, result = search("puct", MIDDLE_GAME, hard_time=1e13, soft_time=1e13, nodes=50)
    assert result.move in game.legal_moves()


def test_a_report_that_fails_ends_the_search():
    def fail(_) -> None:
        raise RuntimeError("from the report")

    searcher = SEARCHERS["montecarlo"]
    with pytest.raises(RuntimeError, match="from the report"):
        searcher.run(Game(MIDDLE_GAME).position, Limits(), fail)



@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limits", [{"nodes": 1}, {"nodes": 777}, {"movetime": 0.03}, {"depth": 3},
                                    {"mate": 1, "nodes": 300}, {"soft_time": 0.02, "hard_time": 0.05},
                                    {"hard_time": 0.0}], ids=str)
def test_every_limit_ends_with_a_legal_move(mode, limits):
    game, result = search(mode, BENCH_FENS[3], **limits)
    assert result.move in game.legal_moves()
    if "nodes" in limits and "mate" not in limits:
        assert result.nodes == limits["nodes"]
    assert result.seconds < 2.0


@pytest.mark.parametrize("fen", [*CORNERS, CROWD])
def test_corners(fen):
    for mode in MODES:
        game, result = search(mode, fen, movetime=0.05)
        legal = game.legal_moves()
        assert (result.move in legal) if legal else result.move == 0
        assert result.seconds < 3.0


def test_stop_before_and_while_searching():
    searcher, game = SEARCHERS["puct"], Game()
    searcher.clear()
    searcher.prepare(game.position, Limits())
    searcher.stop()
    assert searcher.search().move in game.legal_moves()

    def search_until_stopped() -> None:
        searcher.prepare(game.position, Limits())
        threading.Timer(0.1, searcher.stop).start()
        assert searcher.search().move in game.legal_moves()

    assert 0.05 < shortest(lambda: clocked(search_until_stopped), 1.0) < 1.0


def test_time_that_is_set_while_pondering():
    searcher = SEARCHERS["puct"]

    def search_with_late_limits() -> float:
        searcher.clear()
        searcher.prepare(Game().position, Limits())
        threading.Timer(0.05, searcher.set_time, (0.1, 0.1)).start()
        return searcher.search().seconds

    assert shortest(search_with_late_limits, 1.0) < 1.0


@pytest.mark.parametrize("mode", MODES)
def test_the_same_again(mode):
    first, second = (search(mode, MIDDLE_GAME, nodes=2000)[1] for _ in range(2))
    assert (first.move, first.score, first.pv) == (second.move, second.score, second.pv)


def test_lines_are_legal_and_sorted():
    infos: list[Info] = []
    searcher, game = SEARCHERS["puct"], Game(MIDDLE_GAME)
    searcher.clear()
    searcher.run(game.position, Limits(nodes=20_000, multipv=4), infos.append)
    last = infos[-4:]
    assert [info.multipv for info in last] == [1, 2, 3, 4]
    visits = [line.visits for line in best_lines(searcher.pool, params.puct(), searcher._curve, 4)]
    assert visits == sorted(visits, reverse=True)
    for info in infos:
        board, cursor = reference_board(game.fen()), game.copy()
        for move in info.pv:
            text = cursor.uci(move)
            assert board.is_legal(chess.Move.from_uci(text))
            board.push_uci(text)
            cursor.push_uci(text)


def test_search_moves():
    game = Game(MIDDLE_GAME)
    moves = tuple(game.legal_moves()[:2])
    for mode in MODES:
        _, result = search(mode, MIDDLE_GAME, nodes=300, search_moves=moves)
        assert result.move in moves
    _, result = search("puct", next(iter(MATES)), nodes=300, search_moves=(Game(next(iter(MATES))).legal_moves()[-1],))
    assert result.move == Game(next(iter(MATES))).legal_moves()[-1]


def test_parameters_out_of_range():
    for name, value in (("puct", -1), ("leaf", 9), ("selection", 0.5), ("cutoff", 1)):
        with pytest.raises(InputError):
            params.tree_params(**{name: value})


@pytest.mark.parametrize("mode", MODES)
def test_all_see_a_mate_in_one(mode):
    game, result = search(mode, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", nodes=3000)
    assert game.uci(result.move) == "a1a8"


def test_a_mate_in_one_needs_no_high_prior():
    game, result = search("learned", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", nodes=8)  # the policy prefers g2g3
    assert game.uci(result.move) == "d1d8"


def test_averages_stay_in_their_range():
    search("puct", MIDDLE_GAME, nodes=500)
    pool = SEARCHERS["puct"].pool
    assert all(-1 <= mean_value(child) <= 1 for child in pool.children(pool.nodes[pool.root]) if child.visits)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_brief_search_runs_in_the_calling_thread(threads, monkeypatch):
    """On a busy machine, starting and stopping threads takes longer than such a search."""
    monkeypatch.setattr("engine.mcts.searcher.ThreadPoolExecutor", None)
    searcher, game, started = MctsSearch(params.puct(), 4, threads), Game(MIDDLE_GAME), time.process_time()
    for limits in (Limits(soft_time=0.003, hard_time=0.05), Limits(movetime=0.005), Limits(soft_time=0.0),
                   Limits(movetime=0.05, brief_time=0.1)):
        searcher.prepare(game.position, limits)
        result = searcher.search()
        assert result.move in game.legal_moves() and result.nodes > 0 and len(result.infos) == 1
    assert time.process_time() - started < 5
