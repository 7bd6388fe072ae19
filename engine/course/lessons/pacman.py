"""Pacman wants the dot; every step costs a point, the dot brings 10 and the game is won with 500 more. A ghost in its
room wants to catch him, which costs 500. The short way to the dot leads through a corridor in which there is no turning
round, past the upper door of the ghost's room. A longer one passes its lower door, and the longest passes none.

Minimax takes the ghost for an adversary. Expectimax takes it for a random walker. What if they are wrong?
"""

from __future__ import annotations

import random
import statistics

from engine.cli.tables import print_table
from engine.course.mazes import maze_picture
from engine.course.meetings import (
    ADVERSARY,
    EXPECTIMAX,
    GAME,
    HEADINGS,
    MINIMAX,
    RANDOM,
    meeting_rows,
    points_of_game,
)
from engine.course.quiz import quiz
from engine.course.reference.exercises.chance import average_of_chance, bucket_by_belief
from engine.course.reference.games.pacman import GHOST_STARTS, Pacman
from engine.course.reference.planner import Planner

CORRIDOR, WAY_ROUND = (1, 3), (1, 1)  # where Pacman's first step leads
GAMES = 200  # of each meeting: forty from each of the ghost's five starts


def the_grid():
    """P is Pacman, G the ghost, the dot is in the corner. Through the corridor the dot is 7 steps away, past the lower
    door 21, and all the way round 33. What is left of 510 points in the end: 503, 489 or 477.
    """
    print(GAME.text(GAME.initial()))
    return maze_picture("Three ways to the dot: 7, 21 and 33 steps")


def what_they_expect():
    """Pacman's first step decides: right is the corridor, left is the way round. Both players look ahead to the end of
    the game. The adversary can be at the door in time, and minimax knows it. A random walker is there once in a hundred
    games.
    """
    rows = []
    for name, player in (("minimax", MINIMAX), ("expectimax", EXPECTIMAX)):
        values = [player.value(GAME.result(GAME.initial(), cell), None) for cell in (CORRIDOR, WAY_ROUND)]
        rows.append((name, *(f"{value:.1f}" for value in values), _named(player.choose(GAME.initial()))))
    print_table(("believing as", "corridor", "way round", "chooses"), rows, left=("chooses",))


def four_meetings():
    """Two hundred games of each player against each ghost; the ghost starts in one of five places of its room, from the
    last of which it comes too late. Average points with their standard error, games won, and the lecture's points for
    five games, which were played on a larger grid and are not the same: here the ways cost 7, 21 and 33 steps, and from
    one of five starts the ghost comes too late. That minimax loses little against a random ghost, and expectimax most
    games against an adversary, does not depend on the grid.
    """
    print_table(HEADINGS, meeting_rows(GAMES))
    print("\nOptimism is dangerous, pessimism costs little.")


def a_limit_on_the_depth():
    """Looking to the end is a luxury. With a limit, an evaluation stands in where the search stops: here it takes the
    distance to the dot for the steps that are left, and so it always hopes for the corridor. Up to eight plies the
    ghost at the door is beyond the horizon, and Pacman walks in. From ten plies he sees it, and waits at the entrance:
    one more step of waiting always looks better than the long way. A depth limit works as well as its evaluation does.
    """
    rows = []
    for depth in (2, 8, 10, 20, None):
        chance = random.Random(2)
        cautious, hopeful = (Planner(GAME, depth, GAME.evaluate, policy) for policy in (None, GAME.random_ghost))
        caught = points_of_game(cautious, ADVERSARY, GHOST_STARTS[0], chance)
        points = [points_of_game(hopeful, RANDOM, GHOST_STARTS[0], chance) for _ in range(20)]
        rows.append(("to the end" if depth is None else str(depth), f"{caught:.0f}", f"{statistics.mean(points):.0f}"))
    print_table(("plies", "minimax against the adversary", "expectimax against the random ghost"), rows)


def actions_that_fail():
    """Actions can fail. On a slippery floor each of Pacman's steps leaves him where he is with some probability:
    another chance node, so that minimax becomes expectiminimax. The ghost starts in the far corner, from where it comes
    one step too late to the corridor's door. One slip is enough to change that.
    """
    rows = []
    for slip in (0.0, 0.01, 0.02, 0.1):
        game = Pacman(GHOST_STARTS[-1], slip)
        player = Planner(game, None, game.evaluate)
        values = [player.value(game.result(game.initial(), cell), None) for cell in (CORRIDOR, WAY_ROUND)]
        rows.append((f"{100 * slip:.0f} %", *(f"{value:.1f}" for value in values),
                     _named(player.choose(game.initial()))))
    print_table(("slips", "corridor", "way round", "chooses"), rows, left=("chooses",))


def your_turn():
    """The same choice in small."""
    quiz(bucket_by_belief, average_of_chance)


def _named(cell):
    return "corridor" if cell == CORRIDOR else "way round"
