"""`compare --evaluations`: Elo by depth with a rich evaluation and with a poor one.

The deeper the search, the less the quality of the evaluation matters, says the textbook: what the evaluation does not
know, the search sees. Here that is measured. Players are an evaluation and a depth each; they meet their neighbours,
and one scale is fitted to all games.

The full search leaves moves out by what the evaluation says of them, so that a poor evaluation harms it twice, and its
first depths are hardly deeper than quiescence. With full width a depth is what the textbook means by it.
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
from engine.arena.records import Adjudication, GameRecord, MoveRecord, Opening
from engine.arena.referee import EngineLimits, GameInProgress
from engine.arena.shards import in_order
from engine.commands.compare.contenders import full_width_params
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.plots import Curve, Errors
from engine.commands.shared.progress import progress_bar
from engine.core.game import Game
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
_FURTHEST = 2  # plies that a poorer evaluation may look deeper in a game with a richer one: beyond it, one wins all


@cache
def settings() -> dict[str, Config]:
    """The evaluations, the poorest first; the network if one is built in."""
    material = next(row for row in FEATURE_TABLE if row.name == MATERIAL)
    kept = range(material.offset, material.offset + material.size)
    mg, eg = (tuple(value if index in kept else 0 for index, value in enumerate(values.tolist()))
              for values in values_of(load_weights()))
    found = {MATERIAL: Config(MATERIAL, weights=(mg, eg), network=FEATURES),
             FEATURES: Config(FEATURES, network=FEATURES)}
    if BUILT_IN_FILE.exists():
        found[NETWORK] = Config(NETWORK)
    return found


@dataclass(frozen=True)
class EvaluationAtDepth:
    """A player: an evaluation, by its name, and a depth."""

    evaluation: str
    depth: int

    def __str__(self) -> str:
        """Its name in the records of games."""
        return f"{self.evaluation} {self.depth}"


def pairings(names: Sequence[str], last: int) -> list[tuple[EvaluationAtDepth, EvaluationAtDepth]]:
    """Who meets whom: a depth the next one, and an evaluation each poorer one at the same depth and a little deeper."""
    seats = [EvaluationAtDepth(name, depth) for name in names for depth in range(1, last + 1)]
    return [(one, other) for one in seats for other in seats
            if (one.evaluation == other.evaluation and other.depth == one.depth + 1)
            or (names.index(one.evaluation) > names.index(other.evaluation)
                and 0 <= other.depth - one.depth <= _FURTHEST)]


_kept = threading.local()


def _searcher(setting: Config, is_full_width: bool) -> AlphaBetaSearch:
    """A searcher for an evaluation, which the thread keeps, with nothing in its memory."""
    searchers: dict[str, AlphaBetaSearch] = _kept.__dict__.setdefault("searchers", {})
    if setting.name not in searchers:
        params = full_width_params() if is_full_width else default_params()
        searchers[setting.name] = AlphaBetaSearch(_MEGABYTES, params=params, evaluation=setting.evaluator())
    searchers[setting.name].clear()
    return searchers[setting.name]


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

    def _play(self, number: int, seats: tuple[EvaluationAtDepth, EvaluationAtDepth]) -> GameRecord:
        """One game; `seats` are white's and black's."""
        live = GameInProgress(self.opening, EngineLimits(), Adjudication())
        game = Game(self.opening.fen, moves=self.opening.moves)
        searchers = {seat: _searcher(settings()[seat.evaluation], self.is_full_width) for seat in seats}
        while (verdict := live.verdict()) is None:
            seat = seats[0 if live.board.turn else 1]
            result = searchers[seat].run(game.position, Limits(depth=seat.depth))
            text = game.uci(result.move)
            game.push_uci(text)
            live.board.push_uci(text)
            live.records.append(MoveRecord(text, result.score, seat.depth))
        return GameRecord(number, (str(seats[0]), str(seats[1])), self.opening, tuple(live.records), *verdict)


# what the first scored against the second, and in how many games
Points = dict[tuple[EvaluationAtDepth, EvaluationAtDepth], tuple[float, int]]


def play_pairings(last: int, games: int, width: int, *, is_full_width: bool) -> Points:
    """What all pairings score; after an interruption, what they have scored until then."""
    openings = list(RandomOpenings().draw((games + 1) // 2, _SEED))
    met = pairings(list(settings()), last)
    shards = [DepthPair(number, opening, *pair, is_full_width)
              for number, opening in enumerate(openings) for pair in met]
    seats = {(str(first), str(second)): (first, second) for first, second in met}
    points: Points = {}
    with (executors.processes(width or usable_cores()) as (executor, workers), stop_on_interrupt(cancel_games),
          progress_bar(len(shards)) as show):
        for done, records in enumerate(in_order(executor, shards, 3 * workers)):
            pair = seats[records[0].players]
            show(done, f"{pair[0]} against {pair[1]}")
            scored, played = points.get(pair, (0.0, 0))
            points[pair] = scored + sum(record.points for record in records), played + len(records)
    return points


Rated = Ratings[EvaluationAtDepth]
_ZERO = EvaluationAtDepth(MATERIAL, 1)


def ratings(points: Points) -> Rated:
    """Elo of everybody who has played."""
    return rate(points)


def headings(rated: Rated) -> tuple[str, ...]:
    """Of the table: the evaluations, and what each richer one is worth at the same depth."""
    names = _names(rated)
    return ("depth", *names, *(f"{name} worth" for name in names[1:]))


def rows(rated: Rated) -> list[tuple[str, ...]]:
    """A line for every depth, under the headings."""
    names = _names(rated)
    return [(str(depth), *(_difference(rated, EvaluationAtDepth(name, depth), _ZERO) for name in names),
             *(_difference(rated, EvaluationAtDepth(rich, depth), EvaluationAtDepth(poor, depth)) for poor,
               rich in itertools.pairwise(names)))
            for depth in sorted({seat.depth for seat in rated.players})]


def _difference(rated: Rated, first: EvaluationAtDepth, second: EvaluationAtDepth) -> str:
    if first not in rated.players or second not in rated.players:
        return "-"
    found = rated.difference(first, second)
    return f"{found.value:.0f} ± {(found.high - found.low) / 2:.0f}"


def curves(rated: Rated) -> dict[str, Curve]:
    """Elo by depth, a curve for every evaluation."""
    found: dict[str, Curve] = {}
    for name in _names(rated):
        depths = sorted(seat.depth for seat in rated.players if seat.evaluation == name)
        found[name] = depths, [rated.difference(EvaluationAtDepth(name, depth), _ZERO).value for depth in depths]
    return found


def errors(rated: Rated) -> dict[str, Errors]:
    """How far each point of the curves may be off: 95 % intervals."""
    found: dict[str, Errors] = {}
    for name, (depths, _) in curves(rated).items():
        apart = [rated.difference(EvaluationAtDepth(name, int(depth)), _ZERO) for depth in depths]
        found[name] = ([max(one.value - one.low, 0.0) for one in apart],
                       [max(one.high - one.value, 0.0) for one in apart])
    return found


def _names(rated: Rated) -> list[str]:
    return [name for name in settings() if any(seat.evaluation == name for seat in rated.players)]
