"""Threats: what a side could do if the other passed.

A threat is a mate, a capture that wins by exchange, or a gain that settles within three plies. It is found by a search
of the position after a null move, and proven there without an engine. It counts only if it was not there before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess

from engine.analysis.claims import THREAT, Claim, named_claim
from engine.analysis.comparison import VOTES, MoveComparison, Statement, board_after_pass, legal_part
from engine.analysis.ledger import (
    PIECE_VALUES,
    balance,
    balance_before_exchange,
    best_recapture,
    captured_piece,
    exchange_gain,
    ledger_of,
    net_pieces,
    settled_ledger,
)
from engine.analysis.review import Line
from engine.analysis.wording import joined, moves_text, pieces_text

_NODES = 10_000  # of a search after a null move
_LONGEST_GAIN, _LONGEST_MATE = 3, 7  # plies of a threat
_MATE_GAIN = 9  # pawns
_NOT_MET, _ALLOWED, _MISSED = 3.2, 2.4, 1.9  # ranks
_PER_PAWN, _MOST_COUNTED = 0.1, 5  # more for each pawn that is threatened
_MATE_MISSED = 1.0  # more for a threat of mate that is missed
_ALLOWED_ANYWAY = 0.9  # less, if the reply makes the same threat after the better move
_ONE_TARGET, _IT_LEAVES = 0.4, 0.5  # less for an attack on one piece; again if that leaves at no cost
_TOO_LITTLE, _LEAST_SHARE = 0.7, 0.4  # less for a threat that makes up less than this share of the move's cost
_SHOWN_PLIES = 4  # of the line in which a threat is carried out
_MOST_TARGETS = 3


@dataclass(frozen=True)
class Threat:
    """What the side to move on `board`, on which the other side has just passed, can do."""

    board: chess.Board
    moves: Line
    gain: int  # pawns
    won: Counter[int]
    returned: Counter[int]
    is_mate: bool = False

    def works_on(self, board: chess.Board) -> bool:
        """Whether the side to move on another board can do the same."""
        cursor = board.copy(stack=False)
        if not cursor.is_legal(self.moves[0]):
            return False
        if len(self.moves) == 1 and not self.is_mate:
            taken = captured_piece(cursor, self.moves[0])
            return taken is not None and self.won[taken[0]] > 0 and exchange_gain(cursor, self.moves[0]) >= self.gain
        base = balance(cursor, board.turn)
        for move in self.moves:
            if not cursor.is_legal(move):
                return False
            cursor.push(move)
        if self.is_mate:
            return cursor.is_checkmate()
        return balance(cursor, board.turn) - best_recapture(cursor, self.moves[-1].to_square) >= base + self.gain


def threat_in(board: chess.Board, line: Sequence[chess.Move]) -> Threat | None:
    """What a line of the side to move wins soon, after the other side has passed."""
    moves = legal_part(board, line, _LONGEST_MATE)
    if not moves:
        return None
    cursor = board.copy(stack=False)
    for ply, move in enumerate(moves):
        cursor.push(move)
        if ply % 2 == 0 and cursor.is_checkmate():
            return Threat(board, moves[: ply + 1], _MATE_GAIN, Counter(), Counter(), is_mate=True)
    found = _capture_in(board, moves[0])
    if found is not None or not _carries_a_threat(board, moves):
        return found
    return _capture_after_two_plies(board, moves) or _gain_in(board, moves)


def _carries_a_threat(board: chess.Board, moves: Line) -> bool:
    """Whether the first move belongs to what is won later: a capture, a check, or a move of the piece that takes."""
    is_forcing = board.is_capture(moves[0]) or board.gives_check(moves[0])
    return is_forcing or (len(moves) >= _LONGEST_GAIN and moves[2].from_square == moves[0].to_square)


def _capture_in(board: chess.Board, move: chess.Move) -> Threat | None:
    taken = captured_piece(board, move)
    if taken is None or move.promotion:
        return None
    own, gain = board.piece_type_at(move.from_square), exchange_gain(board.copy(stack=False), move)
    assert own is not None
    if gain < 1 or gain not in (PIECE_VALUES[taken[0]], PIECE_VALUES[taken[0]] - PIECE_VALUES[own]):
        return None
    returned = Counter[int]() if gain == PIECE_VALUES[taken[0]] else Counter([own])
    return Threat(board, (move,), gain, Counter([taken[0]]), returned)


def _capture_after_two_plies(board: chess.Board, moves: Line) -> Threat | None:
    """A quiet move and then a capture, as after a fork."""
    if len(moves) < _LONGEST_GAIN or board.is_capture(moves[0]) or moves[0].promotion:
        return None
    cursor = board.copy(stack=False)
    cursor.push(moves[0])
    if cursor.is_capture(moves[1]) or moves[1].promotion:
        return None
    cursor.push(moves[1])
    found = _capture_in(cursor, moves[2])
    return None if found is None else Threat(board, moves[:_LONGEST_GAIN], found.gain, found.won, found.returned)


def _gain_in(board: chess.Board, moves: Line) -> Threat | None:
    base = balance(board, chess.WHITE)
    ledger = settled_ledger(board, moves[: _LONGEST_GAIN + 1], base, _LONGEST_GAIN + 1)
    if ledger is None or ledger.promotions or len(ledger.moves) > _LONGEST_GAIN or len(ledger.moves) % 2 == 0:
        return None
    returned, won = net_pieces(ledger.lost_by(board.turn), ledger.lost_by(not board.turn))
    gain = ledger.balance_for(board.turn) - balance(board, board.turn)
    return Threat(board, ledger.moves, gain, won, returned) if gain >= 1 and won else None


def threat_statements(comparison: MoveComparison) -> Iterator[Statement]:
    """The threats that a move does not meet, that it allows, and that it misses."""
    if comparison.search is not None:
        yield from _not_met(comparison)
        yield from _allowed(comparison)
        yield from _missed(comparison)


def _searched(comparison: MoveComparison, passed: chess.Board | None) -> Threat | None:
    if passed is None or comparison.search is None or not any(passed.generate_legal_moves()):
        return None
    return threat_in(passed, comparison.search(passed, _NODES))


def _new_threat(comparison: MoveComparison, board: chess.Board, move: chess.Move) -> Threat | None:
    """What a move threatens that was not threatened before: by a search, else what its piece attacks."""
    passed = board_after_pass(board, move)
    threat = _searched(comparison, passed)
    if threat is not None and not was_there(board, move, threat):
        return threat
    return None if passed is None else _attack_on_a_piece(board, move, passed)


def _attack_on_a_piece(board: chess.Board, move: chess.Move, passed: chess.Board) -> Threat | None:
    """The most that the piece which has moved can win by a capture of a piece, if it could not before."""
    captures = [capture for capture in passed.generate_legal_captures(chess.BB_SQUARES[move.to_square])
                if passed.piece_type_at(capture.to_square) != chess.PAWN]
    found = [threat for capture in captures if (threat := _capture_in(passed, capture)) is not None
             and not was_there(board, move, threat)]
    return max(found, key=lambda threat: threat.gain, default=None)


def _not_met(comparison: MoveComparison) -> Iterator[Statement]:
    """The reply was already threatened before the move, and the better move would have met the threat."""
    reply, after = comparison.reply, comparison.after
    if reply is None:
        return
    passed = board_after_pass(comparison.board)
    if passed is None or not passed.is_legal(reply):
        return
    threat = _capture_in(passed, reply) or _searched(comparison, passed)
    if threat is None or threat.moves[0] != reply or threat.works_on(comparison.after_best):
        return
    if not threat.works_on(after) or (not threat.is_mate and not _costs_something(comparison)):
        return
    line = comparison.played[0][1 : 1 + max(_SHOWN_PLIES, len(threat.moves))]
    words = f"does not meet the threat of {moves_text(after, (reply,))}"
    if threat.is_mate:
        words += " and mate" if len(threat.moves) > 1 else ""
    elif len(threat.moves) == 1:
        words += f", which wins {won_text(threat)}"
    claim = named_claim(THREAT, after, line, (reply.to_square,), threat.won, threat.returned)
    yield Statement(_rank(_NOT_MET, threat, comparison), words, claim)


def _rank(base: float, threat: Threat, comparison: MoveComparison, targets: Sequence[chess.Square] = (),
          lines: Sequence[Line] = ()) -> float:
    """The rank of a threat to `targets`; `lines` begin with the move that makes it."""
    rank = base + _PER_PAWN * min(threat.gain, _MOST_COUNTED)
    if len(targets) == 1:
        leaving = sum(len(line) > 1 and line[1].from_square == targets[0] for line in lines)
        rank -= _ONE_TARGET + (_IT_LEAVES if leaving >= VOTES else 0)
    return rank - (_TOO_LITTLE if 100 * threat.gain < _LEAST_SHARE * comparison.cost else 0)


def _costs_something(comparison: MoveComparison) -> bool:
    """Whether the mover comes out a pawn or more behind in two of the lines after its move."""
    board, side = comparison.board, comparison.board.turn
    base = balance_before_exchange(board, comparison.move, side)
    ledgers = [settled_ledger(board, line, base if side else -base) for line in comparison.played]
    return sum(ledger is not None and ledger.balance_for(side) < base for ledger in ledgers) >= VOTES


def _allowed(comparison: MoveComparison) -> Iterator[Statement]:
    """The reply makes a threat."""
    reply, after = comparison.reply, comparison.after
    if reply is None or after.is_check() or after.is_capture(reply) or reply.promotion:
        return  # in check, it cannot be said what was threatened before
    threat = _new_threat(comparison, after, reply)
    if threat is None:
        return
    rank = _rank(_ALLOWED, threat, comparison, attacked_by(after, reply, threat),
                 [line[1:] for line in comparison.played])
    if comparison.after_best.is_legal(reply):
        passed = board_after_pass(comparison.after_best, reply)
        rank -= _ALLOWED_ANYWAY if passed is not None and threat.works_on(passed) else 0
    yield Statement(rank, f"allows {_threat_text(after, reply, threat)}", _claim(after, reply, threat), has_line=False)


def _missed(comparison: MoveComparison) -> Iterator[Statement]:
    """The better move makes a threat."""
    board, best = comparison.board, comparison.best
    if board.is_check() or board.is_capture(best) or best.promotion or comparison.reply_to_best is None:
        return
    threat = _new_threat(comparison, board, best)
    if threat is None:
        return
    passed = board_after_pass(comparison.after)
    if passed is not None and threat.works_on(passed):
        return
    words = f"misses {_threat_text(board, best, threat)}"
    rank = _rank(_MISSED, threat, comparison, attacked_by(board, best, threat), comparison.better)
    rank += _MATE_MISSED if threat.is_mate else 0
    yield Statement(rank, words, _claim(board, best, threat), has_line=False, is_missed=True)


def was_there(board: chess.Board, move: chess.Move, threat: Threat) -> bool:
    """Whether the side to move could do the same without `move`, from where its piece stood before."""
    first = threat.moves[0]
    if first.from_square != move.to_square:
        return threat.works_on(board)
    earlier = Threat(threat.board, (chess.Move(move.from_square, first.to_square, first.promotion), *threat.moves[1:]),
                     threat.gain, threat.won, threat.returned, threat.is_mate)
    return earlier.works_on(board)


def _threat_text(board: chess.Board, move: chess.Move, threat: Threat) -> str:
    """`22...Ned4, which threatens 23...Nc2+ 24.Kf2 Nxe3, winning the queen for a knight`."""
    introduction = f"{moves_text(board, (move,))}, which"
    targets = attacked_by(board, move, threat)
    if targets:
        names = [f"the {chess.piece_name(threat.board.piece_type_at(square) or 0)} on {chess.square_name(square)}"
                 for square in targets]
        return f"{introduction} attacks {joined(names)}"
    line = moves_text(threat.board, threat.moves)
    return f"{introduction} threatens {line}{'' if threat.is_mate else f', winning {won_text(threat)}'}"


def attacked_by(board: chess.Board, move: chess.Move, threat: Threat) -> list[chess.Square]:
    """What the piece that has moved can win by a capture now and could not before, if the threat is one of these."""
    if threat.is_mate or len(threat.moves) > 1 or threat.moves[0].from_square != move.to_square:
        return []
    targets = []
    for square in threat.board.attacks(move.to_square) & threat.board.occupied_co[not board.turn]:
        found = _capture_in(threat.board, chess.Move(move.to_square, square))
        is_legal = threat.board.is_legal(chess.Move(move.to_square, square))
        if is_legal and found is not None and not was_there(board, move, found):
            targets.append(square)
    targets.sort(key=lambda square: -PIECE_VALUES[threat.board.piece_type_at(square) or chess.PAWN])
    return targets[:_MOST_TARGETS] if threat.moves[0].to_square in targets[:_MOST_TARGETS] else []


def won_text(threat: Threat) -> str:
    """What a threat that is no mate wins: `the queen for a knight`."""
    claim = named_claim(THREAT, threat.board, threat.moves, _squares_won(threat), threat.won, threat.returned)
    return pieces_text(threat.board, claim)


def _squares_won(threat: Threat) -> tuple[chess.Square, ...]:
    """Where the pieces that a threat wins stand, the most valuable first."""
    left, found = threat.won.copy(), list[tuple[int, chess.Square]]()
    for capture in ledger_of(threat.board, threat.moves).captures:
        if capture.color != threat.board.turn and left[capture.piece_type] and capture.origin is not None:
            left[capture.piece_type] -= 1
            found.append((capture.piece_type, capture.origin))
    return tuple(square for _, square in sorted(found, reverse=True))


def _claim(board: chess.Board, move: chess.Move, threat: Threat) -> Claim:
    moves = (move, chess.Move.null(), *threat.moves)
    return named_claim(THREAT, board, moves, _squares_won(threat), threat.won, threat.returned)
