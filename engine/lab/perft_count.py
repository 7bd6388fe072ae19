"""Perft in parts, so that a long count can show its progress and be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.cli.interruption import check_interruption
from engine.core.game import list_moves, make_if_legal
from engine.core.movegen import MoveListRecord, empty_move_list
from engine.core.perft import BULK, perft
from engine.core.position import PositionRecord
from engine.kernel import Int

_PART_LEAVES = 20_000_000  # leaves, roughly a tenth of a second


def count_leaves(position: PositionRecord, depth: int, bulk_plies: Int = BULK,
                 report: Callable[[int, float], None] = lambda leaves, fraction: None) -> int:
    """The number of leaves `depth` plies below `position`; InterruptionError if the user interrupts.

    `report` gets the number counted so far and the approximate fraction of the tree.
    """
    leaves, fraction = 0, 0.0
    for count, part in _parts(position, depth, 1.0, bulk_plies, empty_move_list()):
        leaves, fraction = leaves + count, fraction + part
        report(leaves, fraction)
        check_interruption()
    return leaves


def _parts(position: PositionRecord, depth: int, fraction: float, bulk_plies: Int,
            out: MoveListRecord) -> Iterator[tuple[int, float]]:
    """Yield (leaves, fraction of the tree) for parts that together make up the tree."""
    count, _ = list_moves(position, out)
    if count**depth <= _PART_LEAVES:
        yield int(perft(position, out, depth, bulk_plies)), fraction
        return
    for move in out.moves[:count].tolist():
        child = position.copy()
        make_if_legal(child, move)
        yield from _parts(child, depth - 1, fraction / int(count), bulk_plies, out)
