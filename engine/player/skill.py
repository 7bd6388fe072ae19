"""Playing below full strength, as people do: a shallower search, and now and then the second-best move.

A weak level looks as people look (engine/humanlike): a few plies ahead, and not every move comes to mind. A strong one
searches few nodes and plies, so that it misses deep tactics. Among the moves it has seen, a level picks at random,
better ones with higher probability, and never one whose cost a player of that level would notice.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

from engine.humanlike.vision import Vision
from engine.search.scores import is_decisive
from engine.search.types import Info, Limits

_ALL_MOVES = 218  # as many as a position can have


@dataclass(frozen=True)
class SkillLevel:
    """The parameters of a skill level."""

    elo: float
    nodes: float
    depth: float
    candidates: float  # moves that are considered
    temperature: float  # centipawns: a move that is this much worse is chosen e times less often
    largest_loss: float  # centipawns: a move that loses more than this is recognised as a mistake
    blindness: float = 0  # per mille of captures that are overlooked; 0 for levels that search
    chain: float = 0  # plies of captures that are followed
    knowledge: float = 100  # per cent of the evaluation that is understood

    @property
    def vision(self) -> Vision | None:
        """How a level looks at a position as people do; None if it searches."""
        if not self.blindness:
            return None
        return Vision(self.depth, self.blindness, self.chain, self.knowledge, self.largest_loss)


def _looking(elo: int, depth: float, temperature: float, largest_loss: float, **sight: float) -> SkillLevel:
    return SkillLevel(elo, 300_000, depth, _ALL_MOVES, temperature, largest_loss, **sight)


# Levels between two rows are interpolated linearly, nodes by their logarithm. Set by matches: see history/ui.md.
HUMANLIKE_LEVELS = (
    _looking(400, 1, 80, 320, blindness=300, chain=1, knowledge=14),
    _looking(600, 1, 55, 250, blindness=205, chain=1, knowledge=28),
    _looking(800, 1.15, 44, 200, blindness=128, chain=2, knowledge=40),
    _looking(1000, 1.45, 36, 160, blindness=84, chain=3, knowledge=52),
    _looking(1200, 1.8, 28, 130, blindness=60, chain=4, knowledge=63),
    _looking(1400, 2, 23, 110, blindness=50, chain=4, knowledge=73),
    _looking(1600, 2.45, 17, 85, blindness=36, chain=5, knowledge=85),
    _looking(1800, 3.15, 13, 65, blindness=21, chain=6, knowledge=95),
    _looking(2000, 3.5, 10, 50, blindness=15, chain=8, knowledge=100),
)
SEARCH_LEVELS = (
    SkillLevel(2000, 6_000, 9, 4, 8, 45),
    SkillLevel(2400, 24_000, 12, 3.5, 6, 35),
    SkillLevel(2800, 100_000, 15, 2.5, 4, 28),
)
LOWEST, HIGHEST = int(HUMANLIKE_LEVELS[0].elo), int(SEARCH_LEVELS[-1].elo)

_AGAINST_A_BARE_KING = SkillLevel(0, 50_000, 60, 1, 1, 0)  # even a weak player mates a bare king


def skill_level(elo: int, is_against_bare_king: bool = False) -> SkillLevel:
    """The level for a strength from LOWEST to HIGHEST."""
    if is_against_bare_king:
        return _AGAINST_A_BARE_KING
    rows = HUMANLIKE_LEVELS if elo < SEARCH_LEVELS[0].elo else SEARCH_LEVELS
    below, above = next(pair for pair in pairwise(rows) if elo <= pair[1].elo)
    part = (elo - below.elo) / (above.elo - below.elo)
    values = {field.name: (1 - part) * getattr(below, field.name) + part * getattr(above, field.name)
              for field in fields(SkillLevel)}
    values["nodes"] = math.exp((1 - part) * math.log(below.nodes) + part * math.log(above.nodes))
    return SkillLevel(**values)


def skill_limits(limits: Limits, level: SkillLevel, threads: int = 1) -> Limits:
    """`limits` lowered to those of a level; each thread gets the level's nodes."""
    nodes = threads * round(level.nodes)
    return replace(limits, nodes=min(nodes, limits.nodes or nodes),
                   depth=min(round(level.depth), limits.depth or round(level.depth)),
                   multipv=max(round(level.candidates), limits.multipv))


def pick_weakened_move(lines: Sequence[Info], level: SkillLevel, rng: random.Random) -> Info:
    """The line that a level plays out of `lines`, which are sorted with the best first."""
    best = lines[0]
    if is_decisive(best.score):
        return best
    seen = [line for line in lines[: round(level.candidates)] if best.score - line.score <= level.largest_loss]
    weights = [math.exp((line.score - best.score) / level.temperature) for line in seen]
    return rng.choices(seen, weights)[0]
