"""What a comparison found: tables for a terminal, objects for programs, and plots."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.commands.compare.bound import branching, least_leaves, minimax_leaves
from engine.commands.compare.contenders import SearchOutcome
from engine.commands.shared.plots import Curve, save_plot
from engine.commands.shared.suites import Problem
from engine.commands.shared.tables import print_table
from engine.core.game import Game
from engine.search.scores import mate_distance
from engine.search.types import Limits
from engine.text.notation import san

PLOT_KINDS = ("png", "svg")
_BOUNDS = ("b^d", "2 b^(d/2)")
_MOST_MOVES = 8  # whose visits are drawn
_DEEPEST_COLUMN = 8  # of a table
_DEEPEST_DRAWN = 20  # where a mate was found the rest is soon searched, and says nothing
_HALVINGS = 60  # of an interval, until it is narrower than any figure shown


@dataclass(frozen=True)
class PositionResult:
    """A contender's outcome in one position, and whether it was what the problem asks for, if it is one."""

    game: Game
    outcome: SearchOutcome
    problem: Problem | None = None

    @property
    def move(self) -> str:
        """The move, as UCI text."""
        return self.game.uci(self.outcome.move)

    @property
    def is_solved(self) -> bool:
        """Whether the answer is one; False where nothing was asked."""
        return self.problem is not None and self.problem.is_solved(self.move, self.outcome.score)

    @property
    def solved_after(self) -> float | None:
        """The seconds after which the right answer was found and not given up again; None if it was not."""
        if self.problem is None or not self.is_solved:
            return None
        found = self.outcome.seconds
        for stage in reversed(self.outcome.stages):
            if not self.problem.is_solved(self.game.uci(stage.move), stage.score):
                break
            found = stage.seconds
        return found


@dataclass(frozen=True)
class VariantResults:
    """A contender, and what it made of every position."""

    name: str
    trials: tuple[PositionResult, ...]

    def total(self, figure: str) -> int:
        """The sum of one of the counts of its outcomes."""
        return sum(getattr(trial.outcome.counts, figure) for trial in self.trials)


def effective_branching(nodes: int, depth: int) -> float | None:
    """The b of a tree of that depth, alike everywhere, with so many nodes: nodes = b + b^2 + ... + b^depth."""
    if depth < 1 or nodes < depth:
        return None
    low, high = 1.0, float(nodes ** (1 / depth))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(middle**ply for ply in range(1, depth + 1)) < nodes else (low, middle)
    return high


def pawns_text(score: int) -> str:
    """Pawns, or the moves to a mate."""
    distance = mate_distance(score)
    return f"{score / 100:+.2f}" if distance is None else f"#{distance}"


def print_rows(rows: Sequence[VariantResults], limits: Limits) -> None:
    """A line for every contender."""
    is_suite = rows[0].trials[0].problem is not None
    last = ("solved",) if is_suite else ("value", "move")
    headings = ("technique", "nodes", "leaves", "CPU s", "b*", "first %", "depth", *last)
    print_table(headings, [(*_figures(row, limits), *(_solved(row) if is_suite else _answer(row))) for row in rows],
                left=("move",))
    print("b*: effective branching factor; first %: cut-offs by the first move, of all cut-offs"
          + ("" if is_suite else "; value in pawns, for the side to move"))
    if any(is_cut_short(trial.outcome, limits) for row in rows for trial in row.trials):
        print("(in brackets): stopped early, so this is what the depth that was reached cost, not the one that was "
              "asked for; compare b*, or the nodes by depth")
    print("trees: leaves are iterations, which a budget of nodes counts; nodes are all positions, in playouts and in "
          "searches of leaves too")


def is_cut_short(outcome: SearchOutcome, limits: Limits) -> bool:
    """Whether less than the depth that was asked for was finished: then its cost is that of an easier task."""
    return limits.depth is not None and bool(outcome.stages) and outcome.depth < limits.depth


def _figures(row: VariantResults, limits: Limits) -> tuple[str, ...]:
    """What a row's searches cost. Figures of searches that stopped early stand in brackets."""
    name, *costs, factor, first_cuts, depth = _plain_figures(row, limits)
    if any(is_cut_short(trial.outcome, limits) for trial in row.trials):
        costs = [f"({cost})" for cost in costs]
    return (name, *costs, factor, first_cuts, depth)


