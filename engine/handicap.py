"""Playing below full strength, as people do: shorter sight, and now and then the second-best move.

A level sees little: its nodes and plies are few, so that deep tactics are missed. Among the moves it has seen it
chooses by chance, the better the likelier; none that costs more than the level would overlook.
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
    candidates: float  # moves that are taken into consideration
    temperature: float  # centipawns: a move that is this much worse is chosen e times more seldom
    largest_loss: float  # centipawns: a move that is worse than this is seen to be a mistake


# Between two rows a level lies in proportion, nodes by their logarithm. Set by matches: see MEASUREMENTS.md.
LEVELS = (
    Level(800, 700, 1, 8, 110, 350),
    Level(1200, 800, 4, 6, 30, 120),
    Level(1600, 4_000, 7, 5, 12, 60),
    Level(2000, 30_000, 12, 4, 6, 35),
    Level(2400, 120_000, 16, 3, 4, 25),
    Level(2800, 600_000, 30, 2, 2, 15),
)
LOWEST, HIGHEST = int(LEVELS[0].elo), int(LEVELS[-1].elo)

_AGAINST_A_BARE_KING = Level(0, 50_000, 60, 1, 1, 0)  # nobody is so weak that they stop trying


def level_of(elo: int, is_against_bare_king: bool = False) -> Level:
    """The level of a strength from LOWEST to HIGHEST."""
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
    """What a level sees of a search that was asked for with `limits`; the nodes are shared among threads."""
    nodes = threads * round(level.nodes)
    return replace(limits, nodes=min(nodes, limits.nodes or nodes),
                   depth=min(round(level.depth), limits.depth or round(level.depth)),
                   multipv=max(round(level.candidates), limits.multipv))


def choose(lines: Sequence[Info], level: Level, generator: random.Random) -> Info:
    """The line that a level plays, of those that it has seen, the best first."""
    best = lines[0]
    if is_decisive(best.score):
        return best
    seen = [line for line in lines[: round(level.candidates)] if best.score - line.score <= level.largest_loss]
    weights = [math.exp((line.score - best.score) / level.temperature) for line in seen]
    return generator.choices(seen, weights)[0]
