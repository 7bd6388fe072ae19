"""`bench speed` and `bench threads`: nodes a second, beside another engine's, and of several threads."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.arena.configs import Config
from engine.commands.bench.rival import ReferenceEngine, open_reference_engine
from engine.commands.shared.bench_positions import BENCH_FENS
from engine.commands.shared.interruption import InterruptionError
from engine.commands.shared.output import pluralize, print_object
from engine.commands.shared.progress import map_with_progress
from engine.commands.shared.searches import TREES, search
from engine.commands.shared.tables import GrowingTable, print_table
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.mcts.params import TreeParamsRecord
from engine.mcts.searcher import MctsSearch
from engine.search.types import Limits, Result
from engine.system.errors import InputError
from engine.text.notation import san

_THREAD_POSITIONS = 20
_SHORTEST_TIME = 1e-3  # seconds; nothing is measured finer


def print_speed(movetime: float, threads: int, megabytes: int, against: str | None, as_json: bool) -> int:
    """Nodes a CPU second over the bench positions, both engines in turn for the same time; returns the exit status."""
    with contextlib.ExitStack() as stack:
        rival = open_reference_engine(stack, against)
        if rival is not None:
            for name, value in (("Threads", "1"), ("Hash", str(megabytes)), ("Use NNUE", "false")):
                rival.set_option(name, value)
        found = _measure(AlphaBetaSearch(megabytes, threads), movetime, rival)
        if found:
            _tell(_sums([spent.ours for spent in found]), len(found), as_json,
                  None if rival is None else (rival.name, *_sums([spent.theirs for spent in found])))
    return 0


@dataclass(frozen=True)
class Spent:
    """What a position cost both engines: nodes, and CPU seconds."""

    ours: tuple[int, float]
    theirs: tuple[int, float] = (0, 0.0)


def _measure(searcher: AlphaBetaSearch, movetime: float, rival: ReferenceEngine | None) -> list[Spent]:
    search(searcher, parse_fen(BENCH_FENS[0]), Limits(depth=1))  # what must be compiled is no part of the measurement

    def measure(fen: str) -> Spent:
        searcher.clear()
        position, started = parse_fen(fen), time.process_time()
        nodes = search(searcher, position, Limits(movetime=movetime)).nodes
        ours = nodes, time.process_time() - started
        return Spent(ours) if rival is None else Spent(ours, rival.speed(fen, movetime))

    return map_with_progress(BENCH_FENS, measure, lambda fen: fen)


def _tell(ours: tuple[int, float], positions: int, as_json: bool, theirs: tuple[str, int, float] | None) -> None:
    """Print the speed, beside that of a rival with its name."""
    nodes, seconds = ours
    if as_json:
        rival = None if theirs is None else {"name": theirs[0], **_fields(*theirs[1:])}
        ratio = None if theirs is None else round(nodes / seconds * theirs[2] / max(theirs[1], 1), 3)
        print_object({"positions": positions, **_fields(*ours), "rival": rival, "ratio": ratio})
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


def _sums(spent: Sequence[tuple[int, float]]) -> tuple[int, float]:
    return sum(nodes for nodes, _ in spent), max(sum(seconds for _, seconds in spent), _SHORTEST_TIME)


def print_threads(movetime: float, threads: int, megabytes: int, as_json: bool) -> int:
    """Nodes a second of one thread and of several, by the wall clock, in turn over the first bench positions."""
    if threads < 2:
        raise InputError("bench threads needs --threads N, at least 2")
    searchers = [AlphaBetaSearch(megabytes, number) for number in (1, threads)]

    def measure(fen: str) -> list[Result]:
        results = []
        for searcher in searchers:
            searcher.clear()
            results.append(search(searcher, parse_fen(fen), Limits(movetime=movetime)))
        return results

    found = map_with_progress(BENCH_FENS[:_THREAD_POSITIONS], measure, lambda fen: fen)
    if found:
        one, many = (nodes / seconds for nodes, seconds in (
            _sums([(results[index].nodes, results[index].seconds) for results in found]) for index in (0, 1)))
        if as_json:
            print_object({"positions": len(found), "threads": threads, "nodes_per_second": round(many),
                          "nodes_per_second_of_one": round(one), "ratio": round(many / one, 3)})
        else:
            print(f"1 thread: {one / 1e6:.3f} Mnps; {threads} threads: {many / 1e6:.3f} Mnps; {many / one:.2f} times")
    return 0


_COLUMNS = (("no.", 3), ("nodes", 10), ("move", 7), ("score", 6), ("position", 0))


def print_signature(depth: int, threads: int, megabytes: int, setting: Config, as_json: bool) -> int:
    """Print what each position cost, and the signature; returns the exit status."""
    searcher = AlphaBetaSearch(megabytes, threads, setting.params_record(), setting.evaluator())
    table = None if as_json else GrowingTable(_COLUMNS, left=("move", "position"))
    nodes, seconds, is_whole = 0, 0.0, True
    for number, fen in enumerate(BENCH_FENS, start=1):
        searcher.clear()
        game = Game(fen)
        try:
            result = search(searcher, game.position, Limits(depth=depth))
        except InterruptionError:
            is_whole = False
            break
        nodes += result.nodes
        seconds += result.seconds
        move = san(game, result.move)
        if table is None:
            print_object({"kind": "position", "number": number, "fen": fen, "nodes": result.nodes, "move": move,
                          "score": result.score, "seconds": round(result.seconds, 3)})
        else:
            table.add(str(number), str(result.nodes), move, str(result.score), fen)
    speed = round(nodes / max(seconds, _SHORTEST_TIME))
    if table is None:
        print_object({"kind": "total", "depth": depth, "complete": is_whole, "nodes": nodes,
                      "seconds": round(seconds, 3), "nodes_per_second": speed})
    else:
        print(f"{nodes} nodes {speed} nps" if is_whole else f"{nodes} nodes so far, {speed} nps: no signature")
    return 0


_POSITIONS = BENCH_FENS[::6]


def print_trees(movetime: float, threads: int, megabytes: int, as_json: bool) -> int:
    """Iterations a second of each kind, with one thread and with several; returns the exit status."""
    def measure(name: str) -> dict[str, Any]:
        alone, of_cpu = _speed(TREES[name](), 1, movetime, megabytes)
        together, _ = _speed(TREES[name](), threads, movetime, megabytes)
        fields = {"search": name, "iterations_per_second": round(alone), "iterations_per_cpu_second": round(of_cpu),
                  "threads": threads, "iterations_per_second_together": round(together),
                  "ratio": round(together / alone, 3)}
        if as_json:
            print_object(fields)
        return fields

    found = map_with_progress(list(TREES), measure, lambda name: name)
    if not as_json:
        rows = [(row["search"], f"{row['iterations_per_second']:,}", f"{row['iterations_per_cpu_second']:,}",
                 f"{row['iterations_per_second_together']:,}", f"{row['ratio']:.2f}") for row in found]
        print_table(("search", "iterations/s", "of CPU time", f"{threads} threads", "ratio"), rows)
    return 0


def _speed(params: TreeParamsRecord, threads: int, movetime: float, megabytes: int) -> tuple[float, float]:
    """Iterations a second of time, and of CPU time, over some positions of the bench."""
    searcher = MctsSearch(params, megabytes, threads)
    search(searcher, parse_fen(_POSITIONS[0]), Limits(nodes=1))  # compile, or load
    iterations, seconds, spent = 0, 0.0, time.process_time()
    for fen in _POSITIONS:
        searcher.clear()
        result = search(searcher, parse_fen(fen), Limits(movetime=movetime))
        iterations, seconds = iterations + result.nodes, seconds + result.seconds
    return iterations / seconds, iterations / (time.process_time() - spent)
