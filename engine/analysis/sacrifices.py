"""Sacrifices beside the better move: one that a move allows, one that does not work, one that it misses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess

from engine.analysis.claims import SACRIFICE, named_claim
from engine.analysis.comparison import MoveComparison, Statement, board_after_move
from engine.analysis.ledger import balance, balance_before_exchange, best_capture, exchange_gain
from engine.analysis.wording import moves_text

_LEAST_GIVEN = 2  # pawns, by exchange on one square
_LEAST_REGAINED = 3  # pawns at once, by either capture
_SHOWN_PLIES = 7
_RANK = 2.9


def sacrifice_statements(comparison: MoveComparison) -> Iterator[Statement]:
    """What a sacrifice has to do with the difference of two moves."""
    board, after, reply = comparison.board, comparison.after, comparison.reply
    if reply is not None and comparison.reply_to_best != reply and is_sacrifice_in(after, comparison.played[0][1:]):
        yield _statement(f"allows {_sacrifice_text(after, reply)}", after, comparison.played[0][1:])
    is_own, is_best = is_sacrifice(board, comparison.move), is_sacrifice_in(board, comparison.better[0])
    if is_own and not is_best and reply is not None and reply.to_square == comparison.move.to_square:
        yield _statement("is a sacrifice that does not work", board, comparison.played[0])
    if is_best and not is_own and comparison.reply_to_best is not None:
        words = f"misses {_sacrifice_text(board, comparison.best)}"
        yield _statement(words, board, comparison.better[0], is_missed=True)


def _sacrifice_text(board: chess.Board, move: chess.Move) -> str:
    text = moves_text(board, [move])
    if not is_regained(board, move):
        return f"the sacrifice {text}"
    return f"{text}: taking the {chess.piece_name(board.piece_type_at(move.from_square) or 0)} would cost more"


def is_sacrifice(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move gives material by exchange on its square."""
    return not move.promotion and exchange_gain(board.copy(stack=False), move) <= -_LEAST_GIVEN


def is_sacrifice_in(board: chess.Board, line: Sequence[chess.Move]) -> bool:
    """Whether the first move of a line is a sacrifice: a capture is one only if it cannot be taken, or the line leaves
    its side behind.
    """
    if not is_sacrifice(board, line[0]):
        return False
    if not board.is_capture(line[0]) or is_regained(board, line[0]):
        return True
    cursor, base = board.copy(stack=False), balance_before_exchange(board, line[0], board.turn)
    for ply, move in enumerate(line[:_SHOWN_PLIES]):
        cursor.push(move)
        if ply and ply % 2 == 0 and balance(cursor, board.turn) <= base - _LEAST_GIVEN:
            return True
    return False


def is_regained(board: chess.Board, move: chess.Move) -> bool:
    """Whether the side to move mates or wins a piece at once, whichever way the other takes the one that has moved."""
    after = board_after_move(board, move)
    takes = [reply for reply in after.generate_legal_captures() if reply.to_square == move.to_square]
    return bool(takes) and all(_gains(board_after_move(after, reply)) for reply in takes)


def _gains(board: chess.Board) -> bool:
    gain = best_capture(board)
    mates = any(board_after_move(board, move).is_checkmate() for move in board.legal_moves)
    return mates or (gain is not None and gain[0] >= _LEAST_REGAINED)


def _statement(words: str, board: chess.Board, line: Sequence[chess.Move], is_missed: bool = False) -> Statement:
    claim = named_claim(SACRIFICE, board, line[:_SHOWN_PLIES], (line[0].to_square,))
    return Statement(_RANK, words, claim, is_missed=is_missed)
