"""Perft in parts, so that a long count can show its progress and be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.shared.interruption import check_interruption
from engine.core.game import list_moves, make_if_legal
from engine.core.movegen import MoveListRecord, empty_move_list
from engine.core.perft import BULK, perft
from engine.core.position import PositionRecord
from engine.kernel import Int

_PART_LEAVES = 20_000_000  # leaves, roughly a tenth of a second


def count_leaves(position: PositionRecord, depth: int, counted_plies: Int = BULK,
                 report: Callable[[int, float], None] = lambda leaves, share: None) -> int:
    """Positions `depth` plies below `position`; InterruptionError if the user interrupts it.

    `report` gets the number counted so far and the approximate share of the tree.
    """
    leaves, share = 0, 0.0
    for count, part in _parts(position, depth, 1.0, counted_plies, empty_move_list()):
        leaves, share = leaves + count, share + part
        report(leaves, share)
        check_interruption()
    return leaves


def _parts(position: PositionRecord, depth: int, share: float, counted_plies: Int,
            out: MoveListRecord) -> Iterator[tuple[int, float]]:
    """Yield (leaves, share of the tree) for parts that together make up the tree."""
    count, _ = list_moves(position, out)
    if count**depth <= _PART_LEAVES:
        yield int(perft(position, out, depth, counted_plies)), share
        return
    for move in out.moves[:count].tolist():
        child = position.copy()
        make_if_legal(child, move)
        yield from _parts(child, depth - 1, share / int(count), counted_plies, out)
