"""The tree searches: their four steps, what they find, and the limits they keep."""

from __future__ import annotations

import math
import random
import threading
import time
from collections import Counter

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.commands._positions import BENCH_FENS
from engine.core.errors import InputError
from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.mcts import params
from engine.mcts.lines import average, best_lines
from engine.mcts.nodes import NODE_BYTES, ONE, ROOM, Pool, compact
from engine.mcts.params import Leaf, Selection
from engine.mcts.searcher import TreeSearcher
from engine.mcts.worker import new_worker
from engine.reference.games import Chess
from engine.reference.uct import Node, simulate, ucb1
from engine.search.deepening import NEVER
from engine.search.limits import Info, Limits
from engine.search.scores import MATE, mate_distance
from tests.mcts.kernels import (
    begin_visit,
    draw,
    one_playout,
    plies_to_mate,
    sample_move,
    select_child,
    visit,
    write_child,
)
from tests.positions import CORNERS, CROWD, judge

KINDS = {"puct": params.puct, "uct": params.uct, "montecarlo": params.pure_monte_carlo}
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"
MATES = {  # position: moves to the mate
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1": 1,
    "7k/8/8/8/8/8/R7/1R2K3 w - - 0 1": 2,
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1": 3,
}
SEARCHERS = {name: TreeSearcher(make(), 4) for name, make in KINDS.items()}


def search(kind: str, fen: str, **limits):
    searcher = SEARCHERS[kind]
    searcher.clear()
    game = Game(fen)
    return game, searcher.run(game.position, Limits(**limits))


def tree_of(pool: Pool, index: int):
    """The tree below a node as nested tuples, whatever its places in the pool."""
    node = pool.nodes[index]
    children = [tree_of(pool, int(node.first) + number) for number in range(node.children)] if node.first else []
    return (int(node.move), int(node.visits), int(node.total), int(node.proof), children)


# Step 1, selection.

def family(values: list[list[float]], shares: list[int]) -> tuple[Pool, list[int]]:
    """A root with children that had these visits and priors."""
    pool = Pool(ROOM * NODE_BYTES)
    first = 2
    pool.nodes[1].first, pool.nodes[1].children = first, len(values)
    for number, (visits, share) in enumerate(zip(values, shares, strict=True)):
        write_child(pool.address, first + number, share)
        for value in visits:
            visit(pool.address, first + number, int(value * ONE))
            visit(pool.address, 1, int(-value * ONE))
    begin_visit(pool.address, 1)  # the one that is being made
    return pool, [first + number for number in range(len(values))]


def worker_of(pool: Pool, **changes):
    worker = new_worker(params.tree_params(**changes), 0, 0)
    worker.pool, worker.root = pool.address, 1
    return worker


VISITS = st.lists(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=6), min_size=1,
                  max_size=6)


@given(VISITS)
@settings(max_examples=60, deadline=None)
def test_ucb1_is_the_reference_s(values):
    pool, children = family(values, [100] * len(values))
    chosen = select_child(worker_of(pool, selection=Selection.UCB1), 1)
    parent_visits = sum(map(len, values))
    nodes = [Node(None, None, [], visits=len(row), total=sum((1 + value) / 2 for value in row)) for row in values]
    bounds = [ucb1(node, parent_visits) for node in nodes]
    assert bounds[children.index(chosen)] == pytest.approx(max(bounds))


@given(VISITS, st.data())
@settings(max_examples=60, deadline=None)
def test_puct_is_its_formula(values, data):
    shares = sorted(data.draw(st.lists(st.integers(1, 900), min_size=len(values), max_size=len(values))), reverse=True)
    pool, children = family([*values, []], [*shares, 1])
    chosen = select_child(worker_of(pool, puct=1.5), 1)
    visits = sum(map(len, values)) + 1
    bounds = [sum(row) / len(row) + 1.5 * share / 1000 * math.sqrt(visits) / (1 + len(row))
              for row, share in zip(values, shares, strict=True)]
    of_parent = sum(map(sum, values)) / sum(map(len, values))
    bounds.append(of_parent + 1.5 * 0.001 * math.sqrt(visits))
    assert bounds[children.index(chosen)] == pytest.approx(max(bounds), abs=1e-6)


def test_even_selection_takes_turns():
    _, result = search("montecarlo", MIDDLE_GAME, nodes=5 * 41)
    pool = SEARCHERS["montecarlo"].pool
    counts = Counter(int(child.visits) for child in pool.children(pool.nodes[pool.root]))
    assert result.nodes == 5 * 41
    assert max(counts) - min(counts) <= 1


# Step 3, simulation.

