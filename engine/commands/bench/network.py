"""`bench network`: what the network's evaluation costs beside the features', a node and in a search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.commands.shared.objects import print_object
from engine.commands.shared.positions import BENCH_FENS
from engine.commands.shared.progress import track
from engine.commands.shared.searching import search
from engine.core.fen import parse_fen
from engine.core.game import make_if_legal
from engine.kernel import Int
from engine.search.limits import Limits
from eval.cache import empty_eval_cache
from eval.choice import BUILT_IN, Evaluator, evaluator_named, features_evaluator
from eval.network.file import Network, Shape
from eval.network.memory import LoadedNetwork, StandaloneAccumulators
from eval.network.speed import replay_moves, replay_with_features, replay_with_network

_PLIES, _ROUNDS = 40, 200
_WIDTHS = (256, 512)  # of the random networks that are measured where there is no other

_NAMES = {"network": "the network", "random network": "random weights"}

Line = tuple[Any, Any]  # a position and moves from there


def print_network(name: str | None, runs: int, movetime: float, as_json: bool) -> int:
    """Measure the network in a file, or the built-in one, or random ones if there is none; prints, returns 0."""
    evaluation = evaluator_named(BUILT_IN if name is None else name)
    own = evaluation.network
    networks = [own] if own is not None else [LoadedNetwork(_random_network(width)) for width in _WIDTHS]
    lines = lines_of_play()
    bare = nanoseconds_a_move(lines, runs, replay_moves)
    weights, cache = features_evaluator().weights, empty_eval_cache()
    by_features = nanoseconds_a_move(lines, runs, lambda pos, moves, rounds: replay_with_features(
        pos, moves, rounds, weights, cache)) - bare
    tell = print_object if as_json else _print_text
    tell({"kind": "features", "nanoseconds": round(by_features, 1)})
    for network in networks:
        cost = _network_nanoseconds(lines, runs, network) - bare
        tell({"kind": "random network" if own is None else "network", "width": network.network.shape.hidden,
              "nanoseconds": round(cost, 1), "of_features": round(cost / by_features, 3)})
    if own is not None:
        tell(_search_speeds(evaluation, movetime))
    return 0


def _print_text(found: Mapping[str, Any]) -> None:
    """What one of the objects says, for people."""
    if found["kind"] == "features":
        print(f"the features' evaluation: {found['nanoseconds']:.0f} ns a node")
    elif found["kind"] == "search":
        print(f"search with the features {found['features_nps'] / 1e6:.3f} Mnps, with the network "
              f"{found['network_nps'] / 1e6:.3f} Mnps: {found['ratio']:.2f}")
    else:
        print(f"{_NAMES[found['kind']]}, {found['width']} wide: {found['nanoseconds']:.0f} ns a node for update and "
              f"output, {found['of_features']:.2f} of the features'")


def _network_nanoseconds(lines: list[Line], runs: int, network: LoadedNetwork) -> float:
    own = StandaloneAccumulators(network)
    return nanoseconds_a_move(lines, runs,
                              lambda pos, moves, rounds: replay_with_network(pos, moves, rounds, own.record))


def lines_of_play() -> list[Line]:
    """What a shallow search plays from the bench positions."""
    searcher = AlphaBetaSearch(megabytes=1, evaluation=features_evaluator())
    lines = []
    for fen in BENCH_FENS:
        position, moves = parse_fen(fen), []
        for _ in range(_PLIES):
            move = searcher.run(position, Limits(depth=1)).move
            if not move:
                break
            make_if_legal(position, move)
            moves.append(move)
        lines.append((parse_fen(fen), np.array(moves, np.uint16)))
    return lines


def nanoseconds_a_move(lines: list[Line], runs: int, replay: Callable[[Any, Any, int], Int]) -> float:
    """CPU time a move, the best of so many runs over all lines."""
    replay(*lines[0], 1)  # what must be compiled is no part of the measurement
    best = float("inf")
    for _ in range(runs):
        started = time.process_time()
        for line in lines:
            replay(*line, _ROUNDS)
        best = min(best, time.process_time() - started)
    return best * 1e9 / (_ROUNDS * sum(len(moves) for _, moves in lines))


def _search_speeds(evaluation: Evaluator, movetime: float) -> dict[str, Any]:
    """Nodes a CPU second with the features and with the network, in turn over the bench positions."""
    searchers = [AlphaBetaSearch(16, evaluation=judge) for judge in (features_evaluator(), evaluation)]
    nodes, seconds = [0, 0], [0.0, 0.0]
    for fen in track(BENCH_FENS, lambda fen: fen):
        for place, searcher in enumerate(searchers):
            searcher.clear()
            started = time.process_time()
            nodes[place] += search(searcher, parse_fen(fen), Limits(movetime=movetime)).nodes
            seconds[place] += time.process_time() - started
    by_features, by_network = (count / time for count, time in zip(nodes, seconds, strict=True))
    return {"kind": "search", "features_nps": round(by_features), "network_nps": round(by_network),
            "ratio": round(by_network / by_features, 3)}


def _random_network(width: int) -> Network:
    """A network that knows nothing, with numbers of the usual size."""
    shape, generator = Shape(width), np.random.default_rng(1)
    return Network(shape, generator.integers(-60, 61, (shape.rows, width), np.int16),
                   generator.integers(-60, 61, width, np.int16),
                   generator.integers(-60, 61, (shape.output_buckets, 2, width), np.int16),
                   np.zeros(shape.output_buckets, np.int32), 136.0)
