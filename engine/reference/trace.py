"""What a search did, node by node, in order."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from engine.reference.minimax import Count


@dataclass
class VisitedNode:
    """A node that was visited: when, with which window, and with what value."""

    state: object
    order: int  # its number among all visits; the root's is 1
    alpha: float
    beta: float
    value: float = math.nan  # until it is known
    children: list[VisitedNode] = field(default_factory=list)  # in the order of the actions that were tried

    @property
    def sign(self) -> str:
        """How to read the value: as exact, or as a bound if it is outside the window."""
        if not self.children:
            return ""
        return "≤ " if self.value <= self.alpha else "≥ " if self.value >= self.beta else ""


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

    def leave(self, value: float) -> float:
        visit = self._open.pop()
        visit.value = value
        self.events.append(("leave", visit))
        return value
