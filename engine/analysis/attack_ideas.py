"""Ideas of attack and defence that have a name: gifts, traps, tricks. Each is proven on the moves of a line.

A line is that of the side that has the idea: its moves are at even plies.
"""

from __future__ import annotations

import chess

from engine.analysis.idea import ProvenIdea
from engine.analysis.ledger import PIECE_VALUES, balance, captured_piece
from engine.analysis.tactical_line import TacticalLine, is_bad_square, value_on
from engine.analysis.wording import joined

_MINORS = (chess.KNIGHT, chess.BISHOP)
_BEHIND = 3  # pawns: who is so far behind is glad of a draw
_MOST_CHECKED = 600  # positions that the proof of a perpetual check may visit
_CHECKS_IN_A_CYCLE = 2, 3, 4, 6, 8  # until a position is repeated, at most
_LEAST_CHECKS = 3


def greek_gift(line: TacticalLine) -> ProvenIdea | None:
    """A bishop is given for the pawn in front of a castled king, which a knight then checks."""
    board, side, first = line.boards[0], line.side, line.moves[0]
    target, home, jump = (chess.H7, chess.G8, chess.G5) if side else (chess.H2, chess.G1, chess.G4)
    is_gift = first.to_square == target and board.piece_type_at(first.from_square) == chess.BISHOP
    if not is_gift or board.king(not side) != home or line.taken(0) != (chess.PAWN, target):
        return None
    accepted = chess.Move(home, target)
    after = line.boards[1].copy(stack=False)
    if accepted not in after.legal_moves:
        return None
    after.push(accepted)
    knights = [move for move in after.legal_moves if move.to_square == jump
               and after.piece_type_at(move.from_square) == chess.KNIGHT]
    if not knights or not after.pieces(chess.QUEEN, side):
        return None
    square = chess.square_name
    words = f"the bishop is given on {square(target)}, so that a knight on {square(jump)} and the queen reach the king"
    return ProvenIdea("Greek gift", words, len(line), side, (target, jump), knights[0])


def legal_mate(line: TacticalLine) -> ProvenIdea | None:
    """A knight leaves the line between a bishop and its own queen; the queen is taken, and minor pieces mate."""
    first, taken = line.moves[0], line.taken(1)
    if taken is None or taken[0] != chess.QUEEN or not line.is_mate:
        return None
    board = line.boards[0]
    is_opened = board.piece_type_at(first.from_square) == chess.KNIGHT and first.from_square in chess.SquareSet.between(
        line.moves[1].from_square, line.moves[1].to_square)
    mating = {line.boards[ply].piece_type_at(line.moves[ply].from_square) for ply in range(2, len(line), 2)}
    if not is_opened or not mating <= set(_MINORS):
        return None
    return ProvenIdea("Légal's mate",
                      "the pinned knight moves, and taking the queen allows mate by the minor pieces",
                len(line), line.side, (taken[1],))


def fork_trick(line: TacticalLine) -> ProvenIdea | None:
    """A knight is given for a pawn in the centre, because a pawn then forks two pieces."""
    if len(line) < 3 or line.boards[0].piece_type_at(line.moves[0].from_square) != chess.KNIGHT:
        return None
    centre, fork = line.moves[0].to_square, line.moves[2]
    after, side = line.boards[3], line.side
    if line.taken(0) != (chess.PAWN, centre) or line.moves[1].to_square != centre or (
            line.boards[2].piece_type_at(fork.from_square) != chess.PAWN):
        return None
    forked = after.attacks(fork.to_square) & after.occupied_co[not side]
    pieces = [square for square in forked if value_on(after, square) >= PIECE_VALUES[chess.KNIGHT]]
    if len(pieces) < 2:
        return None
    names = joined([f"the {chess.piece_name(after.piece_type_at(square) or 0)} on {chess.square_name(square)}"
                    for square in pieces])
    return ProvenIdea("fork trick", f"the knight comes back, because the pawn on {chess.square_name(fork.to_square)} "
                f"forks {names}", max(3, min(len(line), 5)), side, tuple(pieces))


