"""What a side does in a line, move by move, in words: the plan behind the best moves."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from engine.analysis.board_facts import is_development, outposts, passed_pawns
from engine.analysis.ledger import PIECE_VALUES, captured_piece
from engine.analysis.tactical_line import is_bad_square, value_on
from engine.analysis.wording import joined

_MOST_MOVES = 3  # of a plan
_REPEATED_STEPS = "brings the king", "pushes the passed pawn"  # of which a plan names the last
_ENDGAME_PIECES = 4  # beside kings and pawns, at most
_FEWEST_SQUARES = 4  # that a bishop on a long diagonal has


def plan_text(board: chess.Board, line: Sequence[chess.Move], side: chess.Color) -> str:
    """The next moves of a side in a line, in words: `castles, attacks the queen on d4 and brings the rook to e1`.

    Checks, and captures that take back or exchange, are no plan; of the steps of a king or a passed pawn
    the last one is named. A plan ends where either side takes a piece that is not exchanged: that is tactics.
    """
    cursor, steps, taken_on = board.copy(stack=False), list[str](), None
    for move in line:
        if len(steps) == _MOST_MOVES or cursor.is_game_over() or (move.to_square != taken_on
                                                                  and _takes_piece(cursor, move)):
            break
        if cursor.turn == side and move.to_square != taken_on and (step := _plan_step(cursor, move)) not in steps:
            begun = next(filter(step.startswith, _REPEATED_STEPS), None)
            steps = [other for other in steps if begun is None or not other.startswith(begun)]
            steps += filter(None, [step])
        taken_on = move.to_square if cursor.is_capture(move) else None
        cursor.push(move)
    return joined(steps)


def _plan_step(board: chess.Board, move: chess.Move) -> str:
    """What a move of a plan does; empty for a check or an exchange."""
    step = step_text(board, move)
    return "" if step.startswith(("checks", "exchanges")) else step


def _takes_piece(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move takes a piece, not a pawn, and is no exchange."""
    taken = captured_piece(board, move)
    return taken is not None and taken[0] != chess.PAWN and step_text(board, move).startswith("takes")


def step_text(board: chess.Board, move: chess.Move) -> str:
    """What a move does, in a few words; empty if nothing can be named."""
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        return "mates"
    piece, target = board.piece_type_at(move.from_square), chess.square_name(move.to_square)
    assert piece is not None
    name = chess.piece_name(piece)
    if board.is_castling(move):
        return "castles"
    if move.promotion:
        return f"promotes on {target}"
    if (taken := captured_piece(board, move)) is not None:
        return _capture_text(board, after, move, taken[0])
    if after.is_check():
        return f"checks from {target}"
    if (hit := _attacked(after, move.to_square)) is not None:
        return f"attacks the {chess.piece_name(after.piece_type_at(hit) or 0)} on {chess.square_name(hit)}"
    if piece == chess.PAWN:
        return _pawn_text(board, after, move)
    return _piece_text(board, after, move) or f"brings the {name} to {target}"


def _capture_text(board: chess.Board, after: chess.Board, move: chess.Move, taken: int) -> str:
    """What a capture does: an exchange if it can be taken back by as much, otherwise what it takes."""
    name, target = chess.piece_name(taken), chess.square_name(move.to_square)
    own = board.piece_type_at(move.from_square)
    is_even = own is not None and PIECE_VALUES[own] == PIECE_VALUES[taken]
    if is_even and after.attackers(after.turn, move.to_square):
        return f"exchanges the {name}s" if taken == chess.QUEEN else f"exchanges on {target}"
    return f"takes the {name} on {target}"


def _attacked(after: chess.Board, square: chess.Square) -> chess.Square | None:
    """The most valuable piece that the one on a square attacks with effect: worth more, or not defended."""
    own, victim = value_on(after, square), after.turn
    if is_bad_square(after, square, not victim):
        return None
    hit = [target for target in after.attacks(square) & after.occupied_co[victim] & ~after.kings
           if value_on(after, target) > own or (value_on(after, target) > 1 and not after.attackers(victim, target))]
    return max(hit, key=lambda target: value_on(after, target), default=None)


def _pawn_text(board: chess.Board, after: chess.Board, move: chess.Move) -> str:
    target = chess.square_name(move.to_square)
    if move.from_square in passed_pawns(board, board.turn):
        return f"pushes the passed pawn to {target}"
    if any(chess.square_file(pawn) == chess.square_file(move.to_square) + step for step in (-1, 1)
           for pawn in after.attacks(move.to_square) & after.pieces(chess.PAWN, after.turn)):
        return f"challenges the pawns with {target}"
    return f"plays {target}"


def _piece_text(board: chess.Board, after: chess.Board, move: chess.Move) -> str:
    """What a quiet move of a piece is for, by the square that it goes to."""
    side, piece = board.turn, board.piece_type_at(move.from_square)
    target, file = chess.square_name(move.to_square), chess.square_file(move.to_square)
    if piece is not None and is_development(board, move):
        return f"develops the {chess.piece_name(piece)} to {target}"
    if piece == chess.KNIGHT and move.to_square in outposts(after, side):
        return f"takes the outpost on {target}"
    pawns = after.pawns & chess.BB_FILES[file]
    if piece == chess.ROOK and file != chess.square_file(move.from_square) and not (
            pawns & after.occupied_co[side]):
        return f"takes the {'half-open ' if pawns else 'open '}{chess.FILE_NAMES[file]}-file"
    is_endgame = chess.popcount(board.occupied & ~board.pawns & ~board.kings) <= _ENDGAME_PIECES
    return f"brings the king to {target}" if piece == chess.KING and is_endgame else ""
