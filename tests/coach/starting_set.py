"""Add puzzles from files that `adversary puzzles` made to those of the package.

`python -m tests.coach.starting_set FILE... [--without ID...]`
Every solution is checked by python-chess; a puzzle that is there already, or in several files, is taken once. The
puzzles of the package stay; if there are too many new ones, those with the rarest themes come in. The easiest come
first.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from engine.coach.puzzle import Puzzle
from engine.coach.puzzle_files import STARTING_SET, read_puzzles, starting_puzzles

MOST = 1000
LARGEST = 200_000  # bytes


def is_sound(puzzle: Puzzle) -> bool:
    """Whether the position is legal, and the solution ends with the mate that its themes promise."""
    promised = [theme for theme in puzzle.themes if theme.startswith("mate in")]
    end = puzzle.board(len(puzzle.solution))
    return puzzle.board().is_valid() and end.is_checkmate() == bool(promised) and (
        not promised or promised == [f"mate in {(len(puzzle.solution) + 1) // 2}"])


def merged(shipped: Iterable[Puzzle], new: Iterable[Puzzle], most: int = MOST) -> list[Puzzle]:
    """The shipped puzzles and sound new ones, those with the rarest themes first, up to a number."""
    found = {puzzle.id: puzzle for puzzle in new if is_sound(puzzle)}
    themes = Counter(theme for puzzle in found.values() for theme in puzzle.themes)
    kept = {puzzle.id: puzzle for puzzle in shipped}
    rarest = sorted(found.values(), key=lambda puzzle: min((themes[theme] for theme in puzzle.themes), default=0))
    return list((kept | {puzzle.id: puzzle for puzzle in rarest if puzzle.id not in kept}).values())[:most]


def main() -> None:
    """Write the set, and print how many puzzles and bytes it has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--without", nargs="+", default=[], metavar="ID", help="puzzles that a judge refuted")
    arguments = parser.parse_args()
    all_puzzles = merged(starting_puzzles(), chain.from_iterable(map(read_puzzles, arguments.files)))
    chosen = sorted((puzzle for puzzle in all_puzzles if puzzle.id not in arguments.without),
                    key=lambda puzzle: (puzzle.rating, puzzle.id))
    packed = lzma.compress(json.dumps([puzzle.as_json() for puzzle in chosen]).encode(), preset=9 | lzma.PRESET_EXTREME)
    assert len(packed) <= LARGEST, f"{len(packed)} bytes, at most {LARGEST} are shipped"
    STARTING_SET.write_bytes(packed)
    print(f"{len(chosen)} puzzles in {len(packed)} bytes")


if __name__ == "__main__":
    main()
