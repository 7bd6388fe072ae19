"""Alpha-beta and its bound: with b moves everywhere, and the best one first, it sees about 2 b^(d/2) leaves.

Chess is no such tree: b varies, and a transposition table answers for positions that a tree contains several times. So
fewer leaves are possible, and do occur.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.commands.compare.contenders import ORDERED_ALPHABETA, SearchVariant, on_the_ladder
from engine.commands.shared.bench_positions import BENCH_FENS
from engine.commands.shared.progress import map_with_progress
from engine.core.fen import parse_fen
from engine.core.movegen import empty_move_list
from engine.core.perft import BULK, perft
from engine.core.position import PositionRecord
from engine.search.types import Limits

FIRST_DEPTH, LAST_DEPTH = 4, 6  # that are compared with the bound; one more takes five times as long
ACCEPTED_RATIO = 4  # to 2 b^(d/2): the order is good
_PLIES_AVERAGED = 4


def branching(position: PositionRecord) -> float:
    """b, the number of legal moves on average: b^4 is the number of lines that are four plies long."""
    lines = perft(position.copy(), empty_move_list(), _PLIES_AVERAGED, BULK)
    return float(max(lines, 1) ** (1 / _PLIES_AVERAGED))


def minimax_leaves(b: float, depth: int) -> float:
    """How many leaves minimax visits."""
    return float(b**depth)


def least_leaves(b: float, depth: int) -> float:
    """How many of them alpha-beta visits, about, with the best move first everywhere and without a table."""
    return float(2 * b ** (depth / 2))


@dataclass(frozen=True)
class Measured:
    """The leaves of one iteration in one position."""

    fen: str
    b: float
    depth: int
    leaves: int

    @property
    def ratio(self) -> float:
        """To 2 b^(d/2); below 1 where the transposition table saved more than the move order cost."""
        return self.leaves / least_leaves(self.b, self.depth)


def measure(positions: int, depth: int, megabytes: int, give_up: float) -> list[Measured]:
    """Search the first bench positions by alpha-beta with all that orders moves and nothing that leaves any out.

    A position is searched until the depth is finished, or `give_up` seconds are over.
    """
    contender = on_the_ladder(ORDERED_ALPHABETA, AlphaBetaSearch(megabytes))

    def of_position(fen: str) -> list[Measured]:
        return _measured(contender, fen, depth, give_up)

    return [one for found in map_with_progress(BENCH_FENS[:positions], of_position, lambda fen: fen) for one in found]


def _measured(contender: SearchVariant, fen: str, depth: int, give_up: float) -> list[Measured]:
    position = parse_fen(fen)
    b, before, found = branching(position), 0, list[Measured]()
    for stage in contender.search(position, Limits(depth=depth, movetime=give_up)).stages:
        found.append(Measured(fen, b, stage.depth, stage.counts.leaf_nodes - before))
        before = stage.counts.leaf_nodes
    return [measured for measured in found if measured.depth >= FIRST_DEPTH]


def rows(found: Sequence[Measured]) -> list[tuple[str, ...]]:
    """A row a depth, under HEADINGS."""
    return [_row(depth, [measured for measured in found if measured.depth == depth])
            for depth in sorted({measured.depth for measured in found})]


def is_complete(found: Sequence[Measured]) -> bool:
    """Whether every depth was finished in the same positions: if not, the deeper ones are of the easier positions."""
    return len({sum(measured.depth == depth for measured in found) for depth in {one.depth for one in found}}) <= 1


HEADINGS = ("depth", "b", "leaves", "b^d", "2 b^(d/2)", "ratio", "of all", "worst", f"within {ACCEPTED_RATIO}")


def _row(depth: int, found: Sequence[Measured]) -> tuple[str, ...]:
    """Medians over the positions, the ratio of all leaves to the sum of the bounds, and the worst ratio."""
    ratios = [measured.ratio for measured in found]
    bounds = [least_leaves(measured.b, depth) for measured in found]
    of_all = sum(measured.leaves for measured in found) / sum(bounds)
    return (str(depth), f"{statistics.median(measured.b for measured in found):.1f}",
            f"{statistics.median(measured.leaves for measured in found):,.0f}",
            f"{statistics.median(minimax_leaves(measured.b, depth) for measured in found):.2e}",
            f"{statistics.median(bounds):,.0f}", f"{statistics.median(ratios):.2f}", f"{of_all:.2f}",
            f"{max(ratios):.2f}", f"{sum(ratio <= ACCEPTED_RATIO for ratio in ratios)} of {len(ratios)}")
