"""The alpha-beta search of the root beside the tree."""

from __future__ import annotations

import pytest

from engine.core.game import Game
from engine.mcts import params
from engine.mcts.params import Leaf
from engine.mcts.searcher import MctsSearch
from engine.search.scores import mate_distance
from engine.search.types import Limits
from tests.mcts.trees import MATES, MIDDLE_GAME
from tests.positions import reference_board


def grown(fen: str, nodes: int, threads: int = 1, **changes: float) -> MctsSearch:
    searcher = MctsSearch(params.learned(**changes), 16, threads)
    searcher.run(Game(fen).position, Limits(nodes=nodes))
    return searcher


def share_of_root(searcher: MctsSearch) -> float:
    """The share of the first thread's positions that the search of the root had."""
    worker = searcher._workers[0]
    return float(worker.root_search_nodes / (searcher._states[0].nodes + worker.iterations))


def root_priors(searcher: MctsSearch) -> dict[int, float]:
    children = searcher.pool.children(searcher.pool.nodes[searcher.pool.root])
    return {int(child.move): float(child.prior) for child in children}


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("leaf", [Leaf.SEARCH, Leaf.EVALUATION])
def test_it_takes_about_its_share_of_the_positions(share, leaf):
    taken = [share_of_root(grown(MIDDLE_GAME, nodes, root_share=share, leaf=leaf))
             for nodes in (3000, 4500, 6000, 9000)]
    assert min(taken) > 0.8 * share
    assert min(taken) < share + 0.1  # a last iteration may be a long one, but then the tree has its turn


def test_without_a_share_the_tree_is_alone():
    searcher = grown(MIDDLE_GAME, 2000, root_share=0.0)
    assert searcher._workers[0].root_search_depth == searcher._workers[0].root_search_nodes == 0


def test_only_one_thread_runs_it():
    searcher = grown(MIDDLE_GAME, 3000, threads=2)
    assert [worker.root_search_depth > 0 for worker in searcher._workers] == [True, False]


def test_its_best_move_gains_prior_from_all_others():
    alone, beside = grown(MIDDLE_GAME, 1, root_share=0.0), grown(MIDDLE_GAME, 3000, root_gain=0.25, root_min_depth=1)
    before, after, best = root_priors(alone), root_priors(beside), int(beside._states[0].root_moves[0])
    assert sum(after.values()) == pytest.approx(sum(before.values()), abs=1e-4)
    assert after[best] > 0.25  # the last depth alone gives it that
    kept = min(after[move] / before[move] for move in before)  # of moves that were never the best
    assert kept == pytest.approx(0.75 ** beside._workers[0].root_search_depth, rel=1e-3)


def test_shallow_depths_do_not_count():
    alone, beside = grown(MIDDLE_GAME, 1, root_share=0.0), grown(MIDDLE_GAME, 300, root_min_depth=64)
    assert beside._workers[0].root_search_depth > 1
    assert root_priors(beside) == root_priors(alone)


@pytest.mark.parametrize(("fen", "moves"), MATES.items())
def test_its_mates_are_proofs(fen, moves):
    """Within visits of which the tree alone needs many more; the line ends in mate by the rules."""
    game, searcher = Game(fen), MctsSearch(params.learned(), 4)
    result = searcher.run(game.position, Limits(nodes=2000))
    assert mate_distance(result.score) == moves and result.nodes < 2000
    board = reference_board(fen)
    for move in result.pv:
        board.push_uci(text := game.uci(move))
        game.push_uci(text)
    assert board.is_checkmate()
