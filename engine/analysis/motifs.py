"""Tactical motifs, each with an exact definition that is proven on a line of moves, without an engine.

A line is that of the side that profits: its moves are at even plies. A motif needs its geometry and, on the same line,
the mate or the capture that it is for; the gain is proven by the ledger of the line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import chess

from engine.analysis.defender_motifs import attraction, deflection, interference, overload, removed_defender
from engine.analysis.ledger import PIECE_VALUES, best_capture, captured_piece, exchange_gain
from engine.analysis.tactical_line import (
    LATEST_PLY,
    SLIDERS,
    Motif,
    TacticalLine,
    is_bad_square,
    is_hanging,
    value_on,
)

_LEAST_PIECE = 3  # pawns: the value of a piece that hangs or is trapped
_MOST_ZUGZWANG_PIECES = 2  # beside kings and pawns


def back_rank_mate(line: TacticalLine) -> Motif | None:
    """Mate along the first rank; the squares before the king hold its own pieces, and none of them is attacked."""
    if not line.is_mate:
        return None
    board = line.boards[-1]
    king, victim = board.king(board.turn), board.turn
    assert king is not None
    rank, step = (0, 8) if victim else (7, -8)
    if chess.square_rank(king) != rank:
        return None
    front = [square for square in chess.SquareSet(chess.BB_KING_ATTACKS[king])
             if chess.square_rank(square) == chess.square_rank(king + step)]
    is_shut = all(board.color_at(square) == victim and not board.is_attacked_by(not victim, square) for square in front)
    is_along = any(chess.square_rank(square) == rank for square in board.checkers())
    return Motif("back-rank mate", len(line) - 1, len(line) - 1, (king,)) if is_shut and is_along else None


def smothered_mate(line: TacticalLine) -> Motif | None:
    """Mate by a knight; every square next to the king holds a piece of its own."""
    if not line.is_mate:
        return None
    board = line.boards[-1]
    king, checkers = board.king(board.turn), board.checkers()
    assert king is not None
    is_by_knight = all(board.piece_type_at(square) == chess.KNIGHT for square in checkers)
    is_shut = all(board.color_at(square) == board.turn for square in chess.SquareSet(chess.BB_KING_ATTACKS[king]))
    return Motif("smothered mate", len(line) - 1, len(line) - 1, (king,)) if is_by_knight and is_shut else None


def hanging_piece(line: TacticalLine) -> Motif | None:
    """The first move takes an undefended piece; it is no recapture, and the reply wins nothing back."""
    taken = line.taken(0)
    if taken is None or PIECE_VALUES[taken[0]] < _LEAST_PIECE:
        return None
    board = line.boards[0]
    if not is_hanging(board, taken[1], board.color_at(taken[1]) or False):
        return None
    if board.is_check() and board.piece_type_at(taken[1]) != chess.QUEEN:
        return None
    if board.move_stack and _took_as_much(board, taken):
        return None
    is_kept = len(line) < 2 or line.taken(1) is None or line.pays(1, _LEAST_PIECE)
    return Motif("hanging piece", 0, 0, (taken[1],)) if is_kept and line.pays(0, _LEAST_PIECE) else None


def _took_as_much(board: chess.Board, taken: tuple[int, chess.Square]) -> bool:
    """Whether the piece on this square has just captured one of at least its own value."""
    before = board.copy()
    last = before.pop()
    captured = captured_piece(before, last) if last else None
    return captured is not None and last.to_square == taken[1] and PIECE_VALUES[captured[0]] >= PIECE_VALUES[taken[0]]


def fork(line: TacticalLine) -> Motif | None:
    """A piece attacks two or more, each worth more than itself or undefended, and takes one of them next."""
    for ply in line.own_plies():
        move, after = line.moves[ply], line.boards[ply + 1]
        own_type = after.piece_type_at(move.to_square)
        if own_type in (None, chess.KING) or is_bad_square(after, move.to_square, line.side):
            continue
        targets = fork_targets(after, move.to_square)
        if len(targets) < 2 or ply + 2 >= len(line):
            continue
        reply = line.moves[ply + 2]
        if reply.from_square == move.to_square and reply.to_square in targets and line.pays(ply + 2):
            return Motif("fork", ply, ply + 2, tuple(targets))
    return None


def fork_targets(board: chess.Board, square: chess.Square) -> list[chess.Square]:
    """The pieces that the one on `square` attacks with effect: worth more, or undefended and unable to capture it."""
    own, color = value_on(board, square), board.color_at(square)
    assert color is not None
    targets = []
    for target in board.attacks(square) & board.occupied_co[not color]:
        piece_type = board.piece_type_at(target)
        if piece_type in (None, chess.PAWN):
            continue
        is_worth_more = value_on(board, target) > own
        is_free = is_hanging(board, target, not color) and target not in board.attackers(not color, square)
        if is_worth_more or is_free:
            targets.append(target)
    return targets


def skewer(line: TacticalLine) -> Motif | None:
    """A slider attacks a valuable piece, which leaves, and takes a lesser one behind it on the same ray."""
    for ply in line.own_plies():
        taken, last = line.taken(ply + 2), ply + 2
        if taken is None or line.boards[last + 1].is_checkmate():
            continue
        capture, reply = line.moves[last], line.moves[ply + 1]
        mover = line.boards[last].piece_type_at(capture.from_square)
        if mover not in SLIDERS or capture.from_square != line.moves[ply].to_square or taken[0] == chess.KING:
            continue
        between = chess.SquareSet.between(capture.from_square, capture.to_square)
        left_value = value_on(line.boards[ply + 1], reply.from_square)
        if reply.from_square not in between or capture.to_square == reply.to_square:
            continue
        if left_value > PIECE_VALUES[taken[0]] and is_bad_square(line.boards[last], taken[1], not line.side) and (
                line.pays(last)):
            return Motif("skewer", ply, last, (reply.from_square, taken[1]))
    return None


def discovered_attack(line: TacticalLine) -> Motif | None:
    """A capture along a ray that another piece has opened, which may first have taken something with check."""
    for ply in line.own_plies():
        for last in (ply + 2, ply + 4) if _goes_on_with_check(line, ply) else (ply + 2,):
            taken = line.taken(last)
            if taken is not None and _uncovers(line, ply, last) and line.pays(last):
                return Motif("discovered attack", ply, last, (taken[1],))
    return None


def _goes_on_with_check(line: TacticalLine, ply: int) -> bool:
    """Whether the piece that moves at `ply` takes something with check by its next move."""
    return (line.taken(ply + 2) is not None and line.boards[ply + 3].is_check()
            and line.moves[ply + 2].from_square == line.moves[ply].to_square)


def _uncovers(line: TacticalLine, ply: int, last: int) -> bool:
    """Whether the move at `ply` opens the ray along which a slider takes at `last` what already stood there."""
    first, capture = line.moves[ply], line.moves[last]
    if line.boards[last].piece_type_at(capture.from_square) not in SLIDERS or line.boards[ply].is_castling(first):
        return False
    between = chess.SquareSet.between(capture.from_square, capture.to_square)
    is_opened = first.from_square in between and not any(move.to_square in between for move in line.moves[ply:last:2])
    return (is_opened and capture.from_square != first.to_square
            and all(move.to_square != capture.to_square for move in line.moves[ply:last]))


def discovered_check(line: TacticalLine) -> Motif | None:
    """Check by another piece than the one that moved, which then takes something, or mate."""
    for ply in line.own_plies():
        checkers = line.boards[ply + 1].checkers()
        if not checkers or line.moves[ply].to_square in checkers:
            continue
        if line.is_mate:
            return Motif("discovered check", ply, len(line) - 1)
        taken = line.taken(ply + 2)
        if taken is not None and line.moves[ply + 2].from_square == line.moves[ply].to_square and line.pays(ply + 2):
            return Motif("discovered check", ply, ply + 2, (taken[1],))
    return None


def double_check(line: TacticalLine) -> Motif | None:
    """Two pieces give check at once, and mate or a gain follows."""
    for ply in line.own_plies():
        if len(line.boards[ply + 1].checkers()) > 1 and (line.is_mate or (len(line) and line.pays(len(line) - 1))):
            return Motif("double check", ply, len(line) - 1)
    return None


def zugzwang(line: TacticalLine) -> Motif | None:
    """In an endgame, whatever the other side plays, something can then be won, which could not if it passed."""
    for ply in line.own_plies():
        if ply + 2 < len(line) and line.pays(len(line) - 1) and is_zugzwang(line.boards[ply + 1]):
            return Motif("zugzwang", ply, next((later for later in range(ply + 2, len(line), 2) if line.pays(later)),
                                               len(line) - 1))
    return None


def is_zugzwang(board: chess.Board) -> bool:
    """Whether every move of the side to move lets the other win a pawn or more by a capture, and passing would not."""
    pieces = chess.popcount(board.occupied & ~board.pawns & ~board.kings)
    if board.is_check() or pieces > _MOST_ZUGZWANG_PIECES or not any(board.generate_legal_moves()):
        return False
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    if passed.is_check() or best_capture(passed) is not None:
        return False
    for move in list(board.legal_moves):
        if exchange_gain(board.copy(stack=False), move) > 0 or move.promotion:
            return False
        after = board.copy(stack=False)
        after.push(move)
        if best_capture(after) is None:
            return False
    return True


def trapped_piece(line: TacticalLine) -> Motif | None:
    """A piece is attacked, every move of it ends on a bad square, and it is taken."""
    for ply in range(2, min(len(line), LATEST_PLY + 3), 2):
        taken = line.taken(ply)
        if taken is None or not _LEAST_PIECE <= PIECE_VALUES[taken[0]] < PIECE_VALUES[chess.KING]:
            continue
        reply, board = line.moves[ply - 1], line.boards[ply - 1]
        square = reply.from_square if reply.to_square == taken[1] else taken[1]
        if is_trapped(board, square) and line.pays(ply):
            return Motif("trapped piece", ply - 2, ply, (square,))
    return None


def is_trapped(board: chess.Board, square: chess.Square) -> bool:
    """Whether a piece of the side to move is on a bad square and cannot leave for a better one."""
    color, value = board.turn, value_on(board, square)
    if board.is_check() or board.is_pinned(color, square) or board.piece_type_at(square) in (None, chess.PAWN,
                                                                                                chess.KING):
        return False
    if board.color_at(square) != color or not is_bad_square(board, square, color):
        return False
    for move in board.generate_legal_moves(chess.BB_SQUARES[square]):
        taken = captured_piece(board, move)
        if taken is not None and PIECE_VALUES[taken[0]] >= value:
            return False
        after = board.copy(stack=False)
        after.push(move)
        if not is_bad_square(after, move.to_square, color):
            return False
    return True


def zwischenzug(line: TacticalLine) -> Motif | None:
    """A recapture was possible; another move comes first, and the same piece recaptures next."""
    if len(line) < 3 or not line.boards[0].move_stack:
        return None
    board = line.boards[0].copy()
    last = board.pop()
    if not last or captured_piece(board, last) is None:
        return None
    square, first, second = last.to_square, line.moves[0], line.moves[2]
    if first.to_square == square or second.to_square != square or line.moves[1].to_square == square:
        return None
    if first.from_square == second.from_square or line.moves[1].from_square == square:
        return None
    is_legal = line.boards[0].is_legal(chess.Move(second.from_square, square, second.promotion))
    return Motif("zwischenzug", 0, 2, (square,)) if is_legal and line.pays(2) else None


def pin(line: TacticalLine) -> Motif | None:
    """A piece pinned to its king cannot take what it attacks, or cannot leave the attack on it; and it pays."""
    for ply in line.own_plies():
        board, victim = line.boards[ply + 1], not line.side
        for square in chess.SquareSet(board.occupied_co[victim] & ~board.kings):
            ray = board.pin(victim, square)
            if ray == chess.BB_ALL or not line.pays(len(line) - 1, 2):
                continue
            prey = [target for target in board.attacks(square) & board.occupied_co[line.side] if target not in ray and (
                value_on(board, target) > value_on(board, square) or is_hanging(board, target, line.side))]
            if prey or _cannot_escape(board, square, ray):
                return Motif("pin", ply, _end_of_pin(line, ply, square), (square,))
    return None


def _end_of_pin(line: TacticalLine, ply: int, square: chess.Square) -> int:
    """The ply at which the pinned piece is taken where it stands; the last one if that does not happen."""
    taken = (later for later in range(ply + 2, len(line), 2) if (line.taken(later) or (0, -1))[1] == square)
    return next(taken, len(line) - 1)


def _cannot_escape(board: chess.Board, square: chess.Square, ray: chess.SquareSet) -> bool:
    """Whether the pinned piece on `square` stays under an attack that wins it, along the pin or by a lesser piece."""
    victim = board.color_at(square)
    assert victim is not None
    is_held = board.turn == victim and not any(board.generate_legal_moves(chess.BB_SQUARES[square]))
    for attacker in board.attackers(not victim, square):
        if attacker not in ray:
            if is_held and value_on(board, square) > value_on(board, attacker):
                return True
            continue
        if value_on(board, square) > value_on(board, attacker):
            return True
        if is_hanging(board, square, victim) and square not in board.attackers(victim, attacker):
            return True
    return False


def running_pawn(line: TacticalLine) -> Motif | None:
    """A pawn promotes and the new piece is not taken in the line."""
    for ply in range(0, len(line), 2):
        move = line.moves[ply]
        if move.promotion and not any(later.to_square == move.to_square for later in line.moves[ply + 1 : ply + 2]):
            return Motif("passed pawn", 0, ply, (move.to_square,)) if line.pays(ply) else None
    return None


def perpetual_check(line: TacticalLine) -> Motif | None:
    """Three checks in a row, and a position that repeats."""
    seen = {line.boards[0].board_fen()}
    checks = 0
    for ply in range(len(line)):
        if ply % 2 == 0:
            checks = checks + 1 if line.boards[ply + 1].is_check() else 0
        position = line.boards[ply + 1].board_fen()
        if position in seen and checks >= 3:
            return Motif("perpetual check", 0, ply)
        seen.add(position)
    return None


Detector = Callable[[TacticalLine], Motif | None]

# The motifs in the order in which they are tried: the first that is proven is named.
MATING: dict[str, Detector] = {"back-rank mate": back_rank_mate, "smothered mate": smothered_mate}
WINNING: dict[str, Detector] = {
    "hanging piece": hanging_piece, "zwischenzug": zwischenzug, "fork": fork, "skewer": skewer,
    "discovered check": discovered_check, "discovered attack": discovered_attack, "double check": double_check,
    "removal of the defender": removed_defender, "deflection": deflection, "attraction": attraction,
    "overload": overload, "interference": interference, "pin": pin, "trapped piece": trapped_piece,
    "passed pawn": running_pawn, "zugzwang": zugzwang}
WINNING_PAWNS: dict[str, Detector] = {"zugzwang": zugzwang}  # motifs that are named for a single pawn too


def find_motif(board: chess.Board, moves: Sequence[chess.Move], detectors: dict[str, Detector]) -> Motif | None:
    """The first motif of a line that is proven; the line is that of the side to move, who profits."""
    line = TacticalLine(board, moves)
    for name, detect in detectors.items():
        found = detect(line)
        if found is not None:
            return replace(found, name=name)
    return None
