"""Small promises of the protocol: lines for every answer, words for every refusal."""

from __future__ import annotations

import io
import random
import time

import chess
import chess.engine
import pytest

from engine.alphabeta import tt
from engine.core.game import Game
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.search.scores import TB_WIN
from engine.search.types import Info
from engine.system.processes import own_command, own_environment
from engine.uci.session import UciSession
from tablebase.background_reader import BackgroundReader
from tablebase.codes import is_won
from tablebase.tables import OwnTables

MATED = "6rk/8/8/8/8/8/6q1/7K w - - 0 1"
STALEMATE = "8/8/8/8/8/k7/p7/K7 w - - 0 1"


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
def test_a_client_sees_that_there_is_no_move(fen):
    with chess.engine.SimpleEngine.popen_uci(own_command(), env=own_environment()) as client:
        played = client.play(chess.Board(fen), chess.engine.Limit(depth=2))
    assert played.move is None and played.ponder is None


def player_with(**options: str) -> Player:
    settings = Settings()
    player = Player(settings)
    for name, value in options.items():
        option = find_option(name)
        settings.set(option, value)
        player.apply(option)
    return player


def infos_of(player: Player, request: GoRequest, fen: str | None = None) -> list[Info]:
    reports: list[Info | object] = []
    player.set_position(fen, [])
    player.get_ready()
    player.go(request, time.perf_counter(), SearchSignals(), reports.append)
    return [found for found in reports if isinstance(found, Info)]


@pytest.mark.parametrize("fen", ["8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", "8/8/8/3k4/8/3KP3/8/8 b - - 0 1",
                                 "8/8/1k6/8/1p6/1K6/8/8 w - - 0 1", "8/8/8/8/3k4/8/r7/2K4R w - - 0 1"])
def test_all_moves_of_a_table_position_are_shown_and_the_losing_ones_come_last(fen):
    moves = Game(fen).legal_moves()
    infos = infos_of(player_with(MultiPV="50"), GoRequest(depth=4), fen)
    last = infos[-len(moves):]
    assert sorted(info.pv[0] for info in last) == sorted(moves)
    assert [info.multipv for info in last] == list(range(1, len(moves) + 1))
    assert [info.score for info in last] == sorted((info.score for info in last), reverse=True)
    tables = OwnTables()
    for info in last:
        after = Game(fen)
        after.push_uci(after.uci(info.pv[0]))
        code = tables.code(after.position)
        if code is not None and not is_won(code):  # a draw, or won for who has moved
            assert info.score >= 0
        elif code is not None:
            assert info.score <= -TB_WIN


def test_a_limited_player_shows_as_many_lines_as_are_asked_for():
    for elo in ("1000", "2400"):
        player = player_with(UCI_LimitStrength="true", UCI_Elo=elo, MultiPV="3")
        player._limited.rng = random.Random(5)
        infos = infos_of(player, GoRequest(depth=3))
        assert [info.multipv for info in infos] == [1, 2, 3] and len({info.pv[0] for info in infos}) == 3


def test_a_book_move_has_a_line():
    (info,) = infos_of(player_with(OwnBook="true"), GoRequest(movetime=100))
    assert info.pv[0] in Game().legal_moves() and info.multipv == 1 and info.nodes == 0


def test_tables_that_do_not_fit_into_memory_are_not_called_damaged():
    reader = BackgroundReader()

    def read() -> None:
        raise MemoryError

    reader.run("KRvKN", read)
    assert reader.take_warnings() == ["not enough memory to load KRvKN"]


def test_a_default_hash_that_does_not_fit_becomes_a_smaller_one(monkeypatch):
    have = tt.zeroed_memory

    def little(size: int) -> memoryview:
        if size > 20 << 20:
            raise MemoryError
        return have(size)

    monkeypatch.setattr(tt, "zeroed_memory", little)
    player = Player(Settings())
    assert player.start_message == "not enough memory for Hash 64: using 16 MB"
    assert infos_of(player, GoRequest(depth=3))


def dialogue(*lines: str) -> list[str]:
    sink = io.StringIO()
    UciSession(io.BytesIO("\n".join(lines).encode() + b"\n"), sink).run()
    return sink.getvalue().splitlines()


@pytest.mark.parametrize("position", ["position fen nonsense", "position startpos moves e2e5", "position nowhere",
                                      "position fen 8/8/8/8/8/8/8/8 w - - 0 1"])
def test_an_answer_after_a_refused_position_says_so(position):
    said = dialogue("position startpos moves e2e4", position, "go depth 2")
    notice = "info string the last position was refused: the answer is for the one before it"
    assert said.count(notice) == 1 and said.index(notice) < len(said) - 1
    said = dialogue(position, "position startpos", "go depth 2")
    assert notice not in said
