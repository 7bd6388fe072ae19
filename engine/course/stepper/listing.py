"""Which line of the pseudo-code a step is at."""

from __future__ import annotations

from engine.course.pseudocode import current_line, listing
from engine.course.reference.game import CHANCE, MAX, MIN
from engine.course.stepper.steps import SearchStep, TreeRun

_NAMES = {"uct": "mcts"}  # of listings that are called otherwise
_SIDES = {MAX: "max", MIN: "min"}


def listing_of(algorithm: str) -> list[str]:
    """The pseudo-code of an algorithm, line by line."""
    return [line.text for line in listing(_NAMES.get(algorithm, algorithm))]


def line_of(run: TreeRun, step: SearchStep) -> int | None:
    """The index of the line that runs in a step; None if there is none."""
    is_averaged = step.node.player == CHANCE or (run.algorithm == "expectimax" and step.node.player == MIN)
    event = step.event
    if event == "leave" and is_averaged:
        event = "average"
    elif event == "simulate" and not step.node.children:  # the game is over: no move of the playout policy
        event = "utility"
    elif event == "select" and _is_rolled(run, step):
        event = "roll"
    return current_line(_NAMES.get(run.algorithm, run.algorithm), event, _side(run, step))


def _is_rolled(run: TreeRun, step: SearchStep) -> bool:
    """Whether the dice led to the node."""
    parent = run.tree.parent_of(step.node)
    return parent is not None and parent.player == CHANCE


def _side(run: TreeRun, step: SearchStep) -> str:
    """Whose procedure it is: at a leaf, that of the one who does not move above."""
    node, parent = step.node, run.tree.parent_of(step.node)
    if run.tree.seats:
        return ""
    if node.player is None:
        return "min" if parent is not None and parent.player == MAX else "max"
    return _SIDES.get(node.player, "")
