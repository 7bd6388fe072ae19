"""`compare --evaluations`: Elo by depth, with evaluations of different quality.

Textbooks say that the quality of the evaluation matters less the deeper the search; this measures it. A player is an
evaluation and a depth. Players meet their neighbours, and one Elo scale is fitted to all games.

The full search prunes by the evaluation, so that a poor evaluation harms it twice, and its first depths are hardly
deeper than quiescence. With full width, a depth has its textbook meaning.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from engine.alphabeta.params import default_params
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena import executors
from engine.arena.cancellation import cancel_games
from engine.arena.configs import Config
from engine.arena.openings import RandomOpenings
from engine.arena.ratings import Ratings, rate
from engine.arena.records import Adjudication, GameRecord, Opening
from engine.arena.search_games import MoveChooser, play_game
from engine.arena.shards import in_order
from engine.commands.compare.variants import full_width_params
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.plots import Curve, Errors
from engine.commands.shared.progress import progress_bar
from engine.search.types import Limits
from engine.system.host import usable_cores
from eval.evaluator import BUILT_IN_FILE, FEATURES
from eval.features import FEATURES as FEATURE_TABLE
from eval.weights import load_weights, values_of

MATERIAL = "material"
NETWORK = "network"
LAST_DEPTH = 8
_MEGABYTES = 4
_SEED = 1
_MAX_DEPTH_LEAD = 2  # plies that a poorer evaluation may search deeper: beyond that, it wins every game


@cache
def configs() -> dict[str, Config]:
    """The configs of the evaluations, the poorest first; the network only if one is built in."""
    material = next(row for row in FEATURE_TABLE if row.name == MATERIAL)
    kept = range(material.offset, material.offset + material.size)
    mg, eg = (tuple(value if index in kept else 0 for index, value in enumerate(values.tolist()))
              for values in values_of(load_weights()))
    by_name = {MATERIAL: Config(MATERIAL, weights=(mg, eg), network=FEATURES),
               FEATURES: Config(FEATURES, network=FEATURES)}
    if BUILT_IN_FILE.exists():
        by_name[NETWORK] = Config(NETWORK)
    return by_name


@dataclass(frozen=True)
class EvaluationAtDepth:
    """A player: an evaluation, by its name, and a depth."""

    evaluation: str
    depth: int

    def __str__(self) -> str:
        """Its name in the records of games."""
        return f"{self.evaluation} {self.depth}"


def pairings(names: Sequence[str], last: int) -> list[tuple[EvaluationAtDepth, EvaluationAtDepth]]:
    """All pairs of players: neighbouring depths, and each evaluation against poorer ones of equal or larger depth."""
    players = [EvaluationAtDepth(name, depth) for name in names for depth in range(1, last + 1)]
    return [(one, other) for one in players for other in players
            if (one.evaluation == other.evaluation and other.depth == one.depth + 1)
            or (names.index(one.evaluation) > names.index(other.evaluation)
                and 0 <= other.depth - one.depth <= _MAX_DEPTH_LEAD)]


_thread_local = threading.local()


def _searcher(player: EvaluationAtDepth, is_full_width: bool) -> AlphaBetaSearch:
    """The thread's searcher for a player, with its TT and histories cleared; no two players share what they learn."""
    searchers: dict[EvaluationAtDepth, AlphaBetaSearch] = _thread_local.__dict__.setdefault("searchers", {})
    if player not in searchers:
        params = full_width_params() if is_full_width else default_params()
        searchers[player] = AlphaBetaSearch(_MEGABYTES, params=params,
                                            evaluation=configs()[player.evaluation].evaluator())
    searchers[player].clear()
    return searchers[player]


