"""The puzzles of the package: legal, small, and spread over ratings and themes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import chess

from engine.coach.puzzle import Goal, Puzzle
from engine.coach.puzzle_files import STARTING_SET, starting_puzzles
from tests.coach.starting_set import LARGEST, MOST, is_sound, merged

FORK = Puzzle("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", tuple(map(chess.Move.from_uci, ("d5c7", "e8d7", "c7a8"))), Goal.WIN,
              ("win", "fork"), 800)
MATE = Puzzle("6k1/5ppp/8/8/8/8/5PPP/RR4K1 w - - 0 1", (chess.Move.from_uci("a1a8"),), Goal.MATE, ("mate in 1",), 1500)


def test_the_puzzles_of_the_package_are_legal_and_small():
    puzzles = starting_puzzles()
    assert MOST >= len({puzzle.id for puzzle in puzzles}) == len(puzzles) >= 900
    assert STARTING_SET.stat().st_size <= LARGEST
    for puzzle in puzzles:
        end = puzzle.board(len(puzzle.solution))
        assert is_sound(puzzle)
        assert not end.is_stalemate()
        assert all(puzzle.is_right(known.ply, known.move) is False for known in puzzle.tries)


def test_they_are_spread_over_ratings_and_themes():
    puzzles = starting_puzzles()
    assert sum(puzzle.rating < 1000 for puzzle in puzzles) >= 100
    assert sum(puzzle.rating >= 1800 for puzzle in puzzles) >= 70
    themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes)
    assert all(themes[theme] >= 10 for theme in (
        "fork", "pin", "discovered attack", "discovered check", "double check", "attraction", "hanging piece",
        "back-rank mate", "mate in 1", "mate in 2", "mate in 3", "opening", "middlegame", "endgame", "win", "save"))


def test_what_is_rare_comes_into_the_set_first():
    same = [replace(FORK, fen=f"r3k3/8/8/3N4/8/8/8/4K3 w - - {clock} 1") for clock in range(3)]
    rare = replace(FORK, fen="r3k3/8/8/3N4/8/8/8/4K3 w - - 9 1", rating=2300)
    assert merged(same[:1], [*same[1:], rare, MATE], most=3)[0] == same[0]  # what is shipped stays
    assert set(merged(same[:1], [*same[1:], rare, MATE], most=3)) == {same[0], rare, MATE}  # no two more forks of 800
    unsound = replace(MATE, themes=("mate in 2",))
    assert set(merged(same[:1], [*same, unsound])) == set(same)
