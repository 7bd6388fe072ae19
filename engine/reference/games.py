"""Games to try the algorithms on: small ones, whose values are known, and chess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from engine.reference.game import CHANCE, MAX, MIN, Game, Player

Tree = float | Sequence["Tree"]


@dataclass(frozen=True)
class Place:
    """A node of a tree, and how deep it is."""

    tree: Tree
    depth: int = 0


class TreeGame(Game[Place, int]):
    """A game that is nothing but its tree: numbers at the leaves, players who take turns."""

    def __init__(self, tree: Tree, players: Sequence[Player] = (MAX, MIN)) -> None:
        self._tree, self._players = tree, players

    def initial(self) -> Place:
        return Place(self._tree)

    def to_move(self, state: Place) -> Player:
        return self._players[state.depth % len(self._players)]

    def actions(self, state: Place) -> Sequence[int]:
        return [] if isinstance(state.tree, (int, float)) else range(len(state.tree))

    def result(self, state: Place, action: int) -> Place:
        assert not isinstance(state.tree, (int, float))
        return Place(state.tree[action], state.depth + 1)

    def is_terminal(self, state: Place) -> bool:
        return isinstance(state.tree, (int, float))

    def utility(self, state: Place, player: Player) -> float:
        assert isinstance(state.tree, (int, float))
        return state.tree if player == MAX else -state.tree


Board = tuple[int | None, ...]  # nine squares, row by row: MAX, MIN or nobody

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class TicTacToe(Game[Board, int]):
    """Three in a row. 1 for a win, 0 for a draw."""

    def initial(self) -> Board:
        return (None,) * 9

    def to_move(self, state: Board) -> Player:
        return MAX if state.count(None) % 2 else MIN

    def actions(self, state: Board) -> Sequence[int]:
        return [square for square, owner in enumerate(state) if owner is None]

    def result(self, state: Board, action: int) -> Board:
        return (*state[:action], self.to_move(state), *state[action + 1 :])

    def is_terminal(self, state: Board) -> bool:
        return self._winner(state) is not None or None not in state

    def utility(self, state: Board, player: Player) -> float:
        winner = self._winner(state)
        return 0 if winner is None else 1 if winner == player else -1

    def _winner(self, state: Board) -> Player | None:
        for first, second, third in _LINES:
            if state[first] is not None and state[first] == state[second] == state[third]:
                return state[first]
        return None


@dataclass(frozen=True)
class Pile:
    """A number, and whose turn it is."""

    number: int
    player: Player = MAX


class Halving(Game[Pile, str]):
    """From N, a player takes one away or halves it, rounding down; who is left with 0 wins."""

    def __init__(self, number: int) -> None:
        self._number = number

    def initial(self) -> Pile:
        return Pile(self._number)

    def to_move(self, state: Pile) -> Player:
        return state.player

    def actions(self, state: Pile) -> Sequence[str]:
        return ("take one", "halve")

    def result(self, state: Pile, action: str) -> Pile:
        return Pile(state.number - 1 if action == "take one" else state.number // 2, 1 - state.player)

    def is_terminal(self, state: Pile) -> bool:
        return state.number == 0

    def utility(self, state: Pile, player: Player) -> float:
        return 1 if state.player == player else -1


@dataclass(frozen=True)
class Buckets:
    """Which bucket was picked, whether a coin has been tossed for it, and the number that was taken from it."""

    bucket: int | None = None
    is_settled: bool = False
    number: float | None = None


class BucketGame(Game[Buckets, int]):
    """MAX picks a bucket of numbers, MIN a number from it, which MAX wants high.

    With a coin: on heads the bucket to the left of the one picked is taken instead, the last one for the first.
    """

    def __init__(self, buckets: Sequence[Sequence[float]], has_coin: bool = False) -> None:
        self._buckets, self._has_coin = buckets, has_coin

    def initial(self) -> Buckets:
        return Buckets()

    def to_move(self, state: Buckets) -> Player:
        if state.bucket is None:
            return MAX
        return MIN if state.is_settled else CHANCE

    def actions(self, state: Buckets) -> Sequence[int]:
        if state.bucket is None:
            return range(len(self._buckets))
        return range(len(self._buckets[state.bucket])) if state.is_settled else (0, 1)

    def result(self, state: Buckets, action: int) -> Buckets:
        if state.bucket is None:
            return Buckets(action, is_settled=not self._has_coin)
        if not state.is_settled:
            return Buckets((state.bucket - action) % len(self._buckets), is_settled=True)
        return Buckets(state.bucket, True, self._buckets[state.bucket][action])

    def is_terminal(self, state: Buckets) -> bool:
        return state.number is not None

    def utility(self, state: Buckets, player: Player) -> float:
        assert state.number is not None
        return state.number if player == MAX else -state.number


class Chess(Game[str, str]):
    """Chess by python-chess: states are FENs, moves are UCI texts. White is MAX; a mate is worth 1.

    A FEN does not tell what happened before: repetition is no draw here, fifty moves are.
    """

    def __init__(self, fen: str = chess.STARTING_FEN) -> None:
        self._fen = fen

    def initial(self) -> str:
        return self._fen

    def to_move(self, state: str) -> Player:
        return MAX if chess.Board(state).turn == chess.WHITE else MIN

    def actions(self, state: str) -> Sequence[str]:
        return [move.uci() for move in chess.Board(state).legal_moves]

    def result(self, state: str, action: str) -> str:
        board = chess.Board(state)
        board.push_uci(action)
        return board.fen()

    def is_terminal(self, state: str) -> bool:
        board = chess.Board(state)
        return board.is_fifty_moves() or board.is_insufficient_material() or not any(board.legal_moves)

    def utility(self, state: str, player: Player) -> float:
        board = chess.Board(state)
        if not board.is_checkmate():
            return 0
        return -1 if self.to_move(state) == player else 1
