"""`bench DEPTH --statistics`: the shape of the tree, iteration by iteration, beside that of another engine."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.output import percent, pluralize, print_object
from engine.cli.progress import map_with_progress
from engine.cli.searches import search
from engine.cli.tables import print_table
from engine.core.fen import parse_fen
from engine.lab.arena.configs import Config
from engine.lab.bench.reference_engine import open_reference_engine
from engine.lab.bench_positions import BENCH_FENS
from engine.search.types import Bound, Limits, TreeCounts


class Iteration(NamedTuple):
    """What a search had done when it finished an iteration."""

    depth: int
    seldepth: int
    nodes: int


class DepthRow(NamedTuple):
    """All positions at one depth."""

    depth: int
    nodes: int  # to reach it, from the first iteration on
    branching: float | None  # nodes of this iteration by those of the one before
    seldepth: float  # on average


class PositionStatistics(NamedTuple):
    """The iterations of one position, and what else was counted in all of them."""

    iterations: list[Iteration]
    counts: TreeCounts


def print_statistics(depth: int, megabytes: int, config: Config, against: str | None, as_json: bool) -> int:
    """Search the bench positions, print the statistics, and return the exit status."""
    searcher = AlphaBetaSearch(megabytes, 1, config.params_record(), config.evaluator())
    with contextlib.ExitStack() as stack:
        reference = open_reference_engine(stack, against, megabytes)
        theirs: list[list[Iteration]] = []

        def measure(fen: str) -> PositionStatistics:
            if reference is not None:
                theirs.append([Iteration(*row) for row in reference.iterations(fen, depth)])
            return _search(searcher, fen, depth)

        measured = map_with_progress(BENCH_FENS, measure, lambda fen: fen)
        if measured:
            sides = [("Adversary", _rows([position.iterations for position in measured]))]
            if reference is not None:
                sides.append((reference.name, _rows(theirs[: len(measured)])))
            _print(sides, sum_counts([position.counts for position in measured]), len(measured), as_json)
    return 0


def _search(searcher: AlphaBetaSearch, fen: str, depth: int) -> PositionStatistics:
    searcher.clear()
    result = search(searcher, parse_fen(fen), Limits(depth=depth))
    reached = {info.depth: Iteration(info.depth, info.seldepth, info.nodes) for info in result.infos
               if info.bound is Bound.EXACT}
    return PositionStatistics(list(reached.values()), searcher.tree_counts)


def sum_counts(counts: Sequence[TreeCounts]) -> TreeCounts:
    """The counts of several searches together."""
    return TreeCounts(*map(sum, zip(*counts, strict=True)))


def _rows(searches: Sequence[Sequence[Iteration]]) -> list[DepthRow]:
    """A row for each depth that all searches reached."""
    by_depth = [{reached.depth: reached for reached in iterations} for iterations in searches]
    depths = sorted(set.intersection(*map(set, by_depth)))
    rows: list[DepthRow] = []
    spent = 0  # in the iteration before
    for depth in depths:
        nodes = sum(reached[depth].nodes for reached in by_depth)
        own = nodes - (rows[-1].nodes if rows else 0)
        seldepth = sum(reached[depth].seldepth for reached in by_depth) / len(by_depth)
        rows.append(DepthRow(depth, nodes, own / spent if spent else None, seldepth))
        spent = own
    return rows


def _print(sides: Sequence[tuple[str, list[DepthRow]]], counts: TreeCounts, positions: int, as_json: bool) -> None:
    rates = {"first_move_cutoff_rate": rate(counts.first_move_cutoffs, counts.beta_cutoffs),
             "re_search_rate": rate(counts.re_searches, counts.reduced_searches),
             "tt_hit_rate": rate(counts.tt_hits, counts.tt_probes)}
    if as_json:
        for name, rows in sides:
            for row in rows:
                print_object({"type": "depth", "engine": name, **row._asdict()})
        print_object({"type": "total", "positions": positions, **counts._asdict(), **rates})
        return
    for name, rows in sides:
        print_table(("depth", "nodes", "branching", "seldepth"), map(_cells, rows), title=name)
    print(f"{pluralize(positions, 'position')}: the first move causes "
          f"{percent(rates['first_move_cutoff_rate'])} of the beta cutoffs, "
          f"{percent(rates['re_search_rate'])} of the reduced searches are repeated, "
          f"{percent(rates['tt_hit_rate'])} of the TT probes hit")


def _cells(row: DepthRow) -> tuple[str, ...]:
    return (str(row.depth), str(row.nodes), "" if row.branching is None else f"{row.branching:.2f}",
            f"{row.seldepth:.1f}")


def rate(count: int, total: int) -> float:
    """The share of `count` in `total`; 0 of nothing."""
    return count / total if total else 0.0
