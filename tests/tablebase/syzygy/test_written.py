"""Syzygy tables written by tests, compared with python-chess, and used by a search."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

import chess
import chess.syzygy
import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.state import new_state
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.player.tb_root import TbRoot
from engine.search.scores import MATE, NO_SCORE, TB_BAND, TB_WIN
from engine.search.tb import TbRecord, no_tb
from engine.search.types import Info, Limits
from engine.system.errors import InputError
from eval.evaluator import features_evaluator
from tablebase.material import parse_ending
from tablebase.random_positions import random_board
from tablebase.syzygy.tables import SyzygyTables
from tests.alphabeta.kernels import score_by_tb
from tests.tablebase.syzygy.writing import write_constant, write_random

WDL_MAGIC = bytes.fromhex("71e8235d")
WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = 2, 1, 0, -1, -2
ENDINGS = ("KRvK", "KPvK", "KRvKB", "KRvKR", "KNNvK", "KQNvK", "KRPvK", "KPPvK", "KPvKP", "KBvKP")


@pytest.fixture(scope="module")
def random_tables(tmp_path_factory) -> Path:
    """Every ending that a capture or promotion in ENDINGS leads to, with random values."""
    folder = tmp_path_factory.mktemp("random")
    smaller = [f"K{letter}vK" for letter in "PNBRQ"]
    for seed, name in enumerate(dict.fromkeys((*smaller, *ENDINGS))):
        write_random(folder, name, seed)
    return folder


@pytest.mark.parametrize("name", ENDINGS)
def test_the_kernel_reads_what_python_chess_reads(random_tables, name):
    syzygy, rng, values = SyzygyTables([random_tables]), random.Random(name), set()
    with chess.syzygy.open_tablebase(str(random_tables)) as reference:
        for _ in range(100):
            board = random_board(parse_ending(name), rng)
            if not board.has_legal_en_passant():
                values.add(reference.probe_wdl(board))
                assert syzygy.value(Game(board.fen()).position) == reference.probe_wdl(board), board.fen()
    assert syzygy.take_warnings() == []
    assert len(values) > 3


def constant_tb(folder: Path, white: int, black: int, is_fifty: bool) -> tuple[SyzygyTables, TbRecord]:
    """King and queen against king with these values and nothing else, as a search gets it; keep the tables alive."""
    write_constant(folder, "KQvK", white, black)
    syzygy, tb = SyzygyTables([folder]), no_tb()
    syzygy.prepare(parse_fen("7k/8/6K1/8/8/8/Q7/8 w - - 0 1"))
    syzygy.wait()
    tb.syzygy_address, tb.syzygy_max_pieces, tb.syzygy_depth, tb.max_pieces = syzygy.address, 3, 1, 3
    tb.use_rule50 = is_fifty
    return syzygy, tb


@pytest.mark.parametrize("is_fifty", [True, False])
@pytest.mark.parametrize("value", [WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS])
@pytest.mark.parametrize("side", ["w", "b"])
def test_cursed_wins_and_blessed_losses_are_draws_if_the_fifty_move_rule_counts(tmp_path, side, value, is_fifty):
    syzygy, tb = constant_tb(tmp_path, *((value, DRAW) if side == "w" else (DRAW, value)), is_fifty)
    state, ply, fen = new_state(evaluation=features_evaluator()), 3, f"7k/8/6K1/8/8/8/Q7/8 {side} - - {{}} 60"
    state["tb"] = tb
    is_draw = value == DRAW or (is_fifty and abs(value) < WIN)
    expected = 0 if is_draw else (int(TB_WIN) - ply) * (1 if value > 0 else -1)
    fresh, late = parse_fen(fen.format(0)), parse_fen(fen.format(7))
    assert score_by_tb(fresh, state, ply, 1) == expected
    assert score_by_tb(late, state, ply, 1) == (NO_SCORE if is_fifty else expected), "values hold right after a capture"
    assert score_by_tb(fresh, state, ply, 0) == NO_SCORE, "quiescence does not wait for a disk"
    assert state.tb_hits == 2 - is_fifty
    assert syzygy.take_warnings() == []


@pytest.mark.parametrize(("white", "black", "with_rule", "without_rule"), [
    (WIN, LOSS, 1, 1), (CURSED_WIN, BLESSED_LOSS, 0, 1), (BLESSED_LOSS, CURSED_WIN, 0, -1), (LOSS, WIN, -1, -1)])
@pytest.mark.parametrize(("fen", "capture", "sign"), [
    ("8/8/8/8/8/2k5/p7/K6Q w - - 9 60", "a1a2", 1), ("6KQ/8/8/8/8/8/1kP5/8 b - - 9 60", "b2c2", -1)])
def test_a_search_takes_a_cursed_win_for_a_draw_if_the_fifty_move_rule_counts(tmp_path, fen, capture, sign, white,
                                                                              black, with_rule, without_rule):
    """The capture leads to king and queen against king, with these values for White and Black to move."""
    game = Game(fen)
    move = next(move for move in game.legal_moves() if game.uci(move) == capture)
    for is_fifty, result in ((True, with_rule), (False, without_rule)):
        syzygy, tb = constant_tb(tmp_path, white, black, is_fifty)
        searcher = AlphaBetaSearch(1, evaluation=features_evaluator())
        searcher.set_tb(tb)
        score = searcher.run(game.position, Limits(depth=3, search_moves=(move,))).score
        assert int(score >= TB_BAND) - int(score <= -TB_BAND) == sign * result
        assert result or score == 0
        assert searcher.tb_hits > 0
        assert syzygy.take_warnings() == []


@pytest.mark.parametrize(("spoil", "reason"), [
    (lambda path: path.write_bytes(b""), "empty"),
    (lambda path: path.write_bytes(path.read_bytes()[:-64]), "truncated"),
    (lambda path: path.write_bytes(b"x" * 80), "invalid magic header"),
    (lambda path: path.write_bytes(path.read_bytes()[:50]), "invalid file size"),
    (lambda path: path.write_bytes(path.read_bytes()[:16]), "damaged"),
    (lambda path: shutil.copy(path.with_name("KRvK.rtbw"), path), "a different ending"),
])
def test_a_broken_table_gives_one_warning_and_the_others_are_used(tmp_path, spoil, reason):
    write_constant(tmp_path, "KRvK", WIN, LOSS)
    spoil(write_random(tmp_path, "KQvK", 1))
    syzygy = SyzygyTables([tmp_path])
    assert syzygy.value(Game("7k/8/6K1/8/8/8/Q7/8 w - - 0 1").position) is None
    (warning,) = syzygy.take_warnings()
    assert str(tmp_path / "KQvK.rtbw") in warning and reason in warning and "\n" not in warning
    assert syzygy.value(Game("7k/8/6K1/8/8/8/R7/8 w - - 0 1").position) == WIN
    assert syzygy.take_warnings() == []


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "empty"), (b"x" * 80, "invalid magic header"), (WDL_MAGIC + bytes(12 + 64), "damaged"),
    (WDL_MAGIC + random.Random(1).randbytes(12 + 64), "damaged"),
    (WDL_MAGIC + random.Random(1).randbytes(12 + 64 * 1000), "damaged"), (WDL_MAGIC + bytes(99), "invalid file size"),
])
@pytest.mark.parametrize(("name", "fen"), [("KQRvKR", "4k3/r7/8/8/8/8/8/QR2K3 w - - 0 1"),
                                           ("KPPvKP", "4k3/p7/8/8/8/8/PP6/4K3 w - - 0 1")])
def test_damaged_tables_of_five_men_are_refused_in_one_line(tmp_path, name, fen, content, reason):
    (tmp_path / f"{name}.rtbw").write_bytes(content)
    syzygy = SyzygyTables([tmp_path])
    assert syzygy.value(Game(fen).position) is None
    (warning,) = syzygy.take_warnings()
    assert str(tmp_path / f"{name}.rtbw") in warning and reason in warning and "\n" not in warning


@pytest.mark.parametrize("seed", range(4))
def test_random_damage_never_ends_the_process(random_tables, tmp_path, seed):
    rng = random.Random(seed)
    for path in random_tables.iterdir():
        content = bytearray(path.read_bytes())
        for _ in range(30):
            content[rng.randrange(4, len(content))] = rng.randrange(256)
        (tmp_path / path.name).write_bytes(content)
    syzygy = SyzygyTables([tmp_path])
    for _ in range(200):
        value = syzygy.value(Game(random_board(parse_ending(rng.choice(ENDINGS)), rng).fen()).position)
        assert value is None or LOSS <= value <= WIN


def test_unusable_paths(tmp_path):
    good, settings = tmp_path / "good", Settings()
    good.mkdir()
    write_constant(good, "KQvK", WIN, LOSS)
    write_constant(good, "KRvKB", DRAW, DRAW)
    tb_root, found = TbRoot(settings), "2 Syzygy tables with up to 4 pieces"

    def apply(path: str) -> str | None:
        settings.set(find_option("SyzygyPath"), path)
        return tb_root.apply_syzygy()

    with pytest.raises(InputError, match="cannot read"):
        apply(f"{tmp_path}/none")
    with pytest.raises(InputError, match="no Syzygy tables in"):
        apply(str(tmp_path))
    assert apply(os.pathsep.join([str(tmp_path), str(good)])) == found
    result = apply(os.pathsep.join(["/no/such", str(good)]))
    assert result is not None and result.startswith(found) and "/no/such" in result
    for path in ("\0", "x" * 5000):
        with pytest.raises(InputError):
            apply(path)
        settings.set(find_option("TablePath"), path)
        with pytest.raises(InputError):
            tb_root.apply_own_tables()
    assert apply("") is None


def test_own_tables_cover_missing_syzygy_tables(tmp_path):
    write_constant(tmp_path, "KQvK", WIN, LOSS)
    settings = Settings()
    settings.set(find_option("SyzygyPath"), str(tmp_path))
    player, infos = Player(settings), []
    player.apply(find_option("SyzygyPath"))
    player.set_position("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", [])
    player.go(GoRequest(depth=2), time.perf_counter(), SearchSignals(), infos.append)
    assert [found.score for found in infos if isinstance(found, Info)] == [int(MATE) - 31]
