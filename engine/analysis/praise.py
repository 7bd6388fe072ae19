"""Praise: sacrifices, moves that are hard to find, and only moves; not recaptures, which any player finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import chess

from engine.analysis.ledger import (
    PIECE_VALUES,
    balance,
    balance_before_exchange,
    best_capture,
    board_before_exchange,
    captured_piece,
    exchange_gain,
    ledger_of,
)
from engine.analysis.marks import Mark, loss_between
from engine.analysis.motifs import is_trapped
from engine.analysis.move_searches import MoveSearches
from engine.analysis.results import Score
from engine.analysis.review import Line, PositionEval
from engine.analysis.sacrifices import is_regained, is_sacrifice

# Expected scores on the human curve, and differences of them; see history/analysis.md.
_NEARLY_BEST = 0.03
_PLAYABLE = 0.42  # of the move, to be praised
_DOUBT = 0.05  # by which the first round may be wrong
_GAP = 0.13  # to the best other move, if nothing is given for good, or an exchange is open
_GAP_OF_GIFT = 0.10  # if something is given that is easy to see
_GAP_OF_PAWNS = 0.03  # if something is given for pawns, and hard to see
_WON_ANYWAY = 0.93  # of the best other move: a gift that wins no faster is no feat
_WORSE_CHOICE = 0.10  # expected score that the move which a glance prefers loses, at least
_LEAST_GIVEN, _LEAST_GIVEN_FOR_PAWNS, _MUCH_GIVEN = 2, 1, 3  # pawns
_MOST_PAWNS = 2  # that come back for a piece at once
_FEWEST_MOVES = 3
_GIVEN_BY = range(3, 10, 2)  # plies of a line: after the mover's second to fifth move


@dataclass(frozen=True)
class Offer:
    """What a move gives: the piece that can be taken, by which reply, and how much it is worth net, in pawns."""

    piece_type: int
    square: chess.Square  # where it can be taken
    reply: chess.Move
    given: int
    captured: int | None  # the type of the piece that the move itself takes
    ply: int = 1  # of the reply, in the line that the move begins
    is_for_pawns: bool = False  # nothing but pawns comes back, and the piece was not attacked
    origin: chess.Square | None = None  # where it stands before the line, if it is taken later
    is_regained: bool = False  # nothing is given for good: taking the piece costs as much or more at once


@dataclass(frozen=True)
class Praise:
    """Why a move is praised."""

    mark: Mark
    gap: float  # to the best other move
    offer: Offer | None = None  # what it gives
    line: Line = ()  # in which that is taken, beginning with the move
    other: Score | None = None  # of the best other move


def is_praiseworthy(board: chess.Board, move: chess.Move, here: PositionEval, played: Score, line: Line,
                    is_theory: bool = False) -> bool:
    """Whether a move may be praised, by the first round: `played` is the mover's score with it, in this line.

    A known opening move is one only if it offers something at once.
    """
    is_first, is_hard = here.move == move, here.glance != move
    if board.legal_moves.count() < _FEWEST_MOVES or move.promotion or not (
            is_first or loss_between(here.score, played) <= _NEARLY_BEST + _DOUBT):
        return False
    gift = gift_of(board, line)
    if is_theory and (gift is None or gift.ply > 1):
        return False
    if gift is not None and played.human_expected >= _PLAYABLE - _DOUBT:
        return is_hard or not is_recapture(board, move)
    return is_first and is_hard and not board.is_check() and not is_trivial(board, move)


def gift_of(board: chess.Board, line: Line) -> Offer | None:
    """What the first move of a line gives, at once or in the course of the line; None for nothing."""
    move = line[0]
    if move.promotion:
        return None
    offer = offer_of(board, move)
    if offer is None or offer.piece_type == chess.PAWN:
        offer = _offer_for_pawns(board, move) or _given_later(board, line) or _offer_that_is_regained(board, move)
    return None if offer is None or _is_lost_anyway(board, move, offer) else offer


def _is_lost_anyway(board: chess.Board, move: chess.Move, offer: Offer) -> bool:
    """Whether another piece than the one that moves is given, which is attacked and has nowhere to go."""
    origin = offer.square if offer.origin is None else offer.origin
    return offer.square != move.to_square and origin != move.from_square and is_trapped(board, origin)


def _offer_that_is_regained(board: chess.Board, move: chess.Move) -> Offer | None:
    """A piece that goes where it can be taken for two pawns or more, though taking it costs a piece at once."""
    if not is_sacrifice(board, move) or not is_regained(board, move):
        return None
    offers = [offer for offer, _ in _offers(board, move) if offer.square == move.to_square]
    return replace(max(offers, key=lambda offer: offer.given), is_regained=True)


def _given_later(board: chess.Board, line: Line) -> Offer | None:
    """The most valuable piece that the mover loses in a line, if its pieces then are two pawns' worth behind."""
    cursor, color, deficits = board.copy(stack=False), board.turn, list[int]()
    base = _balance_of_pieces(board_before_exchange(board, line[0]), color)
    for ply, move in enumerate(line[: _GIVEN_BY.stop]):
        cursor.push(move)
        if ply + 1 in _GIVEN_BY:
            deficits.append(base - _balance_of_pieces(cursor, color))
    if cursor.is_checkmate():
        deficits += deficits[-1:]
    given = max(map(min, pairwise(deficits)), default=0)  # one move later it is not won back
    if given < _LEAST_GIVEN:
        return None
    lost = [capture for capture in ledger_of(board, line[: _GIVEN_BY.stop]).captures
            if capture.color == color and capture.origin is not None and capture.piece_type != chess.PAWN]
    if not lost:
        return None
    worst = max(lost, key=lambda capture: (PIECE_VALUES[capture.piece_type], -capture.ply))
    return Offer(worst.piece_type, worst.square, line[worst.ply], given, None, worst.ply, origin=worst.origin)


