"""A player by IF-THEN rules: rank the moves by the rules, play the highest. It never looks ahead.

Such rules are enough to play draughts well, and tic-tac-toe; chess has too many exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import chess

from engine.course.reference.evaluation import PRICES
from engine.course.reference.game import Action, State
from engine.course.reference.games.board import Board, TicTacToe

_CENTRE, _CORNERS = 4, (0, 2, 6, 8)


class Rule(NamedTuple):
    """IF a move is such, THEN it has this rank."""

    words: str
    holds: Callable[[object, object], bool]
    rank: int


def rank(rules: Sequence[Rule], state: State, action: Action) -> int:
    """The rank of the best rule that holds for a move; 0 if none does."""
    return max((rule.rank for rule in rules if rule.holds(state, action)), default=0)


def choose(rules: Sequence[Rule], state: State, actions: Sequence[Action]) -> Action:
    """The move of the highest rank; the first of several."""
    return max(actions, key=lambda action: rank(rules, state, action))


_GAME = TicTacToe()


def _completes(board: Board, square: int, player: int) -> bool:
    """Whether a player who put a stone there would have three in a row."""
    return _GAME.winner((*board[:square], player, *board[square + 1 :])) == player


TIC_TAC_TOE_RULES = (
    Rule("it completes a row", lambda board, square: _completes(board, square, _GAME.to_move(board)), 5),  # type: ignore[arg-type]
    Rule("it stops the other's row", lambda board, square: _completes(board, square, 1 - _GAME.to_move(board)), 4),  # type: ignore[arg-type]
    Rule("it is the middle", lambda board, square: square == _CENTRE, 3),
    Rule("it is a corner", lambda board, square: square in _CORNERS, 2),
)


def _takes(fen: object, uci: object) -> int:
    """The price of the piece that a move takes."""
    board, move = chess.Board(str(fen)), chess.Move.from_uci(str(uci))
    taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    return PRICES[taken] if taken is not None else 0


CHESS_RULES = (
    *(Rule(f"it takes a piece worth {price}", lambda fen, uci, price=price: _takes(fen, uci) == price, price)  # type: ignore[misc]
      for price in sorted(set(PRICES.values()), reverse=True)),
)
