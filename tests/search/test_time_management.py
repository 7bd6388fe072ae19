"""Time management: its arithmetic and its guarantees."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.time_management import EXPECTED_MOVES_TO_GO, ClockState, fixed_time_budget, time_budget, time_factor

SECONDS = st.floats(0, 100_000, allow_nan=False)


@given(SECONDS, st.floats(0, 600), st.none() | st.integers(1, 200), st.floats(0, 10))
def test_no_move_ever_needs_more_than_the_clock_has(left, increment, moves, overhead):
    spent = time_budget(ClockState(left, increment, moves), overhead)
    assert 0 < spent.soft <= max(spent.hard, 0.001)
    if left > overhead + 0.01:
        assert spent.hard <= left - overhead
    if left > 0.01:
        assert spent.hard < left


@given(st.floats(-1000, 0))
def test_an_empty_clock_still_gets_a_move(left):
    assert 0 < time_budget(ClockState(left), 0.02).hard <= 0.001


def test_a_game_without_increment_lasts_for_two_hundred_moves():
    left = 60.0
    for _ in range(200):
        left -= time_budget(ClockState(left), 0.02).soft + 0.005  # what is really lost on the way
        assert left > 0


@pytest.mark.parametrize(("base", "increment", "overhead", "delay"), [
    (0.1, 0.001, 0.02, 0.001), (1, 0.01, 0.02, 0.008), (1, 0.01, 0.02, 0.02), (10, 0.1, 0.02, 0.02),
    (60, 0, 0.02, 0.02), (0.5, 0.03, 0.02, 0.02), (60, 0.6, 0.1, 0.1),
])
def test_the_flag_never_falls_though_every_move_is_delayed(base, increment, overhead, delay):
    """Delays of the system come on top of what the search was given, and now and then it uses all that it may."""
    generator, left, moves = random.Random(1), base, 0
    # A delay beyond increment and share is affordable only for a limited number of moves, those of a long game.
    while moves < 150:
        spent = time_budget(ClockState(left, increment), overhead)
        used = spent.hard if generator.random() < 0.03 else spent.soft
        left -= used + generator.random() * delay
        assert left > 0, moves
        left += increment
        moves += 1


def test_all_time_before_a_control_is_used_but_never_exceeded():
    left = 60.0
    for moves in range(40, 0, -1):
        spent = time_budget(ClockState(left, 0.0, moves), 0.02)
        left -= spent.soft + 0.02
        assert left > 0
    assert left < 20


def test_the_increment_is_spent():
    assert time_budget(ClockState(10, 2), 0.02).soft > time_budget(ClockState(10, 0), 0.02).soft + 1


def test_more_moves_to_go_leave_less_for_each():
    times = [time_budget(ClockState(100, 0, moves), 0.02).soft for moves in range(1, 41)]
    assert times == sorted(times, reverse=True)
    assert time_budget(ClockState(100), 0.02).soft < 100 / (EXPECTED_MOVES_TO_GO - 1)


def test_a_time_for_one_move_is_used_up():
    assert 4.9 < fixed_time_budget(5, 0.02).hard < 5 <= fixed_time_budget(5, 0.02).soft
    assert 0.0009 <= fixed_time_budget(0.001, 0.02).hard <= 0.001
    assert fixed_time_budget(-3, 0.02).hard > 0


def test_patience_falls_while_the_move_is_steady_and_rises_with_trouble():
    calm = [time_factor(steady, 0, 0.5) for steady in range(10)]
    assert calm == sorted(calm, reverse=True)
    assert time_factor(0, 60, 0.5) > time_factor(0, 10, 0.5) > time_factor(0, -50, 0.5)
    assert time_factor(3, 0, 0.2) > time_factor(3, 0, 0.95)
    assert 0.3 < time_factor(9, 0, 1.0) < time_factor(0, 500, 0.0) < 4.5
