"""The games that students' functions are called with: which leaves are looked at is noted out of their sight."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from engine.course.reference.game import CHANCE, MAX, MIN, Player
from engine.course.reference.games.board import TicTacToe

# Numbers are leaves, lists the nodes of players in turn, and {"odds": [...], "after": [...]} chance nodes.
Tree = float | Sequence["Tree"] | Mapping[str, Any]
Path = tuple[int, ...]
_RULES = ("initial", "to_move", "actions", "result", "is_terminal", "utility", "probability")  # as the stubs say


def below(tree: Tree) -> Sequence[Tree]:
    """The subtrees of a node; none of a leaf."""
    if isinstance(tree, Mapping):
        after: Sequence[Tree] = tree["after"]
        return after
    return tree if isinstance(tree, Sequence) else ()


class TreeOfPaths:
    """A tree whose states are paths from the root, so that each is hashable and tells where it is."""

    def __init__(self, tree: Tree, guesses: Sequence[float] = (0.0,)) -> None:
        self._tree, self._guesses = tree, guesses
        self.looked: dict[Hashable, None] = {}  # the leaves, in the order in which they were looked at

    def _at(self, state: Path) -> Tree:
        tree = self._tree
        for number in state:
            tree = below(tree)[number]
        return tree

    def initial(self) -> Path:
        return ()

    def to_move(self, state: Path) -> Player:
        return CHANCE if isinstance(self._at(state), Mapping) else (MAX, MIN)[len(state) % 2]

    def actions(self, state: Path) -> list[int]:
        return list(range(len(below(self._at(state)))))

    def result(self, state: Path, action: int) -> Path:
        return (*state, action)

    def is_terminal(self, state: Path) -> bool:
        return isinstance(self._at(state), (int, float))

    def utility(self, state: Path, player: Player) -> float:
        value = self._at(state)
        if not isinstance(value, (int, float)):
            raise TypeError("utility() was asked of a state that is not terminal")
        self.looked[state] = None
        return value if player == MAX else -value

    def probability(self, state: Path, action: int) -> float:
        tree = self._at(state)
        assert isinstance(tree, Mapping)
        return float(tree["odds"][action])

    def evaluate(self, state: Path) -> float:
        """The evaluation, where a depth ends: any number, the same for the same state."""
        self.looked[state] = None
        value = self._at(state)
        return value if isinstance(value, (int, float)) else self._guesses[sum(state) % len(self._guesses)]


class Dice(TreeOfPaths):
    """A tree of MAX and chance: there is no MIN."""

    def to_move(self, state: Path) -> Player:
        return CHANCE if isinstance(self._at(state), Mapping) else MAX


class Board(TicTacToe):
    """Tic-tac-toe from some board on."""

    def __init__(self, board: Sequence[int | None]) -> None:
        super().__init__()
        self._board = tuple(board)
        self.looked: dict[Hashable, None] = {}

    def initial(self) -> tuple[int | None, ...]:
        return self._board

    def utility(self, state: tuple[int | None, ...], player: Player) -> float:
        self.looked[state] = None
        return super().utility(state, player)

    def evaluate(self, state: tuple[int | None, ...]) -> float:
        """The evaluation, where a depth ends."""
        self.looked[state] = None
        return self.open_lines(state)


def game_of(case: Mapping[str, Any]) -> TreeOfPaths | Board:
    """The game of a case."""
    if "board" in case:
        return Board(case["board"])
    made = Dice if case.get("dice") else TreeOfPaths
    return made(case["tree"], case.get("guesses", (0.0,)))


class ShownGame:
    """What a function gets of a game: its rules, and neither the tree nor the leaves looked at, which closures hide."""

    def __init__(self, game: TreeOfPaths | Board) -> None:
        for name in _RULES:
            setattr(self, name, _closed(getattr(game, name)))


def _closed(method: Callable[..., Any]) -> Callable[..., Any]:
    """A function that does the same, and has no `__self__`."""
    def call(*arguments: Any, **named: Any) -> Any:
        return method(*arguments, **named)

    return call


def arguments_of(case: Mapping[str, Any], function: str, game: TreeOfPaths | Board, chance: object) -> tuple[Any, ...]:
    """What a function is called with, by its name."""
    start, shown, evaluate = game.initial(), ShownGame(game), _closed(game.evaluate)
    return {"minimax": (shown, start, case.get("depth"), evaluate),
            "alphabeta": (shown, start, case.get("depth"), evaluate),
            "expectimax": (shown, start), "ucb1": tuple(case.get("numbers", ())),
            "uct": (shown, start, case.get("iterations"), chance), "evaluation": (shown, start)}[function]
