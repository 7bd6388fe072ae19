"""`compare bound`: with the best move ordering, alpha-beta visits about 2 b^(d/2) of the b^d leaves of minimax.

That is so with b moves everywhere. In chess b varies, and a transposition table answers for positions that a tree
contains several times; so fewer leaves are possible, and do occur.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.arguments import DEEPEST_SEARCH, IntRange, add_hash, milliseconds, positive
from engine.cli.output import add_json, print_object
from engine.cli.progress import map_with_progress
from engine.cli.tables import print_table
from engine.core.fen import parse_fen
from engine.core.movegen import empty_move_list
from engine.core.perft import BULK, perft
from engine.core.position import PositionRecord
from engine.lab.bench_positions import BENCH_FENS
from engine.lab.compare.variants import ORDERED_ALPHABETA, SearchVariant, variant_at
from engine.search.types import Limits

_FIRST_DEPTH, _LAST_DEPTH = 4, 6  # of the comparison; one more ply takes five times as long
_GIVE_UP = 20_000  # milliseconds
ACCEPTED_RATIO = 4  # of the leaves to the bound, with good move ordering
_PLIES_AVERAGED = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--depth", type=IntRange(_FIRST_DEPTH, DEEPEST_SEARCH), default=_LAST_DEPTH, metavar="D",
                        help=f"the last depth (default {_LAST_DEPTH})")
    parser.add_argument("--positions", type=positive, default=len(BENCH_FENS), metavar="N",
                        help=f"only the first N of the bench positions (default {len(BENCH_FENS)})")
    parser.add_argument("--give-up", type=milliseconds, default=_GIVE_UP, metavar="MS",
                        help=f"stop after MS milliseconds per position (default {_GIVE_UP})")
    add_hash(parser)
    add_json(parser, "one object for each position and depth")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit status."""
    counts = measure(arguments.positions, arguments.depth, arguments.hash, arguments.give_up / 1000)
    if arguments.json:
        for count in counts:
            print_object({**asdict(count), "ratio": count.ratio})
    elif counts:
        print_table(HEADINGS, rows(counts))
        print("medians over the positions; ratio: leaves of the iteration to 2 b^(d/2), the median, over all positions "
              "together, and the worst")
        if any(count.ratio < 1 for count in counts):
            print("a ratio below 1 is no error: 2 b^(d/2) is for a tree with the same number of moves everywhere, and "
                  "the transposition table visits a position once that a tree contains several times")
        if not is_complete(counts):
            print("not all positions reached the last depth in time; rows with fewer positions have the easier ones")
    return 0


def branching(position: PositionRecord) -> float:
    """b, the average number of legal moves: b^4 is the number of lines of four plies."""
    lines = perft(position.copy(), empty_move_list(), _PLIES_AVERAGED, BULK)
    return float(max(lines, 1) ** (1 / _PLIES_AVERAGED))


def minimax_leaves(b: float, depth: int) -> float:
    """The number of leaves that minimax visits."""
    return float(b**depth)


def minimum_leaves(b: float, depth: int) -> float:
    """The approximate number of leaves that alpha-beta must visit, with the best move first at every node, and without
    a transposition table.
    """
    return float(2 * b ** (depth / 2))


@dataclass(frozen=True)
class LeafCount:
    """The leaves of one iteration in one position."""

    fen: str
    b: float
    depth: int
    leaves: int

    @property
    def ratio(self) -> float:
        """The leaves divided by the bound; below 1 where the transposition table saved more than the order cost."""
        return self.leaves / minimum_leaves(self.b, self.depth)


def measure(positions: int, depth: int, megabytes: int, give_up: float) -> list[LeafCount]:
    """Search the first bench positions by alpha-beta with all move ordering and no pruning.

    A position is searched to `depth`, for at most `give_up` seconds.
    """
    variant = variant_at(ORDERED_ALPHABETA, AlphaBetaSearch(megabytes))

    def of_position(fen: str) -> list[LeafCount]:
        return _leaf_counts(variant, fen, depth, give_up)

    counts = map_with_progress(BENCH_FENS[:positions], of_position, lambda fen: fen)
    return [count for of_one in counts for count in of_one]


def _leaf_counts(variant: SearchVariant, fen: str, depth: int, give_up: float) -> list[LeafCount]:
    position = parse_fen(fen)
    b, before, counts = branching(position), 0, list[LeafCount]()
    for stage in variant.search(position, Limits(depth=depth, movetime=give_up)).stages:
        counts.append(LeafCount(fen, b, stage.depth, stage.counts.leaf_nodes - before))
        before = stage.counts.leaf_nodes
    return [count for count in counts if count.depth >= _FIRST_DEPTH]


def rows(counts: Sequence[LeafCount]) -> list[tuple[str, ...]]:
    """One row per depth, under HEADINGS."""
    return [_row(depth, [count for count in counts if count.depth == depth])
            for depth in sorted({count.depth for count in counts})]


def is_complete(counts: Sequence[LeafCount]) -> bool:
    """Whether all positions reached the same depth; otherwise the deeper rows contain only the easier positions."""
    return len({sum(count.depth == depth for count in counts) for depth in {one.depth for one in counts}}) <= 1


HEADINGS = ("depth", "b", "leaves", "b^d", "2 b^(d/2)", "ratio", "of all", "worst", f"within {ACCEPTED_RATIO}")


def _row(depth: int, counts: Sequence[LeafCount]) -> tuple[str, ...]:
    """Medians over the positions, the ratio of all leaves to the sum of the bounds, and the worst ratio."""
    ratios = [count.ratio for count in counts]
    bounds = [minimum_leaves(count.b, depth) for count in counts]
    of_all = sum(count.leaves for count in counts) / sum(bounds)
    return (str(depth), f"{statistics.median(count.b for count in counts):.1f}",
            f"{statistics.median(count.leaves for count in counts):,.0f}",
            f"{statistics.median(minimax_leaves(count.b, depth) for count in counts):.2e}",
            f"{statistics.median(bounds):,.0f}", f"{statistics.median(ratios):.2f}", f"{of_all:.2f}",
            f"{max(ratios):.2f}", f"{sum(ratio <= ACCEPTED_RATIO for ratio in ratios)} of {len(ratios)}")
