"""Write the puzzles of the package from files that `adversary puzzles` made.

`python -m tests.coach.starting_set FILE...`
Every solution is checked by python-chess; a puzzle that is in several files is taken once, the easiest come first.
"""

from __future__ import annotations

import argparse
import json
import lzma
from pathlib import Path

from engine.coach.puzzle import Puzzle
from engine.coach.puzzle_files import STARTING_SET, read_puzzles

MOST = 1000
LARGEST = 200_000  # bytes


def is_sound(puzzle: Puzzle) -> bool:
    """Whether the position is legal, and the solution ends with the mate that its themes promise."""
    promised = [theme for theme in puzzle.themes if theme.startswith("mate in")]
    end = puzzle.board(len(puzzle.solution))
    return puzzle.board().is_valid() and end.is_checkmate() == bool(promised) and (
        not promised or promised == [f"mate in {(len(puzzle.solution) + 1) // 2}"])


def main() -> None:
    """Write the set, and print how many puzzles and bytes it has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    found = {puzzle.id: puzzle for path in arguments.files for puzzle in read_puzzles(path) if is_sound(puzzle)}
    chosen = sorted(list(found.values())[:MOST], key=lambda puzzle: (puzzle.rating, puzzle.id))
    packed = lzma.compress(json.dumps([puzzle.as_json() for puzzle in chosen]).encode(), preset=9 | lzma.PRESET_EXTREME)
    assert len(packed) <= LARGEST, f"{len(packed)} bytes, at most {LARGEST} are shipped"
    STARTING_SET.write_bytes(packed)
    print(f"{len(chosen)} puzzles in {len(packed)} bytes")


if __name__ == "__main__":
    main()
