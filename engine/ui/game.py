"""A game between a person and the engine: moves, clocks, take-backs, the outcome, and PGN.

Nothing here searches, waits or prints.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Self

import chess
import chess.pgn

from book.names import OpeningName
from engine.analysis.lookup import opening_name
from engine.analysis.pgn_reader import read_game_text
from engine.core.fen import START_FEN
from engine.core.game import Game as Rules
from engine.core.piece_values import PIECE_VALUES
from engine.system.errors import InputError
from engine.text.notation import START, parse_board_move, to_board
from engine.ui.clock import ChessClock, TimeControl, parse_time_control_tag

UNDECIDED, DRAWN = "*", "1/2-1/2"
_WINS = {chess.WHITE: "1-0", chess.BLACK: "0-1"}
_CHESS960_STARTS = 960
_PERSON, _PROGRAM = "human", "program"  # PGN's player types
_TIME_FORFEIT, _NORMAL, _UNTERMINATED = "time forfeit", "normal", "unterminated"  # PGN's terminations


class Termination(Enum):
    """Why a game is over, as displayed."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    REPETITION = "threefold repetition"
    FIFTY_MOVES = "fifty moves without a capture or a pawn move"
    MATERIAL = "neither side can mate"
    FLAG = "time"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"


@dataclass(frozen=True)
class GameOutcome:
    """The winner of a game and the reason."""

    winner: chess.Color | None  # None for a draw
    reason: Termination

    @property
    def result(self) -> str:
        """The result in PGN notation."""
        return DRAWN if self.winner is None else _WINS[self.winner]

    def __str__(self) -> str:
        if self.winner is None:
            return f"draw: {self.reason.value}"
        preposition = "on" if self.reason is Termination.FLAG else "by"
        return f"{chess.COLOR_NAMES[self.winner]} wins {preposition} {self.reason.value}"


@dataclass(frozen=True)
class PlayerInfo:
    """The name, type and rating of the player of one side."""

    name: str
    is_person: bool = True
    elo: int | None = None


def starting_board(fen: str | None = None, chess960: bool = False, number: int | None = None) -> chess.Board:
    """The starting position: from a FEN, by Chess960 number, or the standard one. InputError if it is invalid."""
    if number is not None:
        if not 0 <= number < _CHESS960_STARTS:
            raise InputError(f"the Chess960 number must be from 0 to {_CHESS960_STARTS - 1}, got {number}")
        return chess.Board.from_chess960_pos(number)
    return to_board(Rules(START_FEN if fen is None or fen == START else fen, chess960))


