"""Ratings on one scale, against players whose strength is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.lab.arena.ratings import rate
from engine.lab.arena.statistics import elo_of, score_of


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


def test_known_players_fix_the_scale():
    """Two anchors 500 apart; a player between them, and one below who met only that player."""
    truth = {"low": 1350.0, "high": 1850.0, "a": 1600.0, "b": 1400.0}
    points = {(one, other): (10_000 * score_of(truth[one] - truth[other]), 10_000)
              for one, other in (("a", "low"), ("a", "high"), ("b", "a"))}
    ratings = rate(points, known={"low": 1350.0, "high": 1850.0})
    for name, elo in truth.items():
        assert ratings.rating(name).value == pytest.approx(elo, abs=2)
    assert ratings.rating("low").low == ratings.rating("low").high == 1350


def test_known_players_pull_a_player_both_ways():
    """It scores half against either of two players who are 200 apart: it must be between them."""
    ratings = rate({("a", "low"): (50.0, 100), ("a", "high"): (50.0, 100)}, known={"low": 1000.0, "high": 1200.0})
    assert ratings.rating("a").value == pytest.approx(1100, abs=1)
