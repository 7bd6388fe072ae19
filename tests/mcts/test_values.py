"""Values of leaves: WDL from the model to the root, contempt, and values shared by transpositions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.kernel.records import new_record
from engine.lab.arena.tb_adjudication import loaded_tables
from engine.mcts import params
from engine.mcts.nodes import MIN_CAPACITY, NODE_BYTES, ONE, Pool
from engine.mcts.params import Leaf
from engine.mcts.searcher import MctsSearch
from engine.mcts.shared_values import SharedValues
from engine.mcts.values import curve, set_curves
from engine.mcts.worker import new_worker
from engine.search.scores import TB_BAND, mate_distance
from engine.search.tb import TbRecord
from engine.search.types import Limits
from eval.evaluator import built_in_evaluator
from eval.policy.file import random_policy
from eval.policy.memory import LoadedPolicy
from eval.wdl import material_on, wdl_of
from tests.mcts.kernels import share_node, value_of, value_shared, visit
from tests.mcts.trees import MIDDLE_GAME, SEARCHERS, search

FENS = (MIDDLE_GAME, "8/5k2/8/3P4/8/2K5/8/8 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")


@pytest.mark.parametrize("fen", FENS)
def test_chances_are_those_of_the_model(fen):
    position, worker, model = parse_fen(fen), new_worker(params.learned(), 0, 0), built_in_evaluator().wdl_model
    set_curves(worker, params.learned(), model)
    material = material_on(position.board.tolist())
    for score in (-900, -120, -1, 0, 35, 250, 1500):
        win, loss, back = value_of(position, worker, score)
        truth = wdl_of(score, material, model)
        assert (win, loss) == pytest.approx((truth.win / 1000, truth.loss / 1000), abs=0.0006)
        assert back == pytest.approx(score, abs=1) or win - loss > 0.9999 or loss - win > 0.9999
        if abs(win - loss) < 0.9999:
            assert curve(params.learned(), model, material).score(win - loss) == pytest.approx(score, abs=1)


def test_without_the_model_the_curve_is_tanh():
    position, worker = parse_fen(MIDDLE_GAME), new_worker(params.puct(), 0, 0)
    set_curves(worker, params.puct(), built_in_evaluator().wdl_model)
    for score in (-400, 0, 77):
        win, loss, _ = value_of(position, worker, score)
        assert win - loss == pytest.approx(math.tanh(score / 350))
        assert win + loss == pytest.approx(1.0)


def test_wins_draws_and_losses_add_up():
    search("learned", MIDDLE_GAME, nodes=2000)
    pool = SEARCHERS["learned"].pool
    used = pool.nodes[1:pool.used]
    visited = used[used["visits"] > 0]
    assert (visited["draws"] >= 0).all()
    visits = visited["visits"].astype(np.int64)
    assert (abs(visited["value_sum"]) + visited["draws"] <= visits * int(ONE) + visits).all()  # each may be rounded up
    root = pool.nodes[pool.root]
    below = pool.children(root)
    assert abs(int(below["draws"].sum()) - int(root.draws)) <= int(ONE)  # each visit goes through a child
    assert 0 < int(root.draws) < int(root.visits) * int(ONE)


def test_contempt_makes_a_draw_less_welcome():
    """A perpetual check is all there is, or a worse ending: the score of the draw is what contempt says."""
    drawn = "8/8/8/8/8/k7/8/K2B4 w - - 0 1"  # no mate is possible
    scores = []
    for contempt in (0.0, 0.3, -0.3):
        searcher = MctsSearch(params.learned(contempt=contempt), 4)
        searcher.run(Game(drawn).position, Limits(nodes=200))
        root = searcher.pool.nodes[searcher.pool.root]
        scores.append(-root.value_sum / (int(root.visits) * ONE))
    assert scores == pytest.approx([0.0, -0.3, 0.3], abs=0.01)


def test_static_leaves_need_no_search():
    searcher = MctsSearch(params.learned(leaf=Leaf.EVALUATION, root_share=0), 4)
    searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=1000))
    assert sum(int(state.nodes) for state in searcher._states) == 0


@pytest.mark.parametrize("leaf", [Leaf.SEARCH, Leaf.EVALUATION])
def test_tables_prove_results_through_the_tree(leaf):
    """A pawn that is taken leaves an ending that the tables know is won: without a mate in sight, it is proven."""
    game = Game("8/8/8/3k4/8/8/p7/K6R w - - 0 1")  # Kxa2
    tables, record = loaded_tables(), new_record(TbRecord)
    record.max_pieces = record.own_max_pieces = tables.max_pieces
    record.own_address = tables.outcomes.address
    searcher = MctsSearch(params.learned(leaf=leaf, root_share=0), 4)
    searcher.set_tb(record)
    result = searcher.run(game.position, Limits(nodes=3000))
    assert result.score >= TB_BAND
    assert result.nodes < 3000 or mate_distance(result.score) is not None


def test_a_forced_draw_is_proven():
    """The only move takes the queen, which leaves bare kings: what is drawn after it was drawn before."""
    searcher = MctsSearch(params.learned(), 4)
    result = searcher.run(Game("k7/8/8/8/8/8/6q1/7K w - - 0 1").position, Limits(nodes=30))
    root = searcher.pool.nodes[searcher.pool.root]
    assert root.is_drawn
    assert searcher.pool.children(root)["is_drawn"].all()
    assert result.score == 0


def test_values_are_shared_and_torn_entries_are_not():
    pool, table = Pool(MIN_CAPACITY * NODE_BYTES), SharedValues(64 * 16)
    worker = new_worker(params.learned(), 0, 0)
    worker.pool, worker.shared, worker.shared_entries = pool.address, table.address, table.entries
    key = 0x1234_5678_9ABC_DEF
    for count in range(1, 9):
        visit(pool.address, 1, int(0.25 * ONE))
        share_node(worker, 1, key)
        known, value, draw = value_shared(worker, key)
        assert known == (count >= 4)
        if known:
            assert (value, draw) == (pytest.approx(-0.25, abs=1e-6), 0.0)
    assert not value_shared(worker, key ^ 1)[0]
    table.clear()
    assert not value_shared(worker, key)[0]


def test_a_transposition_is_taken_from_the_table():
    """The same tree, with and without: fewer leaves are searched."""
    searched = []
    for use in (0, 1):
        searcher = MctsSearch(params.learned(use_sharing=use, root_share=0), 16)
        searcher.run(Game("8/8/1p1k4/1P1p4/3P1K2/8/8/8 w - - 0 1").position, Limits(nodes=4000))
        searched.append(sum(int(state.nodes) for state in searcher._states))
    assert searched[1] < searched[0]


def test_a_policy_orders_the_children():
    policy = LoadedPolicy(random_policy(64, 3))
    trees = []
    for chosen in (policy, LoadedPolicy(random_policy(64, 4))):
        searcher = MctsSearch(params.learned(), 4, policy=chosen)
        searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=50))
        children = searcher.pool.children(searcher.pool.nodes[searcher.pool.root])
        priors = children["prior"].tolist()
        assert priors == sorted(priors, reverse=True)
        assert sum(priors) == pytest.approx(1.0, abs=1e-4)
        trees.append(children["move"].tolist())
    assert trees[0] != trees[1]


def test_exploration_follows_the_spread_of_the_values():
    """A position where all lines are drawn explores less than the usual spread asks for; a wild one explores more."""
    zeals = []
    for fen in ("8/8/8/8/8/k7/8/K2B4 w - - 0 1", "r1b1k2r/pp1nbp1p/2p2np1/4q3/2B5/2N3Q1/PPP3PP/R1B2RK1 w kq - 0 1"):
        searcher = MctsSearch(params.learned(spread_share=1.0, usual_spread=0.1), 4)
        searcher.run(Game(fen).position, Limits(nodes=500))
        zeals.append(float(searcher._workers[0].exploration_factor))
    assert zeals[0] == pytest.approx(0.5)
    assert zeals[1] > 1.0
