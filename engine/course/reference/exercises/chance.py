"""Exercises on chance: average, choose by a belief, select in a Monte Carlo tree."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from engine.course.reference.exercises.question import Question, listed, plain
from engine.course.reference.expectimax import average
from engine.course.reference.uct import EXPLORATION

_MOVES = "abc"
_ODDS = ((2, 1, 1), (1, 2, 1), (1, 1, 2), (3, 2, 1), (1, 2, 3))  # of three things, in parts


def average_of_chance(chance: random.Random) -> Question:
    """Average a chance node."""
    parts = chance.choice(_ODDS)
    whole = sum(parts)
    odds = [Fraction(part, whole) for part in parts]
    values = [whole * times for times in chance.sample(range(-4, 7), 3)]
    shown = ", ".join(f"{plain(value)} with probability {share}" for value, share in zip(values, odds, strict=True))
    return Question(f"A chance node leads to {shown}. What is it worth?", average([float(share) for share in odds],
                                                                                  values),
                    " + ".join(f"{share} x {f'({value})' if value < 0 else value}"
                               for value, share in zip(values, odds, strict=True)) + ".")


def bucket_by_belief(chance: random.Random) -> Question:
    """Choose a bucket by what is believed about the other player."""
    rows = [sorted(chance.sample(range(-10, 21), 2)) for _ in _MOVES]
    while len({min(row) for row in rows}) < 3 or len({sum(row) for row in rows}) < 3:
        rows = [sorted(chance.sample(range(-10, 21), 2)) for _ in _MOVES]
    is_adversary = chance.random() < 0.5
    worth = [min(row) if is_adversary else sum(row) / 2 for row in rows]
    best = _MOVES[worth.index(max(worth))]
    other = "takes the number that is worst for you" if is_adversary else "takes either number with probability 1/2"
    shown = "\n".join(f"    {name}: {listed(row)}" for name, row in zip(_MOVES, rows, strict=True))
    return Question(f"You pick a bucket; then the other player {other}. Which bucket do you pick?\n\n{shown}", best,
                    f"The buckets are worth {listed(worth)} then.", tuple(_MOVES))


def child_by_ucb1(chance: random.Random) -> Question:
    """Choose a child by UCB1."""
    visits = chance.sample(range(8, 60), 3)
    wins = [chance.randint(count // 3, count) for count in visits]
    bounds = [won / count + EXPLORATION * math.sqrt(math.log(sum(visits)) / count)
              for won, count in zip(wins, visits, strict=True)]
    best = _MOVES[bounds.index(max(bounds))]
    shown = "\n".join(f"    {name}: {won}/{count}" for name, won, count in zip(_MOVES, wins, visits, strict=True))
    return Question("Three children, with wins of the player to move and visits. Which one does UCB1 select with "
                    f"C = sqrt 2?\n\n{shown}", best,
                    f"ln {sum(visits)} = {math.log(sum(visits)):.2f}; with average plus sqrt 2 x sqrt(ln N / n) the "
                    f"children have {', '.join(f'{bound:.2f}' for bound in bounds)}.", tuple(_MOVES))


def move_played(chance: random.Random) -> Question:
    """Choose the move that is played in the end."""
    visits = [*chance.sample(range(20, 90), 2), chance.randint(2, 6)]
    wins = [chance.randint(count // 3, 2 * count // 3) for count in visits[:2]] + [visits[2]]
    order = chance.sample(range(3), 3)
    visits, wins = [visits[index] for index in order], [wins[index] for index in order]
    best = _MOVES[visits.index(max(visits))]
    shown = "\n".join(f"    {name}: {won}/{count}" for name, won, count in zip(_MOVES, wins, visits, strict=True))
    return Question("The time is up. The root's children, with wins of the player to move and visits. Which move is "
                    f"played?\n\n{shown}", best,
                    "The most-visited one: the best average may rest on a few lucky playouts.", tuple(_MOVES))


def child_by_puct(chance: random.Random) -> Question:
    """Choose a child by PUCT."""
    visits = chance.sample(range(1, 9), 3)
    averages = [chance.randint(-4, 8) / 10 for _ in visits]
    priors = chance.sample((0.2, 0.3, 0.5), 3)
    bounds = [mean + 1.5 * prior * math.sqrt(sum(visits)) / (1 + count)
              for mean, prior, count in zip(averages, priors, visits, strict=True)]
    best = _MOVES[bounds.index(max(bounds))]
    shown = "\n".join(f"    {name}: average {mean:+.1f}, visits {count}, policy {prior}"
                       for name, mean, count, prior in zip(_MOVES, averages, visits, priors, strict=True))
    return Question("Average + 1.5 x policy x sqrt(N) / (1 + n): which child is selected?\n\n" + shown, best,
                    f"N = {sum(visits)}: the children have {', '.join(f'{bound:.2f}' for bound in bounds)}.",
                    tuple(_MOVES))
