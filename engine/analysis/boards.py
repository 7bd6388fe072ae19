"""Convert python-chess boards to the engine's positions: by FEN and moves for searches, by bitboards to evaluate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chess
import numpy as np

from engine.alphabeta.evaluation import evaluate_raw, reset_eval_stack
from engine.alphabeta.state import STATE_TYPE
from engine.core.attacks import is_attacked
from engine.core.bits import BIT, BLACK, EMPTY, KING, NO_SQUARE, PAWN, ROOK, WHITE, clear_lsb, lsb, popcount
from engine.core.game import Game
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.position import (
    POSITION_TYPE,
    PositionRecord,
    castling_index,
    king_square,
    legal_en_passant_square,
    occupied_squares,
)
from engine.core.setup import compute_keys
from engine.kernel import Int, array_type, entry, int64, kernel
from engine.kernel.intrinsics import record_reader
from engine.search.scores import DRAW, MATE, NO_SCORE
from engine.system.errors import InputError, quote

PackedBoard = np.ndarray[Any, np.dtype[np.uint64]]

WORDS = 14  # of a board, see `pack_board`
_FIRST_RANK = np.uint64(0xFF)
_END_RANKS = np.uint64(0xFF00_0000_0000_00FF)  # the first and last rank
_CORNERS = np.uint64(0x81)
_KING_FILE = np.int64(4)
_SIDE, _CASTLING, _EN_PASSANT, _RULE50, _CHESS960 = range(9, WORDS)
_WHITE, _BLACK = 7, 8
_STANDARD = "chess"
_LONGEST_HISTORY = 600  # plies: few games are longer, and replaying thousands for every position would take minutes
_LARGEST_COUNTER = 9999  # of a FEN: halfmoves and fullmoves
_REPETITION_HISTORY = 150  # plies kept of such a game at most: the seventy-five-move rule ends it there

_position_at, _state_at = record_reader(POSITION_TYPE), record_reader(STATE_TYPE)


def to_board(position: chess.Board | str) -> chess.Board:
    """A board, or the board of a FEN; InputError if it is neither."""
    if isinstance(position, chess.Board):
        return position
    if not isinstance(position, str):
        raise InputError(f"expected a chess.Board or a FEN, got {quote(repr(position))}")
    try:
        return chess.Board(position)
    except ValueError as error:
        raise InputError(f"{position!r} is not a FEN: {error}") from error


def fen_and_moves(board: chess.Board) -> tuple[str, list[str]]:
    """A FEN and moves that lead from it to the board, so that repetitions count.

    They are those of the whole game, or of its last part if it is very long. There are no moves if the stack has a null
    move, or if the caller has edited the board so that the moves no longer lead to it.
    """
    check_variant(board)
    board = recent_board(board)
    root = board.root()
    if all(board.move_stack) and _leads_to(root.copy(stack=False), board):
        return root.fen(shredder=board.chess960), [move.uci() for move in board.move_stack]
    return board.fen(shredder=board.chess960), []


def to_position(board: chess.Board) -> PositionRecord:
    """The engine's record of a board's position; InputError if it is illegal."""
    fen, moves = fen_and_moves(board)
    return Game(fen, board.chess960, moves).position


def recent_board(board: chess.Board) -> chess.Board:
    """The board itself; if it has a very long move stack, a copy with only those moves that may be repeated, and if its
    counters are larger than a FEN may say, a copy with smaller ones.
    """
    recent = board
    if len(board.move_stack) > _LONGEST_HISTORY:
        recent = board.copy(stack=1 + min(board.halfmove_clock, _REPETITION_HISTORY))
    limited = recent.root()  # whose halfmove clock may be larger than that after a capture
    if max(limited.halfmove_clock, recent.halfmove_clock, recent.fullmove_number) < _LARGEST_COUNTER:
        return recent
    limited.halfmove_clock = min(limited.halfmove_clock, _LARGEST_COUNTER - len(recent.move_stack))
    limited.fullmove_number = min(limited.fullmove_number, _LARGEST_COUNTER - len(recent.move_stack))
    for move in recent.move_stack:
        limited.push(move)
    return limited


def _leads_to(cursor: chess.Board, board: chess.Board) -> bool:
    """Whether the move stack of `board`, played on `cursor`, leads to the same position."""
    for move in board.move_stack:
        if not cursor.is_pseudo_legal(move):
            return False
        cursor.push(move)
    return cursor == board


def check_variant(board: chess.Board) -> None:
    """InputError if it is not a board, or its rules are not those of chess or Chess960."""
    if not isinstance(board, chess.Board):
        raise InputError(f"expected a chess.Board, got {quote(repr(board))}")
    if board.uci_variant != _STANDARD:
        raise InputError(f"unsupported variant {board.uci_variant!r}: only chess and Chess960 are supported")


def record_address(record: Any, field: str) -> int:
    """The address of a record; `field` is one of its arrays."""
    address: int = record[field].ctypes.data - record.dtype.fields[field][1]
    return address


def pack_board(board: chess.Board, words: PackedBoard) -> None:
    """Write a board into `words` for `evaluate_packed`; InputError if a field of it is out of range."""
    ep = board.ep_square
    try:
        is_valid = board.halfmove_clock >= 0 and (ep is None or 0 <= ep < NO_SQUARE)
        words[:] = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, 0,
                    board.occupied_co[True], board.occupied_co[False], not board.turn, board.castling_rights,
                    NO_SQUARE if ep is None else ep, min(board.halfmove_clock, 100), board.chess960)
    except (OverflowError, TypeError, ValueError):
        is_valid = False
    if not is_valid:
        raise InputError(f"{board.board_fen()} is not a legal position: its halfmove clock is "
                         f"{quote(repr(board.halfmove_clock))}, its en passant square {quote(repr(ep))}")


@entry(int64, int64, array_type("u8"))
def evaluate_packed(position_address: int, state_address: int, words: PackedBoard) -> Int:
    """Set up the position in `words` and return its static evaluation, from the side to move's point of view.

    Both records are passed by address, because Numba takes longer to unbox a large record than to evaluate it.
    Returns -MATE for checkmate and DRAW for stalemate; NO_SCORE if a king is missing or could be captured, or if a pawn
    stands on the first or last rank.
    """
    pos, state = _position_at(position_address), _state_at(state_address)
    for piece_type in range(6):
        pos.types[piece_type + 1] = words[piece_type]
    pos.colors[WHITE], pos.colors[BLACK] = words[_WHITE], words[_BLACK]
    kings = pos.types[KING]
    if popcount(kings & words[_WHITE]) != 1 or popcount(kings & words[_BLACK]) != 1 or words[0] & _END_RANKS != EMPTY:
        return NO_SCORE
    _fill_board(pos)
    us = np.int64(words[_SIDE])
    pos.side = us
    pos.rule50 = words[_RULE50]
    if is_attacked(pos, king_square(pos, us ^ 1), occupied_squares(pos), us):
        return NO_SCORE
    pos.chess960 = words[_CHESS960]
    pos.ply = pos.last_null = 0
    pos.castling = 0
    pos.ep = words[_EN_PASSANT]
    if pos.ep != NO_SQUARE:
        pos.ep = legal_en_passant_square(pos, np.int64(pos.ep), us)
    checkers, pinned = checkers_and_pinned(pos)
    has_moves = generate(pos, state.move_list, np.int64(0), ALL_MOVES, checkers, pinned) > 0
    if checkers != EMPTY and not has_moves:
        return -MATE
    pos.castling = _rights(pos, words[_CASTLING])
    if not has_moves and pos.castling >> 2 * us & 3 == 0:  # in Chess960 castling may be the only move
        return DRAW
    compute_keys(pos)
    reset_eval_stack(pos, state, np.int64(0))
    return evaluate_raw(pos, state, np.int64(0))


@kernel
def _fill_board(pos):
    """Fill `board` from the bitboards."""
    pos.board[:] = 0
    for color in range(2):
        for piece_type in range(PAWN, KING + 1):
            squares = pos.types[piece_type] & pos.colors[color]
            while squares != EMPTY:
                pos.board[lsb(squares)] = 8 * color + piece_type
                squares = clear_lsb(squares)


@kernel
def _rights(pos, rooks):
    """The castling rights of a set of rooks; rooks that cannot castle are ignored."""
    rights = 0
    for color in range(2):
        rank = _FIRST_RANK << np.int64(56 * color)
        king = lsb(pos.types[KING] & pos.colors[color])
        if (BIT << king) & rank == EMPTY or (pos.chess960 == 0 and king & 7 != _KING_FILE):
            continue
        castling_rooks = rooks & rank & pos.types[ROOK] & pos.colors[color]
        if pos.chess960 == 0:
            castling_rooks &= _CORNERS << np.int64(56 * color)
        while castling_rooks != EMPTY:
            rights |= 1 << castling_index(color, king, lsb(castling_rooks))
            castling_rooks = clear_lsb(castling_rooks)
    return rights


def ends_in_mate(board: chess.Board, line: Iterable[chess.Move]) -> bool:
    """Whether a line ends in checkmate."""
    end = board.copy(stack=False)
    for move in line:
        end.push(move)
    return end.is_checkmate()
