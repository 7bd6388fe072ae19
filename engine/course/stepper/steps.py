"""What an algorithm does on a tree, step by step: at which node, with which window and value, and what happens there.

A step says how its node stands after it, so that all nodes are known after any number of steps: stepping backwards is
taking fewer of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from engine.course.reference.exercises.question import listed, plain
from engine.course.stepper.nodes import OwnNode, OwnTree
from engine.system.errors import InputError

Worth = float | tuple[float, ...]  # MAX's value, or one for each player

TITLES: Mapping[str, str] = {  # of the algorithms, by their names on the command line
    "minimax": "minimax", "alphabeta": "alpha-beta", "expectiminimax": "expectiminimax", "expectimax": "expectimax",
    "maxn": "max^n", "uct": "UCT",
}
_WITHOUT_CHANCE = ("minimax", "alphabeta")


@dataclass(frozen=True)
class SearchStep:
    """What happens, and how its node stands afterwards."""

    node: OwnNode
    # enter, leaf, child, better, window (alpha or beta moves), cutoff, leave, play; of UCT select, stop, expand,
    # simulate, back-propagate, play: the events of the pseudo-code.
    event: str
    words: str
    value: Worth | None = None  # None while it is not known
    alpha: float | None = None  # None where there is no window
    beta: float | None = None
    sign: str = ""  # of a value that is only a bound
    best: str = ""  # the move that is best so far
    skipped: tuple[OwnNode, ...] = ()  # the children that are cut off
    visits: int | None = None  # of UCT, as are:
    numbers: tuple[tuple[str, float], ...] = ()  # of the moves: UCB1 where one is selected, visits in the answer


@dataclass(frozen=True)
class TreeRun:
    """An algorithm on a tree: its steps, and what comes out."""

    tree: OwnTree
    algorithm: str
    steps: tuple[SearchStep, ...]
    value: Worth
    action: str  # at the root; empty where nobody chooses one

    @property
    def leaves(self) -> int:
        """How many leaves were looked at."""
        return len({step.node for step in self.steps if step.event == "leaf"})


def shown(value: Worth | None) -> str:
    """A value as people write it."""
    if value is None:
        return "?"
    return f"({listed([_rounded(number) for number in value])})" if isinstance(value, tuple) else plain(_rounded(value))


def _rounded(number: float) -> float:
    return round(number, 2) if math.isfinite(number) else number


def by_move(numbers: tuple[tuple[str, float], ...]) -> str:
    """`a 1.2, b 3.4`."""
    return ", ".join(f"{move} {shown(number)}" for move, number in numbers)


def misfit(tree: OwnTree, algorithm: str) -> str:
    """Why an algorithm does not fit a tree, in one line; empty if it does."""
    title = TITLES[algorithm]
    if algorithm == "maxn" and not tree.seats:
        return f"{title} needs a tuple at each leaf, with a number for each player: this tree has one number"
    if algorithm != "maxn" and tree.seats:
        return f"{title} needs one number at each leaf, and this tree has tuples of {tree.seats}: take maxn"
    if algorithm in _WITHOUT_CHANCE and tree.has_chance:
        return f"{title} knows only MAX and MIN, and this tree has chance nodes: take expectiminimax, expectimax or uct"
    return ""


def fitting(tree: OwnTree) -> list[str]:
    """The algorithms that fit a tree."""
    return [name for name in TITLES if not misfit(tree, name)]


def check_fit(tree: OwnTree, algorithm: str) -> None:
    """InputError if an algorithm does not fit a tree."""
    if problem := misfit(tree, algorithm):
        raise InputError(problem)
