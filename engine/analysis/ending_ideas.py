"""Ideas of the endgame that have a name, each proven by what stands on the board, and by endgame tables."""

from __future__ import annotations

import chess

from engine.analysis.board_facts import passed_pawns
from engine.analysis.idea import ProvenIdea
from engine.analysis.lookup import tb_result
from engine.analysis.tactical_line import TacticalLine
from engine.text.sides import SIDE_NAMES

_SEVENTH, _FIFTH = 6, 4  # ranks from the attacker's side, from 0
_CENTRE_FILES = range(1, 7)  # of a pawn that wins the Lucena position
_CORNERS = {(0, True): chess.A8, (7, True): chess.H8, (0, False): chess.A1, (7, False): chess.H1}


def _rank(square: chess.Square, side: chess.Color) -> int:
    """The rank of a square as one side counts it, from 0."""
    return chess.square_rank(square) if side else 7 - chess.square_rank(square)


def _kings(board: chess.Board, side: chess.Color) -> tuple[chess.Square, chess.Square]:
    own, other = board.king(side), board.king(not side)
    assert own is not None and other is not None
    return own, other


def _matters(board: chess.Board, loser: chess.Color) -> bool | None:
    """Whether having to move costs the side to move a result by the tables; None where they do not reach."""
    if board.turn != loser or board.is_check():
        return False
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    if passed.was_into_check():
        return False
    here, there = tb_result(board), tb_result(passed)
    return None if here is None or there is None else here < -there


def opposition(line: TacticalLine) -> ProvenIdea | None:
    """In a pawn ending a king takes the opposition: the kings face each other, and the other one must give way."""
    board, side = line.boards[1], line.side
    if board.occupied != board.kings | board.pawns or not board.pawns or board.is_check() or (
            not any(board.generate_legal_moves())):
        return None
    if line.boards[0].piece_type_at(line.moves[0].from_square) != chess.KING or line.taken(0) is not None:
        return None
    own, other = _kings(board, side)
    files, ranks = (abs(part(own) - part(other)) for part in (chess.square_file, chess.square_rank))
    apart = max(files, ranks)
    if apart % 2 or min(files, ranks) not in (0, apart) or apart == 0:
        return None
    is_direct = apart == 2 and min(files, ranks) == 0
    if _is_idle(board) or (not is_direct and not _matters(board, not side)):
        return None
    how = "" if is_direct else "distant " if min(files, ranks) == 0 else "diagonal "
    king = SIDE_NAMES[not side]
    return ProvenIdea("opposition",
                      f"the king on {chess.square_name(own)} takes the {how}opposition, and {king}'s king must "
                "give way", 1, side, (own,))


def _is_idle(board: chess.Board) -> bool:
    """Whether the side to move can wait with a pawn."""
    return any(board.piece_type_at(move.from_square) == chess.PAWN for move in board.legal_moves)


def trebuchet(line: TacticalLine) -> ProvenIdea | None:
    """Two pawns block each other, each king attacks one and guards the other: the side to move loses its pawn."""
    for ply in range(min(len(line), 4)):
        board = line.boards[ply + 1]
        loser = board.turn
        if board.occupied != board.kings | board.pawns or chess.popcount(board.pawns) != 2 or board.is_check():
            continue
        own, other = (board.pieces(chess.PAWN, color) for color in (loser, not loser))
        if len(own) != 1 or len(other) != 1:
            continue
        pawn, enemy = own.pop(), other.pop()
        king, rival = _kings(board, loser)
        if enemy - pawn != (8 if loser else -8):
            continue
        touched = all(chess.square_distance(square, near) == 1 for square in (pawn, enemy) for near in (king, rival))
        if touched:
            side = SIDE_NAMES[loser]
            return ProvenIdea("trebuchet", f"both kings attack a pawn and guard the other, so {side}, which must move, "
                        "loses its pawn", ply + 1, not loser, (pawn, enemy))
    return None