def noahs_ark(line: TacticalLine) -> ProvenIdea | None:
    """Pawns on the queen's side attack a bishop there and leave it no way out, or will, while the queen has to move."""
    for ply in range(0, len(line), 2):
        after = line.boards[ply + 1]
        bishop = _bishop_shut_in_by(after, line.moves[ply], line.side)
        if bishop is None and _attacks_a_queen(after, line.moves[ply].to_square):
            bishop = next(filter(None, (_bishop_shut_in_by(later, push, line.side) for push, later in _pushes(after))),
                          None)
        if bishop is not None:
            words = f"the pawns shut in the bishop on {chess.square_name(bishop)} and win it"
            return ProvenIdea("Noah's Ark trap", words, min(ply + 3, len(line)), line.side, (bishop,))
    return None


def _bishop_shut_in_by(after: chess.Board, push: chess.Move, side: chess.Color) -> chess.Square | None:
    """The bishop on the queen's side that a pawn, one of two there or more, has just attacked for good."""
    pawns = [square for square in after.pieces(chess.PAWN, side) if chess.square_file(square) <= 2]
    if after.piece_type_at(push.to_square) != chess.PAWN or after.is_check() or len(pawns) < 2:
        return None
    attacked = after.attacks(push.to_square) & after.pieces(chess.BISHOP, not side)
    return next((square for square in attacked if chess.square_file(square) <= 2 and _is_shut_in(
        after, square, not side)), None)


def _attacks_a_queen(after: chess.Board, square: chess.Square) -> bool:
    """Whether a pawn on a square attacks the queen of the side to move."""
    return after.piece_type_at(square) == chess.PAWN and bool(after.attacks(square) & after.pieces(
        chess.QUEEN, after.turn))


def _pushes(board: chess.Board) -> list[tuple[chess.Move, chess.Board]]:
    """The pawn moves that the other side could make if the side to move passed, with the boards after them."""
    passed, found = board.copy(stack=False), list[tuple[chess.Move, chess.Board]]()
    if passed.is_check():
        return found
    passed.push(chess.Move.null())
    for move in passed.generate_legal_moves(passed.pawns):
        after = passed.copy(stack=False)
        after.push(move)
        found.append((move, after))
    return found


def _is_shut_in(board: chess.Board, square: chess.Square, victim: chess.Color) -> bool:
    """Whether every move of the bishop on a square ends where it can be taken for nothing or a pawn."""
    if board.turn != victim:
        return False
    for move in board.generate_legal_moves(chess.BB_SQUARES[square]):
        taken, after = captured_piece(board, move), board.copy(stack=False)
        after.push(move)
        is_paid = taken is not None and PIECE_VALUES[taken[0]] > 1
        if is_paid or not is_bad_square(after, move.to_square, victim):
            return False
    return True


def windmill(line: TacticalLine) -> ProvenIdea | None:
    """A rook gives discovered checks again and again, and returns with check in between, taking what it likes."""
    plies = [ply for ply in range(0, len(line), 2) if _is_discovered_check(line, ply)]
    for ply in plies:
        if ply + 2 not in plies and ply + 4 in plies and line.boards[ply + 3].is_check() and (
                line.moves[ply + 2].from_square == line.moves[ply].to_square
                and line.moves[ply + 4].from_square == line.moves[ply + 2].to_square):
            return ProvenIdea("windmill", "discovered checks take one thing after the other, with a check in between",
                        min(ply + 7, len(line)), line.side, (line.moves[ply].from_square,))
    return None


def _is_discovered_check(line: TacticalLine, ply: int) -> bool:
    return any(square != line.moves[ply].to_square for square in line.boards[ply + 1].checkers())


def desperado(line: TacticalLine) -> ProvenIdea | None:
    """A piece that is lost anyway takes what it can before it is taken."""
    board, first, taken = line.boards[0], line.moves[0], line.taken(0)
    value = value_on(board, first.from_square)
    if taken is None or value < PIECE_VALUES[chess.KNIGHT] or value >= PIECE_VALUES[chess.KING] or len(line) < 2:
        return None
    if PIECE_VALUES[taken[0]] >= value or line.moves[1].to_square != first.to_square or board.is_check():
        return None
    if not is_bad_square(board, first.from_square, line.side) or has_safe_move(board, first.from_square):
        return None
    name = chess.piece_name(board.piece_type_at(first.from_square) or 0)
    square = chess.square_name(first.from_square)
    return ProvenIdea("desperado", f"the {name} on {square} is lost anyway and takes what it can", 2, line.side,
                (first.from_square,))


