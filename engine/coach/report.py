"""A report over many games of one player: results and accuracy by opening, colour, phase, opponent, time and date.

Every statistic has the number of games that it rests on, and an error: half the width of its 95 % interval. Below
LEAST_GAMES games there is neither, since the interval would say nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from engine.analysis.accuracy import Phase, PhaseSums, PlayerAccuracy
from engine.coach.report_games import ReportGame, ReportMove, player_accuracy

LEAST_GAMES = 5  # of a percentage
LEAST_MOVES = 20  # of a rate of mistakes
_MISTAKES = ("?", "??")
_DEVIATIONS = 1.96  # on each side of a 95 % interval
_MOST_BLOCKS = 10  # of the trend
_NEAR = 100  # rating points within which opponents are equal
_ELO_STEP = 200  # of opponents of a player without a rating
# The shares of the time for the game down to which a move belongs to a row.
_CLOCK_ROWS = ((0.5, "more than half"), (0.2, "20 to 50 %"), (0.1, "10 to 20 %"), (-1.0, "less than 10 %"))
SHORT_OF_TIME = _CLOCK_ROWS[-1][1]


class Percentage(NamedTuple):
    """A number and half the width of its 95 % interval."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.0f} ± {self.error:.0f}"

    def differs_from(self, other: Percentage) -> bool:
        """Whether the two are different beyond their errors."""
        return abs(self.value - other.value) > math.hypot(self.error, other.error)


class GameGroup(NamedTuple):
    """Some of the games: the score and the accuracy in per cent, None where too few games say anything."""

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: Percentage | None
    accuracy: Percentage | None


class MoveGroup(NamedTuple):
    """Some of the moves at which something was at stake: how many of 100 are mistakes or blunders."""

    name: str
    moves: int
    mistakes: int
    rate: Percentage | None


class ThemeGroup(NamedTuple):
    """How often a theme was missed and allowed in moves that are marked as bad."""

    name: str
    missed: int
    allowed: int
    games: int


class EndingGroup(NamedTuple):
    """The games that came to an ending of the tables, by the result of their first position for the player."""

    name: str
    games: int
    won: int  # games in which that position was won ...
    won_kept: int  # ... and that were won
    drawn: int  # that was drawn ...
    drawn_kept: int  # ... and not lost
    thrown: int  # moves of the player that gave away half a point or more


