"""Chess, by the rules of python-chess."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from engine.course.reference.game import MAX, MIN, Game, Player

Payoffs = tuple[float, float, float]  # of a win, a draw and a loss
ZERO_SUM: Payoffs = (1, 0, -1)
POINTS: Payoffs = (1, 1 / 2, 0)  # the scale of tournaments: what one side does not get goes to the other


class Chess(Game[str, str]):
    """States are FENs, moves are UCI texts. White is MAX; `payoffs` are what the end is worth.

    A FEN does not say what happened before: so repetition is not a draw here, but the fifty-move rule is.
    """

    def __init__(self, fen: str = chess.STARTING_FEN, payoffs: Payoffs = ZERO_SUM) -> None:
        self._fen, self._payoffs = fen, payoffs

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
        win, draw, loss = self._payoffs
        if not board.is_checkmate():
            return draw
        return loss if self.to_move(state) == player else win
