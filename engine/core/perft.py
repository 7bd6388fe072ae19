"""Perft: how many positions a number of plies leads to. The proof of the generator, and the measure of its speed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.core.movegen import (
    ALL_MOVES,
    MOVE_LIST_PLIES,
    MOVE_LIST_TYPE,
    MoveListRecord,
    count_moves,
    empty_move_list,
    generate,
    king_masks,
)
from engine.core.moves import NULL_MOVE
from engine.core.position import POSITION_TYPE, PositionRecord, make, unmake
from engine.kernel import Int, entry, int64, kernel

DEEPEST = MOVE_LIST_PLIES

MADE, COUNTED = np.int64(0), np.int64(1)


@kernel
def _count_leaves(pos, out, begin, depth, last_ply):
    """Leaves `depth` plies below `pos`; the moves of the last ply are MADE, or only COUNTED."""
    if depth == last_ply:
        return count_moves(pos)
    checkers, pinned = king_masks(pos)
    end = generate(pos, out, begin, ALL_MOVES, checkers, pinned)
    leaves = np.int64(0)
    for index in range(begin, end):
        move = np.int64(out.moves[index])
        make(pos, move)
        leaves += _count_leaves(pos, out, end, depth - 1, last_ply) if depth > 1 else 1
        unmake(pos, move)
    return leaves


@entry(POSITION_TYPE, MOVE_LIST_TYPE, int64, int64)
def perft(pos: PositionRecord, out: MoveListRecord, depth: int, last_ply: Int) -> int:
    """Positions `depth` (0 to DEEPEST) plies below `pos`; the last ply's moves are MADE, or only COUNTED."""
    return _count_leaves(pos, out, np.int64(0), depth, last_ply) if depth > 0 else 1


@entry(POSITION_TYPE, MOVE_LIST_TYPE, int64, int64)
def perft_below(pos: PositionRecord, out: MoveListRecord, index: int, depth: int) -> tuple[Int, Int]:
    """Legal move number `index` of `pos`, and the positions `depth` (at least 1) plies away that begin with it.

    Past the last legal move the answer is NULL_MOVE.
    """
    checkers, pinned = king_masks(pos)
    end = generate(pos, out, np.int64(0), ALL_MOVES, checkers, pinned)
    if index >= end:
        return NULL_MOVE, np.int64(0)
    move = np.int64(out.moves[index])
    make(pos, move)
    leaves = _count_leaves(pos, out, end, depth - 1, COUNTED) if depth > 1 else np.int64(1)
    unmake(pos, move)
    return move, leaves


def divide(pos: PositionRecord, depth: int) -> Iterator[tuple[int, int]]:
    """Each root move with the positions below it. Between two of them Python may be interrupted."""
    out = empty_move_list()
    for index in itertools.count() if depth > 0 else ():
        move, leaves = perft_below(pos, out, index, depth)
        if move == NULL_MOVE:
            return
        yield int(move), int(leaves)


def count_positions(pos: PositionRecord, depth: int) -> int:
    """Positions `depth` (0 to DEEPEST) plies below `pos`."""
    return sum(leaves for _, leaves in divide(pos, depth)) if depth > 0 else 1


class KnownPerft(NamedTuple):
    """A position whose perft is known, at depths 1, 2, ..."""

    name: str
    fen: str
    counts: tuple[int, ...]


# The six positions that the chess programming wiki lists; the last depth is the one to measure speed at.
KNOWN = (
    KnownPerft("startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
               (20, 400, 8902, 197281, 4865609, 119060324)),
    KnownPerft("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
               (48, 2039, 97862, 4085603, 193690690)),
    KnownPerft("position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
               (14, 191, 2812, 43238, 674624, 11030083, 178633661)),
    KnownPerft("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
               (6, 264, 9467, 422333, 15833292)),
    KnownPerft("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
               (44, 1486, 62379, 2103487, 89941194)),
    KnownPerft("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
               (46, 2079, 89890, 3894594, 164075551)),
)
