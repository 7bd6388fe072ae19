"""Positional statements: facts that can be counted on two quiet boards and differ between them.

The boards are the ends of the line after the move played and of the better line, both at rest, with the same side to
move and the same balance of material. A fact has to differ in the same way for two pairs of lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import chess

from engine.analysis.board_facts import (
    attackers_near_king,
    doubled_files,
    files_without_shelter,
    has_bishop_pair,
    is_stuck_in_the_middle,
    isolated_pawns,
    outposts,
    passed_pawns,
    rooks_on_seventh,
    undeveloped_minors,
)
from engine.analysis.claims import POSITIONAL, named_claim
from engine.analysis.comparison import VOTES, MoveComparison, Statement
from engine.analysis.ledger import balance, is_settled
from engine.analysis.review import Line
from engine.analysis.wording import count_text
from engine.text.sides import SIDE_NAMES

_Item = TypeVar("_Item")

_FEWEST_PLIES, _MOST_PLIES = 2, 12  # of each line
_MORE_ATTACKERS = 2
_LAST_MOVE_OF_DEVELOPMENT = 15
_FAR_PAWN, _PER_RANK = 5, 0.3  # ranks gone; rank of the statement for each one more
_FEW_PIECES = 6  # of both sides beside kings and pawns: an endgame


@dataclass(frozen=True)
class Ends:
    """The boards that are compared, for the side that moves on the first one."""

    root: chess.Board
    worse: chess.Board  # after the move played
    better: chess.Board

    @property
    def side(self) -> chess.Color:
        """The side whose move it was."""
        return self.root.turn

    @property
    def name(self) -> str:
        """Its name."""
        return SIDE_NAMES[self.side]

    @property
    def other(self) -> str:
        """The name of the other side."""
        return SIDE_NAMES[not self.side]



@dataclass(frozen=True)
class Fact:
    """A fact against the side that moved; `key` is the same for the same fact at other ends."""

    rank: float
    key: str
    words: str


Finder = Callable[[Ends], Iterator[Fact]]


def positional_statements(comparison: MoveComparison) -> Iterator[Statement]:
    """The facts that two pairs of lines agree on, with the lines of the first pair that shows each."""
    found, votes = dict[str, tuple[Fact, Line, Line]](), Counter[str]()
    for played, better in zip(comparison.played, comparison.better, strict=False):
        pair = _pair_of_ends(comparison.board, played, better)
        if pair is None:
            continue
        ends, shown, shown_better = pair
        for fact in _facts_of(ends):
            votes[fact.key] += 1
            found.setdefault(fact.key, (fact, shown, shown_better))
    for key, (fact, shown, shown_better) in found.items():
        if votes[key] >= VOTES:
            claim = named_claim(POSITIONAL, comparison.after, shown[1:])
            claim = replace(claim, motif=key, better=tuple(move.uci() for move in shown_better))
            yield Statement(fact.rank, fact.words, claim)


def _facts_of(ends: Ends) -> Iterator[Fact]:
    for find in _FINDERS:
        yield from find(ends)


def _pair_of_ends(board: chess.Board, played: Line, better: Line) -> tuple[Ends, Line, Line] | None:
    """The last boards of two lines that can be compared, and the lines up to them."""
    worse_ends, better_ends = _quiet_boards(board, played), _quiet_boards(board, better)
    lengths = [(one, other) for one in worse_ends for other in better_ends if (one - other) % 2 == 0
               and balance(worse_ends[one], board.turn) == balance(better_ends[other], board.turn)]
    if not lengths:
        return None
    one, other = max(lengths, key=lambda pair: (sum(pair), pair))
    return Ends(board, worse_ends[one], better_ends[other]), played[:one], better[:other]


def _quiet_boards(board: chess.Board, line: Line) -> dict[int, chess.Board]:
    """The boards of a line at which it has settled, by the number of moves before them."""
    cursor, found = board.copy(stack=False), dict[int, chess.Board]()
    for number, move in enumerate(line[:_MOST_PLIES], 1):
        cursor.push(move)
        if number >= _FEWEST_PLIES and is_settled(cursor) and any(cursor.generate_legal_moves()):
            found[number] = cursor.copy(stack=False)
    return found


def _castling(ends: Ends) -> Iterator[Fact]:
    """The right to castle, or a castled king, in the better line only."""
    king, side = ends.worse.king(ends.side), ends.side
    if king is None or not ends.root.has_castling_rights(side) or not ends.worse.pieces(chess.QUEEN, not side):
        return
    is_lost = is_stuck_in_the_middle(ends.worse, side) and not ends.worse.has_castling_rights(side)
    has_queens = bool(ends.better.pieces(chess.QUEEN, not side))  # without them the king may stay in the middle
    if is_lost and has_queens and not is_stuck_in_the_middle(ends.better, side):
        yield Fact(2.5, "castling", f"leaves {ends.name}'s king on {chess.square_name(king)} unable to castle")


def _shelter(ends: Ends) -> Iterator[Fact]:
    """A file at the king without a pawn."""
    king = ends.worse.king(ends.side)
    files = _new(*(files_without_shelter(board, ends.side) for board in (ends.worse, ends.better, ends.root)))
    if king is not None and files:
        yield Fact(1.0, f"shelter {files[0]}", f"leaves {ends.name}'s king on {chess.square_name(king)} without a pawn "
                                               f"on the {files[0]}-file")


def _attackers(ends: Ends) -> Iterator[Fact]:
    """Pieces that attack squares next to a king."""
    for color in (ends.side, not ends.side):
        here, there = (len(attackers_near_king(board, color)) for board in (ends.worse, ends.better))
        king = SIDE_NAMES[color]
        if color == ends.side and here - there >= _MORE_ATTACKERS and here > len(attackers_near_king(ends.root, color)):
            words = f"lets {count_text(here)} pieces attack squares next to {king}'s king"
            yield Fact(1.5, "attack", f"{words} instead of {count_text(there)}")
        if color != ends.side and there - here >= _MORE_ATTACKERS:
            words = f"attacks squares next to {king}'s king with {_pieces_text(here)}"
            yield Fact(1.2, "own attack", f"{words} instead of {count_text(there)}")


def _pieces_text(number: int) -> str:
    return "no piece" if number == 0 else f"{count_text(number)} piece{'' if number == 1 else 's'}"


def _passed(ends: Ends) -> Iterator[Fact]:
    """Passed pawns: new ones, and how far they have come."""
    far = _FAR_PAWN if chess.popcount(ends.root.occupied & ~ends.root.pawns & ~ends.root.kings) > _FEW_PIECES else 3
    here, there = (_farthest(board, not ends.side) for board in (ends.worse, ends.better))
    if here is not None and _gone(here, ends) >= far and (there is None or _gone(there, ends) < _gone(here, ends)):
        steps, name = _gone(here, ends) - (0 if there is None else _gone(there, ends)), chess.square_name(here)
        is_new = here not in passed_pawns(ends.root, not ends.side)
        verb = f"gives {ends.other} a passed pawn on" if is_new else f"leaves {ends.other} the passed pawn on"
        yield Fact(1.5 + _PER_RANK * min(steps, 3), f"passed {name[0]}", f"{verb} {name}")
    here, there = (_farthest(board, ends.side) for board in (ends.worse, ends.better))
    if there is not None and _ahead(there, ends.side) >= far and (
            here is None or _ahead(here, ends.side) < _ahead(there, ends.side)):
        name = chess.square_name(there)
        yield Fact(1.4, f"own passed {name[0]}", f"does without a passed pawn on {name}")


def _farthest(board: chess.Board, color: chess.Color) -> chess.Square | None:
    return max(passed_pawns(board, color), key=lambda square: _ahead(square, color), default=None)


def _ahead(square: chess.Square, color: chess.Color) -> int:
    """The ranks that a pawn has gone, counted from the first rank."""
    return chess.square_rank(square) if color else 7 - chess.square_rank(square)


def _gone(square: chess.Square, ends: Ends) -> int:
    return _ahead(square, not ends.side)


def _pawns(ends: Ends) -> Iterator[Fact]:
    """Isolated and doubled pawns."""
    weak = [[square for square in isolated_pawns(board, ends.side) if square not in passed_pawns(board, ends.side)]
            for board in (ends.worse, ends.better, ends.root)]
    squares = _new(*weak)
    if squares and chess.square_file(squares[0]) not in {chess.square_file(square) for square in weak[1] + weak[2]}:
        name = chess.square_name(squares[0])
        yield Fact(1.2, f"isolated {name[0]}", f"leaves {ends.name} with an isolated pawn on {name}")
    files = _new(*(doubled_files(board, ends.side) for board in (ends.worse, ends.better, ends.root)))
    if files:
        yield Fact(1.25, f"doubled {files[0]}", f"leaves {ends.name} with doubled pawns on the {files[0]}-file")


def _bishops(ends: Ends) -> Iterator[Fact]:
    only = [has_bishop_pair(board, not ends.side) and not has_bishop_pair(board, ends.side)
            for board in (ends.worse, ends.better, ends.root)]
    if only == [True, False, False]:
        yield Fact(1.0, "bishop pair", f"leaves only {ends.other} with the bishop pair")


def _rooks_and_knights(ends: Ends) -> Iterator[Fact]:
    """Rooks on the seventh rank, and knights on outposts."""
    rooks = _new(*(rooks_on_seventh(board, not ends.side) for board in (ends.worse, ends.better, ends.root)))
    if rooks:
        name = chess.square_name(rooks[0])
        yield Fact(1.5, f"seventh {name}", f"lets {ends.other}'s rook reach the seventh rank on {name}")
    knights = _new(*(outposts(board, not ends.side) for board in (ends.worse, ends.better, ends.root)))
    if knights:
        name = chess.square_name(knights[0])
        yield Fact(1.2, f"outpost {name}", f"gives {ends.other}'s knight an outpost on {name}")


def _development(ends: Ends) -> Iterator[Fact]:
    """More minor pieces at home, while the opening lasts."""
    if ends.root.fullmove_number > _LAST_MOVE_OF_DEVELOPMENT:
        return
    behind = [len(undeveloped_minors(board, ends.side)) - len(undeveloped_minors(board, not ends.side))
              for board in (ends.worse, ends.better)]
    if behind[0] > max(behind[1], 0):
        own, other = (len(undeveloped_minors(ends.worse, color)) for color in (ends.side, not ends.side))
        words = f"falls behind in development, with {count_text(own)} minor piece{'s' if own > 1 else ''} at home"
        yield Fact(1.3 if behind[0] > behind[1] + 1 else 1.2, "development", f"{words} against {count_text(other)}")


def _new(here: Sequence[_Item], there: Sequence[_Item], before: Sequence[_Item]) -> list[_Item]:
    """What is only on the first board, if there is more of it than on the second."""
    return [each for each in here if each not in there and each not in before] if len(here) > len(there) else []


_FINDERS: tuple[Finder, ...] = (
    _castling, _attackers, _passed, _shelter, _rooks_and_knights, _development, _pawns, _bishops)
