"""The player behind the protocol: positions that go on, and the time it allows itself."""

from __future__ import annotations

import threading
import time

import chess
import pytest

from engine.core.game import Game, parse_legal_moves
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.system.errors import InputError
from tests.timing import assert_spent, assert_within

GAME = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1", "g8f6", "d2d4", "e5d4"]


@pytest.fixture
def player() -> Player:
    return Player(Settings())


def test_a_game_that_goes_on_is_the_same_as_one_that_is_told_at_once(player):
    for plies in (1, 4, 5, 10, 6, 6, 0, 9):  # on, and back
        player.set_position(None, GAME[:plies])
        whole, board = Player(Settings()), chess.Board()
        whole.set_position(None, GAME[:plies])
        for text in GAME[:plies]:
            board.push_uci(text)
        assert player.game.fen() == whole.game.fen() == board.fen(en_passant="legal")
        assert player.game.position.key == whole.game.position.key
        assert player.game.moves == whole.game.moves


def test_another_line_and_another_start_are_read_anew(player):
    player.set_position(None, GAME)
    player.set_position(None, ["d2d4", *GAME[1:3]])
    assert player.game.fen().startswith("rnbqkbnr/pppp1ppp/8/4p3/3P4/5N2")
    player.set_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1", [])
    player.set_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1", ["e1g1"])
    assert player.game.fen() == "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"


def test_an_illegal_move_later_on_changes_nothing(player):
    player.set_position(None, GAME[:4])
    before = player.game.fen()
    with pytest.raises(InputError):
        player.set_position(None, [*GAME[:6], "a1a8"])
    assert player.game.fen() == before
    player.set_position(None, GAME[:5])
    assert len(player.game.moves) == 5


def test_repetitions_are_counted_across_the_moves_told_one_by_one(player):
    dance = ["g1f3", "g8f6", "f3g1", "f6g8"] * 2
    for plies in range(len(dance) + 1):
        player.set_position(None, dance[:plies])
    assert player.game.repetitions() == 3


@pytest.mark.parametrize(("order", "low", "high"), [
    (GoRequest(movetime=200), 0.15, 0.3),
    (GoRequest(times=(200, None), movetime=5000), 0.0, 0.2),
    (GoRequest(times=(None, 200)), 0.0, 0.2),
    (GoRequest(times=(100, 100), increments=(1, 1)), 0.0, 0.06),
])
def test_orders_are_answered_in_their_time(player, order, low, high):
    player.load()

    def answer() -> None:
        result = player.go(order, time.perf_counter(), SearchSignals(), lambda found: None)
        assert result.move in player.game.legal_moves()

    assert_spent(low, high, answer)


def test_signals_given_before_the_search_are_heard(player):
    player.load()
    for name in ("stop", "ponderhit"):
        signals = SearchSignals()
        getattr(signals, name).set()
        assert_within(0.5, lambda signals=signals: player.go(
            GoRequest(times=(300, 300), ponder=True), time.perf_counter(), signals, lambda found: None))


def test_more_memory_than_the_machine_should_give_is_refused(player):
    settings = Settings()
    greedy = Player(settings)
    settings.set(find_option("Hash"), "1048576")
    with pytest.raises(InputError, match="more than half of this machine's memory"):
        greedy.apply(find_option("Hash"))


def test_search_moves_are_resolved_in_their_order_and_illegal_ones_rejected():
    rejected: list[str] = []
    game = Game()
    moves = parse_legal_moves(game, ("g1f3", "e2e5", "a2a3", ""), rejected.append)
    assert [game.uci(move) for move in moves] == ["g1f3", "a2a3"]
    assert rejected == ["e2e5", ""]
    assert parse_legal_moves(game, (), rejected.append) == ()


def test_a_ponderhit_after_the_limits_are_set_is_heard(player, monkeypatch):
    """The search is not there yet, so it has to ask for the signal when it begins."""
    player.load()
    set_limits = player._limits

    def answer() -> None:
        signals = SearchSignals()

        def set_limits_then_hit(*arguments):
            limits = set_limits(*arguments)
            signals.ponderhit.set()
            player.signal(signals)
            return limits

        monkeypatch.setattr(player, "_limits", set_limits_then_hit)
        request = GoRequest(times=(300, 300), ponder=True)
        assert player.go(request, time.perf_counter(), signals, lambda found: None).move

    assert_within(0.5, answer)


@pytest.mark.parametrize("is_limited", [False, True])
def test_stop_is_obeyed_while_kernels_are_being_compiled(player, monkeypatch, is_limited):
    if is_limited:
        monkeypatch.setattr(player._settings, "uci_limit_strength", True)
        monkeypatch.setattr(player._settings, "level_book", False)
        # Using the level now would mean waiting for its kernels.
        monkeypatch.setattr(player._limited, "prepare", lambda *_: pytest.fail("the level was used"))
        player._prepare_level()
    release = threading.Event()
    compiling = threading.Thread(target=release.wait, daemon=True)
    compiling.start()
    monkeypatch.setattr(player, "_loading", compiling)
    monkeypatch.setattr("engine.player.player.is_compiling", lambda: True)
    signals, reports = SearchSignals(), []
    signals.stop.set()
    answer: list[int] = []

    def go() -> None:
        answer.append(player.go(GoRequest(nodes=1000), time.perf_counter(), signals, reports.append).move)

    asked = threading.Thread(target=go, daemon=True)
    asked.start()
    try:
        asked.join(120)
        assert answer and answer[0] != 0
        assert any("using alphabeta" in getattr(report, "text", "") for report in reports)
    finally:
        release.set()
        asked.join()
