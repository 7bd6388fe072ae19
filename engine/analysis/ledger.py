"""The material ledger of a line: what each side captures and promotes, up to a position in which nothing hangs.

It needs no engine: exchanges are counted with legal captures on python-chess boards, so a sentence about material can
be proven by replaying the line that is printed beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import chess

PIECE_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}
LONGEST_LINE = 12  # plies: what lies beyond is not claimed
_MOST_OF_IT = 0.6  # of the material that changes hands in a line
_MINORS = (chess.KNIGHT, chess.BISHOP)


@dataclass(frozen=True)
class Capture:
    """A piece that is captured in a line; `ply` counts from 0."""

    ply: int
    color: chess.Color  # of the captured piece
    piece_type: int
    square: chess.Square  # where it stood when it was captured
    origin: chess.Square | None  # where it stood at the start of the line; None if it was promoted in the line


@dataclass(frozen=True)
class Promotion:
    """A pawn that promotes in a line."""

    ply: int
    color: chess.Color
    piece_type: int
    square: chess.Square
    origin: chess.Square  # of the pawn, at the start of the line
    survives: bool  # to the end of the line


@dataclass(frozen=True)
class Ledger:
    """A line up to a settled position, and what has changed hands in it."""

    start: chess.Board
    moves: tuple[chess.Move, ...]
    captures: tuple[Capture, ...]
    promotions: tuple[Promotion, ...]
    end: chess.Board

    def lost_by(self, color: chess.Color) -> Counter[int]:
        """The pieces of a side that are captured, promoted ones not counted, by type."""
        return Counter(capture.piece_type for capture in self.captures
                       if capture.color == color and capture.origin is not None)

    def balance_for(self, color: chess.Color) -> int:
        """The material of a side less the other's at the end of the line, in pawns."""
        return balance(self.end, color)


def balance(board: chess.Board, color: chess.Color) -> int:
    """The material of a side less the other's, in pawns."""
    own, other = board.occupied_co[color], board.occupied_co[not color]
    return sum(PIECE_VALUES[piece_type] * (chess.popcount(squares & own) - chess.popcount(squares & other))
               for piece_type in range(chess.PAWN, chess.KING)
               if (squares := board.pieces_mask(piece_type, True) | board.pieces_mask(piece_type, False)))


def worth(counts: Counter[int]) -> int:
    """The worth of some pieces in pawns."""
    return sum(PIECE_VALUES[piece_type] * count for piece_type, count in counts.items())


def captured_piece(board: chess.Board, move: chess.Move) -> tuple[int, chess.Square] | None:
    """The type and square of the piece that a move captures; None if it captures nothing."""
    if board.is_castling(move) or not board.is_capture(move):
        return None
    if board.is_en_passant(move):
        return chess.PAWN, move.to_square + (-8 if board.turn else 8)
    piece_type = board.piece_type_at(move.to_square)
    assert piece_type is not None
    return piece_type, move.to_square


def exchange_gain(board: chess.Board, move: chess.Move) -> int:
    """What a legal move wins in pawns once the other side has taken back as well as it can on the same square."""
    captured = captured_piece(board, move)
    gain = PIECE_VALUES[captured[0]] if captured else 0
    if move.promotion:
        gain += PIECE_VALUES[move.promotion] - 1
    board.push(move)
    try:
        return gain - best_recapture(board, move.to_square)
    finally:
        board.pop()


def best_recapture(board: chess.Board, square: chess.Square) -> int:
    """The most that the side to move wins by captures on a square, least valuable piece first; it need not capture."""
    standing = board.piece_type_at(square)
    attackers = [move for move in board.generate_legal_captures(to_mask=chess.BB_SQUARES[square])
                 if move.to_square == square]
    if not attackers or standing is None:
        return 0
    least = min(attackers, key=lambda move: (PIECE_VALUES[board.piece_type_at(move.from_square) or chess.KING],
                                             -(move.promotion or 0)))
    board.push(least)
    try:
        gain = PIECE_VALUES[standing] + (PIECE_VALUES[least.promotion] - 1 if least.promotion else 0)
        return max(gain - best_recapture(board, square), 0)
    finally:
        board.pop()


def best_capture(board: chess.Board) -> tuple[int, chess.Move] | None:
    """The capture or promotion of the side to move that wins most by exchange; None if none wins a pawn or more."""
    best: tuple[int, chess.Move] | None = None
    moves = [*board.generate_legal_captures(), *(move for move in board.generate_legal_moves(board.pawns)
                                                 if move.promotion and not board.is_capture(move))]
    for move in moves:
        if move.promotion not in (None, chess.QUEEN):
            continue
        gain = exchange_gain(board, move)
        if gain >= 1 and (best is None or gain > best[0]):
            best = gain, move
    return best


def is_settled(board: chess.Board) -> bool:
    """Whether no exchange is under way: the side to move is not in check and has nothing to win by a capture."""
    return not board.is_check() and best_capture(board) is None


