"""Make and unmake: the record, its keys and its counters."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.position import HISTORY, POSITION
from engine.core.uci_moves import parse_uci
from tests.kernels import key_after_entry, keys_from_scratch, make_null_entry, unmake_entry, unmake_null_entry
from tests.positions import CORNERS, legal_texts, play_both, reference_board, start_fens

KEYS = ("key", "pawn_key", "non_pawn_keys")


def live_bytes(pos) -> bytes:
    """The record without the unused entries of the ring; for games shorter than the ring."""
    content = bytearray(pos.tobytes())
    for name in ("undo_stack", "past_last_null"):
        assert POSITION.fields is not None
        slots, offset = POSITION.fields[name][:2]
        free = (HISTORY - int(pos.ply)) * slots.itemsize // HISTORY
        end = offset + slots.itemsize
        content[end - free : end] = bytes(free)
    return bytes(content)


def keys_of(pos) -> list[int | list[int]]:
    return [pos[name].tolist() for name in KEYS]


@settings(max_examples=40, deadline=None)
@given(st.data(), st.booleans())
def test_make_and_unmake_restore_every_byte_and_keep_the_keys(data, chess960):
    fen = data.draw(start_fens(chess960))
    game, board = Game(fen, chess960), reference_board(fen, chess960)
    before = []
    for choice in data.draw(st.lists(st.integers(0, 10_000), max_size=60)):
        before.append(live_bytes(game.position))
        if play_both(game, board, choice) is None:
            before.pop()
            break
        scratch = copy.deepcopy(game.position)
        keys_from_scratch(scratch)
        assert keys_of(scratch) == keys_of(game.position)
    while before:
        unmake_entry(game.position, game.moves.pop())
        assert live_bytes(game.position) == before.pop()


@pytest.mark.parametrize("fen", CORNERS)
def test_null_move(fen):
    game, board = Game(fen), reference_board(fen)
    if board.is_check():
        return
    before = live_bytes(game.position)
    make_null_entry(game.position)
    scratch = copy.deepcopy(game.position)
    keys_from_scratch(scratch)
    assert keys_of(scratch) == keys_of(game.position)
    board.push(board.parse_uci("0000"))
    assert game.fen() == board.fen()
    unmake_null_entry(game.position)
    assert live_bytes(game.position) == before


@pytest.mark.parametrize("fen", CORNERS)
def test_key_after_is_exact_for_normal_moves(fen):
    for text in legal_texts(reference_board(fen)):
        game = Game(fen)
        move = parse_uci(game.position, text)
        expected = key_after_entry(game.position, move)
        before = game.position.castling, game.position.ep
        game.push_uci(text)
        is_ordinary = move >> 12 == 0 and before == (game.position.castling, game.position.ep)
        assert not is_ordinary or expected == int(game.position.key)


def test_different_positions_have_different_keys():
    fens_by_key: dict[int, set[str]] = {}
    for start in CORNERS:
        board = reference_board(start)
        for first in legal_texts(board):
            board.push_uci(first)
            for second in legal_texts(board):
                board.push_uci(second)
                fen = " ".join(board.fen().split()[:4])
                fens_by_key.setdefault(int(parse_fen(fen).key), set()).add(fen)
                board.pop()
            board.pop()
    assert len(fens_by_key) > 10_000
    assert all(len(fens) == 1 for fens in fens_by_key.values())


def test_the_en_passant_square_is_kept_only_when_a_capture_is_legal():
    assert Game(moves=["e2e4"]).fen().split()[3] == "-"
    assert Game(moves=["e2e4", "a7a6", "e4e5", "d7d5"]).fen().split()[3] == "d6"
    pinned = Game("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", moves=["e2e4"])
    assert pinned.fen().split()[3] == "-"


def test_a_game_longer_than_the_history_goes_on():
    game = Game()
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    for _ in range(600):
        for text in shuffle:
            game.push_uci(text)
    assert game.fen() == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2400 1201"
    assert game.repetitions() > 3


def test_transpositions_have_one_key():
    for first, second in ((["e2e4", "e7e5", "g1f3"], ["g1f3", "e7e5", "e2e4"]),
                          (["b1c3", "a7a6", "a2a3"], ["a2a3", "a7a6", "b1c3"])):
        one, other = Game(moves=first), Game(moves=second)
        assert keys_of(one.position) == keys_of(other.position)
