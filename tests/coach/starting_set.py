"""Add puzzles from files that `adversary puzzles` made to those of the package.

`python -m tests.coach.starting_set FILE... [--without ID...] [--refute]`
Every solution is checked by python-chess; a puzzle that is there already, or in several files, is taken once. The
puzzles of the package stay; if there are too many new ones, those with the rarest themes and ratings come in. The
easiest come first. `--refute` searches all wrong tries anew; those that are as good as the solution are left out.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path

from engine.analysis.engine import Engine
from engine.analysis.review import DEFAULT_HASH
from engine.coach.puzzle import Puzzle
from engine.coach.puzzle_files import STARTING_SET, read_puzzles, starting_puzzles
from engine.coach.puzzle_training import refute

MOST = 1000
LARGEST = 200_000  # bytes


def is_sound(puzzle: Puzzle) -> bool:
    """Whether the position is legal, and the solution ends with the mate that its themes promise."""
    promised = [theme for theme in puzzle.themes if theme.startswith("mate in")]
    end = puzzle.board(len(puzzle.solution))
    return puzzle.board().is_valid() and end.is_checkmate() == bool(promised) and (
        not promised or promised == [f"mate in {(len(puzzle.solution) + 1) // 2}"])


def merged(shipped: Iterable[Puzzle], new: Iterable[Puzzle], most: int = MOST) -> list[Puzzle]:
    """The shipped puzzles and sound new ones up to a number, one by one that of which there are the fewest so far."""
    kept = {puzzle.id: puzzle for puzzle in shipped}
    left = {puzzle.id: puzzle for puzzle in new if is_sound(puzzle) and puzzle.id not in kept}
    counts = Counter(chain.from_iterable(map(_properties, kept.values())))
    while left and len(kept) < most:
        rarest = min(left.values(), key=lambda puzzle: (min(counts[one] for one in _properties(puzzle)), puzzle.id))
        kept[rarest.id] = left.pop(rarest.id)
        counts.update(_properties(rarest))
    return list(kept.values())


def _properties(puzzle: Puzzle) -> list[str | int]:
    """What a set should have equally many of: each theme, and each hundred of ratings."""
    return [*puzzle.themes, puzzle.rating // 100]


def refuted_anew(engine: Engine, puzzle: Puzzle) -> Puzzle:
    """A puzzle with the refutations and reasons of today's searches for its wrong tries."""
    unrefuted = replace(puzzle, tries=())
    found = (refute(engine, unrefuted, known.ply, known.move) for known in puzzle.tries)
    return replace(puzzle, tries=tuple(filter(None, found)))


def main() -> None:
    """Write the set, and print how many puzzles and bytes it has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--without", nargs="+", default=[], metavar="ID", help="puzzles that a judge refuted")
    parser.add_argument("--refute", action="store_true", help="search the wrong tries of all puzzles anew")
    arguments = parser.parse_args()
    all_puzzles = merged(starting_puzzles(), chain.from_iterable(map(read_puzzles, arguments.files)))
    chosen = sorted((puzzle for puzzle in all_puzzles if puzzle.id not in arguments.without),
                    key=lambda puzzle: (puzzle.rating, puzzle.id))
    if arguments.refute:
        with Engine(hash=DEFAULT_HASH) as engine:
            chosen = [refuted_anew(engine, puzzle) for puzzle in chosen]
    packed = lzma.compress(json.dumps([puzzle.as_json() for puzzle in chosen]).encode(), preset=9 | lzma.PRESET_EXTREME)
    assert len(packed) <= LARGEST, f"{len(packed)} bytes, at most {LARGEST} are shipped"
    STARTING_SET.write_bytes(packed)
    print(f"{len(chosen)} puzzles with {sum(len(puzzle.tries) for puzzle in chosen)} tries in {len(packed)} bytes")


if __name__ == "__main__":
    main()
