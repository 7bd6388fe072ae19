"""The textbook algorithms, by the numbers of the textbook."""

from __future__ import annotations

import itertools
import random

import chess
import pytest

from engine.reference.game import CHANCE, MAX, MIN
from engine.reference.games import Board, BucketGame, Chess, Halving, TicTacToe, TreeGame
from engine.reference.minimax import (
    Count,
    alphabeta,
    decide,
    deepen,
    expectimax,
    expectiminimax,
    minimax,
    utilities,
)
from engine.reference.uct import most_visited, new_node, pure_monte_carlo, search, select, ucb1

BUCKETS = ((-50, 50), (1, 3), (-5, 15))


def random_tree(chance: random.Random, depth: int):
    if depth == 0 or chance.random() < 0.1:
        return chance.randint(-9, 9)
    return [random_tree(chance, depth - 1) for _ in range(chance.randint(1, 4))]


def test_alpha_beta_equals_minimax_on_ten_thousand_random_trees():
    chance, saved = random.Random(1), 0
    for _ in range(10_000):
        game = TreeGame(random_tree(chance, 4))
        whole, pruned = Count(), Count()
        assert minimax(game, game.initial(), count=whole) == alphabeta(game, game.initial(), count=pruned)
        assert pruned.nodes <= whole.nodes
        saved += whole.nodes - pruned.nodes
    assert saved > 0


