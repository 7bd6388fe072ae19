"""Ideas of strategy that have a name: what a move does to squares, pawns and pieces, counted on a line's boards."""

from __future__ import annotations

import chess

from engine.analysis.board_facts import isolated_pawns, outposts, passed_pawns
from engine.analysis.idea import ProvenIdea
from engine.analysis.ledger import PIECE_VALUES, balance, balance_before_exchange, is_settled
from engine.analysis.tactical_line import TacticalLine, is_bad_square, value_on
from engine.analysis.wording import joined
from engine.text.sides import SIDE_NAMES

_OPENING_MOVES = 12
_LONGEST = 6  # plies of a line in which pawns change
_CENTRE = range(2, 6)  # files c to f
_HOME_OF_MINORS = {chess.WHITE: (chess.B1, chess.C1, chess.F1, chess.G1),
                   chess.BLACK: (chess.B8, chess.C8, chess.F8, chess.G8)}
_FEWEST_SHUTTING = 3  # pawns on the colour of a bad bishop
_MOST_FREE = 3  # squares that a bad bishop has
_FEWEST_IN_ATTACK = 2  # pawns of a minority that attacks
_QUEENSIDE = chess.BB_FILE_A | chess.BB_FILE_B | chess.BB_FILE_C


def _rank(square: chess.Square, side: chess.Color) -> int:
    """The rank of a square as one side counts it, from 0."""
    return chess.square_rank(square) if side else 7 - chess.square_rank(square)


def _piece_on(board: chess.Board, square: chess.Square) -> str:
    return f"the {chess.piece_name(board.piece_type_at(square) or 0)} on {chess.square_name(square)}"


def outpost(line: TacticalLine) -> ProvenIdea | None:
    """A knight comes to an advanced square that a pawn guards and that no pawn can attack."""
    square, after = line.moves[0].to_square, line.boards[1]
    if line.taken(0) is not None or square not in outposts(after, line.side) or is_bad_square(after, square, line.side):
        return None
    return ProvenIdea("outpost",
                      f"the knight takes an outpost on {chess.square_name(square)}, which a pawn guards and from "
                "which no pawn can drive it", 1, line.side, (square,))


def weak_square(line: TacticalLine) -> ProvenIdea | None:
    """A pawn move after which none of its side's pawns can ever guard a central square that the other side covers."""
    board, after, move = line.boards[0], line.boards[1], line.moves[0]
    if board.piece_type_at(move.from_square) != chess.PAWN or line.taken(0) is not None:
        return None
    for square in chess.SquareSet(chess.BB_FILE_C | chess.BB_FILE_D | chess.BB_FILE_E | chess.BB_FILE_F):
        if _rank(square, line.side) != 3 or not _can_guard(board, square, line.side):
            continue
        if _can_guard(after, square, line.side) or after.piece_type_at(square) == chess.PAWN:
            continue
        if any(line.moves[ply].to_square == square and line.taken(ply) is None
               for ply in range(2, min(len(line), _LONGEST), 2)):
            continue  # its side goes there itself
        covering = [piece for piece in after.attackers(not line.side, square)
                    if after.piece_type_at(piece) in (chess.KNIGHT, chess.PAWN)]
        knights = after.pieces(chess.KNIGHT, not line.side)
        if covering and knights:
            name = chess.square_name(square)
            return ProvenIdea("weak square",
                              f"no pawn of {SIDE_NAMES[line.side]} can guard {name} any more, and a knight can "
                        "settle there", 1, not line.side, (square,))
    return None


def _can_guard(board: chess.Board, square: chess.Square, side: chess.Color) -> bool:
    """Whether a pawn of a side guards a square or may come to guard it."""
    return any(abs(chess.square_file(pawn) - chess.square_file(square)) == 1 and _rank(pawn, side) < _rank(square, side)
               for pawn in board.pieces(chess.PAWN, side))