def stalemate_trick(line: TacticalLine) -> ProvenIdea | None:
    """A side that is behind offers a piece that cannot be taken without stalemate."""
    if balance(line.boards[0], line.side) > -_BEHIND:
        return None
    for ply in range(0, len(line), 2):
        after, square = line.boards[ply + 1], line.moves[ply].to_square
        for capture in list(after.generate_legal_captures(to_mask=chess.BB_SQUARES[square])):
            end = after.copy(stack=False)
            end.push(capture)
            if end.is_stalemate():
                name = chess.piece_name(after.piece_type_at(square) or 0)
                return ProvenIdea("stalemate trick", f"the {name} is offered, and {after.san(capture)} is stalemate",
                            min(ply + 2, len(line)), line.side, (square,), result="draw")
    return None


def perpetual_check(line: TacticalLine) -> ProvenIdea | None:
    """A side that is behind gives check and can go on for ever, whatever the other side plays."""
    if not line.boards[1].is_check() or balance(line.boards[0], line.side) >= 0:
        return None
    if not can_check_forever(line.boards[1]):
        return None
    return ProvenIdea("perpetual check",
                      "the king cannot escape the checks", min(len(line), 2 * _LEAST_CHECKS), line.side,
                result="draw")


def can_check_forever(board: chess.Board) -> bool:
    """Whether the side that has just given check can go on checking, whatever the replies; proven within limits.

    A strategy is proven when each of its branches comes back to a position that it has an answer for.
    """
    budget = [_MOST_CHECKED]
    return any(_checks_forever(board.copy(stack=False), frozenset(), plies, budget) for plies in _CHECKS_IN_A_CYCLE)


def _checks_forever(board: chess.Board, path: frozenset[str], checks_left: int, budget: list[int]) -> bool:
    name = board.epd()
    if name in path:
        return True
    budget[0] -= 1
    if checks_left == 0 or budget[0] < 0 or board.is_checkmate():
        return False
    path |= {name}
    for reply in list(board.legal_moves):
        board.push(reply)
        has_answer = False
        for check in _safe_checks(board, path):
            board.push(check)
            has_answer = _checks_forever(board, path, checks_left - 1, budget)
            board.pop()
            if has_answer:
                break
        board.pop()
        if not has_answer:
            return False
    return True


def _safe_checks(board: chess.Board, path: frozenset[str]) -> list[chess.Move]:
    """The checks by pieces that cannot be taken at once, those that repeat a position first."""
    checks = list[tuple[bool, chess.Move]]()
    for move in [move for move in board.legal_moves if board.gives_check(move)]:
        board.push(move)
        if not any(True for _ in board.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square])):
            checks.append((board.epd() not in path, move))
        board.pop()
    return [move for _, move in sorted(checks, key=lambda found: found[0])]


def overloaded_guard(line: TacticalLine) -> ProvenIdea | None:
    """A piece guards what is taken first and a square besides; it takes back, and the other square is free for mate."""
    taken = line.taken(0)
    if taken is None or len(line) < 3 or line.moves[1].to_square != line.moves[0].to_square:
        return None
    before, guard, target = line.boards[0], line.moves[1].from_square, line.moves[2].to_square
    is_guarded = target in before.attacks(guard) and target not in line.boards[3].attacks(line.moves[1].to_square)
    if not is_guarded or not line.boards[3].is_checkmate() or line.moves[2].from_square == line.moves[0].to_square:
        return None
    name = chess.piece_name(before.piece_type_at(guard) or 0)
    return ProvenIdea("overload", f"the {name} on {chess.square_name(guard)} cannot guard both "
                f"{chess.square_name(taken[1])} and {chess.square_name(target)}", 3, line.side, (guard, target))


def exchange_sacrifice(line: TacticalLine) -> ProvenIdea | None:
    """A rook is given for a minor piece, which is no recapture, and not won back in the next moves."""
    taken, first = line.taken(0), line.moves[0]
    board = line.boards[0]
    if board.piece_type_at(first.from_square) != chess.ROOK or len(line) < 2:
        return None
    if taken is None or taken[0] not in _MINORS or line.taken(1) != (chess.ROOK, first.to_square):
        return None
    is_taken_back = len(line) > 3 and line.moves[3].to_square == line.moves[2].to_square
    if line.base != balance(board, line.side) or line.pays(3 if is_taken_back else min(len(line), 3) - 1, 0):
        return None
    name, what = chess.piece_name(taken[0]), _gained_by_sacrifice(board, line.boards[2], not line.side)
    return ProvenIdea("exchange sacrifice", f"the rook is given for the {name} on {chess.square_name(taken[1])}{what}",
                2, line.side, (taken[1],))


