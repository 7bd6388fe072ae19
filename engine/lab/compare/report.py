"""The results of a comparison: tables for a terminal, objects for programs, and plots."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.cli.plots import Curve
from engine.cli.tables import print_table
from engine.core.game import Game
from engine.lab.compare.bound import branching, minimax_leaves, minimum_leaves
from engine.lab.compare.plots import save
from engine.lab.compare.variants import SECONDS_PER_PLY, SearchOutcome
from engine.lab.suites.problems import Problem
from engine.search.scores import mate_distance
from engine.search.types import Limits
from engine.text.notation import san

_BOUNDS = ("b^d", "2 b^(d/2)")
_MOST_MOVES = 8  # whose visits are drawn
_DEEPEST_COLUMN = 8  # of a table
_DEEPEST_DRAWN = 20  # where a mate was found the rest is soon searched, and says nothing
_HALVINGS = 60  # of an interval, until it is narrower than any figure shown


@dataclass(frozen=True)
class PositionResult:
    """The outcome of a search variant in one position, and the problem that it should solve, if there is one."""

    game: Game
    outcome: SearchOutcome
    problem: Problem | None = None

    @property
    def move(self) -> str:
        """The move, as UCI text."""
        return self.game.uci(self.outcome.move)

    @property
    def is_solved(self) -> bool:
        """Whether the problem is solved; False without a problem."""
        return self.problem is not None and self.problem.is_solved(self.move, self.outcome.score)

    @property
    def solved_after(self) -> float | None:
        """The seconds after which the solution was found and kept; None if it was not."""
        if self.problem is None or not self.is_solved:
            return None
        seconds = self.outcome.seconds
        for stage in reversed(self.outcome.stages):
            if not self.problem.is_solved(self.game.uci(stage.move), stage.score):
                break
            seconds = stage.seconds
        return seconds


@dataclass(frozen=True)
class VariantResults:
    """The results of a search variant in all positions."""

    name: str
    trials: tuple[PositionResult, ...]

    def total(self, figure: str) -> int:
        """The sum of one of the counts of its outcomes."""
        return sum(getattr(trial.outcome.counts, figure) for trial in self.trials)


def effective_branching(nodes: int, depth: int) -> float | None:
    """The branching factor b of a uniform tree of this depth and size: nodes = b + b^2 + ... + b^depth."""
    if depth < 1 or nodes < depth:
        return None
    low, high = 1.0, float(nodes ** (1 / depth))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(middle**ply for ply in range(1, depth + 1)) < nodes else (low, middle)
    return high


def pawns_text(score: int) -> str:
    """A score in pawns, or in moves to mate."""
    distance = mate_distance(score)
    return f"{score / 100:+.2f}" if distance is None else f"#{distance}"


def print_rows(rows: Sequence[VariantResults], limits: Limits) -> None:
    """Print a table with a row for every search variant."""
    is_suite = rows[0].trials[0].problem is not None
    last = ("solved",) if is_suite else ("value", "move")
    headings = ("technique", "nodes", "leaves", "CPU s", "b*", "first %", "depth", *last)
    print_table(headings, [(*_figures(row, limits), *(_solutions(row) if is_suite else _answer(row))) for row in rows],
                left=("move",))
    print("b*: effective branching factor; first %: beta cutoffs by the first move, of all beta cutoffs"
          + ("" if is_suite else "; value in pawns, for the side to move"))
    if any(is_cut_short(trial.outcome, limits) for row in rows for trial in row.trials):
        print("(in brackets): stopped early, so this is the cost of the depth that was reached, not of the requested "
              "one; compare b*, or the nodes by depth")
    print(_budget_text(limits))
    print("trees: leaves are iterations; nodes, of which a budget may be, are all positions, in playouts and in "
          "searches of leaves too")


def _budget_text(limits: Limits) -> str:
    """What each row may spend."""
    if limits.nodes is not None:
        return f"equal budgets: {limits.nodes:,} nodes for every row"
    if limits.depth is None:
        return f"equal budgets: {limits.movetime or 0:g} s of CPU time for every row"
    return (f"budgets are not equal: alpha-beta rows search {limits.depth} plies, however long that takes; trees have "
            f"{SECONDS_PER_PLY * limits.depth:.2f} s of CPU time. --nodes and --time give all rows the same")


def is_cut_short(outcome: SearchOutcome, limits: Limits) -> bool:
    """Whether the search did not finish the requested depth, so that its cost is that of an easier task."""
    return limits.depth is not None and bool(outcome.stages) and outcome.depth < limits.depth


def _figures(row: VariantResults, limits: Limits) -> tuple[str, ...]:
    """The cost of a variant's searches; figures of searches that stopped early are in brackets."""
    name, *costs, factor, first_cuts, depth = _plain_figures(row, limits)
    if any(is_cut_short(trial.outcome, limits) for trial in row.trials):
        costs = [f"({cost})" for cost in costs]
    return (name, *costs, factor, first_cuts, depth)


def _plain_figures(row: VariantResults, limits: Limits) -> tuple[str, ...]:
    outcomes = [trial.outcome for trial in row.trials]
    factors = [factor for outcome in outcomes if (factor := effective_branching(outcome.nodes, outcome.depth))]
    cutoffs = row.total("beta_cutoffs")
    return (row.name, f"{sum(outcome.nodes for outcome in outcomes):,}", f"{row.total('leaf_nodes'):,}",
            f"{math.fsum(outcome.seconds for outcome in outcomes):.2f}",
            f"{statistics.geometric_mean(factors):.2f}" if factors else "-",
            f"{100 * row.total('first_move_cutoffs') / cutoffs:.1f}" if cutoffs else "-",
            _depth_text(outcomes, limits.depth))


