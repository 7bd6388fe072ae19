"""Fit the ratings of puzzles to those of lichess on one half of the puzzles, chosen by hash, and measure the other.

    python -m tests.coach.ratings FILE.epd... [--cache FILE.json] [--fit]

Without --fit it measures the table of engine/coach/puzzle_rating.py. The files are EPD with `id`, the rating in `c0`
and the solution in `c9`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.analysis.engine import Engine
from engine.analysis.review import DEFAULT_HASH
from engine.coach.puzzle import Puzzle
from engine.coach.puzzle_files import read_puzzles
from engine.coach.puzzle_rating import HIGHEST, LOWEST, WEIGHTS, features, nodes_until_found

_RIDGE = 3.0  # puzzles' worth of evidence that a standardized weight is zero

Row = tuple[float, dict[str, float]]  # the rating of lichess, and the features


def is_held_out(puzzle: Puzzle) -> bool:
    """Whether a puzzle belongs to the half that nothing is fitted to."""
    return hashlib.sha256(puzzle.fen.encode()).digest()[0] % 2 == 0


def nodes_of(puzzles: Sequence[Puzzle]) -> dict[str, int]:
    """The nodes until found of some puzzles, by FEN."""
    with Engine(hash=DEFAULT_HASH) as adversary:
        return {puzzle.fen: nodes_until_found(adversary, puzzle.board(), puzzle.solution[0]) for puzzle in puzzles}


def fitted(rows: Sequence[Row]) -> dict[str, float]:
    """The weights of the features by ridge regression."""
    names = [name for name in rows[0][1] if name != "constant"]
    given = np.array([[found[name] for name in names] for _, found in rows])
    ratings = np.array([rating for rating, _ in rows])
    mean, spread = given.mean(axis=0), given.std(axis=0)
    names = [name for name, width in zip(names, spread, strict=True) if width > 0]
    given, mean, spread = given[:, spread > 0], mean[spread > 0], spread[spread > 0]
    scaled = (given - mean) / spread
    weights = np.linalg.solve(scaled.T @ scaled + _RIDGE * np.eye(len(names)), scaled.T @ (ratings - ratings.mean()))
    weights = weights / spread
    return {"constant": float(ratings.mean() - mean @ weights), **dict(zip(names, weights.tolist(), strict=True))}


def estimates(rows: Sequence[Row], weights: Any) -> list[float]:
    """The ratings by the model."""
    return [max(LOWEST, min(sum(weight * found.get(name, 0.0) for name, weight in weights.items()), HIGHEST))
            for _, found in rows]


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's coefficient."""
    ranks = [_ranks(np.array(values)) for values in (first, second)]
    return float(np.corrcoef(*ranks)[0, 1])


def _ranks(values: Any) -> Any:
    """Ranks, those of equal values averaged."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[where]


def main() -> None:
    """Print the correlation on both halves, and the fitted table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--cache", type=Path, help="keep the numbers of nodes here")
    parser.add_argument("--fit", action="store_true")
    arguments = parser.parse_args()
    puzzles = {puzzle.fen: puzzle for path in arguments.files for puzzle in read_puzzles(path)}
    if arguments.cache is not None and arguments.cache.exists():
        known = json.loads(arguments.cache.read_text())
    else:
        known = nodes_of(list(puzzles.values()))
        if arguments.cache is not None:
            arguments.cache.write_text(json.dumps(known))
    halves: dict[bool, list[Row]] = {True: [], False: []}
    for fen, puzzle in puzzles.items():
        found = features(puzzle.board(), puzzle.solution, known[fen])
        halves[is_held_out(puzzle)].append((float(puzzle.rating), found))
    weights = fitted(halves[False]) if arguments.fit else WEIGHTS
    if arguments.fit:
        print("\n".join(f'    "{name}": {weight:.1f},' for name, weight in weights.items()))
    for is_held, rows in halves.items():
        ratings, guesses = [rating for rating, _ in rows], estimates(rows, weights)
        error = float(np.mean(np.abs(np.array(guesses) - ratings)))
        print(f"{'held out' if is_held else 'fitted to'}: {len(rows)} puzzles, rank correlation "
              f"{rank_correlation(ratings, guesses):.3f}, mean error {error:.0f} points")


if __name__ == "__main__":
    main()
