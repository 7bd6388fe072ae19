"""The human curve: the expected score of people, from a score in users' centipawns.

What decides a game between engines does not decide one between people: +2.00 wins 86 % of the engine's own games, and
far fewer of theirs. The WDL model in `eval/wdl.py` describes the former, and is what the engine shows. This curve is
flatter; moves are judged by it, because a mistake is what costs a person points.
"""

from __future__ import annotations

import math

HUMAN_SLOPE = 0.005  # between a fit to players above 2300, 0.0037, and the same fit in this engine's centipawns, 0.0064
DECIDED = 1000  # centipawns: more wins no more games; a mate counts as this


def human_expected(centipawns: float) -> float:
    """The expected score, from 0 to 1, of the side that is `centipawns` ahead."""
    return 1 / (1 + math.exp(-HUMAN_SLOPE * max(-DECIDED, min(centipawns, DECIDED))))


def human_centipawns(expected: float) -> float:
    """The score in centipawns that gives this expected score; infinite beyond what a decided game gives."""
    limit = human_expected(DECIDED)
    if not 1 - limit < expected < limit:
        return math.copysign(math.inf, expected - 0.5)
    return math.log(expected / (1 - expected)) / HUMAN_SLOPE
