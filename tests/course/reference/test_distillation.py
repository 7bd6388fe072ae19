"""A pupil that learns from labels: they are the teacher's, they are all it knows, and more of them make it better."""

from __future__ import annotations

import random

import pytest

from engine.course.reference import distillation
from engine.course.reference.distillation import GAME, LINES, Label, Pupil, distance, labelled, patterns, teacher
from engine.course.reference.games.board import Board, parse_grid
from engine.course.reference.solved import solve

TABLE = solve(GAME, GAME.initial())
BOARDS = random.Random(3).sample([board for board in TABLE if not GAME.is_terminal(board)], 900)
EXAM, GIVEN = labelled(BOARDS[:300]), labelled(BOARDS[300:])


def looked_ahead(board: Board, plies: int) -> float:
    """The value for the player to move after a search of `plies` plies, by a negamax written for this test."""
    mover = len(board) - board.count(None)
    own, other = mover % 2, 1 - mover % 2
    rows = [{board[square] for square in line} for _, line in LINES]
    if {other} in rows:
        return -1
    if None not in board:
        return 0
    if plies == 0:
        return sum((other not in row) - (own not in row) for row in rows) / 9
    return max(-looked_ahead((*board[:square], own, *board[square + 1 :]), plies - 1)
               for square, owner in enumerate(board) if owner is None)


def taught(labels: list[Label]) -> Pupil:
    pupil = Pupil()
    pupil.learn(labels)
    return pupil


def good_moves(pupil: Pupil) -> float:
    """How often the reply that the pupil likes least for the opponent is a best move, by the table of the truth."""
    def is_best(board: Board) -> bool:
        after = [GAME.result(board, action) for action in GAME.actions(board)]
        chosen = min(after, key=lambda state: -2.0 if TABLE[state].value and GAME.is_terminal(state)
                     else 0.0 if GAME.is_terminal(state) else pupil.value(state))
        return TABLE[chosen].value == TABLE[board].value

    return sum(map(is_best, BOARDS[:300])) / 300


def test_labels_are_the_teachers_who_looks_three_plies_ahead():
    for board, value in EXAM[:60]:
        assert value == pytest.approx(looked_ahead(board, 3)) == pytest.approx(teacher(board))


def test_the_lines_are_those_of_the_game():
    assert sorted(line for _, line in LINES) == sorted(tuple(sorted(line)) for line in GAME._lines)


def test_a_pupil_sees_the_stones_of_the_player_to_move():
    assert patterns(parse_grid("xo. ... ..."))[0] == ("edge", ("mine", "theirs", " "))
    assert patterns(parse_grid("xo. x.. ..."))[0] == ("edge", ("theirs", "mine", " "))


def test_more_labels_make_it_better_on_boards_it_never_saw():
    distances = [distance(taught(GIVEN[:count]), EXAM) for count in (0, 30, 120, 600)]
    assert distances == sorted(distances, reverse=True) and distances[-1] < 0.35 * distances[0]
    assert good_moves(taught(GIVEN)) > 0.95 > good_moves(Pupil())


def test_labels_are_all_that_it_knows(monkeypatch):
    """It is never shown a finished game, asks nobody while it learns, and believes whatever it is told."""
    assert not any(GAME.is_terminal(board) for board, _ in GIVEN)
    for name in ("utility", "winner", "is_terminal", "result"):
        monkeypatch.setattr(distillation.TicTacToe, name, None)
    honest, misled = taught(GIVEN), taught([Label(board, -value) for board, value in GIVEN])
    monkeypatch.undo()
    assert all(misled.value(board) == pytest.approx(-honest.value(board), abs=1e-9) for board, _ in EXAM)
    assert good_moves(misled) < good_moves(Pupil()) < good_moves(honest)
    assert set(taught([Label(board, 0.0) for board, _ in GIVEN]).weights.values()) == {0.0}
