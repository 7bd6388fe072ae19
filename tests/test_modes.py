"""The kinds of search as a GUI meets them: every mode answers every order, and says what UCI expects."""

from __future__ import annotations

import threading
import time

import chess
import pytest

from engine.core.game import Game
from engine.expectimax.factory import opponent_rating
from engine.expectimax.searcher import RandomMover
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.search.modes import MODES, mode_named
from engine.search.types import Info, Limits
from engine.system.errors import InputError
from tests.client import Client
from tests.positions import reference_board
from tests.timing import assert_within

NAMES = [mode.name for mode in MODES]
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"


def player_of(mode: str, **options: str) -> Player:
    settings = Settings()
    player = Player(settings)
    player.load()
    for name, value in {"Hash": "8", "SearchMode": mode, **options}.items():
        option = find_option(name.replace("_of_", " "))
        settings.set(option, value)
        player.apply(option)
    if player._loading is not None:
        player._loading.join()  # a test may have to wait for the compiler longer than a GUI
    return player


def go(player: Player, signals: SearchSignals | None = None, **order):
    infos: list[Info] = []
    result = player.go(GoRequest(**order), time.perf_counter(), signals or SearchSignals(),
                       lambda found: infos.append(found) if isinstance(found, Info) else None)
    return result, infos


@pytest.mark.parametrize("mode", NAMES)
def test_every_order_is_obeyed(mode):
    player = player_of(mode)
    player.set_position(MIDDLE_GAME, ["c4d5"])
    legal = player.game.legal_moves()
    for order in ({"nodes": 500}, {"movetime": 50}, {"depth": 2}, {"times": (2000, 2000)}, {"mate": 1, "movetime": 60},
                  {"times": (100, 100), "increments": (5, 5)}):
        def obey(order=order) -> None:
            result, infos = go(player, **order)
            assert result.move in legal, (mode, order)
            assert infos
            assert infos[-1].pv[0] == result.move

        assert_within(4.0, obey)


@pytest.mark.parametrize("mode", NAMES)
def test_stop_and_ponderhit(mode):
    player = player_of(mode)
    player.set_position(None, [])
    for order, call in (({"infinite": True}, "stop"), ({"ponder": True, "times": (200, 200)}, "ponderhit")):
        def obey(order=order, call=call) -> None:
            signals = SearchSignals()

            def call_out() -> None:
                getattr(signals, call).set()
                player.signal(signals)

            threading.Timer(0.15, call_out).start()
            result, _ = go(player, signals, **order)
            assert result.move in player.game.legal_moves()

        assert_within(3.0, obey)


@pytest.mark.parametrize("mode", NAMES)
def test_lines_of_multipv_and_search_moves(mode):
    player = player_of(mode, MultiPV="3")
    player.set_position(MIDDLE_GAME, [])
    _, infos = go(player, nodes=3000)
    last = infos[-3:]
    assert [info.multipv for info in last] == [1, 2, 3]
    assert len({info.pv[0] for info in last}) == 3
    for info in infos:
        board, cursor = reference_board(MIDDLE_GAME), player.game.copy()
        for move in info.pv:
            text = cursor.uci(move)
            assert board.is_legal(chess.Move.from_uci(text)), mode
            board.push_uci(text)
            cursor.push_uci(text)
    result, _ = go(player, nodes=300, search_moves=("a2a3", "h2h3"))
    assert player.game.uci(result.move) in ("a2a3", "h2h3")


@pytest.mark.parametrize("mode", NAMES)
def test_a_finished_game_has_no_move(mode):
    player = player_of(mode)
    for fen in ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"):
        player.set_position(fen, [])
        assert go(player, nodes=100)[0].move == 0


@pytest.mark.parametrize("mode", [mode for mode in NAMES if mode != "random"])
def test_a_mate_in_one_is_found(mode):
    player = player_of(mode, OwnTables="false")
    player.set_position(MATE_IN_ONE, [])
    result, _ = go(player, nodes=4000)
    assert player.game.uci(result.move) == "a1a8"


@pytest.mark.parametrize("mode", NAMES)
def test_tables_are_asked_first(mode):
    player = player_of(mode)
    player.set_position("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", [])
    player.get_ready()
    result, infos = go(player, nodes=100)
    assert infos[0].tb_hits
    assert result.score == 32_000 - 31


def test_modes_can_be_changed_in_the_middle():
    settings = Settings()
    player = Player(settings)
    player.set_position(None, ["e2e4"])
    for mode in (*NAMES, *reversed(NAMES)):
        changes = {"SearchMode": mode, "Threads": "2", "Hash": "3", "MCTS Pool": "20", "Opponent Elo": "900"}
        for name, value in (*changes.items(), ("Threads", "1")):
            option = find_option(name)
            settings.set(option, value)
            player.apply(option)
        player.new_game()
        assert go(player, nodes=50)[0].move in player.game.legal_moves()


def test_the_memory_of_a_tree_is_that_of_hash():
    for share in (10, 75, 90):
        search = mode_named("mcts").create(Settings(mcts_pool=share), 5)
        assert search.pool.nodes.nbytes + search.tt.words.nbytes + search.shared.size <= 5 << 20


def test_a_tree_says_its_own_chances():
    player = player_of("mcts", OwnTables="false")
    player.set_position(MIDDLE_GAME, [])
    _, infos = go(player, nodes=500)
    assert infos[-1].wdl is not None
    assert sum(infos[-1].wdl) == 1000
    assert min(infos[-1].wdl) >= 0
    player = player_of("puct")
    player.set_position(MIDDLE_GAME, [])
    assert go(player, nodes=500)[1][-1].wdl is None


def test_a_policy_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "bad.policy").write_bytes(b"nothing")
    settings = Settings(search_mode="mcts", policy_file=str(tmp_path / "bad.policy"))
    with pytest.raises(InputError, match=r"bad\.policy"):
        mode_named("mcts").create(settings, 4)


def test_values_out_of_range():
    settings = Settings()
    for name, value in (("SearchMode", "dfs"), ("Playout Policy", "heavy"), ("UCT Exploration", "-1"),
                        ("PUCT Exploration", "x"), ("MCTS Pool", "100"), ("MCTS Leaf Depth", "9"),
                        ("Opponent Elo", "-2")):
        with pytest.raises(InputError):
            settings.set(find_option(name), value)


@pytest.mark.parametrize("mode", NAMES)
def test_options_may_change_in_the_middle_of_a_search(mode):
    client = Client()
    client.load()
    client.say(f"setoption name SearchMode value {mode}", "position startpos")
    for change in ("UCI_Opponent value none 1800 human X", "MultiPV value 2", "Hash value 5", "MCTS Pool value 50",
                   "Opponent Elo value 300", "Threads value 2"):
        client.say("go infinite", f"setoption name {change}", "stop")
        assert client.until("bestmove")[-1] != "bestmove 0000"
    assert client.best("go nodes 50")
    assert client.quit() == 0


def test_who_the_opponent_is():
    settings = Settings()
    assert opponent_rating(settings) == 1500
    settings.set(find_option("UCI_Opponent"), "GM 2700 human Somebody")
    assert opponent_rating(settings) == 2700
    settings.set(find_option("Opponent Elo"), "0")
    assert opponent_rating(settings) == 0


def test_the_random_mover_plays_every_move():
    game, mover = Game(), RandomMover(7)
    assert {mover.run(game.position, Limits()).move for _ in range(400)} == set(game.legal_moves())
