"""`class play`: a game of the course or of one's own, against any of the course's algorithms."""

from __future__ import annotations

import argparse
import math
import random
import sys

from engine.cli.arguments import FloatRange, IntRange, add_seed, plies, positive, requires_option, text
from engine.cli.interruption import stop_on_interrupt
from engine.course.fit import check
from engine.course.own_games import GAMES, load_game
from engine.course.own_play import meet, play_with, side
from engine.course.players import PLAYERS, Effort, new_player, preferred
from engine.course.reference.game import UnsuitableGameError
from engine.system.errors import InputError

_MOST_GAMES = 10_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("game", type=text, metavar="GAME",
                        help=f"FILE.py:NAME or MODULE:NAME, a game or its class, or one of {', '.join(GAMES)}")
    parser.add_argument("--check", action="store_true",
                        help="only say which algorithms play the game, and why others do not")
    parser.add_argument("--algorithm", choices=list(PLAYERS), help="who plays (default: the best that fits)")
    parser.add_argument("--first", action="store_true", help="let the algorithm move first")
    parser.add_argument("--against", choices=list(PLAYERS), help="instead of you: a second algorithm")
    games = parser.add_argument("--games", type=IntRange(1, _MOST_GAMES), default=10, metavar="N",
                                help="games between two algorithms (default 10)")
    requires_option(games, "--against")
    parser.add_argument("--depth", type=plies, metavar="D", help="plies of minimax, alpha-beta and expectiminimax")
    parser.add_argument("--iterations", type=positive, default=Effort.iterations, metavar="N",
                        help=f"of UCT, Monte Carlo and AlphaZero for a move (default {Effort.iterations})")
    parser.add_argument("--seconds", type=FloatRange(0, 3600, above=True), metavar="S",
                        help="CPU time for a move of alphabeta, which then deepens, and of uct")
    parser.add_argument("--states", type=positive, metavar="N", help="the same, by the states that are looked at")
    parser.add_argument("--exploration", type=FloatRange(0, 1000), default=Effort.exploration, metavar="C",
                        help="UCB1's C: how curious UCT is (default: the square root of 2)")
    add_seed(parser, "dice and playouts")


def run(arguments: argparse.Namespace) -> int:
    """Play; returns the exit status. Ctrl-C ends the game at once."""
    with stop_on_interrupt(lambda: None, timeout=0, on_exit="\ninterrupted"):
        try:
            return _play(arguments)
        except UnsuitableGameError as error:
            raise InputError(f"{arguments.game}: {error}") from error
        except RecursionError as error:
            raise InputError(f"{arguments.game}: too deep to be searched to its end; take --algorithm uct") from error


def _play(arguments: argparse.Namespace) -> int:
    game = load_game(arguments.game)
    fit = check(game)
    if arguments.check:
        print(fit)
        return 0
    chance = random.Random(arguments.seed)  # noqa: S311  no secrets
    effort = Effort(arguments.depth, arguments.iterations, arguments.exploration, seconds=arguments.seconds,
                    states=arguments.states)
    name = arguments.algorithm or preferred(fit)
    chooser = new_player(name, game, fit, effort, chance)
    if arguments.against is None:
        person = (1 if arguments.first else 0) % max(len(fit.players), 1)
        seats = len(fit.players)
        print(f"You are {side(person, seats)}; {name} plays {'first' if arguments.first else 'the rest'}.")
        play_with(game, person, chooser, _ask, chance, seats)
        return 0
    if len(fit.players) != 2:
        raise InputError(f"--against is for games of two, and {arguments.game} has {len(fit.players)}")
    other = new_player(arguments.against, game, fit, effort, chance)
    results = meet(game, (chooser, other), arguments.games, chance)
    share = results["points"] / arguments.games
    error = 196 * math.sqrt(max(share * (1 - share), 1 / (4 * arguments.games)) / arguments.games)
    print(f"{name} against {arguments.against}: {results['points']:g} of {arguments.games} points "
          f"({100 * share:.0f} ± {error:.0f} %): {results['wins']:g} won, {results['draws']:g} drawn, "
          f"{results['losses']:g} lost")
    return 0


def _ask(question: str) -> str:
    if sys.stdin is None:
        raise EOFError
    return input(question)
