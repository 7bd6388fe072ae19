"""The evaluation broken down: every feature with its count and its value, and what a move changes.

The values are exact: a term is worth an integer number of parts of a centipawn, and the sum of all terms, rounded as
the evaluation rounds, is the score that the search uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.core.bits import BLACK, WHITE
from engine.core.position import PositionRecord
from eval.evaluate import LARGEST_SCORE, trace_position
from eval.features import FEATURES, Feature
from eval.trace import WHOLE_PHASE, WHOLE_SCALE, empty_trace
from eval.weights import Values, WeightsRecord, values_of

PARTS_PER_CENTIPAWN = int(WHOLE_PHASE * WHOLE_SCALE)  # of a centipawn: the unit in which both values are blended


@dataclass(frozen=True)
class SideTerm:
    """One side's count and value of a feature."""

    counts: tuple[int, ...]  # by weight of the feature
    mg: int  # middle-game value in centipawns
    eg: int  # endgame value in centipawns
    parts: int  # of a centipawn, tapered

    @property
    def count(self) -> int:
        """The total count."""
        return sum(self.counts)


@dataclass(frozen=True)
class Term:
    """One feature of a position."""

    feature: Feature
    white: SideTerm
    black: SideTerm

    @property
    def parts(self) -> int:
        """Its value from White's view."""
        return self.white.parts - self.black.parts

    def of(self, color: int) -> SideTerm:
        """The term of one side."""
        return self.black if color == BLACK else self.white


@dataclass(frozen=True)
class EvalBreakdown:
    """All terms of a position."""

    terms: tuple[Term, ...]  # in the order of the feature table, including those with a count of 0
    phase: int  # WHOLE_PHASE: all middle game; 0: all endgame
    scale: int  # of WHOLE_SCALE: how much of the endgame values counts
    score: int  # centipawns from White's view

    @property
    def phase_share(self) -> float:
        """How much of the game is middle game, from 0 to 1."""
        return self.phase / float(WHOLE_PHASE)

    @property
    def scale_share(self) -> float:
        """How much of the endgame values counts, from 0 to 1."""
        return self.scale / float(WHOLE_SCALE)

    def present(self) -> list[Term]:
        """The terms that either side has."""
        return [term for term in self.terms if any(term.white.counts) or any(term.black.counts)]


@dataclass(frozen=True)
class TermChange:
    """The change of one feature of one side by a move."""

    feature: Feature
    color: int
    before: SideTerm
    after: SideTerm
    parts: int  # its value from the mover's view, tapered as after the move


@dataclass(frozen=True)
class Comparison:
    """The change of the evaluation by a move, in parts that sum to the whole difference."""

    changes: tuple[TermChange, ...]  # the largest first
    turn: int  # parts: the tempo passes to the opponent
    phase: int  # parts: unchanged terms count more or less as pieces leave the board


def explain(position: PositionRecord, weights: WeightsRecord) -> EvalBreakdown:
    """The breakdown of a position's evaluation; its parts sum to the score: see `rounded_score`."""
    trace = empty_trace()
    evaluated = int(trace_position(position, weights, trace))
    phase, scale = int(trace.phase), int(trace.scale)
    counts, (mg, eg) = trace.counts.astype(np.int64), values_of(weights)
    terms = tuple(
        Term(feature, *(_side_term(feature, counts[color], mg, eg, phase, scale) for color in (WHITE, BLACK)))
        for feature in FEATURES)
    return EvalBreakdown(terms, phase, scale, -evaluated if position.side else evaluated)


def _side_term(feature: Feature, counts: Values, mg: Values, eg: Values, phase: int, scale: int) -> SideTerm:
    part = slice(feature.offset, feature.offset + feature.size)
    own_mg, own_eg = int(counts[part] @ mg[part]), int(counts[part] @ eg[part])
    return SideTerm(tuple(counts[part].tolist()), own_mg, own_eg, _blend(own_mg, own_eg, phase, scale))


def _blend(mg: int, eg: int, phase: int, scale: int) -> int:
    return mg * phase * int(WHOLE_SCALE) + eg * scale * (int(WHOLE_PHASE) - phase)


def rounded_score(terms: Sequence[Term]) -> int:
    """The score that the terms sum to, in centipawns from White's view."""
    parts = sum(term.parts for term in terms)
    score = min(abs(parts) // PARTS_PER_CENTIPAWN, int(LARGEST_SCORE))
    return score if parts > 0 else -score


def compare(before: EvalBreakdown, after: EvalBreakdown, mover: int) -> Comparison:
    """The changes of all features of both sides by a move of `mover`; all parts are from the mover's view.

    Features are compared at their value after the move, so that only those whose count changed are listed.
    """
    changes: list[TermChange] = []
    turn = phase = 0
    for old, new in zip(before.terms, after.terms, strict=True):
        for color in (int(WHITE), int(BLACK)):
            sign = 1 if color == mover else -1
            earlier, later = old.of(color), new.of(color)
            carried = _blend(earlier.mg, earlier.eg, after.phase, after.scale)
            phase += sign * (carried - earlier.parts)
            parts = sign * (later.parts - carried)
            if new.feature.group == "tempo":
                turn += parts
            elif earlier.counts != later.counts:
                changes.append(TermChange(new.feature, color, earlier, later, parts))
    return Comparison(tuple(sorted(changes, key=lambda change: -abs(change.parts))), turn, phase)