def isolated_pawn(line: TacticalLine) -> ProvenIdea | None:
    """A pawn in the centre becomes isolated within a few plies and is so where the line has settled."""
    before = {side: set(isolated_pawns(line.boards[0], side)) for side in chess.COLORS}
    for ply in range(min(len(line), _LONGEST)):
        after = line.boards[ply + 1]
        if not is_settled(after) and ply + 1 < len(line):
            continue
        for side in chess.COLORS:
            new = [square for square in isolated_pawns(after, side) if square not in before[side]
                   and chess.square_file(square) in (3, 4) and square not in passed_pawns(after, side)]
            if new and _stays(line, ply + 1, new[0], side):
                name, owner = chess.square_name(new[0]), SIDE_NAMES[side]
                return ProvenIdea("isolated pawn",
                                  f"{owner} is left with an isolated pawn on {name}, which no pawn can "
                            "guard", ply + 1, not side, (new[0],))
    return None


def _stays(line: TacticalLine, ply: int, square: chess.Square, side: chess.Color) -> bool:
    """Whether the pawn on a square is isolated still two plies later."""
    later = line.boards[min(ply + 2, len(line))]
    return square in isolated_pawns(later, side)


def bad_bishop(line: TacticalLine) -> ProvenIdea | None:
    """A pawn move that shuts in a bishop of its own, or a line after which the other side's bishop is shut in."""
    board, after, move = line.boards[0], line.boards[1], line.moves[0]
    if board.piece_type_at(move.from_square) != chess.PAWN:
        return None
    for side in (line.side, not line.side):
        for bishop in after.pieces(chess.BISHOP, side):
            pawns = _shutting_pawns(after, bishop, side)
            if len(pawns) > len(_shutting_pawns(board, bishop, side)) and len(pawns) >= _FEWEST_SHUTTING and len(
                    after.attacks(bishop) & ~after.occupied_co[side]) <= _MOST_FREE:
                names = joined([chess.square_name(pawn) for pawn in pawns])
                return ProvenIdea("bad bishop",
                                  f"{SIDE_NAMES[side]}'s bishop on {chess.square_name(bishop)} is bad: "
                            f"its own pawns on {names} stand on squares of its colour", 1, not side, (bishop,))
    return None


def _shutting_pawns(board: chess.Board, bishop: chess.Square, side: chess.Color) -> list[chess.Square]:
    """The pawns of a side in and near the centre, not on their first squares' rank, on the colour of a bishop."""
    colour = chess.BB_LIGHT_SQUARES if chess.BB_SQUARES[bishop] & chess.BB_LIGHT_SQUARES else chess.BB_DARK_SQUARES
    return [pawn for pawn in chess.SquareSet(board.pieces(chess.PAWN, side) & colour)
            if chess.square_file(pawn) in range(2, 6) and _rank(pawn, side) >= 2]


def minority_attack(line: TacticalLine) -> ProvenIdea | None:
    """A pawn of the smaller wing advances against the chain on the other side of a half-open file."""
    board, move, side = line.boards[0], line.moves[0], line.side
    if board.piece_type_at(move.from_square) != chess.PAWN or chess.square_file(move.to_square) > 1:
        return None
    own, other = board.pieces(chess.PAWN, side), board.pieces(chess.PAWN, not side)
    fewer, more = len(own & _QUEENSIDE), len(other & _QUEENSIDE)
    is_half_open = not own & chess.BB_FILE_C and bool(other & chess.BB_FILE_C)
    if not is_half_open or not _FEWEST_IN_ATTACK <= fewer < more or _rank(move.to_square, side) not in (3, 4):
        return None
    if not own & ~_QUEENSIDE or is_bad_square(line.boards[1], move.to_square, side):
        return None
    target = (other & chess.BB_FILE_C).pop()
    return ProvenIdea("minority attack",
                      f"{_number(fewer)} pawns advance against {_number(more)}, to leave a weak pawn on "
                f"the half-open c-file, now on {chess.square_name(target)}", 1, side, (target,))


