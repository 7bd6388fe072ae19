"""A tree of one's own as a game: each node says who moves there, and each chance node has odds of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from string import ascii_lowercase

from engine.course.reference.game import CHANCE, MAX, MIN, Game, Player

_TYPES = {MAX: "max", MIN: "min", CHANCE: "chance"}  # of nodes in trees with one number at each leaf
_EXACT = Context(prec=50)  # digits
_SHORT = 12  # characters of a decimal that is preferred to a fraction


@dataclass(frozen=True, eq=False)  # two nodes with equal leaves are two states
class OwnNode:
    """A node: an inner one has a player and children, a leaf has utilities."""

    number: int  # in depth-first order; the root's is 0
    path: tuple[str, ...] = ()  # the moves that lead here
    player: Player | None = None  # CHANCE at a chance node; None at a leaf
    children: tuple[OwnNode, ...] = ()
    odds: tuple[Fraction, ...] = ()  # of the children of a chance node
    values: tuple[Fraction, ...] = ()  # of a leaf: MAX's, or one for each player

    def all(self) -> Iterator[OwnNode]:
        """It and everything below it, depth first."""
        yield self
        for child in self.children:
            yield from child.all()

    @property
    def called(self) -> str:
        """The name in a sentence."""
        return f"node {self.name}" if self.path else "the root"

    @property
    def name(self) -> str:
        """The moves that lead here, such as `ba`; empty at the root."""
        return "".join(self.path)


class OwnTree(Game[OwnNode, str]):
    """The game of a tree. `seats` is 0 if every leaf has one number, MAX's; else the number of players."""

    def __init__(self, root: OwnNode, seats: int) -> None:
        self.root, self.seats = root, seats
        self.nodes = tuple(root.all())
        self._parents = {child: node for node in self.nodes for child in node.children}

    @property
    def has_chance(self) -> bool:
        """Whether there is a chance node."""
        return any(node.player == CHANCE for node in self.nodes)

    @property
    def players(self) -> range:
        """Everybody who may move, besides chance."""
        return range(self.seats or len((MAX, MIN)))

    def node_type(self, node: OwnNode) -> str:
        """`leaf`, `chance`, `max`, `min`, or `player`."""
        if node.player is None:
            return "leaf"
        return "player" if self.seats and node.player != CHANCE else _TYPES[node.player]

    def player_name(self, player: Player) -> str:
        """`MAX`, `player 1`, `chance`."""
        if player == CHANCE:
            return "chance"
        return f"player {player + 1}" if self.seats else _TYPES[player].upper()

    def parent_of(self, node: OwnNode) -> OwnNode | None:
        """The node above; None for the root."""
        return self._parents.get(node)

    def odds_of(self, node: OwnNode) -> Fraction | None:
        """How likely a node is to come, where chance decides; elsewhere None."""
        parent = self.parent_of(node)
        return parent.odds[_places(len(parent.odds))[node.path[-1]]] if parent is not None and parent.odds else None

    def initial(self) -> OwnNode:
        return self.root

    def to_move(self, state: OwnNode) -> Player:
        assert state.player is not None, "nobody moves at a leaf"
        return state.player

    def actions(self, state: OwnNode) -> Sequence[str]:
        return moves_of(len(state.children))

    def result(self, state: OwnNode, action: str) -> OwnNode:
        return state.children[_places(len(state.children))[action]]

    def is_terminal(self, state: OwnNode) -> bool:
        return not state.children

    def utility(self, state: OwnNode, player: Player) -> float:
        if self.seats:
            return float(state.values[player])
        return float(state.values[0] if player == MAX else -state.values[0])

    def probability(self, state: OwnNode, action: str) -> float:
        return float(state.odds[_places(len(state.odds))[action]])


@cache
def moves_of(count: int) -> tuple[str, ...]:
    """The names of the moves of a node with so many children: letters, if there are enough of them."""
    if count <= len(ascii_lowercase):
        return tuple(ascii_lowercase[:count])
    return tuple(f"{number}." for number in range(1, count + 1))


@cache
def _places(count: int) -> Mapping[str, int]:
    """Which child each move leads to, where there are so many."""
    return {move: index for index, move in enumerate(moves_of(count))}


def number_text(number: Fraction | int) -> str:
    """A number exactly: as a decimal if that is short, or no longer than the fraction; else as the fraction."""
    decimal, fraction = _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator)), str(number)
    text = str(decimal).lower()
    return text if Fraction(decimal) == number and len(text) <= max(len(fraction), _SHORT) else fraction


def tree_text(tree: OwnTree) -> str:
    """The text that stands for a tree. Who moves is said only where it does not follow from the turns."""
    def write(node: OwnNode, turn: Player) -> str:
        if node.player is None:
            numbers = ", ".join(map(number_text, node.values))
            return f"({numbers})" if tree.seats else numbers
        after = turn if node.player == CHANCE else (node.player + 1) % len(tree.players)
        below = [write(child, after) for child in node.children]
        if node.player == CHANCE:
            branches = [f"[{number_text(share)}, {text}]" for share, text in zip(node.odds, below, strict=True)]
            return f'{{"chance": [{", ".join(branches)}]}}'
        text = f"[{', '.join(below)}]"
        return text if node.player == turn else f'{{"{tree.player_name(node.player).lower()}": {text}}}'

    return write(tree.root, 0)
