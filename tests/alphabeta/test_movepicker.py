"""Hints for the order of quiet moves, against python-chess."""

from __future__ import annotations

import chess
import pytest

from engine.alphabeta.movepicker import ESCAPE_BONUSES
from engine.alphabeta.params import default_params, set_param
from engine.alphabeta.state import new_state
from engine.core.game import Game
from engine.lab.bench_positions import BENCH_FENS
from tests.alphabeta.kernels import hint_for, is_quiet_check, squares_for_checks
from tests.positions import CORNERS

FENS = [*CORNERS, *BENCH_FENS]
DISCOVERED = ["4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", "7k/8/8/4P3/3P4/2B5/8/4K3 w - - 0 1",
              "5k2/8/8/8/8/8/8/4K2R w K - 0 1"]


def test_squares_for_checks_are_those_from_which_a_piece_attacks_the_king():
    for fen in FENS:
        board = chess.Board(fen)
        king = board.king(not board.turn)
        for piece_type, squares in zip((chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK),
                                 squares_for_checks(Game(fen).position), strict=True):
            for square in range(64):
                placed = board.copy()
                placed.set_piece_at(square, chess.Piece(piece_type, board.turn))
                if square != king:
                    assert bool(squares >> square & 1) == (king in placed.attacks(square)), (fen, piece_type, square)


def test_quiet_checks_direct_and_discovered():
    found = 0
    for fen in [*FENS, *DISCOVERED]:
        board, game = chess.Board(fen), Game(fen)
        for move in game.legal_moves():
            parsed = board.parse_uci(game.uci(move))
            if not board.is_capture(parsed) and parsed.promotion is None:
                assert is_quiet_check(game.position, move) == board.gives_check(parsed), (fen, parsed)
                found += board.gives_check(parsed)
    assert found > 20


@pytest.mark.parametrize(("fen", "move", "expected"), [
    ("4k3/8/8/8/3p4/2N5/8/4K3 w - - 0 1", "c3e2", int(ESCAPE_BONUSES[chess.KNIGHT])),  # flees from the pawn
    ("4k3/8/8/2p5/8/2N5/8/4K3 w - - 0 1", "c3e4", 0),
    ("4k3/8/8/2p5/8/5N2/8/4K3 w - - 0 1", "f3d4", -int(ESCAPE_BONUSES[chess.KNIGHT])),  # goes where a pawn takes it
    ("4k3/8/8/8/3r4/8/8/3QK3 w - - 0 1", "d1b3", int(ESCAPE_BONUSES[chess.QUEEN])),  # flees from the rook
    ("4k3/8/8/8/3q4/8/8/3RK3 w - - 0 1", "d1b1", 0),  # a rook need not flee from a queen
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 100),
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a7", 0),
    ("4k3/8/8/8/3r4/8/8/3QK3 w - - 0 1", "d1a4", 100),  # a check, but the rook still attacks the queen
])
def test_hints_are_for_leaving_danger_and_for_checks(fen, move, expected):
    game, state = Game(fen), new_state()
    params = default_params()
    set_param(params, "hint_escape", 1024)
    set_param(params, "hint_check", 100)
    state["params"] = params
    code = next(code for code in game.legal_moves() if game.uci(code) == move)
    assert hint_for(game.position, state, code) == expected
