"""`bench policy`: what it costs to expand a node with the policy."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.arena.expansions import FLAGGED, LISTED, WEIGHED, replay_with_expansions
from engine.commands.bench.network import Line, lines_of_play, nanoseconds_a_move
from engine.commands.shared.objects import print_object
from engine.core.movegen import MAX_MOVES, empty_move_list
from engine.core.position import PositionRecord
from engine.kernel import Int
from eval.network.speed import replay_moves
from eval.policy.file import random_policy, read_policy
from eval.policy.memory import LoadedPolicy, built_in_policy

_WIDTH = 128  # of the random policy that is measured where there is no other


def print_policy(path: Path | None, runs: int, as_json: bool) -> int:
    """Measure the policy in a file, or the built-in one, or a random one if there is none; prints, returns 0."""
    policy = LoadedPolicy(read_policy(path)) if path is not None else built_in_policy()
    is_random = policy is None
    policy = LoadedPolicy(random_policy(_WIDTH, 1)) if policy is None else policy
    lines = lines_of_play()
    bare = nanoseconds_a_move(lines, runs, replay_moves)
    listed, flagged, weighed = (nanoseconds_a_move(lines, runs, _Expansions(policy, extent))
                                for extent in (LISTED, FLAGGED, WEIGHED))
    count = _mean_count(lines, policy)
    found = {"kind": "random policy" if is_random else "policy", "width": policy.policy.hidden,
             "moves": round(count, 1), "list_nanoseconds": round(listed - bare, 1),
             "exchange_nanoseconds": round(flagged - listed, 1), "prior_nanoseconds": round(weighed - flagged, 1),
             "nanoseconds": round(weighed - bare, 1)}
    if as_json:
        print_object(found)
        return 0
    print(f"{'random weights' if is_random else 'the policy'}, {found['width']} wide: {found['prior_nanoseconds']:.0f} "
          f"ns a node for the priors of {found['moves']} moves; {found['list_nanoseconds']:.0f} ns to list them and "
          f"{found['exchange_nanoseconds']:.0f} ns for their exchanges: {found['nanoseconds']:.0f} ns in all")
    return 0


class _Expansions:
    """Replays lines with expansions by one policy."""

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
