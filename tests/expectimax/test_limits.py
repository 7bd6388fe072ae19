"""The limits of an expectimax search: nodes, time, and a stop."""

from __future__ import annotations

import math
import threading
from functools import partial

import pytest

from engine.core.game import Game
from engine.core.perft import PERFT_POSITIONS
from engine.search.types import Limits
from tests.expectimax.test_expectimax import MIDDLE_GAME, SEARCHER, search
from tests.positions import CROWD
from tests.timing import assert_within, clocked, shortest


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Have the kernels there before anything is timed."""
    SEARCHER.load()


def test_the_node_limit_is_kept():
    for nodes in (1, 100, 5000):
        game, result = search(PERFT_POSITIONS[1].fen, nodes=nodes)
        assert result.nodes <= nodes + 1
        assert result.move in game.legal_moves()
    assert SEARCHER.nodes == result.nodes


def assert_legal(fen: str, temperature: float, movetime: float) -> None:
    game, result = search(fen, temperature, movetime=movetime)
    assert result.move in game.legal_moves()


@pytest.mark.parametrize("movetime", [0.0, 0.001, 0.1])
@pytest.mark.parametrize("temperature", [math.inf, 60.0])
def test_a_search_without_time_has_a_legal_move(movetime, temperature):
    for fen in (MIDDLE_GAME, PERFT_POSITIONS[1].fen, CROWD):
        assert_within(movetime + 0.4, partial(assert_legal, fen, temperature, movetime))


def test_no_iteration_begins_late_in_the_soft_time():
    def search_with_soft_time(soft: float) -> None:
        _, result = search(MIDDLE_GAME, soft_time=soft, hard_time=1.0)
        assert result.infos
        assert all(info.seconds < soft for info in result.infos[:-1])

    for soft in (0.0, 0.2):
        assert_within(1.5, partial(search_with_soft_time, soft))
    assert search(MIDDLE_GAME, soft_time=0.0, hard_time=1.0)[1].depth == 1


def test_stop_ends_an_infinite_search():
    game = Game(MIDDLE_GAME)

    def search_until_stopped() -> None:
        SEARCHER.prepare(game.position, Limits())
        threading.Timer(0.2, SEARCHER.stop).start()
        assert SEARCHER.search().move in game.legal_moves()

    assert 0.15 < shortest(partial(clocked, search_until_stopped), 1.5) < 1.5


def test_a_stop_before_the_search_counts_and_can_be_cleared():
    SEARCHER.stop()
    assert search(MIDDLE_GAME)[1].depth == 1
    game = Game(MIDDLE_GAME)
    SEARCHER.prepare(game.position, Limits())
    SEARCHER.stop()
    assert SEARCHER.search().depth == 1
    SEARCHER.stop()
    SEARCHER.clear_stop()
    assert search(MIDDLE_GAME, depth=2)[1].depth == 2


def test_limits_may_come_while_the_search_runs():
    def search_with_late_limits(soft: float) -> None:
        SEARCHER.prepare(Game(MIDDLE_GAME).position, Limits())
        threading.Timer(0.1, SEARCHER.set_time, (soft, 0.4)).start()
        SEARCHER.search()

    for soft in (0.3, 0.0):
        measure = partial(clocked, partial(search_with_late_limits, soft))
        assert 0.05 < shortest(measure, 1.5) < 1.5
