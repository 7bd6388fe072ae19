"""Positions from elsewhere, labelled with the results of their games, as samples for the tuner.

Lines are EPD with the result in an operation, as in `FEN c9 "1-0";`. These positions were not searched: the static
evaluation takes the place of the score.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.core.errors import InputError, quote
from engine.core.fen import parse_fen
from engine.files import open_text
from eval.evaluate import trace_position
from eval.outcome import material_on
from eval.samples import SAMPLE, TERM, Samples
from eval.trace import TraceRecord, empty_trace
from eval.weights import WeightsRecord

_LINE = re.compile(r"(\S+ [wb] \S+ \S+).*?(1-0|0-1|1/2-1/2)")
_RESULTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
_LINES_OF_A_GAME = 100  # roughly: neighbouring lines are held out together, since they come from the same games


def labelled_samples(path: Path, weights: WeightsRecord, first_game: int, warn: Callable[[str], None]) -> Samples:
    """The positions of a file, whose games are numbered from `first_game`. Bad lines are left out with a complaint."""
    trace, parts = empty_trace(), []
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    parts.append(_sample(line, weights, trace, first_game + number // _LINES_OF_A_GAME))
                except InputError as error:
                    warn(f"{path}, line {number}: {error}; left out")
    return Samples.join(parts)


def _sample(line: str, weights: WeightsRecord, trace: TraceRecord, game: int) -> Samples:
    found = _LINE.match(line)
    if found is None:
        raise InputError(f"no position with a result in {quote(line.strip())}")
    position = parse_fen(found[1])
    score = int(trace_position(position, weights, trace)) * (-1 if position.side else 1)
    counts = trace.counts[0] - trace.counts[1]
    features = np.flatnonzero(counts)
    terms, rows = np.zeros(len(features), TERM), np.zeros(1, SAMPLE)
    terms["feature"], terms["count"] = features, counts[features]
    rows[0] = (len(features), trace.phase, trace.scale, material_on(position.board.tolist()), _RESULTS[found[2]], score,
               game)
    return Samples(terms, rows)
