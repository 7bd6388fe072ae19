"""Regret matching and counterfactual regret minimisation, by the numbers of the notes."""

from __future__ import annotations

import random
import time

import pytest

from engine.course.reference import cfr
from engine.course.reference.game import MAX, MIN, UnsuitableGameError
from engine.course.reference.games.kuhn import Kuhn, Table
from engine.course.reference.games.rockpaperscissors import PAPER, PAYOFFS, ROCK, SCISSORS, RockPaperScissors
from engine.course.reference.minimax import minimax
from engine.course.reference.regret import RegretMatcher, exploitability, matched, play, regrets, value
from engine.course.reference.requirements import face_up
from tests.timing import slowness

EVEN = (1 / 3, 1 / 3, 1 / 3)
ROCK_LOVER = (0.5, 0.25, 0.25)


def test_regrets_of_the_notes():
    """Rock against paper: rock again brings as little, paper would have drawn, scissors would have won."""
    assert regrets(PAYOFFS, ROCK, PAPER) == (0, 1, 2)
    assert regrets(PAYOFFS, PAPER, ROCK) == (-1, 0, -2)


def test_probabilities_of_the_notes():
    assert matched((-1, 1, 2)) == pytest.approx((0, 1 / 3, 2 / 3))
    assert matched((0, 1, 2)) == pytest.approx((0, 1 / 3, 2 / 3))
    assert matched((-1, 0, -2)) == EVEN


def test_regrets_are_summed_over_games():
    learner = RegretMatcher(3)
    learner.learn(regrets(PAYOFFS, ROCK, PAPER), learner.strategy)
    learner.learn(regrets(PAYOFFS, PAPER, ROCK), learner.strategy)
    assert learner.totals == [-1, 1, 0]
    assert learner.strategy == (0, 1, 0)
    assert learner.average == pytest.approx((1 / 6, 1 / 3, 1 / 2))  # even play, then (0, 1/3, 2/3)


def test_paper_wins_out_against_one_who_prefers_rock():
    for seed in range(5):
        learner, _ = play(PAYOFFS, 2000, random.Random(seed), ROCK_LOVER)
        assert learner.strategy[PAPER] > 0.95
        assert learner.average[PAPER] > 0.95
    assert value(PAYOFFS, (0, 1, 0), ROCK_LOVER) == 0.25


def test_whoever_exploits_can_be_exploited():
    assert exploitability(PAYOFFS, EVEN) == pytest.approx(0)
    assert exploitability(PAYOFFS, ROCK_LOVER) == 0.25
    assert exploitability(PAYOFFS, (0, 1, 0)) == 1  # by scissors
    assert max(range(3), key=lambda hand: PAYOFFS[hand][PAPER]) == SCISSORS


def test_averages_of_self_play_converge_and_current_strategies_do_not():
    for seed in range(3):
        for learner in play(PAYOFFS, 20_000, random.Random(seed)):
            assert learner.average == pytest.approx(EVEN, abs=0.03)
            assert max(abs(chance - 1 / 3) for chance in learner.strategy) > 0.05


def test_minimax_does_not_apply_where_moves_are_hidden():
    """It lets MIN see what MAX has chosen, and thinks all is lost."""
    game = RockPaperScissors()
    with pytest.raises(UnsuitableGameError, match="this game hides something"):
        minimax(game, game.initial())
    assert minimax(face_up(game), game.initial()) == -1
    *_, learners = cfr.minimise(game, 2000)
    plan = cfr.averages(learners)
    assert cfr.value(game, game.initial(), plan) == pytest.approx(0, abs=0.001)
    assert plan(MAX, 3) == pytest.approx(EVEN, abs=0.03)
    assert cfr.exploitability(game, plan) < 0.03


@pytest.mark.parametrize(("history", "cards", "utility"), [
    ("pp", (2, 0), 1), ("pp", (0, 1), -1), ("bp", (0, 2), 1), ("pbp", (2, 0), -1), ("bb", (1, 0), 2),
    ("pbb", (0, 1), -2)])
def test_who_wins_the_pot_of_kuhn_poker(history, cards, utility):
    game = Kuhn()
    assert game.is_terminal(Table(cards, history))
    assert game.utility(Table(cards, history), MAX) == utility == -game.utility(Table(cards, history), MIN)


def family(bluffs: float) -> dict[str, float]:
    """How often each information set bets in the equilibrium whose first player bets so often with a jack."""
    return {"J": bluffs, "Q": 0, "K": 3 * bluffs, "Jpb": 0, "Qpb": bluffs + 1 / 3, "Kpb": 1,
            "Jp": 1 / 3, "Qp": 0, "Kp": 1, "Jb": 0, "Qb": 1 / 3, "Kb": 1}


@pytest.fixture(scope="module")
def solution():
    """The plan, and the CPU seconds that it took to find it."""
    started = time.process_time()
    *_, learners = cfr.minimise(Kuhn(), 2000)
    return cfr.averages(learners), time.process_time() - started


def test_the_value_of_kuhn_poker(solution):
    plan, seconds = solution
    game = Kuhn()
    assert round(cfr.value(game, game.initial(), plan), 4) == round(-1 / 18, 4) == -0.0556
    assert seconds < 10 * slowness()
    assert 0 <= cfr.exploitability(game, plan) < 0.001


def test_an_equilibrium_of_the_known_family(solution):
    """The first player bluffs with a jack as often as he likes, up to a third; all else follows."""
    plan, _ = solution
    bets = {view: plan(view, 2)[1] for view in family(0)}
    bluffs = bets["J"]
    assert 0 <= bluffs <= 1 / 3
    assert bets == pytest.approx(family(bluffs), abs=0.01)


def test_exploitability_of_the_family_and_of_plain_play():
    """Each member of the family loses to nobody; whoever always bets loses to one who knows it."""
    game = Kuhn()
    for bluffs in (0, 0.2, 1 / 3):
        bets = family(bluffs)

        def plan(view, _, bets=bets):
            return 1 - bets[view], bets[view]

        assert cfr.exploitability(game, plan) == pytest.approx(0, abs=1e-12)
        assert cfr.value(game, game.initial(), plan) == pytest.approx(-1 / 18)
    assert cfr.exploitability(game, lambda view, actions: (0.0, 1.0)) > 0.1
