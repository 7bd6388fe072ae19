"""The board as text, and the panel next to it: players, clocks, captured pieces, moves."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import chess

from engine.analysis.results import Score
from engine.ui.clock import format_time
from engine.ui.game import PlayedGame

_SOLID = dict(zip(chess.PIECE_TYPES, "♟♞♝♜♛♚", strict=True))  # solid symbols, where the colour shows the side
_OUTLINED = dict(zip(chess.PIECE_TYPES, "♙♘♗♖♕♔", strict=True))  # for White, where there are no colours
_LETTERS = dict(zip(chess.PIECE_TYPES, "pnbrqk", strict=True))
PANEL_WIDTH = 40  # columns, at least
_MIDDLE_LINES = 4  # of the opening, whose name takes at most three, and the moves
_EARLIER = "... "  # before the moves, where earlier ones are left out
BAR_ROWS = 8
_TIE = "\0"  # between a number and its move, to keep them on one line


@dataclass(frozen=True)
class View:
    """A game and how to display it."""

    game: PlayedGame
    bottom: chess.Color  # the side at the bottom
    has_symbols: bool  # chess symbols, or letters
    score: Score | None = None  # White's, if the evaluation is displayed


@dataclass(frozen=True)
class Square:
    """A square as displayed."""

    piece: chess.Piece | None
    is_light: bool
    is_last: bool  # from-square or to-square of the last move
    is_check: bool


def rows(view: View) -> Iterator[tuple[int, list[Square]]]:
    """The ranks from top to bottom, each with its number and its squares from left to right."""
    board = view.game.board
    last = board.move_stack[-1] if board.move_stack else None
    checked = board.king(board.turn) if board.is_check() else None
    bottom_up = list(range(8)) if view.bottom else list(range(7, -1, -1))
    for rank in reversed(bottom_up):
        squares = [chess.square(file, rank) for file in bottom_up]
        yield rank + 1, [Square(board.piece_at(square), bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square]),
                                last is not None and square in (last.from_square, last.to_square), square == checked)
                         for square in squares]


def files(view: View) -> str:
    """The file letters below the board, from left to right."""
    return "abcdefgh" if view.bottom else "hgfedcba"


def piece_text(piece: chess.Piece, has_symbols: bool, is_coloured: bool) -> str:
    """A piece as one character."""
    if not has_symbols:
        letter = _LETTERS[piece.piece_type]
        return letter.upper() if piece.color else letter
    return (_OUTLINED if piece.color and not is_coloured else _SOLID)[piece.piece_type]


def plain_board(view: View) -> Iterator[str]:
    """The board without colours, line by line: [last move], !king in check!."""
    for rank, squares in rows(view):
        cells = []
        for square in squares:
            text = "." if square.piece is None else piece_text(square.piece, view.has_symbols, is_coloured=False)
            cells.append(f"!{text}!" if square.is_check else f"[{text}]" if square.is_last else f" {text} ")
        yield f" {rank} {''.join(cells)}"
    yield "    " + "  ".join(files(view))


def panel(view: View, width: int = PANEL_WIDTH) -> list[str]:
    """The lines next to the board: one for each rank, and one for the file letters.

    The name of the opening is shown in full, and of the moves those that there is room for, the last ones.
    """
    game = view.game
    opening = textwrap.wrap(game.opening(), width) or [""]
    moves = [line.replace(_TIE, " ") for line in textwrap.wrap(game.numbered_moves().replace(". ", f".{_TIE}"),
                                                               width - len(_EARLIER))]
    room = _MIDDLE_LINES - len(opening)
    if len(moves) > room:
        moves = moves[-room:]
        moves[0] = _EARLIER + moves[0]
    middle = [*opening, *moves, *[""] * (room - len(moves))]
    score = "" if view.score is None else f"evaluation {view.score}"
    return [_player(view, not view.bottom), _taken_by(view, not view.bottom), *middle, _taken_by(view, view.bottom),
            _player(view, view.bottom), score]


def _player(view: View, color: chess.Color) -> str:
    """The player of a side and the time left."""
    clock = view.game.clock
    mark = ">" if view.game.turn == color and not view.game.is_over else " "
    time = "" if clock is None else f"  {format_time(clock.left(color))}"
    return f"{mark} {view.game.player(color).name}{time}"


def _taken_by(view: View, color: chess.Color) -> str:
    """The pieces that a side has captured, and its lead in pawns."""
    lost = view.game.taken(not color)
    pieces = "".join(piece_text(chess.Piece(piece_type, not color), view.has_symbols, is_coloured=False)
                     for piece_type in lost)
    lead = view.game.lead() if color else -view.game.lead()
    return f"  {pieces}" + (f" +{lead}" if lead > 0 else "")


def bar_rows(score: Score) -> int:
    """The number of White's rows in an evaluation bar."""
    return round(BAR_ROWS * score.expected)
