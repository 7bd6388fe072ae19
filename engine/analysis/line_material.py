"""What a move loses and what the better one wins, counted over long lines, two of three of which agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, takewhile

import chess

from engine.analysis.claims import (
    PROMOTION,
    Claim,
    MaterialResult,
    gain_claim,
    loss_claim,
    material_after_move,
    material_of_line,
    named_claim,
    promotion_claim,
)
from engine.analysis.comparison import LONGEST, VOTES, MoveComparison, Statement, most_voted
from engine.analysis.ledger import PIECE_VALUES, Ledger, balance, settled_ledger
from engine.analysis.review import Line
from engine.analysis.wording import gain_text, loss_text
from engine.text.sides import SIDE_NAMES

_RANK, _PER_PAWN, _PER_PLY = 3.0, 1 / 3, 0.25
_SHORT_LINE = 8  # plies from which a line counts less for each more
_LEAST_SHARE = 0.3  # of the move's cost that the material has to make up
_SMALL_SHARE, _TOO_LITTLE = 0.4, 1.6  # below this share something else matters more: the rank is lower by so much
_MOST_SHARE, _MARGIN = 1.5, 100  # beyond, in centipawns, there is compensation
_DECLINED = 1.2  # less for a line that does not show why a piece is not taken back
_LARGER = 0.1  # more for what weighs more
_MOST_GIVEN = 3  # pawns in all for a piece that a promotion costs
_SOON = 8, 6  # plies after which a promotion counts, whatever becomes of the new piece later
_PROMOTION_RANK, _COSTS_A_PIECE_RANK = 3.4, 3.0


def material_statements(comparison: MoveComparison) -> Iterator[Statement]:
    """The material that the move loses, or that the better one wins."""
    board = comparison.board
    played = _results(board, comparison.played, material_after_move)
    better = _results(board, comparison.better, material_of_line)
    if len(played) < VOTES:
        return
    worse_end = sorted(result.end for result in played)[VOTES - 1]
    # better lines that never come to rest are taken to keep the balance
    better_end = sorted(result.end for result in better)[-VOTES] if len(better) >= VOTES else balance(board, board.turn)
    pawns = better_end - worse_end
    if pawns < 1 or not _LEAST_SHARE * comparison.cost <= 100 * pawns <= _MOST_SHARE * comparison.cost + _MARGIN:
        return
    small = _TOO_LITTLE if 100 * pawns < _SMALL_SHARE * comparison.cost else 0
    lost = _least([result for result in played if result.end <= worse_end], lambda result: result.lost)
    most = [result for result in better if result.end >= better_end]
    won = _least(most, lambda result: result.gained) if len(better) >= VOTES else None
    is_loss_larger = lost is not None and (won is None or -lost.net >= won.net)
    lost = _certain_loss(comparison) if lost is None else lost
    if lost is not None:
        claim = loss_claim(board, lost, comparison.move, LONGEST)
        rank = -_DECLINED if claim is None else _LARGER if is_loss_larger else 0
        claim = claim or loss_claim(board, lost, comparison.move, LONGEST, may_decline=True)
        if claim is not None:
            rank += rank_of_material(pawns, len(claim.moves) + 1) - small
            yield Statement(rank, loss_text(comparison.after, claim, lost.base), claim)
    if won is not None:
        claim = gain_claim(board, won, LONGEST)
        if claim is not None:
            rank = rank_of_material(pawns, len(claim.moves)) - small
            yield Statement(rank, gain_text(board, claim, won.base), claim, is_missed=True)


def _certain_loss(comparison: MoveComparison) -> MaterialResult | None:
    """What the moves lose that two lines begin with, if that makes up enough of the cost."""
    for one, other in combinations(comparison.played, 2):
        begun = [move for move, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))]
        result = material_after_move(comparison.board, begun, len(begun)) if len(begun) > 1 else None
        if result is not None and result.net < 0 and -100 * result.net >= _LEAST_SHARE * comparison.cost:
            return result
    return None


def rank_of_material(pawns: int, plies: int) -> float:
    """The rank of a statement about material: the more pawns and the shorter the line, the higher."""
    return _RANK + pawns * _PER_PAWN - _PER_PLY * max(plies - _SHORT_LINE, 0)


def _results(board: chess.Board, lines: Sequence[Line],
             count: Callable[[chess.Board, Line, int], MaterialResult | None]) -> list[MaterialResult]:
    return [found for line in lines if (found := count(board, line, LONGEST)) is not None]


def _least(results: list[MaterialResult], pieces: Callable[[MaterialResult], Counter[int]]) -> MaterialResult | None:
    """Of results that agree on the most valuable piece, the one that claims least, in the shortest line."""
    agreeing = most_voted([result for result in results if pieces(result)], lambda result: max(pieces(result)))
    return min(agreeing, key=lambda result: (abs(result.net), len(result.ledger.moves)), default=None)


def promotion_statements(comparison: MoveComparison) -> Iterator[Statement]:
    """Pawns that promote in the last line of one move, and in no line of the other."""
    board, after = comparison.board, comparison.after
    replies, better = [line[1:] for line in comparison.played], comparison.better
    allowed, missed = _promoting(after, replies), _promoting(board, better)
    if allowed is not None and not _pawns_promoting(comparison.after_best, [line[1:] for line in better], after.turn):
        yield _promotion_statement(after, allowed, "lets the {}-pawn promote", "lets the {}-pawn run, which costs {}")
    if missed is not None and not _pawns_promoting(after, replies, board.turn):
        yield _promotion_statement(board, missed, "misses the promotion of the {}-pawn",
                                   "misses the run of the {}-pawn, which costs {}", is_missed=True)


def _promoting(board: chess.Board, lines: Sequence[Line]) -> tuple[Claim, str] | None:
    """The claim that the side to move promotes in the last line, and the piece that stopping the pawn has cost.

    One line is enough: pawns that run are seldom a mistake of the last iteration.
    """
    return _promotion_of(board, lines[0]) if lines[0] else None


def _promotion_of(board: chess.Board, line: Line) -> tuple[Claim, str] | None:
    claims = (promotion_claim(board, line[:plies], LONGEST) for plies in (len(line), *_SOON))
    claim = next(filter(None, claims), None)
    if claim is not None:
        return claim, ""
    ledger = settled_ledger(board, line, None, LONGEST)
    return None if ledger is None else _costly_promotion(ledger)


def _costly_promotion(ledger: Ledger) -> tuple[Claim, str] | None:
    """One pawn promotes, the new piece is taken, and what has taken it is taken back: that is what the pawn costs."""
    own = [found for found in ledger.promotions if found.color == ledger.start.turn]
    if len(ledger.promotions) != 1 or not own or own[0].survives:
        return None
    color = ledger.start.turn
    taken_back = [capture.piece_type for capture in ledger.captures
                  if capture.ply == own[0].ply + 2 and capture.square == own[0].square]
    gain = ledger.balance_for(color) - balance(ledger.start, color)
    if not taken_back or gain < max(PIECE_VALUES[taken_back[0]] - _MOST_GIVEN, 1):
        return None
    claim = named_claim(PROMOTION, ledger.start, ledger.moves, (own[0].origin,), Counter(taken_back))
    return claim, f"{SIDE_NAMES[not color]} the {chess.piece_name(taken_back[0])}"


def _pawns_promoting(board: chess.Board, lines: Sequence[Line], color: chess.Color) -> bool:
    """Whether a side promotes in one of the lines."""
    ledgers = [settled_ledger(board, line) for line in lines if line]
    return any(found.color == color for ledger in ledgers if ledger is not None for found in ledger.promotions)


def _promotion_statement(board: chess.Board, found: tuple[Claim, str], plain: str, costly: str,
                         is_missed: bool = False) -> Statement:
    claim, cost = found
    file = claim.squares[0][0]
    words = costly.format(file, cost) if cost else plain.format(file)
    return Statement(_COSTS_A_PIECE_RANK if cost else _PROMOTION_RANK, words, claim, is_missed=is_missed)
