"""The signature of the search, and `bench speed`, `bench threads` and `bench trees`: nodes per second."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.interruption import InterruptionError
from engine.cli.output import pluralize, print_object
from engine.cli.progress import map_with_progress
from engine.cli.searches import search
from engine.cli.tables import GrowingTable, print_table
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.lab.arena.configs import Config
from engine.lab.bench.reference_engine import ReferenceEngine, open_reference_engine
from engine.lab.bench_positions import BENCH_FENS
from engine.lab.tree_searches import TREES
from engine.mcts.params import TreeParamsRecord
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits, Result
from engine.system.errors import InputError
from engine.text.notation import san

_THREAD_POSITIONS = 20
_SHORTEST_TIME = 1e-3  # seconds: the resolution of the measurement


def print_speed(movetime: float, threads: int, megabytes: int, against: str | None, as_json: bool) -> int:
    """Print nodes per CPU second over the bench positions, alternating with a reference engine; return the status."""
    with contextlib.ExitStack() as stack:
        reference = open_reference_engine(stack, against, megabytes)
        if reference is not None:
            reference.set_option("Use NNUE", "false")
        costs = _measure(AlphaBetaSearch(megabytes, threads), movetime, reference)
        if costs:
            _print_speed(_sums([cost.ours for cost in costs]), len(costs), as_json,
                         None if reference is None else (reference.name, *_sums([cost.theirs for cost in costs])))
    return 0


@dataclass(frozen=True)
class SearchCost:
    """Nodes and CPU seconds of both engines in one position."""

    ours: tuple[int, float]
    theirs: tuple[int, float] = (0, 0.0)


def _measure(searcher: AlphaBetaSearch, movetime: float, reference: ReferenceEngine | None) -> list[SearchCost]:
    search(searcher, parse_fen(BENCH_FENS[0]), Limits(depth=1))  # loads the kernels

    def measure(fen: str) -> SearchCost:
        searcher.clear()
        position, started = parse_fen(fen), time.process_time()
        nodes = search(searcher, position, Limits(movetime=movetime)).nodes
        ours = nodes, time.process_time() - started
        return SearchCost(ours) if reference is None else SearchCost(ours, reference.speed(fen, movetime))

    return map_with_progress(BENCH_FENS, measure, lambda fen: fen)


def _print_speed(ours: tuple[int, float], positions: int, as_json: bool,
                 theirs: tuple[str, int, float] | None) -> None:
    """Print (nodes, CPU seconds) of this engine, and (name, nodes, CPU seconds) of the reference engine."""
    nodes, seconds = ours
    if as_json:
        reference = None if theirs is None else {"name": theirs[0], **_fields(*theirs[1:])}
        ratio = None if theirs is None else round(nodes / seconds * theirs[2] / max(theirs[1], 1), 3)
        print_object({"positions": positions, **_fields(*ours), "reference": reference, "ratio": ratio})
        return
    print(f"Adversary: {pluralize(positions, 'position')}, {nodes} nodes, {seconds:.1f} s CPU, "
          f"{nodes / seconds / 1e6:.3f} Mnps")
    if theirs is not None:
        name, their_nodes, their_seconds = theirs
        print(f"{name} without its network: {their_nodes} nodes, {their_seconds:.1f} s CPU, "
              f"{their_nodes / their_seconds / 1e6:.3f} Mnps; "
              f"ratio {nodes / seconds / (their_nodes / their_seconds):.2f}")


def _fields(nodes: int, seconds: float) -> dict[str, Any]:
    return {"nodes": nodes, "cpu_seconds": round(seconds, 3), "nodes_per_second": round(nodes / seconds)}


def _sums(costs: Sequence[tuple[int, float]]) -> tuple[int, float]:
    return sum(nodes for nodes, _ in costs), max(sum(seconds for _, seconds in costs), _SHORTEST_TIME)


def print_threads(movetime: float, threads: int, megabytes: int, as_json: bool) -> int:
    """Print nodes per second of one thread and of several, by the wall clock, alternating over bench positions."""
    if threads < 2:
        raise InputError("bench threads requires --threads, at least 2")
    searchers = [AlphaBetaSearch(megabytes, number) for number in (1, threads)]

    def measure(fen: str) -> list[Result]:
        results = []
        for searcher in searchers:
            searcher.clear()
            results.append(search(searcher, parse_fen(fen), Limits(movetime=movetime)))
        return results

    measured = map_with_progress(BENCH_FENS[:_THREAD_POSITIONS], measure, lambda fen: fen)
    if measured:
        one, many = (nodes / seconds for nodes, seconds in (
            _sums([(results[index].nodes, results[index].seconds) for results in measured]) for index in (0, 1)))
        if as_json:
            print_object({"positions": len(measured), "threads": threads, "nodes_per_second": round(many),
                          "single_thread_nodes_per_second": round(one), "ratio": round(many / one, 3)})
        else:
            print(f"1 thread: {one / 1e6:.3f} Mnps; {threads} threads: {many / 1e6:.3f} Mnps; ratio {many / one:.2f}")
    return 0


_COLUMNS = (("no.", 3), ("nodes", 10), ("move", 7), ("score", 6), ("position", 0))


def print_signature(depth: int, threads: int, megabytes: int, config: Config, as_json: bool) -> int:
    """Print the nodes of each position and their sum, the signature; return the exit status."""
    searcher = AlphaBetaSearch(megabytes, threads, config.params_record(), config.evaluator())
    table = None if as_json else GrowingTable(_COLUMNS, left=("move", "position"))
    nodes, seconds, is_complete = 0, 0.0, True
    for number, fen in enumerate(BENCH_FENS, start=1):
        searcher.clear()
        game = Game(fen)
        try:
            result = search(searcher, game.position, Limits(depth=depth))
        except InterruptionError:
            is_complete = False
            break
        nodes += result.nodes
        seconds += result.seconds
        move = san(game, result.move)
        if table is None:
            print_object({"type": "position", "number": number, "fen": fen, "nodes": result.nodes, "move": move,
                          "score": result.score, "seconds": round(result.seconds, 3)})
        else:
            table.add(str(number), str(result.nodes), move, str(result.score), fen)
    speed = round(nodes / max(seconds, _SHORTEST_TIME))
    if table is None:
        print_object({"type": "total", "depth": depth, "complete": is_complete, "nodes": nodes,
                      "seconds": round(seconds, 3), "nodes_per_second": speed})
    else:
        print(f"{nodes} nodes {speed} nps" if is_complete else f"{nodes} nodes so far, {speed} nps; no signature")
    return 0


_TREE_POSITIONS = BENCH_FENS[::6]


def print_trees(movetime: float, threads: int, megabytes: int, as_json: bool) -> int:
    """Print iterations per second of each tree search, with one thread and with several; return the exit status."""
    def measure(name: str) -> dict[str, Any]:
        alone, of_cpu = _speed(TREES[name](), 1, movetime, megabytes)
        together, _ = _speed(TREES[name](), threads, movetime, megabytes)
        fields = {"search": name, "iterations_per_second": round(alone), "iterations_per_cpu_second": round(of_cpu),
                  "threads": threads, "iterations_per_second_of_all": round(together),
                  "ratio": round(together / alone, 3)}
        if as_json:
            print_object(fields)
        return fields

    results = map_with_progress(list(TREES), measure, lambda name: name)
    if not as_json:
        rows = [(row["search"], f"{row['iterations_per_second']:,}", f"{row['iterations_per_cpu_second']:,}",
                 f"{row['iterations_per_second_of_all']:,}", f"{row['ratio']:.2f}") for row in results]
        print_table(("search", "iterations/s", "per CPU s", f"{threads} threads", "ratio"), rows)
    return 0


def _speed(params: TreeParamsRecord, threads: int, movetime: float, megabytes: int) -> tuple[float, float]:
    """Iterations per second and per CPU second, over some of the bench positions."""
    searcher = MctsSearch(params, megabytes, threads)
    search(searcher, parse_fen(_TREE_POSITIONS[0]), Limits(nodes=1))  # loads the kernels
    iterations, seconds, started = 0, 0.0, time.process_time()
    for fen in _TREE_POSITIONS:
        searcher.clear()
        result = search(searcher, parse_fen(fen), Limits(movetime=movetime))
        iterations, seconds = iterations + result.nodes, seconds + result.seconds
    return iterations / seconds, iterations / (time.process_time() - started)
