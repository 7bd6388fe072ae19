"""Hidden information: beliefs, averaging, and Battleship against its exact solution."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from engine.course.reference import cfr
from engine.course.reference.beliefs import averaged, averaging_plan, belief, uniform
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games.battleship import Battleship, Sea
from engine.course.reference.games.kuhn import BET, PASS, Kuhn, Table
from engine.course.reference.games.rockpaperscissors import PAYOFFS
from engine.course.reference.regret import RegretMatcher, highest, matched, regrets

GAME, POKER = Battleship(), Kuhn()


def exact(view, actions):
    """The solution by hand: hide at an end, fire at the inner squares of the ends, first at either."""
    player, ship, shots = view
    if not ship:
        return (0.5, 0.0, 0.5)
    own = shots[player::2]
    squares = [square for square in range(4) if square not in own]
    wanted = [square for square in (1, 2) if square not in own] or squares
    return tuple((square in wanted) / len(wanted) for square in squares)


def test_the_exact_solution_of_battleship_cannot_be_exploited():
    """The first player wins 1/2 + 1/2 x 1/2 of the games: neither side can do better against it."""
    wins = Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 2)
    assert 2 * wins - 1 == Fraction(1, 2)
    assert cfr.best_response(GAME, MAX, exact) == pytest.approx(1 / 2)
    assert cfr.best_response(GAME, MIN, exact) == pytest.approx(-1 / 2)


def test_regret_minimisation_finds_the_value_of_battleship():
    *_, learners = cfr.minimise(GAME, 200)
    plan = cfr.averages(learners)
    assert cfr.value(GAME, GAME.initial(), plan) == pytest.approx(1 / 2, abs=0.001)
    assert cfr.exploitability(GAME, plan) < 0.01
    for player in (MAX, MIN):
        assert plan((player, (), ()), 3) == pytest.approx((0.5, 0, 0.5), abs=0.02)


def test_the_value_of_one_square_ships():
    """Ships of one square on n: uniform play is the solution, and the first wins (n + 1) / 2n of the games."""
    for squares in (2, 3):
        game = Battleship(squares, 1)
        wins = Fraction(sum(second >= first for first in range(squares) for second in range(squares)), squares**2)
        assert cfr.best_response(game, MAX, uniform) == pytest.approx(float(2 * wins - 1))
        assert cfr.exploitability(game, uniform) == pytest.approx(0)


def test_beliefs_follow_what_is_seen():
    assert belief(GAME, (MAX, (0,), ()), MAX) == pytest.approx({Sea((0, ship)): 1 / 3 for ship in range(3)})
    assert belief(GAME, (MAX, (0,), (1, 2)), MAX) == {Sea((0, 2), (1, 2)): 1.0}
    assert belief(GAME, (MAX, (0,), (0, 2)), MAX) == pytest.approx({Sea((0, ship), (0, 2)): 1 / 2 for ship in (1, 2)})


def test_beliefs_follow_the_plan_of_the_other():
    """Bayes: kings always bet, jacks one time in three, so that a bet is a king three times of four."""
    def plan(view, actions):
        bets = {"K": 1.0, "Q": 0.0, "J": 1 / 3}[view[0]]
        return 1 - bets, bets

    assert belief(POKER, "Qb", MIN, plan) == pytest.approx({Table((0, 1), "b"): 1 / 4, Table((2, 1), "b"): 3 / 4})


def test_averaging_by_hand():
    """The queen against a bet: to call wins or loses 2, to fold loses 1."""
    thought = belief(POKER, "Qb", MIN)
    assert averaged(POKER, thought, BET) == pytest.approx(0)
    assert averaged(POKER, thought, PASS) == pytest.approx(1)  # MAX's


def test_averaging_never_bluffs_and_pays_for_it():
    seats = averaging_plan(POKER, MAX), averaging_plan(POKER, MIN)

    def plan(view, actions):
        return seats[(len(view) - 1) % 2](view, actions)

    assert plan("J", 2) == plan("Jp", 2) == (1, 0)
    assert cfr.exploitability(POKER, plan) == pytest.approx(1 / 6)
    *_, learners = cfr.minimise(POKER, 500)
    assert cfr.exploitability(POKER, cfr.averages(learners)) < 0.002


def test_averaging_hides_in_the_middle_and_is_found():
    naive = averaging_plan(GAME, MIN)
    assert naive((MIN, (), ()), 3) == pytest.approx((1 / 3,) * 3)
    assert cfr.best_response(GAME, MAX, naive) == pytest.approx(2 / 3)  # two of three places are hit at once


def test_the_highest_regret_can_be_foreseen():
    """The first algorithm loses every game to one who computes its regrets; regret matching does not."""
    def earned(choose):
        learner, chance, won = RegretMatcher(3), random.Random(1), 0
        for _ in range(500):
            strategy = choose(learner.totals)
            mine = chance.choices(range(3), strategy)[0]
            theirs = (strategy.index(max(strategy)) + 1) % 3  # beats what is likeliest
            learner.learn(regrets(PAYOFFS, mine, theirs), strategy)
            won += PAYOFFS[mine][theirs]
        return won / 500

    assert earned(highest) == -1
    assert abs(earned(matched)) < 0.1
    assert highest((0, 2, 2)) == (0, 1, 0)
