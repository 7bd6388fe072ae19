"""The searches that visit a tree depth first, told as steps: all but UCT.

Minimax and alpha-beta are those of the reference: a trace of their run says which nodes were visited, with which
windows and values. Where values are averaged, everything is visited; they are exact, so that ties are ties.
What a node is worth between two of its children follows from the values of the children so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from engine.course.reference.alphabeta import alphabeta_search
from engine.course.reference.game import CHANCE, MAX, MIN, Player
from engine.course.reference.minimax import minimax_search
from engine.course.reference.trace import Trace, VisitedNode
from engine.course.stepper.nodes import OwnNode, OwnTree
from engine.course.stepper.steps import SearchStep, TreeRun, Worth, check_fit, shown
from engine.course.stepper.values import Exact, best_child, exact_values, odds_of

_BOUNDS = {"≤ ": "at most ", "≥ ": "at least "}


@dataclass
class _Visit:
    """A node that was visited: its window, its value, and the children that were visited."""

    node: OwnNode
    value: Worth
    alpha: float = -math.inf
    beta: float = math.inf
    sign: str = ""
    children: list[_Visit] = field(default_factory=list)


def search_tree(tree: OwnTree, algorithm: str) -> TreeRun:
    """The steps of an algorithm other than UCT. InputError if it does not fit the tree."""
    check_fit(tree, algorithm)
    if tree.is_terminal(tree.root):
        visit, action = _Visit(tree.root, worth_of_leaf(tree.root)), ""
    else:
        traced = _TRACED.get(algorithm)
        visit, action = traced(tree) if traced else _backed_up(tree, algorithm)
    teller = _Teller(tree, algorithm)
    steps = list(teller.tell(visit))
    return TreeRun(tree, algorithm, (*steps, teller.answer(steps[-1], action)), visit.value, action)


def worth_of_leaf(leaf: OwnNode) -> Worth:
    """MAX's utility, or the tuple of all."""
    return _worth(leaf.values)


def _worth(exact: Exact) -> Worth:
    values = tuple(map(float, exact))
    return values if len(values) > 1 else values[0]


def _visit(visited: VisitedNode | None) -> _Visit:
    assert visited is not None and isinstance(visited.state, OwnNode)
    return _Visit(visited.state, visited.value, visited.alpha, visited.beta, visited.sign,
                  [_visit(child) for child in visited.children])


def _minimax(tree: OwnTree) -> tuple[_Visit, str]:
    trace = Trace()
    action = minimax_search(tree, tree.root, count=trace)
    return _visit(trace.root), action


def _alphabeta(tree: OwnTree) -> tuple[_Visit, str]:
    trace = Trace()
    action = alphabeta_search(tree, tree.root, count=trace)
    return _visit(trace.root), action


_TRACED: Mapping[str, Callable[[OwnTree], tuple[_Visit, str]]] = {"minimax": _minimax, "alphabeta": _alphabeta}


def _backed_up(tree: OwnTree, algorithm: str) -> tuple[_Visit, str]:
    """Chance averages, and all others choose; nobody chooses at the root where it is averaged."""
    averaged = _averaged(algorithm)
    values = exact_values(tree, averaged)

    def visit(node: OwnNode) -> _Visit:
        return _Visit(node, _worth(values[node]), children=[visit(child) for child in node.children])

    is_chosen = tree.root.player not in averaged
    return visit(tree.root), best_child(tree, tree.root, values).path[-1] if is_chosen else ""


def _averaged(algorithm: str) -> Sequence[Player]:
    """Who does not choose. Expectimax takes MIN for a player who moves at random."""
    return (CHANCE, MIN) if algorithm == "expectimax" else (CHANCE,)


