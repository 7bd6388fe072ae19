"""A move without the kernels: for a `go` that comes while they are being compiled, or leaves no time to load them.

Two plies of alpha-beta and a capture search over python-chess, with material and centralisation as evaluation. Slow and
weak, but it does not lose on time or hang pieces.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import chess

from engine.core.piece_values import PIECE_VALUES
from engine.system.errors import InputError, quote

_VALUES = tuple(100 * value for value in PIECE_VALUES)
_MATE = 100_000
_DEPTH = 2
_CENTRE = 3.5
# Status bits that the engine rejects too. It accepts unreachable positions, with thirty knights for instance.
_UNPLAYABLE = (chess.STATUS_EMPTY | chess.STATUS_NO_WHITE_KING | chess.STATUS_NO_BLACK_KING
               | chess.STATUS_TOO_MANY_KINGS | chess.STATUS_PAWNS_ON_BACKRANK | chess.STATUS_OPPOSITE_CHECK
               | chess.STATUS_BAD_CASTLING_RIGHTS)


def read_board(fen: str | None, moves: Sequence[str], chess960: bool) -> chess.Board:
    """The position as a board; InputError if the FEN or a move is wrong."""
    try:
        board = chess.Board(chess.STARTING_FEN if fen is None else fen, chess960=chess960)
    except ValueError as error:
        raise InputError(f"FEN {quote(fen or '')}: {error}") from error
    if board.status() & _UNPLAYABLE:
        raise InputError(f"FEN {quote(fen or '')} is not a legal position")
    for text in moves:
        try:
            board.push_uci(text)
        except ValueError as error:
            raise InputError(f"move {quote(text)} is illegal in {board.fen()}") from error
    return board


def fallback_move(board: chess.Board, deadline: float,
                  search_moves: Sequence[str] = ()) -> tuple[str | None, int | None]:
    """A sensible legal move as UCI text, one of `search_moves` if any of those is legal, and its score in centipawns;
    None if there is no legal move, and no score if there was no time for one.

    It is found before `deadline` (of `time.perf_counter`), if there is any time at all.
    """
    moves = sorted(board.legal_moves, key=lambda move: -_move_score(board, move))
    moves = [move for move in moves if board.uci(move) in search_moves] or moves
    if not moves:
        return None, None
    best, best_score = moves[0], -_MATE
    for move in moves:
        if time.perf_counter() >= deadline:
            break
        board.push(move)
        score = -_search(board, -_MATE, -best_score, _DEPTH - 1, deadline)
        board.pop()
        if score > best_score and time.perf_counter() < deadline:
            best, best_score = move, score
    return board.uci(best), None if best_score == -_MATE else best_score


def format_fallback(board: chess.Board, text: str | None, score: int | None) -> str:
    """The UCI line for a fallback move, which GUIs expect before `bestmove`."""
    if text is None:
        return f"info depth 0 score {'mate 0' if board.is_check() else 'cp 0'}"
    if score is None:
        return f"info depth 1 score cp {_evaluate(board)} pv {text}"
    return f"info depth {_DEPTH} score {'mate 1' if score == _MATE - 1 else f'cp {score}'} pv {text}"


def _search(board: chess.Board, alpha: int, beta: int, depth: int, deadline: float) -> int:
    if time.perf_counter() >= deadline:
        return alpha
    if depth <= 0:
        alpha = max(alpha, _evaluate(board))
        if alpha >= beta:
            return alpha
    moves = board.generate_legal_captures() if depth <= 0 else board.legal_moves
    any_move = False
    for move in sorted(moves, key=lambda move: -_move_score(board, move)):
        any_move = True
        board.push(move)
        score = -_search(board, -beta, -alpha, depth - 1, deadline)
        board.pop()
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    if depth > 0 and not any_move:
        return -_MATE + 1 if board.is_check() else 0
    return alpha


def _move_score(board: chess.Board, move: chess.Move) -> int:
    """A score for move ordering: most valuable victim by least valuable attacker, promotions, moves to the centre."""
    taken, mover = board.piece_type_at(move.to_square), board.piece_type_at(move.from_square)
    gain = 10 * _VALUES[taken] - _VALUES[mover or chess.PAWN] if taken else 0
    return gain + (10 * _VALUES[move.promotion] if move.promotion else 0) - 10 * _off_centre(move.to_square)


def _off_centre(square: int) -> int:
    return int(abs(chess.square_file(square) - _CENTRE) + abs(chess.square_rank(square) - _CENTRE))


def _evaluate(board: chess.Board) -> int:
    """Material and centralisation, from the side to move's view."""
    score = 0
    for square, piece in board.piece_map().items():
        worth = _VALUES[piece.piece_type] - (0 if piece.piece_type == chess.KING else 4 * _off_centre(square))
        score += worth if piece.color == board.turn else -worth
    return score
