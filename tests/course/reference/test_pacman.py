"""Pacman and his ghost: the four meetings of the lecture, depth limits, and moves that fail."""

from __future__ import annotations

import random
import statistics

import pytest

from engine.course.mazes import three_ways
from engine.course.reference.expectimax import expectimax, expectiminimax
from engine.course.reference.game import CHANCE, MAX, MIN
from engine.course.reference.games.pacman import (
    DISTANCES,
    DOT,
    GHOST_STARTS,
    START,
    Maze,
    Pacman,
    ghost_moves,
    pacman_moves,
)
from engine.course.reference.minimax import minimax
from engine.course.reference.planner import Planner

GAME = Pacman()
MINIMAX = Planner(GAME, None, GAME.evaluate)
EXPECTIMAX = Planner(GAME, None, GAME.evaluate, GAME.random_ghost)
LECTURE = {("minimax", "adversary"): 483, ("minimax", "random"): 493, ("expectimax", "adversary"): -303,
           ("expectimax", "random"): 503}


def points(player, ghost, games=200):
    chance, results = random.Random(1), []
    for number in range(games):
        maze = Maze(GHOST_STARTS[number % 5])
        while not GAME.is_terminal(maze):
            if maze.player == MAX:
                action = player.choose(maze)
            else:
                action = MINIMAX.choose(maze, chance) if ghost == "adversary" else chance.choice(GAME.actions(maze))
            maze = GAME.result(maze, action)
        results.append(GAME.utility(maze, MAX))
    return results


def test_the_four_meetings_of_the_lecture():
    """The pattern of 483, 493, -303 and 503, with the very -303, and each within its error of what is expected."""
    found = {(name, ghost): points(player, ghost) for name, player in (("minimax", MINIMAX), ("expectimax", EXPECTIMAX))
             for ghost in ("adversary", "random")}
    means = {key: statistics.mean(results) for key, results in found.items()}
    assert sorted(means, key=means.__getitem__) == sorted(LECTURE, key=LECTURE.__getitem__)
    for key, results in found.items():
        error = statistics.stdev(results) / len(results) ** 0.5
        assert means[key] == pytest.approx(LECTURE[key], abs=max(2 * error, 6)), key
    won = {key: sum(result > 0 for result in results) for key, results in found.items()}
    assert won["minimax", "adversary"] == won["minimax", "random"] == 200
    assert won["expectimax", "adversary"] == 40 and won["expectimax", "random"] >= 195


def test_what_is_expected_of_the_corridor():
    """By hand: the chance that a random walker is at the door in time, from each start."""
    def caught(cell, ghost):
        if cell == ghost:
            return 1.0
        moves = ghost_moves(ghost)
        onward = (cell[0], cell[1] + 1)
        return 0.0 if cell == DOT else sum(1.0 if move == cell else caught(onward, move) for move in moves) / len(moves)

    for start in GHOST_STARTS:
        risk = caught((1, 3), start)
        corridor = EXPECTIMAX.value(GAME.result(Maze(start), (1, 3)), None)
        assert corridor == pytest.approx(503 * (1 - risk) - 505 * risk, abs=2 * risk)
        assert risk < 0.011


def test_the_three_ways():
    assert [len(way) - 1 for way in three_ways()] == [7, 21, 33]
    assert DISTANCES[START] == 7 and DISTANCES[DOT] == 0
    assert pacman_moves((1, 4)) == ((1, 5),)  # no turning round
    assert (1, 6) not in pacman_moves((1, 7))


def test_planner_is_the_textbook_search():
    """With a depth of a few plies it gives what minimax, expectimax and expectiminimax give."""
    for start in GHOST_STARTS[:2]:
        state = Maze(start, (1, 5), 3)
        for depth in (1, 3, 5):
            assert Planner(GAME, depth, GAME.evaluate).value(state, depth) == minimax(GAME, state, depth, GAME.evaluate)
            assert (Planner(GAME, depth, GAME.evaluate, GAME.random_ghost).value(state, depth)
                    == pytest.approx(expectimax(GAME, state, GAME.random_ghost, depth, GAME.evaluate)))
            slippery = Pacman(start, 0.25)
            assert (Planner(slippery, depth, slippery.evaluate).value(state, depth)
                    == pytest.approx(expectiminimax(slippery, state, depth, slippery.evaluate)))


def test_moves_that_fail():
    game = Pacman(GHOST_STARTS[-1], 0.1)
    wanting = game.result(game.initial(), (1, 3))
    assert game.to_move(wanting) == CHANCE
    assert {action: game.probability(wanting, action) for action in game.actions(wanting)} == {"goes": 0.9,
                                                                                              "slips": 0.1}
    assert game.result(wanting, "goes").pacman == (1, 3)
    slipped = game.result(wanting, "slips")
    assert (slipped.pacman, slipped.steps, slipped.player) == (START, 1, MIN)


def test_a_slip_makes_the_corridor_too_long():
    """The ghost in the far corner is one step late, unless Pacman slips."""
    choices = {}
    for slip in (0.0, 0.02):
        game = Pacman(GHOST_STARTS[-1], slip)
        choices[slip] = Planner(game, None, game.evaluate).choose(game.initial())
    assert choices == {0.0: (1, 3), 0.02: (1, 1)}


def test_a_short_depth_limit_walks_into_the_ghost():
    for depth, first in ((8, (1, 3)), (None, (1, 1))):
        assert Planner(GAME, depth, GAME.evaluate).choose(GAME.initial()) == first
