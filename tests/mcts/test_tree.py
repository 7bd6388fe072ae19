"""The tree: reuse, proofs and compaction."""

from __future__ import annotations

from collections import Counter

import chess
import numpy as np
import pytest

from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.lab.bench_positions import BENCH_FENS
from engine.mcts import params
from engine.mcts.nodes import ONE, Pool, compact
from engine.mcts.params import Leaf
from engine.mcts.searcher import MctsSearch
from engine.search.scores import mate_distance
from engine.search.types import Limits
from engine.system.errors import InputError
from tests.mcts.trees import MATES, MIDDLE_GAME, SEARCHERS, search
from tests.positions import reference_board


def tree_of(pool: Pool, index: int):
    """The tree below a node as nested tuples, independent of indices in the pool."""
    node = pool.nodes[index]
    children = [tree_of(pool, int(node.first) + number) for number in range(node.children)] if node.first else []
    return (int(node.move), int(node.visits), int(node.value_sum), int(node.proof), children)



@pytest.mark.parametrize("mode", ["puct", "uct"])
def test_visits_and_values_add_up(mode):
    search(mode, MIDDLE_GAME, nodes=3000)
    pool = SEARCHERS[mode].pool
    assert pool.nodes[pool.root].visits == 3000
    for index in range(1, pool.used):
        node = pool.nodes[index]
        assert abs(int(node.value_sum)) <= int(node.visits) * int(ONE)
        if node.first:
            below = sum(int(child.visits) for child in pool.children(node))
            assert node.visits - below == (0 if index == pool.root else 1)  # the leaf it was before it grew
            assert node.first > index


def test_what_the_pool_keeps_when_it_is_full():
    search("puct", MIDDLE_GAME, nodes=3000)
    pool = SEARCHERS["puct"].pool
    before = tree_of(pool, pool.root)
    pool.free_space()
    assert tree_of(pool, pool.root) == before  # nothing had to go
    least = 40

    def cut(tree):
        move, visits, total, proof, children = tree
        return (move, visits, total, proof, [cut(child) for child in children] if visits >= least else [])

    pool.counter[0] = compact(pool.address, pool.root, pool.used, least)
    assert tree_of(pool, 1) == (*before[:4], [cut(child) for child in before[4]])


def test_a_small_pool_can_be_searched_for_long():
    searcher = MctsSearch(params.puct(), 0.2)
    game = Game(MIDDLE_GAME)
    result = searcher.run(game.position, Limits(nodes=30_000))
    assert result.nodes == 30_000
    assert searcher.pool.used <= searcher.pool.capacity
    assert searcher.pool.nodes.nbytes + searcher.tt.words.nbytes + searcher.shared.size <= 0.2 * (1 << 20)
    assert result.move in game.legal_moves()


def test_a_pool_for_less_than_one_position():
    with pytest.raises(InputError, match="tree memory must be"):
        MctsSearch(params.puct(), 0.01)


def test_the_tree_is_kept_for_the_next_move():
    searcher = SEARCHERS["puct"]
    game, result = search("puct", START_FEN, nodes=5000)
    best, reply = result.pv[:2]
    pool = searcher.pool
    child = next(node for node in pool.children(pool.nodes[pool.root]) if node.move == best)
    grandchild = next(node for node in pool.children(child) if node.move == reply)
    kept = int(grandchild.visits)
    game.push_uci(game.uci(best))
    game.push_uci(game.uci(reply))
    searcher.run(game.position, Limits(nodes=100))
    assert searcher.pool.nodes[searcher.pool.root].visits == kept + 100
    searcher.run(Game(BENCH_FENS[5]).position, Limits(nodes=100))  # another game
    assert searcher.pool.nodes[searcher.pool.root].visits == 100


@pytest.mark.parametrize(("fen", "moves"), MATES.items())
def test_mates_are_proven(fen, moves):
    game, result = search("puct", fen, nodes=200_000)
    assert mate_distance(result.score) == moves
    board = reference_board(fen)
    for move in result.pv:
        board.push_uci(text := game.uci(move))
        game.push_uci(text)
    assert board.is_checkmate()
    assert len(result.pv) == 2 * moves - 1
    assert result.nodes < 200_000  # it stops when there is nothing more to find


def test_what_is_marked_as_over_is_over():
    """Every mate and every draw that a tactical tree has stored, compared with python-chess."""
    searcher = MctsSearch(params.puct(), 16)
    game = Game("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1")
    searcher.run(game.position, Limits(nodes=20_000))
    pool, counts = searcher.pool, Counter()

    def walk(parent: int, board: chess.Board, depth: int) -> None:
        node = pool.nodes[parent]
        for index in range(int(node.first), int(node.first) + int(node.children) if depth else 0):
            child = pool.nodes[index]
            board.push_uci(Game(board.fen()).uci(int(child.move)))
            counts[board.is_checkmate()] += child.visits > 0
            assert board.is_checkmate() or child.proof != 1
            assert not child.is_drawn or board.is_stalemate() or board.is_insufficient_material()
            walk(index, board, depth - 1)
            board.pop()

    walk(pool.root, reference_board(game.fen()), 3)
    assert counts[True] > 0


def test_a_repetition_is_a_draw_by_path_and_not_stored_in_the_node():
    """Lines that repeat a position are draws, but the node is not marked as drawn."""
    searcher = MctsSearch(params.uct(leaf=Leaf.CUT_OFF, cut_off_plies=0), 16)
    game = Game("k7/8/8/8/8/8/8/K5R1 w - - 0 1")
    searcher.run(game.position, Limits(nodes=60_000))
    pool, counts = searcher.pool, Counter()

    def walk(parent: int, board: chess.Board) -> None:
        node = pool.nodes[parent]
        for index in range(int(node.first), int(node.first) + int(node.children)):
            child = pool.nodes[index]
            board.push_uci(Game(board.fen()).uci(int(child.move)))
            if board.is_repetition(2):
                counts["visits"] += int(child.visits)
                assert child.value_sum == 0
                assert not child.first
                assert not child.is_drawn
            elif len(board.move_stack) < 4:
                walk(index, board)
            board.pop()

    walk(pool.root, reference_board(game.fen()))
    assert counts["visits"] > 0


def test_two_threads_lose_no_visit():
    searcher = MctsSearch(params.puct(), 16, threads=2)
    game = Game(MIDDLE_GAME)
    result = searcher.run(game.position, Limits(nodes=20_000))
    pool = searcher.pool
    assert result.nodes == 20_000
    assert pool.nodes[pool.root].visits == 20_000
    assert sum(int(child.visits) for child in pool.children(pool.nodes[pool.root])) == 20_000
    used = pool.nodes[1 : pool.used]
    assert (np.abs(used["value_sum"]) <= used["visits"].astype(np.int64) * int(ONE)).all()
