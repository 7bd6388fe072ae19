"""`play`: a game against the engine, on a board in the terminal.

The game is saved after every move, so that it can be resumed however the program ends.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass

import chess

from engine.cli.arguments import IntRange, conflicts_with, in_file, text
from engine.cli.interruption import stop_on_interrupt
from engine.system.errors import InputError, quote
from engine.system.files import read_pgn_text
from engine.ui.clock import TimeControl, parse_time_control
from engine.ui.game import PlayedGame, PlayerInfo, starting_board
from engine.ui.level import HIGHEST, LOWEST, MAX, parse_level
from engine.ui.opponent import EngineOpponent, engine_info
from engine.ui.terminal.screen import InputLines, screen_for
from engine.ui.terminal.session import NewGameOptions, TerminalSession

_DEFAULT_LEVEL = 1200
_SIDES = {"white": chess.WHITE, "black": chess.BLACK, "random": None}
_LARGEST_PGN = 1 << 24  # bytes
_CHESS960_STARTS = 960
_PERSON = "You"


@dataclass(frozen=True)
class LevelArgument:
    """The engine's level: an Elo number, or `max`."""

    def __call__(self, text: str) -> int | None:
        """Parse a level; None for full strength. ArgumentTypeError if it is invalid."""
        try:
            return parse_level(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error


@dataclass(frozen=True)
class TimeControlArgument:
    """A time control such as 5+3."""

    def __call__(self, text: str) -> TimeControl:
        """Parse a time control; ArgumentTypeError if it is invalid."""
        try:
            return parse_time_control(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--level", type=LevelArgument(), default=argparse.SUPPRESS, metavar="ELO",
                        help=f"{LOWEST} for a beginner to {HIGHEST}, or `{MAX}` (default {_DEFAULT_LEVEL}, or the "
                             "engine's in a saved game)")
    parser.add_argument("--side", choices=_SIDES, help="your side (default: white, or your side in a saved game)")
    parser.add_argument("--clock", type=TimeControlArgument(), metavar="M+S",
                        help="minutes per game + seconds per move, as in 5+3 (default: no clock)")
    parser.add_argument("--fen", type=text, metavar="FEN", help="start from this position")
    conflicts_with(parser.add_argument("--chess960", nargs="?", type=IntRange(0, _CHESS960_STARTS - 1), const=-1,
                                       metavar="N",
                                       help="play Chess960 from position N or a random one; with --fen, its castling"),
                   "--pgn")
    saved = parser.add_argument("--pgn", type=in_file, metavar="FILE", help="continue the first game of this file")
    conflicts_with(saved, "--fen")
    conflicts_with(saved, "--clock")
    parser.add_argument("--no-delay", action="store_true", help="let the engine answer without a human-like delay")
    parser.add_argument("--manners", action="store_true",
                        help="let the engine resign when it sees no hope, and offer draws")
    parser.add_argument("--ascii", action="store_true", help="letters instead of chess symbols")


def run(arguments: argparse.Namespace) -> int:
    """Play until the user quits."""
    board = _starting_board(arguments)  # reports errors before anything is loaded
    saved = None if arguments.pgn is None else _saved_game(arguments)
    level = _level(arguments, saved)
    resumed = None if saved is None else _resumed_game(arguments, saved, level)
    screen = screen_for(sys.stdout, False if arguments.ascii else None)

    def begin(person: chess.Color, level: int | None) -> PlayedGame:
        engine, user = engine_info(level), PlayerInfo(_PERSON)
        start = _starting_board(arguments) if arguments.chess960 == -1 else board
        return PlayedGame(start, arguments.clock, (user, engine) if person else (engine, user))

    side = _SIDES[arguments.side or "white"]
    has_delay = not arguments.no_delay and sys.stdout.isatty()
    with EngineOpponent(level) as opponent:
        options = NewGameOptions(begin, side, has_delay, arguments.manners)
        session = TerminalSession(options, opponent, screen, InputLines(), resumed)
        with stop_on_interrupt(session.interrupt):
            session.run()
    return 0


def _starting_board(arguments: argparse.Namespace) -> chess.Board:
    number = arguments.chess960
    if arguments.fen is not None:
        if number not in (None, -1):
            raise InputError("--fen and a Chess960 number exclude each other")
        return starting_board(arguments.fen, chess960=number is not None)
    if number is None:
        return starting_board()
    return starting_board(number=random.randrange(_CHESS960_STARTS) if number == -1 else number)  # noqa: S311  a game


def _saved_game(arguments: argparse.Namespace) -> PlayedGame:
    try:
        return PlayedGame.from_pgn(read_pgn_text(arguments.pgn, _LARGEST_PGN))
    except InputError as error:
        raise InputError(f"{quote(str(arguments.pgn))}: {error}") from error


def _level(arguments: argparse.Namespace, saved: PlayedGame | None) -> int | None:
    """The level that the user names, otherwise the engine's in the saved game, otherwise the default."""
    level: int | None = getattr(arguments, "level", _DEFAULT_LEVEL)
    if "level" in arguments or saved is None:
        return level
    engines = [player.elo for player in (saved.white, saved.black)
               if player == engine_info(player.elo) and (player.elo is None or LOWEST <= player.elo <= HIGHEST)]
    return engines[0] if engines else level


def _resumed_game(arguments: argparse.Namespace, game: PlayedGame,
                  level: int | None) -> tuple[PlayedGame, chess.Color]:
    """The saved game, with the engine at this level, and the user's side."""
    programs = [color for color in chess.COLORS if not game.player(color).is_person]
    person = not programs[0] if len(programs) == 1 else game.turn
    if arguments.side is not None:
        side = _SIDES[arguments.side]
        person = random.choice(chess.COLORS) if side is None else side  # noqa: S311
    user = PlayerInfo(_PERSON) if not game.player(person).is_person else game.player(person)
    players = {person: user, (not person): engine_info(level)}
    game.white, game.black = players[chess.WHITE], players[chess.BLACK]
    return game, person