def _plain_figures(row: VariantResults, limits: Limits) -> tuple[str, ...]:
    outcomes = [trial.outcome for trial in row.trials]
    factors = [factor for outcome in outcomes if (factor := effective_branching(outcome.nodes, outcome.depth))]
    cuts = row.total("cuts")
    return (row.name, f"{sum(outcome.nodes for outcome in outcomes):,}", f"{row.total('leaves'):,}",
            f"{math.fsum(outcome.seconds for outcome in outcomes):.2f}",
            f"{statistics.geometric_mean(factors):.2f}" if factors else "-",
            f"{100 * row.total('first_cuts') / cuts:.1f}" if cuts else "-", _depth_text(outcomes, limits.depth))


def _depth_text(outcomes: Sequence[SearchOutcome], wanted: int | None) -> str:
    """The depth reached, the median of several positions; with what was wanted if that was more."""
    depth = statistics.median(outcome.depth for outcome in outcomes)
    if depth == 0:
        return "-"
    return f"{depth:g}" if wanted is None or depth == wanted else f"{depth:g} of {wanted}"


def _answer(row: VariantResults) -> tuple[str, str]:
    trial = row.trials[0]
    return pawns_text(trial.outcome.score), san(trial.game, trial.outcome.move)


def _solved(row: VariantResults) -> tuple[str]:
    return (f"{sum(trial.is_solved for trial in row.trials)} of {len(row.trials)}",)


def print_nodes_by_depth(rows: Sequence[VariantResults]) -> None:
    """What each depth cost each contender in the first position, beside the theory."""
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
    return dict(zip(_BOUNDS, ([function(b, depth) for depth in depths] for function in (minimax_leaves, least_leaves)),
                    strict=True))


def objects_of(rows: Sequence[VariantResults], limits: Limits) -> Iterator[dict[str, Any]]:
    """Everything that was measured, one object for each contender and position."""
    for row in rows:
        for trial in row.trials:
            yield {"contender": row.name, "fen": trial.game.fen(), **_fields_of_trial(trial, limits)}


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
    """What an outcome and a stage have in common."""
    return {"depth": reached.depth, "nodes": reached.nodes, **reached.counts._asdict(), "seconds": reached.seconds,
            "score": reached.score, "move": san(game, reached.move), "uci": game.uci(reached.move)}


def save_plots(rows: Sequence[VariantResults], folder: Path) -> list[Path]:
    """Draw what there is to draw, each plot in every kind; returns the files."""
    files = save(folder / "nodes", ("depth in plies", "nodes"), _node_curves(rows), dashed=_BOUNDS, y_scale="log",
                 title="What each depth costs")
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


def save(stem: Path, labels: tuple[str, str], curves: Mapping[str, Curve], **style: Any) -> list[Path]:
    """Draw curves as a file of every kind; returns the files, none if there is nothing to draw."""
    files = [stem.with_name(f"{stem.name}.{kind}") for kind in PLOT_KINDS]
    return [file for file in files if save_plot(file, labels, curves, **style)]


def _node_curves(rows: Sequence[VariantResults]) -> dict[str, Curve]:
    """Nodes by depth in the first position."""
    curves: dict[str, Curve] = {}
    for row in rows:
        stages = _first_outcome(row).stages[:_DEEPEST_DRAWN]
        if stages:
            curves[row.name] = [stage.depth for stage in stages], [stage.nodes for stage in stages]
    depths = range(1, max((int(max(places)) for places, _ in curves.values()), default=1) + 1)
    b = branching(rows[0].trials[0].game.position)
    return curves | {name: (list(depths), heights) for name, heights in _bounds(b, depths).items()}


def _solved_curves(rows: Sequence[VariantResults]) -> dict[str, Curve]:
    """How many problems were solved after how many milliseconds."""
    curves: dict[str, Curve] = {}
    for row in rows:
        times = sorted(1000 * seconds for trial in row.trials if (seconds := trial.solved_after) is not None)
        curves[row.name] = times, list(range(1, len(times) + 1))
    return curves


def _visit_curves(row: VariantResults) -> dict[str, Curve]:
    """How often the most visited root moves had been visited, as the tree of the first position grew."""
    trial = row.trials[0]
    growth = trial.outcome.growth
    final = growth[-1][1]
    moves = sorted(final, key=lambda move: -final[move])[:_MOST_MOVES]
    places = [visits for visits, _ in growth]
    return {san(trial.game, move): (places, [counts.get(move, 0) for _, counts in growth]) for move in moves}
