"""`compare tournament` and `compare ladder`: the arguments, and what is printed of the games."""

from __future__ import annotations

import argparse
import sys

from engine.cli.arguments import (
    IntList,
    OutputFile,
    add_concurrency,
    add_seed,
    in_file,
    milliseconds,
    positive,
    text,
)
from engine.cli.output import add_json, pluralize, print_object
from engine.lab.arena.participants import MODE_NAMES, MoveBudget, Unit, parse_participants
from engine.lab.compare import standings
from engine.lab.compare.plots import add_plots, save_and_print
from engine.lab.compare.round_robin import FORMAT, Tournament, play, ratings
from engine.mcts.params import LADDER

_MOVE_TIME = 100  # milliseconds
_GAMES = 2  # of each pairing
_HAS_FORFEITS = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `tournament`."""
    parser.add_argument("--player", action="append", type=text, metavar="PLAYER",
                        help="a mode, or a config as in `match`; may be repeated (default: all modes)")
    _configure_games(parser)


def configure_ladder(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `ladder`, whose players are known."""
    parser.set_defaults(player=list(LADDER))
    _configure_games(parser)


def _configure_games(parser: argparse.ArgumentParser) -> None:
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--time", type=IntList(milliseconds), default=(_MOVE_TIME,), metavar="MS[,MS...]",
                        help=f"milliseconds of CPU time for every move (default {_MOVE_TIME})")
    budget.add_argument("--nodes", type=IntList(positive), metavar="N[,N...]",
                        help="instead: nodes for every move: positions, in playouts and searches of leaves too")
    parser.add_argument("--games", type=positive, default=_GAMES, metavar="N",
                        help=f"games of each pairing (default {_GAMES})")
    parser.add_argument("--network", type=text, metavar="FILE",
                        help="what all evaluate with, a network file or `features`")
    parser.add_argument("--openings", type=in_file, metavar="FILE",
                        help="EPD or PGN, also compressed (default: random openings)")
    parser.add_argument("--out", type=OutputFile("tournament", FORMAT.is_ours), metavar="FILE",
                        help="keep the results, written as games end; if the file exists, its tournament is continued")
    add_seed(parser, "openings and random numbers")
    add_concurrency(parser)
    add_json(parser, "one object for each pairing and rating")
    add_plots(parser, "Elo by budget")


def run(arguments: argparse.Namespace) -> int:
    """Play, print, and return the exit status: 1 if a game was forfeited."""
    unit, amounts = (Unit.POSITIONS, arguments.nodes) if arguments.nodes else (Unit.CPU_TIME, arguments.time)
    budgets = tuple(MoveBudget(amount, unit) for amount in amounts)
    players = parse_participants(arguments.player or MODE_NAMES, arguments.network, budgets[0])
    tournament = Tournament(players, budgets, arguments.seed, arguments.openings)
    results = play(tournament, arguments.games, arguments.concurrency or 0, arguments.out)
    if not any(result.games for result in results):
        return 0
    rated = ratings(results)
    if arguments.json:
        for fields in standings.objects(results, rated):
            print_object(fields)
    else:
        standings.print_standings(results, rated, budgets, tuple(LADDER))
        print(tournament.conditions())
    curves, errors = standings.curves(results, rated)
    what = "milliseconds of CPU time" if unit is Unit.CPU_TIME else "nodes"
    save_and_print(arguments, "budgets", (f"{what} per move", "Elo"), curves, errors=errors, x_scale="log",
                   title="Elo by budget, with 95 % errors")
    forfeits = sum(sum(result.forfeits) for result in results)
    if forfeits:
        print(f"{pluralize(forfeits, 'game')} forfeited by an illegal move; they count for neither side",
              file=sys.stderr if arguments.json else sys.stdout)
    return _HAS_FORFEITS if forfeits else 0