def _depth_text(outcomes: Sequence[SearchOutcome], requested: int | None) -> str:
    """The median of the depths reached, with the requested depth if that is larger."""
    depth = statistics.median(outcome.depth for outcome in outcomes)
    if depth == 0:
        return "-"
    return f"{depth:g}" if requested is None or depth == requested else f"{depth:g} of {requested}"


def _answer(row: VariantResults) -> tuple[str, str]:
    trial = row.trials[0]
    return pawns_text(trial.outcome.score), san(trial.game, trial.outcome.move)


def _solutions(row: VariantResults) -> tuple[str]:
    return (f"{sum(trial.is_solved for trial in row.trials)} of {len(row.trials)}",)


def print_nodes_by_depth(rows: Sequence[VariantResults]) -> None:
    """Print the nodes of each variant at each depth in the first position, compared with the theory."""
    deepest = max((outcome.depth for outcome in map(_first_outcome, rows)), default=0)
    depths = range(1, min(deepest, _DEEPEST_COLUMN) + 1)
    b = branching(rows[0].trials[0].game.position)
    lines = [(row.name, *_by_depth(row, depths)) for row in rows if _first_outcome(row).stages]
    lines += [(name, *(f"{bound:,.0f}" for bound in bounds)) for name, bounds in _bounds(b, depths).items()]
    print_table(("nodes by depth", *map(str, depths)), lines)
    print(f"b = {b:.1f} legal moves on average")


def _first_outcome(row: VariantResults) -> SearchOutcome:
    return row.trials[0].outcome


def _by_depth(row: VariantResults, depths: Iterable[int]) -> list[str]:
    nodes = {stage.depth: f"{stage.nodes:,}" for stage in _first_outcome(row).stages}
    return [nodes.get(depth, "-") for depth in depths]


def _bounds(b: float, depths: Iterable[int]) -> dict[str, list[float]]:
    depths = list(depths)
    return dict(zip(_BOUNDS, ([function(b, depth) for depth in depths] for function in (minimax_leaves,
                                                                                        minimum_leaves)),
                    strict=True))


def objects_of(rows: Sequence[VariantResults], limits: Limits) -> Iterator[dict[str, Any]]:
    """All measurements, one object for each variant and position."""
    for row in rows:
        for trial in row.trials:
            yield {"variant": row.name, "fen": trial.game.fen(), **_fields_of_trial(trial, limits)}


def _fields_of_trial(trial: PositionResult, limits: Limits) -> dict[str, Any]:
    game, outcome, is_problem = trial.game, trial.outcome, trial.problem is not None
    return {**_fields_of_stage(game, outcome),
            "effective_branching": effective_branching(outcome.nodes, outcome.depth),
            "stopped_early": is_cut_short(outcome, limits),
            "solved": trial.is_solved if is_problem else None, "solved_after": trial.solved_after,
            "stages": [_fields_of_stage(game, stage) for stage in outcome.stages],
            "growth": [{"visits": visits, "moves": {game.uci(move): moves[move] for move in moves}}
                       for visits, moves in outcome.growth]}


def _fields_of_stage(game: Game, reached: Any) -> dict[str, Any]:
    """The common fields of an outcome and of one depth of it."""
    return {"depth": reached.depth, "nodes": reached.nodes, **reached.counts._asdict(), "seconds": reached.seconds,
            "score": reached.score, "move": san(game, reached.move), "uci": game.uci(reached.move)}


def save_plots(rows: Sequence[VariantResults], folder: Path) -> list[Path]:
    """Draw all plots, each in every file format; returns the files."""
    files = save(folder / "nodes", ("depth in plies", "nodes"), _node_curves(rows), dashed=_BOUNDS, y_scale="log",
                 title="Nodes by depth")
    if rows[0].trials[0].problem is not None:
        files += save(folder / "solved", ("milliseconds of CPU time", "positions solved"), _solved_curves(rows),
                      x_scale="log", title="Positions solved by time")
    for row in rows:
        if _first_outcome(row).growth:
            stem = folder / f"visits-{_as_file_name(row.name)}"
            files += save(stem, ("visits of the tree", "visits of a move"), _visit_curves(row),
                          title=f"Where the visits go: {row.name}")
    return files


def _as_file_name(name: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())


def _node_curves(rows: Sequence[VariantResults]) -> dict[str, Curve]:
    """Nodes by depth in the first position."""
    curves: dict[str, Curve] = {}
    for row in rows:
        stages = _first_outcome(row).stages[:_DEEPEST_DRAWN]
        if stages:
            curves[row.name] = [stage.depth for stage in stages], [stage.nodes for stage in stages]
    depths = range(1, max((int(max(curve_depths)) for curve_depths, _ in curves.values()), default=1) + 1)
    b = branching(rows[0].trials[0].game.position)
    return curves | {name: (list(depths), heights) for name, heights in _bounds(b, depths).items()}


def _solved_curves(rows: Sequence[VariantResults]) -> dict[str, Curve]:
    """The number of solved problems by milliseconds."""
    curves: dict[str, Curve] = {}
    for row in rows:
        times = sorted(1000 * seconds for trial in row.trials if (seconds := trial.solved_after) is not None)
        curves[row.name] = times, list(range(1, len(times) + 1))
    return curves


def _visit_curves(row: VariantResults) -> dict[str, Curve]:
    """The visits of the most visited root moves, as the tree of the first position grows."""
    trial = row.trials[0]
    growth = trial.outcome.growth
    final = growth[-1][1]
    moves = sorted(final, key=lambda move: -final[move])[:_MOST_MOVES]
    totals = [visits for visits, _ in growth]
    return {san(trial.game, move): (totals, [counts.get(move, 0) for _, counts in growth]) for move in moves}