def test_with_the_best_order_alpha_beta_sees_the_square_root_of_the_leaves():
    """Of b^d leaves b^ceil(d/2) + b^floor(d/2) - 1 are needed; where all branches are alike, any order is the best."""
    def full(branches: int, depth: int):
        return 1 if depth == 0 else [full(branches, depth - 1)] * branches

    for branches, depth in ((2, 6), (3, 4), (4, 3), (5, 5)):
        game, count = TreeGame(full(branches, depth)), Count()
        alphabeta(game, game.initial(), count=count)
        assert count.leaves == branches ** ((depth + 1) // 2) + branches ** (depth // 2) - 1


def test_expectimax_of_the_notes():
    """A half of 8, a third of 24 and a sixth of -12 are 10."""
    game = TreeGame([[8, 24, -12]])
    assert expectimax(game, game.initial(), lambda _: (1 / 2, 1 / 3, 1 / 6)) == pytest.approx(10)


def test_one_branch_may_dominate_an_average():
    """Why chance nodes cannot be pruned: what is seen last decides."""
    game = TreeGame([[3, 3, 3], [-10, -10, 1000]])
    assert expectimax(game, game.initial(), lambda _: (1 / 3,) * 3) == pytest.approx(980 / 3)
    assert minimax(game, game.initial()) == 3


def test_buckets():
    game = BucketGame(BUCKETS)
    assert minimax(game, game.initial()) == 1
    assert decide(game, game.initial(), lambda state: minimax(game, state)) == 1
    assert expectimax(game, game.initial(), lambda _: (0.5, 0.5)) == 5
    assert decide(game, game.initial(), lambda state: expectimax(game, state, lambda _: (0.5, 0.5))) == 2


def test_buckets_with_a_coin():
    """Picked and left neighbour, half each: (-50 - 5) / 2, (1 - 50) / 2, (-5 + 1) / 2."""
    game = BucketGame(BUCKETS, has_coin=True)
    assert expectiminimax(game, game.initial()) == -2
    assert decide(game, game.initial(), lambda state: expectiminimax(game, state)) == 2


def test_chance_nodes_with_probabilities_of_their_own():
    class Loaded(TreeGame):
        def probability(self, state, action):
            return (0.9, 0.1)[action]

    game = Loaded([[10, 0], [0, 50]], (MAX, CHANCE))
    assert expectiminimax(game, game.initial()) == pytest.approx(9)


def test_the_halving_game():
    """Who has to move at 1 loses, by either move; so 2 is won, and 3 by halving."""
    for number, value in ((0, 1), (1, -1), (2, 1), (3, 1), (4, -1), (5, 1), (6, -1)):
        game = Halving(number)
        assert minimax(game, game.initial()) == alphabeta(game, game.initial()) == value, number


def test_tic_tac_toe_is_a_draw():
    game = TicTacToe()
    whole, pruned = Count(), Count()
    assert minimax(game, game.initial(), count=whole) == alphabeta(game, game.initial(), count=pruned) == 0
    assert whole.nodes == 549_946  # every game that can be played, as is known
    assert pruned.nodes < whole.nodes / 10


def board_of(text: str) -> Board:
    return tuple({"x": MAX, "o": MIN, ".": None}[square] for square in text)


@pytest.mark.parametrize("text", ["xx.oo....", "xo..x...o", ".........", "x...o...x", "xo..x...."])
def test_uct_finds_a_perfect_move_in_a_thousand_iterations(text):
    game, board = TicTacToe(), board_of(text)
    sign = 1 if game.to_move(board) == MAX else -1
    values = {action: sign * minimax(game, game.result(board, action)) for action in game.actions(board)}
    best = max(values.values())
    for seed in range(5):
        root = search(game, board, 1000, random.Random(seed))
        assert values[most_visited(root)] == best
        assert root.visits == 1000 == sum(child.visits for child in root.children.values())


def test_uct_answers_the_only_defence():
    """MIN has to stop a row; UCT counts utilities for whoever moves."""
    game = TicTacToe()
    board = board_of("xx..o....")
    assert game.to_move(board) == MIN
    assert most_visited(search(game, board, 1000, random.Random(3))) == 2
    assert pure_monte_carlo(game, board, 300, random.Random(3)) == 2


def test_ucb1_prefers_what_is_promising_and_what_is_rarely_tried():
    game = TicTacToe()
    good, rare = new_node(game, game.initial()), new_node(game, game.initial())
    good.visits, good.total, rare.visits, rare.total = 50, 40.0, 1, 0.5
    assert ucb1(rare, 51) > ucb1(good, 51)
    assert ucb1(good, 51, exploration=0) == 0.8 > ucb1(rare, 51, exploration=0)
    assert select(new_node(game, game.initial()), 1.4).state == game.initial()


def test_many_players_each_maximise_their_own():
    class Three(TreeGame):
        def utility(self, state, player):
            return state.tree[player]

        def is_terminal(self, state):
            return isinstance(state.tree, tuple)

    tree = [[[(1, 2, 6), (4, 3, 3)], [(6, 1, 2), (7, 4, 1)]], [[(5, 1, 1), (1, 5, 2)], [(7, 7, 1), (5, 4, 5)]]]
    game = Three(tree, (0, 1, 2))
    # The third prefers (1, 2, 6), (6, 1, 2), (1, 5, 2) and (5, 4, 5); the second then (1, 2, 6) and (1, 5, 2).
    assert utilities(game, game.initial(), (0, 1, 2)) == (1, 2, 6)


def test_deepening_always_has_a_move_and_ends_with_the_best():
    game = TreeGame([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    moves = list(itertools.islice(deepen(game, game.initial(), lambda _: 0.0), 4))
    assert moves[-1] == 0 and len(moves) == 4


@pytest.mark.parametrize(("fen", "depth", "value"), [
    ("7k/8/6K1/8/8/8/Q7/8 w - - 0 1", 1, 1), ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1, 1),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 1, 0), ("6k1/8/8/8/8/8/5PPP/4r1K1 w - - 0 1", 1, -1)])
def test_chess(fen, depth, value):
    game = Chess(fen)
    assert minimax(game, fen, depth, lambda _: 0.0) == alphabeta(game, fen, depth, lambda _: 0.0) == value


def test_chess_by_both_algorithms_with_material_as_evaluation():
    def material(state: str) -> float:
        board = chess.Board(state)
        return sum(worth * (len(board.pieces(kind, True)) - len(board.pieces(kind, False)))
                   for kind, worth in ((1, 1), (2, 3), (3, 3), (4, 5), (5, 9)))

    fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 3"
    game = Chess(fen)
    whole, pruned = Count(), Count()
    assert minimax(game, fen, 2, material, whole) == alphabeta(game, fen, 2, material, pruned)
    assert pruned.leaves < whole.leaves
