"""Endings that material alone misjudges: those that cannot be won, and those that need a plan to be won."""

from __future__ import annotations

import chess
import chess.syzygy
import numpy as np
import pytest

from tests.eval.boards import counts_of, score_of, taper_of
from tests.positions import DATA

WHOLE = 64
WRONG_CORNER = 4

DEAD = (
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/3BK3 w - - 0 1",
    "4k3/8/8/8/8/8/8/3NK3 b - - 0 1",
    "4k3/8/8/8/8/8/8/2NNK3 w - - 0 1",
    "4k3/8/8/8/8/3B4/8/4KB2 b - - 0 1",
    "4kn2/8/8/8/8/8/8/2NNK3 w - - 0 1",
)


def board_with(pieces):
    """A board with black to move, from {square: letter}."""
    board = chess.Board(None)
    for square, letter in pieces.items():
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.turn = chess.BLACK
    return board


@pytest.mark.parametrize("fen", DEAD)
def test_what_cannot_be_won_is_worth_nothing(fen):
    assert score_of(fen) == 0
    assert taper_of(fen) == (0, 0)


@pytest.mark.parametrize("fen", [
    "3bk3/8/8/8/8/8/8/3RK3 w - - 0 1",
    "3nk3/8/8/8/8/8/8/3RK3 w - - 0 1",
    "3rk3/8/8/8/8/8/8/3RK1N1 w - - 0 1",
    "2bbk3/8/8/8/8/8/8/3QK3 w - - 0 1",
])
def test_a_minor_piece_more_without_pawns_is_little(fen):
    phase, scale = taper_of(fen)
    assert phase == 0 and scale < WHOLE / 4
    assert 0 < score_of(fen) < 100


def test_a_rook_against_a_minor_is_nearly_drawn_and_a_queen_against_a_rook_won():
    assert taper_of("3bk3/8/8/8/8/8/8/3RK3 w - - 0 1")[1] < taper_of("3rk3/8/8/8/8/8/8/3RK1N1 w - - 0 1")[1]
    assert taper_of("3rk3/8/8/8/8/8/8/3QK3 w - - 0 1")[1] == WHOLE
    assert score_of("3rk3/8/8/8/8/8/8/3QK3 w - - 0 1") > 300


def test_opposite_bishops_save_a_pawn():
    opposite = "5bk1/5ppp/8/8/8/8/4PPPP/5BK1 w - - 0 1"  # f8 dark, f1 light
    same = "2b3k1/5ppp/8/8/8/8/4PPPP/5BK1 w - - 0 1"
    assert taper_of(opposite)[1] < taper_of(same)[1]
    assert score_of(opposite) < score_of(same)
    with_rooks = "r4bk1/5ppp/8/8/8/8/4PPPP/R4BK1 w - - 0 1"
    assert taper_of(opposite)[1] < taper_of(with_rooks)[1] < WHOLE
    more_pawns = "5bk1/7p/8/8/8/8/4PPPP/5BK1 w - - 0 1"
    assert taper_of(opposite)[1] < taper_of(more_pawns)[1]


def test_two_bishops_are_not_opposite_bishops():
    assert taper_of("2b2bk1/4pppp/8/8/8/8/4PPPP/5BK1 b - - 0 1")[1] == WHOLE


def test_fewer_pawns_are_harder_to_win_with():
    scales = [taper_of(f"6k1/8/8/8/8/8/{pawns}/6K1 w - - 0 1")[1] for pawns in ("4P3", "3PP3", "2PPP3", "1PPPP3")]
    assert scales == sorted(set(scales)) and scales[-1] == WHOLE


@pytest.mark.parametrize(("fen", "is_drawish"), [
    ("k7/8/8/P7/8/8/8/2B1K3 w - - 0 1", True),  # the dark bishop does not guard a8
    ("k7/8/8/P7/8/8/8/3BK3 w - - 0 1", False),
    ("7k/8/8/7P/8/8/8/3BK3 w - - 0 1", True),
    ("7k/8/8/7P/8/8/8/2B1K3 w - - 0 1", False),
    ("k7/8/8/P7/P7/8/8/4K3 w - - 0 1", True),  # no bishop guards it either
    ("8/8/8/P7/8/8/8/2B1K2k w - - 0 1", False),  # the king is far
    ("8/2k5/8/P7/8/8/8/2B1K3 w - - 0 1", True),  # it is near enough
    ("k7/8/8/PP6/8/8/8/2B1K3 w - - 0 1", False),  # another pawn
    ("k7/8/8/P6P/8/8/8/2B1K3 w - - 0 1", False),
    ("k7/8/8/P7/8/8/8/2BNK3 w - - 0 1", False),  # another piece
])
def test_the_wrong_rook_pawn(fen, is_drawish):
    assert (taper_of(fen)[1] < WHOLE / 4) is is_drawish
    assert (taper_of(chess.Board(fen).mirror().fen())[1] < WHOLE / 4) is is_drawish


