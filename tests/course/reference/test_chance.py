"""Dice, coins, many players, and opponents who are no adversaries, by the numbers of the notes."""

from __future__ import annotations

import random

import pytest

from engine.course.reference.expectimax import expectimax, expectiminimax
from engine.course.reference.game import CHANCE, MAX
from engine.course.reference.games.buckets import BucketGame
from engine.course.reference.games.race import DICE, Race, Track
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.games.truel import AIR, Truel
from engine.course.reference.maxn import choose, utilities
from engine.course.reference.minimax import decide, minimax
from engine.course.reference.uct import most_visited, search

BUCKETS = ((-50, 50), (1, 3), (-5, 15))


def test_expectimax_of_the_notes():
    """A half of 8, a third of 24 and a sixth of -12 are 10."""
    odds = (1 / 2, 1 / 3, 1 / 6)
    game = TreeGame([[8, 24, -12]])
    assert expectimax(game, game.initial(), lambda _: odds) == pytest.approx(10)
    dice = TreeGame([8, 24, -12], (CHANCE,), odds)
    assert expectiminimax(dice, dice.initial()) == pytest.approx(10)


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
    root = game.initial()
    assert [expectiminimax(game, game.result(root, bucket)) for bucket in range(3)] == [-27.5, -24.5, -2]
    assert expectiminimax(game, root) == -2
    assert decide(game, root, lambda state: expectiminimax(game, state)) == 2


def test_chance_nodes_with_probabilities_of_their_own():
    game = TreeGame([[10, 0], [0, 50]], (MAX, CHANCE), (0.9, 0.1))
    assert expectiminimax(game, game.initial()) == pytest.approx(9)


def test_beliefs_pay_where_they_are_true():
    """Against an adversary nobody does better than minimax, against a random mover nobody better than expectimax."""
    chance = random.Random(5)

    def even(state):
        return (1 / 3,) * 3

    def earned(game, plan, truth):
        """What MAX gets on average who picks the branch that `plan` likes, while `truth` is what happens."""
        root = game.initial()
        return truth(game, game.result(root, decide(game, root, lambda state: plan(game, state))))

    def pessimist(game, state):
        return minimax(game, state)

    def optimist(game, state):
        return expectimax(game, state, even)

    cost_of_pessimism = cost_of_optimism = 0.0
    for _ in range(500):
        game = TreeGame([[chance.randint(-9, 9) for _ in range(3)] for _ in range(3)])
        cost_of_optimism += earned(game, pessimist, pessimist) - earned(game, optimist, pessimist)
        cost_of_pessimism += earned(game, optimist, optimist) - earned(game, pessimist, optimist)
        assert earned(game, optimist, pessimist) <= earned(game, pessimist, pessimist)
        assert earned(game, pessimist, optimist) <= earned(game, optimist, optimist)
    assert cost_of_optimism > cost_of_pessimism > 0


def test_dice_of_the_race_bring_two_steps_on_average():
    for faces in DICE.values():
        assert sum(faces.values()) == pytest.approx(1)
        assert sum(face * odds for face, odds in faces.items()) == pytest.approx(2)


def test_the_race_one_step_before_the_end():
    """Any roll wins; three steps before it, the steady die wins at once in one of three, the wild one too."""
    game = Race(4)
    assert expectiminimax(game, Track((3, 0))) == pytest.approx(1)
    assert expectiminimax(game, Track((1, 3), die="steady")) == pytest.approx(1 / 3 - 2 / 3)
    assert expectiminimax(game, Track((0, 3), die="steady")) == pytest.approx(-1)
    assert expectiminimax(game, Track((0, 3))) == pytest.approx(1 / 3 - 2 / 3)  # only the wild die can still win


@pytest.mark.parametrize("length", [3, 4, 5])
def test_uct_that_rolls_dice_equals_expectiminimax_on_the_race(length):
    game = Race(length)
    root = game.initial()
    truth = {die: expectiminimax(game, game.result(root, die)) for die in DICE}
    tree = search(game, root, 5000, random.Random(length))
    assert most_visited(tree) == max(truth, key=lambda die: truth[die])
    assert tree.total / tree.visits == pytest.approx(max(truth.values()), abs=0.06)


def test_uct_that_tosses_coins_equals_expectiminimax_on_the_buckets():
    game = BucketGame(BUCKETS, has_coin=True)
    for seed in range(5):
        tree = search(game, game.initial(), 10_000, random.Random(seed), exploration=50)  # as wide as the utilities
        assert most_visited(tree) == 2
        best = tree.children[2]
        assert best.total / best.visits == pytest.approx(-2, abs=1)
        heads, tails = best.children[1], best.children[0]
        assert heads.visits == pytest.approx(tails.visits, rel=0.1)  # the coin is fair however UCB1 would like it


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


def test_the_weakest_of_three_shooters_does_best_to_miss():
    """The known answer for shooters who hit 1, 2 and 3 times out of 3: 25/63, 24/63 and 14/63."""
    game, table = Truel((1 / 3, 2 / 3, 1), rounds=12), {}
    assert utilities(game, game.initial(), (0, 1, 2), table) == pytest.approx((25 / 63, 24 / 63, 14 / 63))
    assert choose(game, game.initial(), (0, 1, 2), table) == AIR
    short = Truel((1 / 3, 2 / 3, 1), rounds=1)
    assert (utilities(short, short.initial(), (0, 1, 2))
            == pytest.approx(utilities(short, short.initial(), (0, 1, 2), {})))