def _balance_of_pieces(board: chess.Board, color: chess.Color) -> int:
    pawns = board.pieces_mask(chess.PAWN, color).bit_count() - board.pieces_mask(chess.PAWN, not color).bit_count()
    return balance(board, color) - pawns


def offer_of(board: chess.Board, move: chess.Move) -> Offer | None:
    """What a move gives up if the other side takes it; None for less than a pawn and a half."""
    offers = [offer for offer, _ in _offers(board, move) if offer.given >= _LEAST_GIVEN]
    return max(offers, key=lambda offer: offer.given, default=None)


def _offer_for_pawns(board: chess.Board, move: chess.Move) -> Offer | None:
    """A piece that was not attacked and that can be taken, if nothing but pawns comes back for it."""
    taken = captured_piece(board, move)
    if taken is not None and taken[0] != chess.PAWN:
        return None
    for offer, regained in _offers(board, move):
        origin = move.from_square if offer.square == move.to_square else offer.square
        if offer.piece_type != chess.PAWN and offer.given >= _LEAST_GIVEN_FOR_PAWNS and (
                regained <= _MOST_PAWNS and not board.attackers(not board.turn, origin)):
            return replace(offer, is_for_pawns=True)
    return None


def _offers(board: chess.Board, move: chess.Move) -> Iterator[tuple[Offer, int]]:
    """What each reply can take after a move, and what wins back most of it."""
    color, after = board.turn, board.copy(stack=False)
    base, taken = balance_before_exchange(board, move, color), captured_piece(board, move)
    after.push(move)
    for reply in list(after.generate_legal_captures()):
        captured = captured_piece(after, reply)
        if captured is None:
            continue
        after.push(reply)
        found = best_capture(after)  # anywhere: what is won back at once was not given
        regained = 0 if found is None else found[0]
        given = base - balance(after, color) - regained
        after.pop()
        yield Offer(captured[0], captured[1], reply, given, None if taken is None else taken[0]), regained


def is_recapture(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move takes back on the square of the last capture, or finishes an exchange."""
    return board.is_capture(move) and balance_before_exchange(board, move, board.turn) != balance(board, board.turn)


def is_trivial(board: chess.Board, move: chess.Move) -> bool:
    """Whether any player plays a move: a recapture, a piece that hung before, a forced reply, a free promotion."""
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


def praise_of(searches: MoveSearches, board: chess.Board, line: Line, glance: chess.Move | None,
              root: tuple[Score, Score | None], played: Score) -> Praise | None:
    """Praise for a verified move, the first of `line`, which `played` is the score of; None if it deserves none.

    `root` has the scores of the best and of the second-best move. `glance` is what a player sees at once.
    """
    move, (best, second) = line[0], root
    if loss_between(best, played) > _NEARLY_BEST:
        return None
    other = second if best.value == played.value else best
    gap = 1.0 if other is None else played.human_expected - other.human_expected
    is_playable, is_hard = played.human_expected >= _PLAYABLE, glance is not None and glance != move
    offer = gift_of(board, line) if is_playable else None
    if offer is None:
        if gap < _GAP or not is_hard or board.is_check() or is_trivial(board, move) or not _is_worse(
                searches, glance, played):
            return None
        return Praise(Mark.GOOD if is_playable else Mark.ONLY, gap, other=other)
    is_won_anyway = other is not None and other.human_expected > _WON_ANYWAY
    if is_won_anyway and not (played.is_winning_mate and other is not None and played > other):
        return None
    if not _is_gift_praised(offer, gap, is_hard, is_recapture(board, move)):
        return None
    return Praise(mark_of_gift(offer.given, is_hard), gap, offer, _line_of_gift(searches, line, offer), other)


def mark_of_gift(given: int, is_hard: bool) -> Mark:
    """The mark of a move that gives something: brilliant if that is much, and hard to see."""
    return Mark.BRILLIANT if is_hard and given >= _MUCH_GIVEN else Mark.GOOD


def _is_gift_praised(offer: Offer, gap: float, is_hard: bool, is_open_exchange: bool) -> bool:
    if is_open_exchange:
        return is_hard and gap >= _GAP
    if offer.is_regained:
        return gap >= _GAP
    if offer.is_for_pawns:
        return gap >= _GAP_OF_GIFT or (is_hard and gap >= _GAP_OF_PAWNS)
    return is_hard or gap >= _GAP_OF_GIFT


def _is_worse(searches: MoveSearches, glance: chess.Move | None, played: Score) -> bool:
    """Whether the move that a glance prefers is much worse than the one played."""
    return glance is not None and loss_between(played, searches.after(glance).score) >= _WORSE_CHOICE


def _line_of_gift(searches: MoveSearches, line: Line, offer: Offer) -> Line:
    """The line in which a gift is taken."""
    if offer.ply > 1:
        return line
    is_taken = len(line) > 1 and line[1].to_square == offer.reply.to_square
    return searches.to_mate(searches.after_both(line[0], line[1] if is_taken else offer.reply)).line
