"""Positions and games for tests, with python-chess as the reference."""

from __future__ import annotations

import os
from pathlib import Path

import chess
from hypothesis import strategies as st

from engine.core.game import Game
from engine.core.perft import PERFT_POSITIONS

DATA = Path(os.environ.get("CHESS_DATA", Path(__file__).parents[2] / "shared" / "data"))

CROWD = "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1"  # capture sequences are very long

# Positions where move generators fail: en passant that uncovers a check along the rank or a diagonal, two capturers of
# which one is pinned, castling through attacks and out of check, promotion with check, double check, many queens.
CORNERS = (
    *(known.fen for known in PERFT_POSITIONS),
    "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",
    "8/2p5/8/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
    "8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
    "4k3/8/8/2pPp3/8/8/8/3QK2q w - c6 0 1",
    "8/8/8/rPpP1K2/8/8/8/7k w - c6 0 1",
    "r3k2r/8/8/8/3pPp2/8/8/R3K1RR b KQkq e3 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1",
    "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    CROWD,
    "8/8/8/4B2b/6nN/8/5P2/2R1K2k w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 99 60",
    "8/8/4k3/8/8/3BK3/8/8 b - - 3 50",
)

CHESS960_CORNERS = (
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 0 1",
    "2b5/1nbn4/n3n3/1kn5/n3n3/1n1n4/5RQ1/2KQ1R2 w K - 0 1",
    "r2r3k/p7/3p4/8/8/P6P/8/R3K2R b KQq - 0 1",
    "1r2kr2/8/8/8/8/8/8/qRK2R2 w KQk - 0 1",
    "8/8/8/8/8/k7/8/1rRKR3 w KQ - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
)


def start_fens(chess960: bool):
    """A strategy for start positions: corner cases, and starting positions of Chess960."""
    if not chess960:
        return st.sampled_from(CORNERS)
    starts = st.integers(0, 959).map(lambda number: chess.Board.from_chess960_pos(number).fen())
    return st.one_of(st.sampled_from(CHESS960_CORNERS), starts)


def reference_board(fen: str, chess960: bool = False) -> chess.Board:
    return chess.Board(fen, chess960=chess960)


def legal_texts(board: chess.Board) -> list[str]:
    """The legal moves as python-chess writes them for a UCI engine."""
    return sorted(board.uci(move) for move in board.legal_moves)


def our_texts(game: Game) -> list[str]:
    return sorted(game.uci(move) for move in game.legal_moves())


def play_both(game: Game, board: chess.Board, choice: int) -> str | None:
    """Play the same legal move in both and return it; None at the end of the game."""
    moves = legal_texts(board)
    if not moves:
        return None
    text = moves[choice % len(moves)]
    board.push_uci(text)
    game.push_uci(text)
    return text
