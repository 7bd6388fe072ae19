"""Perft: the number of leaf positions at a given depth. It verifies the move generator and measures its speed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.core.movegen import (
    ALL_MOVES,
    MOVE_LIST_PLIES,
    MOVE_LIST_TYPE,
    MoveListRecord,
    checkers_and_pinned,
    count_moves,
    empty_move_list,
    generate,
)
from engine.core.position import POSITION_TYPE, PositionRecord, make, unmake
from engine.kernel import Int, entry, int64, kernel

MAX_PERFT_DEPTH = MOVE_LIST_PLIES

BULK = np.int64(1)  # count the moves of the last ply without making them
NO_BULK = np.int64(0)


@kernel
def _count_leaves(pos, out, begin, depth, bulk_plies):
    """Leaves `depth` (at least 1) plies below `pos`; `bulk_plies` is BULK or NO_BULK."""
    if depth == bulk_plies:
        return count_moves(pos)
    checkers, pinned = checkers_and_pinned(pos)
    end = generate(pos, out, begin, ALL_MOVES, checkers, pinned)
    leaves = np.int64(0)
    for index in range(begin, end):
        move = np.int64(out.moves[index])
        make(pos, move)
        leaves += _count_leaves(pos, out, end, depth - 1, bulk_plies) if depth > 1 else 1
        unmake(pos, move)
    return leaves


@entry(POSITION_TYPE, MOVE_LIST_TYPE, int64, int64)
def perft(pos: PositionRecord, out: MoveListRecord, depth: int, bulk_plies: Int) -> int:
    """The number of leaves `depth` (0 to MAX_PERFT_DEPTH) plies below `pos`; `out` is scratch space."""
    return _count_leaves(pos, out, np.int64(0), depth, bulk_plies) if depth > 0 else 1


def divide(game: Game, depth: int) -> Iterator[tuple[str, int]]:
    """Yield each root move as UCI text with its share of the perft of `depth` (at least 1) plies."""
    out = empty_move_list()
    for move in game.legal_moves():
        child = game.copy()
        child.push_uci(game.uci(move))
        yield game.uci(move), perft(child.position, out, depth - 1, BULK)


class KnownPerft(NamedTuple):
    """A position with its known perft counts at depths 1, 2, ..."""

    name: str
    fen: str
    counts: tuple[int, ...]


# The six positions of the Chess Programming Wiki; the last depth of each is used to measure speed.
PERFT_POSITIONS = (
    KnownPerft("startpos", START_FEN, (20, 400, 8902, 197281, 4865609, 119060324)),
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