class _Teller:
    """Makes steps of visits."""

    def __init__(self, tree: OwnTree, algorithm: str) -> None:
        self._tree, self._has_windows = tree, algorithm == "alphabeta"
        self._averaged = _averaged(algorithm)

    def tell(self, visit: _Visit) -> Iterator[SearchStep]:
        """The steps from entering a node to leaving it."""
        node = visit.node
        alpha, beta = (visit.alpha, visit.beta) if self._has_windows else (None, None)
        if not node.children:
            words = f"{node.called} is a leaf: its utility is {shown(visit.value)}"
            yield SearchStep(node, "leaf", words, visit.value, alpha, beta)
            return
        at = self._entered(node, alpha, beta)
        yield at
        for odds, child in zip(odds_of(node), visit.children, strict=False):  # some are cut off
            yield from self.tell(child)
            at = self._updated(at, odds, child)
            yield at
        skipped = node.children[len(visit.children) :]
        if skipped:
            at = replace(at, event="cutoff", words=_cutoff(at, skipped), skipped=skipped)
            yield at
        yield replace(at, event="leave", value=visit.value, sign=visit.sign, skipped=(),
                      words=f"{node.called} is worth {_BOUNDS.get(visit.sign, '')}{shown(visit.value)}")

    def answer(self, last: SearchStep, action: str) -> SearchStep:
        """The last step, after the root was left."""
        who = "" if last.node.player is None else self._tree.player_name(last.node.player)
        plays = f"; {who} plays {action}" if action else ""
        return replace(last, event="play", words=f"the root is worth {shown(last.value)}{plays}", best=action)

    def _entered(self, node: OwnNode, alpha: float | None, beta: float | None) -> SearchStep:
        assert node.player is not None
        who = self._tree.player_name(node.player)
        if node.player in self._averaged:
            odds = ", ".join(map(str, node.odds)) or f"1/{len(node.children)} each"
            words = f"{who} {'moves' if node.odds else 'is taken for a random mover'} at {node.called}"
            return SearchStep(node, "enter", f"{words}, with odds {odds}: v = 0", 0.0)
        window = "" if alpha is None else f" with alpha = {shown(alpha)}, beta = {shown(beta)}"
        if self._tree.seats:
            return SearchStep(node, "enter", f"{who} moves at {node.called}")
        start = -math.inf if node.player == MAX else math.inf
        words = f"{who} moves at {node.called}{window}: v = {shown(start)}"
        return SearchStep(node, "enter", words, start, alpha, beta)

    def _updated(self, at: SearchStep, odds: Fraction, child: _Visit) -> SearchStep:
        """The node after the value of one more child is known."""
        node, move = at.node, child.node.path[-1]
        worth = f"{move} is worth {_BOUNDS.get(child.sign, '')}{shown(child.value)}"
        if node.player in self._averaged:
            return self._averaged_with(at, odds, child.value, worth)
        if self._tree.seats:
            return self._preferred(at, move, child.value, worth)
        assert isinstance(at.value, float) and isinstance(child.value, float)
        is_max = node.player == MAX
        if not (child.value > at.value if is_max else child.value < at.value):
            than = "more" if is_max else "less"
            return replace(at, event="child", words=f"{worth}, no {than} than v = {shown(at.value)}: nothing changes")
        words = f"{worth}: v = {shown(child.value)}"
        if at.alpha is None or at.beta is None:
            return replace(at, event="better", words=words, value=child.value, best=move)
        alpha, beta = (max(at.alpha, child.value), at.beta) if is_max else (at.alpha, min(at.beta, child.value))
        if (alpha, beta) != (at.alpha, at.beta):
            words += f", alpha = {shown(alpha)}" if is_max else f", beta = {shown(beta)}"
        event = "window" if (alpha, beta) != (at.alpha, at.beta) else "better"
        return replace(at, event=event, words=words, value=child.value, best=move, alpha=alpha, beta=beta)

    def _averaged_with(self, at: SearchStep, odds: Fraction, value: Worth, worth: str) -> SearchStep:
        """A chance node after one more of the things that can happen."""
        share = float(odds)
        if isinstance(value, tuple):
            before = at.value if isinstance(at.value, tuple) else (0.0,) * len(value)
            total: Worth = tuple(one + share * more for one, more in zip(before, value, strict=True))
        else:
            assert isinstance(at.value, float)
            total = at.value + share * value
        words = f"{worth}: v = {shown(at.value)} + {odds} x {shown(value)} = {shown(total)}"
        return replace(at, event="child", words=words, value=total)

    def _preferred(self, at: SearchStep, move: str, value: Worth, worth: str) -> SearchStep:
        """A node of one of several players after one more child."""
        player = at.node.player
        assert isinstance(value, tuple) and player is not None
        who = self._tree.player_name(player)
        if isinstance(at.value, tuple) and value[player] <= at.value[player]:
            words = f"{worth}: {who} gets {shown(value[player])}, no more than {shown(at.value[player])}"
            return replace(at, event="child", words=words)
        return replace(at, event="child", words=f"{worth}: {who} gets {shown(value[player])}", value=value, best=move)


def _cutoff(at: SearchStep, skipped: Sequence[OwnNode]) -> str:
    """Why the rest of a node does not matter."""
    names = ", ".join(node.name for node in skipped)
    if at.node.player == MAX:
        return (f"v = {shown(at.value)} >= beta = {shown(at.beta)}: MIN is sure of {shown(at.beta)} elsewhere and will "
                f"not let it come to this; {names} cut off")
    return (f"v = {shown(at.value)} <= alpha = {shown(at.alpha)}: MAX is sure of {shown(at.alpha)} elsewhere and will "
            f"not let it come to this; {names} cut off")
