"""How strong the levels are, on the scale of another engine's UCI_Elo.

Every level plays an engine of limited strength at the anchors next to it, the levels next to it, and, if it is weak,
simple bots. One Elo scale is fitted to all games, in which the anchors have the rating that their engine claims. All
play as users meet them: in processes of their own, on a clock, with the default options, from the starting position. An
anchor that is held to the depth at which it picks its move is weaker: on a clock, its search goes on, and what that
leaves in the hash table makes the next shallow search a deeper one (see history/ui.md).
"""

from __future__ import annotations

import asyncio
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.cli.output import percent
from engine.cli.plots import Curve, Errors
from engine.lab.arena.engines import EngineProcess, EngineSpec
from engine.lab.arena.ratings import Ratings, rate
from engine.lab.arena.records import POINTS, Adjudication, GameRecord, Opening
from engine.lab.arena.referee import EngineLimits, UciGame
from engine.lab.compare.level_games import PlayedLevelGame, append_game, drop_incomplete_game, read_games
from engine.lab.compare.played_games import play_games
from engine.system.processes import own_command, own_environment

LEVELS = tuple(range(400, 2801, 200))
ANCHORS = tuple(range(1350, 2851, 100))  # every level from 1400 on lies between two of them
CLOCK = EngineLimits(10.0, 0.1, margin=0.1)  # a busy machine answers late, and that says nothing about strength
CLOCK_TEXT = f"{CLOCK.base:g}+{CLOCK.increment:g}"
_NEAREST_ANCHORS = 2
_FARTHEST_ANCHOR = 550  # Elo: beyond that a game says nothing
_STRONGEST_AGAINST_BOTS = 800
_LEVEL = "level"  # the names of levels are `level 1200`
_BOTS = {"random mover": ({"SearchMode": "random"}, None), "one-ply minimax": ({"SearchMode": "minimax"}, 1)}
_RULES = Adjudication(draw_score=None, win_score=1500, win_moves=5, by_tables=False)

HEADINGS = ("level", "Elo", "games", "against anchors", "against the level below", "forfeits")


@dataclass(frozen=True)
class LevelMatch:
    """What is played: the levels, the engine with the Elo of its anchors, and games per pairing."""

    levels: tuple[int, ...]
    command: str  # of the engine
    games: int
    anchors: tuple[int, ...] = ANCHORS
    width: int = 0  # games at the same time; 0 for as many as there are cores

    def pairings(self) -> Iterator[tuple[EngineSpec, EngineSpec]]:
        """The levels against their anchors, the bots and each other, the level first."""
        for index, level in enumerate(self.levels):
            spec = level_spec(level)
            for elo in sorted(self.anchors, key=lambda anchor: abs(anchor - level))[:_NEAREST_ANCHORS]:
                if abs(elo - level) <= _FARTHEST_ANCHOR:
                    yield spec, anchor_spec(self.command, elo)
            if index:
                yield spec, level_spec(self.levels[index - 1])
            if level <= _STRONGEST_AGAINST_BOTS:
                yield from ((spec, bot) for bot in bots())


def level_spec(elo: int) -> EngineSpec:
    """The own engine at a level, as it plays by default."""
    return _own_spec(level_name(elo), _strength(elo))


def level_name(elo: int) -> str:
    """The name of a level in games."""
    return f"{_LEVEL} {elo}"


def anchor_spec(command: str, elo: int) -> EngineSpec:
    """Another engine, limited to this strength."""
    return EngineSpec(anchor_name(elo), command, _strength(elo))


def _strength(elo: int) -> dict[str, str]:
    return {"UCI_LimitStrength": "true", "UCI_Elo": str(elo)}


def anchor_name(elo: int) -> str:
    """The name of an anchor in games; without a clock it would be another player."""
    return f"anchor {elo} at {CLOCK_TEXT}"


def bots() -> Iterator[EngineSpec]:
    """Players that know next to nothing, for the scale below the lowest anchor."""
    for name, (options, depth) in _BOTS.items():
        yield _own_spec(name, options, depth)


def _own_spec(name: str, options: Mapping[str, str], depth: int | None = None) -> EngineSpec:
    return EngineSpec(name, shlex.join(own_command()), options, depth=depth, environment=own_environment())


def play_levels(match: LevelMatch, file: Path | None, say: Callable[[str], None]) -> list[PlayedLevelGame]:
    """Play what is missing in `file`, appending to it, and return all its games; `say` gets the score of a pairing.

    InputError, before any game, if the engine does not start or cannot be limited.
    """
    if file is not None:
        drop_incomplete_game(file)
    games = [] if file is None else read_games(file)
    shards = missing_games(match, games)
    anchor = next((shard.second for shard in shards if shard.second.command == match.command), None)
    if anchor is not None:
        asyncio.run(_try_engine(anchor))
    left = Counter(map(_pair, shards))
    for shard, (record,) in play_games(shards, match.width):
        games.append(_played(record))
        if file is not None:
            append_game(file, record)
        left[_pair(shard)] -= 1
        if not left[_pair(shard)]:
            say(_pairing_text(games, *_pair(shard)))
    return games


