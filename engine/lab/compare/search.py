"""`compare search`: what the tree of alpha-beta is made of at equal nodes, beside what UCI tells of another engine.

Where most nodes are spent, most can be saved: so this comes before a new technique or a screen of numbers.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Sequence
from itertools import zip_longest
from statistics import fmean
from typing import NamedTuple

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.arguments import IntList, add_hash, add_seed, in_file, positive, text
from engine.cli.interruption import is_interrupted
from engine.cli.output import add_json, percent, pluralize, print_object, print_warning
from engine.cli.plots import Curve
from engine.cli.progress import map_with_progress
from engine.cli.searches import search
from engine.cli.tables import print_table
from engine.core.game import Game
from engine.lab.arena.configs import DEFAULT, parse_alphabeta_config
from engine.lab.arena.openings import Openings
from engine.lab.bench.reference_engine import ReferenceEngine, ReferenceSearch, open_reference_engine
from engine.lab.bench.statistics import rate, sum_counts
from engine.lab.bench_positions import BENCH_FENS
from engine.lab.compare.plots import add_plots, save_and_print
from engine.search.types import Bound, Limits, TreeCounts

_BUDGETS = (20_000, 200_000)
_POSITIONS = 200
_LEAST_SHARE = 0.0005  # of the nodes, below which no deeper row is shown
_OWN_NAME = "Adversary"
_HEADINGS = ("nodes", "engine", "depth", "seldepth", "CPU s", "quiescence", "first move", "repeated", "TT hits",
             "same move")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--nodes", type=IntList(positive), default=_BUDGETS, metavar="N[,N...]",
                        help="nodes for each position (default: 20000 and 200000)")
    parser.add_argument("--openings", type=in_file, metavar="FILE",
                        help="EPD or PGN, also compressed, from which positions are drawn (default: the bench's)")
    parser.add_argument("--positions", type=positive, default=_POSITIONS, metavar="N",
                        help=f"how many of them at most (default {_POSITIONS})")
    add_seed(parser, "the positions that are drawn")
    parser.add_argument("--against", type=text, metavar="ENGINE", help="a UCI engine to search the same positions")
    parser.add_argument("--config", type=text, default=DEFAULT, metavar="CONFIG",
                        help=f"the config to search with, as in `match` (default {DEFAULT})")
    add_hash(parser)
    add_plots(parser, "the nodes by remaining depth")
    add_json(parser, "one object for each number of nodes and engine")


class SearchShape(NamedTuple):
    """A search of one position by this engine."""

    depth: int
    seldepth: int
    seconds: float  # of CPU time
    move: str
    counts: TreeCounts
    nodes_by_depth: list[int]


class TreeShape(NamedTuple):
    """All positions at one number of nodes: averages, and shares of what was counted in all of them."""

    nodes: int
    engine: str
    positions: int
    depth: float
    seldepth: float
    cpu_seconds: float
    same_move: float | None = None  # the share of the positions in which both engines choose the same
    quiescence: float | None = None  # the share of the nodes, as all that only this engine tells
    first_move_cutoff_rate: float | None = None
    re_search_rate: float | None = None
    tt_hit_rate: float | None = None
    by_depth: tuple[float, ...] = ()  # [remaining depth]: the share of the nodes; [0] in quiescence


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit status."""
    fens, config = _fens(arguments), parse_alphabeta_config(arguments.config)
    searcher = AlphaBetaSearch(arguments.hash, 1, config.params_record(), config.evaluator())
    searcher.load()  # or the first position would be charged with it
    shapes = list[TreeShape]()
    with contextlib.ExitStack() as stack:
        reference = open_reference_engine(stack, arguments.against, arguments.hash)
        for nodes in arguments.nodes:
            shapes += _measure(fens, nodes, searcher, reference)
            if is_interrupted():
                break
    _print(shapes, arguments)
    own = [shape for shape in shapes if shape.by_depth]
    curves: dict[str, Curve] = {f"{shape.nodes:,} nodes": (list(range(len(shape.by_depth))), shape.by_depth)
                                for shape in own}
    save_and_print(arguments, "nodes-by-depth", ("remaining depth, 0 in quiescence", "share of the nodes"), curves,
                   title="Where the nodes are spent")
    return 0


