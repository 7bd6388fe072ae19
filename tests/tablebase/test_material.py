"""Endings: names, dependency order and conversions."""

from __future__ import annotations

import chess
import pytest

from engine.system.errors import InputError
from tablebase.material import all_endings, can_become, ending_of, parse_ending, with_dependencies


def test_the_number_of_endings_agrees_with_combinatorics():
    assert [len(all_endings(piece_count)) for piece_count in (3, 4, 5)] == [5, 30, 110]


@pytest.mark.parametrize(("text", "name"), [("KQvKR", "KQvKR"), ("KRKQ", "KQvKR"), ("krvkq", "KQvKR"), ("KKP", "KPvK"),
                                            ("KPKBN", "KBNvKP"), ("KNBK", "KBNvK")])
def test_all_spellings_of_a_name_are_accepted(text, name):
    assert parse_ending(text).name == name


@pytest.mark.parametrize("text", ["", "K", "KvK", "QvKR", "KXvK", "KQvKRv!", "KQQQQvK", "KKK", "KQvKRKR", "KKvQ",
                                  "KQKv", "vKQK"])
def test_invalid_names_are_rejected_in_one_line(text):
    with pytest.raises(InputError) as error:
        parse_ending(text)
    assert "\n" not in str(error.value)


def pieces_on(board: chess.Board) -> list[int]:
    return [piece.piece_type + 8 * (piece.color == chess.BLACK) for piece in board.piece_map().values()
            if piece.piece_type != chess.KING]


@pytest.mark.parametrize("fen", ["8/1P6/8/k7/8/1p6/2P5/K7 w - - 0 1", "2n5/1P6/k7/8/8/8/8/K7 w - - 0 1",
                                 "8/1P1P4/k7/8/8/8/8/K7 w - - 0 1", "8/8/8/8/k2pP3/8/8/K7 b - e3 0 1"])
def test_every_move_leads_to_an_ending_that_is_listed(fen):
    board = chess.Board(fen)
    ending = ending_of(pieces_on(board))[0]
    reached = set()
    for move in board.legal_moves:
        board.push(move)
        reached.add(ending_of(pieces_on(board))[0])
        board.pop()
    assert len(reached) > 1
    assert reached <= {ending, *ending.next_endings()}


def test_dependencies_come_first():
    order = [ending.name for ending in with_dependencies([parse_ending("KRPvKR")])]
    assert order[-1] == "KRPvKR" and "KQRvKR" in order and "KRvKP" in order and "KBBvK" not in order
    for number, name in enumerate(order):
        assert {child.name for child in parse_ending(name).next_endings()} <= set(order[:number])


def test_reachable_endings():
    rook_ending = [4, 1, 1, 12, 9]  # white: rook and two pawns; black: rook and pawn
    assert can_become(rook_ending, parse_ending("KQvKR"))  # a pawn has promoted
    assert can_become(rook_ending, parse_ending("KPPvK"))
    assert can_become(rook_ending, parse_ending("KRvKR"))
    assert not can_become([4, 12], parse_ending("KQvK"))
    assert not can_become([1, 9], parse_ending("KPPvK"))
