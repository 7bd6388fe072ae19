"""Parse positions and moves as users write them: a FEN or `startpos` with moves; moves in SAN or UCI text.

python-chess is imported only where it is needed: a FEN, and moves as UCI text, are read without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.core.moves import NULL_MOVE
from engine.core.uci_moves import parse_uci as read_uci
from engine.system.errors import IllegalMoveError, InputError, quote

if TYPE_CHECKING:
    import chess

START = "startpos"
_MOVES = "moves"
_LONGEST_MOVE = 12  # characters of a move in any notation
_FEN_WITH_COUNTERS = re.compile(r"\s*((?:\S+\s+){3}\S+)\s+(\d{1,9})\s+(\d{1,9})\s*(?:;|\s|$)")
_MOVE_NUMBER = re.compile(r"\d+\.+")  # as in `1. e4 e5 2. Nf3`


def parse_position(text: str, chess960: bool = False) -> Game:
    """Parse `startpos` or a FEN, optionally followed by `moves MOVE ...`; InputError if it is invalid."""
    words = text.split()
    end = words.index(_MOVES) if _MOVES in words else len(words)
    fen = " ".join(words[:end])
    game = Game(START_FEN if fen == START else fen, chess960)
    play_moves(game, words[end + 1 :])
    return game


def read_epd(line: str, chess960: bool = False) -> tuple[chess.Board, dict[str, Any]]:
    """Parse a line of EPD into a board and its operations; ValueError if it is invalid.

    A FEN is accepted too, with or without operations after its two counters.
    """
    import chess

    board, fen = chess.Board(chess960=chess960), _FEN_WITH_COUNTERS.match(line)
    if fen is None:
        return board, board.set_epd(line.strip())
    operations = board.set_epd(f"{fen[1]} {line[fen.end():]}".strip())
    board.halfmove_clock, board.fullmove_number = int(fen[2]), max(int(fen[3]), 1)
    return board, operations


def play_moves(game: Game, texts: Iterable[str]) -> None:
    """Play moves in either notation, with or without move numbers; InputError at the first illegal one.

    A text may hold several moves.
    """
    for text in " ".join(texts).split():
        move = _MOVE_NUMBER.sub("", text)
        if move:
            game.push_uci(game.uci(parse_move(game, move)))


def parse_move(game: Game, text: str) -> int:
    """Parse a legal move in SAN or UCI text; InputError if there is none."""
    try:
        move = read_uci(game.position, text)
    except InputError:
        move = int(NULL_MOVE)
    if move == NULL_MOVE or move not in game.legal_moves():
        board = to_board(game)
        move = read_uci(game.position, board.uci(parse_board_move(board, text)))
    return move


def parse_board_move(board: chess.Board, text: str) -> chess.Move:
    """Parse a legal move of a board in SAN or UCI text, also in beginners' spelling; InputError if there is none.

    `E4`, `nf3`, `e2-e4`, `g1 f3`, `0-0` and `exd5!` are accepted. Where letters in the wrong case could mean two
    moves, as `bc3` may, the one as written comes first.
    """
    import chess

    written = text.strip().rstrip("!?")
    for form in dict.fromkeys((written, written[:1].upper() + written[1:].lower(), written.lower())):
        for parse in (board.parse_san, board.parse_uci):
            try:
                if move := parse(form):
                    return move
            except chess.AmbiguousMoveError as error:
                raise InputError(f"{quote(text)} could be {_alternatives(board, form)}") from error
            except ValueError:
                continue
    loose = _bare(written)
    for move in board.legal_moves if len(loose) <= _LONGEST_MOVE else ():
        if loose in (_bare(board.san(move)), _bare(board.uci(move))):
            return move
        if move.promotion and loose in (_bare(board.san(move))[:-1], board.uci(move)[:-1]):
            raise InputError(f"{quote(text)} promotes a pawn: name the new piece, as in {board.san(move)}")
    raise IllegalMoveError(f"{quote(text)} is not a legal move in {board.fen(shredder=board.chess960)}")


def _bare(text: str) -> str:
    """The letters and digits of a move in lower case, without `x`; castling is written with letters."""
    bare = "".join(letter for letter in text.lower() if letter.isalnum()).replace("0", "o")
    return bare if set(bare) == {"o"} else bare.replace("x", "")


def _alternatives(board: chess.Board, text: str) -> str:
    """The moves that an ambiguous text may mean: `Nbd2 or Nfd2`."""
    piece, target = text[:1], re.sub(r"[^a-h1-8]", "", text)[-2:]
    return " or ".join(board.san(move) for move in board.legal_moves
                       if board.uci(move)[2:4] == target and board.san(move).startswith(piece))


def to_board(game: Game) -> chess.Board:
    """The position as a python-chess board, without its history."""
    import chess

    is_chess960 = bool(game.position.chess960)
    return chess.Board(game.fen(shredder=is_chess960), chess960=is_chess960)


def to_board_with_history(game: Game) -> chess.Board:
    """The position as a python-chess board, with the moves that led to it."""
    cursor = game.start_position()
    board = to_board(cursor)
    for move in game.moves:
        text = cursor.uci(move)
        cursor.push_uci(text)
        board.push_uci(text)
    return board


def san(game: Game, move: int) -> str:
    """A legal move in the game's position as SAN; "-" for none."""
    if move == NULL_MOVE:
        return "-"
    board = to_board(game)
    return board.san(board.parse_uci(game.uci(move)))


def san_line(game: Game, texts: Iterable[str]) -> str:
    """A line of moves, given as UCI text, as SAN with move numbers: `1. e4 e5 2. Nf3`."""
    import chess

    board = to_board(game)
    return board.variation_san([chess.Move.from_uci(text) for text in texts])
