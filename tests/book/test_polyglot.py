"""Polyglot books: keys, moves, lookups and damaged files; compared with chess.polyglot."""

from __future__ import annotations

import random
import time
from collections import Counter

import chess
import chess.polyglot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from book.polyglot import (
    BEST_ONLY,
    ENTRY_BYTES,
    FLAT,
    PROPORTIONAL,
    Book,
    BookEntry,
    book_move,
    choose_index,
    game_key,
    pack_move,
    play_probabilities,
    write_book,
)
from engine.core.game import Game
from engine.system.errors import InputError
from tests.positions import DATA, play_both, reference_board, start_fens

LASKER_TRAP = "d2d4 d7d5 c2c4 e7e5 d4e5 d5d4 e2e3 f8b4 c1d2 d4e3 d2b4 e3f2 e1e2 f2g1n".split()


@settings(max_examples=80, deadline=None)
@given(st.data(), st.booleans())
def test_keys_agree_with_python_chess(data, chess960):
    fen = data.draw(start_fens(chess960))
    game, board = Game(fen, chess960), reference_board(fen, chess960)
    for choice in data.draw(st.lists(st.integers(0, 10_000), max_size=60)):
        if play_both(game, board, choice) is None:
            break
        assert game_key(game) == chess.polyglot.zobrist_hash(board), board.fen(en_passant="fen")


@pytest.mark.parametrize(("fen", "move"), [
    ("4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1", "d7d5"),  # the capture would uncover a check, and counts in the key
    ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5"),
    ("4k3/3p4/8/8/4P3/8/8/4K3 b - - 0 1", "d7d5"),
    ("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1", "a2a4"),
])
def test_en_passant_counts_if_a_pawn_can_capture(fen, move):
    game, board = Game(fen), chess.Board(fen)
    game.push_uci(move)
    board.push_uci(move)
    assert game_key(game) == chess.polyglot.zobrist_hash(board)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.booleans())
def test_moves_are_written_and_read_as_python_chess_does(data, chess960):
    fen = data.draw(start_fens(chess960))
    game, board = Game(fen, chess960), reference_board(fen, chess960)
    for move in game.legal_moves():
        packed = pack_move(move)
        entry = chess.polyglot.Entry(0, packed, 1, 0, decoded(packed))
        expected = board.parse_uci(game.uci(move))
        assert board.parse_uci(board.uci(from_polyglot(board, entry.move))) == expected
        assert book_move(game.position, packed) == move


def decoded(packed: int) -> chess.Move:
    promotion = packed >> 12 & 7
    return chess.Move(packed >> 6 & 63, packed & 63, promotion + 1 if promotion else None)


def from_polyglot(board: chess.Board, move: chess.Move) -> chess.Move:
    return board._from_chess960(board.chess960, move.from_square, move.to_square, move.promotion)


def test_castling_as_a_king_move_is_accepted():
    game = Game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    castling = {move for move in game.legal_moves() if game.uci(move) in ("e1g1", "e1c1")}
    packed = {chess.E1 << 6 | chess.G1, chess.E1 << 6 | chess.C1}
    assert {book_move(game.position, move) for move in packed} == castling


