"""A tree after some steps of an algorithm: as lines of text, and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.course.stepper.nodes import OwnNode, OwnTree
from engine.course.stepper.searches import worth_of_leaf
from engine.course.stepper.steps import TITLES, SearchStep, TreeRun, shown
from engine.course.svg import Picture
from engine.course.trees import Drawn, picture

_NODE_TYPES = {"player": "node"}  # what the pictures of the course call otherwise
_LARGEST = 2.0  # of a node


class Standing(NamedTuple):
    """How the nodes stand after some steps, by their numbers."""

    entered: dict[int, SearchStep]  # the first one of each node that was reached
    steps: dict[int, SearchStep]  # and the last one
    cut: set[int]  # nodes that will not be reached


def standing(run: TreeRun, count: int) -> Standing:
    """How the nodes stand after so many steps."""
    now = Standing({}, {}, set())
    for step in run.steps[:count]:
        now.steps[step.node.number] = step
        now.entered.setdefault(step.node.number, step)
        now.cut.update(below.number for child in step.skipped for below in child.all())
    return now


def lines(run: TreeRun, count: int) -> Iterator[str]:
    """The tree after so many steps: a line for each node, with an arrow at the node of the last step."""
    now = standing(run, count)
    at = run.steps[count - 1].node if count else None
    labels = [f"{'    ' * len(node.path)}{_label(run.tree, node)}" for node in run.tree.nodes]
    width = max(map(len, labels)) + 2
    for node, label in zip(run.tree.nodes, labels, strict=True):
        yield f"{'->' if node is at else '  '} {label:<{width}}{_state(now, node)}".rstrip()


def _label(tree: OwnTree, node: OwnNode) -> str:
    """The name of a node, and what it is: `b MIN`, `ac 12`, `ba (1/2) chance`."""
    what = shown(worth_of_leaf(node)) if node.player is None else tree.player_name(node.player)
    if not node.path:
        return what
    odds = tree.odds_of(node)
    return f"{node.name}{'' if odds is None else f' ({odds})'} {what}"


def _state(now: Standing, node: OwnNode) -> str:
    step = now.steps.get(node.number)
    if step is None:
        return "cut off" if node.number in now.cut else ""
    if not node.children and step.visits is None:
        return "seen"
    parts = [] if step.alpha is None else [f"alpha {shown(step.alpha)}", f"beta {shown(step.beta)}"]
    if step.visits is not None:
        parts.append(f"N = {step.visits}")
    if step.value is not None:
        label = "average " if step.visits is not None else f"v {step.sign or '= '}"
        parts.append(f"{label}{shown(step.value)}")
    if step.best:
        parts.append(f"by {step.best}")
    return "  ".join(parts)


def drawn_tree(run: TreeRun) -> Picture:
    """The tree when the algorithm has ended: values, windows, the order of visits, and what was cut off."""
    now = standing(run, len(run.steps))
    order = {number: rank for rank, number in enumerate(now.entered, 1)}

    def draw(node: OwnNode, is_best: bool) -> Drawn:
        step, node_type = now.steps.get(node.number), run.tree.node_type(node)
        best = "" if step is None else step.best
        text = _text(node, step)
        return Drawn(_NODE_TYPES.get(node_type, node_type), text, _way(run.tree, node),
                     _notes(run.tree, node, now.entered.get(node.number), step), order.get(node.number),
                     is_seen=step is not None, is_best=is_best, size=min(1 + 0.12 * max(len(text) - 5, 0), _LARGEST),
                     children=[draw(child, is_best and best == child.path[-1]) for child in node.children])

    return picture(draw(run.tree.root, True), f"{TITLES[run.algorithm]}: {run.steps[-1].words}")


def _text(node: OwnNode, step: SearchStep | None) -> str:
    """What stands in a node."""
    if not node.children:
        return shown(worth_of_leaf(node))
    return "" if step is None else step.sign + shown(step.value)


def _way(tree: OwnTree, node: OwnNode) -> str:
    """What stands at the line to a node."""
    odds = tree.odds_of(node)
    return "" if not node.path else node.path[-1] if odds is None else f"{node.path[-1]} {odds}"


def _notes(tree: OwnTree, node: OwnNode, entered: SearchStep | None, step: SearchStep | None) -> tuple[str, ...]:
    """What stands beside a node: who moves, the window with which it was entered, visits."""
    notes = [tree.player_name(node.player)] if tree.seats and node.player is not None else []
    if node.children and entered is not None and entered.alpha is not None:
        notes += [f"α {shown(entered.alpha)}", f"β {shown(entered.beta)}"]
    if step is not None and step.visits is not None:
        notes.append(f"N {step.visits}")
    return tuple(notes)
