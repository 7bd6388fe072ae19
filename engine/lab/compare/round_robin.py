"""Searches of all kinds play each other with equal budgets, and are rated on one scale.

At every budget all participants play each other; with several budgets, each also plays itself at the next one, so that
all games count for one fit. Minimax assumes an opponent that plays the best move, expectimax here one that moves at
random: each of them also plays both the full search and a random mover.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.cli.output import print_warning
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.json_lines import JsonLines
from engine.lab.arena.kernel_games import FairnessTest
from engine.lab.arena.openings import Openings, RandomOpenings
from engine.lab.arena.participants import MoveBudget, Participant
from engine.lab.arena.ratings import Ratings, rate
from engine.lab.arena.records import Adjudication, GameRecord, Opening
from engine.lab.compare.played_games import play_games
from engine.system.errors import InputError

FORMAT = JsonLines("tournament")
ASSUMING_MODES = ("minimax", "expectimax")
OPPONENTS = {"the full search": "alphabeta", "a random mover": "random"}
_BUDGETLESS = "random"  # the mode that spends nothing
# Never a draw by the scores: those of playouts are always near 0.
RULES = Adjudication(draw_score=None)
_OUTSIDE = 0.025  # at either end of an interval
PLAYED_OUT = Adjudication(draw_score=None, win_score=None, by_tables=False)

PairingKey = tuple[str, str, bool]  # both participants, and whether their games are played out


@dataclass(frozen=True)
class GameSummary:
    """A game of a tournament, without its moves. Pairs of numbers are those of the first and the second participant."""

    points: float  # of the first participant
    forfeit: str | None  # the name of the forfeit, if there is one
    moves: tuple[int, int]
    nodes: tuple[int, int]
    seconds: tuple[float, float]  # of CPU time
    iterations: tuple[int, int] = (0, 0)  # of tree searches

    @classmethod
    def of(cls, record: GameRecord) -> GameSummary:
        """The summary of a finished game."""
        is_black_first = not record.opening.board().turn
        by_color = record.moves[is_black_first::2], record.moves[1 - is_black_first :: 2]
        first, second = by_color if record.first_is_white else by_color[::-1]
        return cls(record.points, None if record.forfeit is None else record.forfeit.name, (len(first), len(second)),
                   (sum(move.nodes for move in first), sum(move.nodes for move in second)),
                   (sum(move.seconds for move in first), sum(move.seconds for move in second)),
                   (sum(move.iterations for move in first), sum(move.iterations for move in second)))

    @classmethod
    def from_object(cls, fields: Mapping[str, Any]) -> GameSummary:
        """The summary in a file; KeyError or TypeError if it is none."""
        return cls(fields["points"], fields["forfeit"], tuple(fields["moves"]), tuple(fields["nodes"]),
                   tuple(fields["seconds"]), tuple(fields.get("iterations", (0, 0))))


@dataclass
class PairingResult:
    """The games of two participants so far, from the view of the first."""

    first: Participant
    second: Participant
    is_played_out: bool = False  # no game is adjudicated
    summaries: list[GameSummary] = field(default_factory=list)

    @property
    def key(self) -> PairingKey:
        return str(self.first), str(self.second), self.is_played_out

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
        """The games that the first and the second participant forfeited."""
        lost = [game.points for game in self.summaries if game.forfeit is not None]
        return lost.count(0.0), lost.count(1.0)

    @property
    def moves_to_win(self) -> float | None:
        """The median number of moves of the games that the first participant won."""
        return statistics.median(self._lengths) if self._lengths else None

    @property
    def moves_to_win_range(self) -> tuple[int, int] | None:
        """The 95 % interval of that median, by ranks: below six games there is none narrower than all of them."""
        lengths = sorted(self._lengths)
        if not lengths:
            return None
        rank = 0
        while _below_rank(len(lengths), rank + 1) <= _OUTSIDE:
            rank += 1
        index = max(rank - 1, 0)
        return lengths[index], lengths[-1 - index]

    @property
    def _lengths(self) -> list[int]:
        return [game.moves[0] for game in self.counted if game.points == 1]


def _below_rank(games: int, rank: int) -> float:
    """How likely fewer than `rank` of the games are shorter than the true median."""
    return math.fsum(math.comb(games, number) for number in range(rank)) / math.pow(2, games)


@dataclass(frozen=True)
class Tournament:
    """Who plays, with which budgets, and what decides the games."""

    participants: tuple[Participant, ...]  # at the first budget
    budgets: tuple[MoveBudget, ...]
    seed: int = 1
    openings: Path | None = None  # None for random ones

    def pairings(self) -> list[PairingResult]:
        """All against all at every budget, each against itself at the next one, and the tests of the assumptions; no
        games have been played.
        """
        rivals = [PairingResult(_at(budget, one), _at(budget, other))
                  for budget in self.budgets for one, other in itertools.combinations(self.participants, 2)]
        links = [PairingResult(_at(more, player), _at(less, player)) for less, more in itertools.pairwise(self.budgets)
                 for player in self.participants if player.name != _BUDGETLESS]
        return [*rivals, *links, *self._assumption_pairings()]

    def _assumption_pairings(self) -> list[PairingResult]:
        """Minimax and expectimax against each of the two opponents, without adjudication; with one budget only."""
        players = {player.name: player for player in self.participants}
        if len(self.budgets) > 1 or not {*ASSUMING_MODES, *OPPONENTS.values()} <= set(players):
            return []
        return [PairingResult(players[one], players[other], is_played_out=True)
                for one, other in itertools.product(ASSUMING_MODES, OPPONENTS.values())]

    def description(self) -> dict[str, Any]:
        """What must be the same when a tournament is continued; the number of games may grow."""
        players = [{"name": player.name, "config": None if player.config is None else asdict(player.config),
                    "network": player.network} for player in self.participants]
        return {"contestants": players,
                "budgets": [str(budget) for budget in self.budgets], "seed": self.seed,
                "openings": "" if self.openings is None else self.openings.name}

    def conditions(self) -> str:
        """How the games begin, and when they are adjudicated, in a sentence."""
        begin = (f"fair random openings (--seed {self.seed})" if self.openings is None
                 else f"openings of {self.openings.name} (--seed {self.seed})")
        assert RULES.win_score is not None
        return (f"{begin}, each with both colours; won at {RULES.win_score / 100:+.0f} pawns by both scores for "
                f"{RULES.win_moves} moves, or by endgame tables; never drawn by scores")

    def draw_openings(self, pairs: int) -> Iterator[Opening]:
        """One opening for each pair of games, the same in all pairings."""
        source = RandomOpenings(is_fair=FairnessTest()) if self.openings is None else Openings(self.openings)
        return source.draw(pairs, self.seed, print_warning)


def _at(budget: MoveBudget, player: Participant) -> Participant:
    """The participant with this budget; one that spends nothing stays what it is."""
    return player if player.name == _BUDGETLESS else replace(player, budget=budget)


def play(tournament: Tournament, games: int, width: int, path: Path | None = None) -> list[PairingResult]:
    """Play this many games of every pairing, rounded up to pairs, `width` at a time; 0 for as many as there are cores.

    What is in the file at `path` is not played again, and what is played is appended to it. Returns the results, after
    an interruption those of the games played so far. InputError if the file is that of another tournament.
    """
    results = {pairing.key: pairing for pairing in tournament.pairings()}
    with FORMAT.open(path, tournament.description()) as (parts, append):
        done = _recall(path, parts, results)
        shards = [GamePair(number, opening, result.first, result.second, PLAYED_OUT if result.is_played_out else RULES,
                           tournament.seed)
                  for number, opening in enumerate(tournament.draw_openings((games + 1) // 2))
                  for key, result in results.items() if (*key, number) not in done]
        for shard, records in play_games(shards, width):
            key = str(shard.first), str(shard.second), shard.rules == PLAYED_OUT
            summaries = [GameSummary.of(record) for record in records]
            append([*key, shard.number, *map(asdict, summaries)])
            results[key].summaries += summaries
    return [result for result in results.values() if result.summaries]


def _recall(path: Path | None, parts: Sequence[Any],
            results: Mapping[PairingKey, PairingResult]) -> set[tuple[str, str, bool, int]]:
    """Add the games in the file to the results; return the keys and numbers of the pairs."""
    done = set()
    try:
        for first, second, is_played_out, number, *games in parts:
            results[first, second, is_played_out].summaries += [GameSummary.from_object(game) for game in games]
            done.add((first, second, is_played_out, number))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a tournament: {error}") from error
    return done


def ratings(results: Sequence[PairingResult]) -> Ratings[Participant]:
    """One fit to all games that count, those without adjudication included."""
    points: dict[tuple[Participant, Participant], tuple[float, int]] = {}
    for result in results:
        if result.games:
            pair = result.first, result.second
            scored, games = points.get(pair, (0.0, 0))
            points[pair] = scored + result.points, games + result.games
    return rate(points)
