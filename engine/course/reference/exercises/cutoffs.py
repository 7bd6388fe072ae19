"""The cutoffs of alpha-beta in a small tree whose leaves have letters: where they come, and why."""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass

from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.exercises.question import plain
from engine.course.reference.game import MAX, Action, Game, State
from engine.course.reference.trace import Trace, VisitedNode


@dataclass(frozen=True)
class CutOff:
    """Where a search stopped early: after which leaf, which leaves it never saw, and why."""

    after: str
    skipped: tuple[str, ...]
    reason: str


def cut_offs(game: Game[State, Action]) -> tuple[dict[str, float], list[CutOff]]:
    """The leaves of a game by their letters, from left to right, and the cutoffs of alpha-beta in their order."""
    trace = Trace()
    alphabeta(game, game.initial(), count=trace)
    assert trace.root is not None
    letters = iter(string.ascii_lowercase)
    leaves: dict[str, float] = {}
    found: list[CutOff] = []

    def name_leaves(state: State) -> Iterator[str]:
        if game.is_terminal(state):
            letter = next(letters)
            leaves[letter] = game.utility(state, MAX)
            yield letter
        for action in [] if game.is_terminal(state) else game.actions(state):
            yield from name_leaves(game.result(state, action))

    def walk(state: State, visit: VisitedNode) -> str:
        """The last leaf that was seen below a state; notes what was cut off."""
        if game.is_terminal(state):
            return next(name_leaves(state))
        actions, last = game.actions(state), ""
        for action, child in zip(actions, visit.children, strict=False):
            last = walk(game.result(state, action), child)
        rest = actions[len(visit.children) :]
        skipped = tuple(letter for action in rest for letter in name_leaves(game.result(state, action)))
        if skipped:
            found.append(CutOff(last, skipped, _reason(game.to_move(state) == MAX, visit)))
        return last

    walk(game.initial(), trace.root)
    return leaves, found


def _reason(is_max: bool, visit: VisitedNode) -> str:
    value = plain(visit.value)
    if is_max:
        return (f"MAX can get at least {value} here, and MIN, who is sure of beta = {plain(visit.beta)} elsewhere, "
                "will not let it come to that")
    return (f"MIN can hold MAX to {value} here, and MAX, who is sure of alpha = {plain(visit.alpha)} elsewhere, "
            "will not let it come to that")


def lettered(game: Game[State, Action]) -> str:
    """The tree as text, a line for every node above leaves, with the letters and values of its leaves."""
    letters, lines = iter(string.ascii_lowercase), list[str]()

    def write(state: State, depth: int) -> None:
        children = [game.result(state, action) for action in game.actions(state)]
        leaves = [f"{next(letters)} = {plain(game.utility(child, MAX)):<4}" for child in children
                  if game.is_terminal(child)]
        name = "MAX" if game.to_move(state) == MAX else "MIN"
        lines.append(f"{'    ' * depth}{name}   {' '.join(leaves)}".rstrip())
        for child in children:
            if not game.is_terminal(child):
                write(child, depth + 1)

    write(game.initial(), 0)
    return "\n".join(lines)