@dataclass(frozen=True)
class Report:
    """The statistics of a player's games."""

    player: str
    games: Sequence[ReportGame]  # by date
    total: GameGroup
    colors: Sequence[GameGroup]
    openings: Sequence[GameGroup]  # the most frequent first
    opponents: Sequence[GameGroup]
    phases: Sequence[tuple[str, int, Percentage | None, float]]  # name, games, accuracy, points lost per game
    clocks: Sequence[MoveGroup]
    themes: Sequence[ThemeGroup]
    endings: Sequence[EndingGroup]
    blocks: Sequence[GameGroup]  # by date, the earliest first
    performance: tuple[float, Percentage | None] | None  # expected by the ratings, and scored, in per cent

    @property
    def judged(self) -> list[ReportGame]:
        """The games whose moves are judged."""
        return [game for game in self.games if game.accuracy]

    @property
    def change(self) -> tuple[Percentage, bool] | None:
        """By how much the later half of the dated games is more accurate than the earlier, and whether it is proven."""
        dated = [game for game in self.judged if game.date]
        halves = [accuracy_of(part) for part in (dated[: len(dated) // 2], dated[len(dated) // 2 :])]
        earlier, later = halves
        if earlier is None or later is None:
            return None
        gain = Percentage(later.value - earlier.value, math.hypot(earlier.error, later.error))
        return gain, earlier.differs_from(later)


def build_report(player: str, games: Iterable[ReportGame]) -> Report:
    """The report over these games."""
    ordered = sorted(games, key=lambda game: (not game.date, game.date.replace("?", "0"), game.number))
    judged = [game for game in ordered if game.accuracy]
    openings = _groups(ordered, opening_of)
    return Report(
        player, ordered, group("all games", ordered),
        sorted(_groups(ordered, lambda game: "White" if game.is_white else "Black"), key=lambda row: row.name)[::-1],
        sorted(openings, key=lambda row: -row.games), _opponents(ordered), _phases(judged), _clock_rows(judged),
        _themes(judged), _endings(judged), _blocks([game for game in ordered if game.date]), _performance(ordered))


def group(name: str, games: Sequence[ReportGame]) -> GameGroup:
    """The results and the accuracy of some games."""
    points = [game.points for game in games if game.points is not None]
    return GameGroup(name, len(games), points.count(1.0), points.count(0.5), points.count(0.0), score_of(points),
                     accuracy_of([game for game in games if game.accuracy]))


def score_of(points: Sequence[float]) -> Percentage | None:
    """The score in per cent. The error counts one win and one loss more, so that it is never nothing."""
    if len(points) < LEAST_GAMES:
        return None
    widened = [*points, 0.0, 1.0]
    mean = sum(widened) / len(widened)
    variance = sum((value - mean) ** 2 for value in widened) / len(widened)
    return Percentage(100 * sum(points) / len(points), 100 * _DEVIATIONS * math.sqrt(variance / len(widened)))


def accuracy_of(games: Sequence[ReportGame], phase: Phase | None = None) -> Percentage | None:
    """The accuracy over all moves of some games, or of a phase; the error by leaving out one game at a time."""
    each = [game.sums if phase is None else PhaseSums(**game.accuracy["sums"][phase.value]) for game in games]
    each = [sums for sums in each if sums.stakes]
    total = PhaseSums()
    total.add_all(each)
    if len(each) < LEAST_GAMES or total.accuracy is None:
        return None
    without = [PhaseSums(total.stakes - sums.stakes, total.accuracies - sums.accuracies,
                         total.inverses - sums.inverses).accuracy for sums in each]
    known = [value for value in without if value is not None]
    if len(known) < len(each):
        return None  # one game has nearly all that was at stake
    mean = sum(known) / len(known)
    spread = sum((value - mean) ** 2 for value in known) * (len(known) - 1) / len(known)
    return Percentage(total.accuracy, _DEVIATIONS * math.sqrt(spread))


def opening_of(game: ReportGame) -> str:
    """The opening of a game without its variation, and the player's colour."""
    family = game.opening.partition(":")[0].partition(",")[0].strip()
    return f"{family or 'no named opening'} ({'White' if game.is_white else 'Black'})"


def is_mistake(move: ReportMove) -> bool:
    """Whether a move is a mistake or a blunder, rather than an inaccuracy."""
    return move.mark in _MISTAKES


def clock_row(move: ReportMove) -> str | None:
    """The row of the time left to which a move belongs; None if its time is unknown."""
    return None if move.clock is None else next(name for least, name in _CLOCK_ROWS if move.clock > least)


def accuracy_total(games: Iterable[ReportGame]) -> PlayerAccuracy:
    """The pooled accuracy of judged games."""
    total = PlayerAccuracy()
    total.add_all(map(player_accuracy, games))
    return total


def _groups(games: Sequence[ReportGame], name_of: Callable[[ReportGame], str]) -> list[GameGroup]:
    members_of: dict[str, list[ReportGame]] = {}
    for game in games:
        members_of.setdefault(name_of(game), []).append(game)
    return [group(name, members) for name, members in members_of.items()]


def _opponents(games: Sequence[ReportGame]) -> list[GameGroup]:
    """The games by the opponent's strength: beside the player's rating, or in steps if the player has none."""
    rated = [game for game in games if game.opponent_elo is not None]
    compared = [game for game in rated if game.elo is not None]
    if compared:
        names = (f"stronger by {_NEAR} or more", f"within {_NEAR}", f"weaker by {_NEAR} or more")

        def name_of(game: ReportGame) -> str:
            difference = (game.opponent_elo or 0) - (game.elo or 0)
            return names[0] if difference >= _NEAR else names[2] if difference <= -_NEAR else names[1]

        return sorted(_groups(compared, name_of), key=lambda row: names.index(row.name))
    steps = _groups(rated, lambda game: f"{(game.opponent_elo or 0) // _ELO_STEP * _ELO_STEP}")
    return [row._replace(name=f"{row.name} to {int(row.name) + _ELO_STEP - 1}")
            for row in sorted(steps, key=lambda row: int(row.name))]


def _performance(games: Sequence[ReportGame]) -> tuple[float, Percentage | None] | None:
    expected, points = list[float](), list[float]()
    for game in games:
        if game.elo is not None and game.opponent_elo is not None and game.points is not None:
            expected.append(1 / (1 + 10 ** ((game.opponent_elo - game.elo) / 400)))
            points.append(game.points)
    return (100 * sum(expected) / len(expected), score_of(points)) if len(expected) >= LEAST_GAMES else None


def _phases(judged: Sequence[ReportGame]) -> list[tuple[str, int, Percentage | None, float]]:
    rows = []
    for phase in Phase:
        reached = [game for game in judged if any(move.phase == phase.value for move in game.moves)]
        lost = sum(move.lost for game in reached for move in game.moves
                   if move.phase == phase.value and move.stake)
        if reached:
            rows.append((phase.value, len(reached), accuracy_of(reached, phase), lost / len(reached)))
    return rows


def rate_of(mistakes: int, moves: int) -> Percentage | None:
    """Mistakes per hundred moves. The error counts one move and one mistake more, so that it is never nothing."""
    if moves < LEAST_MOVES:
        return None
    share = (mistakes + 1) / (moves + 2)
    return Percentage(100 * mistakes / moves, 100 * _DEVIATIONS * math.sqrt(share * (1 - share) / (moves + 2)))


def _clock_rows(judged: Sequence[ReportGame]) -> list[MoveGroup]:
    moves, mistakes = Counter[str](), Counter[str]()
    for game in judged:
        for move in game.moves:
            row = clock_row(move)
            if row is not None and move.stake:
                moves[row] += 1
                mistakes[row] += is_mistake(move)
    return [MoveGroup(name, moves[name], mistakes[name], rate_of(mistakes[name], moves[name]))
            for _, name in _CLOCK_ROWS if moves[name]]


def _themes(judged: Sequence[ReportGame]) -> list[ThemeGroup]:
    missed, allowed, games = Counter[str](), Counter[str](), dict[str, set[int]]()
    for game in judged:
        for move in game.moves:
            for theme, counts in ((move.missed, missed), (move.allowed, allowed)):
                if theme:
                    counts[theme] += 1
                    games.setdefault(theme, set()).add(game.number)
    return sorted((ThemeGroup(name, missed[name], allowed[name], len(games[name])) for name in games),
                  key=lambda row: (-row.missed - row.allowed, row.name))


def thrown_half_points(move: ReportMove) -> int:
    """The half points that a move gave away by the endgame tables."""
    return 0 if move.table is None else max(move.table[0] - move.table[1], 0)


def _endings(judged: Sequence[ReportGame]) -> list[EndingGroup]:
    games_of: dict[str, list[ReportGame]] = {}
    for game in judged:
        if game.ending is not None:
            games_of.setdefault(game.ending[0], []).append(game)
    rows = []
    for name, games in games_of.items():
        won = [game for game in games if game.ending == (name, 1)]
        drawn = [game for game in games if game.ending == (name, 0)]
        rows.append(EndingGroup(name, len(games), len(won), sum(game.points == 1 for game in won), len(drawn),
                                sum(game.points != 0 for game in drawn),
                                sum(thrown_half_points(move) > 0 for game in games for move in game.moves)))
    return sorted(rows, key=lambda row: (-row.games, row.name))


def _blocks(dated: Sequence[ReportGame]) -> list[GameGroup]:
    """The games by date, in parts of equal size with enough games each; none if there are too few for two."""
    number = min(len(dated) // LEAST_GAMES, _MOST_BLOCKS)
    if number < 2:
        return []
    borders = [len(dated) * part // number for part in range(number + 1)]
    parts = [dated[begin:end] for begin, end in pairwise(borders)]
    return [group(part[0].date if part[0].date == part[-1].date else f"{part[0].date} to {part[-1].date}", part)
            for part in parts]
