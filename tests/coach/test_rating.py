"""The user's rating, against the worked example of its author and what follows from the definition."""

from __future__ import annotations

import pytest

from engine.coach.rating import RatedGame, Rating, expected_score, update_rating

PLAYER = Rating(1500, 200, 0.06)
OPPONENTS = [RatedGame(Rating(1400, 30), 1), RatedGame(Rating(1550, 100), 0), RatedGame(Rating(1700, 300), 0)]


def test_the_worked_example_of_glickman():
    rating = update_rating(PLAYER, OPPONENTS)
    assert rating.value == pytest.approx(1464.06, abs=0.02)
    assert rating.deviation == pytest.approx(151.52, abs=0.02)
    assert rating.volatility == pytest.approx(0.05999, abs=0.00001)


def test_the_expected_scores_of_the_example():
    assert [expected_score(PLAYER, result.opponent) for result in OPPONENTS] == pytest.approx([0.639, 0.432, 0.303],
                                                                                             abs=0.001)


def test_without_results_only_the_uncertainty_grows():
    rating = update_rating(PLAYER, [])
    assert rating.value == PLAYER.value
    assert rating.volatility == PLAYER.volatility
    assert rating.deviation == pytest.approx(200.27, abs=0.01)  # sqrt(200**2 + (0.06 * 173.7178)**2)


def test_the_uncertainty_shrinks_to_a_floor_and_never_grows_beyond_that_of_an_unknown():
    rating = Rating()
    for _ in range(500):
        rating = update_rating(rating, [RatedGame(Rating(rating.value, 60), score) for score in (0, 0, 1, 1)])
    assert rating.deviation == 45
    for _ in range(100_000):
        rating = update_rating(rating, [])
    assert rating.deviation == 350


@pytest.mark.parametrize("score", [0, 1])
def test_a_long_row_of_surprises_converges(score):
    rating = PLAYER
    for _ in range(200):
        rating = update_rating(rating, [RatedGame(Rating(1500, 60), score)])
    assert (rating.value > 2000) == (score == 1)
    assert 0 < rating.volatility < 1


def test_the_rating_is_shown_with_its_uncertainty():
    assert str(Rating(1612.4, 50)) == "1612 ± 98"
