"""The puzzles of the package: legal, small, and spread over ratings and themes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import chess

from engine.coach.puzzle import Goal, Puzzle
from engine.coach.puzzle_files import STARTING_SET, starting_puzzles
from tests.coach.starting_set import LARGEST, MOST, is_sound, merged

FORK = Puzzle("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", tuple(map(chess.Move.from_uci, ("d5c7", "e8d7", "c7a8"))), Goal.WIN,
              ("win", "fork"), 800)
MATE = Puzzle("6k1/5ppp/8/8/8/8/5PPP/RR4K1 w - - 0 1", (chess.Move.from_uci("a1a8"),), Goal.MATE, ("mate in 1",), 1500)

STANDING = r"(White|Black) is (winning|better|only a little better)|the game is even"
MATE_IN = re.compile(r"allows mate in (\d+)")
COST = re.compile(rf"gives stalemate|walks into a forced mate|{MATE_IN.pattern}|allows perpetual check"
                  r"|((loses|drops|gives|leaves|lets|allows the threat of|allows an? [a-z -]+ that wins) [^;]+; )?"
                  rf"({STANDING})")


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


def test_no_refutation_tells_what_would_have_been_right():
    """A reason is about the opponent's answer, and the line ends before the solver makes the right move after all."""
    tries = [(puzzle, known) for puzzle in starting_puzzles() for known in puzzle.tries]
    assert len(tries) >= 1000
    for puzzle, known in tries:
        assert COST.fullmatch(known.reason), known.reason
        assert puzzle.solution[known.ply] not in known.refutation[1::2]
        if mates := MATE_IN.fullmatch(known.reason):  # by the opponent
            board = puzzle.board(known.ply)
            board.push(known.move)
            assert len(known.refutation) <= 2 * int(mates[1]) - 1
            assert board.legal_moves


def test_what_is_rare_comes_into_the_set_first():
    same = [replace(FORK, fen=f"r3k3/8/8/3N4/8/8/8/4K3 w - - {clock} 1") for clock in range(3)]
    rare = replace(FORK, fen="r3k3/8/8/3N4/8/8/8/4K3 w - - 9 1", rating=2300)
    assert merged(same[:1], [*same[1:], rare, MATE], most=3)[0] == same[0]  # what is shipped stays
    assert set(merged(same[:1], [*same[1:], rare, MATE], most=3)) == {same[0], rare, MATE}  # no two more forks of 800
    unsound = replace(MATE, themes=("mate in 2",))
    assert set(merged(same[:1], [*same, unsound])) == set(same)
