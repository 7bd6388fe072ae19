"""`tune yardstick FILE.pgn...`: one position of each game, for `tune judge --yardstick`.

Evaluation errors within a game are strongly correlated, so a second position of the same game adds little. Games
against other engines, which no network was trained on, lead to positions that self-play does not know.
"""

from __future__ import annotations

import argparse
import random

import chess
import chess.pgn

from engine.analysis.pgn_reader import read_games
from engine.cli.arguments import IntRange, add_seed, epd_file, in_file
from engine.cli.output import print_warning
from engine.system.errors import InputError
from engine.system.files import write_file

_FIRST_PLY = 16


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE.pgn", help="games, of `match` for instance")
    parser.add_argument("--first-ply", type=IntRange(0), default=_FIRST_PLY, metavar="N",
                        help=f"plies of each game to skip (default {_FIRST_PLY})")
    parser.add_argument("--out", type=epd_file, required=True, metavar="FILE.epd", help="the positions")
    add_seed(parser, "which position of a game is taken")


def run(arguments: argparse.Namespace) -> int:
    """Write the positions, and return the exit status."""
    generator, epds, count = random.Random(arguments.seed), dict[str, None](), 0  # noqa: S311  no secret
    for path in arguments.data:
        for _, game in read_games(path):
            if isinstance(game, str):
                print_warning(f"skipped {game}")
                continue
            count += 1
            quiet = quiet_positions(game, arguments.first_ply)
            if quiet:
                epds[generator.choice(quiet)] = None
    if not epds:
        raise InputError(f"no quiet position after ply {arguments.first_ply} in any of {count} games")
    write_file(arguments.out, "".join(f"{epd}\n" for epd in epds).encode())
    print(f"{len(epds)} positions of {count} games in {arguments.out}")
    return 0


def quiet_positions(game: chess.pgn.Game, first_ply: int) -> list[str]:
    """The positions of a game from a ply on that are not in check, and that no capture or promotion follows."""
    board, positions = game.board(), []
    for ply, move in enumerate(game.mainline_moves()):
        if ply >= first_ply and not (board.is_check() or board.is_capture(move) or move.promotion):
            positions.append(board.epd(shredder=board.chess960))
        board.push(move)
    return positions