@dataclass(frozen=True)
class DepthPair:
    """Two games from one opening, with colours exchanged. Calling it plays them."""

    number: int  # of the pair
    opening: Opening
    first: EvaluationAtDepth
    second: EvaluationAtDepth
    is_full_width: bool

    def __call__(self) -> list[GameRecord]:
        """Play both games."""
        return [self._play(2 * self.number, (self.first, self.second)),
                self._play(2 * self.number + 1, (self.second, self.first))]

    def _play(self, number: int, players: tuple[EvaluationAtDepth, EvaluationAtDepth]) -> GameRecord:
        """Play one game; `players` are White and Black."""
        white, black = ((str(player), self._chooser(player)) for player in players)
        return play_game(number, self.opening, white, black, Adjudication())

    def _chooser(self, player: EvaluationAtDepth) -> MoveChooser:
        searcher = _searcher(player, self.is_full_width)
        return lambda position: searcher.run(position, Limits(depth=player.depth))


# [first, second player]: the points of the first, and the number of games.
Points = dict[tuple[EvaluationAtDepth, EvaluationAtDepth], tuple[float, int]]


def play_pairings(last: int, games: int, width: int, *, is_full_width: bool) -> Points:
    """Play all pairings; return their points, after an interruption those of the games so far."""
    openings = list(RandomOpenings().draw((games + 1) // 2, _SEED))
    pairs = pairings(list(configs()), last)
    shards = [DepthPair(number, opening, *pair, is_full_width)
              for number, opening in enumerate(openings) for pair in pairs]
    by_name = {(str(first), str(second)): (first, second) for first, second in pairs}
    points: Points = {}
    with (executors.processes(width or usable_cores()) as (executor, workers), stop_on_interrupt(cancel_games),
          progress_bar(len(shards)) as show):
        for done, records in enumerate(in_order(executor, shards, 3 * workers)):
            pair = by_name[records[0].players]
            show(done, f"{pair[0]} against {pair[1]}")
            scored, played = points.get(pair, (0.0, 0))
            points[pair] = scored + sum(record.points for record in records), played + len(records)
    return points


Rated = Ratings[EvaluationAtDepth]
_ZERO = EvaluationAtDepth(MATERIAL, 1)


def ratings(points: Points) -> Rated:
    """The Elo ratings of all players."""
    return rate(points)


def headings(rated: Rated) -> tuple[str, ...]:
    """The headings of the table: each evaluation, then the gain of each over the next poorer one at the same depth."""
    names = _names(rated)
    return ("depth", *names, *(f"{name} gain" for name in names[1:]))


def rows(rated: Rated) -> list[tuple[str, ...]]:
    """One row per depth, under the headings."""
    names = _names(rated)
    return [(str(depth), *(_difference(rated, EvaluationAtDepth(name, depth), _ZERO) for name in names),
             *(_difference(rated, EvaluationAtDepth(rich, depth), EvaluationAtDepth(poor, depth)) for poor,
               rich in itertools.pairwise(names)))
            for depth in sorted({player.depth for player in rated.players})]


def _difference(rated: Rated, first: EvaluationAtDepth, second: EvaluationAtDepth) -> str:
    if first not in rated.players or second not in rated.players:
        return "-"
    elo = rated.difference(first, second)
    return f"{elo.value:.0f} ± {(elo.high - elo.low) / 2:.0f}"


def curves(rated: Rated) -> dict[str, Curve]:
    """Elo by depth, one curve per evaluation."""
    by_name: dict[str, Curve] = {}
    for name in _names(rated):
        depths = sorted(player.depth for player in rated.players if player.evaluation == name)
        by_name[name] = depths, [rated.difference(EvaluationAtDepth(name, depth), _ZERO).value for depth in depths]
    return by_name


def errors(rated: Rated) -> dict[str, Errors]:
    """The 95 % errors of the points of `curves`."""
    by_name: dict[str, Errors] = {}
    for name, (depths, _) in curves(rated).items():
        differences = [rated.difference(EvaluationAtDepth(name, int(depth)), _ZERO) for depth in depths]
        by_name[name] = ([max(one.value - one.low, 0.0) for one in differences],
                         [max(one.high - one.value, 0.0) for one in differences])
    return by_name


def _names(rated: Rated) -> list[str]:
    return [name for name in configs() if any(player.evaluation == name for player in rated.players)]
