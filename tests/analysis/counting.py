"""What the checker of sentences counts on a board, with python-chess alone: exchanges, motifs, positional facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import chess

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven")
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 1000}


def recaptures(board: chess.Board, square: chess.Square) -> int:
    """What the side to move gains at most by captures on a square, each side free to stop."""
    best = 0
    standing = board.piece_type_at(square)
    for move in list(board.legal_moves):
        if move.to_square != square or standing is None or not board.is_capture(move):
            continue
        cursor = board.copy(stack=False)
        cursor.push(move)
        best = max(best, VALUES[standing] - recaptures(cursor, square))
    return best


def hangs_something(board: chess.Board) -> bool:
    """Whether the side to move is in check or can win a pawn or more by exchanges on one square."""
    if board.is_check():
        return True
    for move in list(board.legal_moves):
        taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
        if not board.is_capture(move) or taken is None:
            continue
        cursor = board.copy(stack=False)
        cursor.push(move)
        if VALUES[taken] - recaptures(cursor, move.to_square) >= 1:
            return True
    return False


def material(board: chess.Board, color: chess.Color) -> Counter[int]:
    """The pieces of a side by type."""
    return Counter(piece.piece_type for piece in board.piece_map().values()
                   if piece.color == color and piece.piece_type != chess.KING)


def is_taken(square: chess.Square, moves: Sequence[chess.Move]) -> bool:
    """Whether the piece that stands on a square, wherever it goes, is captured in a line that begins there."""
    for move in moves:
        if move.from_square == square:
            square = move.to_square
        elif move.to_square == square:
            return True
    return False


def repeats_by_checks(start: chess.Board, moves: Sequence[chess.Move]) -> bool:
    """Whether the first side gives three checks or more, and the last position was there before."""
    cursor, seen, checks, repeats = start.copy(), {start.board_fen()}, 0, False
    for number, move in enumerate(moves):
        cursor.push(move)
        checks += number % 2 == 0 and cursor.is_check()
        repeats = cursor.board_fen() in seen
        seen.add(cursor.board_fen())
    return checks >= 3 and repeats


def shows_overload(start: chess.Board, moves: Sequence[chess.Move]) -> bool:
    """A piece guards two others; after it has taken back on the square of one, the other is taken without a guard."""
    cursor, found = start.copy(), False
    for number, move in enumerate(moves):
        if number % 2 == 0 and number + 2 < len(moves):
            reply, last = moves[number + 1], moves[number + 2]
            guards = cursor.attackers(not cursor.turn, move.to_square) & cursor.attackers(
                not cursor.turn, last.to_square)
            later = cursor.copy()
            later.push(move)
            later.push(reply)
            found |= (cursor.is_capture(move) and reply.to_square == move.to_square and reply.from_square in guards
                      and later.is_capture(last) and not later.attackers(not later.turn, last.to_square))
        cursor.push(move)
    return found


def shows_zugzwang(start: chess.Board, moves: Sequence[chess.Move]) -> bool:
    """After a move of the line every reply lets something be won, and passing would not."""
    cursor, found = start.copy(), False
    for number, move in enumerate(moves):
        cursor.push(move)
        if number % 2 or cursor.is_check():
            continue
        waiting = cursor.copy(stack=False)
        waiting.push(chess.Move.null())
        replies = [cursor.copy(stack=False) for _ in cursor.legal_moves]
        for board, reply in zip(replies, list(cursor.legal_moves), strict=True):
            board.push(reply)
        found |= not hangs_something(waiting) and all(hangs_something(board) for board in replies)
    return found


def is_hunt(start: chess.Board, moves: Sequence[chess.Move]) -> bool:
    """Three checks or more, by every move of the first side, which has a queen, drive the king from home."""
    cursor, victim = start.copy(), not start.turn
    for number, move in enumerate(moves):
        if number % 2 == 0 and not cursor.gives_check(move):
            return False
        cursor.push(move)
    king = cursor.king(victim)
    is_away = king is not None and chess.square_rank(king) not in ((0, 1) if victim else (6, 7))
    return is_away and len(moves) >= 6 and bool(cursor.pieces(chess.QUEEN, start.turn))


def is_mate_threat(start: chess.Board, move: chess.Move, threat: str) -> bool:
    """Whether a move gives no check, and the named one would mate next if the other side passed."""
    passed = start.copy(stack=False)
    passed.push(move)
    if passed.is_check():
        return False
    passed.push(chess.Move.null())
    try:
        passed.push_san(threat)
    except ValueError:
        return False
    return passed.is_checkmate()


def isolated(board: chess.Board, side: chess.Color) -> set[chess.Square]:
    """The isolated pawns of a side."""
    pawns = board.pieces(chess.PAWN, side)
    return {pawn for pawn in pawns if not any(abs(chess.square_file(other) - chess.square_file(pawn)) == 1
                                              for other in pawns)}


def doubled(board: chess.Board, side: chess.Color) -> set[int]:
    """The files with more than one pawn of a side."""
    counts = Counter(chess.square_file(pawn) for pawn in board.pieces(chess.PAWN, side))
    return {file for file, count in counts.items() if count > 1}


def passed(board: chess.Board, side: chess.Color) -> set[chess.Square]:
    """The pawns of a side with no pawn of the other before them on their own file and its neighbours."""
    others = board.pieces(chess.PAWN, not side)
    return {pawn for pawn in board.pieces(chess.PAWN, side) if not any(
        abs(chess.square_file(other) - chess.square_file(pawn)) <= 1
        and (chess.square_rank(other) - chess.square_rank(pawn)) * (1 if side else -1) > 0 for other in others)}


def shelterless(board: chess.Board, side: chess.Color) -> set[int]:
    """The files of a king on its first rank and next to it without a pawn of its side."""
    king = board.king(side)
    assert king is not None
    near = {chess.square_file(king) + step for step in (-1, 0, 1)} & set(range(8))
    return near - {chess.square_file(pawn) for pawn in board.pieces(chess.PAWN, side)}


def pairs(board: chess.Board, side: chess.Color) -> set[str]:
    """A mark for a side that alone has bishops on squares of both colours."""
    colors = {own: {(bishop + bishop // 8) % 2 for bishop in board.pieces(chess.BISHOP, own)} for own in chess.COLORS}
    return {"pair"} if len(colors[side]) == 2 > len(colors[not side]) else set()


def uncastled(board: chess.Board, side: chess.Color) -> set[chess.Square]:
    """The square of a king in the middle of its first rank that has lost the right to castle."""
    king = board.king(side)
    middle = {chess.D1, chess.E1, chess.F1} if side else {chess.D8, chess.E8, chess.F8}
    return {king} & middle if king is not None and not board.has_castling_rights(side) else set()


def sevenths(board: chess.Board, side: chess.Color) -> set[chess.Square]:
    """The rooks of a side on its seventh rank."""
    return {rook for rook in board.pieces(chess.ROOK, side) if chess.square_rank(rook) == (6 if side else 1)}


def posts(board: chess.Board, side: chess.Color) -> set[chess.Square]:
    """The knights of a side that a pawn guards, before which no pawn of the other stands on a neighbouring file."""
    others, step = board.pieces(chess.PAWN, not side), 1 if side else -1
    return {knight for knight in board.pieces(chess.KNIGHT, side)
            if board.attackers(side, knight) & board.pieces(chess.PAWN, side) and not any(
                abs(chess.square_file(other) - chess.square_file(knight)) == 1
                and (chess.square_rank(other) - chess.square_rank(knight)) * step > 0 for other in others)}


def near_king(board: chess.Board, side: chess.Color) -> set[chess.Square]:
    """The pieces of the other side that attack a king or a square next to it."""
    king = board.king(side)
    assert king is not None
    ring = {king, *chess.SquareSet(chess.BB_KING_ATTACKS[king])}
    return {square for square, piece in board.piece_map().items() if piece.color != side
            and piece.piece_type not in (chess.PAWN, chess.KING) and ring & set(board.attacks(square))}


def at_home(board: chess.Board, side: chess.Color) -> set[chess.Square]:
    """The knights and bishops of a side on its first rank."""
    return {square for square, piece in board.piece_map().items() if piece.color == side
            and piece.piece_type in (chess.KNIGHT, chess.BISHOP) and chess.square_rank(square) == (0 if side else 7)}


def is_attack_stronger(match: re.Match[str], worse: chess.Board, better: chess.Board) -> bool:
    """Whether as many pieces as named attack squares next to a king, on each of the boards."""
    side = match["color"] == "White"
    return (len(near_king(worse, side)), len(near_king(better, side))) == (
        WORDS.index(match["here"]), WORDS.index(match["there"].replace("none", "no")))


def is_behind(match: re.Match[str], worse: chess.Board, better: chess.Board, mover: chess.Color) -> bool:
    """Whether the mover has as many minor pieces at home as named, and is further behind than on the other board."""
    own, other = (len(at_home(worse, color)) for color in (mover, not mover))
    is_counted = (own, other) == (WORDS.index(match["own"]), WORDS.index(match["other"].replace("none", "no")))
    return is_counted and own - other > len(at_home(better, mover)) - len(at_home(better, not mover))


_COLOR, _SQUARE = r"(?P<color>White|Black)", r"(?P<square>[a-h][1-8])"
# The words of a positional fact, how it is counted, and whether the named side is the mover's.
FACTS: tuple[tuple[str, Callable[[chess.Board, chess.Color], set[Any]], bool], ...] = (
    (rf"leaves {_COLOR} with an isolated pawn on {_SQUARE}", isolated, True),
    (rf"leaves {_COLOR} with doubled pawns on the (?P<file>[a-h])-file", doubled, True),
    (rf"leaves {_COLOR}'s king on {_SQUARE} unable to castle", uncastled, True),
    (rf"leaves {_COLOR}'s king on (?P<king>[a-h][1-8]) without a pawn on the (?P<file>[a-h])-file", shelterless, True),
    (rf"leaves only {_COLOR} with the bishop pair", pairs, False),
    (rf"lets {_COLOR}'s rook reach the seventh rank on {_SQUARE}", sevenths, False),
    (rf"gives {_COLOR}'s knight an outpost on {_SQUARE}", posts, False),
)
# Facts that compare numbers, or that are about passed pawns, which may have been there before on another square.
LETS_ATTACK = rf"lets (?P<here>\w+) pieces attack squares next to {_COLOR}'s king instead of (?P<there>\w+)"
OWN_ATTACK = rf"attacks squares next to {_COLOR}'s king with (?P<here>\w+) pieces? instead of (?P<there>\w+)"
DEVELOPMENT = r"falls behind in development, with (?P<own>\w+) minor pieces? at home against (?P<other>\w+)"
OWN_PASSED_PAWN = rf"does without a passed pawn on {_SQUARE}"
THEIR_PASSED_PAWN = rf"(?:gives|leaves) {_COLOR} (?:a|the) passed pawn on {_SQUARE}"