def _gained_by_sacrifice(before: chess.Board, after: chess.Board, victim: chess.Color) -> str:
    """What the recapture does to the pawns of the side that takes back."""
    king = after.king(victim)
    doubled = [chess.FILE_NAMES[file] for file in range(8)
               if chess.popcount(after.pieces_mask(chess.PAWN, victim) & chess.BB_FILES[file]) > 1
               and chess.popcount(before.pieces_mask(chess.PAWN, victim) & chess.BB_FILES[file]) < 2]
    opened = [chess.FILE_NAMES[file] for file in range(8) if king is not None
              and abs(chess.square_file(king) - file) <= 1
              and before.pieces_mask(chess.PAWN, victim) & chess.BB_FILES[file]
              and not after.pieces_mask(chess.PAWN, victim) & chess.BB_FILES[file]]
    gains = [*(f"doubles the pawns on the {file}-file" for file in doubled),
             *(f"opens the {file}-file to the king" for file in opened)]
    return f", which {joined(gains)}" if gains else ""


def underpromotion(line: TacticalLine) -> ProvenIdea | None:
    """The move promotes to a lesser piece than a queen: for its check, or because a queen would allow stalemate."""
    board, move = line.boards[0], line.moves[0]
    if move.promotion in (None, chess.QUEEN):
        return None
    piece, square = chess.piece_name(move.promotion), chess.square_name(move.to_square)
    why = ", with check" if line.boards[1].is_check() else ""
    queened = board.copy(stack=False)
    queened.push(chess.Move(move.from_square, move.to_square, chess.QUEEN))
    if allows_stalemate(queened):
        why = f", because a queen on {square} would allow stalemate"
    return ProvenIdea("underpromotion", f"the pawn becomes a {piece}{why}", 1, line.side, (move.to_square,))


def allows_stalemate(board: chess.Board) -> bool:
    """Whether the game is a stalemate, or the side to move can offer a piece whose capture gives stalemate."""
    if board.is_stalemate():
        return True
    for reply in list(board.legal_moves):
        offered = board.copy(stack=False)
        offered.push(reply)
        for capture in [found for found in offered.generate_legal_captures() if found.to_square == reply.to_square]:
            taken = offered.copy(stack=False)
            taken.push(capture)
            if taken.is_stalemate():
                return True
    return False


def double_check(line: TacticalLine) -> ProvenIdea | None:
    """Two pieces give check at once, at the move or at the next one."""
    for ply in range(1, min(len(line) + 1, 4), 2):
        checkers = line.boards[ply].checkers()
        if len(checkers) > 1:
            names = joined([f"the {chess.piece_name(line.boards[ply].piece_type_at(square) or 0)} on "
                            f"{chess.square_name(square)}" for square in checkers])
            return ProvenIdea("double check", f"{names} give check at once, and only the king can move", ply,
                              line.side, tuple(checkers))
    return None


def shut_in(line: TacticalLine) -> ProvenIdea | None:
    """A piece that has gone for a pawn is shut in by a pawn: after the reply each of its moves loses it."""
    if len(line) < 2 or line.taken(0) is None or line.boards[1].piece_type_at(line.moves[1].from_square) != chess.PAWN:
        return None
    square, passed = line.moves[0].to_square, line.boards[1].copy(stack=False)
    if passed.is_check() or line.boards[2].is_check():
        return None
    if line.boards[2].piece_type_at(square) in (None, chess.PAWN, chess.KING):
        return None
    passed.push(chess.Move.null())
    if not has_safe_move(passed, square) or has_safe_move(line.boards[2], square):
        return None
    name = f"the {chess.piece_name(line.boards[2].piece_type_at(square) or 0)} on {chess.square_name(square)}"
    return ProvenIdea("trapped piece", f"{name} is shut in by the pawn on {chess.square_name(line.moves[1].to_square)}",
                      2, not line.side, (square,))


def has_safe_move(board: chess.Board, square: chess.Square) -> bool:
    """Whether the piece of the side to move on a square has a move to a square where it is not lost."""
    for move in list(board.generate_legal_moves(chess.BB_SQUARES[square])):
        after = board.copy(stack=False)
        after.push(move)
        if not is_bad_square(after, move.to_square, board.turn):
            return True
    return False
