"""Perft against known counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.movegen import empty_move_list
from engine.core.perft import BULK, NO_BULK, PERFT_POSITIONS, divide, perft
from engine.lab.suites.built_in import SUITES as BUILT_IN_SUITES
from engine.lab.suites.problems import read_perft_suite
from engine.system.errors import InputError
from tests.positions import DATA


def count_positions(pos, depth: int) -> int:
    return perft(pos, empty_move_list(), depth, BULK)


SUITES = {suite.name: suite for suite in BUILT_IN_SUITES if suite.is_perft}


@pytest.mark.parametrize("known", PERFT_POSITIONS, ids=lambda known: known.name)
@pytest.mark.parametrize("bulk_plies", [BULK, NO_BULK], ids=["bulk", "no-bulk"])
def test_known_positions(known, bulk_plies):
    pos, out = parse_fen(known.fen), empty_move_list()
    for depth, leaves in enumerate(known.counts, start=1):
        if leaves <= 20_000_000:
            assert perft(pos, out, depth, bulk_plies) == leaves


@pytest.mark.slow
@pytest.mark.parametrize("known", PERFT_POSITIONS, ids=lambda known: known.name)
def test_known_positions_to_the_full_depth(known):
    assert count_positions(parse_fen(known.fen), len(known.counts)) == known.counts[-1]


# Castling, promotion and en passant for both colours; X-FEN and Shredder-FEN; the wiki's and Kaufman's corner cases.
@pytest.mark.parametrize(("fen", "counts", "chess960"), [
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", (26, 568, 13744, 314346), False),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", (24, 496, 9483, 182838), False),
    ("8/8/8/5k2/3p4/8/4P3/4K3 w - - 0 1", (6, 54, 343, 2810), False),
    ("2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1", (1, 1), False),
    ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", (218, 99, 19073), False),
    ("r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", (23, 522, 12333, 285754), True),
    ("4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 0 1", (42, 1743, 71908), True),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", (21, 528, 12189, 326672), True),
])
def test_corner_cases(fen, counts, chess960):
    pos = parse_fen(fen, chess960)
    assert tuple(count_positions(pos, depth) for depth in range(1, len(counts) + 1)) == counts


def test_divide_sums_to_perft_and_leaves_the_position_alone():
    game = Game(PERFT_POSITIONS[1].fen)
    before = game.position.tobytes()
    counts = dict(divide(game, 3))
    assert len(counts) == 48
    assert counts["e1g1"] == 2059
    assert sum(counts.values()) == 97862
    assert game.position.tobytes() == before


def test_depth_zero_is_the_position_itself():
    assert count_positions(parse_fen(PERFT_POSITIONS[0].fen), 0) == 1


@pytest.mark.parametrize(("line", "message"), [
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1 bm Kd2", "line 1: no counts"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 =66", "line 1: 'D2 =66' is not a count"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 " + "9" * 5000, "is not a count"),
    ("# nothing", "contains no positions"),
])
def test_invalid_suites_are_rejected(tmp_path, line, message):
    path = tmp_path / "suite.epd"
    path.write_text(line)
    with pytest.raises(InputError, match=message):
        read_perft_suite(path)


def test_a_suite_may_have_comments_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "suite.epd"
    path.write_text("\ufeff4k3/8/8/8/8/8/8/4K2R w K - 0 1; D1 15; id castling; D2 66 ;\n", encoding="utf-8")
    assert read_perft_suite(path) == [(1, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", [(1, 15), (2, 66)])]


def check_suite(path: Path, most_nodes: int, *, chess960: bool = False) -> None:
    for line in read_perft_suite(path):
        pos = parse_fen(line.fen, chess960)
        for depth, leaves in line.counts:
            if leaves <= most_nodes:
                assert count_positions(pos, depth) == leaves, (line.number, line.fen, depth)


@pytest.mark.parametrize("name", SUITES)
def test_suites(name):
    check_suite(SUITES[name].path, 200_000, chess960=SUITES[name].is_chess960)


@pytest.mark.slow
@pytest.mark.parametrize("name", SUITES)
def test_suites_further(name):
    check_suite(SUITES[name].path, 5_000_000, chess960=SUITES[name].is_chess960)


def test_random_positions():
    path = DATA / "perft" / "random1000.epd"
    if not path.exists():
        pytest.skip("no test data here")
    check_suite(path, 200_000)
