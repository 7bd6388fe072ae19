"""Statistics of match results: Elo with its error, likelihood of superiority (LOS), and the SPRT.

Games come in pairs, the same opening with colours reversed, so the independent unit is the pair: its score has five
values, which the pentanomial counts. All formulas work on that distribution.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a pair, as a fraction of its two points
CONFIDENCE = 1.959964  # standard deviations either side of the mean that hold 95 % of a normal distribution
_SMALLEST_SCORE = 1e-3  # beyond this, Elo has no meaning
_PRIOR = 1e-3  # pairs added to each empty class, so that no logarithm of zero is taken


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2

    def with_error(self) -> str:
        """As in tables of ratings: `+12 ± 7`."""
        return f"{self.value:+.0f} ± {self.error:.0f}"

    def with_interval(self, digits: int = 1) -> str:
        """As the result of a match, whose interval is not symmetric: `+12.3 [+4.9, +19.8]`."""
        return f"{self.value:+.{digits}f} [{self.low:+.{digits}f}, {self.high:+.{digits}f}]"


def pentanomial(points: Mapping[int, float]) -> tuple[int, ...]:
    """The numbers of pairs that scored 0, 1/2, 1, 3/2 and 2 points; `points` are by game number."""
    counts = [0] * len(SCORES)
    for number, first in points.items():
        if number % 2 == 0 and number + 1 in points:
            counts[round(2 * (first + points[number + 1]))] += 1
    return tuple(counts)


def elo_of(score: float) -> float:
    """The rating difference for an expected score from 0 to 1."""
    score = min(max(score, _SMALLEST_SCORE), 1 - _SMALLEST_SCORE)
    return -400 * math.log10(1 / score - 1)


def score_of(elo: float) -> float:
    """The expected score, from 0 to 1, for a rating difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def mean_and_variance(counts: Sequence[float], values: Sequence[float] = SCORES) -> tuple[float, float]:
    """The mean and the variance of a pair's score."""
    total = sum(counts)
    mean = sum(count * value for count, value in zip(counts, values, strict=True)) / total
    return mean, sum(count * (value - mean) ** 2 for count, value in zip(counts, values, strict=True)) / total


def elo_estimate(counts: Sequence[int]) -> Estimate:
    """Elo of the first player against the second, from the pentanomial."""
    mean, variance = mean_and_variance(counts)
    error = CONFIDENCE * math.sqrt(variance / sum(counts))
    return Estimate(elo_of(mean), elo_of(mean - error), elo_of(mean + error))


def likelihood_of_superiority(counts: Sequence[int]) -> float:
    """LOS: the likelihood that the first player is stronger."""
    mean, variance = mean_and_variance(counts)
    if variance == 0:
        return 0.5 if mean == 0.5 else float(mean > 0.5)
    return 0.5 * (1 + math.erf((mean - 0.5) / math.sqrt(2 * variance / sum(counts))))


def log_likelihood_ratio(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """The generalised log-likelihood ratio between the likeliest distributions with `elo1` and with `elo0`.

    The likeliest distribution with a given mean has the observed frequencies, each divided by 1 + x (score - mean), for
    the one x that gives it that mean.
    """
    filled = [count or _PRIOR for count in counts]
    total = sum(filled)
    frequencies = [count / total for count in filled]
    first, second = (_likeliest(frequencies, score_of(elo)) for elo in (elo0, elo1))
    return total * sum(frequency * math.log(b / a) for frequency, a, b in zip(frequencies, first, second, strict=True))


def _likeliest(frequencies: Sequence[float], mean: float) -> list[float]:
    """The distribution over SCORES with this mean under which the observed frequencies are most likely."""
    offsets = [score - mean for score in SCORES]
    low, high = -1 / max(offsets), -1 / min(offsets)  # between these every term is positive

    def excess(x: float) -> float:
        return sum(frequency * offset / (1 + x * offset)
                   for frequency, offset in zip(frequencies, offsets, strict=True))

    for _ in range(100):  # `excess` falls from +infinity to -infinity: halve the interval down to rounding
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return [frequency / (1 + low * offset) for frequency, offset in zip(frequencies, offsets, strict=True)]


@dataclass(frozen=True)
class Sprt:
    """The sequential probability ratio test between two hypotheses about the Elo difference."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # the probability of rejecting a true elo0
    beta: float = 0.05  # the same for elo1

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first, elo0 is accepted; above the second, elo1 is."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict(self, counts: Sequence[int]) -> bool | None:
        """Whether elo1 is accepted; None as long as more games are needed."""
        if not sum(counts):
            return None
        ratio, (low, high) = log_likelihood_ratio(counts, self.elo0, self.elo1), self.bounds
        return True if ratio >= high else False if ratio <= low else None


def wins_draws_losses(points: Iterable[float]) -> tuple[int, int, int]:
    """The first player's wins, draws and losses."""
    listed = list(points)
    return listed.count(1.0), listed.count(0.5), listed.count(0.0)
