"""The stop-gap mover: it plays whatever the engine plays, and refuses what the engine refuses."""

from __future__ import annotations

import time

import chess
import pytest

from engine.core.fen import parse_fen
from engine.system.errors import InputError
from engine.uci.fallback import fallback_move, read_board
from tests.positions import CORNERS

KNIGHTS = "2KN1Nn1/5nn1/N1k3N1/1NnnnNn1/n1nnNN1n/3n1n2/nnnn2nN/NNn1nN2 b - - 0 1"
UNPLAYABLE = ("8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
              "P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w K - 0 1")


@pytest.mark.parametrize("fen", [*CORNERS, KNIGHTS])
def test_what_the_engine_plays_it_plays_in_time(fen):
    parse_fen(fen, chess960=True)
    board = read_board(fen, (), chess960=True)
    started = time.thread_time()
    text = fallback_move(board, time.perf_counter() + 0.05)
    assert time.thread_time() - started < 0.5
    assert text == "0000" if board.is_game_over() and not any(board.legal_moves) else board.is_legal(
        chess.Move.from_uci(text))


@pytest.mark.parametrize("fen", UNPLAYABLE)
def test_what_the_engine_refuses_it_refuses(fen):
    with pytest.raises(InputError):
        parse_fen(fen)
    with pytest.raises(InputError):
        read_board(fen, (), chess960=False)
