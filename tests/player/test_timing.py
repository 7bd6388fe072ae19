"""The time for a move as the host's clocks tell it: delays are noticed, planned for, and never trusted too soon."""

from __future__ import annotations

import random

import pytest

from engine.core.game import Game
from engine.player.request import GoRequest
from engine.player.timing import LagEstimate, move_budget

ALLOWED = 20  # milliseconds


def order_with(left: float, increment: float = 0.01) -> GoRequest:
    return GoRequest(times=(int(left * 1000), int(left * 1000)), increments=(int(increment * 1000),
                                                                             int(increment * 1000)))


def played(lag: LagEstimate, delays: list[float], used: float = 0.03, left: float = 10.0) -> float:
    """Play a move of White per delay; returns what is left on the clock."""
    for ply, delay in enumerate(delays):
        order = order_with(left)
        lag.observe(order, 0, 2 * ply)
        lag.record_answer(order, 0, 2 * ply, used)
        left -= used + delay - 0.01
    lag.observe(order_with(left), 0, 2 * len(delays))
    return left


def test_the_delay_is_believed_after_a_few_moves():
    lag = LagEstimate()
    played(lag, [0.002, 0.002])
    assert lag.estimate(0.02) == 0.02
    lag.forget()
    played(lag, [0.002, 0.004, 0.002, 0.002])
    assert lag.estimate(0.02) == pytest.approx(0.006, abs=0.002)
    assert lag.estimate(0.003) == 0.003  # no more than is allowed for
    lag.forget()
    assert lag.estimate(0.02) == 0.02


def test_a_long_delay_is_remembered():
    lag = LagEstimate()
    played(lag, [0.001] * 8 + [0.015] + [0.001] * 8)
    assert lag.estimate(0.02) == 0.02
    played(lag, [0.001] * 20)
    assert lag.estimate(0.02) < 0.005


def test_nothing_is_learned_from_another_position_or_added_time():
    lag = LagEstimate()
    for ply in range(0, 20, 2):
        lag.observe(order_with(10.0), 0, ply)
        lag.record_answer(order_with(10.0), 0, ply, 0.5)  # the next clock shows more than it could
    assert lag.estimate(0.02) == 0.02
    for ply in range(0, 80, 8):
        lag.observe(order_with(5.0), 0, ply)
        lag.record_answer(order_with(10.0), 0, ply, 0.5)
    assert lag.estimate(0.02) == 0.02


def test_a_prompt_host_gives_more_time_where_it_matters():
    lag, order, game = LagEstimate(), order_with(1.0), Game()
    lag.observe(order, 0, 0)
    before = move_budget(order, game, ALLOWED, lag)
    played(lag, [0.001] * 6, left=1.0)
    after = move_budget(order, game, ALLOWED, lag)
    assert after.soft > 1.4 * before.soft
    assert after.hard <= 1.0 - ALLOWED / 1000


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("base", "increment"), [(0.2, 0.01), (1, 0.01), (8, 0.08), (10, 0)])
def test_the_flag_never_falls_though_a_prompt_host_becomes_slow(base, increment, seed):
    generator, lag, game, left = random.Random(seed), LagEstimate(), Game(), base
    for ply in range(0, 240, 2):
        delay = generator.random() * (0.002 if ply < 60 else 0.01)
        order = order_with(left, increment)
        lag.observe(order, 0, ply)
        spent = move_budget(order, game, ALLOWED, lag)
        used = spent.hard if generator.random() < 0.03 else spent.soft
        lag.record_answer(order, 0, ply, used)
        left -= used + delay
        assert left > 0, ply
        left += increment


def test_a_clock_that_is_shown_for_the_other_side_only_counts_for_both_with_its_increment():
    game = Game()
    full = move_budget(GoRequest(times=(60_000, 60_000), increments=(1000, 1000)), game, ALLOWED)
    assert move_budget(GoRequest(times=(None, 60_000), increments=(0, 1000)), game, ALLOWED) == full
    assert full is not None and full.soft > 1


def test_a_fixed_time_and_a_clock_both_bind():
    game = Game()
    clock = move_budget(GoRequest(times=(60_000, 60_000)), game, ALLOWED)
    both = move_budget(GoRequest(times=(60_000, 60_000), movetime=100), game, ALLOWED)
    assert clock is not None and both is not None
    assert both.hard < 0.1 < clock.hard
    assert both.soft == clock.soft



