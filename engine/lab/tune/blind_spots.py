"""`tune blind-spots FILE.pgn...`: how late a player sees that it is losing, and the positions where it did not."""

from __future__ import annotations

import argparse
import statistics

from engine.analysis.pgn_reader import read_games
from engine.cli.arguments import FloatRange, epd_file, in_file, positive, text
from engine.cli.output import print_warning
from engine.lab.arena.blind_spots import LostGame, lost_game, spread
from engine.system.errors import InputError
from engine.system.files import write_file

_CENTIPAWNS = 100


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE.pgn",
                        help="games of `match`, or others with the players' scores as comments")
    parser.add_argument("--player", type=text, required=True, metavar="NAME",
                        help="whose lost games: the name in the tags White and Black")
    parser.add_argument("--threshold", type=FloatRange(0.1, 20), default=1.0, metavar="PAWNS",
                        help="a score is decisive once it stays beyond this (default 1)")
    parser.add_argument("--per-game", type=positive, default=20, metavar="N",
                        help="at most this many positions from one game (default 20)")
    parser.add_argument("--out", type=epd_file, metavar="FILE.epd",
                        help="the positions, as openings for `selfplay`")


def run(arguments: argparse.Namespace) -> int:
    """Print the lag, write the positions, and return the exit status."""
    lost = _read_lost_games(arguments)
    lags = [game.lag for game in lost]
    print(f"{len(lost)} games lost by {arguments.player}: its score was decisive a median of "
          f"{statistics.median(lags):g} plies after the winner's, {statistics.mean(lags):.1f} on average")
    if arguments.out is not None:
        fens = dict.fromkeys(fen for game in lost for fen in spread(game.fens, arguments.per_game))
        write_file(arguments.out, "".join(f"{fen}\n" for fen in fens).encode())
        print(f"{len(fens)} positions in {arguments.out}")
    return 0


def _read_lost_games(arguments: argparse.Namespace) -> list[LostGame]:
    """The lost games of all files; InputError if there is none."""
    lost, names = [], set[str]()
    for path in arguments.data:
        for _, game in read_games(path):
            if isinstance(game, str):
                print_warning(f"skipped {game}")
                continue
            names |= {game.headers.get("White", "?"), game.headers.get("Black", "?")}
            found = lost_game(game, arguments.player, round(_CENTIPAWNS * arguments.threshold))
            lost += [] if found is None else [found]
    if arguments.player not in names:
        raise InputError(f"no games of {arguments.player}; the players are {', '.join(sorted(names)) or 'none'}")
    if not lost:
        raise InputError(f"no games that {arguments.player} lost with scores of the winner beyond the threshold")
    return lost