def playouts(fen: str, count: int, **changes) -> list[float]:
    searcher, position = TreeSearcher(params.uct(**changes), 1), Game(fen).position
    searcher.begin(position, Limits())
    state, worker = searcher._states[0], searcher._workers[0]
    state.deadline = NEVER
    return [one_playout(position, state, worker) for _ in range(count)]


def test_playouts_end_as_the_rules_say():
    assert set(playouts("8/8/8/8/8/k7/8/K2B4 w - - 0 1", 20)) == {0.0}  # nobody can mate
    assert set(playouts("7k/8/8/8/8/8/1r6/K7 w - - 99 80", 5)) == {0.0}  # fifty moves
    mated = playouts("R6k/6pp/8/8/8/8/8/K7 b - - 0 1", 3)
    assert mated == [-1.0] * 3
    assert playouts("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", 1) == [0.0]  # stalemate


def test_random_playouts_win_as_often_as_the_reference_s():
    fen = "7k/8/8/8/8/8/QR6/K7 w - - 0 1"
    chance = random.Random(5)
    game = Chess(fen)
    truth = [simulate(game, game.initial(), chance) for _ in range(60)]
    ours = playouts(fen, 4000)
    spread = math.sqrt(np.var(truth) / len(truth) + np.var(ours) / len(ours))
    assert abs(np.mean(truth) - np.mean(ours)) < 4 * spread


def test_a_light_playout_takes_what_hangs():
    """One ply is played, then the evaluation tells whether the queen is still there."""
    fen = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"
    greedy = playouts(fen, 50, leaf=Leaf.CUT_OFF, cut_off_plies=1, greed=1.0)
    blind = playouts(fen, 50, leaf=Leaf.CUT_OFF, cut_off_plies=1, greed=0.0)
    assert min(greedy) > 0
    assert min(blind) < -0.5


def test_a_cut_off_is_the_evaluation():
    values = playouts("4k3/8/8/8/8/8/8/QR2K3 w - - 0 1", 10, leaf=Leaf.CUT_OFF, cut_off_plies=0)
    assert len(set(values)) == 1
    assert values[0] > 0.9


@pytest.mark.parametrize("fen", [fen for fen in (*CORNERS, *BENCH_FENS) if not judge(fen).is_check()])
def test_every_legal_move_is_drawn_alike(fen):
    worker, game = new_worker(params.uct(), 0, 2), Game(fen)
    legal = game.legal_moves()
    counts = Counter(sample_move(game.position, worker) for _ in range(200 * len(legal)))
    assert set(counts) <= {*legal, 0}
    drawn = sum(counts[move] for move in legal)
    if drawn:  # five standard deviations
        expected = drawn / len(legal)
        assert all(abs(counts[move] - expected) < 5 * math.sqrt(expected) + 1 for move in legal)


def test_chance_is_fair():
    worker = new_worker(params.uct(), 0, 3)
    counts = Counter(draw(worker, 7) for _ in range(70_000))
    assert set(counts) == set(range(7))
    assert all(abs(count - 10_000) < 500 for count in counts.values())


def test_distances_of_mates():
    assert plies_to_mate(1 - int(MATE)) == -1  # mated already
    assert plies_to_mate(int(MATE) - 2) == 2
    assert plies_to_mate(300) == 0


# The tree.

@pytest.mark.parametrize("kind", ["puct", "uct"])
def test_visits_and_values_add_up(kind):
    search(kind, MIDDLE_GAME, nodes=3000)
    pool = SEARCHERS[kind].pool
    assert pool.nodes[pool.root].visits == 3000
    for index in range(1, pool.used):
        node = pool.nodes[index]
        assert abs(int(node.total)) <= int(node.visits) * int(ONE)
        if node.first:
            below = sum(int(child.visits) for child in pool.children(node))
            assert node.visits - below == (0 if index == pool.root else 1)  # the leaf it was before it grew
            assert node.first > index


def test_what_the_pool_keeps_when_it_is_full():
    search("puct", MIDDLE_GAME, nodes=3000)
    pool = SEARCHERS["puct"].pool
    before = tree_of(pool, pool.root)
    pool.make_room()
    assert tree_of(pool, pool.root) == before  # nothing had to go
    least = 40

    def cut(tree):
        move, visits, total, proof, children = tree
        return (move, visits, total, proof, [cut(child) for child in children] if visits >= least else [])

    pool.counter[0] = compact(pool.address, pool.root, pool.used, least)
    assert tree_of(pool, 1) == (*before[:4], [cut(child) for child in before[4]])


def test_a_small_pool_goes_on_for_ever():
    searcher = TreeSearcher(params.puct(), 0.2)
    game = Game(MIDDLE_GAME)
    result = searcher.run(game.position, Limits(nodes=30_000))
    assert result.nodes == 30_000
    assert searcher.pool.used <= searcher.pool.capacity
    assert searcher.pool.nodes.nbytes + searcher.table.words.nbytes <= 0.2 * (1 << 20)
    assert result.move in game.legal_moves()


