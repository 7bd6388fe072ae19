"""A game that is nothing but its tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.course.reference.game import MAX, MIN, Game, Player

Tree = float | Sequence["Tree"]


@dataclass(frozen=True)
class TreeNode:
    """A node of the tree, and how deep it is."""

    tree: Tree
    depth: int = 0


class TreeGame(Game[TreeNode, int]):
    """Numbers at the leaves, players who take turns; `chances` are the odds of the branches of every chance node."""

    def __init__(self, tree: Tree, players: Sequence[Player] = (MAX, MIN),
                 chances: Sequence[float] | None = None) -> None:
        self._tree, self._players, self._chances = tree, players, chances

    def initial(self) -> TreeNode:
        return TreeNode(self._tree)

    def to_move(self, state: TreeNode) -> Player:
        return self._players[state.depth % len(self._players)]

    def actions(self, state: TreeNode) -> Sequence[int]:
        return [] if isinstance(state.tree, (int, float)) else range(len(state.tree))

    def result(self, state: TreeNode, action: int) -> TreeNode:
        assert not isinstance(state.tree, (int, float))
        return TreeNode(state.tree[action], state.depth + 1)

    def is_terminal(self, state: TreeNode) -> bool:
        return isinstance(state.tree, (int, float))

    def utility(self, state: TreeNode, player: Player) -> float:
        assert isinstance(state.tree, (int, float))
        return state.tree if player == MAX else -state.tree

    def probability(self, state: TreeNode, action: int) -> float:
        return super().probability(state, action) if self._chances is None else self._chances[action]