def _fens(arguments: argparse.Namespace) -> list[str]:
    if arguments.openings is None:
        return list(BENCH_FENS[: arguments.positions])
    drawn = Openings(arguments.openings).draw(arguments.positions, arguments.seed, print_warning)
    return list(dict.fromkeys(opening.board().fen() for opening in drawn))


def _measure(fens: Sequence[str], nodes: int, searcher: AlphaBetaSearch, reference: ReferenceEngine | None
             ) -> list[TreeShape]:
    """The shapes of both engines' searches, or of this one's alone; none if no position was searched."""

    def of_position(fen: str) -> tuple[SearchShape, ReferenceSearch | None]:
        return _search(searcher, fen, nodes), None if reference is None else reference.search(fen, nodes)

    measured = map_with_progress(fens, of_position, lambda fen: fen)
    if not measured:
        return []
    own, theirs = [one for one, _ in measured], [other for _, other in measured if other is not None]
    if reference is None:
        return [_own_shape(nodes, own, None)]
    same = fmean(one.move == other.move for one, other in zip(own, theirs, strict=True))
    return [_own_shape(nodes, own, same), TreeShape(nodes, reference.name, len(theirs), *_averages(theirs), same)]


def _search(searcher: AlphaBetaSearch, fen: str, nodes: int) -> SearchShape:
    searcher.clear()
    game, started = Game(fen), time.process_time()
    result = search(searcher, game.position, Limits(nodes=nodes))
    seconds = time.process_time() - started
    whole = [info for info in result.infos if info.bound is Bound.EXACT and info.nodes < nodes]
    depth, seldepth = (whole[-1].depth, whole[-1].seldepth) if whole else (0, 0)
    return SearchShape(depth, seldepth, seconds, game.uci(result.move), searcher.tree_counts, searcher.nodes_by_depth)


def _averages(searches: Sequence[SearchShape] | Sequence[ReferenceSearch]) -> tuple[float, float, float]:
    """Depth, selective depth and CPU seconds."""
    return (fmean(one.depth for one in searches), fmean(one.seldepth for one in searches),
            round(fmean(one.seconds for one in searches), 4))


def _own_shape(nodes: int, searches: Sequence[SearchShape], same: float | None) -> TreeShape:
    counts = sum_counts([one.counts for one in searches])
    by_depth = list(map(sum, zip(*(one.nodes_by_depth for one in searches), strict=True)))
    shares = [rate(count, sum(by_depth)) for count in by_depth]
    deepest = max(depth for depth, share in enumerate(shares) if share >= _LEAST_SHARE)
    return TreeShape(nodes, _OWN_NAME, len(searches), *_averages(searches), same, shares[0],
                     rate(counts.first_move_cutoffs, counts.beta_cutoffs),
                     rate(counts.re_searches, counts.reduced_searches), rate(counts.tt_hits, counts.tt_probes),
                     tuple(shares[: deepest + 1]))


def _print(shapes: Sequence[TreeShape], arguments: argparse.Namespace) -> None:
    if arguments.json:
        for shape in shapes:
            print_object(shape._asdict())
        return
    if not shapes:
        return
    print_table(_HEADINGS, map(_cells, shapes), left=("engine",), title=pluralize(shapes[0].positions, "position"))
    own = [shape for shape in shapes if shape.by_depth]
    shares = zip_longest(*(shape.by_depth for shape in own), fillvalue=0.0)
    print_table(("remaining depth", *(f"{shape.nodes} nodes" for shape in own)),
                [("quiescence" if depth == 0 else str(depth), *map(percent, row)) for depth, row in enumerate(shares)],
                title="Where the nodes are spent")
    print("first move: beta cutoffs that the first move causes; repeated: reduced searches that are repeated; a node "
          "that is searched again counts again")


def _cells(shape: TreeShape) -> tuple[str, ...]:
    rates = (shape.quiescence, shape.first_move_cutoff_rate, shape.re_search_rate, shape.tt_hit_rate, shape.same_move)
    return (str(shape.nodes), shape.engine, f"{shape.depth:.1f}", f"{shape.seldepth:.1f}", f"{shape.cpu_seconds:.3f}",
            *("" if rate is None else percent(rate) for rate in rates))
