"""Openings from every kind of file, and what is left out of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import chess
import pytest

from engine.lab.arena.openings import Openings, RandomOpenings
from engine.system.errors import InputError

EPD = """rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
no position at all
7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 2; fmvn 3;
"""

PGN = """[Event "one"]
[Site "?"]

1. e4 e5 2. Nf3 *

1. d4 d5 *

[Event "bad"]

1. e4 e4 *

[Event "a position"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Kd7 *
"""


def drawn(path: Path, count: int, seed: int = 1, chess960: bool = False) -> tuple[list[chess.Board], list[str]]:
    warnings: list[str] = []
    boards = [opening.board() for opening in Openings(path, chess960).draw(count, seed, warnings.append)]
    return boards, warnings


@pytest.fixture(params=["plain", "zipped"])
def epd(request, tmp_path: Path) -> Path:
    path = tmp_path / "some.epd"
    path.write_text(EPD)
    if request.param == "plain":
        return path
    with zipfile.ZipFile(tmp_path / "some.epd.zip", "w") as archive:
        archive.write(path, "some.epd")
    return tmp_path / "some.epd.zip"


def test_lines_that_are_no_openings_are_named_and_left_out(epd):
    boards, warnings = drawn(epd, 6)
    assert len(warnings) == 2
    assert any("line 3" in text for text in warnings)
    assert any("line 4" in text and "no legal move" in text for text in warnings)
    assert len({board.fen() for board in boards[:3]}) == len({board.fen() for board in boards[3:]}) == 3


def test_a_pgn_gives_positions_with_their_moves(tmp_path):
    path = tmp_path / "some.pgn"
    path.write_text(PGN)
    boards, warnings = drawn(path, 3)
    assert len(warnings) <= 1 and all("line 8" in text for text in warnings)
    assert {tuple(move.uci() for move in board.move_stack) for board in boards} == {
        ("e2e4", "e7e5", "g1f3"), ("d2d4", "d7d5"), ("e2e4", "e8d7")}


def test_the_seed_decides_the_order(epd):
    assert drawn(epd, 5, 1)[0] == drawn(epd, 5, 1)[0]
    orders = {tuple(board.fen() for board in drawn(epd, 3, seed)[0]) for seed in range(12)}
    assert len(orders) > 3


@pytest.mark.parametrize("chess960", [False, True])
def test_random_openings_are_legal_and_depend_on_their_number_alone(chess960):
    source = RandomOpenings(chess960)
    ten, three = (list(source.draw(count, 7, print)) for count in (10, 3))
    assert ten[:3] == three
    assert len(set(ten)) == 10
    for opening in ten:
        board = opening.board()
        assert board.is_valid() and any(board.legal_moves) and len(board.move_stack) == 8
        assert board.chess960 == chess960


def test_files_without_openings(tmp_path):
    empty = tmp_path / "empty.epd"
    empty.write_text("\n\n")
    for path in (empty, tmp_path / "missing.epd"):
        with pytest.raises(InputError):
            drawn(path, 1)
    broken = tmp_path / "broken.zip"
    broken.write_text("no archive")
    with pytest.raises(InputError, match=r"broken\.zip"):
        Openings(broken)
