"""What a tree learns while it grows: a history of moves for the priors, and corrections of the evaluation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.alphabeta.state import HISTORY_FIELDS, ROOT_OFFSET
from engine.core.game import Game
from engine.mcts import params
from engine.mcts.nodes import ONE
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits
from tests.mcts.kernels import begin_visit, evaluated, update_by, visit, write_child
from tests.mcts.trees import MIDDLE_GAME

CORRECTIONS = [name for name in HISTORY_FIELDS if name.endswith("_correction")]
PIECE_TO = 700  # of the move that leads to the node


def prepared(position, **changes):
    """(searcher, state, worker) before the search of a position."""
    searcher = MctsSearch(params.learned(**changes), 4)
    searcher.prepare(position, Limits())
    state, worker = searcher._states[0], searcher._workers[0]
    worker.root, worker.path[1], worker.piece_to[1] = searcher.pool.root, 1, PIECE_TO
    return searcher, state, worker


def grown(searcher, game, values):
    """A root whose children, one for each move, had visits of these values; the node begins one more visit."""
    pool = searcher.pool
    pool.nodes[1].first, pool.nodes[1].children = 2, len(values)
    for number, (move, row) in enumerate(values.items()):
        write_child(pool.address, 2 + number, 100)
        pool.nodes[2 + number].move = next(code for code in game.legal_moves() if game.uci(code) == move)
        for value in row:
            visit(pool.address, 2 + number, int(value * ONE))
            visit(pool.address, 1, int(-value * ONE))
    begin_visit(pool.address, 1)
    return pool


def test_the_history_is_drawn_towards_what_a_move_gains():
    game = Game(MIDDLE_GAME)
    searcher, state, worker = prepared(game.position, history_weight=1.0, history_rate=0.25)
    values = {"c4d5": [0.5, 0.25, 0.3], "c3b5": [-0.5, -0.25], "h2h3": [-1.0]}
    grown(searcher, game, values)
    mean = np.mean([value for row in values.values() for value in row])
    known = dict.fromkeys(values, 0.0)
    for _ in range(2):
        update_by(game.position, state, worker, 1, 64)
        for move, row in values.items():
            code = next(code for code in game.legal_moves() if game.uci(code) == move) & 0xFFF
            if len(row) > 1:
                known[move] += 0.25 * (np.mean(row) - mean - known[move])
            assert worker.move_history[0, code] == pytest.approx(known[move], abs=1e-6)
    assert known["c4d5"] > 0.1 and known["c3b5"] < -0.1 and known["h2h3"] == 0
    assert not worker.move_history[1].any()


def root_priors(searcher, game):
    searcher.run(game.position, Limits(nodes=2))
    children = searcher.pool.children(searcher.pool.nodes[searcher.pool.root])
    return {game.uci(int(child.move)): float(child.prior) for child in children}


def test_the_history_is_added_to_the_logits():
    game, searcher = Game(MIDDLE_GAME), MctsSearch(params.learned(history_weight=2.0), 4)
    before = root_priors(searcher, game)
    code = next(code for code in game.legal_moves() if game.uci(code) == "h2h3")
    searcher.clear()
    searcher._workers[0].move_history[0, code & 0xFFF] = 0.5
    after = root_priors(searcher, game)
    assert after["h2h3"] / after["c4d5"] == pytest.approx(math.e * before["h2h3"] / before["c4d5"], rel=1e-3)
    assert sum(after.values()) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("weight", [0.3, -0.3])
def test_exploration_follows_the_impurity_of_the_priors(weight):
    """The priors of a node add up to the factor of its exploration."""
    for fen in (MIDDLE_GAME, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "k7/8/8/8/8/8/6q1/7K w - - 0 1"):
        game = Game(fen)
        plain = root_priors(MctsSearch(params.learned(impurity_weight=0.0), 4), game)
        scaled = root_priors(MctsSearch(params.learned(impurity_weight=weight), 4), game)
        impurity = max(1 - sum(prior * prior for prior in plain.values()), 0.001)
        factor = min(max(1 + weight * math.log(0.7 / impurity), 0.5), 2.0)
        assert {move: prior * factor for move, prior in plain.items()} == pytest.approx(scaled, rel=1e-4)


@pytest.mark.parametrize(("value", "use_last_moves"), [(0.6, 0), (-0.6, 0), (0.6, 1), (-0.6, 1)])
def test_the_evaluation_is_corrected_towards_the_value_of_the_subtree(value, use_last_moves):
    game = Game(MIDDLE_GAME)
    searcher, state, worker = prepared(game.position, correction_rate=1.0, use_last_moves=use_last_moves)
    grown(searcher, game, {"h2h3": [value] * 8})
    before = evaluated(game.position, state, worker)
    update_by(game.position, state, worker, 1, 64)
    assert (evaluated(game.position, state, worker) - before) * value > 0
    assert bool(state.continuation_correction.any()) == bool(use_last_moves)
    assert state.stack["piece_to"][ROOT_OFFSET] == (PIECE_TO if use_last_moves else 0)


@pytest.mark.parametrize(("fen", "move", "value"), [
    (MIDDLE_GAME, "c4d5", 0.6),  # a capture
    (MIDDLE_GAME, "h2h3", 0.99),  # decided
    ("4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", "e1d1", 0.6),  # in check
])
def test_nothing_is_corrected_where_the_evaluation_is_not_to_blame(fen, move, value):
    game = Game(fen)
    searcher, state, worker = prepared(game.position, correction_rate=1.0)
    grown(searcher, game, {move: [value] * 8})
    update_by(game.position, state, worker, 1, 64)
    assert not any(state[name].any() for name in CORRECTIONS)


@pytest.mark.parametrize(("changes", "learns"), [
    ({"history_weight": 0.0, "correction_rate": 0.0}, False), ({"history_weight": 3.0, "correction_rate": 1.0}, True)])
def test_a_search_learns_if_it_is_told_to_and_forgets_when_it_is_cleared(changes, learns):
    searcher = MctsSearch(params.learned(root_share=0, **changes), 4)
    searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=1000))
    state, worker = searcher._states[0], searcher._workers[0]
    assert bool(worker.move_history.any()) == any(state[name].any() for name in CORRECTIONS) == learns
    assert abs(worker.move_history).max() <= 2.0
    searcher.run(Game(MIDDLE_GAME).position, Limits(nodes=1))
    assert bool(worker.move_history.any()) == learns  # kept between moves
    searcher.clear()
    assert not worker.move_history.any()