def table_zugzwang(line: TacticalLine) -> ProvenIdea | None:
    """The side to move loses, or no longer wins, only because it must move, by the tables."""
    board, side = line.boards[1], line.side
    if board.is_check() or not _matters(board, not side):
        return None
    return ProvenIdea("zugzwang",
                      f"{SIDE_NAMES[not side]} must move, and every move costs it the result", 1, side)


def _rook_ending(board: chess.Board) -> tuple[chess.Square, chess.Color] | None:
    """The pawn and its side where a rook and a pawn play against a rook."""
    if board.occupied != board.kings | board.rooks | board.pawns or chess.popcount(board.pawns) != 1:
        return None
    if any(len(board.pieces(chess.ROOK, color)) != 1 for color in chess.COLORS):
        return None
    pawn = chess.lsb(board.pawns)
    return pawn, bool(board.color_at(pawn))


def lucena(line: TacticalLine) -> ProvenIdea | None:
    """Rook and pawn against rook: the pawn is on the seventh rank, its king before it, the other king cut off."""
    for ply in range(min(len(line) + 1, 4)):
        board = line.boards[ply]
        ending = _rook_ending(board)
        if ending is None:
            continue
        pawn, side = ending
        own, other = _kings(board, side)
        file = chess.square_file(pawn)
        is_before = own == pawn + (8 if side else -8)
        if _rank(pawn, side) == _SEVENTH and file in _CENTRE_FILES and is_before and abs(
                chess.square_file(other) - file) >= 2:
            return ProvenIdea("Lucena position",
                              f"the king stands before its pawn on {chess.square_name(pawn)}, the other "
                        "king is cut off, and the rook builds a bridge on the fourth rank against the checks",
                        len(line), side, (pawn,), result="win")
    return None


def philidor(line: TacticalLine) -> ProvenIdea | None:
    """Rook against rook and pawn: the king stands before the pawn, and the rook keeps the other king off its rank."""
    for ply in range(min(len(line) + 1, 4)):
        board = line.boards[ply]
        ending = _rook_ending(board)
        if ending is None:
            continue
        pawn, side = ending
        own, other = _kings(board, side)
        rook = board.pieces(chess.ROOK, not side).pop()
        barrier = 5  # the attacker's sixth rank
        is_before = abs(chess.square_file(other) - chess.square_file(pawn)) <= 1 and _rank(other, side) >= barrier + 1
        if is_before and _rank(rook, side) == barrier and _rank(pawn, side) <= _FIFTH and _rank(own, side) < barrier:
            return ProvenIdea("Philidor position",
                              f"the rook on {chess.square_name(rook)} keeps the other king off the rank "
                        "before the pawn, and checks from behind once the pawn steps on it", len(line), not side,
                        (rook,), result="draw")
    return None


def wrong_bishop(line: TacticalLine) -> ProvenIdea | None:
    """A bishop and pawns on a rook's file against a king in the corner that the bishop does not control."""
    for ply in range(min(len(line), 8) + 1):
        board = line.boards[ply]
        for side in chess.COLORS:
            corner = _wrong_corner(board, side)
            if corner is None:
                continue
            king = board.king(not side)
            assert king is not None
            if chess.square_distance(king, corner) <= 1 or tb_result(board) == 0:
                name = chess.square_name(corner)
                return ProvenIdea("wrong bishop", f"the bishop does not control {name}, the corner in which the pawn "
                            f"promotes, and {SIDE_NAMES[not side]}'s king cannot be driven out of it",
                            max(ply, 1), not side, (corner,), result="draw")
    return None


def _wrong_corner(board: chess.Board, side: chess.Color) -> chess.Square | None:
    """The corner where a side's pawns promote and which its only bishop does not control, against a bare king."""
    pawns, bishops = board.pieces(chess.PAWN, side), board.pieces(chess.BISHOP, side)
    files = {chess.square_file(square) for square in pawns}
    if board.occupied_co[not side] & ~board.kings or len(bishops) != 1 or len(files) != 1 or not files <= {0, 7}:
        return None
    if board.occupied_co[side] & ~(board.kings | board.pawns | board.bishops):
        return None
    corner = _CORNERS[files.pop(), side]
    return None if bool(bishops & chess.BB_LIGHT_SQUARES) == bool(chess.BB_SQUARES[corner] & chess.BB_LIGHT_SQUARES) \
        else corner