def missing_games(match: LevelMatch, games: Sequence[PlayedLevelGame]) -> list[UciGame]:
    """The games of a match that were not played yet; those that were forfeited say nothing, and are played again."""
    played = Counter(frozenset(game.players) for game in games if not game.is_forfeited)
    return [UciGame(number, Opening(), first, second, CLOCK, _RULES) for first, second in match.pairings()
            for number in range(played[frozenset((first.name, second.name))], match.games)]


def _pair(shard: UciGame) -> tuple[str, str]:
    return shard.first.name, shard.second.name


async def _try_engine(spec: EngineSpec) -> None:
    """Start the engine and end it again; InputError if it does not start or has not all options."""
    process = EngineProcess(spec)
    try:
        await process.engine()
    finally:
        await process.close()


def _played(record: GameRecord) -> PlayedLevelGame:
    return PlayedLevelGame(record.players, record.result, tuple(move.move for move in record.moves),
                           record.forfeit is not None)


def _pairing_text(games: Sequence[PlayedLevelGame], first: str, second: str) -> str:
    scored, count = points_of(games).get((first, second), (0.0, 0))
    return f"{first} against {second}: {scored:g} of {count}"


def points_of(games: Sequence[PlayedLevelGame]) -> dict[tuple[str, str], tuple[float, int]]:
    """By pair of players, in both orders: the points of the first, and the number of games, without forfeits."""
    points: dict[tuple[str, str], tuple[float, int]] = {}
    for game in games:
        if game.is_forfeited:  # says nothing about strength
            continue
        for pair, scored in ((game.players, POINTS[game.result]), (game.players[::-1], 1 - POINTS[game.result])):
            before, count = points.get(pair, (0.0, 0))
            points[pair] = before + scored, count + 1
    return points


def fit(games: Sequence[PlayedLevelGame], anchors: Sequence[int]) -> Ratings[str]:
    """The ratings of all players, with the anchors at what they claim."""
    once = {pair: scored for pair, scored in points_of(games).items() if pair[0] < pair[1]}
    known = {anchor_name(elo): float(elo) for elo in anchors}
    return rate(once, known=known)


@dataclass(frozen=True)
class LevelRow:
    """What was measured of a level."""

    level: int
    elo: float
    error: float  # half of the 95 % interval
    games: int
    anchors: tuple[tuple[int, float, int], ...]  # (Elo, points, games)
    below: tuple[float, int] | None  # points and games against the level below
    forfeits: int

    def texts(self) -> tuple[str, ...]:
        """The row of the table."""
        anchors = ", ".join(f"{elo}: {percent(points / games, 0)} of {games}" for elo, points, games in self.anchors)
        below = "-" if self.below is None else f"{percent(self.below[0] / self.below[1], 0)} of {self.below[1]}"
        return (str(self.level), f"{self.elo:.0f} ± {self.error:.0f}", str(self.games), anchors or "-", below,
                str(self.forfeits))


def _linked(points: Mapping[tuple[str, str], object], anchors: Sequence[int]) -> set[str]:
    """The players that met an anchor, or a player that is linked to one: only they have a place on the scale."""
    linked, size = {anchor_name(elo) for elo in anchors}, 0
    while len(linked) > size:
        size = len(linked)
        linked |= {second for first, second in points if first in linked}
    return linked


def rows_of(games: Sequence[PlayedLevelGame], match: LevelMatch) -> list[LevelRow]:
    """One row per level whose games link it to an anchor."""
    points = points_of(games)
    linked = _linked(points, match.anchors)
    games = [game for game in games if set(game.players) <= linked]
    if not games:
        return []
    ratings = fit(games, match.anchors)
    rows = []
    for index, level in enumerate(match.levels):
        name = level_name(level)
        if name not in ratings.players:
            continue
        rated = ratings.rating(name)
        anchors = tuple((elo, *points[name, anchor_name(elo)]) for elo in match.anchors
                        if (name, anchor_name(elo)) in points)
        rows.append(LevelRow(level, rated.value, rated.error,
                             sum(name in game.players for game in games), anchors,
                             points.get((name, level_name(match.levels[index - 1]))) if index else None,
                             sum(game.is_forfeited for game in games if name in game.players)))
    return rows


def curves(rows: Sequence[LevelRow]) -> dict[str, Curve]:
    """Measured Elo by level, and what it should be."""
    labels = [row.level for row in rows]
    return {"measured": (labels, [row.elo for row in rows]), "label": (labels, labels)}


def errors(rows: Sequence[LevelRow]) -> dict[str, Errors]:
    """The errors of the points of `curves`."""
    return {"measured": ([row.error for row in rows], [row.error for row in rows])}
