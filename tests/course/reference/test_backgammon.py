"""Backgammon in small: its rules by hand, its dice, and expectiminimax against an exact solution."""

from __future__ import annotations

import random

import pytest

from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games.backgammon import BackgammonState, SmallBackgammon, rolls
from engine.course.reference.minimax import Count
from engine.course.reference.planner import Planner

GAME = SmallBackgammon()


@pytest.mark.parametrize(("faces", "different"), [(2, 3), (3, 6), (6, 21)])
def test_rolls_of_two_dice(faces, different):
    found = rolls(faces)
    assert len(found) == different
    assert sum(found.values()) == pytest.approx(1)
    assert found[1, 1] == pytest.approx(1 / faces**2) and found[1, 2] == pytest.approx(2 / faces**2)


def test_plays_by_hand():
    """Two dice for one checker or for one each; with 7 to go a checker waits outside."""
    start = BackgammonState(GAME.initial().checkers, MAX, (1, 2))
    assert set(GAME.actions(start)) == {(4, 7), (5, 6)}
    bearing_off = BackgammonState(((0, 2), (7, 7)), MAX, (1, 2))
    assert set(GAME.actions(bearing_off)) == {(0, 0)}  # more than is needed bears off too


def test_a_single_checker_is_hit_and_two_block():
    alone = BackgammonState(((5, 6), (3, 6)), MAX, (1, 2))  # o's 3 stands where x has 4 to go
    after = GAME.result(alone, (4, 4))
    assert after.checkers == ((4, 4), (6, 7))
    assert after.player == MIN
    blocked = BackgammonState(((5, 6), (3, 3)), MAX, (1, 2))
    assert set(GAME.actions(blocked)) == {(2, 6), (3, 5)}  # neither checker can stop at 4
    assert GAME.result(blocked, (3, 5)).checkers == ((3, 5), (3, 3))


def test_who_wins_what():
    plain = BackgammonState(((0, 0), (0, 3)))
    assert GAME.utility(plain, MAX) == 1 == -GAME.utility(plain, MIN)
    assert GAME.utility(BackgammonState(((1, 2), (0, 0))), MAX) == -2
    assert not GAME.is_terminal(GAME.initial())


def exact_values(game: SmallBackgammon) -> dict[BackgammonState, float]:
    """What every state before a roll is worth, by repeated sweeps: hits make the game endless, but never for long."""
    sides = [(low, high) for high in range(game.length + 1) for low in range(high + 1)]
    states = [BackgammonState((mine, theirs), player) for mine in sides for theirs in sides for player in (MAX, MIN)
              if any(mine) or any(theirs)]
    values = {state: game.utility(state, MAX) if game.is_terminal(state) else 0.0 for state in states}
    change = 1.0
    while change > 1e-9:
        change = 0.0
        for state in states:
            if game.is_terminal(state):
                continue
            best = max if state.player == MAX else min
            new = sum(game.probability(state, roll) * best(values[game.result(rolled, play)] for play
                                                           in game.actions(rolled))
                      for roll in game.actions(state) for rolled in [game.result(state, roll)])
            change = max(change, abs(new - values[state]))
            values[state] = new
    return values


def test_expectiminimax_approaches_the_exact_solution():
    game = SmallBackgammon(3, 2)
    truth = exact_values(game)
    start = game.initial()
    errors = [abs(Planner(game, depth, game.evaluate).value(start, depth) - truth[start]) for depth in (2, 8, 40)]
    assert errors[2] < 0.001
    assert errors[2] < errors[0]
    for depth in (1, 2, 3, 4):
        assert (Planner(game, depth, game.evaluate).value(start, depth)
                == pytest.approx(expectiminimax(game, start, depth, game.evaluate)))


def test_the_tree_of_the_lesson_is_counted():
    leaves = []
    for moves in (1, 2, 3):
        count = Count()
        expectiminimax(GAME, GAME.initial(), 2 * moves, GAME.evaluate, count)
        leaves.append(count.leaves)
    assert leaves == [12, 140, 2093]


def test_looking_at_the_dice_pays():
    """Three plies, which see the opponent's roll, beat one ply, which does not."""
    chance, players, won = random.Random(3), (Planner(GAME, 3, GAME.evaluate), Planner(GAME, 1, GAME.evaluate)), 0
    for number in range(300):
        track = BackgammonState(GAME.initial().checkers, number % 2)
        while not GAME.is_terminal(track):
            if track.roll is None:
                track = GAME.result(track, chance.choices(list(rolls(3)), list(rolls(3).values()))[0])
            else:
                track = GAME.result(track, players[track.player].choose(track))
        won += GAME.utility(track, MAX) > 0
    assert won > 160