def _number(count: int) -> str:
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")[count]


def castling_into_attack(line: TacticalLine) -> ProvenIdea | None:
    """A king castles to where the replies strike: two of the next three checks, captures or threats are beside it."""
    board, after = line.boards[0], line.boards[1]
    if not board.is_castling(line.moves[0]):
        return None
    king = after.king(line.side)
    assert king is not None
    ring = chess.SquareSet(chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king])
    plies = list(range(1, min(len(line), 8), 2))
    strikes = [ply for ply in plies if line.boards[ply + 1].is_check() or line.moves[ply].to_square in ring]
    is_torn_open = strikes[:1] == [1] and line.taken(1) is not None
    if not is_torn_open and (len(strikes) < 2 or strikes[0] > 3 or not line.boards[strikes[0] + 1].is_check()):
        return None
    return ProvenIdea("castling into an attack", f"the king on {chess.square_name(king)} comes under attack at once",
                min(strikes[-1] + 1, len(line)), not line.side, (king,))


def premature_attack(line: TacticalLine) -> ProvenIdea | None:
    """In the opening a queen comes out, or a piece moves again to attack, with most pieces at home."""
    board, after, move, side = line.boards[0], line.boards[1], line.moves[0], line.side
    at_home = [square for square in _HOME_OF_MINORS[side] if after.color_at(square) == side
               and after.piece_type_at(square) in (chess.KNIGHT, chess.BISHOP)]
    piece = board.piece_type_at(move.from_square)
    if board.fullmove_number > _OPENING_MOVES or len(at_home) < 2 or line.taken(0) is not None or board.is_check():
        return None
    is_early_queen = piece == chess.QUEEN and _rank(move.to_square, side) >= 2 and len(at_home) >= 3
    is_second_move = piece in (chess.KNIGHT, chess.BISHOP) and _rank(move.to_square, side) >= 4 and (
        move.from_square not in _HOME_OF_MINORS[side])
    if not is_early_queen and not is_second_move:
        return None
    chaser = _chaser(after, move.to_square)
    if chaser is None:
        return None
    number = _number(len(at_home))
    return ProvenIdea("premature attack", f"{number} minor pieces are still at home, and "
                f"{chaser} hits {_piece_on(after, move.to_square)}", 1, not side, (move.to_square,))


def _chaser(after: chess.Board, square: chess.Square) -> str | None:
    """A safe move that attacks a piece with something smaller, or takes it, in SAN; None if there is none."""
    value, side = value_on(after, square), after.turn
    for move in list(after.legal_moves):
        name, smaller = after.san(move), value_on(after, move.from_square) < value
        if move.to_square == square and (smaller or not after.attackers(not side, square)):
            return name
        later = after.copy(stack=False)
        later.push(move)
        if smaller and move.from_square in later.attackers(side, square) | chess.SquareSet([move.from_square]) and (
                square in later.attacks(move.to_square) and not is_bad_square(later, move.to_square, side)):
            return name
    return None


def greedy_capture(line: TacticalLine) -> ProvenIdea | None:
    """A piece goes for a pawn and is then hit, or leaves something behind: the caller knows that the move is bad."""
    taken, board, move = line.taken(0), line.boards[0], line.moves[0]
    if taken is None or taken[0] != chess.PAWN or board.piece_type_at(move.from_square) in (chess.PAWN, chess.KING):
        return None
    if balance_before_exchange(board, move, line.side) != balance(board, line.side):
        return None  # it takes back
    is_safe_at_once = not is_bad_square(line.boards[1], move.to_square, line.side)
    if not is_safe_at_once or board.is_check() or value_on(board, move.from_square) < PIECE_VALUES[chess.KNIGHT]:
        return None
    return ProvenIdea("greedy capture", f"{_piece_on(board, move.from_square)} goes for the pawn on "
                f"{chess.square_name(taken[1])}, which costs more than it is worth", min(len(line), 6), not line.side,
                (move.to_square,))
