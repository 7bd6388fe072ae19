"""The tables in the package, verified move by move with python-chess."""

from __future__ import annotations

import random
import threading

import chess
import chess.syzygy
import pytest

from engine.core.game import Game
from tablebase.codes import OUTCOME_DRAW, OUTCOME_LOSS, OUTCOME_WIN, is_won, move_value
from tablebase.files import TableKind
from tablebase.material import all_endings, endings_at_root, parse_ending
from tablebase.random_positions import random_board
from tablebase.tables import OwnTables, TableDirectory
from tests.positions import DATA

SYZYGY = DATA / "endgame" / "syzygy"
ENDINGS = [*all_endings(3), *all_endings(4)]
EN_PASSANT = ("8/8/8/8/k2pP3/8/8/K7 b - e3 0 1", "8/8/8/1k6/3Pp3/8/8/4K3 b - d3 0 1",
              "4k3/8/8/3pP3/8/8/8/2K5 w - d6 0 1")


@pytest.fixture(scope="module")
def tables() -> OwnTables:
    return OwnTables()


def code_of_board(tables: OwnTables, board: chess.Board) -> int | None:
    return tables.code(Game(board.fen()).position)


def code_by_moves(tables: OwnTables, board: chess.Board) -> int:
    """What a position is worth by the tables' codes of its successors; rules and moves are python-chess's."""
    best = None
    for move in board.legal_moves:
        board.push(move)
        left = 0 if board.occupied == board.kings else code_of_board(tables, board)
        board.pop()
        assert left is not None
        if best is None or move_value(left) > move_value(best):
            best = left
    if best is None:
        return 1 if board.is_check() else 0
    return best + 1 if best else 0


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_every_code_follows_from_the_moves(tables, ending):
    rng = random.Random(ending.name)
    for _ in range(25):
        board = random_board(ending, rng)
        assert code_of_board(tables, board) == code_by_moves(tables, board), board.fen()


@pytest.mark.parametrize("fen", EN_PASSANT)
def test_a_capture_en_passant_counts(tables, fen):
    board = chess.Board(fen)
    assert board.has_legal_en_passant()
    assert code_of_board(tables, board) == code_by_moves(tables, board)


def test_well_known_endings(tables):
    for fen, code in (("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 1),
                      ("7k/8/6K1/8/8/8/Q7/8 w - - 0 1", 2), ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", None),
                      ("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", 0)):
        found = code_of_board(tables, chess.Board(fen))
        assert found == code if code is not None else is_won(found)


@pytest.mark.skipif(not SYZYGY.is_dir(), reason="needs Syzygy tables")
def test_random_positions_agree_with_syzygy(tables):
    rng = random.Random(8)
    with chess.syzygy.open_tablebase(str(SYZYGY)) as reference:
        for _ in range(2000):
            board = random_board(rng.choice(ENDINGS), rng)
            code, wdl = code_of_board(tables, board), reference.probe_wdl(board)
            assert (wdl > 0, wdl == 0) == (is_won(code), code == 0), board.fen()


def test_a_search_gets_only_certain_outcomes(tables):
    position = Game("8/8/8/8/8/8/4B3/K1kN4 b - - 0 1").position  # lost in 66 plies, the longest of its ending
    assert tables.outcome(position) == OUTCOME_LOSS
    position.rule50 = 34
    assert tables.outcome(position) == OUTCOME_LOSS
    position.rule50 = 35
    assert tables.outcome(position) is None
    assert tables.outcome(Game("8/8/8/8/8/4k3/4p3/4K3 w - - 99 80").position) == OUTCOME_DRAW
    assert tables.outcome(Game("7k/8/6K1/8/8/8/Q7/8 w - - 80 80").position) == OUTCOME_WIN
    assert tables.outcome(Game(EN_PASSANT[0]).position) is None


def test_positions_with_castling_rights_are_not_covered(tables):
    assert tables.code(Game("8/8/8/8/8/4k3/8/R3K3 w Q - 0 1").position) is None
    assert tables.ranked_moves(Game("8/8/8/8/8/4k3/8/R3K3 w Q - 0 1").position) is None


def test_positions_with_too_many_or_too_few_pieces(tables):
    assert tables.code(Game().position) is None
    assert tables.code(Game("8/8/8/8/8/4k3/8/4K3 w - - 0 1").position) is None


def test_tables_are_loaded_in_the_background_and_only_near_the_endgame():
    tables = OwnTables()
    tables.prepare(Game().position)
    assert threading.active_count() == 1 or not any(map(tables.outcomes.is_loaded, ENDINGS))
    rooks = Game("8/6n1/3k4/3p4/8/3K2N1/3P4/R6r w - - 0 1")
    tables.prepare(rooks.position)
    assert tables.wait(10)
    loaded = {ending.name for ending in ENDINGS if tables.outcomes.is_loaded(ending)}
    assert {"KRPvK", "KRvKR", "KPvKP", "KQvKR"} <= loaded and "KBBvK" not in loaded
    distances = tables.directories[TableKind.DTM]
    assert not any(map(distances.is_loaded, ENDINGS))  # eight pieces are not close enough
    five = Game("8/8/3k4/3p4/8/3K4/3P4/R7 w - - 0 1")
    tables.prepare(five.position)
    assert tables.wait(10)
    assert all(tables.directories[table_kind].is_loaded(parse_ending("KRvKP")) for table_kind in TableKind)


def test_tables_of_the_position_are_loaded_first(monkeypatch):
    tables, read = OwnTables(), []
    monkeypatch.setattr(TableDirectory, "load", lambda directory, ending, warn: read.append(
        (ending.name, directory.table_kind)))
    tables.prepare(Game("8/8/3k4/3p4/8/3K4/3P4/8 w - - 0 1").position)
    assert tables.wait(10)
    at_root = {ending.name for ending in endings_at_root(parse_ending("KPvKP").pieces)}
    first = read[:len(TableKind) * len(at_root)]
    assert {name for name, _ in first} == at_root and len(read) > len(first)
