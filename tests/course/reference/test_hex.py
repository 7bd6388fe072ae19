"""Hex and Breakthrough: their rules by known counts and theorems, and their exercise."""

from __future__ import annotations

import random

import pytest

from engine.course.fit import check
from engine.course.own_play import meet
from engine.course.players import Effort, new_player
from engine.course.reference.exercises.hex import winning_cell
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games.breakthrough import Breakthrough, Pawns
from engine.course.reference.games.hex import Hex, HexBoard
from engine.course.reference.minimax import minimax
from engine.course.reference.solved import solve


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_first_player_wins_hex(size):
    """Nash's theorem: an extra stone never harms, so that the second player has no winning strategy."""
    game = Hex(size)
    assert solve(game, game.initial())[game.initial()].value == 1


def joined_by_flood(game: Hex, board: HexBoard, player: int) -> bool:
    """Whether a player has joined the own sides, by growing from one side row by row."""
    size = game.size
    cells = {(number // size, number % size) for number, owner in enumerate(board.cells) if owner == player}
    axis = 0 if player == MAX else 1
    reached = {cell for cell in cells if cell[axis] == 0}
    for _ in range(size * size):
        reached |= {(row, column) for row, column in cells if reached & {
            (row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column), (row - 1, column + 1),
            (row + 1, column - 1)}}
    return any(cell[axis] == size - 1 for cell in reached)


def test_exactly_one_player_joins_the_sides_of_a_full_board():
    chance = random.Random(1)
    for size in (3, 4, 7):
        game = Hex(size)
        for _ in range(20):
            board = game.initial()
            while not game.is_terminal(board):
                assert not joined_by_flood(game, board, MAX) and not joined_by_flood(game, board, MIN)
                board = game.result(board, chance.choice(game.actions(board)))
            winner = MAX if game.utility(board, MAX) > 0 else MIN
            assert joined_by_flood(game, board, winner) and game.utility(board, 1 - winner) == -1
            while None in board.cells:
                board = game.result(board, chance.choice(game.actions(board)))
            assert joined_by_flood(game, board, winner) and not joined_by_flood(game, board, 1 - winner)


def test_a_board_of_hex_leans_to_the_right():
    game = Hex(3)
    assert game.text(game.result(game.initial(), 4)) == ". . .\n . x .\n  . . ."
    assert game.to_move(game.initial()) == MAX == Hex(4).to_move(Hex(4).initial())


def test_pawns_break_through():
    game = Breakthrough()
    assert len(game.actions(game.initial())) == 6 + 2 * 5
    near = Pawns("." * 24 + "..x..." + "oooooo")
    assert sorted(game.actions(near)) == [(26, 31), (26, 33)]  # straight ahead is blocked
    after = game.result(near, (26, 31))
    assert game.is_terminal(after) and game.utility(after, MAX) == 1 == -game.utility(after, MIN)
    small = Breakthrough(2, 4)
    assert minimax(small, small.initial()) in {-1, 1}


def test_a_budget_of_states_makes_the_same_games_and_ends():
    game = Hex(3)
    fit = check(game)
    for name in ("uct", "alphabeta"):
        players = [new_player(name, game, fit, Effort(states=200), random.Random(1)) for _ in range(2)]
        board = game.initial()
        while not game.is_terminal(board):
            moves = [player(board) for player in players]
            assert moves[0] == moves[1]
            board = game.result(board, moves[0])


def points(game: Hex | Breakthrough, states: int, games: int) -> float:
    """UCT's share of the points against alpha-beta, where both may look at so many states for a move."""
    chance, fit = random.Random(5), check(game)
    tree, depth_first = (new_player(name, game, fit, Effort(states=states), chance) for name in ("uct", "alphabeta"))
    return meet(game, (tree, depth_first), games, chance)["points"] / games


def test_trees_overtake_alpha_beta_where_nobody_can_evaluate():
    """In Hex with enough states; with few of them, and where counting pawns says a lot, they do not."""
    assert points(Hex(4), 30, 12) < 0.5 < points(Hex(4), 1000, 12)
    assert points(Breakthrough(5, 5), 300, 2) < 0.5


def test_the_cell_of_the_exercise_wins():
    game = Hex(3)
    for seed in range(20):
        question = winning_cell(random.Random(seed))
        rows = [line.split() for line in question.text.splitlines()[-3:]]
        row, column = (int(part) - 1 for part in str(question.answer).split(","))
        sign = "x" if "x joins" in question.text else "o"
        assert rows[row][column] == "."
        rows[row][column] = sign
        cells = tuple({"x": MAX, "o": MIN, ".": None}[cell] for line in rows for cell in line)
        assert joined_by_flood(game, HexBoard(cells), MAX if sign == "x" else MIN)
