"""An explanation of the evaluation as text: one row per feature, the sums, and what they mean for the game; for a
network, which has no features, what each man on the board is worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.text.display import NetworkExplanation
    from eval.explain import EvalBreakdown, SideTerm, Term
    from eval.piece_worth import PieceWorth
    from eval.wdl import Wdl

HEADINGS = ("term", "white", "mg", "eg", "black", "mg", "eg", "white - black")
_WIDTHS = (24, 6, 6, 6, 6, 6, 6, 14)
PIECE_HEADINGS = ("man", "network", "features")
_MEN_WIDTHS = (20, 9, 9)
_NAMES = ("", "pawn", "knight", "bishop", "rook", "queen", "king")
_LETTERS = " PNBRQK"
_FILES = "abcdefgh"
_CELL = 8  # characters per square


class Row(NamedTuple):
    """One line of the table, in centipawns; a group's line sums the features below it."""

    cells: tuple[str, ...]  # under HEADINGS
    is_group: bool


def rows(explanation: EvalBreakdown) -> Iterator[Row]:
    """The features that are present for either side, group by group, and the sum of all."""
    for group, members in groupby(explanation.present(), key=lambda term: term.feature.group):
        terms = list(members)
        parts = sum(term.parts for term in terms)
        yield Row((group, "", "", "", "", "", "", centipawns(parts)), True)
        for term in terms:
            yield Row(_cells(term), False)
    total = sum(term.parts for term in explanation.terms)
    yield Row(("sum", "", "", "", "", "", "", centipawns(total)), True)


def _cells(term: Term) -> tuple[str, ...]:
    return (f"  {term.feature.name}", *_share(term.white), *_share(term.black), centipawns(term.parts))


def _share(share: SideTerm) -> tuple[str, ...]:
    return (str(share.count), f"{share.mg:+}", f"{share.eg:+}") if any(share.counts) else ("", "", "")


def centipawns(parts: int) -> str:
    """A score in parts of a centipawn, as centipawns with one decimal."""
    from eval.explain import PARTS_PER_CENTIPAWN

    return f"{parts / PARTS_PER_CENTIPAWN:+.1f}"


def summary(explanation: EvalBreakdown, shown: int, chances: Wdl) -> Iterator[str]:
    """What the sums mean. `shown` is the score in users' units, `chances` are White's."""
    yield f"phase: {explanation.phase_share:.0%} middle game, {1 - explanation.phase_share:.0%} endgame"
    if explanation.scale_share < 1:
        yield f"endgame values count only {explanation.scale_share:.0%}: the advantage is hard to convert"
    yield from _meaning(explanation.score, shown, chances)


def _meaning(score: int, shown: int, chances: Wdl) -> Iterator[str]:
    yield f"score: {score:+} centipawns from white's view, shown to users as {shown / 100:+.2f}"
    yield (f"chances: white wins {chances.win / 10:.1f} %, draw {chances.draw / 10:.1f} %, "
           f"black wins {chances.loss / 10:.1f} %")


def lines(explanation: EvalBreakdown, shown: int, chances: Wdl) -> Iterator[str]:
    """The table and what it means, as plain text."""
    yield _aligned(HEADINGS, _WIDTHS)
    for row in rows(explanation):
        yield _aligned(row.cells, _WIDTHS)
    yield from summary(explanation, shown, chances)


def network_summary(found: NetworkExplanation) -> Iterator[str]:
    """What a network says, and a board that shows what each man is worth to it."""
    yield "by the network:"
    yield from _meaning(*found.verdict)
    yield ""
    yield "what each man is worth here, in centipawns: how much worse its side would stand without it"
    yield from _board(found)


def _board(found: NetworkExplanation) -> Iterator[str]:
    """White at the bottom, Black's men in lower case."""
    cells = ["."] * 64
    for man in found.men:
        letter = _LETTERS[man.piece & 7]
        cells[man.square] = f"{letter.lower() if man.piece >> 3 else letter} {man.worth}"
    for square in found.kings:
        cells[square] = "king"
    for rank in range(7, -1, -1):
        yield f"{rank + 1} " + "".join(cell.center(_CELL) for cell in cells[8 * rank : 8 * rank + 8]).rstrip()
    yield "  " + "".join(file.center(_CELL) for file in _FILES).rstrip()


def piece_rows(men: Sequence[PieceWorth]) -> list[tuple[str, ...]]:
    """The same as a table under MEN_HEADINGS: the most valuable man first, with its worth to the features."""
    return [(_man_name(man), f"{man.worth:+}", f"{man.features_worth:+}")
            for man in sorted(men, key=lambda man: -man.worth)]


def _man_name(man: PieceWorth) -> str:
    square = f"{_FILES[man.square & 7]}{(man.square >> 3) + 1}"
    return f"{'black' if man.piece >> 3 else 'white'} {_NAMES[man.piece & 7]} {square}"


def network_lines(found: NetworkExplanation) -> Iterator[str]:
    """What a network says, as plain text."""
    yield ""
    yield from network_summary(found)
    yield ""
    yield _aligned(PIECE_HEADINGS, _MEN_WIDTHS)
    for row in piece_rows(found.men):
        yield _aligned(row, _MEN_WIDTHS)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (f"{cell:<{width}}" if place == 0 else f"{cell:>{width}}"
                      for place, (cell, width) in enumerate(zip(cells, widths, strict=True)))
    return (first + "".join(others)).rstrip()
