"""Repetitions seen a move early, against trying every move with python-chess."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.game import Game
from tests.kernels import can_repeat_after, pass_turn
from tests.positions import CORNERS, judge, legal_texts


def earlier_occurrences(board: chess.Board) -> list[int]:
    """How many plies ago the position was on the board before."""
    key, past, found = board._transposition_key(), board.copy(), []
    while past.move_stack:
        move = past.pop()
        if past.is_irreversible(move):
            break
        if past._transposition_key() == key:
            found.append(len(board.move_stack) - len(past.move_stack))
    return found


def repeats_at_once(board: chess.Board, plies_searched: int) -> bool:
    """Whether some move leads to a position that a search takes for a draw by repetition."""
    for move in list(board.legal_moves):
        board.push(move)
        found = earlier_occurrences(board)
        board.pop()
        if found and (found[0] <= plies_searched + 1 or len(found) > 1):
            return True
    return False


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CORNERS), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10_000)), max_size=40))
def test_repetitions_are_seen_a_move_early(fen, choices):
    """Games in which most pieces go back to where they came from."""
    game, board = Game(fen), judge(fen)
    for goes_on, choice in choices:
        moves = legal_texts(board)
        if not moves:
            break
        text = moves[choice % len(moves)]
        if not goes_on and len(board.move_stack) >= 2:
            last = board.move_stack[-2]
            back = chess.Move(last.to_square, last.from_square)
            text = back.uci() if back in board.legal_moves and not board.is_capture(back) else text
        game.play(text)
        board.push_uci(text)
        for plies_searched in (0, 3, 5, 100):
            assert can_repeat_after(game.position, plies_searched) == repeats_at_once(board, plies_searched)


@pytest.mark.parametrize(("piece", "away"), [("n", "d5f6"), ("b", "d5g8"), ("r", "d5d7"), ("q", "d5d8"), ("q", "h8g7")])
def test_moves_of_every_piece_are_known(piece, away):
    """White moves to and fro, Black away, and then it is Black who can go back."""
    game = Game(f"7k/8/8/3{piece}4/8/8/P7/K7 w - - 0 1", moves=["a1b1", away])
    assert not can_repeat_after(game.position, 2)
    game.play("b1a1")
    assert can_repeat_after(game.position, 3)


def test_no_repetition_is_seen_across_a_null_move():
    game = Game(moves=["g1f3", "g8f6", "f3g1"])
    assert can_repeat_after(game.position, 3)
    assert not can_repeat_after(game.position, 2), "once in the game is not enough"
    pass_turn(game.position)
    pass_turn(game.position)
    assert not can_repeat_after(game.position, 5)