def breakthrough(line: TacticalLine) -> ProvenIdea | None:
    """Pawns are given so that one of them gets through and promotes, or is passed and out of reach."""
    board, first = line.boards[0], line.moves[0]
    if board.piece_type_at(first.from_square) != chess.PAWN or line.taken(0) is not None or len(line) < 3:
        return None
    if passed_pawns(board, line.side) or line.moves[1].to_square != first.to_square:
        return None
    for ply in range(2, len(line), 2):
        move, after = line.moves[ply], line.boards[ply + 1]
        if line.boards[ply].piece_type_at(move.from_square) == chess.PAWN and (
                move.promotion or _runs_through(after, move.to_square)):
            square = chess.square_name(move.to_square)
            goal = f"promotes on {square}" if move.promotion else (
                f"becomes a passed pawn on {square} that cannot be stopped")
            return ProvenIdea("pawn breakthrough", f"a pawn is given so that another one {goal}", ply + 1, line.side,
                              (move.to_square,))
    return None


def _runs_through(board: chess.Board, square: chess.Square) -> bool:
    """Whether a passed pawn cannot be caught by the king, which is to move, where only kings and pawns are left."""
    side = bool(board.color_at(square))
    king = board.king(not side)
    if board.turn == side or board.occupied & ~(board.kings | board.pawns) or king is None:
        return False
    goal = chess.square(chess.square_file(square), 7 if side else 0)
    steps = 7 - _rank(square, side)
    path = chess.SquareSet.between(square, goal) | chess.SquareSet([goal])
    return square in passed_pawns(board, side) and not path & board.occupied and (
        chess.square_distance(king, goal) - 1 > steps)


def rook_behind_pawn(line: TacticalLine) -> ProvenIdea | None:
    """In a rook ending a rook goes behind a passed pawn, its own or the other side's, with nothing in between."""
    board, after, square = line.boards[0], line.boards[1], line.moves[0].to_square
    if board.occupied & ~(board.kings | board.rooks | board.pawns) or line.taken(0) is not None:
        return None
    if after.piece_type_at(square) != chess.ROOK or chess.square_file(line.moves[0].from_square) == chess.square_file(
            square) or after.is_check():
        return None
    for owner in (line.side, not line.side):
        for pawn in passed_pawns(after, owner):
            is_free = not chess.SquareSet.between(square, pawn) & after.occupied
            if chess.square_file(pawn) == chess.square_file(square) and _rank(pawn, owner) > _rank(
                    square, owner) and is_free:
                whose = "its own" if owner == line.side else "the other side's"
                return ProvenIdea("rook behind a passed pawn", f"the rook stands behind {whose} passed pawn on "
                                  f"{chess.square_name(pawn)}", 1, line.side, (pawn,))
    return None


def two_aims(line: TacticalLine) -> ProvenIdea | None:
    """In a pawn ending a king that is too far from both passed pawns comes closer to its own and to the other's."""
    board, move, side = line.boards[0], line.moves[0], line.side
    if board.occupied & ~(board.kings | board.pawns) or board.piece_type_at(move.from_square) != chess.KING:
        return None
    own, other = passed_pawns(board, side), passed_pawns(board, not side)
    if len(own) != 1 or len(other) != 1 or line.taken(0) is not None:
        return None
    goal = chess.square(chess.square_file(other[0]), 0 if side else 7)
    steps = 7 - _rank(other[0], not side)
    before, after = ((chess.square_distance(square, goal), chess.square_distance(square, own[0]))
                     for square in (move.from_square, move.to_square))
    if before[0] - 1 <= steps or after[0] >= before[0] or after[1] > before[1]:
        return None
    names = [chess.square_name(square) for square in (own[0], other[0])]
    return ProvenIdea("Réti's manoeuvre", f"the king approaches both pawns, its own on {names[0]} and the other "
                      f"side's on {names[1]}", 1, side, (own[0], other[0]))
