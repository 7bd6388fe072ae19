"""The steps of the tree searches, one by one: selection by its formulas, simulation by the rules."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alphabeta.root_moves import NO_LIMIT
from engine.core.game import Game
from engine.course.reference.games.chess import Chess
from engine.course.reference.uct import Node, simulate, ucb1
from engine.lab.bench_positions import BENCH_FENS
from engine.mcts import params
from engine.mcts.nodes import MIN_CAPACITY, NODE_BYTES, ONE, TB_PROOF, Pool
from engine.mcts.params import Leaf, Selection, TreeParamsRecord
from engine.mcts.searcher import MctsSearch
from engine.mcts.worker import new_worker
from engine.search.scores import MATE, TB_WIN
from engine.search.types import Limits
from tests.mcts.kernels import (
    begin_visit,
    draw,
    one_playout,
    proof_by,
    sample_move,
    select_child,
    visit,
    write_child,
)
from tests.mcts.trees import MIDDLE_GAME, SEARCHERS, search
from tests.positions import CORNERS, reference_board

# Step 1, selection.

def family(values: list[list[float]], priors: list[int]) -> tuple[Pool, list[int]]:
    """A root with children that had these visits and priors."""
    pool = Pool(MIN_CAPACITY * NODE_BYTES)
    first = 2
    pool.nodes[1].first, pool.nodes[1].children = first, len(values)
    for number, (visits, prior) in enumerate(zip(values, priors, strict=True)):
        write_child(pool.address, first + number, prior)
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


@pytest.mark.parametrize("growth", [0.0, 0.7])
@given(values=VISITS, data=st.data())
@settings(max_examples=40, deadline=None)
def test_puct_is_its_formula(growth, values, data):
    priors = sorted(data.draw(st.lists(st.integers(1, 900), min_size=len(values), max_size=len(values))), reverse=True)
    pool, children = family([*values, []], [*priors, 1])
    chosen = select_child(worker_of(pool, puct=1.5, puct_growth=growth, puct_base=10.0, first_play=0.3), 1)
    visits = sum(map(len, values)) + 1
    exploration = 1.5 * (1 + growth * math.log(1 + visits / 10)) * math.sqrt(visits)
    bounds = [sum(row) / len(row) + exploration * prior / 1000 / (1 + len(row))
              for row, prior in zip(values, priors, strict=True)]
    of_parent = sum(map(sum, values)) / sum(map(len, values))
    bounds.append(of_parent - 0.3 * math.sqrt(sum(priors) / 1000) + exploration * 0.001)
    assert bounds[children.index(chosen)] == pytest.approx(max(bounds), abs=1e-6)


def test_even_selection_takes_turns():
    _, result = search("montecarlo", MIDDLE_GAME, nodes=5 * 41)
    pool = SEARCHERS["montecarlo"].pool
    counts = Counter(int(child.visits) for child in pool.children(pool.nodes[pool.root]))
    assert result.nodes == 5 * 41
    assert max(counts) - min(counts) <= 1


# Step 3, simulation.

def playouts(fen: str, count: int, **changes) -> list[float]:
    """The values of playouts."""
    return [value for value, _ in playouts_with_draws(fen, count, **changes)]


def playouts_with_draws(fen: str, count: int, **changes) -> list[tuple[float, float]]:
    searcher, position = MctsSearch(params.uct(**changes), 1), Game(fen).position
    searcher.prepare(position, Limits())
    state, worker = searcher._states[0], searcher._workers[0]
    state.deadline = NO_LIMIT
    return [one_playout(position, state, worker) for _ in range(count)]


def test_playouts_end_as_the_rules_say():
    assert set(playouts("8/8/8/8/8/k7/8/K2B4 w - - 0 1", 20)) == {0.0}  # no mate is possible
    assert set(playouts("7k/8/8/8/8/8/1r6/K7 w - - 99 80", 5)) == {0.0}  # fifty moves
    mated = playouts("R6k/6pp/8/8/8/8/8/K7 b - - 0 1", 3)
    assert mated == [-1.0] * 3
    assert playouts("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", 1) == [0.0]  # stalemate


def test_playouts_tell_draws_from_wins_and_losses():
    assert set(playouts_with_draws("8/8/8/8/8/k7/8/K2B4 w - - 0 1", 20)) == {(0.0, 1.0)}
    assert playouts_with_draws("R6k/6pp/8/8/8/8/8/K7 b - - 0 1", 1) == [(-1.0, 0.0)]
    even = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
    [(value, draw)] = playouts_with_draws(even, 1, leaf=Leaf.CUT_OFF, cut_off_plies=0)
    assert abs(value) < 0.3 and 0.2 < draw < 0.95  # a cutoff has the chances of the evaluation, not a draw


def test_random_playouts_win_as_often_as_the_reference_s():
    fen = "7k/8/8/8/8/8/QR6/K7 w - - 0 1"
    rng = random.Random(5)
    game = Chess(fen)
    truth = [simulate(game, game.initial(), rng) for _ in range(60)]
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


@pytest.mark.parametrize("fen", [fen for fen in (*CORNERS, *BENCH_FENS) if not reference_board(fen).is_check()])
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


def test_what_scores_prove():
    assert proof_by(1 - int(MATE)) == -1  # mated already
    assert proof_by(int(MATE) - 2) == 2
    assert proof_by(300) == 0
    assert proof_by(int(TB_WIN) - 1) == TB_PROOF + 1
    assert proof_by(1 - int(TB_WIN)) == -TB_PROOF - 1


def first_value(params: TreeParamsRecord) -> float:
    """The value of the first leaf that a search visits, for the side to move there."""
    searcher = MctsSearch(params, 4)
    searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=1))
    (child,) = (child for child in searcher.pool.children(searcher.pool.nodes[searcher.pool.root]) if child.visits)
    return -int(child.value_sum) / int(ONE)


def test_a_leaf_of_alphago_is_half_a_value_and_half_a_playout():
    """The policy leads both searches to the same leaf, and a playout is won, drawn or lost."""
    value, mixed = first_value(params.alphazero()), first_value(params.alphago())
    assert min(abs(2 * mixed - value - result) for result in (-1, 0, 1)) < 1e-6
    assert first_value(params.alphago(playout_share=0.0)) == value
    assert first_value(params.alphago(playout_share=1.0)) in (-1, 0, 1)
    assert abs(value) < 0.9


def test_a_value_needs_no_playout_and_a_playout_no_value():
    for name, has_playouts in (("alphago", True), ("alphazero", False), ("uct-light", True), ("mcts", False)):
        searcher = MctsSearch(params.LADDER[name](), 4)
        searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=50))
        assert (sum(int(worker.playouts) for worker in searcher._workers) > 0) == has_playouts, name