def settled_ledger(board: chess.Board, line: Sequence[chess.Move], base: int | None = None,
                   longest: int = LONGEST_LINE) -> Ledger | None:
    """The ledger of a line up to where it has settled; None if it does not settle within `longest` plies.

    With a `base`, White's balance that gains are measured from, the line ends at the first settled position in which
    most of what changes hands has done so, if it is not won back; otherwise at the first after which the material does
    not change any more. A line that is too short is continued with captures, the best exchange first.
    """
    moves = _extended(board, line[:longest], longest)
    cursor, settled = board.copy(stack=False), list[tuple[int, int]]()
    for ply, move in enumerate((*moves, None)):
        if ply and is_settled(cursor):
            settled.append((ply, balance(cursor, chess.WHITE)))
        if move is not None:
            cursor.push(move)
    if not settled:
        return None
    return ledger_of(board, moves[: _end_of(settled, base)])


def _end_of(settled: Sequence[tuple[int, int]], base: int | None) -> int:
    """Where a line ends, from its settled plies and White's balance at each."""
    final = settled[-1][1]
    if base is None or final == base:
        return next(ply for index, (ply, _) in enumerate(settled) if all(late == final for _, late in settled[index:]))
    sign = 1 if final > base else -1
    gains = [(ply, sign * (white - base)) for ply, white in settled]
    for index, (ply, gain) in enumerate(gains):
        won_back = 1 if gain >= PIECE_VALUES[chess.KNIGHT] else 0  # a pawn more or less does not change the story
        if gain >= _MOST_OF_IT * gains[-1][1] and all(late >= gain - won_back for _, late in gains[index:]):
            return ply
    return settled[-1][0]


def _extended(board: chess.Board, line: Sequence[chess.Move], longest: int) -> list[chess.Move]:
    cursor, moves = board.copy(stack=False), list(line)
    for move in moves:
        cursor.push(move)
    while len(moves) < longest and not cursor.is_check() and (found := best_capture(cursor)) is not None:
        moves.append(found[1])
        cursor.push(found[1])
    return moves


def ledger_of(board: chess.Board, moves: Sequence[chess.Move]) -> Ledger:
    """The ledger of exactly these moves."""
    cursor, captures, promotions = board.copy(stack=False), list[Capture](), list[Promotion]()
    origins: dict[chess.Square, chess.Square | None] = {square: square for square in board.piece_map()}
    for ply, move in enumerate(moves):
        captured = captured_piece(cursor, move)
        if captured is not None:
            captures.append(Capture(ply, not cursor.turn, captured[0], captured[1], origins.pop(captured[1], None)))
        origin = origins.pop(move.from_square, None)
        if move.promotion:
            assert origin is not None
            promotions.append(Promotion(ply, cursor.turn, move.promotion, move.to_square, origin, True))
            origin = None
        if cursor.is_castling(move):
            _move_castling_rook(cursor, move, origins)
        else:
            origins[move.to_square] = origin
        cursor.push(move)
    taken_again = {capture.color for capture in captures if capture.origin is None}
    promotions = [replace(found, survives=found.color not in taken_again) for found in promotions]
    return Ledger(board.copy(stack=False), tuple(moves), tuple(captures), tuple(promotions), cursor)


def _move_castling_rook(board: chess.Board, move: chess.Move,
                        origins: dict[chess.Square, chess.Square | None]) -> None:
    rank = 0 if board.turn else 56
    is_kingside = board.is_kingside_castling(move)
    rooks = [square for square in board.pieces(chess.ROOK, board.turn) if square // 8 * 8 == rank]
    king = board.king(board.turn)
    assert king is not None
    rook = max(rooks) if is_kingside else min(rooks)
    origins[rank + (5 if is_kingside else 3)] = origins.pop(rook, None)
    origins[rank + (6 if is_kingside else 2)] = king


def balance_before_exchange(board: chess.Board, first: chess.Move, color: chess.Color) -> int:
    """The balance that a line starting with `first` is measured from."""
    return balance(board_before_exchange(board, first), color)


def board_before_exchange(board: chess.Board, first: chess.Move) -> chess.Board:
    """The board that the material of a line starting with `first` is measured from.

    If the last moves of the game were captures and the line goes on capturing, an exchange is open, and it began before
    them: a recapture wins nothing.
    """
    return _board_before_captures(board) if board.is_capture(first) else board


def balance_before_line(board: chess.Board, line: Sequence[chess.Move], color: chess.Color) -> int:
    """The balance that a line is measured from: also before an exchange that its second own move goes on with."""
    is_put_off = bool(board.move_stack) and len(line) > 2 and line[2].to_square == board.peek().to_square
    return balance(_board_before_captures(board) if is_put_off else board_before_exchange(board, line[0]), color)


def _board_before_captures(board: chess.Board) -> chess.Board:
    """The board before the captures that the game ends with."""
    root = board.copy()
    while root.move_stack:
        last = root.pop()
        if not last or not root.is_capture(last):
            root.push(last)
            break
    return root


def net_pieces(lost: Counter[int], gained: Counter[int]) -> tuple[Counter[int], Counter[int]]:
    """What remains of pieces lost and gained when equal ones cancel; a knight and a bishop are equal."""
    left, right = lost - gained, gained - lost
    for own, other in (_MINORS, _MINORS[::-1]):
        even = min(left[own], right[other])
        left, right = left - Counter({own: even}), right - Counter({other: even})
    return left, right
