"""Requests of the page: JSON objects, each field checked for its type and range; InputError if one is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import chess

from engine.system.errors import InputError, quote
from engine.ui.game import starting_board

LONGEST_MESSAGE = 1 << 20  # bytes
MOST_PLIES = 1200  # of a line of moves
_LARGEST_NUMBER = 1 << 53  # that JavaScript represents exactly
_LONGEST_NAME = 20
_LONGEST_FEN = 120
_LONGEST_MOVE = 12

Message = Mapping[str, Any]


def read_message(text: str) -> tuple[str, Message]:
    """The name of a request, and the request."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError("the message is not valid JSON") from error
    if not isinstance(message, dict):
        raise InputError("the message must be a JSON object")
    return str_field(message, "type", _LONGEST_NAME), message


def str_field(message: Message, name: str, longest: int) -> str:
    """A field that is a string of at most `longest` characters."""
    value = message.get(name)
    if not isinstance(value, str):
        raise InputError(f"{name} must be a string")
    if len(value) > longest:
        raise InputError(f"{name} is too long: {len(value)} characters, at most {longest} are allowed")
    return value.encode("utf-8", "replace").decode()  # JSON can spell half a character, which could not be sent back


def int_field(message: Message, name: str, low: int, high: int, default: int | None = None) -> int:
    """A field that is an integer from `low` to `high`; `default` if it is missing."""
    value = message.get(name)
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InputError(f"{name} must be an integer from {low} to {high}")
    return value


def optional_int_field(message: Message, name: str) -> int | None:
    """A field that is an integer; None if it is missing."""
    value = message.get(name)
    if value is None:
        return None
    return int_field(message, name, -_LARGEST_NUMBER, _LARGEST_NUMBER)


def bool_field(message: Message, name: str) -> bool:
    """A field that is true or false; false if it is missing."""
    value = message.get(name)
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{name} must be true or false")
    return bool(value)


def enum_field(message: Message, name: str, choices: Sequence[str]) -> str:
    """A field that is one of `choices`."""
    value = message.get(name)
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}")
    return value


def enum_list_field(message: Message, name: str, choices: Sequence[str]) -> list[str]:
    """A field that lists some of `choices`, each once."""
    values = message.get(name)
    if not isinstance(values, list) or not values or len(values) > len(choices):
        raise InputError(f"{name} must list some of {', '.join(choices)}")
    if not all(isinstance(value, str) and value in choices for value in values) or len(set(values)) < len(values):
        raise InputError(f"{name} must list some of {', '.join(choices)}, each once")
    return list(values)


def object_field(message: Message, name: str) -> Message | None:
    """A field that is a JSON object; None if it is missing."""
    value = message.get(name)
    if value is not None and not isinstance(value, dict):
        raise InputError(f"{name} must be an object")
    return value


def fen_field(message: Message, name: str) -> str | None:
    """A field that is a FEN; None for the initial position."""
    return None if message.get(name) is None else str_field(message, name, _LONGEST_FEN)


def parse_board(message: Message, most_plies: int = MOST_PLIES) -> chess.Board:
    """The position of a request: its start, and the moves made since.

    Hundreds of moves take tens of milliseconds: too long for the event loop.
    """
    board = starting_board(fen_field(message, "start"), bool_field(message, "chess960"))
    moves = message.get("moves", [])
    if not isinstance(moves, list) or len(moves) > most_plies:
        raise InputError(f"moves must be a list of at most {most_plies}")
    for text in moves:
        if not isinstance(text, str) or len(text) > _LONGEST_MOVE:
            raise InputError("moves must be strings such as e2e4")
        board.push(parse_uci_move(board, text))
    return board


def parse_uci_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move of a UCI text; castling may name the king's destination or the rook's square."""
    try:
        move = chess.Move.from_uci(text)
    except ValueError:
        move = chess.Move.null()
    if move and board.is_legal(move):
        return board.parse_uci(text)  # castling in the board's own notation
    for castling in board.generate_castling_moves() if move else ():
        if move in (castling, king_destination_move(board, castling)):
            return castling
    raise InputError(f"{quote(text)} is not a legal move in {board.fen(shredder=board.chess960)}")


def king_destination_move(board: chess.Board, castling: chess.Move) -> chess.Move:
    """A castling move written with the king's destination."""
    is_short = castling.to_square > castling.from_square
    file = 6 if is_short else 2
    return chess.Move(castling.from_square, chess.square(file, chess.square_rank(castling.from_square)))