class PlayedGame:
    """One game. Actions that are not possible raise InputError and change nothing.

    The clock does not run before the first move, also when a saved game is resumed, so that no time is lost to
    setting up.
    """

    def __init__(self, board: chess.Board | None = None, control: TimeControl | None = None,
                 players: tuple[PlayerInfo, PlayerInfo] = (PlayerInfo("White"), PlayerInfo("Black")),
                 now: Callable[[], float] = time.monotonic) -> None:
        """`board` must have an empty move stack; `players` are White and Black."""
        self._board = chess.Board() if board is None else board.copy()
        self.white, self.black = players
        self.clock = None if control is None else ChessClock(control, now)
        self.date = f"{datetime.now(UTC).astimezone():%Y.%m.%d}"
        self._readings: list[int | None] = []  # the mover's clock after each move
        self._taken: list[chess.Piece | None] = []  # by each move
        self._names: list[OpeningName | None] = []  # of the position after each move
        self._outcome = self._end_on_board()

    @classmethod
    def from_pgn(cls, text: str, now: Callable[[], float] = time.monotonic) -> Self:
        """The first game of a PGN text, to be continued: main line, players, clocks. InputError if there is none."""
        record = read_game_text(text)
        tags = record.headers
        game = cls(record.board(), parse_time_control_tag(tags.get("TimeControl", "")),
                   (_player_info(tags, "White"), _player_info(tags, "Black")), now)
        game.date = tags.get("Date", game.date)
        for node in record.mainline():
            game._check_running()
            seconds = node.clock()
            game._push(node.move, None if seconds is None or game.clock is None else round(seconds * 1000))
            game._outcome = game._end_on_board()
        if game.clock is not None:
            game._set_clock(game.clock)
        if game.outcome is None:
            game._outcome = _claimed_outcome(tags)
        return game

    @property
    def board(self) -> chess.Board:
        """A copy of the board, with the moves that led to it."""
        return self._board.copy()

    @property
    def turn(self) -> chess.Color:
        """The side to move."""
        return self._board.turn

    @property
    def moves(self) -> tuple[chess.Move, ...]:
        """All moves since the start."""
        return tuple(self._board.move_stack)

    @property
    def readings(self) -> tuple[int | None, ...]:
        """The mover's clock after each move, in milliseconds; None if there was none."""
        return tuple(self._readings)

    def player(self, color: chess.Color) -> PlayerInfo:
        """The player of a side."""
        return self.white if color else self.black

    @property
    def outcome(self) -> GameOutcome | None:
        """The outcome; None while the game goes on. Reading it ends a game in which a flag has fallen."""
        if self._outcome is None and self.clock is not None and (loser := self.clock.flagged_side()) is not None:
            # By FIDE 6.9 it is a draw if the opponent cannot mate.
            winner = None if self._board.has_insufficient_material(not loser) else not loser
            self._finish(GameOutcome(winner, Termination.FLAG))
        return self._outcome

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    def read(self, text: str) -> chess.Move:
        """Parse a legal move in SAN or UCI text; InputError if there is none."""
        return parse_board_move(self._board, text)

    def push(self, move: chess.Move | str) -> chess.Move:
        """Make a move and press the clock. Return the move."""
        self._check_running()
        made = self.read(move) if isinstance(move, str) else move
        if not self._board.is_legal(made):
            raise InputError(f"{made.uci()} is not a legal move in {self._board.fen()}")
        mover = self._board.turn
        self._push(made, None if self.clock is None else self.clock.press(mover))
        self._outcome = self._end_on_board()
        return made

    def _push(self, move: chess.Move, reading: int | None) -> None:
        board = self._board
        captured_square = move.to_square
        if board.is_en_passant(move):
            captured_square = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        self._taken.append(board.piece_at(captured_square) if board.is_capture(move) else None)
        self._readings.append(reading)
        board.push(move)
        self._names.append(None if board.chess960 else opening_name(board))

    def can_take_back(self, color: chess.Color) -> bool:
        """Whether `color` has made a move."""
        return len(self.moves) > (self._board.turn == color)

    def take_back(self, color: chess.Color) -> int:
        """Return to the position before the last move of `color`; return how many plies were undone.

        The clocks are set back too, and a finished game continues.
        """
        if not self.can_take_back(color):
            raise InputError("there is no move to take back")
        count = 2 if self._board.turn == color else 1
        for _ in range(count):
            self._board.pop()
            self._readings.pop()
            self._taken.pop()
            self._names.pop()
        self._outcome = None
        if self.clock is not None:
            self._set_clock(self.clock)
            self.clock.start(self.turn)
        return count

    def _set_clock(self, clock: ChessClock) -> None:
        """Set both sides' clocks to what they had left after their last moves."""
        for color in chess.COLORS:
            mine = self._readings[::-1][0 if color != self.turn else 1 :: 2]
            left = next((reading for reading in mine if reading is not None), clock.control.base)
            clock.set(color, left)

    def resign(self, color: chess.Color) -> None:
        """End the game: `color` resigns."""
        self._check_running()
        self._finish(GameOutcome(not color, Termination.RESIGNATION))

    def agree_draw(self) -> None:
        """End the game: both sides agree to a draw."""
        self._check_running()
        self._finish(GameOutcome(None, Termination.AGREEMENT))

    def pause(self) -> None:
        """Stop the clock until `resume` or the next move."""
        if self.clock is not None:
            self.clock.stop()

    def resume(self) -> None:
        """Start the clock of the side to move, if a move has been made and the game is not over."""
        if self.clock is not None and self.moves and not self.is_over:
            self.clock.start(self.turn)

    def _check_running(self) -> None:
        if self.outcome is not None:
            raise InputError(f"the game is over, {self.outcome}")

    def _finish(self, outcome: GameOutcome) -> None:
        self._outcome = outcome
        self.pause()

    def _end_on_board(self) -> GameOutcome | None:
        """The outcome of the position by the rules; stops the clock if there is one."""
        board = self._board
        ends = ((board.is_checkmate, Termination.CHECKMATE), (board.is_stalemate, Termination.STALEMATE),
                (board.is_insufficient_material, Termination.MATERIAL), (board.is_fifty_moves, Termination.FIFTY_MOVES),
                (board.is_repetition, Termination.REPETITION))
        reason = next((reason for is_so, reason in ends if is_so()), None)
        if reason is None:
            return None
        self.pause()
        return GameOutcome(not board.turn if reason is Termination.CHECKMATE else None, reason)

    def taken(self, color: chess.Color) -> list[chess.PieceType]:
        """The types of the pieces that a side has lost, most valuable first."""
        lost = [piece.piece_type for piece in self._taken if piece is not None and piece.color == color]
        return sorted(lost, reverse=True)

    def lead(self) -> int:
        """The material balance in pawns, from White's point of view."""
        return sum((1 if piece.color else -1) * PIECE_VALUES[piece.piece_type]
                   for piece in self._board.piece_map().values())

    def opening_name(self) -> OpeningName | None:
        """The latest name of the opening."""
        return next((name for name in reversed(self._names) if name is not None), None)

    def opening(self) -> str:
        """The opening's ECO code and name, as in `C50 Italian Game`; empty if it has none."""
        name = self.opening_name()
        return "" if name is None else str(name)

    def numbered_moves(self) -> str:
        """All moves in SAN with their numbers: `1. e4 e5 2. Nf3`."""
        return self._board.root().variation_san(self._board.move_stack)

    def pgn(self) -> str:
        """The game as PGN, with the clocks after each move."""
        record = chess.pgn.Game()
        record.setup(self._board.root())
        record.headers.update(self.tags())
        if self._board.chess960:
            record.headers["Variant"] = "Chess960"
        node: chess.pgn.GameNode = record
        for move, reading in zip(self.moves, self._readings, strict=True):
            node = node.add_main_variation(move)
            if reading is not None:
                node.set_clock(reading / 1000)
        if (outcome := self.outcome) is not None:
            node.comment = f"{outcome} {node.comment}".strip()
        return f"{record}\n\n"

    def tags(self) -> dict[str, str]:
        """The tags of the game as PGN."""
        outcome = self.outcome
        tags = {"Event": "Casual game", "Site": "?", "Date": self.date, "Round": "-", "White": self.white.name,
                "Black": self.black.name, "Result": UNDECIDED if outcome is None else outcome.result}
        for color, player in (("White", self.white), ("Black", self.black)):
            tags[f"{color}Type"] = _PERSON if player.is_person else _PROGRAM
            if player.elo is not None:
                tags[f"{color}Elo"] = str(player.elo)
        if self.clock is not None:
            tags["TimeControl"] = self.clock.control.tag()
        eco, _, name = self.opening().partition(" ")
        if name:
            tags.update(ECO=eco, Opening=name)
        is_by_time = outcome is not None and outcome.reason is Termination.FLAG
        tags["Termination"] = _UNTERMINATED if outcome is None else _TIME_FORFEIT if is_by_time else _NORMAL
        return tags


def _player_info(tags: chess.pgn.Headers, color: str) -> PlayerInfo:
    elo = tags.get(f"{color}Elo", "")
    return PlayerInfo(tags.get(color, "?"), tags.get(f"{color}Type", _PERSON) != _PROGRAM,
                      int(elo) if elo.isascii() and elo.isdigit() and len(elo) <= 4 else None)


def _claimed_outcome(tags: chess.pgn.Headers) -> GameOutcome | None:
    """The outcome that the tags claim for a game that is not over by the rules."""
    winners = {result: winner for winner, result in _WINS.items()}
    result = tags.get("Result", UNDECIDED)
    is_by_time = tags.get("Termination", "") == _TIME_FORFEIT
    if result in winners:
        return GameOutcome(winners[result], Termination.FLAG if is_by_time else Termination.RESIGNATION)
    if result == DRAWN:
        return GameOutcome(None, Termination.FLAG if is_by_time else Termination.AGREEMENT)
    return None
