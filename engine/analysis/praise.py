"""Praise: sacrifices, moves that are hard to find, and only moves; not recaptures, which everybody finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import chess

from engine.analysis.ledger import (
    balance,
    balance_before_exchange,
    best_capture,
    captured_piece,
    exchange_gain,
    settled_ledger,
)
from engine.analysis.marks import Mark, loss_between
from engine.analysis.motifs import is_trapped
from engine.analysis.move_searches import MoveSearches
from engine.analysis.results import Score
from engine.analysis.review import PositionEval
from engine.analysis.tactical_line import is_bad_square

_NEARLY_BEST = 0.02  # expected score, as everywhere here on the human curve
_SUSPECTED_BEST, _SUSPECTED_GAP = 0.05, 0.10  # in the first round
_GAP = 0.13  # to the second-best move
_LEAST_SACRIFICE_GAP = 0.05  # to the best move that gives nothing: else it gains nothing either
_LEAST_GIVEN, _MUCH_GIVEN = 2, 5  # pawns
_SOON = 6  # plies in which a piece that was offered can be won back
_SOUND = 0.45
_WON_ANYWAY = 0.90
_PLAYABLE = 0.40  # of the best move, to be called good
_LOOKS_AS_GOOD = 0.05
_FEWEST_MOVES = 3


@dataclass(frozen=True)
class Offer:
    """What a move gives: the piece that can be taken, by which reply, and how much it is worth net, in pawns."""

    piece_type: int
    square: chess.Square  # where it can be taken
    reply: chess.Move
    given: int
    captured: int | None  # the type of the piece that the move itself takes


@dataclass(frozen=True)
class Praise:
    """Why a move is praised."""

    mark: Mark
    gap: float  # to the best move that is not as good
    offer: Offer | None = None  # of a sacrifice
    line: tuple[str, ...] = ()  # of a sacrifice that is accepted, beginning with the move
    second: Score | None = None  # of the second-best move


def is_praiseworthy(board: chess.Board, move: chess.Move, here: PositionEval, played: Score) -> bool:
    """Whether a move may be praised, by the first round; `played` is the mover's score with it."""
    if board.legal_moves.count() < _FEWEST_MOVES or move.promotion:
        return False
    is_first = here.move == move.uci()
    if is_first and here.second is not None and loss_between(here.score, here.second) >= _SUSPECTED_GAP and (
            not is_trivial(board, move)):
        return True
    is_near = is_first or loss_between(here.score, played) <= _SUSPECTED_BEST
    return is_near and played.human_expected >= _SOUND - _SUSPECTED_BEST and sacrifice_of(board, move) is not None


def offer_of(board: chess.Board, move: chess.Move) -> Offer | None:
    """What a move gives up if the other side takes it; None for less than a pawn and a half."""
    color, after = board.turn, board.copy(stack=False)
    base, taken = balance_before_exchange(board, move, color), captured_piece(board, move)
    after.push(move)
    worst: Offer | None = None
    for reply in list(after.generate_legal_captures()):
        captured = captured_piece(after, reply)
        if captured is None:
            continue
        after.push(reply)
        regained = best_capture(after)  # anywhere: what is won back at once was not given
        given = base - balance(after, color) - (0 if regained is None else regained[0])
        after.pop()
        if given >= _LEAST_GIVEN and (worst is None or given > worst.given):
            worst = Offer(captured[0], captured[1], reply, given, None if taken is None else taken[0])
    return worst


def sacrifice_of(board: chess.Board, move: chess.Move) -> Offer | None:
    """The offer of a move, if nothing forced it: the piece was free, and no exchange was open."""
    if move.promotion or board.legal_moves.count() == 1 or is_recapture(board, move):
        return None
    offer = offer_of(board, move)
    if offer is None or offer.piece_type == chess.PAWN:
        return None
    origin = move.from_square if offer.square == move.to_square else offer.square
    is_attacked = bool(board.attackers(not board.turn, origin))
    if is_attacked and (board.is_check() or is_trapped(board, origin) or not _has_safe_move(board, origin)):
        return None
    if origin != move.from_square and is_attacked and is_bad_square(board, origin, board.turn):
        return None  # it was lost anyway
    return offer


