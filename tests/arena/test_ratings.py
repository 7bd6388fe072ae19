"""Ratings on one scale, against players whose strength is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.arena.ratings import rate
from engine.arena.statistics import elo_of, score_of


def test_two_players_are_as_far_apart_as_their_score_says():
    ratings = rate({("strong", "weak"): (1500.0, 2000)})
    found = ratings.difference("strong", "weak")
    assert found.value == pytest.approx(elo_of(0.75), abs=1)
    assert found.low < found.value < found.high
    assert ratings.difference("weak", "strong").value == -found.value


def test_strengths_are_found_again():
    truth = {"a": 0.0, "b": 120.0, "c": 260.0, "d": 500.0}
    chance = np.random.default_rng(3)
    points = {(one, other): (float(chance.binomial(2000, score_of(truth[one] - truth[other]))), 2000)
              for one, other in itertools.combinations(truth, 2)}
    ratings = rate(points)
    for name, elo in truth.items():
        found = ratings.difference(name, "a")
        assert found.value == pytest.approx(elo, abs=15)
        assert found.low - 10 <= elo <= found.high + 10


def test_players_who_never_met_are_compared_through_others():
    ratings = rate({("a", "b"): (750.0, 1000), ("b", "c"): (750.0, 1000)})
    assert ratings.difference("a", "c").value == pytest.approx(2 * elo_of(0.75), abs=3)


def test_whoever_won_every_game_is_strong_but_not_infinitely_so():
    assert 300 < rate({("a", "b"): (20.0, 20)}).difference("a", "b").value < 1000
