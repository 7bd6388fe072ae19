"""`play`: a game against the engine, on a board in the terminal.

Every move is kept in a file as soon as it is made, so that no game is lost, however it ends.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass

import chess

from engine.commands.shared.arguments import IntRange, conflicts_with, in_file, text
from engine.commands.shared.interruption import stop_on_interrupt
from engine.system.errors import InputError, quote
from engine.system.files import read_text
from engine.ui.clock import TimeControl, parse_time_control
from engine.ui.game import PlayedGame, PlayerInfo, game_from_pgn, starting_board
from engine.ui.opponent import HIGHEST, LOWEST, EngineOpponent, engine_info
from engine.ui.terminal.screen import InputLines, screen_for
from engine.ui.terminal.session import NewGameOptions, TerminalSession

_DEFAULT_LEVEL, _MAX = 1200, "max"
_SIDES = {"white": chess.WHITE, "black": chess.BLACK, "random": None}
_LARGEST_PGN = 1 << 24  # bytes
_CHESS960_STARTS = 960
_PERSON = "You"


@dataclass(frozen=True)
class LevelKind:
    """How strong the engine is to be: a number, or the best it can."""

    def __call__(self, text: str) -> int | None:
        """The level, None for the best; ArgumentTypeError if it is none."""
        return None if text == _MAX else IntRange(LOWEST, HIGHEST)(text)


@dataclass(frozen=True)
class ControlKind:
    """A time control as people write it."""

    def __call__(self, text: str) -> TimeControl:
        """The control; ArgumentTypeError if it is none."""
        try:
            return parse_time_control(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--level", type=LevelKind(), default=_DEFAULT_LEVEL, metavar="ELO",
                        help=f"{LOWEST} for a beginner to {HIGHEST}, or `{_MAX}` (default {_DEFAULT_LEVEL})")
    parser.add_argument("--side", choices=_SIDES, help="yours (default: white, or what a saved game says)")
    parser.add_argument("--clock", type=ControlKind(), metavar="M+S",
                        help="minutes per game + seconds per move, as in 5+3 (default: no clock)")
    parser.add_argument("--fen", type=text, metavar="FEN", help="begin with this position")
    conflicts_with(parser.add_argument("--chess960", nargs="?", type=IntRange(0, _CHESS960_STARTS - 1), const=-1,
                                       metavar="N",
                                       help="play Chess960, from start N or any; with --fen its castling rules"),
                   "--pgn")
    saved = parser.add_argument("--pgn", type=in_file, metavar="FILE", help="go on with the first game of this file")
    conflicts_with(saved, "--fen")
    conflicts_with(saved, "--clock")
    parser.add_argument("--no-delay", action="store_true", help="let the engine answer at once, not as a person would")
    parser.add_argument("--ascii", action="store_true", help="letters instead of chess symbols")


def run(arguments: argparse.Namespace) -> int:
    """Play until the person leaves."""
    board = _starting_board(arguments)  # complains before anything is loaded
    going_on = None if arguments.pgn is None else _going_on(arguments)
    screen = screen_for(sys.stdout, False if arguments.ascii else None)

    def begin(person: chess.Color) -> PlayedGame:
        engine, other = engine_info(arguments.level), PlayerInfo(_PERSON)
        start = _starting_board(arguments) if arguments.chess960 == -1 else board
        return PlayedGame(start, arguments.clock, (other, engine) if person else (engine, other))

    side = _SIDES[arguments.side or "white"]
    has_pauses = not arguments.no_delay and sys.stdout.isatty()
    with EngineOpponent(arguments.level) as opponent:
        dialogue = TerminalSession(NewGameOptions(begin, side, has_pauses), opponent, screen, InputLines(), going_on)
        with stop_on_interrupt(dialogue.interrupt):
            dialogue.run()
    return 0


def _starting_board(arguments: argparse.Namespace) -> chess.Board:
    number = arguments.chess960
    if arguments.fen is not None:
        if number not in (None, -1):
            raise InputError("--fen and the number of a Chess960 start exclude each other")
        return starting_board(arguments.fen, chess960=number is not None)
    if number is None:
        return starting_board()
    return starting_board(number=random.randrange(_CHESS960_STARTS) if number == -1 else number)  # noqa: S311  a game


def _going_on(arguments: argparse.Namespace) -> tuple[PlayedGame, chess.Color]:
    """The saved game, with this level's engine in it, and the person's side."""
    try:
        game = game_from_pgn(read_text(arguments.pgn, _LARGEST_PGN))
    except InputError as error:
        raise InputError(f"{quote(str(arguments.pgn))}: {error}") from error
    programs = [color for color in chess.COLORS if not game.seat(color).is_person]
    person = not programs[0] if len(programs) == 1 else game.turn
    if arguments.side is not None:
        side = _SIDES[arguments.side]
        person = random.choice(chess.COLORS) if side is None else side  # noqa: S311
    people = PlayerInfo(_PERSON) if not game.seat(person).is_person else game.seat(person)
    seats = {person: people, (not person): engine_info(arguments.level)}
    game.white, game.black = seats[chess.WHITE], seats[chess.BLACK]
    return game, person
