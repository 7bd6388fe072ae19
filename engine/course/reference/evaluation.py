"""A chess evaluation: a weighted sum of features, fast, and correlated with the chance to win."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import chess

from engine.course.reference.game import MAX, Action, Game, State
from engine.course.reference.minimax import Evaluate, leaf_value

Feature = Callable[[chess.Board], float]  # White's minus Black's
CENTRE = chess.SquareSet([chess.D4, chess.E4, chess.D5, chess.E5])


def difference(count: Callable[[chess.Board, chess.Color], float]) -> Feature:
    """What White has minus what Black has."""
    return lambda board: count(board, chess.WHITE) - count(board, chess.BLACK)


def piece_difference(piece_type: chess.PieceType) -> Feature:
    """The number of pieces of a type, White's minus Black's."""
    return difference(lambda board, colour: len(board.pieces(piece_type, colour)))


def legal_moves(board: chess.Board, colour: chess.Color) -> int:
    """How many moves a side would have if it were its turn."""
    other = board.copy(stack=False)
    other.turn = colour
    return other.legal_moves.count()


def centre_control(board: chess.Board, colour: chess.Color) -> int:
    """How often a side attacks the four squares of the centre."""
    return sum(len(board.attackers(colour, square)) for square in CENTRE)


def king_shelter(board: chess.Board, colour: chess.Color) -> int:
    """How many of its own pawns are next to the king."""
    king = board.king(colour)
    return 0 if king is None else len(chess.SquareSet(chess.BB_KING_ATTACKS[king]) & board.pieces(chess.PAWN, colour))


def doubled_pawns(board: chess.Board, colour: chess.Color) -> int:
    """How many pawns share a file with another pawn of their side, not counting the first on each file."""
    files = [chess.square_file(square) for square in board.pieces(chess.PAWN, colour)]
    return len(files) - len(set(files))


PRICES = {chess.QUEEN: 16, chess.ROOK: 8, chess.BISHOP: 5, chess.KNIGHT: 5, chess.PAWN: 1}
MATERIAL: Mapping[str, tuple[float, Feature]] = {
    f"{chess.piece_name(piece_type)}s": (price, piece_difference(piece_type)) for piece_type, price in PRICES.items()}
FEATURES: Mapping[str, tuple[float, Feature]] = {
    **MATERIAL,
    "mobility": (0.1, difference(legal_moves)),
    "centre control": (0.2, difference(centre_control)),
    "king safety": (0.3, difference(king_shelter)),
    "doubled pawns": (-0.3, difference(doubled_pawns)),
}
_SCALE = 16  # points: the value of a queen


def terms(fen: str, features: Mapping[str, tuple[float, Feature]] = FEATURES) -> dict[str, float]:
    """What each feature adds to the sum."""
    board = chess.Board(fen)
    return {name: weight * feature(board) for name, (weight, feature) in features.items()}


def material(fen: str) -> float:
    """16 for a queen, 8 for a rook, 5 for a bishop or a knight, 1 for a pawn."""
    return sum(terms(fen, MATERIAL).values())


def evaluate(fen: str) -> float:
    """The sum of all features, squashed between a loss (-1) and a win (1)."""
    return math.tanh(sum(terms(fen).values()) / _SCALE)


Noisy = Callable[[State], Sequence[Action]]  # the actions after which a state is not quiet: captures, in chess


def quiescent(game: Game[State, Action], evaluate: Evaluate[State], noisy: Noisy[State, Action]) -> Evaluate[State]:
    """An evaluation that searches on where a state is not quiet. Give it to any search in place of `evaluate`.

    The player to move may stop at any state and accept its evaluation: no side is forced to capture.
    """

    def value(state: State) -> float:
        standing = leaf_value(game, state, evaluate)
        if game.is_terminal(state):
            return standing
        values = [standing, *(value(game.result(state, action)) for action in noisy(state))]
        return max(values) if game.to_move(state) == MAX else min(values)

    return value
