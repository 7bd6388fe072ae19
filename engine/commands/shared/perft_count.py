"""Perft in pieces, so that a long count shows how far it has come, and ends when the user wants it to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.shared.interruption import check_interruption
from engine.core.game import list_moves, make_if_legal
from engine.core.movegen import MoveListRecord, empty_move_list
from engine.core.perft import BULK, perft
from engine.core.position import PositionRecord
from engine.kernel import Int

_PIECE = 20_000_000  # leaves, about: a tenth of a second


def count_leaves(position: PositionRecord, depth: int, counted_plies: Int = BULK,
                 tell: Callable[[int, float], None] = lambda leaves, share: None) -> int:
    """Positions `depth` plies below `position`; InterruptionError if the user ends it.

    `tell` hears how many were counted so far, and which share of the tree that is, about.
    """
    leaves, share = 0, 0.0
    for found, part in _pieces(position, depth, 1.0, counted_plies, empty_move_list()):
        leaves, share = leaves + found, share + part
        tell(leaves, share)
        check_interruption()
    return leaves


def _pieces(position: PositionRecord, depth: int, share: float, counted_plies: Int,
            out: MoveListRecord) -> Iterator[tuple[int, float]]:
    """(leaves, share of the tree) of parts that are small enough, together the whole tree."""
    count, _ = list_moves(position, out)
    if count**depth <= _PIECE:
        yield int(perft(position, out, depth, counted_plies)), share
        return
    for move in out.moves[:count].tolist():
        child = position.copy()
        make_if_legal(child, move)
        yield from _pieces(child, depth - 1, share / int(count), counted_plies, out)
