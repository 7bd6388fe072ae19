"""The evaluation as a text table: one row per feature, the sums, the displayed score and the WDL; for a network, which
has no features, the worth of each piece.
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
PIECE_HEADINGS = ("piece", "network", "features")
_PIECE_WIDTHS = (20, 9, 9)
_NAMES = ("", "pawn", "knight", "bishop", "rook", "queen", "king")
_LETTERS = " PNBRQK"
_FILES = "abcdefgh"
_CELL = 8  # characters per square


class Row(NamedTuple):
    """One row of the table, in centipawns; the row of a group sums the features below it."""

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


def summary(explanation: EvalBreakdown, shown: int, wdl: Wdl) -> Iterator[str]:
    """The phase, the scale factor, the score and the WDL. `shown` is the displayed score; all are White's."""
    middle_game = 100 * explanation.phase_share
    yield f"phase: {middle_game:.0f} % middle game, {100 - middle_game:.0f} % endgame"
    if explanation.scale_share < 1:
        yield f"endgame values count only {100 * explanation.scale_share:.0f} %: the advantage is hard to convert"
    yield from _meaning(explanation.score, shown, wdl)


def _meaning(score: int, shown: int, wdl: Wdl) -> Iterator[str]:
    yield f"score: {score:+} centipawns from White's point of view, displayed as {shown / 100:+.2f}"
    yield (f"chances: White wins {wdl.win / 10:.1f} %, draw {wdl.draw / 10:.1f} %, "
           f"Black wins {wdl.loss / 10:.1f} %")


def lines(explanation: EvalBreakdown, shown: int, wdl: Wdl) -> Iterator[str]:
    """The table and its summary, as plain text."""
    yield _aligned(HEADINGS, _WIDTHS)
    for row in rows(explanation):
        yield _aligned(row.cells, _WIDTHS)
    yield from summary(explanation, shown, wdl)


def network_summary(explanation: NetworkExplanation) -> Iterator[str]:
    """The network's score, and a board with the worth of each piece."""
    yield "by the network:"
    yield from _meaning(*explanation.verdict)
    yield ""
    yield "worth of each piece in centipawns: what its side would lose without it"
    yield from _board(explanation)


def _board(explanation: NetworkExplanation) -> Iterator[str]:
    """The board with White at the bottom and Black's pieces in lower case."""
    cells = ["."] * 64
    for piece in explanation.pieces:
        letter = _LETTERS[piece.piece & 7]
        cells[piece.square] = f"{letter.lower() if piece.piece >> 3 else letter} {piece.worth}"
    for square in explanation.kings:
        cells[square] = "king"
    for rank in range(7, -1, -1):
        yield f"{rank + 1} " + "".join(cell.center(_CELL) for cell in cells[8 * rank : 8 * rank + 8]).rstrip()
    yield "  " + "".join(file.center(_CELL) for file in _FILES).rstrip()


def piece_rows(pieces: Sequence[PieceWorth]) -> list[tuple[str, ...]]:
    """The rows under PIECE_HEADINGS: most valuable piece first, with its worth by the network and by the features."""
    return [(_piece_name(piece), f"{piece.worth:+}", f"{piece.features_worth:+}")
            for piece in sorted(pieces, key=lambda piece: -piece.worth)]


def _piece_name(piece: PieceWorth) -> str:
    square = f"{_FILES[piece.square & 7]}{(piece.square >> 3) + 1}"
    return f"{'black' if piece.piece >> 3 else 'white'} {_NAMES[piece.piece & 7]} {square}"


def network_lines(explanation: NetworkExplanation) -> Iterator[str]:
    """The network's explanation as plain text."""
    yield ""
    yield from network_summary(explanation)
    yield ""
    yield _aligned(PIECE_HEADINGS, _PIECE_WIDTHS)
    for row in piece_rows(explanation.pieces):
        yield _aligned(row, _PIECE_WIDTHS)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (f"{cell:<{width}}" if index == 0 else f"{cell:>{width}}"
                      for index, (cell, width) in enumerate(zip(cells, widths, strict=True)))
    return (first + "".join(others)).rstrip()
