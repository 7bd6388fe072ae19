"""What a quiet move changes: squares, files, structure, king, activity.

What can be counted is compared on the boards before and after the move. Themes of the evaluation's features are named
only where they have the same sign right after the move and where its line has settled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import chess

from engine.analysis.board_facts import (
    files_without_shelter,
    is_development,
    passed_pawns,
    rooks_on_seventh,
)
from engine.analysis.boards import to_position
from engine.analysis.tactical_line import is_hanging, value_on
from engine.analysis.themes import MATERIAL, displayed_part, move_points
from eval.explain import compare, explain
from eval.weights import WeightsRecord, load_weights

_CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)
_SUMS = (MATERIAL, "threats", "space", "mating")  # themes of which nothing can be seen on one square
_LEAST_THEME = 15  # displayed centipawns, at both boards
_MOST_GAINS, _MOST_LOSSES = 3, 2
_MORE_SQUARES = 3  # that a bishop, rook or queen behind the piece gains

RESCUES = "takes the", "protects the"  # how a gain begins that saves a piece
UNPROTECTED = re.compile(r" on ([a-h][1-8]) without protection")  # and the square, in what a move gives up

Change = Callable[[chess.Board, chess.Board, chess.Move], Iterator[str]]


def gains(board: chess.Board, move: chess.Move) -> list[str]:
    """What a quiet move does for its side, by what can be counted, most telling first."""
    after = board.copy(stack=False)
    after.push(move)
    return [words for find in _GAINS for words in find(board, after, move)][:_MOST_GAINS]


def losses(board: chess.Board, move: chess.Move) -> list[str]:
    """What a quiet move gives up, by what can be counted."""
    after = board.copy(stack=False)
    after.push(move)
    return [words for find in _LOSSES for words in find(board, after, move)][:_MOST_LOSSES]


def stable_themes(board: chess.Board, move: chess.Move, end: chess.Board,
                  weights: WeightsRecord | None = None) -> tuple[list[str], list[str]]:
    """The themes that change for good and for bad by the move, and have changed so where its line has settled."""
    weights = load_weights() if weights is None else weights
    after = board.copy(stack=False)
    after.push(move)
    changed = [_themes(board, other, weights) for other in (after, end)]
    good, bad = ([words for key, words in changed[0].items() if key[2] == sign and key in changed[1]]
                 for sign in (1, -1))
    return good[:_MOST_LOSSES], bad[:_MOST_LOSSES]


def _themes(board: chess.Board, other: chess.Board, weights: WeightsRecord) -> dict[tuple[str, bool, int], str]:
    """The large changes of themes from one board to another, for the side to move at the first, and their words."""
    before, after = explain(to_position(board), weights), explain(to_position(other), weights)
    unit = displayed_part(to_position(other))
    points = move_points(compare(before, after, 0 if board.turn else 1), board, other, after.phase_share)
    return {(point.theme, point.is_own, 1 if point.parts > 0 else -1): point.words for point in points
            if abs(point.parts * unit) >= _LEAST_THEME and point.theme not in _SUMS}


def _castles(board: chess.Board, _after: chess.Board, move: chess.Move) -> Iterator[str]:
    if board.is_castling(move):
        yield "brings the king to safety and a rook into play"


def _develops(board: chess.Board, _after: chess.Board, move: chess.Move) -> Iterator[str]:
    if is_development(board, move):
        yield f"develops the {chess.piece_name(board.piece_type_at(move.from_square) or 0)}"


def _new_passed(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    if move.to_square in passed_pawns(after, board.turn) and move.from_square not in passed_pawns(board, board.turn):
        yield f"makes a passed pawn on {chess.square_name(move.to_square)}"


def _centre(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    if board.piece_type_at(move.from_square) == chess.PAWN:
        if move.to_square in _CENTRE:
            yield f"takes space in the centre with the pawn on {chess.square_name(move.to_square)}"
        else:
            hit = [chess.square_name(square) for square in after.attacks(move.to_square) if square in _CENTRE]
            if hit:
                yield f"controls {hit[0]} in the centre"


def _opens_line(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    for square in after.pieces(chess.BISHOP, board.turn) | after.pieces(chess.QUEEN, board.turn):
        if square != move.to_square and len(after.attacks(square)) - len(board.attacks(square)) >= _MORE_SQUARES:
            name = chess.piece_name(after.piece_type_at(square) or 0)
            yield f"opens a line for the {name} on {chess.square_name(square)}"


def _file(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    if board.piece_type_at(move.from_square) != chess.ROOK:
        return
    file = chess.square_file(move.to_square)
    if move.to_square in rooks_on_seventh(after, board.turn):
        yield "brings the rook to the seventh rank"
    elif file != chess.square_file(move.from_square):
        pawns = after.pawns & chess.BB_FILES[file]
        if not pawns & after.occupied_co[board.turn]:
            yield f"puts the rook on the {'half-open' if pawns else 'open'} {chess.FILE_NAMES[file]}-file"


def _escape(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    king = board.king(board.turn)
    if king is None or board.piece_type_at(move.from_square) != chess.PAWN:
        return
    home = 0 if board.turn else 7
    is_beside = chess.square_distance(king, move.from_square) == 1 and chess.square_rank(king) == home
    if is_beside and not board.has_castling_rights(board.turn) and not after.is_attacked_by(
            not board.turn, move.from_square):
        yield f"gives the king an escape square on {chess.square_name(move.from_square)}"


def _king_walk(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    is_endgame = not board.queens and chess.popcount(board.occupied & ~board.pawns & ~board.kings) <= 4
    if board.piece_type_at(move.from_square) == chess.KING and is_endgame and not board.is_castling(move):
        near = {square: min(chess.square_distance(square, middle) for middle in _CENTRE)
                for square in (move.from_square, move.to_square)}
        if near[move.to_square] < near[move.from_square]:
            yield "brings the king closer to the centre"


def _guards(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    for square in after.attacks(move.to_square) & after.occupied_co[board.turn]:
        if value_on(after, square) < 100 and after.is_attacked_by(not board.turn, square) and is_hanging(
                board, square, board.turn) and move.from_square != square:
            yield f"protects the {chess.piece_name(after.piece_type_at(square) or 0)} on {chess.square_name(square)}"


def _flees(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    value, other = value_on(board, move.from_square), not board.turn
    attackers = board.attackers(other, move.from_square)
    if value_on(board, move.from_square) < 3 or not attackers or board.is_check():
        return
    is_in_danger = is_hanging(board, move.from_square, board.turn) or any(
        value_on(board, square) < value for square in attackers)
    if is_in_danger and not after.is_attacked_by(other, move.to_square):
        name = chess.piece_name(board.piece_type_at(move.from_square) or 0)
        yield f"takes the {name} out of the attack on {chess.square_name(move.from_square)}"


def _castling_lost(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    if board.has_castling_rights(board.turn) and not after.has_castling_rights(board.turn) and not board.is_castling(
            move):
        yield "gives up castling"


def _unguards(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    if board.is_castling(move):
        return  # both pieces change places: a square that the king guarded may be empty
    for square in board.attacks(move.from_square) & board.occupied_co[board.turn] & ~after.kings:
        if after.is_attacked_by(not board.turn, square) and is_hanging(after, square, board.turn) and not is_hanging(
                board, square, board.turn):
            yield (f"leaves the {chess.piece_name(after.piece_type_at(square) or 0)} on {chess.square_name(square)} "
                   "without protection")


def _shelter(board: chess.Board, after: chess.Board, move: chess.Move) -> Iterator[str]:
    side, king = board.turn, board.king(board.turn)
    for file in sorted(set(files_without_shelter(after, side)) - set(files_without_shelter(board, side))):
        squares = chess.BB_FILES[chess.FILE_NAMES.index(file)]
        where = "on" if squares & after.kings & after.occupied_co[side] else "beside"
        yield f"leaves the king {where} the {'half-open' if squares & after.pawns else 'open'} {file}-file"
    home = chess.BB_RANK_1 if side else chess.BB_RANK_8
    if king is not None and board.piece_type_at(move.from_square) == chess.PAWN and board.queens and (
            chess.BB_SQUARES[king] & home and chess.square_file(king) not in (3, 4)
            and chess.square_distance(king, move.from_square) == 1
            and chess.square_distance(king, move.to_square) > 2):
        yield "loosens the pawns before its own king"


_GAINS: tuple[Change, ...] = (_castles, _new_passed, _flees, _guards, _file, _king_walk, _develops, _centre,
                              _opens_line, _escape)
_LOSSES: tuple[Change, ...] = (_unguards, _castling_lost, _shelter)
