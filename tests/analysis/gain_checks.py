"""Check what a sentence says that a move does for its own side, or gives up: counted on the boards before and after."""

from __future__ import annotations

from collections.abc import Callable

import chess

from tests.analysis.counting import passed
from tests.analysis.proof import NAMES, Context, claim, replay

_PIECE, _ON = r"(?:pawn|knight|bishop|rook|queen)", r"[a-h][1-8]"
GAINS = (rf"(?:brings the king to safety and a rook into play|makes a passed pawn on {_ON}|"
         rf"takes the {_PIECE} out of the attack on {_ON}|protects the {_PIECE} on {_ON}|"
         r"brings the rook to the seventh rank|puts the rook on the (?:half-)?open [a-h]-file|"
         rf"brings the king closer to the centre|develops the {_PIECE}|"
         rf"takes space in the centre with the pawn on {_ON}|controls {_ON} in the centre|"
         rf"opens a line for the {_PIECE} on {_ON}|gives the king an escape square on {_ON})")
LOSSES = (rf"(?:leaves the {_PIECE} on {_ON} without protection|gives up castling|"
          r"leaves the king (?:on|beside) the (?:half-)?open [a-h]-file|loosens the pawns before its own king)")
CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)


def check_gain(context: Context) -> None:
    """What another move does."""
    (move,), after = replay(context.before, context.match["move"])
    claim(move != context.move, "the move that was played")
    check_one_gain(context.before, after, move, context.match["gain"])


def check_one_gain(before: chess.Board, after: chess.Board, move: chess.Move, words: str) -> None:
    """Check the words of GAINS about a move."""
    mover, square = before.turn, _square(words)
    if words.startswith("brings the king to safety"):
        claim(before.is_castling(move), "no castling")
    elif words.startswith("makes a passed pawn"):
        claim(square == move.to_square and square in passed(after, mover), "not passed")
        claim(move.from_square not in passed(before, mover), "passed before")
    elif words.startswith("takes the"):
        claim(square == move.from_square and _names(before, square) in words, "another piece")
        claim(before.is_attacked_by(not mover, square), "it was not attacked")
        claim(not after.is_attacked_by(not mover, move.to_square), "it is still attacked")
    elif words.startswith("protects"):
        claim(after.color_at(square) == mover and _names(after, square) in words, "another piece")
        claim(square in after.attacks(move.to_square) and after.is_attacked_by(not mover, square), "no need or no help")
        claim(not before.attackers(mover, square), "it was protected")
    else:
        _CHECKS[next(start for start in _CHECKS if words.startswith(start))](before, after, move, words)


def _rook_to_seventh(before: chess.Board, _after: chess.Board, move: chess.Move, _words: str) -> None:
    claim(before.piece_type_at(move.from_square) == chess.ROOK, "no rook")
    claim(chess.square_rank(move.to_square) == (6 if before.turn else 1), "not the seventh rank")


def _rook_to_file(before: chess.Board, after: chess.Board, move: chess.Move, words: str) -> None:
    file = words[-6]
    claim(before.piece_type_at(move.from_square) == chess.ROOK, "no rook")
    claim(chess.FILE_NAMES[chess.square_file(move.to_square)] == file != chess.square_name(move.from_square)[0],
          "another file")
    pawns = after.pawns & chess.BB_FILES[chess.FILE_NAMES.index(file)]
    claim(not pawns & after.occupied_co[before.turn] and bool(pawns) == ("half-open" in words), "not open so")


def _king_to_centre(before: chess.Board, _after: chess.Board, move: chess.Move, _words: str) -> None:
    claim(before.piece_type_at(move.from_square) == chess.KING, "no king")
    far, near = (min(chess.square_distance(square, middle) for middle in CENTRE)
                 for square in (move.from_square, move.to_square))
    claim(near < far, "no closer")


def _develops(before: chess.Board, _after: chess.Board, move: chess.Move, words: str) -> None:
    home = 0 if before.turn else 7
    claim(_names(before, move.from_square) in words and words.endswith(("knight", "bishop")), "another piece")
    claim(chess.square_rank(move.from_square) == home != chess.square_rank(move.to_square), "not from home")


def _in_centre(before: chess.Board, after: chess.Board, move: chess.Move, words: str) -> None:
    square = _square(words)
    claim(before.piece_type_at(move.from_square) == chess.PAWN and square in CENTRE, "no pawn, or not the centre")
    claim(square == move.to_square if words.startswith("takes") else square in after.attacks(move.to_square),
          "another square")


def _opens_line(before: chess.Board, after: chess.Board, move: chess.Move, words: str) -> None:
    square = _square(words)
    claim(_names(after, square) in words and square != move.to_square, "another piece")
    claim(len(after.attacks(square)) >= len(before.attacks(square)) + 3, "hardly a line")


def _escape_square(before: chess.Board, after: chess.Board, move: chess.Move, words: str) -> None:
    square, king = _square(words), before.king(before.turn)
    claim(square == move.from_square and king is not None and square in after.attacks(king), "not beside the king")
    claim(not after.is_attacked_by(not before.turn, square), "it is attacked")


_CHECKS: dict[str, Callable[[chess.Board, chess.Board, chess.Move, str], None]] = {
    "brings the rook": _rook_to_seventh, "puts the rook": _rook_to_file, "brings the king closer": _king_to_centre,
    "develops": _develops, "takes space": _in_centre, "controls": _in_centre, "opens a line": _opens_line,
    "gives the king": _escape_square}


def check_given_up(context: Context) -> None:
    """What the move played gives up."""
    context.line(context.after)
    words, before, after = context.match["loss"], context.before, context.after
    mover = before.turn
    if words == "gives up castling":
        claim(before.has_castling_rights(mover) and not after.has_castling_rights(mover), "castling is not given up")
        claim(not before.is_castling(context.move), "it castles")
    elif words.startswith("leaves the king"):
        pawns = after.pawns & chess.BB_FILES[chess.FILE_NAMES.index(words[-6])]
        claim(not pawns & after.occupied_co[mover] and bool(pawns) == ("half-open" in words), "not open so")
        king = after.king(mover)
        claim(king is not None, "no king")
        distance = abs(chess.square_file(king or 0) - chess.FILE_NAMES.index(words[-6]))
        claim(distance == (0 if " on the " in words else 1), "the king is not there")
    elif words.startswith("leaves the"):
        square = _square(words)
        claim(after.color_at(square) == mover and _names(after, square) in words, "another piece")
        claim(after.is_attacked_by(not mover, square) and not after.attackers(mover, square), "it is protected")
        claim(bool(before.attackers(mover, square)), "it was not protected before")
    else:
        king = before.king(mover)
        claim(before.piece_type_at(context.move.from_square) == chess.PAWN and king is not None
              and chess.square_distance(king, context.move.from_square) == 1, "no pawn before the king")


def _square(words: str) -> chess.Square:
    named = [word for word in words.replace(",", "").split() if len(word) == 2 and word in chess.SQUARE_NAMES]
    return chess.parse_square(named[-1]) if named else chess.A1


def _names(board: chess.Board, square: chess.Square) -> str:
    piece_type = board.piece_type_at(square)
    return f" {next((name for name, number in NAMES.items() if number == piece_type), '?')}"