def random_entries(number: int, seed: int) -> list[BookEntry]:
    rng = random.Random(seed)
    keys = [rng.getrandbits(64) for _ in range(max(1, number // 3))] + [0, 2**64 - 1]
    return [BookEntry(rng.choice(keys), rng.getrandbits(15), rng.getrandbits(16), rng.getrandbits(32))
            for _ in range(number)]


@pytest.mark.parametrize("number", [1, 2, 3, 1000])
def test_every_entry_is_found_again(tmp_path, number):
    entries = random_entries(number, number)
    path = tmp_path / "book.bin"
    assert write_book(entries, path) == number
    with Book(path) as book:
        assert len(book) == number
        assert sorted(book) == sorted(entries)
        for key in {entry.key for entry in entries}:
            assert sorted(book.entries(key)) == sorted(entry for entry in entries if entry.key == key)
        assert book.entries(0x1234_5678_9ABC_DEF0) == []


@pytest.mark.parametrize("name", ["polyglot-gm2600.bin", "polyglot-lasker-trap.bin"])
def test_foreign_books_agree_with_python_chess(name):
    path = DATA / "openings" / name
    if not path.exists():
        pytest.skip("needs the larger suites")
    rng = random.Random(5)
    seen = 0
    with Book(path) as book, chess.polyglot.open_reader(path) as reader:
        assert len(book) == len(reader)
        assert [(entry.key, entry.move, entry.weight, entry.learn) for entry in book] == [
            (other.key, other.raw_move, other.weight, other.learn) for other in reader]
        for number in range(300):
            game, board = Game(), chess.Board()
            for text in LASKER_TRAP[: number % (len(LASKER_TRAP) + 1)]:  # a book for one side begins after any of them
                game.push_uci(text)
                board.push_uci(text)
            while True:
                entries = book.entries(game_key(game))
                expected = list(reader.find_all(board))
                texts = [game.uci(book_move(game.position, entry.move)) for entry in entries]
                assert texts == [board.uci(other.move) for other in expected]
                if not texts:
                    break
                seen += 1
                text = rng.choice(texts)
                game.push_uci(text)
                board.push_uci(text)
    assert seen > 0


def test_a_lookup_in_three_megabytes_is_quick(tmp_path):
    path = tmp_path / "large.bin"
    entries = random_entries(3 * 1024 * 1024 // ENTRY_BYTES, 9)
    write_book(entries, path)
    with Book(path) as book, chess.polyglot.open_reader(path) as reader:
        keys = [entry.key for entry in entries[::40]]
        best = min(timed(book, keys) for _ in range(5))
        started = time.process_time()
        for key in keys:
            next(reader.find_all(key))
        of_python_chess = time.process_time() - started
    # A machine that has slowed down for all is not a slow lookup.
    assert best / len(keys) < 20e-6 or best < 1.5 * of_python_chess


def timed(book: Book, keys: list[int]) -> float:
    started = time.process_time()
    for key in keys:
        book.entries(key)
    return time.process_time() - started


@pytest.mark.parametrize(("content", "message"), [
    (b"", "is empty"),
    (bytes(15), "is truncated or not a Polyglot book: .* got 15"),
    (bytes(40), "is truncated"),
    (b"this is no book" * 16, "is not sorted"),
])
def test_damaged_files_are_rejected(tmp_path, content, message):
    path = tmp_path / "bad.bin"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        Book(path)


def test_missing_files_are_rejected(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nowhere\.bin: No such file"):
        Book(tmp_path / "nowhere.bin")
    with pytest.raises(InputError, match=r"cannot read |invalid file name"):
        Book(tmp_path)


WEIGHTS = st.lists(st.integers(0, 65_535), max_size=12)


@given(WEIGHTS, st.integers(0, 100))
def test_probabilities_are_a_distribution_over_moves_with_weight(weights, variety):
    probabilities = play_probabilities(weights, variety)
    if any(weights):
        assert sum(probabilities) == pytest.approx(1)
        assert all((probability > 0) <= (weight > 0)
                   for probability, weight in zip(probabilities, weights, strict=True))
        assert all(a >= b for a, b in ((x, y) for x, w in zip(probabilities, weights, strict=True)
                                       for y, v in zip(probabilities, weights, strict=True) if w >= v))
    else:
        assert not any(probabilities)


def test_the_three_named_varieties():
    assert play_probabilities([30, 10, 0], BEST_ONLY) == [1, 0, 0]
    assert play_probabilities([30, 10, 0], PROPORTIONAL) == [0.75, 0.25, 0]
    assert play_probabilities([30, 10, 0], FLAT) == [0.5, 0.5, 0]


def test_moves_are_chosen_by_their_probabilities():
    rng = random.Random(1)
    chosen = Counter(choose_index(play_probabilities([60, 30, 10], PROPORTIONAL), rng) for _ in range(5000))
    for index, probability in enumerate((0.6, 0.3, 0.1)):
        assert abs(chosen[index] / 5000 - probability) < 0.03


@pytest.mark.parametrize("weights", [[], [0, 0]])
def test_nothing_to_choose_from(weights):
    assert choose_index(play_probabilities(weights, PROPORTIONAL), random.Random(1)) is None
