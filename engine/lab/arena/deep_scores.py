"""Scores of long searches: labels with far less noise than those of training games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import chess
import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.game import Game
from engine.search.types import Limits, Result
from engine.system.threads import per_thread
from eval.network.samples import NO_PIECE_CODE, SAMPLE, Samples

_MEGABYTES = 16
T = TypeVar("T")


def sample_board(sample: Any) -> chess.Board:
    """The position of a sample, with the side to move as White; castling rights are unknown."""
    board = chess.Board(None)
    for square in range(64):
        code = int(sample["board"][square // 16]) >> 4 * (square % 16) & 15
        if code != NO_PIECE_CODE:
            board.set_piece_at(square, chess.Piece(code % 6 + 1, code < NO_PIECE_CODE // 2))
    return board


def sample_of(board: chess.Board) -> Samples:
    """The sample of a position, without score and result."""
    own = board if board.turn else board.mirror()
    sample, words = np.zeros(1, SAMPLE), [0] * 4
    for square in chess.SQUARES:
        piece = own.piece_at(square)
        code = NO_PIECE_CODE if piece is None else piece.piece_type - 1 + (0 if piece.color else NO_PIECE_CODE // 2)
        words[square // 16] |= code << 4 * (square % 16)
    sample["board"], sample["pieces"] = words, len(own.piece_map())
    sample["own_king"], sample["other_king"] = own.king(chess.WHITE), own.king(chess.BLACK)
    return sample


def deep_scores(samples: Samples, nodes: int, threads: int) -> Iterator[int]:
    """The score of each sample by a search of `nodes` nodes with the built-in evaluator, from the mover's view."""
    def score(sample: Any, search: Callable[[Game], Result]) -> int:
        return int(search(Game(sample_board(sample).fen())).score)

    return _score_items(samples, score, nodes, threads)


def quiet_deep_scores(boards: Sequence[chess.Board], nodes: int, threads: int) -> Iterator[int | None]:
    """The same for positions; None for those that no static evaluation can judge.

    These are the ones in check, and those whose best move is a capture or a promotion.
    """
    def score(board: chess.Board, search: Callable[[Game], Result]) -> int | None:
        game = Game(board.fen(shredder=board.chess960), board.chess960)
        if board.is_check() or not game.legal_moves():
            return None
        result = search(game)
        move = board.parse_uci(game.uci(result.move))
        return None if board.is_capture(move) or move.promotion else int(result.score)

    return _score_items(boards, score, nodes, threads)


def _score_items(items: Any, score: Callable[[Any, Callable[[Game], Result]], T], nodes: int,
              threads: int) -> Iterator[T]:
    """`score` of each item and a function that searches, in several threads with a searcher each."""
    own_searcher = per_thread(lambda: AlphaBetaSearch(_MEGABYTES))

    def search(game: Game) -> Result:
        own_searcher().clear()
        return own_searcher().run(game.position, Limits(nodes=nodes))

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(lambda item: score(item, search), items)
