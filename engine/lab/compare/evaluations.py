"""`compare evaluations`: Elo by depth, with evaluations of different quality.

Textbooks say that the quality of the evaluation matters less the deeper the search; this measures it. A participant
is an evaluation and a depth. Participants meet their neighbours, and one Elo scale is fitted to all games.

The full search prunes by the evaluation, so that a poor evaluation harms it twice, and its first depths are hardly
deeper than quiescence. With full width, a depth has its textbook meaning.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from engine.cli.arguments import add_concurrency, plies, positive
from engine.cli.output import add_json, print_object
from engine.cli.plots import Curve, Errors
from engine.cli.tables import print_table
from engine.lab.arena.configs import Config
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.openings import RandomOpenings
from engine.lab.arena.participants import MoveBudget, Participant, Unit
from engine.lab.arena.ratings import Ratings, rate
from engine.lab.arena.records import Adjudication
from engine.lab.arena.statistics import Estimate
from engine.lab.compare.played_games import play_games
from engine.lab.compare.plots import add_plots, save_and_print
from engine.lab.compare.variants import full_width_switches
from eval.evaluator import FEATURES
from eval.features import FEATURES as FEATURE_TABLE
from eval.networks import NETWORK_FILES
from eval.weights import load_weights, values_of

MATERIAL = "material"
_LAST_DEPTH = 8
_GAMES = 40
_MEGABYTES = 4
_SEED = 1
_MAX_DEPTH_LEAD = 2  # plies that a poorer evaluation may search deeper: beyond that, it wins every game


Pair = tuple[Participant, Participant]
Points = dict[Pair, tuple[float, int]]  # the points of the first, and the number of games
Rated = Ratings[Participant]
_ZERO = MATERIAL, 1  # the evaluation and the depth whose Elo is 0


@cache
def configs() -> dict[str, Config]:
    """The configs of the evaluations, the poorest first; networks only if they are built in."""
    material = next(row for row in FEATURE_TABLE if row.name == MATERIAL)
    kept = range(material.offset, material.offset + material.size)
    mg, eg = (tuple(value if index in kept else 0 for index, value in enumerate(values.tolist()))
              for values in values_of(load_weights()))
    by_name = {MATERIAL: Config(MATERIAL, weights=(mg, eg), network=FEATURES),
               FEATURES: Config(FEATURES, network=FEATURES)}
    networks = reversed(NETWORK_FILES.items())  # the better one last
    return by_name | {name: Config(name, network=name) for name, file in networks if file.exists()}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--depth", type=plies, default=_LAST_DEPTH, metavar="D",
                        help=f"the largest depth (default {_LAST_DEPTH})")
    parser.add_argument("--games", type=positive, default=_GAMES, metavar="N",
                        help=f"games of each pairing (default {_GAMES})")
    parser.add_argument("--full-width", action="store_true", help="search every move to the full depth")
    add_concurrency(parser)
    add_json(parser, "one object for each pairing")
    add_plots(parser, "Elo by depth")


def run(arguments: argparse.Namespace) -> int:
    """Play, print, and return the exit status."""
    points = play_pairings(arguments.depth, arguments.games, arguments.concurrency or 0,
                           is_full_width=arguments.full_width)
    if not points:
        return 0
    rated = rate(points)
    if arguments.json:
        for (first, second), (scored, games) in points.items():
            print_object({"first": _as_object(first), "second": _as_object(second), "points": scored, "games": games})
    else:
        print_table(headings(rated), rows(rated))
        print(f"Elo with material at depth 1 as 0, from {sum(games for _, games in points.values()):,} games at "
              "fixed depth; gain: Elo over the evaluation to its left at the same depth")
    save_and_print(arguments, "evaluations", ("depth in plies", "Elo"), curves(rated), errors=errors(rated),
                   title="Elo by depth and evaluation, with 95 % errors")
    return 0


def _as_object(player: Participant) -> dict[str, object]:
    return {"evaluation": player.name, "depth": player.budget.amount}


def participant(evaluation: str, depth: int, *, is_full_width: bool = False) -> Participant:
    """The evaluation of this name in searches of this depth."""
    config = replace(configs()[evaluation], params=full_width_switches() if is_full_width else ())
    return Participant(evaluation, config, MoveBudget(depth, Unit.DEPTH), _MEGABYTES)


def pairings(names: Sequence[str], last: int, *, is_full_width: bool = False) -> list[Pair]:
    """All pairs: neighbouring depths, and each evaluation against poorer ones of equal or larger depth."""
    players = [participant(name, depth, is_full_width=is_full_width) for name in names for depth in range(1, last + 1)]
    return [(one, other) for one in players for other in players
            if (one.name == other.name and other.budget.amount == one.budget.amount + 1)
            or (names.index(one.name) > names.index(other.name)
                and 0 <= other.budget.amount - one.budget.amount <= _MAX_DEPTH_LEAD)]


def play_pairings(last: int, games: int, width: int, *, is_full_width: bool) -> Points:
    """Play all pairings; return their points, after an interruption those of the games so far."""
    pairs = pairings(list(configs()), last, is_full_width=is_full_width)
    shards = [GamePair(number, opening, *pair, Adjudication())
              for number, opening in enumerate(RandomOpenings().draw((games + 1) // 2, _SEED)) for pair in pairs]
    points: Points = {}
    for shard, records in play_games(shards, width):
        pair = shard.first, shard.second
        scored, played = points.get(pair, (0.0, 0))
        points[pair] = scored + sum(record.points for record in records), played + len(records)
    return points


def headings(rated: Rated) -> tuple[str, ...]:
    """The headings of the table: each evaluation, then the gain of each over the next poorer one at the same depth."""
    names = _names(rated)
    return ("depth", *names, *(f"{name} gain" for name in names[1:]))


def rows(rated: Rated) -> list[tuple[str, ...]]:
    """One row per depth, under the headings."""
    names = _names(rated)
    return [(str(depth), *(_difference(rated, (name, depth), _ZERO) for name in names),
             *(_difference(rated, (rich, depth), (poor, depth)) for poor, rich in itertools.pairwise(names)))
            for depth in sorted({player.budget.amount for player in rated.players})]


def _difference(rated: Rated, first: tuple[str, int], second: tuple[str, int]) -> str:
    players = _by_depth(rated)
    if first not in players or second not in players:
        return "-"
    return rated.difference(players[first], players[second]).with_error()


def _by_depth(rated: Rated) -> dict[tuple[str, int], Participant]:
    return {(player.name, player.budget.amount): player for player in rated.players}


def _elos(rated: Rated) -> dict[str, dict[int, Estimate]]:
    """By evaluation and depth: the Elo over material at depth 1."""
    players = _by_depth(rated)
    return {name: {depth: rated.difference(players[name, depth], players[_ZERO]) for one, depth in sorted(players)
                   if one == name} for name in _names(rated)}


def curves(rated: Rated) -> dict[str, Curve]:
    """Elo by depth, one curve per evaluation."""
    return {name: (list(elos), [elo.value for elo in elos.values()]) for name, elos in _elos(rated).items()}


def errors(rated: Rated) -> dict[str, Errors]:
    """The 95 % errors of the points of `curves`."""
    return {name: ([elo.value - elo.low for elo in elos.values()], [elo.high - elo.value for elo in elos.values()])
            for name, elos in _elos(rated).items()}


def _names(rated: Rated) -> list[str]:
    return [name for name in configs() if any(player.name == name for player in rated.players)]
