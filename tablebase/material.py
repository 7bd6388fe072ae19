"""Endings by the men that are left: their names, their order, and what each can lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from engine.core.bits import BISHOP, KING, KNIGHT, PAWN, PIECE_LETTERS, QUEEN, ROOK
from engine.core.position import PositionRecord
from engine.system.errors import InputError, quote

MAX_PIECES = 5  # including kings
NEAR = 10  # men: outcomes are read when this few are left, since searches will soon probe them
_BLACK = 8  # the difference between a black piece and a white one
_TYPES = tuple(int(kind) for kind in (QUEEN, ROOK, BISHOP, KNIGHT, PAWN))
PROMOTIONS = _TYPES[:-1]

Men = tuple[int, ...]


@dataclass(frozen=True, order=True)
class Ending:
    """The men besides the two kings. White has more men, or as many and the stronger ones."""

    white: Men  # types, the strongest first
    black: Men

    @property
    def name(self) -> str:
        """The name, as in Syzygy files: KQvKR."""
        return f"K{_letters(self.white)}vK{_letters(self.black)}"

    @property
    def pieces(self) -> Men:
        """The men as pieces, in the order of the table's axes."""
        return (*self.white, *(_BLACK + kind for kind in self.black))

    @property
    def men(self) -> int:
        """The number of men on the board, including kings."""
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
        """Whether both sides have the same men."""
        return self.white == self.black

    def next_endings(self) -> set[Ending]:
        """The endings after a capture, a promotion or both at once; bare kings do not count."""
        found = set()
        for pieces in _after_one_move(self.pieces):
            if pieces:
                found.add(ending_of(pieces)[0])
        return found


def ending_of(pieces: Iterable[int]) -> tuple[Ending, bool]:
    """The ending of these pieces in any order, and whether the colours have to be swapped for it."""
    men = list(pieces)
    white = _sorted(piece for piece in men if piece < _BLACK)
    black = _sorted(piece - _BLACK for piece in men if piece > _BLACK)
    is_flipped = (len(white), white) < (len(black), black)
    return (Ending(black, white) if is_flipped else Ending(white, black)), is_flipped


def parse_ending(text: str) -> Ending:
    """KQvKR, KQKR, krkq: all are one ending. InputError for anything else."""
    letters = text.upper().replace("V", "")
    sides = letters.split("K")
    if len(sides) != 3 or sides[0] or not set(sides[1] + sides[2]) <= set("QRBNP"):
        raise InputError(f"{quote(text)} is not an ending: write the men of both sides, as in KQvKR")
    if not 1 <= len(letters) - 2 <= MAX_PIECES - 2:
        raise InputError(f"{quote(text)} has {len(letters)} men: tables are made for 3 to {MAX_PIECES}")
    white, black = ([PIECE_LETTERS.index(letter) for letter in side] for side in sides[1:])
    return ending_of([*white, *(_BLACK + kind for kind in black)])[0]


def all_endings(men: int) -> list[Ending]:
    """Every ending with this many men."""
    found = set()
    for of_white in range(men - 1):
        for white in combinations_with_replacement(_TYPES, of_white):
            for black in combinations_with_replacement(_TYPES, men - 2 - of_white):
                found.add(ending_of([*white, *(_BLACK + kind for kind in black)])[0])
    return in_dependency_order(found)


def in_dependency_order(endings: Iterable[Ending]) -> list[Ending]:
    """The endings, sorted so that each comes after all that it can lead to."""
    return sorted(endings, key=lambda ending: (ending.men, (ending.white + ending.black).count(int(PAWN)), ending.name))


def with_dependencies(endings: Iterable[Ending]) -> list[Ending]:
    """The endings and all that they can lead to, in order."""
    found: set[Ending] = set()
    waiting = list(endings)
    while waiting:
        ending = waiting.pop()
        if ending not in found:
            found.add(ending)
            waiting.extend(ending.next_endings())
    return in_dependency_order(found)


def pieces_besides_kings(position: PositionRecord) -> Men:
    """The pieces of a position besides the kings."""
    return tuple(piece for piece in position.board.tolist() if piece and piece % 8 != KING)


def can_become(men: Iterable[int], ending: Ending) -> bool:
    """Whether captures and promotions can turn these men into an ending."""
    return can_turn_into(Counter(men), ending.pieces)


def can_turn_into(have: Counter[int], men: Men) -> bool:
    """Whether captures and promotions can turn the men in `have` into `men`, in either colour."""
    return any(_is_reachable(have, Counter(given)) for given in (men, tuple(piece ^ 8 for piece in men)))


def _is_reachable(have: Counter[int], need: Counter[int]) -> bool:
    """Whether, for both colours, spare pawns could promote to all the pieces that are missing."""
    for pawn in (int(PAWN), int(PAWN) + 8):
        spare = have[pawn] - need[pawn]
        if spare < sum(max(need[piece] - have[piece], 0) for piece in range(pawn + 1, pawn + 5)):
            return False
    return True


def _after_one_move(pieces: Sequence[int]) -> Iterator[list[int]]:
    """The pieces after each capture and each promotion by either side."""
    for taken in (None, *range(len(pieces))):
        left = [piece for place, piece in enumerate(pieces) if place != taken]
        if taken is not None:
            yield left
        for place, piece in enumerate(left):
            if piece % _BLACK == PAWN and (taken is None or pieces[taken] // _BLACK != piece // _BLACK):
                for kind in PROMOTIONS:
                    yield [*left[:place], piece - int(PAWN) + kind, *left[place + 1:]]


def _sorted(types: Iterable[int]) -> Men:
    return tuple(sorted(types, reverse=True))


def _letters(types: Men) -> str:
    return "".join(PIECE_LETTERS[kind] for kind in types)