@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("base", "increment"), [(0.5, 0.01), (1, 0.01), (2, 0.02)])
def test_the_flag_never_falls_though_neighbours_are_busy(base, increment, seed):
    """Every answer is late by itself and once more on its way, now and then by three increments."""
    generator, lag, game, left = random.Random(seed), LagEstimate(), Game(), base
    for ply in range(0, 160, 2):
        order = order_with(left, increment)
        lag.observe(order, 0, ply)
        spent = move_budget(order, game, ALLOWED, lag)
        used = spent.hard if generator.random() < 0.05 else min(spent.soft * generator.uniform(0.6, 1.3), spent.hard)
        used += generator.expovariate(180)
        lag.record_answer(order, 0, ply, used, spent.hard)
        left -= used + generator.expovariate(220) + (0.03 * generator.random() if generator.random() < 0.1 else 0)
        assert left > 0, ply
        left += increment


def test_a_reserve_is_never_planned_away():
    lag, game, left = LagEstimate(), Game(), 4.0
    for ply in range(0, 400, 2):
        order = order_with(left, 0.04)
        lag.observe(order, 0, ply)
        spent = move_budget(order, game, ALLOWED, lag)
        lag.record_answer(order, 0, ply, spent.soft, spent.hard)
        left -= spent.soft - 0.04
    assert left > 0.1 + ALLOWED / 1000 and 4.0 + 200 * 0.04 - left > 0.97 * (4.0 + 200 * 0.04)


def test_moves_that_cost_more_than_their_increments_are_played_with_hardly_a_thought():
    """Otherwise the clock runs down however little is left: thought itself takes several times as long."""
    lag, game = LagEstimate(), Game()
    played(lag, [0.02] * 5)
    for _ in range(20):
        lag.record_work(0.02, 0.004)
    assert lag.estimate(0.02) == 0.02
    for increment, is_hurried in ((0.01, True), (0.02, True), (0.021, False), (0.0, False)):
        budget = move_budget(order_with(0.2, increment), game, 20, lag)
        assert budget is not None and (0 < budget.soft < 0.0005 and budget.hard < 0.001) == is_hurried, increment


def test_a_busy_machine_is_noticed_before_the_clock_runs_down():
    """Sixty answers of 3 ms, each taking four times as long, cost more than their increments of 10 ms."""
    lag, game = LagEstimate(), Game()
    lag.observe(order_with(0.5), 0, 0)
    before = lag.reserve(0.01)
    assert lag.slowdown == 1
    lag.record_work(0.02, 0.02)
    assert lag.slowdown == 1 and lag.reserve(0.01) == before  # a free machine
    for _ in range(4):
        lag.record_work(0.02, 0.004)
    assert lag.slowdown == pytest.approx(0.1 / 0.036)
    for _ in range(20):
        lag.record_work(0.02, 0.004)
    assert lag.slowdown == pytest.approx(5)
    assert lag.reserve(0.01) == pytest.approx(60 * (0.012 + 0.001 - 0.01))
    assert move_budget(order_with(0.5), game, 20, lag).soft < move_budget(order_with(0.5), game, 20, LagEstimate()).soft
    lag.forget()
    assert lag.slowdown == pytest.approx(5)  # the next game is played on the same machine


@pytest.mark.parametrize("threads", [1, 4])
def test_a_thread_that_computes_alone_tells_how_busy_the_machine_is(threads, monkeypatch):
    ticks = {"perf_counter": iter((1.0, 1.03)), "thread_time": iter((5.0, 5.01)), "process_time": iter((9.0, 9.01))}
    for name, times in ticks.items():
        monkeypatch.setattr(f"engine.player.timing.time.{name}", lambda times=times: next(times))
    lag = LagEstimate()
    with lag.watch_work(threads):
        pass
    assert lag.slowdown == pytest.approx(3)


def test_the_reserve_follows_the_first_clock_and_the_largest_delay():
    reserves = []
    for base in (0.5, 4.0, 60.0):
        lag = LagEstimate()
        lag.observe(order_with(base), 0, 0)
        reserves.append(lag.reserve(0.01) / base)
    assert reserves == sorted(reserves, reverse=True) and reserves[1] < 0.03
    lag = LagEstimate()
    played(lag, [0.001] * 3 + [0.1] + [0.001] * 30)
    assert lag.reserve(0.01) == pytest.approx(0.2)
    lag.forget()
    assert lag.reserve(0.01) == 0
