"""`bench network` and `bench policy`: the cost of the network, compared with the features, and of the policy."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.output import print_object
from engine.cli.progress import track
from engine.cli.searches import search
from engine.core.fen import parse_fen
from engine.core.game import make_if_legal
from engine.core.movegen import MAX_MOVES, empty_move_list
from engine.core.position import PositionRecord
from engine.kernel import Int
from engine.lab.arena.policy_samples import FLAGGED, LISTED, WEIGHED, replay_with_expansions
from engine.lab.bench_positions import BENCH_FENS
from engine.search.types import Limits
from eval.cache import empty_eval_cache
from eval.evaluator import BUILT_IN, Evaluator, evaluator_named, features_evaluator
from eval.network.bench import replay_moves, replay_with_features, replay_with_network
from eval.network.file import DEFAULT_LAYERS, Network, Shape
from eval.network.memory import LoadedNetwork, StandaloneAccumulators
from eval.policy.file import random_policy, read_policy
from eval.policy.memory import LoadedPolicy, built_in_policy

_PLIES, _ROUNDS = 40, 200
_WIDTHS = (256, 512)  # of random networks, measured if there is no other
_POLICY_WIDTH = 128  # of the random policy, measured if there is no other
_NAMES = {"network": "the network", "random network": "random weights"}
Line = tuple[Any, Any]  # a position, and the moves from there


def print_network(name: str | None, runs: int, movetime: float, as_json: bool) -> int:
    """Measure the network in a file, or the built-in one, or random ones if there is none; return the exit status."""
    evaluation = evaluator_named(BUILT_IN if name is None else name)
    own = evaluation.network
    networks = [own] if own is not None else [LoadedNetwork(_random_network(width)) for width in _WIDTHS]
    lines = played_lines()
    bare = nanoseconds_per_move(lines, runs, replay_moves)
    weights, cache = features_evaluator().weights, empty_eval_cache()
    by_features = nanoseconds_per_move(lines, runs, lambda pos, moves, rounds: replay_with_features(
        pos, moves, rounds, weights, cache)) - bare
    emit = print_object if as_json else _print_text
    emit({"type": "features", "nanoseconds": round(by_features, 1)})
    for network in networks:
        cost = _network_nanoseconds(lines, runs, network) - bare
        emit({"type": "random network" if own is None else "network", "width": network.network.shape.hidden,
              "nanoseconds": round(cost, 1), "of_features": round(cost / by_features, 3)})
    if own is not None:
        emit(_search_speeds(evaluation, movetime))
    return 0


def _print_text(fields: Mapping[str, Any]) -> None:
    """Print one of the objects as text."""
    if fields["type"] == "features":
        print(f"the features' evaluation: {fields['nanoseconds']:.0f} ns per node")
    elif fields["type"] == "search":
        print(f"search with the features {fields['features_nps'] / 1e6:.3f} Mnps, with the network "
              f"{fields['network_nps'] / 1e6:.3f} Mnps: {fields['ratio']:.2f}")
    else:
        print(f"{_NAMES[fields['type']]}, {fields['width']} wide: {fields['nanoseconds']:.0f} ns per node for update "
              f"and output, {fields['of_features']:.2f} of the features")


def _network_nanoseconds(lines: list[Line], runs: int, network: LoadedNetwork) -> float:
    own = StandaloneAccumulators(network)
    return nanoseconds_per_move(lines, runs,
                              lambda pos, moves, rounds: replay_with_network(pos, moves, rounds, own.record))


def played_lines() -> list[Line]:
    """The lines that a shallow search plays from the bench positions."""
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


def nanoseconds_per_move(lines: list[Line], runs: int, replay: Callable[[Any, Any, int], Int]) -> float:
    """CPU time per move, the best of `runs` runs over all lines."""
    replay(*lines[0], 1)  # compiles or loads the kernel before the clock starts
    best = float("inf")
    for _ in range(runs):
        started = time.process_time()
        for line in lines:
            replay(*line, _ROUNDS)
        best = min(best, time.process_time() - started)
    return best * 1e9 / (_ROUNDS * sum(len(moves) for _, moves in lines))


def _search_speeds(evaluation: Evaluator, movetime: float) -> dict[str, Any]:
    """Nodes per CPU second with the features and with the network, alternating over the bench positions."""
    searchers = [AlphaBetaSearch(16, evaluation=evaluator) for evaluator in (features_evaluator(), evaluation)]
    nodes, seconds = [0, 0], [0.0, 0.0]
    for fen in track(BENCH_FENS, lambda fen: fen):
        for index, searcher in enumerate(searchers):
            searcher.clear()
            started = time.process_time()
            nodes[index] += search(searcher, parse_fen(fen), Limits(movetime=movetime)).nodes
            seconds[index] += time.process_time() - started
    by_features, by_network = (count / time for count, time in zip(nodes, seconds, strict=True))
    return {"type": "search", "features_nps": round(by_features), "network_nps": round(by_network),
            "ratio": round(by_network / by_features, 3)}


def _random_network(width: int) -> Network:
    """A network with random weights of the usual size."""
    shape, rng = Shape(width, DEFAULT_LAYERS), np.random.default_rng(1)
    numbers: dict[str, Any] = {block.name: rng.integers(-60, 61, block.dimensions, np.int8).astype(block.code)
                               for block in shape.blocks}
    numbers["pair_shifts"][:] = 0
    return Network(shape, **numbers, scale=136.0)


def print_policy(path: Path | None, runs: int, as_json: bool) -> int:
    """Measure the policy in a file, or the built-in one, or a random one if there is none; return the exit status."""
    policy = LoadedPolicy(read_policy(path)) if path is not None else built_in_policy()
    is_random = policy is None
    policy = LoadedPolicy(random_policy(_POLICY_WIDTH, 1)) if policy is None else policy
    lines = played_lines()
    bare = nanoseconds_per_move(lines, runs, replay_moves)
    listed, flagged, weighed = (nanoseconds_per_move(lines, runs, _Expansions(policy, extent))
                                for extent in (LISTED, FLAGGED, WEIGHED))
    count = _mean_count(lines, policy)
    fields = {"type": "random policy" if is_random else "policy", "width": policy.policy.hidden,
              "moves": round(count, 1), "list_nanoseconds": round(listed - bare, 1),
              "exchange_nanoseconds": round(flagged - listed, 1), "prior_nanoseconds": round(weighed - flagged, 1),
              "nanoseconds": round(weighed - bare, 1)}
    if as_json:
        print_object(fields)
        return 0
    print(f"{'random weights' if is_random else 'the policy'}, {fields['width']} wide: "
          f"{fields['prior_nanoseconds']:.0f} ns per node for the priors of {fields['moves']} moves, "
          f"{fields['list_nanoseconds']:.0f} ns to list them, {fields['exchange_nanoseconds']:.0f} ns for their SEE: "
          f"{fields['nanoseconds']:.0f} ns in total")
    return 0


class _Expansions:
    """Replays lines and expands each position with one policy."""

    def __init__(self, policy: LoadedPolicy, extent: int) -> None:
        self._address, self._extent = policy.address, extent
        self._list, self._good = empty_move_list(), np.zeros(MAX_MOVES, np.uint8)
        self._priors = np.zeros(MAX_MOVES, np.float32)

    def __call__(self, pos: PositionRecord, moves: object, rounds: int) -> Int:
        return replay_with_expansions(pos, moves, rounds, self._list, self._good, self._priors, self._address,
                                      self._extent)


def _mean_count(lines: list[Line], policy: LoadedPolicy) -> float:
    replay = _Expansions(policy, LISTED)
    return sum(int(replay(*line, 1)) for line in lines) / sum(len(moves) for _, moves in lines)