def test_a_pool_for_less_than_one_position():
    with pytest.raises(InputError, match="a tree needs"):
        TreeSearcher(params.puct(), 0.01)


def test_the_tree_is_kept_for_the_next_move():
    searcher = SEARCHERS["puct"]
    game, result = search("puct", START_FEN, nodes=5000)
    best, reply = result.line[:2]
    pool = searcher.pool
    child = next(node for node in pool.children(pool.nodes[pool.root]) if node.move == best)
    grandchild = next(node for node in pool.children(child) if node.move == reply)
    kept = int(grandchild.visits)
    game.play(game.text(best))
    game.play(game.text(reply))
    searcher.run(game.position, Limits(nodes=100))
    assert searcher.pool.nodes[searcher.pool.root].visits == kept + 100
    searcher.run(Game(BENCH_FENS[5]).position, Limits(nodes=100))  # another game
    assert searcher.pool.nodes[searcher.pool.root].visits == 100


@pytest.mark.parametrize(("fen", "moves"), MATES.items())
def test_mates_are_proven(fen, moves):
    game, result = search("puct", fen, nodes=200_000)
    assert mate_distance(result.score) == moves
    board = judge(fen)
    for move in result.line:
        board.push_uci(text := game.text(move))
        game.play(text)
    assert board.is_checkmate()
    assert len(result.line) == 2 * moves - 1
    assert result.nodes < 200_000  # it stops when there is nothing more to find


def test_what_is_marked_as_over_is_over():
    """Every mate and every draw that a tactical tree has written down, against python-chess."""
    searcher = TreeSearcher(params.puct(), 16)
    game = Game("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1")
    searcher.run(game.position, Limits(nodes=20_000))
    pool, found = searcher.pool, Counter()

    def walk(index: int, board: chess.Board, depth: int) -> None:
        node = pool.nodes[index]
        for place in range(int(node.first), int(node.first) + int(node.children) if depth else 0):
            child = pool.nodes[place]
            board.push_uci(Game(board.fen()).text(int(child.move)))
            found[board.is_checkmate()] += child.visits > 0
            assert board.is_checkmate() or child.proof != 1
            assert not child.is_drawn or board.is_stalemate() or board.is_insufficient_material()
            walk(place, board, depth - 1)
            board.pop()

    walk(pool.root, judge(game.fen()), 3)
    assert found[True] > 0


def test_a_repetition_is_a_draw_of_the_way_and_not_of_the_node():
    """Lines that come back to a position are worth nothing, though the position is not: it is not marked as drawn."""
    searcher = TreeSearcher(params.uct(leaf=Leaf.CUT_OFF, cut_off_plies=0), 16)
    game = Game("k7/8/8/8/8/8/8/K5R1 w - - 0 1")
    searcher.run(game.position, Limits(nodes=60_000))
    pool, found = searcher.pool, Counter()

    def walk(index: int, board: chess.Board) -> None:
        node = pool.nodes[index]
        for place in range(int(node.first), int(node.first) + int(node.children)):
            child = pool.nodes[place]
            board.push_uci(Game(board.fen()).text(int(child.move)))
            if board.is_repetition(2):
                found["visits"] += int(child.visits)
                assert child.total == 0
                assert not child.first
                assert not child.is_drawn
            elif len(board.move_stack) < 4:
                walk(place, board)
            board.pop()

    walk(pool.root, judge(game.fen()))
    assert found["visits"] > 0


def test_two_threads_lose_no_visit():
    searcher = TreeSearcher(params.puct(), 16, threads=2)
    game = Game(MIDDLE_GAME)
    result = searcher.run(game.position, Limits(nodes=20_000))
    pool = searcher.pool
    assert result.nodes == 20_000
    assert pool.nodes[pool.root].visits == 20_000
    assert sum(int(child.visits) for child in pool.children(pool.nodes[pool.root])) == 20_000
    used = pool.nodes[1 : pool.used]
    assert (np.abs(used["total"]) <= used["visits"].astype(np.int64) * int(ONE)).all()


# What a stranger found.

def test_a_mate_that_a_look_finds_ends_the_search():
    fen = "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1"
    game, result = search("puct", fen, nodes=100_000)
    assert game.text(result.move) == "h6h7"
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
    searcher = TreeSearcher(params.puct(), 1)
    game = Game()
    searcher.run(game.position, Limits(nodes=200))
    searcher.pool.counter[0] = searcher.pool.capacity
    child = searcher.pool.children(searcher.pool.nodes[searcher.pool.root])[-1]
    game.play(game.text(int(child.move)))
    for limits in (Limits(movetime=0.001), Limits(movetime=0.1), Limits(nodes=500)):
        assert searcher.run(game.position, limits).move in game.legal_moves()


