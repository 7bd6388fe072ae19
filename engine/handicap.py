"""Playing below full strength, as people do: a shallower search, and now and then the second-best move.

A level has few nodes and plies, so that it misses deep tactics. It picks at random among the moves it has seen, better
ones with higher probability, and never one whose cost a player of that level would notice.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from engine.search.limits import Info, Limits
from engine.search.scores import is_decisive


@dataclass(frozen=True)
class Level:
    """How a player of some strength thinks."""

    elo: float
    nodes: float
    depth: float
    candidates: float  # moves that are considered
    temperature: float  # centipawns: a move that is this much worse is chosen e times less often
    largest_loss: float  # centipawns: a move that loses more than this is recognised as a mistake


# Levels between two rows are interpolated linearly, nodes by their logarithm. Set by matches: see MEASUREMENTS.md.
LEVELS = (
    Level(800, 700, 1, 8, 110, 350),
    Level(1200, 800, 4, 6, 30, 120),
    Level(1600, 4_000, 7, 5, 12, 60),
    Level(2000, 30_000, 12, 4, 6, 35),
    Level(2400, 120_000, 16, 3, 4, 25),
    Level(2800, 600_000, 30, 2, 2, 15),
)
LOWEST, HIGHEST = int(LEVELS[0].elo), int(LEVELS[-1].elo)

_AGAINST_A_BARE_KING = Level(0, 50_000, 60, 1, 1, 0)  # even a weak player mates a bare king


def level_of(elo: int, is_against_bare_king: bool = False) -> Level:
    """The level for a strength from LOWEST to HIGHEST."""
    if is_against_bare_king:
        return _AGAINST_A_BARE_KING
    above = LEVELS[max(bisect_left([level.elo for level in LEVELS], elo), 1)]
    below = LEVELS[LEVELS.index(above) - 1]
    part = (elo - below.elo) / (above.elo - below.elo)
    values = {field.name: (1 - part) * getattr(below, field.name) + part * getattr(above, field.name)
              for field in fields(Level)}
    values["nodes"] = math.exp((1 - part) * math.log(below.nodes) + part * math.log(above.nodes))
    return Level(**values)


def limited(limits: Limits, level: Level, threads: int = 1) -> Limits:
    """`limits` lowered to those of a level; each thread gets the level's nodes."""
    nodes = threads * round(level.nodes)
    return replace(limits, nodes=min(nodes, limits.nodes or nodes),
                   depth=min(round(level.depth), limits.depth or round(level.depth)),
                   multipv=max(round(level.candidates), limits.multipv))


def choose(lines: Sequence[Info], level: Level, generator: random.Random) -> Info:
    """The line that a level plays out of `lines`, which are sorted with the best first."""
    best = lines[0]
    if is_decisive(best.score):
        return best
    seen = [line for line in lines[: round(level.candidates)] if best.score - line.score <= level.largest_loss]
    weights = [math.exp((line.score - best.score) / level.temperature) for line in seen]
    return generator.choices(seen, weights)[0]
