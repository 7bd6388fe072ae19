"""The user's rating as a solver, by Glicko-2: a rating with its uncertainty, which shrinks with every attempt.

Mark E. Glickman, "Example of the Glicko-2 system": the steps below are numbered as there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

_SCALE = 173.7178  # rating points per unit of the internal scale
_CENTRE = 1500.0
_TAU = 0.5  # how much the volatility may change
_PRECISION = 1e-6
_LEAST_DEVIATION = 45.0  # a solver's strength is never known better, since it changes
_MOST_DEVIATION = 350.0  # of somebody unknown
_CONFIDENCE = 1.96  # deviations on each side of a 95 % interval


class Rating(NamedTuple):
    """A rating, its standard deviation, and its volatility."""

    value: float = _CENTRE
    deviation: float = _MOST_DEVIATION
    volatility: float = 0.06

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval."""
        return _CONFIDENCE * self.deviation

    def __str__(self) -> str:
        return f"{self.value:.0f} ± {self.error:.0f}"


class RatedGame(NamedTuple):
    """One game of a rating period: the opponent, or puzzle, and the score from 0 to 1."""

    opponent: Rating
    score: float


def expected_score(player: Rating, opponent: Rating) -> float:
    """The expected score of `player`, given how uncertain the opponent's rating is."""
    difference = (player.value - opponent.value) / _SCALE
    return 1 / (1 + math.exp(-_weight(opponent.deviation / _SCALE) * difference))


def update_rating(player: Rating, results: list[RatedGame]) -> Rating:
    """The rating after a rating period with these results; without any, only the deviation grows."""
    deviation = player.deviation / _SCALE
    if not results:
        return player._replace(deviation=_clamp_deviation(math.hypot(deviation, player.volatility) * _SCALE))
    # Steps 3 and 4: the variance of the rating by the results alone, and the improvement that they suggest.
    information = improvement = 0.0
    for opponent, score in results:
        weight, expected = _weight(opponent.deviation / _SCALE), expected_score(player, opponent)
        information += weight * weight * expected * (1 - expected)
        improvement += weight * (score - expected)
    variance = 1 / information
    volatility = _new_volatility(player.volatility, deviation, variance, improvement * variance)  # step 5
    before = math.hypot(deviation, volatility)  # step 6
    after = 1 / math.sqrt(1 / (before * before) + information)  # step 7
    value = player.value + _SCALE * after * after * improvement
    return Rating(value, _clamp_deviation(after * _SCALE), volatility)


def _weight(deviation: float) -> float:
    """How much a result counts against an opponent whose rating has this deviation."""
    return 1 / math.sqrt(1 + 3 * (deviation / math.pi) ** 2)


def _clamp_deviation(deviation: float) -> float:
    return min(max(deviation, _LEAST_DEVIATION), _MOST_DEVIATION)


def _new_volatility(volatility: float, deviation: float, variance: float, delta: float) -> float:
    """Step 5: the zero of `slope`, by the Illinois variant of regula falsi."""
    start = math.log(volatility * volatility)

    def slope(x: float) -> float:
        spread = deviation * deviation + variance + math.exp(x)
        return math.exp(x) * (delta * delta - spread) / (2 * spread * spread) - (x - start) / (_TAU * _TAU)

    low = start
    surprise = delta * delta - deviation * deviation - variance
    if surprise > 0:
        high = math.log(surprise)
    else:
        steps = 1
        while slope(start - steps * _TAU) < 0:
            steps += 1
        high = start - steps * _TAU
    slope_low, slope_high = slope(low), slope(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * slope_low / (slope_high - slope_low)
        slope_middle = slope(middle)
        if slope_middle * slope_high <= 0:
            low, slope_low = high, slope_high
        else:
            slope_low /= 2
        high, slope_high = middle, slope_middle
    return math.exp(low / 2)
