"""The puzzles of the package: legal, small, and spread over ratings and themes."""

from __future__ import annotations

from engine.coach.puzzle_files import STARTING_SET, starting_puzzles
from tests.coach.starting_set import LARGEST, MOST, is_sound


def test_the_puzzles_of_the_package_are_legal_and_small():
    puzzles = starting_puzzles()
    assert MOST >= len({puzzle.id for puzzle in puzzles}) == len(puzzles) >= 500
    assert STARTING_SET.stat().st_size <= LARGEST
    for puzzle in puzzles:
        end = puzzle.board(len(puzzle.solution))
        assert is_sound(puzzle)
        assert not end.is_stalemate()
        assert all(puzzle.is_right(known.ply, known.move) is False for known in puzzle.tries)
