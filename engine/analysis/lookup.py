"""Look up a position: how its game has ended, the opening's name, book moves, and the result by endgame tables."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache

import chess
import chess.polyglot

from book.names import OpeningName, opening_by_key
from book.polyglot import BUILT_IN as BOOK
from book.polyglot import Book
from engine.analysis.boards import fen_and_moves
from engine.core.game import Game
from engine.system.errors import InputError
from engine.text.sides import SIDE_NAMES
from tablebase.files import TableKind
from tablebase.root_ranking import BLESSED_LOSS, CURSED_WIN, DRAWS, IS_MATED, LOSES, MATES, WINS, RankedMove
from tablebase.tables import OwnTables

_RESULTS = {int(grade): result for grade, result in (
    (MATES, 1), (WINS, 1), (CURSED_WIN, 0), (DRAWS, 0), (BLESSED_LOSS, 0), (LOSES, -1), (IS_MATED, -1))}
_LEAST_BOOK_SHARE = 0.01  # of the weight: rarer moves of the book are not theory
_LONGEST_UNNAMED = 30  # plies between two named positions of a game
_lock = threading.Lock()


@cache
def _tables() -> OwnTables:
    return OwnTables()


@cache
def _book() -> Book:
    return Book(BOOK)


def ending_text(board: chess.Board) -> str | None:
    """How the rules have ended the game, in words; None if it goes on. Repetitions are those of the move stack."""
    if board.is_checkmate():
        return f"checkmate: {SIDE_NAMES[not board.turn]} has won"
    if board.is_stalemate():
        return f"stalemate: {SIDE_NAMES[board.turn]} has no move, the game is drawn"
    if board.is_insufficient_material():
        return "neither side can mate: the game is drawn"
    if board.is_seventyfive_moves():
        return "the game is drawn by the 75-move rule"
    return "the game is drawn by fivefold repetition" if board.is_fivefold_repetition() else None


def opening_name(board: chess.Board) -> OpeningName | None:
    """The opening named after this position; None if it has no name."""
    return opening_by_key(chess.polyglot.zobrist_hash(board))


def last_opening(board: chess.Board) -> OpeningName | None:
    """The opening of the last named position in the board's move stack."""
    cursor = board.copy()
    while (name := opening_name(cursor)) is None and cursor.move_stack:
        cursor.pop()
    return name


def is_in_book(board: chess.Board, move: chess.Move) -> bool:
    """Whether the book contains this move."""
    return any(known == move for known, _ in book_moves(board))


def is_book_theory(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move is common enough in the book to be theory."""
    return any(known == move and share >= _LEAST_BOOK_SHARE for known, share in book_moves(board))


def theory_plies(board: chess.Board, moves: Sequence[chess.Move]) -> frozenset[int]:
    """The plies of a game, from 0, that are theory: in the book, or on the way to a position that has a name.

    A checkmate has a name for its blunders; it is no theory.
    """
    if board.chess960:
        return frozenset()
    cursor, plies, last_named = board.copy(), set[int](), -1
    for ply, move in enumerate(moves):
        is_known = is_book_theory(cursor, move)
        if is_known:
            plies.add(ply)
        cursor.push(move)
        if opening_name(cursor) is not None and not cursor.is_checkmate():
            last_named = ply
        elif not is_known and ply - last_named > _LONGEST_UNNAMED:
            break
    return frozenset(plies) | frozenset(range(last_named + 1))


def book_moves(board: chess.Board) -> list[tuple[chess.Move, float]]:
    """The book moves of a position, most frequent first, each with its share of the weight."""
    with _lock:
        entries = _book().entries(chess.polyglot.zobrist_hash(board))
    weights: dict[chess.Move, int] = {}
    for entry in entries:
        try:
            move = board.parse_uci(entry.text())  # the book writes castling as king takes rook, which this accepts
        except ValueError:
            continue  # a key collision
        weights[move] = weights.get(move, 0) + entry.weight
    total = sum(weights.values())
    ranked = sorted(weights, key=lambda move: -weights[move])
    return [(move, weights[move] / total if total else 1 / len(weights)) for move in ranked]


def best_tb_move(board: chess.Board) -> RankedMove | None:
    """The best move by the endgame tables; None if they have no answer."""
    if chess.popcount(board.occupied) > _tables().max_pieces or board.clean_castling_rights():
        return None
    try:
        game = Game(fen_and_moves(board)[0], board.chess960, fen_and_moves(board)[1])
    except InputError:
        return None
    with _lock:
        if _tables().reason_not_covered(game.position) is not None:
            return None
        _tables().load_for(game.position, *TableKind)
        ranked_moves = _tables().ranked_moves(game.position)
    return ranked_moves[0] if ranked_moves else None


def tb_result(board: chess.Board) -> int | None:
    """1 if the side to move wins by the endgame tables, 0 for a draw, -1 if it loses; None without an answer."""
    ranked_move = best_tb_move(board)
    return None if ranked_move is None else _RESULTS.get(ranked_move.outcome_class)


def tb_mate(board: chess.Board) -> int | None:
    """The moves to mate by the endgame tables, negative if the side to move is mated; None if they do not say."""
    ranked_move = best_tb_move(board)
    result = None if ranked_move is None else _RESULTS.get(ranked_move.outcome_class)
    if ranked_move is None or not result or ranked_move.outcome_class not in (int(MATES), int(IS_MATED)):
        return None
    return result * ((ranked_move.code + 1) // 2)


def tb_verdict_text(board: chess.Board) -> str | None:
    """The result by the endgame tables as text: `White wins: mate in 16`; None without an answer."""
    ranked_move = best_tb_move(board)
    result = None if ranked_move is None else _RESULTS.get(ranked_move.outcome_class)
    if ranked_move is None or result is None:
        return None
    if result == 0:
        return "a draw"
    winner = SIDE_NAMES[board.turn if result > 0 else not board.turn]
    is_exact = ranked_move.outcome_class in (int(MATES), int(IS_MATED))
    return f"{winner} wins" + (f": mate in {(ranked_move.code + 1) // 2}" if is_exact else "")
