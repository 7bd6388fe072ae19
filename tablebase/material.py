"""Endings by the men that are left: their names, their order, and what each can turn into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from engine.core.bits import BISHOP, KING, KNIGHT, PAWN, PIECE_LETTERS, QUEEN, ROOK
from engine.core.errors import InputError, quote
from engine.core.position import PositionRecord

MOST_MEN = 5  # kings included
NEAR = 10  # men: with so few, outcomes are read, for searches will soon meet them
_BLACK = 8  # what a black piece has more than a white one
_TYPES = tuple(int(kind) for kind in (QUEEN, ROOK, BISHOP, KNIGHT, PAWN))
PROMOTIONS = _TYPES[:-1]

Men = tuple[int, ...]


@dataclass(frozen=True, order=True)
class Ending:
    """What stands beside the two kings. White has more men, or the same number and the stronger ones."""

    white: Men  # types, the strongest first
    black: Men

    @property
    def name(self) -> str:
        """As Syzygy files are called: KQvKR."""
        return f"K{_letters(self.white)}vK{_letters(self.black)}"

    @property
    def pieces(self) -> Men:
        """The men as pieces, in the order in which tables count them."""
        return (*self.white, *(_BLACK + kind for kind in self.black))

    @property
    def men(self) -> int:
        """How many stand on the board, kings included."""
        return 2 + len(self.white) + len(self.black)

    @property
    def has_pawns(self) -> bool:
        return PAWN in self.white + self.black

    @property
    def has_pawns_of_both(self) -> bool:
        """Whether a pawn can be captured en passant."""
        return PAWN in self.white and PAWN in self.black

    @property
    def is_symmetric(self) -> bool:
        """Whether both sides have the same."""
        return self.white == self.black

    def next_endings(self) -> set[Ending]:
        """What a capture, a promotion or both at once lead to; bare kings are no ending."""
        found = set()
        for pieces in _after_one_move(self.pieces):
            if pieces:
                found.add(ending_of(pieces)[0])
        return found


def ending_of(pieces: Iterable[int]) -> tuple[Ending, bool]:
    """The ending of these pieces in any order, and whether the colours have to be exchanged for it."""
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
        raise InputError(f"{quote(text)} names no ending: write the men of both sides, as in KQvKR")
    if not 1 <= len(letters) - 2 <= MOST_MEN - 2:
        raise InputError(f"{quote(text)} has {len(letters)} men: tables are made for 3 to {MOST_MEN}")
    white, black = ([PIECE_LETTERS.index(letter) for letter in side] for side in sides[1:])
    return ending_of([*white, *(_BLACK + kind for kind in black)])[0]


def all_endings(men: int) -> list[Ending]:
    """Every ending with so many men."""
    found = set()
    for of_white in range(men - 1):
        for white in combinations_with_replacement(_TYPES, of_white):
            for black in combinations_with_replacement(_TYPES, men - 2 - of_white):
                found.add(ending_of([*white, *(_BLACK + kind for kind in black)])[0])
    return in_order(found)


def in_order(endings: Iterable[Ending]) -> list[Ending]:
    """The endings so that each comes after all that it can turn into."""
    return sorted(endings, key=lambda ending: (ending.men, (ending.white + ending.black).count(int(PAWN)), ending.name))


def with_needed(endings: Iterable[Ending]) -> list[Ending]:
    """The endings and all that any line from them can lead to, in order."""
    found: set[Ending] = set()
    waiting = list(endings)
    while waiting:
        ending = waiting.pop()
        if ending not in found:
            found.add(ending)
            waiting.extend(ending.next_endings())
    return in_order(found)


def men_of(position: PositionRecord) -> Men:
    """The pieces of a position beside the kings."""
    return tuple(piece for piece in position.board.tolist() if piece and piece % 8 != KING)


def can_become(men: Iterable[int], ending: Ending) -> bool:
    """Whether captures and promotions can turn these men into an ending."""
    return can_turn_into(Counter(men), ending.pieces)


def can_turn_into(have: Counter[int], men: Men) -> bool:
    """Whether captures and promotions can turn what there is into these men, in either colour."""
    return any(_is_reachable(have, Counter(given)) for given in (men, tuple(piece ^ 8 for piece in men)))


def _is_reachable(have: Counter[int], need: Counter[int]) -> bool:
    """Whether what is missing of either colour can be made of pawns that are not needed themselves."""
    for pawn in (int(PAWN), int(PAWN) + 8):
        spare = have[pawn] - need[pawn]
        if spare < sum(max(need[piece] - have[piece], 0) for piece in range(pawn + 1, pawn + 5)):
            return False
    return True


def _after_one_move(pieces: Sequence[int]) -> Iterator[list[int]]:
    """The pieces after each capture and each promotion, whoever makes it."""
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
