"""Endings by material: names, dependency order, and the endings that captures and promotions lead to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from engine.core.bits import BISHOP, KING, KNIGHT, PAWN, PIECE_LETTERS, QUEEN, ROOK
from engine.core.position import PositionRecord
from engine.system.errors import InputError, quote

MAX_PIECES = 5  # including kings
PREFETCH_PIECES = 10  # WDL tables are loaded from this piece count on, since searches will soon probe them
_BLACK = 8  # the difference between a black piece and a white one
_TYPES = tuple(int(piece_type) for piece_type in (QUEEN, ROOK, BISHOP, KNIGHT, PAWN))
PROMOTIONS = _TYPES[:-1]
_ENDING_NAME = re.compile("K([QRBNP]*)V?K([QRBNP]*)")

Pieces = tuple[int, ...]


@dataclass(frozen=True, order=True)
class Ending:
    """The pieces besides the kings. White has more pieces, or equally many and stronger ones."""

    white: Pieces  # piece types, the strongest first
    black: Pieces

    @property
    def name(self) -> str:
        """The name, as of Syzygy files: KQvKR."""
        return f"K{_letters(self.white)}vK{_letters(self.black)}"

    @property
    def pieces(self) -> Pieces:
        """The pieces of both colours, in the order of the table's axes."""
        return (*self.white, *(_BLACK + piece_type for piece_type in self.black))

    @property
    def piece_count(self) -> int:
        """The number of pieces on the board, including kings."""
        return 2 + len(self.white) + len(self.black)

    @property
    def has_pawns(self) -> bool:
        return PAWN in self.white + self.black

    @property
    def has_pawns_of_both(self) -> bool:
        """Whether both sides have pawns, so that en passant is possible."""
        return PAWN in self.white and PAWN in self.black

    @property
    def is_symmetric(self) -> bool:
        """Whether both sides have the same pieces."""
        return self.white == self.black

    def next_endings(self) -> set[Ending]:
        """The endings after a capture, a promotion or both at once, without bare kings."""
        return {ending_of(pieces)[0] for pieces in _after_conversions(self.pieces) if pieces}


def ending_of(pieces: Iterable[int]) -> tuple[Ending, bool]:
    """The ending of these pieces in any order, and whether its colours are swapped."""
    listed = list(pieces)
    white = _strongest_first(piece for piece in listed if piece < _BLACK)
    black = _strongest_first(piece - _BLACK for piece in listed if piece > _BLACK)
    is_flipped = (len(white), white) < (len(black), black)
    return (Ending(black, white) if is_flipped else Ending(white, black)), is_flipped


def endings_at_root(pieces: Iterable[int]) -> set[Ending]:
    """The ending of these pieces and those that one move can lead to; none if there are no pieces besides the kings."""
    ending = ending_of(pieces)[0]
    return {ending, *ending.next_endings()} if ending.pieces else set()


def parse_ending(text: str) -> Ending:
    """Parse a name such as KQvKR, KQKR or krkq, which name the same ending; InputError for any other text."""
    sides = _ENDING_NAME.fullmatch(text.upper())
    if sides is None:
        raise InputError(f"ending must list the pieces of both sides, as in KQvKR, got {quote(text)}")
    white, black = ([PIECE_LETTERS.index(letter) for letter in side] for side in sides.groups())
    if not 3 <= 2 + len(white) + len(black) <= MAX_PIECES:
        raise InputError(f"ending must have 3 to {MAX_PIECES} pieces, got {quote(text)}")
    return ending_of([*white, *(_BLACK + piece_type for piece_type in black)])[0]


def all_endings(piece_count: int) -> list[Ending]:
    """Every ending with this many pieces, including kings, in dependency order."""
    endings = set()
    for white_count in range(piece_count - 1):
        for white in combinations_with_replacement(_TYPES, white_count):
            for black in combinations_with_replacement(_TYPES, piece_count - 2 - white_count):
                endings.add(ending_of([*white, *(_BLACK + piece_type for piece_type in black)])[0])
    return in_dependency_order(endings)


def in_dependency_order(endings: Iterable[Ending]) -> list[Ending]:
    """Sort the endings so that each comes after all endings that it can lead to."""
    return sorted(endings, key=lambda ending: (ending.piece_count, (ending.white + ending.black).count(int(PAWN)),
                                               ending.name))


def with_dependencies(endings: Iterable[Ending]) -> list[Ending]:
    """The endings and all that they can lead to, in dependency order."""
    closure: set[Ending] = set()
    waiting = list(endings)
    while waiting:
        ending = waiting.pop()
        if ending not in closure:
            closure.add(ending)
            waiting.extend(ending.next_endings())
    return in_dependency_order(closure)


def pieces_besides_kings(position: PositionRecord) -> Pieces:
    """The pieces of a position besides the kings."""
    return tuple(piece for piece in position.board.tolist() if piece and piece % 8 != KING)


def can_become(pieces: Iterable[int], ending: Ending) -> bool:
    """Whether captures and promotions can lead from these pieces to the ending."""
    return can_turn_into(Counter(pieces), ending.pieces)


def can_turn_into(have: Counter[int], pieces: Pieces) -> bool:
    """Whether captures and promotions can turn the pieces in `have` into `pieces`, in either colour."""
    if len(pieces) > have.total():
        return False
    return any(_is_reachable(have, Counter(given)) for given in (pieces, tuple(piece ^ 8 for piece in pieces)))


def _is_reachable(have: Counter[int], need: Counter[int]) -> bool:
    """Whether the spare pawns of each colour can promote to all of its missing pieces."""
    for pawn in (int(PAWN), int(PAWN) + 8):
        spare = have[pawn] - need[pawn]
        if spare < sum(max(need[piece] - have[piece], 0) for piece in range(pawn + 1, pawn + 5)):
            return False
    return True


def _after_conversions(pieces: Sequence[int]) -> Iterator[list[int]]:
    """The pieces after each capture and each promotion by either side."""
    for captured in (None, *range(len(pieces))):
        left = [piece for index, piece in enumerate(pieces) if index != captured]
        if captured is not None:
            yield left
        for index, piece in enumerate(left):
            if piece % _BLACK == PAWN and (captured is None or pieces[captured] // _BLACK != piece // _BLACK):
                for piece_type in PROMOTIONS:
                    yield [*left[:index], piece - int(PAWN) + piece_type, *left[index + 1:]]


def _strongest_first(types: Iterable[int]) -> Pieces:
    return tuple(sorted(types, reverse=True))


def _letters(types: Pieces) -> str:
    return "".join(PIECE_LETTERS[piece_type] for piece_type in types)
