"""Scores of long searches for samples: labels with far less noise than those of training games."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chess

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.fen import parse_fen
from engine.search.types import Limits
from eval.network.samples import NO_PIECE_CODE, Samples

_MEGABYTES = 16


def sample_board(sample: Any) -> chess.Board:
    """The position of a sample, with the side to move as White; castling rights are unknown."""
    board = chess.Board(None)
    for square in range(64):
        code = int(sample["board"][square // 16]) >> 4 * (square % 16) & 15
        if code != NO_PIECE_CODE:
            board.set_piece_at(square, chess.Piece(code % 6 + 1, code < NO_PIECE_CODE // 2))
    return board


def deep_scores(samples: Samples, nodes: int, threads: int) -> Iterator[int]:
    """The score of each sample by a search of `nodes` nodes with the built-in evaluator, from the mover's view."""
    own = threading.local()

    def search(sample: Any) -> int:
        if not hasattr(own, "searcher"):
            own.searcher = AlphaBetaSearch(_MEGABYTES)
        own.searcher.clear()
        return int(own.searcher.run(parse_fen(sample_board(sample).fen()), Limits(nodes=nodes)).score)

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(search, samples)
