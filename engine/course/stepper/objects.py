"""A run as an object for other programs and for the page: the tree, the steps, and what comes out."""

from __future__ import annotations

import math
from typing import Any

from engine.course.stepper.listing import line_of
from engine.course.stepper.nodes import OwnNode, OwnTree, number_text, tree_text
from engine.course.stepper.steps import SearchStep, TreeRun, Worth


def as_object(run: TreeRun) -> dict[str, Any]:
    """The fields of a run. Nodes go by their numbers; numbers that are not finite are null."""
    return {
        "tree": tree_text(run.tree), "algorithm": run.algorithm, "value": _value(run.value),
        "action": run.action or None, "leaves": None if run.algorithm == "uct" else run.leaves,
        "nodes": [_node(run.tree, node) for node in run.tree.nodes], "steps": [_step(run, step) for step in run.steps],
    }


def _node(tree: OwnTree, node: OwnNode) -> dict[str, Any]:
    parent, odds = tree.parent_of(node), tree.odds_of(node)
    return {"parent": None if parent is None else parent.number, "name": node.name, "type": tree.node_type(node),
            "player": None if node.player is None else tree.player_name(node.player),
            "odds": None if odds is None else number_text(odds), "values": list(map(number_text, node.values))}


def _step(run: TreeRun, step: SearchStep) -> dict[str, Any]:
    fields: dict[str, Any] = {"node": step.node.number, "event": step.event, "words": step.words,
                              "line": line_of(run, step), "value": _value(step.value), "sign": step.sign.strip()}
    if step.alpha is not None and step.beta is not None:
        fields.update(alpha=_value(step.alpha), beta=_value(step.beta))
    if step.best:
        fields["best"] = step.best
    if step.skipped:
        fields["skipped"] = [node.number for child in step.skipped for node in child.all()]
    if step.visits is not None:
        fields["visits"] = step.visits
    if step.numbers:
        fields["numbers"] = {move: round(number, 4) for move, number in step.numbers}
    return fields


def _value(value: Worth | None) -> float | list[float] | None:
    if isinstance(value, tuple):
        return [round(number, 6) for number in value]
    return round(value, 6) if value is not None and math.isfinite(value) else None