def _has_safe_move(board: chess.Board, square: chess.Square) -> bool:
    for move in list(board.generate_legal_moves(chess.BB_SQUARES[square])):
        after = board.copy(stack=False)
        after.push(move)
        if not is_bad_square(after, move.to_square, board.turn):
            return True
    return False


def is_recapture(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move takes back on the square of the last capture, or finishes an exchange."""
    return board.is_capture(move) and balance_before_exchange(board, move, board.turn) != balance(board, board.turn)


def is_trivial(board: chess.Board, move: chess.Move) -> bool:
    """Whether everybody plays a move: a recapture, a piece that hung before, a forced reply, a free promotion."""
    if is_recapture(board, move):
        return True
    legal = list(board.legal_moves)
    if board.is_check():
        captures = [other for other in legal if board.is_capture(other)]
        return len(legal) < _FEWEST_MOVES or captures == [move]
    if move.promotion and not board.attackers(not board.turn, move.to_square):
        return True
    return board.is_capture(move) and _hung_before(board, move)


def _hung_before(board: chess.Board, move: chess.Move) -> bool:
    """Whether the same capture already won something before the other side's last move."""
    if not board.move_stack:
        return exchange_gain(board.copy(stack=False), move) > 0
    before = board.copy()
    last = before.pop()
    if not last or last.to_square == move.to_square or before.is_check():
        return False
    before.push(chess.Move.null())
    return before.is_legal(move) and exchange_gain(before, move) > 0


def praise_of(searches: MoveSearches, board: chess.Board, line: Sequence[str], best: Score, played: Score,
              second: Score | None) -> Praise | None:
    """Praise for a verified move, the first of `line`; None if it deserves none. `second` is the second-best score."""
    move = chess.Move.from_uci(line[0])
    if loss_between(best, played) > _NEARLY_BEST:
        return None
    offer = sacrifice_of(board, move)
    if offer is not None:
        replies = [chess.Move.from_uci(text) for text in line[1:2]]
        if replies and replies[0].to_square == offer.reply.to_square:
            offer = replace(offer, reply=replies[0])
        praise = _praise_of_sacrifice(searches, board, move, offer, played)
        if praise is not None:
            return praise
    if second is None or best.value != played.value or is_trivial(board, move):
        return None
    gap = loss_between(best, second)
    if gap < _GAP:
        return None
    glance = searches.at_a_glance()
    seen_gap = 0.0 if glance.second is None or glance.move != move.uci() else loss_between(glance.score, glance.second)
    if best.human_expected >= _PLAYABLE and (glance.move != move.uci() or seen_gap < gap / 2):
        return Praise(Mark.GOOD, gap, second=second)
    if glance.move != move.uci() or seen_gap <= _LOOKS_AS_GOOD:
        return Praise(Mark.ONLY, gap, second=second)
    return None


def is_won_back(board: chess.Board, line: Sequence[str]) -> bool:
    """Whether a line that begins with an offer soon leads to a settled position without a loss."""
    moves = [chess.Move.from_uci(text) for text in line[:_SOON]]
    ledger = settled_ledger(board, moves)
    base = balance_before_exchange(board, moves[0], board.turn)
    return ledger is not None and ledger.balance_for(board.turn) > base - _LEAST_GIVEN


def _praise_of_sacrifice(searches: MoveSearches, board: chess.Board, move: chess.Move, offer: Offer,
                         played: Score) -> Praise | None:
    accepted = searches.after_both(move, offer.reply)
    if min(played.human_expected, accepted.score.human_expected) < _SOUND or (
            accepted.score.mate is None and is_won_back(board, accepted.line)):
        return None
    modest = [other for other in board.legal_moves if offer_of(board, other) is None]
    otherwise = searches.among(modest).score if modest else None
    is_fastest = played.is_winning_mate and (otherwise is None or played > otherwise)
    if otherwise is not None and otherwise.human_expected > _WON_ANYWAY and not is_fastest:
        return None
    gap = 0.5 if otherwise is None else loss_between(played, otherwise)
    if gap < _LEAST_SACRIFICE_GAP and not is_fastest:
        return None
    glance = searches.at_a_glance()
    is_brilliant = offer.given >= _MUCH_GIVEN or glance.move != move.uci()
    return Praise(Mark.BRILLIANT if is_brilliant else Mark.GOOD, gap, offer, searches.to_mate(accepted).line)
