"""Facts that can be seen and counted on a board: pawns, files, kings, pins. Each is true by its definition alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess

from engine.analysis.ledger import PIECE_VALUES, balance
from engine.analysis.themes import MATERIAL, PASSED, material_difference, material_words, piece_list_text
from engine.text.sides import SIDE_NAMES

_HOME = {chess.WHITE: (chess.E1, chess.G1, chess.C1), chess.BLACK: (chess.E8, chess.G8, chess.C8)}
_OPENING_MOVES = 12  # of a game in which development counts
_ENDGAME_PIECES = 6  # beside kings and pawns, at most
_NUMBERS = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class BoardFact:
    """A fact in favour of `side`, in words."""

    side: chess.Color
    topic: str
    words: str


def board_facts(board: chess.Board) -> list[BoardFact]:
    """All facts about a position, in the order of their importance."""
    return [BoardFact(side, topic, words) for topic, find in _FACTS.items() for side in chess.COLORS
            for words in find(board, side)]


def compensation_facts(board: chess.Board, side: chess.Color) -> list[str]:
    """What can be counted in favour of a side that has given material: the other king, pins, attacks, passed pawns."""
    return [*_open_king(board, side), *_pinned_pieces(board, side), *_outnumbered_pieces(board, side),
            *_far_pawns(board, side)]


def given_material(board: chess.Board, side: chess.Color) -> str:
    """What a side is behind by: `a knight for a pawn`; empty if it is not behind."""
    if balance(board, side) >= 0:
        return ""
    more, less = material_difference(board, side)
    return f"{piece_list_text(less)} for {piece_list_text(more)}" if more else piece_list_text(less)


def has_opposite_bishops(board: chess.Board) -> bool:
    """Whether each side has one bishop, they never meet, and beside kings there is nothing else but pawns."""
    bishops = [board.pieces(chess.BISHOP, color) for color in chess.COLORS]
    if any(len(squares) != 1 for squares in bishops) or board.knights | board.rooks | board.queens:
        return False
    return sum(bool(squares & chess.BB_LIGHT_SQUARES) for squares in bishops) == 1


def _material(board: chess.Board, side: chess.Color) -> Iterator[str]:
    if balance(board, side) > 0:
        yield material_words(board, 0 if side else 1)


def has_bishop_pair(board: chess.Board, side: chess.Color) -> bool:
    """Whether a side has bishops of both colours."""
    bishops = board.pieces(chess.BISHOP, side)
    return bool(bishops & chess.BB_LIGHT_SQUARES) and bool(bishops & chess.BB_DARK_SQUARES)


def _bishop_pair(board: chess.Board, side: chess.Color) -> Iterator[str]:
    if has_bishop_pair(board, side) and not has_bishop_pair(board, not side):
        yield f"{SIDE_NAMES[side]} has the bishop pair"


def passed_pawns(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """The pawns of a side that no pawn of the other can stop or capture on their way."""
    others = board.pieces(chess.PAWN, not side)
    found = []
    for square in board.pieces(chess.PAWN, side):
        file, rank = chess.square_file(square), chess.square_rank(square)
        in_way = [other for other in others if abs(chess.square_file(other) - file) <= 1
                  and (chess.square_rank(other) > rank if side else chess.square_rank(other) < rank)]
        if not in_way:
            found.append(square)
    return found


def _passed(board: chess.Board, side: chess.Color) -> Iterator[str]:
    for square in passed_pawns(board, side):
        yield f"{SIDE_NAMES[side]} has a passed pawn on {chess.square_name(square)}"


def isolated_pawns(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """The pawns of a side without a pawn of their own on a neighbouring file."""
    files = {chess.square_file(square) for square in board.pieces(chess.PAWN, side)}
    return [square for square in board.pieces(chess.PAWN, side)
            if not {chess.square_file(square) - 1, chess.square_file(square) + 1} & files]


def _isolated(board: chess.Board, side: chess.Color) -> Iterator[str]:
    squares = sorted(set(isolated_pawns(board, not side)) - set(passed_pawns(board, not side)))
    if squares:
        names = [chess.square_name(square) for square in squares]
        words = f"pawns on {', '.join(names[:-1])} and {names[-1]} are" if names[1:] else f"pawn on {names[0]} is"
        yield f"{SIDE_NAMES[not side]}'s {words} isolated"


def doubled_files(board: chess.Board, side: chess.Color) -> list[str]:
    """The letters of the files on which a side has more than one pawn."""
    pawns = board.pieces(chess.PAWN, side)
    return [chess.FILE_NAMES[file] for file in range(8) if len(pawns & chess.BB_FILES[file]) > 1]


def _doubled(board: chess.Board, side: chess.Color) -> Iterator[str]:
    for file in doubled_files(board, not side):
        yield f"{SIDE_NAMES[not side]} has doubled pawns on the {file}-file"


def rooks_on_seventh(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """A side's rooks on the seventh rank, if the other king is on the last one or pawns can be attacked there."""
    seventh, last, king = (6, 7, board.king(chess.BLACK)) if side else (1, 0, board.king(chess.WHITE))
    targets = chess.SquareSet(board.pieces(chess.PAWN, not side) & chess.BB_RANKS[seventh])
    is_worth_it = bool(targets) or (king is not None and chess.square_rank(king) == last)
    return list(board.pieces(chess.ROOK, side) & chess.BB_RANKS[seventh]) if is_worth_it else []


