"""Ratings of many players from the games between them, on one scale, which players of known strength may fix."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from engine.lab.arena.statistics import Estimate

Player = TypeVar("Player", bound=Hashable)
Matrix = npt.NDArray[np.float64]

_ROUNDS = 400  # of the fixed-point iteration; ratings then change by less than is printed
_PRIOR_POINTS = 0.5  # added to both sides of every pairing, so that a player that won every game gets a finite rating
_SAMPLES = 200
_CONFIDENCE = (2.5, 97.5)  # per cent of the samples


@dataclass(frozen=True)
class Ratings(Generic[Player]):
    """Elo ratings of some players, up to a common constant unless some of them were known."""

    players: tuple[Player, ...]
    fits: Matrix  # one column per player; the first row from the games, the others from resampled results

    def difference(self, first: Player, second: Player) -> Estimate:
        """The rating difference between two players, with a 95 % interval."""
        return _estimate(self.fits[:, self.players.index(first)] - self.fits[:, self.players.index(second)])

    def rating(self, player: Player) -> Estimate:
        """The rating of a player, with a 95 % interval: on the scale of the known ones, or over the average of all."""
        return _estimate(self.fits[:, self.players.index(player)])


def _estimate(fitted: Matrix) -> Estimate:
    value, (low, high) = float(fitted[0]), np.percentile(fitted[1:], _CONFIDENCE)
    return Estimate(value, min(float(low), value), max(float(high), value))


def rate(points: Mapping[tuple[Player, Player], tuple[float, int]], seed: int = 1,
         known: Mapping[Player, float] = MappingProxyType({})) -> Ratings[Player]:
    """Ratings from what the first of two players scored against the second, and in how many games.

    The model is Bradley and Terry's, with a draw as half a win; intervals come from resampling the results. The ratings
    of the `known` players are given; without any, the mean of all ratings is 0.
    """
    players = tuple(dict.fromkeys(player for pair in points for player in pair))
    first, second = (np.array([[player == pair[side] for player in players] for pair in points], float)
                     for side in (0, 1))
    games = np.array([games for _, games in points.values()], float)
    scored = np.array([score for score, _ in points.values()], float)
    scores = np.clip(scored / games, 1 / (2 * games), 1 - 1 / (2 * games))
    drawn = np.random.default_rng(seed).binomial(games.astype(int), scores, (_SAMPLES, len(points)))
    fixed = np.array([known.get(player, np.nan) for player in players])
    return Ratings(players, _fit(first, second, np.vstack([scored, drawn]), games, fixed))


def _fit(first: Matrix, second: Matrix, scored: Matrix, games: Matrix, fixed: npt.NDArray[np.float64]) -> Matrix:
    """The most likely ratings, a row for every row of scores.

    `first` and `second` are the one-hot players of each pairing. Each player's strength is repeatedly set so that it
    explains the player's points, until it converges. `fixed` are the known ratings, NaN for the others.
    """
    is_known, middle = ~np.isnan(fixed), float(np.nanmean(fixed)) if not np.isnan(fixed).all() else 0.0
    known = 10 ** ((fixed[is_known] - middle) / 400)
    wins = (scored + _PRIOR_POINTS) @ first + (games - scored + _PRIOR_POINTS) @ second
    strength = np.ones_like(wins)
    for _ in range(_ROUNDS):
        strength[:, is_known] = known
        met = (games + 2 * _PRIOR_POINTS) / (strength @ first.T + strength @ second.T)
        strength = wins / (met @ (first + second))
        if not known.size:
            strength /= np.exp(np.mean(np.log(strength), axis=1, keepdims=True))
    strength[:, is_known] = known
    return np.asarray(middle + 400 * np.log10(strength))
