"""What can be claimed of a line and proven on it: mates, material with its motif, promotions, perpetual check.

A claim holds for exactly the line that it carries, which is the one printed beside it. It can be proven again by
replaying the line on a board, as tests/analysis/checker.py does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import chess

from engine.analysis.ledger import (
    LONGEST_LINE,
    PIECE_VALUES,
    Capture,
    Ledger,
    balance,
    balance_before_line,
    best_capture,
    best_recapture,
    captured_piece,
    net_pieces,
    settled_ledger,
    worth,
)
from engine.analysis.motifs import MATING, WINNING, WINNING_PAWNS, find_motif, perpetual_check
from engine.analysis.tactical_line import Motif, TacticalLine

MATE, MATERIAL, PROMOTION, PERPETUAL, RECAPTURE, SACRIFICE, POSITIONAL, KING_HUNT, MATE_THREAT, THREAT, MOVE = (
    "mate", "material", "promotion", "perpetual check", "recapture", "sacrifice", "positional", "king hunt",
    "mate threat", "threat", "move")

# Plies of a line that wins material without a motif; and of one that should have been found, unless it is forcing.
_LONGEST_PLAIN_LINE, _LONGEST_TO_FIND = 9, 5
_LONGEST_MATE = 19  # plies
_HUNTING_CHECKS = 3  # in a row, at least
_SHOWN_AFTER_THREAT = 4  # plies of a line that begins with a threat


@dataclass(frozen=True)
class Claim:
    """A statement about a line that starts at `fen`; `moves` is exactly what is printed."""

    topic: str  # one of the above
    side: str  # the side that profits: white or black
    fen: str
    moves: tuple[str, ...]  # in UCI text
    motif: str = ""  # or the fact of a positional claim
    motif_ply: int = 0  # of the move in `moves` that has the motif
    squares: tuple[str, ...] = ()  # of the pieces that are won, or that the motif hits
    pieces: tuple[str, ...] = ()  # won, by name
    returned: tuple[str, ...] = ()  # given for them
    number: int = 0  # moves to the mate
    better: tuple[str, ...] = ()  # of a positional claim: the line that starts before the move and avoids the fact


@dataclass(frozen=True)
class MaterialResult:
    """What a line that starts with one side's move does to that side's material."""

    base: int  # the balance it is measured from, in pawns
    end: int  # the balance where the line has settled
    lost: Counter[int]  # when equal pieces cancel
    gained: Counter[int]
    ledger: Ledger

    @property
    def net(self) -> int:
        """What the side wins, in pawns."""
        return self.end - self.base

    @property
    def is_explained(self) -> bool:
        """Whether captures in the line alone make up the difference: no promotion, and no exchange that was open."""
        return not self.ledger.promotions and self.net == worth(self.gained) - worth(self.lost)


def mate_claim(board: chess.Board, moves: Sequence[chess.Move]) -> Claim | None:
    """The side to move mates by this line, which is short enough for a sentence."""
    line = TacticalLine(board, moves)
    if len(moves) > _LONGEST_MATE or not line.is_mate:
        return None
    found = find_motif(board, moves, MATING)
    return _claim(MATE, board, moves, board.turn, found, number=(len(moves) + 1) // 2)


def is_threatened_mate(board: chess.Board, move: chess.Move) -> bool:
    """Whether the other side already threatened to mate by this move."""
    passed = board.copy(stack=False)
    if passed.is_check():
        return False
    passed.push(chess.Move.null())
    return passed.is_legal(move) and _mates(passed, move)


def material_after_move(board: chess.Board, moves: Sequence[chess.Move],
                        longest: int = LONGEST_LINE) -> MaterialResult | None:
    """The material of the mover after its move, the first of `moves`; the ledger begins after it."""
    color, after = board.turn, board.copy(stack=False)
    taken, base = captured_piece(board, moves[0]), balance_before_line(board, moves, color)
    after.push(moves[0])
    ledger = settled_ledger(after, moves[1:], base if color else -base, longest) if len(moves) > 1 else None
    if ledger is None or moves[0].promotion:
        return None
    gained = ledger.lost_by(not color)
    if taken is not None:
        gained[taken[0]] += 1
    return _result(base, balance(board, color), color, ledger, gained)


def material_of_line(board: chess.Board, moves: Sequence[chess.Move],
                     longest: int = LONGEST_LINE) -> MaterialResult | None:
    """The material of the side to move in a line."""
    color = board.turn
    base = balance_before_line(board, moves, color) if moves else 0
    ledger = settled_ledger(board, moves, base if color else -base, longest) if moves else None
    if ledger is None:
        return None
    return _result(base, balance(board, color), color, ledger, ledger.lost_by(not color))


def _result(base: int, here: int, color: chess.Color, ledger: Ledger, gained: Counter[int]) -> MaterialResult:
    """The material of a side in a line, measured from `base`; from the balance `here` if only that explains it."""
    found = MaterialResult(base, ledger.balance_for(color), *net_pieces(ledger.lost_by(color), gained), ledger)
    again = replace(found, base=here)
    return again if not found.is_explained and again.is_explained and again.net * found.net > 0 else found


def loss_claim(board: chess.Board, played: MaterialResult, move: chess.Move,
               longest: int = _LONGEST_PLAIN_LINE, may_decline: bool = False) -> Claim | None:
    """The side to move loses material by `move`; the line begins with the reply, `longest` plies without a motif.

    Unless `may_decline` is true, the line must not leave out a recapture without showing why.
    """
    if played.net > -1 or not played.is_explained or not played.lost:
        return None
    after = board.copy()
    after.push(move)
    taken = captured_piece(board, move)
    return _material_claim(after, played.ledger, played.lost, played.gained, longest,
                           None if taken is None else taken[0], may_decline)


def gain_claim(board: chess.Board, best: MaterialResult, longest: int = _LONGEST_TO_FIND) -> Claim | None:
    """The side to move wins material by a line, which has `longest` plies if it is neither a motif nor forcing."""
    if best.net < 1 or not best.is_explained or not best.gained:
        return None
    claim = _material_claim(board, best.ledger, best.gained, best.lost, max(longest, _LONGEST_PLAIN_LINE))
    is_long = claim is not None and not claim.motif and len(claim.moves) > longest
    return None if is_long and not _is_forcing(board, best.ledger.moves) else claim


def _material_claim(board: chess.Board, ledger: Ledger, won: Counter[int], returned: Counter[int], longest: int,
                    taken_before: int | None = None, may_decline: bool = False) -> Claim | None:
    """The side to move wins `won`; None if the line is too long, or if its victim does not take back and may not.

    `taken_before` is the type of the piece that the move before the line has captured.
    """
    squares = _squares_of(ledger, won, not board.turn, taken_before)
    found = find_motif(board, ledger.moves, WINNING if worth(won) > 1 else WINNING_PAWNS)
    if found is not None and not _is_about(found, ledger, squares):
        found = None
    is_unclear = not may_decline and _is_recapture_declined(board, ledger.moves)
    if found is None and (len(ledger.moves) > longest or is_unclear):
        return None
    return _claim(MATERIAL, board, ledger.moves, board.turn, found, squares, _names(won), _names(returned))


def _is_forcing(board: chess.Board, moves: Sequence[chess.Move]) -> bool:
    """Whether the first side, once it has begun, only captures and gives check."""
    cursor = board.copy(stack=False)
    for ply, move in enumerate(moves):
        if ply and ply % 2 == 0 and not cursor.is_capture(move) and not cursor.gives_check(move):
            return False
        cursor.push(move)
    return True


def _is_recapture_declined(board: chess.Board, moves: Sequence[chess.Move]) -> bool:
    """Whether the second side once leaves out a recapture that would win more than the move it plays instead, and does
    not catch up on it later.
    """
    cursor, last = board.copy(stack=False), None
    for ply, move in enumerate(moves):
        captured = captured_piece(cursor, move)
        value = 0 if captured is None else PIECE_VALUES[captured[0]]
        if ply % 2 and last is not None and move.to_square != last and best_recapture(cursor, last) > value:
            is_put_off = last in [later.to_square for later in moves[ply + 2 :: 2]]
            return not is_put_off and _is_recapture_best(cursor, last, move)
        last = None if captured is None else move.to_square
        cursor.push(move)
    return False


def _is_recapture_best(board: chess.Board, square: chess.Square, move: chess.Move) -> bool:
    """Whether some recapture on a square wins more than a move, once the other side has taken what hangs then."""
    recaptures = [found for found in board.generate_legal_captures() if found.to_square == square]
    return max(_gain_after_reply(board, found) for found in recaptures) > _gain_after_reply(board, move)


def _gain_after_reply(board: chess.Board, move: chess.Move) -> int:
    captured, after = captured_piece(board, move), board.copy(stack=False)
    after.push(move)
    reply = best_capture(after)
    return (PIECE_VALUES[captured[0]] if captured else 0) - (reply[0] if reply else 0)


def promotion_claim(board: chess.Board, moves: Sequence[chess.Move], longest: int = LONGEST_LINE) -> Claim | None:
    """The side to move promotes a pawn in the line, and the new piece stays."""
    ledger = settled_ledger(board, moves, None, longest)
    if ledger is None:
        return None
    own = [found for found in ledger.promotions if found.color == board.turn]
    if len(ledger.promotions) != 1 or not own or not own[0].survives:
        return None
    if balance(ledger.end, board.turn) < balance(board, board.turn) + PIECE_VALUES[chess.ROOK] - 1:
        return None
    return _claim(PROMOTION, board, ledger.moves, board.turn, None, (own[0].origin,))


def perpetual_claim(board: chess.Board, moves: Sequence[chess.Move]) -> Claim | None:
    """The side to move gives perpetual check."""
    found = perpetual_check(TacticalLine(board, moves[:LONGEST_LINE]))
    return None if found is None else _claim(PERPETUAL, board, moves[: found.end + 1], board.turn)


def king_hunt_claim(board: chess.Board, moves: Sequence[chess.Move]) -> Claim | None:
    """The side to move, with a queen, drives the other king by checks from its first two ranks to the third or on."""
    line, checks = TacticalLine(board, moves[:LONGEST_LINE]), 0
    while 2 * checks + 1 < len(line) and line.boards[2 * checks + 1].is_check():
        checks += 1
    start, end = (found.king(not board.turn) for found in (board, line.boards[2 * checks]))
    if checks < _HUNTING_CHECKS or start is None or end is None or not line.boards[2 * checks].pieces(
            chess.QUEEN, board.turn):
        return None
    if _steps_forward(start, not board.turn) > 1 or _steps_forward(end, not board.turn) < 2:
        return None
    return _claim(KING_HUNT, board, moves[: 2 * checks], board.turn, squares=(end,))


def _steps_forward(square: chess.Square, color: chess.Color) -> int:
    rank = chess.square_rank(square)
    return rank if color else 7 - rank


def threat_claim(board: chess.Board, moves: Sequence[chess.Move]) -> tuple[Claim, chess.Move] | None:
    """The first move threatens mate in one, without a check; with the mating move."""
    mate = threatened_mate(board, moves[0]) if moves else None
    if mate is None:
        return None
    return _claim(MATE_THREAT, board, moves[:_SHOWN_AFTER_THREAT], board.turn, squares=(mate.to_square,)), mate


def threatened_mate(board: chess.Board, move: chess.Move) -> chess.Move | None:
    """The mate in one that a legal move threatens; None if it gives check or threatens none."""
    passed = board.copy(stack=False)
    passed.push(move)
    if passed.is_check() or not any(passed.generate_legal_moves()):
        return None
    passed.push(chess.Move.null())
    return next((found for found in list(passed.legal_moves) if passed.gives_check(found) and _mates(passed, found)),
                None)


def _mates(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()


def recapture_claim(board: chess.Board, best: Sequence[chess.Move], played: chess.Move) -> Claim | None:
    """The best move takes back on the square of the last capture, and the move played does not, or not with it."""
    if not board.move_stack or not best:
        return None
    before = board.copy()
    last = before.pop()
    if not last or captured_piece(before, last) is None or best[0].to_square != last.to_square:
        return None
    if captured_piece(board, best[0]) is None or best[0].from_square == played.from_square:
        return None
    piece_type = board.piece_type_at(best[0].from_square)
    assert piece_type is not None
    return _claim(RECAPTURE, board, best[: LONGEST_LINE // 2], board.turn, None, (best[0].to_square,),
                  (chess.piece_name(piece_type),))


def sacrifice_claim(board: chess.Board, moves: Sequence[chess.Move], name: str, origin: chess.Square,
                    captured: int | None) -> Claim:
    """The side to move offers a piece by the first move, and the second one takes it."""
    returned = () if captured is None else (chess.piece_name(captured),)
    return _claim(SACRIFICE, board, moves, board.turn, None, (origin,), (name,), returned)


def _is_about(found: Motif, ledger: Ledger, squares: Sequence[chess.Square]) -> bool:
    """Whether the motif wins one of the pieces that the claim is about."""
    won = {capture.ply: capture.origin for capture in ledger.captures}
    return won.get(found.end) in squares


def _squares_of(ledger: Ledger, counts: Counter[int], color: chess.Color,
                taken_before: int | None) -> tuple[chess.Square, ...]:
    """Where the lost pieces of a side stood at the start of the line; of equal ones, those that were not traded."""
    squares: list[chess.Square] = []
    left, captures = Counter(counts), [capture for capture in ledger.captures if capture.color == color]
    captures.sort(key=lambda capture: _is_traded(ledger, capture, taken_before))
    for capture in captures:
        if left[capture.piece_type] and capture.origin is not None:
            left[capture.piece_type] -= 1
            squares.append(capture.origin)
    return tuple(sorted(squares, key=lambda square: -_type_lost(captures, square)))  # as _names has them


def _is_traded(ledger: Ledger, capture: Capture, taken_before: int | None) -> bool:
    """Whether a piece falls on the square on which one of the same worth has just been captured, or is next."""
    others = [other.piece_type for other in ledger.captures
              if other.square == capture.square and abs(other.ply - capture.ply) == 1]
    if taken_before is not None and capture.ply == 0:
        others.append(taken_before)
    return any(PIECE_VALUES[other] == PIECE_VALUES[capture.piece_type] for other in others)


def _type_lost(captures: Sequence[Capture], origin: chess.Square) -> int:
    return next(capture.piece_type for capture in captures if capture.origin == origin)


def _names(counts: Counter[int]) -> tuple[str, ...]:
    return tuple(chess.piece_name(piece_type) for piece_type in sorted(counts.elements(), reverse=True))


def named_claim(topic: str, board: chess.Board, moves: Sequence[chess.Move], squares: Sequence[chess.Square] = (),
                won: Counter[int] | None = None, returned: Counter[int] | None = None) -> Claim:
    """A claim about a line of the side to move; its moves may hold null moves."""
    return _claim(topic, board, moves, board.turn, None, squares, _names(won or Counter()),
                  _names(returned or Counter()))


def _claim(topic: str, board: chess.Board, moves: Sequence[chess.Move], side: chess.Color, found: Motif | None = None,
           squares: Sequence[chess.Square] = (), pieces: tuple[str, ...] = (), returned: tuple[str, ...] = (),
           number: int = 0) -> Claim:
    claim = Claim(topic, chess.COLOR_NAMES[side], board.fen(shredder=board.chess960),
                  tuple(move.uci() for move in moves), squares=tuple(map(chess.square_name, squares)), pieces=pieces,
                  returned=returned, number=number)
    return claim if found is None else replace(claim, motif=found.name, motif_ply=found.ply)
