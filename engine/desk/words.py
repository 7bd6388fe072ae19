"""What is said at the board: how a game ended for somebody, why a move cannot be played, where the game is kept."""

from __future__ import annotations

from pathlib import Path

import chess

from engine.core.errors import IllegalMoveError, InputError, quote
from engine.desk.game import GameOutcome, PlayedGame


def result_text(outcome: GameOutcome, person: chess.Color) -> str:
    """How a game ended for a person: `you win: checkmate`."""
    if outcome.winner is None:
        return str(outcome)
    return f"you {'win' if outcome.winner == person else 'lose'}: {outcome.reason.value}"


def goodbye_text(game: PlayedGame, kept: Path | None) -> list[str]:
    """What is said to somebody who leaves."""
    if kept is None:
        return []
    told = f"the game is kept in {kept}"
    return [told if game.is_over else f"{told}; go on with: adversary play --pgn {kept}"]


def illegal_move_text(board: chess.Board, text: str, error: InputError) -> str:
    """One friendly line on a text that is no move here."""
    if not isinstance(error, IllegalMoveError):
        return str(error)  # it says what is missing
    wanted = text.strip().lower()
    for move in board.pseudo_legal_moves:
        if wanted in _forms(board, move) and not board.is_legal(move):
            return f"{text} leaves your king in check" if board.is_check() else f"{text} puts your king in check"
    if not any(letter.isdigit() for letter in text) and not set(wanted) <= set("o0-"):
        return f"{quote(text)} is no move and no word that is known: help lists the words"
    return f"{quote(text)} cannot be played here: moves lists what can"


def _forms(board: chess.Board, move: chess.Move) -> set[str]:
    """The ways in which a move that may be illegal is most often written, in small letters."""
    target = chess.square_name(move.to_square)
    piece = "" if board.piece_type_at(move.from_square) == chess.PAWN else (
        chess.piece_symbol(board.piece_type_at(move.from_square) or chess.KING))
    start = chess.FILE_NAMES[chess.square_file(move.from_square)]
    return {move.uci(), f"{move.uci()[:2]}-{target}", f"{piece}{target}", f"{piece or start}x{target}"}
