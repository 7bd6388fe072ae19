"""An explanation of the evaluation as text: one row a feature, the sums, and what they mean for the game."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from eval.explain import Explanation, Share, Term
    from eval.outcome import Chances

HEADINGS = ("term", "white", "mg", "eg", "black", "mg", "eg", "white - black")
_WIDTHS = (24, 6, 6, 6, 6, 6, 6, 14)


class Row(NamedTuple):
    """One line of the table, in centipawns; a group's line sums the features below it."""

    cells: tuple[str, ...]  # under HEADINGS
    is_group: bool


def rows(explanation: Explanation) -> Iterator[Row]:
    """The features that either side has something of, group by group, and the sum of all."""
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


def _share(share: Share) -> tuple[str, ...]:
    return (str(share.count), f"{share.mg:+}", f"{share.eg:+}") if any(share.counts) else ("", "", "")


def centipawns(parts: int) -> str:
    """What parts of a centipawn are worth, to a tenth."""
    from eval.explain import PARTS

    return f"{parts / PARTS:+.1f}"


def summary(explanation: Explanation, shown: int, chances: Chances) -> Iterator[str]:
    """What the sums mean. `shown` is the score in users' units, `chances` are white's."""
    yield f"phase: {explanation.phase_share:.0%} middle game, {1 - explanation.phase_share:.0%} endgame"
    if explanation.scale_share < 1:
        yield f"the endgame's values count {explanation.scale_share:.0%}: the advantage is hard to turn into a win"
    yield f"score: {explanation.score:+} centipawns from white's view, shown to users as {shown / 100:+.2f}"
    yield (f"chances: white wins {chances.win / 10:.1f} %, draw {chances.draw / 10:.1f} %, "
           f"black wins {chances.loss / 10:.1f} %")


def lines(explanation: Explanation, shown: int, chances: Chances) -> Iterator[str]:
    """The table and what it means, for readers that know no more than plain text."""
    yield _aligned(HEADINGS)
    for row in rows(explanation):
        yield _aligned(row.cells)
    yield from summary(explanation, shown, chances)


def _aligned(cells: tuple[str, ...]) -> str:
    first, *others = (f"{cell:<{width}}" if place == 0 else f"{cell:>{width}}"
                      for place, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True)))
    return (first + "".join(others)).rstrip()
