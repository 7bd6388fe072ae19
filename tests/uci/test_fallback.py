"""The fallback move: it plays whatever the engine plays, and refuses what the engine refuses."""

from __future__ import annotations

import time

import chess
import pytest

from engine.core.fen import parse_fen
from engine.system.errors import InputError
from engine.uci.fallback import fallback_move, format_fallback, read_board
from tests.positions import CORNERS

KNIGHTS = "2KN1Nn1/5nn1/N1k3N1/1NnnnNn1/n1nnNN1n/3n1n2/nnnn2nN/NNn1nN2 b - - 0 1"
UNPLAYABLE = ("8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
              "P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w K - 0 1")


@pytest.mark.parametrize("fen", [*CORNERS, KNIGHTS])
def test_what_the_engine_plays_it_plays_in_time(fen):
    parse_fen(fen, chess960=True)
    board = read_board(fen, (), chess960=True)
    started = time.thread_time()
    text, _ = fallback_move(board, time.perf_counter() + 0.05)
    assert time.thread_time() - started < 0.5
    assert text is None if not any(board.legal_moves) else board.is_legal(chess.Move.from_uci(text))


@pytest.mark.parametrize(("fen", "line"), [
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "info depth 2 score mate 1 pv a1a8"),
    ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "info depth 2 score cp 96 pv e4d5"),
    ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "info depth 0 score mate 0"),
    ("7k/5Q2/8/8/8/8/8/4K3 b - - 0 1", "info depth 0 score cp 0"),
])
def test_it_is_reported_with_a_score(fen, line):
    board = chess.Board(fen)
    assert format_fallback(board, *fallback_move(board, time.perf_counter() + 5)) == line


def test_without_time_it_is_reported_with_the_score_of_the_position():
    board = chess.Board("4k3/8/8/3q4/8/8/8/4K3 b - - 0 1")
    text, score = fallback_move(board, time.perf_counter())
    assert score is None and format_fallback(board, text, score) == f"info depth 1 score cp 896 pv {text}"


@pytest.mark.parametrize("fen", UNPLAYABLE)
def test_what_the_engine_refuses_it_refuses(fen):
    with pytest.raises(InputError):
        parse_fen(fen)
    with pytest.raises(InputError):
        read_board(fen, (), chess960=False)
