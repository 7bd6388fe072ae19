"""A race with dice. Before every roll the player chooses a die: the steady one shows 1, 2 or 3, the wild one shows 4
once in three and else 1. Both bring two steps on average. Whoever is first to make N steps wins. Expectiminimax solves
it; Monte Carlo tree search plays it as it is, since its playouts roll the dice.
"""

from __future__ import annotations

import itertools
import random

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.growth import LEGEND, grown
from engine.course.quiz import quiz
from engine.course.reference.exercises.chance import average_of_chance
from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.games.race import DICE, Race, Track
from engine.course.reference.uct import grow, most_visited, search
from engine.course.trees import picture


def which_die():
    """The value of each choice by expectiminimax, between -1 and 1, and what UCT visits most after 5,000 iterations.
    Neither die is always better: what counts is the number of steps that is left.
    """
    rows = []
    for length in (3, 4, 5):
        game = Race(length)
        values = {die: expectiminimax(game, game.result(game.initial(), die)) for die in DICE}
        root = search(game, game.initial(), 5000, random.Random(length))
        rows.append((str(length), *(f"{values[die]:+.3f}" for die in DICE), max(values, key=lambda die: values[die]),
                     str(most_visited(root)), f"{root.total / root.visits:+.3f}"))
    print_table(("steps", *DICE, "expectiminimax", "UCT", "its average"), rows)


def behind_be_wild():
    """You have four steps to go and the opponent two, and it is your turn. The steady die cannot bring you home in one
    roll, and two times in three he will not leave you a second one. The wild die can.
    """
    game, state = Race(4), Track((0, 2))
    for die in DICE:
        print(f"{die}: {expectiminimax(game, game.result(state, die)):+.3f}")


def the_tree():
    """In the tree MAX chooses by UCB1, but nobody chooses at a chance node: the way down rolls the die. So the visits
    of its children follow the odds, however good or bad they are.
    """
    game = Race(4)
    root = search(game, game.initial(), 2000, random.Random(1))
    for die, child in root.children.items():
        faces = ", ".join(f"{face}: {below.visits}" for face, below in sorted(child.children.items()))
        print(f"{die}: {child.visits} visits; of its faces {faces}")
    return picture(grown(game, root, lambda state, action: str(action), widest=(3, 3, 3)),
                   "A race of four steps: UCT after 2,000 iterations", LEGEND)


def the_average_converges():
    """The root's average while the tree grows, and the truth by expectiminimax."""
    game = Race(4)
    truth = expectiminimax(game, game.initial())
    points = [(float(number), root.total / root.visits)
              for number, root in enumerate(itertools.islice(grow(game, game.initial(), random.Random(2)), 5000), 1)
              if number >= 20 and number % 10 == 0]
    print(f"truth {truth:+.4f}; UCT after 100 iterations {dict(points)[100]:+.4f}, after 5,000 {points[-1][1]:+.4f}")
    return chart("A race of four steps", ("iterations", "average utility of MAX"), {"UCT": points},
                 levels={"truth": truth}, is_log=(True, False))


def your_turn():
    """Roll in your head: what is a roll worth on average?"""
    quiz(average_of_chance)
