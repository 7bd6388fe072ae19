"""Elo, error and the sequential test, against published figures and simulated matches."""

from __future__ import annotations

import math
import random

import pytest

from engine.lab.arena.statistics import (
    SCORES,
    Sprt,
    _likeliest,
    elo_estimate,
    elo_of,
    likelihood_of_superiority,
    log_likelihood_ratio,
    mean_and_variance,
    pentanomial,
    score_of,
    wins_draws_losses,
)


def test_elo_is_the_logistic_scale():
    for elo, score in ((0, 0.5), (100, 0.640065), (200, 0.759747), (400, 0.909091), (-191, 0.249837)):
        assert score_of(elo) == pytest.approx(score, abs=1e-6)
        assert elo_of(score) == pytest.approx(elo, abs=0.01)


def test_pairs_are_counted_and_half_pairs_are_not():
    assert pentanomial({0: 1.0, 1: 0.5, 2: 0.0, 3: 0.0, 4: 0.5, 7: 1.0, 6: 1.0}) == (1, 0, 0, 1, 1)
    assert wins_draws_losses([1.0, 0.5, 0.5, 0.0]) == (1, 2, 1)


def test_the_error_is_that_of_the_pairs():
    """Pairs of one win and one loss have no variance, though the games have the largest there is."""
    assert elo_estimate((0, 0, 50, 0, 0)) == elo_estimate((0, 0, 5, 0, 0))
    estimate = elo_estimate((10, 20, 40, 20, 10))
    _, variance = mean_and_variance((10, 20, 40, 20, 10))
    assert estimate.value == pytest.approx(0)
    assert estimate.high == pytest.approx(elo_of(0.5 + 1.96 * math.sqrt(variance / 100)), abs=0.01)
    assert estimate.low == pytest.approx(-estimate.high)


def test_superiority():
    assert likelihood_of_superiority((1, 2, 3, 2, 1)) == pytest.approx(0.5)
    assert likelihood_of_superiority((0, 0, 9, 0, 0)) == 0.5
    assert likelihood_of_superiority((0, 0, 0, 0, 3)) == 1.0
    mean, variance = mean_and_variance((5, 20, 50, 30, 10))
    deviation = (mean - 0.5) / math.sqrt(variance / 115)
    assert likelihood_of_superiority((5, 20, 50, 30, 10)) == pytest.approx(0.5 * math.erfc(-deviation / math.sqrt(2)))


# Published results of Stockfish's test server: pairs, the bounds in Elo, and the ratio as it was printed there.
@pytest.mark.parametrize(("counts", "elo0", "elo1", "published"), [
    ((491, 7345, 29693, 7670, 465), -0.25, 1.25, 2.96),
    ((253, 4282, 17604, 4431, 286), -0.25, 1.25, 2.94),
    ((1284, 17437, 55536, 18085, 1292), 0.0, 2.0, 2.94),
    ((17, 253, 1042, 337, 39), -0.5, 1.5, 2.96),
    ((293, 5085, 20082, 5070, 326), -1.25, 0.25, 2.95),
    ((58, 3302, 33130, 3518, 84), 0.25, 1.25, 2.97),
])
def test_the_ratio_is_the_published_one(counts, elo0, elo1, published):
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(published, abs=0.06)


@pytest.mark.parametrize(("counts", "elo0", "elo1"), [
    ((10, 120, 250, 130, 12), 0.0, 5.0),
    ((3, 40, 300, 60, 5), 0.0, 2.0),
    ((80, 900, 1500, 950, 90), -1.75, 0.25),
])
def test_the_ratio_agrees_with_its_normal_approximation(counts, elo0, elo1):
    """For small differences the exact ratio is N (s1 - s0) (2 m - s0 - s1) / (2 v), the well-known approximation."""
    mean, variance = mean_and_variance(counts)
    low, high = score_of(elo0), score_of(elo1)
    approximation = sum(counts) * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(approximation, rel=0.02, abs=0.01)


def test_the_likeliest_distribution_beats_all_others_of_its_mean():
    """Numerator and denominator of the ratio are maxima: no other distribution with that mean explains more."""
    counts, generator = (12, 40, 80, 50, 18), random.Random(5)
    ratio = log_likelihood_ratio(counts, 0, 40)
    total = sum(counts)
    shares = [count / total for count in counts]
    best = _likeliest(shares, score_of(40))
    assert sum(best) == pytest.approx(1)
    assert sum(p * s for p, s in zip(best, SCORES, strict=True)) == pytest.approx(score_of(40))

    def likelihood(distribution):
        return sum(count * math.log(p) for count, p in zip(counts, distribution, strict=True))

    for _ in range(200):
        # Moves that keep the sum and the mean: take from three neighbours in the ratio 1 : -2 : 1.
        start, size = generator.randrange(3), generator.uniform(-1, 1) * 0.02
        other = list(best)
        for offset, factor in enumerate((1, -2, 1)):
            other[start + offset] += factor * size
        if min(other) > 0:
            assert likelihood(other) <= likelihood(best) + 1e-9
    null = _likeliest(shares, 0.5)
    assert ratio == pytest.approx(likelihood(best) - likelihood(null), rel=1e-3)


def simulated_pair(elo: float, generator: random.Random) -> int:
    """The class of a random pair between players of that difference, with half of the games drawn."""
    expected = score_of(elo)
    points = sum(1.0 if (chance := generator.random()) < expected - 0.25 else 0.5 if chance < expected + 0.25 else 0.0
                 for _ in range(2))
    return round(2 * points)


@pytest.mark.parametrize(("elo", "wanted"), [(0.0, False), (30.0, True)])
def test_the_test_errs_as_seldom_as_it_promises(elo, wanted):
    sprt, generator = Sprt(0.0, 30.0), random.Random(11)
    verdicts = []
    for _ in range(120):
        counts, decided = [0] * 5, None
        while decided is None:
            for _ in range(8):
                counts[simulated_pair(elo, generator)] += 1
            decided = sprt.verdict(counts)
        verdicts.append(decided)
    wrong = sum(verdict is not wanted for verdict in verdicts)
    assert wrong <= 12  # 5 % of 120 are 6; more than 12 would be a chance of one in a hundred


def test_bounds():
    low, high = Sprt(0, 5).bounds
    assert (low, high) == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert Sprt(0, 5).verdict((0, 0, 0, 0, 0)) is None
    # Wald's: log(beta / (1 - alpha)) and log((1 - beta) / alpha), from a table of logarithms.
    assert Sprt(0, 5, alpha=0.01, beta=0.2).bounds == pytest.approx((-1.5994, 4.3820), abs=1e-4)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    generator, hits = random.Random(3), 0
    for _ in range(200):
        counts = [0] * 5
        for _ in range(150):
            counts[simulated_pair(25.0, generator)] += 1
        estimate = elo_estimate(counts)
        hits += estimate.low <= 25.0 <= estimate.high
    assert 180 <= hits <= 199  # 190 expected
