"""Playing below full strength, as people do: the levels, one row each, and the choice of a move.

A weak level searches like people (engine/humanlike): some moves come to mind, and are followed a few plies ahead, in
which not every reply is seen. A strong one searches few nodes and plies, so that it misses deep tactics. Out of what it
has seen, a level draws a move: the likelier people play it and the less it seems to lose, the more often, and never one
whose cost a player of that level would notice. Losses are measured in expected score on the human curve, so that won
positions are played loosely and tense ones are not. And people have good and bad days: from 1400 on, a level draws its
strength anew for each game (`FORMS`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import TypeVar

from engine.humanlike.vision import Vision
from engine.search.scores import is_decisive
from engine.search.types import Info, Limits
from eval.human_curve import human_expected

_ALL_MOVES = 218  # as many as a position can have
_HUMANLIKE_NODES = 300_000
_LEAST_PRIOR = 1e-4  # of moves that a search finds although they come to no person's mind
_PROGRESS = 2e-5  # of expected score per centipawn: even in a decided position, a little more is a little better


@dataclass(frozen=True)
class SkillLevel:
    """The parameters of a skill level."""

    elo: float
    nodes: float
    depth: float
    candidates: float  # moves that are considered
    temperature: float  # of expected score: a move that is this much worse is chosen e times less often
    largest_loss: float  # of expected score: a move that loses more than this is recognised as a mistake
    habit: float = 0  # the power of the human prior: how much a level follows what is usual
    eagerness: float = 0  # how much more weight captures and checks get
    carelessness: float = 0  # per mille of moves that lose material and come to mind as if they did not
    blindness: float = 0  # per mille of captures that are overlooked; 0 for levels that search
    chain: float = 0  # plies of captures that are followed
    knowledge: float = 100  # per cent of the evaluation that is understood

    @property
    def vision(self) -> Vision | None:
        """How a level looks at a position as people do; None if it searches."""
        if not self.blindness:
            return None
        return Vision(self.depth, self.blindness, self.chain, self.knowledge, self.largest_loss)


@dataclass(frozen=True)
class BookHabits:
    """How a level uses the opening book."""

    elo: float
    moves: float  # own moves that are known, one more or less by game
    power: float  # to which weights are raised: above 1, what is common is played even more often
    least_share: float  # moves with a smaller share of the weight are not known
    king_pawn: float  # the weight of 1.e4 is multiplied by this
    departure: float = 0  # per cent of moves, after the first, that leave the book whether or not it is known
    naivety: float = 0  # from 0 to 1: how much it opens as beginners do


@dataclass(frozen=True)
class Form:
    """How much the strength of a level differs from game to game."""

    elo: float
    deviation: float  # standard deviation, in Elo


def _human(elo: int, depth: float, temperature: float, largest_loss: float, **more: float) -> SkillLevel:
    return SkillLevel(elo, _HUMANLIKE_NODES, depth, _ALL_MOVES, temperature, largest_loss, **more)


# Levels between two rows are interpolated linearly, nodes by their logarithm. Set by matches: see history/ui.md. The
# human prior was trained on games of masters, so the habits of beginners are flatter than it.
HUMANLIKE_LEVELS = (
    _human(400, 1, 3.000, 1.00, habit=0.03, eagerness=0.3, carelessness=1000, blindness=900, chain=0, knowledge=0),
    _human(690, 1, 0.530, 0.82, habit=0.35, eagerness=0.3, carelessness=935, blindness=715, chain=1, knowledge=2),
    _human(835, 1, 0.262, 0.63, habit=0.52, eagerness=0.3, carelessness=813, blindness=527, chain=1, knowledge=6),
    _human(950, 1, 0.168, 0.49, habit=0.645, eagerness=0.3, carelessness=670, blindness=406, chain=1, knowledge=13),
    _human(1085, 1, 0.1098, 0.37, habit=0.768, eagerness=0.3, carelessness=468, blindness=272, chain=1, knowledge=24),
    _human(1120, 1, 0.096, 0.34, habit=0.80, eagerness=0.3, carelessness=415, blindness=238, chain=1, knowledge=27),
    _human(1275, 1.2, 0.057, 0.24, habit=0.9, carelessness=285, blindness=122, chain=2, knowledge=42),
    _human(1410, 1.42, 0.048, 0.205, habit=0.9, carelessness=231, blindness=95, chain=2.5, knowledge=51),
    _human(1490, 1.6, 0.040, 0.175, habit=0.9, carelessness=185, blindness=72, chain=3, knowledge=58),
    _human(1855, 1.95, 0.031, 0.14, habit=0.88, carelessness=112, blindness=52, chain=4, knowledge=70),
    _human(2035, 2.35, 0.023, 0.112, habit=0.85, carelessness=70, blindness=39, chain=5, knowledge=82),
    _human(2180, 3.2, 0.015, 0.077, habit=0.75, carelessness=28, blindness=19, chain=6, knowledge=96),
)
SEARCH_LEVELS = (
    SkillLevel(1585, 700, 4, 4, 0.016, 0.075, habit=0.75),
    SkillLevel(2180, 8_000, 9, 4, 0.010, 0.052, habit=0.55),
    SkillLevel(2395, 40_000, 14, 3.5, 0.006, 0.04, habit=0.35),
    SkillLevel(2690, 140_000, 20, 2.6, 0.004, 0.03, habit=0.25),
    SkillLevel(2800, 153_000, 26, 2.4, 0.0034, 0.027, habit=0.22),
)
BOOK_HABITS = (
    BookHabits(400, 1, 1.6, 0.02, 2, departure=30, naivety=1),
    BookHabits(600, 1.5, 1.5, 0.02, 2, departure=20, naivety=0.9),
    BookHabits(800, 2, 1.4, 0.02, 2, departure=14, naivety=0.75),
    BookHabits(1000, 3, 1.3, 0.02, 2, departure=10, naivety=0.5),
    BookHabits(1200, 4, 1.2, 0.02, 1, departure=6, naivety=0.25),
    BookHabits(1400, 5, 1.1, 0.02, 1, departure=4),
    BookHabits(1600, 6, 1, 0, 1),
    BookHabits(2000, 8, 1, 0, 1),
    BookHabits(2400, 10, 1, 0, 1),
    BookHabits(2800, 12, 1, 0, 1),
)
# Elo's model has a deviation of 200 for every player, and where levels search they need it: anchors of the scale win
# nearly all games against those 200 Elo lower, and so would a level that plays each game alike.
FORMS = (
    Form(400, 0),
    Form(1400, 0),
    Form(1600, 30),
    Form(1800, 140),
    Form(2000, 200),
    Form(2400, 200),
    Form(2800, 0),
)
LOWEST, HIGHEST = int(HUMANLIKE_LEVELS[0].elo), int(SEARCH_LEVELS[-1].elo)

_AGAINST_A_BARE_KING = SkillLevel(0, 50_000, 60, 1, 1, 0)  # even a weak player mates a bare king
_LOGARITHMIC = {"nodes"}
_Row = TypeVar("_Row", SkillLevel, BookHabits, Form)


def searching_share(elo: int) -> float:
    """The share of a level's moves that it searches: none below the first row that searches, all above the last
    human-like one.
    """
    low, high = SEARCH_LEVELS[0].elo, HUMANLIKE_LEVELS[-1].elo
    return min(max((elo - low) / (high - low), 0.0), 1.0)


def skill_level(elo: int, is_against_bare_king: bool = False, roll: float = 0.5) -> SkillLevel:
    """The level for a strength from LOWEST to HIGHEST; between human-like and searching levels `roll`, a random number
    from 0 to 1, decides.
    """
    if is_against_bare_king:
        return _AGAINST_A_BARE_KING
    return _interpolated(SEARCH_LEVELS if roll < searching_share(elo) else HUMANLIKE_LEVELS, elo)


def strength_today(elo: int, day: float) -> int:
    """The Elo at which a level plays a game; `day` says how good its day is, in standard deviations."""
    return round(min(max(elo + day * _interpolated(FORMS, elo).deviation, LOWEST), HIGHEST))


def book_habits(elo: int) -> BookHabits:
    """How a level of this strength uses the book."""
    return _interpolated(BOOK_HABITS, elo)


def _interpolated(rows: Sequence[_Row], elo: int) -> _Row:
    below, above = next(pair for pair in pairwise(rows) if elo <= pair[1].elo)
    part = (elo - below.elo) / (above.elo - below.elo)
    values = {}
    for field in fields(below):
        low, high = getattr(below, field.name), getattr(above, field.name)
        values[field.name] = (low ** (1 - part) * high ** part if field.name in _LOGARITHMIC
                              else low + part * (high - low))
    return type(below)(**values)


def skill_limits(limits: Limits, level: SkillLevel, threads: int = 1) -> Limits:
    """`limits` lowered to those of a level; each thread gets the level's nodes."""
    nodes = threads * round(level.nodes)
    return replace(limits, nodes=min(nodes, limits.nodes or nodes),
                   depth=min(round(level.depth), limits.depth or round(level.depth)),
                   multipv=max(round(level.candidates), limits.multipv))


def seen_loss(best: int, score: int) -> float:
    """What a move with this score seems to lose compared with the best, in expected score."""
    return human_expected(best) - human_expected(score) + _PROGRESS * (best - score)


def pick_weakened_move(lines: Sequence[Info], level: SkillLevel, rng: random.Random,
                       appeal: Mapping[int, float] | None = None) -> Info:
    """The line that a level plays out of `lines`, which are sorted with the best first.

    `appeal` is how likely each move comes to mind; without it all are equal.
    """
    if is_decisive(lines[0].score):
        return lines[0]
    return rng.choices(lines, choice_weights(lines, level, appeal))[0]


def choice_weights(lines: Sequence[Info], level: SkillLevel, appeal: Mapping[int, float] | None = None) -> list[float]:
    """How often a level plays each of the lines, relative to the others; the arguments are those of the choice."""
    weights = [0.0] * len(lines)
    for index, line in enumerate(lines[: round(level.candidates)]):
        loss = seen_loss(lines[0].score, line.score)
        if loss <= level.largest_loss:
            prior = 1.0 if appeal is None else max(appeal.get(line.pv[0], 0.0), _LEAST_PRIOR)
            weights[index] = math.exp(-loss / level.temperature) * prior**level.habit
    return weights
