"""What a search did, node by node, in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.course.reference.minimax import Count


@dataclass
class VisitedNode:
    """A node that was visited: when, with which window, and with what value."""

    state: object
    order: int  # its number among all visits; the root's is 1
    alpha: float
    beta: float
    value: float = math.nan  # until it is known
    children: list[VisitedNode] = field(default_factory=list)  # in the order of the actions that were tried
    skipped: Sequence[object] = ()  # the actions that were cut off

    @property
    def sign(self) -> str:
        """How to read the value, by what was seen below: exact, at least (MAX left early), or at most (MIN did).

        Who cut off without skipping anything has seen everything. A value that is no child's is an average.
        """
        if self.skipped:
            return "≥ " if self.value >= self.beta else "≤ "
        return min((child.sign for child in self.children if child.value == self.value), default="")


@dataclass
class OpenNodes(Count):
    """A count that also knows how many nodes were entered and not yet left, at most: the space of a search."""

    most: int = 0
    _open: int = 0

    def enter(self, state: object, is_leaf: bool, alpha: float = -math.inf, beta: float = math.inf) -> None:
        super().enter(state, is_leaf, alpha, beta)
        self._open += 1
        self.most = max(self.most, self._open)

    def leave(self, value: float) -> float:
        self._open -= 1
        return value


@dataclass
class Trace(Count):
    """A count that also keeps the tree."""

    root: VisitedNode | None = None
    visits: list[VisitedNode] = field(default_factory=list)  # in order
    events: list[tuple[str, VisitedNode]] = field(default_factory=list)  # "enter" and "leave", in order
    _open: list[VisitedNode] = field(default_factory=list)

    def enter(self, state: object, is_leaf: bool, alpha: float = -math.inf, beta: float = math.inf) -> None:
        super().enter(state, is_leaf, alpha, beta)
        visit = VisitedNode(state, self.nodes, alpha, beta)
        if self._open:
            self._open[-1].children.append(visit)
        else:
            self.root = visit
        self._open.append(visit)
        self.visits.append(visit)
        self.events.append(("enter", visit))

    def cut(self, skipped: Sequence[object]) -> None:
        self._open[-1].skipped = skipped

    def leave(self, value: float) -> float:
        visit = self._open.pop()
        visit.value = value
        self.events.append(("leave", visit))
        return value
