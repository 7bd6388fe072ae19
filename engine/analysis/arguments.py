"""The arguments of the Python interface, checked: each is converted, or refused by an InputError of one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import chess
import chess.pgn
import numpy as np

from engine.analysis.pgn_reader import main_line_problem
from engine.player.options import Option, Value, find_option
from engine.player.request import GoRequest
from engine.system.errors import InputError, quote
from engine.text.notation import parse_board_move


def to_move(board: chess.Board, move: chess.Move | str) -> chess.Move:
    """A legal move of a board, given as such or in SAN or UCI notation."""
    if isinstance(move, str):
        return parse_board_move(board, move)
    if not isinstance(move, chess.Move):
        raise InputError(f"expected a chess.Move, or a move in SAN or UCI notation, got {quote(repr(move))}")
    if not board.is_legal(move):
        raise InputError(f"{move.uci()} is not a legal move in {board.fen(shredder=board.chess960)}")
    return board.parse_uci(board.uci(move))  # castling as this board writes it


def _to_moves(board: chess.Board, moves: Iterable[chess.Move | str]) -> tuple[str, ...]:
    """Some legal moves of a board in UCI notation."""
    listed = [] if isinstance(moves, str) or not isinstance(moves, Iterable) else list(moves)
    if not listed:
        raise InputError(f"moves must be a list of at least one move, got {quote(repr(moves))}")
    return tuple(board.uci(to_move(board, move)) for move in listed)


def check_game(game: chess.pgn.Game) -> None:
    """InputError if a game cannot be annotated."""
    if not isinstance(game, chess.pgn.Game):
        raise InputError(f"expected a chess.pgn.Game, got {quote(repr(game))}")
    problem = main_line_problem(game)
    if problem is not None:
        raise InputError(f"the game cannot be annotated: {problem}")


def option_values(options: Mapping[str, Value] | None) -> dict[Option, Value]:
    """The values of UCI options that are given by name; text stands for a value as it does in UCI."""
    if options is not None and not isinstance(options, Mapping):
        raise InputError(f"options must be a dict of names and values, got {quote(repr(options))}")
    for name in options or {}:
        if not isinstance(name, str):
            raise InputError(f"options must be named by strings, got {quote(repr(name))}")
    named = [(find_option(name), value) for name, value in (options or {}).items()]
    return {option: value if isinstance(value, int) else option.read(str(value)) for option, value in named}


def analysis_request(board: chess.Board, movetime: int | None, depth: int | None, nodes: int | None,
                     moves: Iterable[chess.Move | str] | None) -> GoRequest:
    """A search within these limits, of all moves or of some; each of its iterations is reported."""
    return _limited(movetime, depth, nodes, () if moves is None else _to_moves(board, moves))


def play_request(movetime: int | None, depth: int | None, nodes: int | None, clocks: tuple[int, int] | None,
                 increments: tuple[int, int]) -> GoRequest:
    """A search for the move to play, which needs a limit."""
    request = _limited(movetime, depth, nodes)
    if clocks is not None:
        if not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in (clocks, increments)):
            raise InputError("clocks and increments must be two numbers each, White's and Black's")
        for value in (*clocks, *increments):
            _check_number("a clock", value, 0)
        return GoRequest(clocks, increments, movetime=movetime, depth=depth, nodes=nodes)
    if request.infinite:
        raise InputError("play needs movetime, depth, nodes or clocks")
    return request


def _limited(movetime: int | None, depth: int | None, nodes: int | None, moves: tuple[str, ...] = ()) -> GoRequest:
    limits = {"movetime": movetime, "depth": depth, "nodes": nodes}
    for name, value in limits.items():
        if value is not None:
            _check_number(name, value, 1)
    is_unlimited = all(value is None for value in limits.values())
    return GoRequest(movetime=movetime, depth=depth, nodes=nodes, infinite=is_unlimited, search_moves=moves,
                     reports_all=True)


def _check_number(name: str, value: object, least: int) -> None:
    """InputError unless the value is a whole number that is large enough; NumPy's integers are whole numbers too."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {quote(repr(value))}")
