"""`compare --tournament`: searches of all kinds play each other with equal budgets, and are rated on one scale.

At every budget all contestants play each other; with several budgets, each also plays itself at the next one, so that
all games count for one fit. Minimax assumes an opponent that plays the best move, expectimax here one that moves at
random: each of them also plays both the full search and a random mover.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.arena import executors
from engine.arena.cancellation import cancel_games
from engine.arena.json_lines import JsonLines
from engine.arena.kernel_games import FairnessTest
from engine.arena.openings import Openings, RandomOpenings
from engine.arena.ratings import Ratings, rate
from engine.arena.records import GameRecord, Opening
from engine.arena.shards import Labelled, in_order
from engine.commands.compare.contestants import Contestant, Entrant, MoveBudget, Pairing, TournamentPair
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.output import print_warning
from engine.commands.shared.progress import progress_bar
from engine.system.errors import InputError
from engine.system.host import usable_cores

FORMAT = JsonLines("tournament")
ASSUMING_MODES = ("minimax", "expectimax")
OPPONENTS = {"the full search": "alphabeta", "a random mover": "random"}
_BUDGETLESS = "random"  # the mode that spends nothing
_AHEAD = 3  # pairs in progress for each process


@dataclass(frozen=True)
class GameSummary:
    """A game of a tournament, without its moves. Pairs of numbers are those of the first and the second entrant."""

    points: float  # of the first entrant
    forfeit: str | None  # the name of the forfeit, if there is one
    moves: tuple[int, int]
    nodes: tuple[int, int]
    seconds: tuple[float, float]  # of CPU time

    @classmethod
    def of(cls, record: GameRecord) -> GameSummary:
        """The summary of a finished game."""
        is_black_first = not record.opening.board().turn
        by_color = record.moves[is_black_first::2], record.moves[1 - is_black_first :: 2]
        first, second = by_color if record.first_is_white else by_color[::-1]
        return cls(record.points, None if record.forfeit is None else record.forfeit.name, (len(first), len(second)),
                   (sum(move.nodes for move in first), sum(move.nodes for move in second)),
                   (sum(move.seconds for move in first), sum(move.seconds for move in second)))

    @classmethod
    def from_object(cls, fields: Mapping[str, Any]) -> GameSummary:
        """The summary in a file; KeyError or TypeError if it is none."""
        return cls(fields["points"], fields["forfeit"], tuple(fields["moves"]), tuple(fields["nodes"]),
                   tuple(fields["seconds"]))


@dataclass
class PairingResult:
    """The games of a pairing so far, from the view of its first entrant."""

    pairing: Pairing
    summaries: list[GameSummary] = field(default_factory=list)

    @property
    def counted(self) -> list[GameSummary]:
        """The games that say something about strength: a forfeit does not."""
        return [game for game in self.summaries if game.forfeit is None]

    @property
    def points(self) -> float:
        return sum(game.points for game in self.counted)

    @property
    def games(self) -> int:
        return len(self.counted)

    @property
    def forfeits(self) -> tuple[int, int]:
        """The games that the first and the second entrant forfeited."""
        lost = [game.points for game in self.summaries if game.forfeit is not None]
        return lost.count(0.0), lost.count(1.0)

    @property
    def moves_to_win(self) -> float | None:
        """The median number of moves of the games that the first entrant won."""
        lengths = [game.moves[0] for game in self.counted if game.points == 1]
        return statistics.median(lengths) if lengths else None


@dataclass(frozen=True)
class Tournament:
    """Who plays, with which budgets, and what decides the games."""

    contestants: tuple[Contestant, ...]
    budgets: tuple[MoveBudget, ...]
    seed: int = 1
    openings: Path | None = None  # None for random ones

    def entrant(self, name: str, budget: MoveBudget) -> Entrant:
        """The contestant of that name at a budget; one that spends nothing has the same at all of them."""
        contestant = next(contestant for contestant in self.contestants if contestant.name == name)
        return Entrant(contestant, self.budgets[0] if name == _BUDGETLESS else budget)

    def pairings(self) -> list[Pairing]:
        """All against all at every budget, each against itself at the next one, and the tests of the assumptions."""
        names = [contestant.name for contestant in self.contestants]
        rivals = [Pairing(self.entrant(one, budget), self.entrant(other, budget))
                  for budget in self.budgets for one, other in itertools.combinations(names, 2)]
        links = [Pairing(self.entrant(name, more), self.entrant(name, less))
                 for less, more in itertools.pairwise(self.budgets) for name in names if name != _BUDGETLESS]
        return [*rivals, *links, *self._assumption_pairings(names)]

    def _assumption_pairings(self, names: Sequence[str]) -> list[Pairing]:
        """Minimax and expectimax against each of the two opponents, without adjudication; with one budget only."""
        if len(self.budgets) > 1 or not {*ASSUMING_MODES, *OPPONENTS.values()} <= set(names):
            return []
        return [Pairing(self.entrant(one, self.budgets[0]), self.entrant(other, self.budgets[0]), is_played_out=True)
                for one, other in itertools.product(ASSUMING_MODES, OPPONENTS.values())]

    def description(self) -> dict[str, Any]:
        """What must be the same when a tournament is continued; the number of games may grow."""
        return {"contestants": [asdict(contestant) for contestant in self.contestants],
                "budgets": [str(budget) for budget in self.budgets], "seed": self.seed,
                "openings": "" if self.openings is None else self.openings.name}

    def draw_openings(self, pairs: int) -> Iterator[Opening]:
        """One opening for each pair of games, the same in all pairings."""
        source = RandomOpenings(is_fair=FairnessTest()) if self.openings is None else Openings(self.openings)
        return source.draw(pairs, self.seed, print_warning)


def play(tournament: Tournament, games: int, width: int, path: Path | None = None) -> list[PairingResult]:
    """Play this many games of every pairing, rounded up to pairs, `width` at a time; 0 for as many as there are cores.

    What is in the file at `path` is not played again, and what is played is appended to it. Returns the results, after
    an interruption those of the games played so far. InputError if the file is that of another tournament.
    """
    results = {_key(pairing): PairingResult(pairing) for pairing in tournament.pairings()}
    with FORMAT.open(path, tournament.description()) as (parts, append):
        done = _recall(path, parts, results)
        shards = [TournamentPair(number, opening, result.pairing, tournament.seed)
                  for number, opening in enumerate(tournament.draw_openings((games + 1) // 2))
                  for key, result in results.items() if (*key, number) not in done]
        _play(shards, width or usable_cores(), results, append)
    return [result for result in results.values() if result.summaries]


def _key(pairing: Pairing) -> tuple[str, str, bool]:
    return str(pairing.first), str(pairing.second), pairing.is_played_out


def _play(shards: Sequence[TournamentPair], width: int, results: Mapping[tuple[str, str, bool], PairingResult],
          append: Callable[[Any], None]) -> None:
    with (executors.processes(width) as (executor, _), stop_on_interrupt(cancel_games),
          progress_bar(len(shards)) as show):
        for done, (shard, records) in enumerate(in_order(executor, map(Labelled, shards), _AHEAD * width)):
            key = _key(shard.pairing)
            show(done, f"{key[0]} against {key[1]}")
            summaries = [GameSummary.of(record) for record in records]
            append([*key, shard.number, *map(asdict, summaries)])
            results[key].summaries += summaries


def _recall(path: Path | None, parts: Sequence[Any],
            results: Mapping[tuple[str, str, bool], PairingResult]) -> set[tuple[str, str, bool, int]]:
    """Add the games in the file to the results; return the keys and numbers of the pairs."""
    done = set()
    try:
        for first, second, is_played_out, number, *games in parts:
            results[first, second, is_played_out].summaries += [GameSummary.from_object(game) for game in games]
            done.add((first, second, is_played_out, number))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a tournament: {error}") from error
    return done


def ratings(results: Sequence[PairingResult]) -> Ratings[Entrant]:
    """One fit to all games that count, those without adjudication included."""
    points: dict[tuple[Entrant, Entrant], tuple[float, int]] = {}
    for result in results:
        if result.games:
            pair = result.pairing.first, result.pairing.second
            scored, games = points.get(pair, (0.0, 0))
            points[pair] = scored + result.points, games + result.games
    return rate(points)
