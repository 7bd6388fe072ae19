"""UCT on a tree, told as steps: selection, expansion, simulation and back-propagation, iteration by iteration."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

from engine.course.reference.game import CHANCE, MAX
from engine.course.reference.uct import (
    EXPLORATION,
    Node,
    back_propagate,
    expand,
    most_visited,
    new_node,
    select,
    simulate,
    ucb1,
)
from engine.course.stepper.nodes import OwnNode, OwnTree
from engine.course.stepper.steps import SearchStep, TreeRun, by_move, check_fit, shown

DEFAULT_ITERATIONS, MOST_ITERATIONS = 30, 1000

SearchNode = Node[OwnNode, str]


class UctOptions(NamedTuple):
    """How long UCT searches, C, and what decides its chance."""

    iterations: int = DEFAULT_ITERATIONS
    exploration: float | None = None  # None: as large as the utilities ask for
    seed: int = 1


def exploration_of(tree: OwnTree) -> float:
    """UCB1's C for a tree: sqrt 2 where utilities are from -1 to 1, more where they spread more."""
    values = [float(node.values[0]) for node in tree.nodes if node.values]
    return EXPLORATION * ((max(values) - min(values)) / 2 or 1)


def uct_tree(tree: OwnTree, options: UctOptions) -> TreeRun:
    """The steps of UCT. InputError if it does not fit the tree."""
    check_fit(tree, "uct")
    root = new_node(tree, tree.root)
    exploration = exploration_of(tree) if options.exploration is None else options.exploration
    steps = [step for number in range(1, options.iterations + 1)
             for step in _Iteration(tree, root, exploration, random.Random(f"{options.seed} {number}"), number).tell()]
    average = root.total / root.visits
    action = "" if not root.children or tree.root.player == CHANCE else most_visited(root)
    steps.append(_answer(tree, root, action, average))
    return TreeRun(tree, "uct", tuple(steps), average, action)


class _Iteration:
    """One iteration, of which the root remembers what it brought."""

    def __init__(self, tree: OwnTree, root: SearchNode, exploration: float, chance: random.Random,
                 number: int) -> None:
        self._tree, self._root, self._number = tree, root, number
        self._exploration, self._chance = exploration, chance

    def tell(self) -> Iterator[SearchStep]:
        """The steps of the iteration, which is carried out meanwhile."""
        selected = select(self._tree, self._root, self._chance, self._exploration)
        yield from self._descend(selected)
        leaf = expand(self._tree, selected, self._chance)
        if leaf is not selected:
            yield _step(leaf, "expand", f"expansion: {leaf.state.called} is new")
        utility = simulate(self._tree, leaf.state, self._chance)
        words = (f"simulation: {leaf.state.called} is an end, worth {shown(utility)} to MAX" if not leaf.state.children
                 else f"simulation: a random playout from {leaf.state.called} is worth {shown(utility)} to MAX")
        yield _step(leaf, "simulate", words)
        back_propagate(self._tree, leaf, utility)
        yield from self._back(leaf)

    def _descend(self, selected: SearchNode) -> Iterator[SearchStep]:
        """From the root to the node that was selected."""
        path = list(_path(selected))
        yield _step(self._root, "select", f"iteration {self._number}, selection: it begins at the root")
        for node, child in itertools.pairwise(path):
            yield self._chosen(node, child)
        if selected.untried:
            why = (f"the dice show what is not in the tree yet (of {', '.join(selected.untried)})"
                   if selected.state.player == CHANCE else f"not tried yet are {', '.join(selected.untried)}")
            yield _step(selected, "stop", f"selection ends at {selected.state.called}: {why}")

    def _chosen(self, node: SearchNode, child: SearchNode) -> SearchStep:
        """A step down the tree."""
        if node.state.player == CHANCE:
            return _step(child, "select", f"selection: the dice lead to {child.state.called}")
        bounds = tuple((move, ucb1(other, node.visits, self._exploration))
                       for move, other in sorted(node.children.items()))
        words = f"selection: UCB1 is {by_move(bounds)}, so {child.state.called} is next"
        return _step(child, "select", words, bounds)

    def _back(self, leaf: SearchNode) -> Iterator[SearchStep]:
        for node in reversed(list(_path(leaf))):
            yield _step(node, "back-propagate", f"back-propagation: {node.state.called} has N = {node.visits}, U = "
                                        f"{shown(node.total)}, on average {shown(node.total / node.visits)} for "
                                        f"{_for_whom(self._tree, node)}")


def _path(node: SearchNode) -> Iterator[SearchNode]:
    """From the root to a node."""
    if node.parent is not None:
        yield from _path(node.parent)
    yield node


def _for_whom(tree: OwnTree, node: SearchNode) -> str:
    """Whose utilities are summed: those of the player who chooses between the node and its siblings."""
    player = MAX if node.parent is None else node.parent.state.player
    return tree.player_name(MAX if player in (CHANCE, None) else player)


def _step(node: SearchNode, event: str, words: str, numbers: tuple[tuple[str, float], ...] = ()) -> SearchStep:
    value = node.total / node.visits if node.visits else None
    return SearchStep(node.state, event, words, value, visits=node.visits, numbers=numbers)


def _answer(tree: OwnTree, root: SearchNode, action: str, average: float) -> SearchStep:
    visits = tuple((move, child.visits) for move, child in sorted(root.children.items()))
    words = f"the playouts are worth {shown(average)} on average"
    if action:
        who = tree.player_name(tree.to_move(tree.root))
        words = f"visits: {by_move(visits)}; {who} plays {action}, the most-visited move; {words}"
    return SearchStep(root.state, "play", words, average, best=action, visits=root.visits, numbers=visits)
