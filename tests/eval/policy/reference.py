"""The policy as specified, in plain Python and NumPy over python-chess boards."""

from __future__ import annotations

import chess
import numpy as np

from eval.policy.file import Policy


def view_of(board: chess.Board) -> int:
    king = board.king(board.turn)
    assert king is not None
    return (0 if board.turn else 56) ^ (7 if chess.square_file(king) >= 4 else 0)


def features_of(board: chess.Board) -> list[int]:
    view, found = view_of(board), []
    for square, piece in board.piece_map().items():
        attacked, defended = (board.is_attacked_by(color, square) for color in (not piece.color, piece.color))
        code = piece.piece_type - 1 + (0 if piece.color == board.turn else 6)
        found.append(attacked * 1536 + defended * 768 + code * 64 + (square ^ view))
    return found


def all_paths() -> dict[tuple[int, int], int]:
    """Paths in the order of their squares: from where a queen or a knight alone on the board could go."""
    empty = chess.Board(None)
    paths: dict[tuple[int, int], int] = {}
    for start in chess.SQUARES:
        targets = chess.SquareSet()
        for piece_type in (chess.QUEEN, chess.KNIGHT):
            empty.set_piece_at(start, chess.Piece(piece_type, chess.WHITE))
            targets |= empty.attacks(start)
        empty.remove_piece_at(start)
        for target in targets:
            paths[start, target] = len(paths)
    return paths


FROM_TO_ROWS = all_paths()


VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}


def level_of(board: chess.Board, square: int) -> int:
    """2 if an enemy pawn attacks the square, 1 if only other pieces do, else 0."""
    attackers = board.attackers(not board.turn, square)
    return 0 if not attackers else 2 if attackers & board.pieces(chess.PAWN, not board.turn) else 1


def danger_of(board: chess.Board, move: int) -> int:
    start, target, special = move & 63, move >> 6 & 63, move >> 12
    made = 0
    if special < 2:
        moved = board.piece_at(start)
        assert moved is not None
        after = board.copy(stack=False)
        after.remove_piece_at(start)
        after.set_piece_at(target, moved)
        for square in after.attacks(target):
            piece = board.piece_at(square)
            if piece is None or piece.color == board.turn or piece.piece_type == chess.KING:
                continue
            is_larger = VALUES[piece.piece_type] > VALUES[moved.piece_type]
            is_loose = not board.is_attacked_by(not board.turn, square)
            made = max(made, 2 if is_larger else int(is_loose))
    return level_of(board, start) + 3 * level_of(board, target) + 9 * made


def rows_of(board: chess.Board, move: int, good: int) -> tuple[int, int, int, int]:
    """The rows of one of the engine's moves: path, place, traits, danger."""
    view, start, target, special = view_of(board), move & 63, move >> 6 & 63, move >> 12
    here, there = start ^ view, target ^ view
    path = FROM_TO_ROWS[here, there]
    if special >= 4:
        path = 1792 + 22 * (special - 4) + 3 * (here % 8) + (there % 8 - here % 8)
    moved, taken = board.piece_type_at(start), board.piece_type_at(target) or 0
    assert moved is not None
    if special == 2:
        text = board.uci(chess.Move(start, target)) if board.chess960 else _castling_text(start, target)
        played, taken = board.parse_uci(text), 0
    else:
        played = chess.Move(start, target, special - 2 if special >= 4 else None)
        taken = chess.PAWN if special == 1 else taken
    check = int(board.gives_check(played))
    return (path, 64 * (moved - 1) + there, (((moved - 1) * 6 + taken) * 2 + check) * 2 + good,
            (27 * (moved - 1) + danger_of(board, move)) * 2 + good)


def _castling_text(king: int, rook: int) -> str:
    return chess.square_name(king) + chess.square_name(king + 2 if rook > king else king - 2)


def scores_of(policy: Policy, board: chess.Board, moves: list[int], good: list[int]) -> list[int]:
    """What the integers of the policy add up to for each move."""
    cells = policy.feature_biases.astype(np.int64) + policy.feature_weights[features_of(board)].astype(np.int64).sum(0)
    cells = np.clip(cells, 0, 64) ** 2
    scores = []
    for move, flag in zip(moves, good, strict=True):
        scores.append(score_of(policy, cells, rows_of(board, move, flag)))
    return scores


def score_of(policy: Policy, cells, rows: tuple[int, int, int, int]) -> int:
    """The sum for one move."""
    path, target, trait, danger = rows
    row = (policy.from_to_weights[path].astype(np.int64) + policy.piece_to_weights[target] + policy.trait_weights[trait]
           + policy.danger_weights[danger])
    return int((cells * row).sum() + policy.trait_biases[trait])