@pytest.mark.parametrize("strong", ["Q", "R", "BB", "BN", "RP", "QQ", "NNN"])
def test_mating_material_against_a_bare_king_is_a_win(strong):
    pieces = dict(zip((chess.C2, chess.F2, chess.A3), strong, strict=False))
    board = board_with({chess.E6: "k", chess.E1: "K"} | pieces)
    assert -10_000 < score_of(board) < -1000
    assert score_of(board.mirror()) == score_of(board)
    assert counts_of(board)["mop_up_won"] == 1
    assert counts_of(board.mirror())["mop_up_won"] == -1
    assert taper_of(board.fen()) == (0, WHOLE)


def test_no_drive_while_the_king_has_company():
    assert counts_of("4k3/p7/8/8/8/8/8/3QK3 w - - 0 1")["mop_up_won"] == 0
    assert counts_of("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")["mop_up_won"] == 0


@pytest.mark.parametrize("strong", ["Q", "R", "BB"])
def test_the_bare_king_is_driven_to_the_edge_and_the_kings_together(strong):
    pieces = {"Q": "1Q6", "R": "R7", "BB": "2BB4"}[strong]
    centre = score_of(f"8/8/8/4k3/8/8/4K3/{pieces} w - - 0 1")
    edge = score_of(f"7k/8/8/8/8/6K1/8/{pieces} b - - 0 1")
    assert centre < -edge
    near, far = (score_of(f"8/7k/8/8/{king}/8/8/{pieces} b - - 0 1") for king in ("5K2", "K7"))
    assert near < far < 0


def test_edge_and_distance_of_the_kings_are_counted():
    counts = counts_of("8/8/8/4k3/8/8/4K3/R7 w - - 0 1")
    assert counts["mop_up_edge"] == [1, 0, 0, 0, 0, 0, 0]
    assert counts["mop_up_king_distance"] == [0, 0, 0, 1, 0, 0, 0, 0]
    counts = counts_of("r7/4k3/8/8/8/8/8/7K b - - 0 1")
    assert counts["mop_up_edge"] == [0, 0, 0, 0, 0, 0, -1]
    assert counts["mop_up_king_distance"] == [0, 0, 0, 0, 0, 0, -1, 0]


@pytest.mark.parametrize(("bishop", "right", "wrong"), [
    (chess.C1, (chess.A1, chess.H8), (chess.A8, chess.H1)),
    (chess.F1, (chess.A8, chess.H1), (chess.A1, chess.H8)),
])
def test_bishop_and_knight_drive_to_the_corner_of_the_bishop(bishop, right, wrong):
    for corners, nearness in ((right, 7), (wrong, 0)):
        for corner in corners:
            board = board_with({corner: "k", chess.E4: "K", bishop: "B", chess.D5: "N"})
            counts = counts_of(board)
            assert counts["mop_up_corner"] == [int(index == nearness) for index in range(8)]
            assert counts["mop_up_edge"] == [0] * 7


def test_along_the_edge_each_step_to_the_right_corner_gains():
    """From h8, the wrong corner of a light bishop, to a8; white's king follows."""
    scores = [-score_of(board_with({chess.square(file, 7): "k", chess.square(file, 5): "K",
                                    chess.D3: "B", chess.D4: "N"})) for file in range(7, -1, -1)]
    assert scores == sorted(scores)


@pytest.mark.parametrize("rook", [chess.A1, chess.A4, chess.D1])
def test_each_step_to_the_edge_gains_wherever_the_rook_stands(rook):
    scores = [-score_of(board_with({chess.square(5, rank): "k", chess.square(5, rank - 2): "K", rook: "R"}))
              for rank in (4, 5, 6, 7)]
    assert scores == sorted(scores)


SYZYGY = DATA / "endgame" / "syzygy"


@pytest.mark.skipif(not SYZYGY.is_dir(), reason="no tablebases")
@pytest.mark.parametrize("bishops", ["B", ""])
def test_tablebases_confirm_that_the_wrong_rook_pawn_draws(bishops):
    generator = np.random.default_rng(8)
    drawn = won = 0
    with chess.syzygy.open_tablebase(str(SYZYGY)) as tables:
        while drawn + won < 150:
            pawn = chess.square(7 * int(generator.integers(2)), int(generator.integers(1, 7)))
            squares = generator.choice(64, 2 + len(bishops), replace=False).tolist()
            board = board_with(dict(zip(squares, "kK" + bishops, strict=True)) | {pawn: "P"})
            board.turn = bool(generator.integers(2))
            if not board.is_valid() or taper_of(board.fen())[1] != WRONG_CORNER:
                continue
            is_draw = tables.probe_wdl(board) == 0
            drawn, won = drawn + is_draw, won + (not is_draw)
    assert won < 5