@pytest.mark.parametrize("nodes", [1, 3, 30_001])
def test_nodes_are_exact_with_threads_and_a_small_pool(nodes):
    searcher = TreeSearcher(params.puct(), 0.2, threads=2)
    assert searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=nodes)).nodes == nodes


def test_times_beyond_all_clocks():
    game, result = search("puct", MIDDLE_GAME, hard_time=1e13, soft_time=1e13, nodes=50)
    assert result.move in game.legal_moves()


def test_a_report_that_fails_ends_the_search():
    def fail(_) -> None:
        raise RuntimeError("told")

    searcher = SEARCHERS["montecarlo"]
    with pytest.raises(RuntimeError, match="told"):
        searcher.run(Game(MIDDLE_GAME).position, Limits(), fail)


# Limits.

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limits", [{"nodes": 1}, {"nodes": 777}, {"movetime": 0.03}, {"depth": 3},
                                    {"mate": 1, "nodes": 300}, {"soft_time": 0.02, "hard_time": 0.05},
                                    {"hard_time": 0.0}], ids=str)
def test_every_limit_ends_with_a_legal_move(kind, limits):
    game, result = search(kind, BENCH_FENS[3], **limits)
    assert result.move in game.legal_moves()
    if "nodes" in limits and "mate" not in limits:
        assert result.nodes == limits["nodes"]
    assert result.seconds < 2.0


@pytest.mark.parametrize("fen", [*CORNERS, CROWD])
def test_corners(fen):
    for kind in KINDS:
        game, result = search(kind, fen, movetime=0.05)
        legal = game.legal_moves()
        assert (result.move in legal) if legal else result.move == 0
        assert result.seconds < 3.0


def test_stop_before_and_while_searching():
    searcher, game = SEARCHERS["puct"], Game()
    searcher.clear()
    searcher.begin(game.position, Limits())
    searcher.stop()
    assert searcher.finish().move in game.legal_moves()
    timer = threading.Timer(0.1, searcher.stop)
    timer.start()
    started = time.perf_counter()
    result = searcher.run(game.position, Limits())
    assert time.perf_counter() - started < 1.0
    assert result.nodes > 100


def test_time_that_is_set_while_pondering():
    searcher = SEARCHERS["puct"]
    searcher.clear()
    searcher.begin(Game().position, Limits())
    threading.Timer(0.05, searcher.set_time, (0.1, 0.1)).start()
    assert searcher.finish().seconds < 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_again(kind):
    first, second = (search(kind, MIDDLE_GAME, nodes=2000)[1] for _ in range(2))
    assert (first.move, first.score, first.line) == (second.move, second.score, second.line)


def test_lines_are_legal_and_sorted():
    infos: list[Info] = []
    searcher, game = SEARCHERS["puct"], Game(MIDDLE_GAME)
    searcher.clear()
    searcher.run(game.position, Limits(nodes=20_000, multipv=4), infos.append)
    last = infos[-4:]
    assert [info.line_number for info in last] == [1, 2, 3, 4]
    visits = [line.visits for line in best_lines(searcher.pool, params.puct(), 4)]
    assert visits == sorted(visits, reverse=True)
    for info in infos:
        board, follower = judge(game.fen()), game.copy()
        for move in info.line:
            text = follower.text(move)
            assert board.is_legal(chess.Move.from_uci(text))
            board.push_uci(text)
            follower.play(text)


def test_search_moves():
    game = Game(MIDDLE_GAME)
    wanted = tuple(game.legal_moves()[:2])
    for kind in KINDS:
        _, result = search(kind, MIDDLE_GAME, nodes=300, search_moves=wanted)
        assert result.move in wanted
    _, result = search("puct", next(iter(MATES)), nodes=300, search_moves=(Game(next(iter(MATES))).legal_moves()[-1],))
    assert result.move == Game(next(iter(MATES))).legal_moves()[-1]


def test_parameters_out_of_range():
    for name, value in (("puct", -1), ("leaf", 9), ("selection", 0.5), ("cutoff", 1)):
        with pytest.raises(InputError):
            params.tree_params(**{name: value})


@pytest.mark.parametrize("kind", KINDS)
def test_all_see_a_mate_in_one(kind):
    game, result = search(kind, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", nodes=3000)
    assert game.text(result.move) == "a1a8"


def test_averages_stay_in_their_range():
    search("puct", MIDDLE_GAME, nodes=500)
    pool = SEARCHERS["puct"].pool
    assert all(-1 <= average(child) <= 1 for child in pool.children(pool.nodes[pool.root]) if child.visits)
