"""A line of moves as the detectors of motifs see it, and what hangs on a board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import chess

from engine.analysis.ledger import PIECE_VALUES, balance, balance_before_exchange, captured_piece

SLIDERS = (chess.BISHOP, chess.ROOK, chess.QUEEN)
LATEST_PLY = 5  # at which a motif begins


@dataclass(frozen=True)
class Motif:
    """A motif in a line: the ply of the move that has it, the ply at which it has paid off, and what it hits."""

    name: str
    ply: int
    end: int
    targets: tuple[chess.Square, ...] = ()


class TacticalLine:
    """A line of moves with the boards before each of them and after the last; the side that profits moves first."""

    def __init__(self, board: chess.Board, moves: Sequence[chess.Move]) -> None:
        self.boards = [board.copy()]
        self.moves = list(moves)
        for move in moves:
            cursor = self.boards[-1].copy(stack=False)
            cursor.push(move)
            self.boards.append(cursor)
        self.side = board.turn

    def __len__(self) -> int:
        return len(self.moves)

    @cached_property
    def is_mate(self) -> bool:
        """Whether the line ends in checkmate by the side that profits."""
        return len(self.moves) % 2 == 1 and self.boards[-1].is_checkmate()

    @cached_property
    def base(self) -> int:
        """The balance that gains are measured from."""
        return balance_before_exchange(self.boards[0], self.moves[0], self.side) if self.moves else 0

    def taken(self, ply: int) -> tuple[int, chess.Square] | None:
        """The type and square of the piece that the move at `ply` captures; None beyond the end."""
        return captured_piece(self.boards[ply], self.moves[ply]) if ply < len(self.moves) else None

    def own_plies(self) -> Iterator[int]:
        """The plies of the side that profits at which a motif may begin."""
        return iter(range(0, min(len(self.moves), LATEST_PLY + 1), 2))

    def pays(self, ply: int, least: int = 1) -> bool:
        """Whether the side that profits is ahead by `least` pawns of where it began after the move at `ply`."""
        return balance(self.boards[ply + 1], self.side) >= self.base + least or self.is_mate


def is_hanging(board: chess.Board, square: chess.Square, color: chess.Color) -> bool:
    """Whether a piece of `color` is not defended, a defence through the attacker's ray counting as one."""
    if board.attackers(color, square):
        return False
    for attacker in board.attackers(not color, square):
        if board.piece_type_at(attacker) in SLIDERS:
            without = board.copy(stack=False)
            without.remove_piece_at(attacker)
            if without.attackers(color, square):
                return False
    return True


def is_bad_square(board: chess.Board, square: chess.Square, color: chess.Color) -> bool:
    """Whether a piece of `color` on a square is attacked, and hanging or attacked by a piece of lower value."""
    attackers = board.attackers(not color, square)
    piece_type = board.piece_type_at(square)
    if not attackers or piece_type is None:
        return False
    return is_hanging(board, square, color) or any(
        value_on(board, attacker) < PIECE_VALUES[piece_type] for attacker in attackers)


def value_on(board: chess.Board, square: chess.Square) -> int:
    """The value of the piece on a square; 0 for none."""
    piece_type = board.piece_type_at(square)
    return 0 if piece_type is None else PIECE_VALUES[piece_type]