def _rooks(board: chess.Board, side: chess.Color) -> Iterator[str]:
    name, seventh = SIDE_NAMES[side], rooks_on_seventh(board, side)
    is_endgame = chess.popcount(board.occupied & ~board.pawns & ~board.kings) <= _ENDGAME_PIECES
    for square in board.pieces(chess.ROOK, side):
        if square in seventh:
            yield f"{name}'s rook on {chess.square_name(square)} is on the seventh rank"
        elif not is_endgame and not board.pawns & chess.BB_FILES[chess.square_file(square)]:
            yield f"{name}'s rook on {chess.square_name(square)} has an open file"


def outposts(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """A side's advanced knights that a pawn guards and that no pawn of the other can ever attack."""
    ranks, found = range(3, 6) if side else range(2, 5), []
    for square in board.pieces(chess.KNIGHT, side):
        file, rank = chess.square_file(square), chess.square_rank(square)
        attackers = [pawn for pawn in board.pieces(chess.PAWN, not side) if abs(chess.square_file(pawn) - file) == 1
                     and (chess.square_rank(pawn) > rank if side else chess.square_rank(pawn) < rank)]
        is_guarded = bool(board.attackers(side, square) & board.pawns)
        if rank in ranks and not attackers and is_guarded:
            found.append(square)
    return found


def _outposts(board: chess.Board, side: chess.Color) -> Iterator[str]:
    for square in outposts(board, side):
        yield f"no pawn can drive away {SIDE_NAMES[side]}'s knight on {chess.square_name(square)}"


def is_stuck_in_the_middle(board: chess.Board, side: chess.Color) -> bool:
    """Whether a side's king stands in the middle of its first rank and cannot castle, facing a queen."""
    king = board.king(side)
    if king is None or not board.pieces(chess.QUEEN, not side) or board.has_castling_rights(side):
        return False
    return chess.square_rank(king) == (0 if side else 7) and chess.square_file(king) in (3, 4, 5)


def files_without_shelter(board: chess.Board, side: chess.Color) -> list[str]:
    """The letters of the files of a castled king and next to it on which its side has no pawn, facing a queen."""
    king = board.king(side)
    if king is None or not board.pieces(chess.QUEEN, not side) or chess.square_rank(king) != (0 if side else 7):
        return []
    file, pawns = chess.square_file(king), board.pieces(chess.PAWN, side)
    return [chess.FILE_NAMES[near] for near in range(max(file - 1, 0), min(file + 2, 8))
            if file not in (3, 4) and not pawns & chess.BB_FILES[near]]


def attackers_near_king(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """The other side's pieces, pawns and king not counted, that attack a side's king or a square next to it."""
    king = board.king(side)
    if king is None:
        return []
    ring = chess.SquareSet(chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king])
    pieces = board.occupied_co[not side] & ~board.pawns & ~board.kings
    return [square for square in chess.SquareSet(pieces) if board.attacks(square) & ring]


def undeveloped_minors(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """A side's knights and bishops on its first rank."""
    minors = (board.knights | board.bishops) & board.occupied_co[side]
    return list(chess.SquareSet(minors & (chess.BB_RANK_1 if side else chess.BB_RANK_8)))


def is_development(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move takes a knight or bishop off its side's first rank in the opening."""
    piece, home = board.piece_type_at(move.from_square), 0 if board.turn else 7
    return board.fullmove_number <= _OPENING_MOVES and piece in (chess.KNIGHT, chess.BISHOP) and (
        chess.square_rank(move.from_square) == home != chess.square_rank(move.to_square))


def _castling(board: chess.Board, side: chess.Color) -> Iterator[str]:
    if is_stuck_in_the_middle(board, not side):
        yield f"{SIDE_NAMES[not side]}'s king on {chess.square_name(board.king(not side) or 0)} cannot castle"


def _open_king(board: chess.Board, side: chess.Color) -> Iterator[str]:
    king = board.king(not side)
    if king is None:
        return
    rank = chess.square_rank(king) if not side else 7 - chess.square_rank(king)  # from its own first rank
    owner, square = SIDE_NAMES[not side], chess.square_name(king)
    if rank >= 2:
        yield f"{owner}'s king is on {square}, in the open, and cannot castle"
    elif not board.has_castling_rights(not side) and king not in _HOME[not side][1:] and chess.square_file(king) in (
            3, 4, 5):
        yield f"{owner}'s king on {square} cannot castle"


def _pinned_pieces(board: chess.Board, side: chess.Color) -> Iterator[str]:
    for square in chess.SquareSet(board.occupied_co[not side] & ~board.kings):
        if board.is_pinned(not side, square):
            attackers = len(board.attackers(side, square))
            piece_type = board.piece_type_at(square)
            assert piece_type is not None
            more = f" and attacked by {_NUMBERS.get(attackers, str(attackers))}" if attackers > 1 else ""
            yield f"the {chess.piece_name(piece_type)} on {chess.square_name(square)} is pinned{more}"


def _outnumbered_pieces(board: chess.Board, side: chess.Color) -> Iterator[str]:
    for square in chess.SquareSet(board.occupied_co[not side] & ~board.kings & ~board.pawns):
        if board.is_pinned(not side, square):
            continue
        attackers, defenders = (len(board.attackers(color, square)) for color in (side, not side))
        piece_type = board.piece_type_at(square)
        assert piece_type is not None
        if attackers > defenders and PIECE_VALUES[piece_type] > 1:
            yield (f"the {chess.piece_name(piece_type)} on {chess.square_name(square)} is attacked more often than "
                   "defended")


def _far_pawns(board: chess.Board, side: chess.Color) -> Iterator[str]:
    for square in passed_pawns(board, side):
        if chess.square_rank(square) >= 5 if side else chess.square_rank(square) <= 2:
            yield f"{SIDE_NAMES[side]} has a passed pawn on {chess.square_name(square)}"


_FACTS: dict[str, Callable[[chess.Board, chess.Color], Iterator[str]]] = {
    MATERIAL: _material, "castling": _castling, PASSED: _passed, "bishop pair": _bishop_pair,
    "outposts": _outposts, "rooks": _rooks, "isolated pawns": _isolated, "doubled pawns": _doubled}
