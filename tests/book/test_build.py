"""Building books: PGN read as python-chess reads it, moves counted as they were played."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import time
import zipfile
from collections import Counter
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from book.build import BookFilter, Builder, MoveCounter, Weighting, merge_books
from book.pgn import main_line, read_pgn
from book.polyglot import BookEntry
from book.replay import parse_san, replay
from engine.core.fen import parse_fen
from engine.core.movegen import empty_move_list
from engine.system.errors import InputError
from tests.positions import reference_board, start_fens
from tests.timing import slowness

GAMES = """[Event "one"]
[Result "1-0"]
[WhiteElo "2500"]
[BlackElo "2400"]
[Date "1999.01.02"]

1. e4 {the best [by test] } e5 2. Nf3 (2. f4 exf4 (2... d5 3. exd5) 3. Nf3) 2... Nc6 $1 3. Bb5 a6!? 1-0

[Event "two"]
[Result "1/2-1/2"]
[Date "2010.??.??"]

1.e4 e5 2.Nf3 Nc6 ; a remark to the end of the line ( with a bracket
3.Bc4 Bc5 4.O-O Nf6 5. d3
O-O 1/2-1/2

[Event "broken"]
[Result "0-1"]

1. e4 e5 2. Ke3 Nc6 0-1

[Event "three"]
[Result "0-1"]

1. d4 d5 0-1
"""


def write(folder: Path, text: str = GAMES, name: str = "games.pgn") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_games_are_read_as_python_chess_reads_them(tmp_path):
    ours = list(read_pgn(write(tmp_path)))
    source = io.StringIO(GAMES.replace("2. Ke3 Nc6 ", ""))
    for game in ours:
        theirs = chess.pgn.read_game(source)
        assert theirs is not None
        assert game.result == theirs.headers["Result"]
        board = theirs.board()
        sans = []
        for move in theirs.mainline_moves():
            sans.append(board.san(move))
            board.push(move)
        if game.number != 3:
            assert [word.rstrip("!?") for word in game.moves] == sans


@pytest.mark.parametrize("ending", [".pgn", ".pgn.gz", ".pgn.xz", ".pgn.bz2", ".zip"])
def test_compressed_files_give_the_same_games(tmp_path, ending):
    path = tmp_path / f"games{ending}"
    if ending == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("games.pgn", GAMES)
    else:
        pack = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}.get(path.suffix, lambda data: data)
        path.write_bytes(pack(GAMES.encode()))
    assert [len(game.moves) for game in read_pgn(path)] == [6, 10, 4, 2]


@pytest.mark.parametrize("name", ["games.pgn.gz", "games.pgn.xz", "games.zip"])
def test_damaged_files_are_rejected(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\x1f\x8b no archive at all")
    with pytest.raises(InputError, match=name):
        list(read_pgn(path))


def test_missing_files_are_rejected(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nowhere\.pgn"):
        list(read_pgn(tmp_path / "nowhere.pgn"))


@given(st.text(max_size=300))
def test_no_text_makes_the_reader_fail(text):
    assert all(isinstance(parse_san(word), int) for word in main_line(text)[0])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_legal_move_is_understood_as_python_chess_writes_it(data):
    fen = data.draw(start_fens(chess960=False))
    board = reference_board(fen)
    for choice in data.draw(st.lists(st.integers(0, 10_000), max_size=30)):
        for move in board.legal_moves:
            words = np.array([parse_san(board.san(move))], np.int64)
            keys, moves = np.zeros(1, np.uint64), np.zeros(1, np.int64)
            position = parse_fen(board.fen(en_passant="legal"))
            assert replay(position, empty_move_list(), words, keys, moves) == 1, (board.fen(), board.san(move))
            after = board.copy(stack=False)
            after.push(move)
            assert parse_fen(after.fen()).key == position.key
        legal = list(board.legal_moves)
        if not legal:
            break
        board.push(legal[choice % len(legal)])


ODD_PGN = """% an escape
[Event "The "Big" Open"]
[Result "*"]

[Event "two" ]
[Result "1-0"]

1. e4 e5 ; see {
2. Nf3 Nc6 {a comment
[Event "inside"] that goes on} 3. Bb5 1-0

[Event "three"]
[Result "*"]

1. d4 d5 2. c4 -- 0-1
"""


def test_odd_files_are_read_game_by_game(tmp_path):
    for text in (ODD_PGN, ODD_PGN.replace("\n", "\r\n"), "\ufeff" + ODD_PGN):
        path = tmp_path / "odd.pgn"
        path.write_bytes(text.encode("utf-8"))
        assert [(game.headers["Event"], game.moves, game.result) for game in read_pgn(path)] == [
            ('The "Big" Open', [], "*"), ("two", ["e4", "e5", "Nf3", "Nc6", "Bb5"], "1-0"),
            ("three", ["d4", "d5", "c4", "--"], "0-1")]


def test_games_without_headers_end_with_their_results(tmp_path):
    path = write(tmp_path, "1. e4 e5 1-0\n\n1. d4 d5 2. c4\ne6 0-1\n")
    assert [(game.moves, game.result) for game in read_pgn(path)] == [
        (["e4", "e5"], "1-0"), (["d4", "d5", "c4", "e6"], "0-1")]


def test_foreign_files_need_little_memory(tmp_path):
    path = tmp_path / "large.bin"
    path.write_bytes(b"abcdefgh\n" * 200_000)
    with pytest.raises(InputError, match="is it PGN"):
        list(read_pgn(path))
    with pytest.raises(InputError, match="unsupported compression"):
        list(read_pgn(write(tmp_path, name="games.pgn.zst")))


@pytest.mark.parametrize(("headers", "moves", "used"), [
    ('[FEN "4k3/P7/8/8/8/8/8/4K3 b - - 0 1"]', "1... Kd7 2. a8=Q", True),
    ('[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]', "1. a8/q++ Kd7", True),
    ('[Variant "Chess960"]\n[FEN "4k3/8/8/8/8/8/8/1RK5 w B - 0 1"]', "1. O-O-O Ke7", True),
    ('[Variant "Atomic"]', "1. e4 e5", False),
])
def test_games_from_other_positions(tmp_path, headers, moves, used):
    builder = Builder(BookFilter(min_games=1))
    warnings: list[str] = []
    path = write(tmp_path, f"{headers}\n\n{moves} 1/2-1/2\n")
    assert list(builder.add_games(read_pgn(path), warnings.append)) == [1]
    assert (builder.used, len(warnings)) == (int(used), int(not used)), warnings


@pytest.mark.parametrize(("word", "other"), [
    ("Ng1-f3", "Ng1f3"), ("exd6e.p.", "exd6"), ("e8=q", "e8=Q"), ("Qxf7++", "Qxf7"), ("0-0", "O-O"),
    ("0-0-0+", "O-O-O")])
def test_unusual_spellings_of_moves(word, other):
    assert parse_san(word) == parse_san(other) != 0


@pytest.mark.parametrize("word", ["", "e9", "Zf3", "Nf3x", "e8=K", "O-O-O-O", "--", "0000"])
def test_words_that_are_not_moves(word):
    assert parse_san(word) == 0


def test_ambiguous_words_are_rejected():
    position = parse_fen("4k3/8/8/8/8/8/8/R3K2R w - - 0 1")
    for word, played in (("Rd1", 1), ("Rf1", 1), ("Rg1", 1)):
        assert replay(position.copy(), empty_move_list(), np.array([parse_san(word)]), np.zeros(1, np.uint64),
                      np.zeros(1, np.int64)) == played
    knights = parse_fen("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1")
    for word, played in (("Nd2", 0), ("Nbd2", 1), ("Nfd2", 1), ("Nc3", 1)):
        assert replay(knights.copy(), empty_move_list(), np.array([parse_san(word)]), np.zeros(1, np.uint64),
                      np.zeros(1, np.int64)) == played


def built(path: Path, book_filter: BookFilter) -> tuple[Builder, list[str]]:
    builder = Builder(book_filter)
    warnings: list[str] = []
    assert list(builder.add_games(read_pgn(path), warnings.append)) == [1, 2, 3, 4]
    return builder, warnings


def moves_at(entries: list[BookEntry], board: chess.Board) -> dict[str, int]:
    key = chess.polyglot.zobrist_hash(board)
    return {entry.text(): entry.weight for entry in entries if entry.key == key}


def test_weights_are_half_points(tmp_path):
    builder, warnings = built(write(tmp_path), BookFilter(min_games=1))
    assert (builder.used, builder.refused, builder.broken) == (3, 0, 1)
    assert warnings == ["game 3: move 3 'Ke3' is illegal"]
    entries = builder.entries()
    board = chess.Board()
    assert moves_at(entries, board) == {"e2e4": 3}  # 1. d4 lost, and is not recommended
    for move in ("e2e4", "e7e5", "g1f3", "b8c6"):
        board.push_uci(move)
    assert moves_at(entries, board) == {"f1b5": 2, "f1c4": 1}
    assert moves_at(built(write(tmp_path), BookFilter(min_games=1, weighting=Weighting.GAMES))[0].entries(),
                    chess.Board()) == {"e2e4": 2, "d2d4": 1}


def test_castling_is_king_takes_rook(tmp_path):
    entries = built(write(tmp_path), BookFilter(min_games=1))[0].entries()
    assert {"e1h1", "e8h8"} <= {entry.text() for entry in entries}


@pytest.mark.parametrize(("book_filter", "used"), [
    (BookFilter(min_games=1, since=2000), 1), (BookFilter(min_games=1, min_elo=2400), 1),
    (BookFilter(min_games=1, min_elo=2450), 0)])
def test_games_are_chosen_by_their_headers(tmp_path, book_filter, used):
    assert built(write(tmp_path), book_filter)[0].used == used


def test_moves_are_chosen_by_games_score_and_ply(tmp_path):
    assert len(built(write(tmp_path), BookFilter(min_games=2))[0].entries()) == 4
    assert len(built(write(tmp_path), BookFilter(min_games=2, max_ply=3))[0].entries()) == 3
    entries = built(write(tmp_path), BookFilter(min_games=1, min_score=80))[0].entries()
    assert {entry.text() for entry in entries} == {"f1b5", "d7d5"}


def test_a_move_counter_drops_the_rarest():
    generator = np.random.default_rng(3)
    truth: Counter[tuple[int, int]] = Counter()
    whole, small = MoveCounter(), MoveCounter(most=40)
    for _ in range(200):
        keys, moves = generator.integers(0, 20, 30).astype(np.uint64), generator.geometric(0.3, 30).astype(np.uint16)
        truth.update(zip(keys.tolist(), moves.tolist(), strict=True))
        for counter in (whole, small):
            counter.add(keys, moves, np.ones(30, np.uint8))
            counter.counts()
    counts = {(int(row["key"]), int(row["move"])): int(row["games"]) for row in whole.counts()}
    assert counts == truth
    assert len(small.counts()) <= 40 and small.undercount > 0
    for row in small.counts():
        true = truth[int(row["key"]), int(row["move"])]
        assert true - small.undercount <= row["games"] <= true
    kept = {(int(row["key"]), int(row["move"])) for row in small.counts()}
    assert all(count <= small.undercount for move, count in truth.items() if move not in kept)
    assert (whole.counts()["points"] == whole.counts()["games"]).all()


def test_merging_adds_weights_and_keeps_the_learning_field():
    first = [BookEntry(1, 7, 10, 99), BookEntry(1, 8, 65_000, 0)]
    second = [BookEntry(1, 7, 5, 11), BookEntry(1, 8, 5_000, 0), BookEntry(2, 7, 1, 3)]
    assert sorted(merge_books([first, second])) == [BookEntry(1, 7, 14, 99), BookEntry(1, 8, 65_535, 0),
                                                    BookEntry(2, 7, 1, 3)]


def test_weights_fit_into_the_file():
    from book.build import _scaled_weights

    assert list(_scaled_weights([BookEntry(1, 1, 200_000), BookEntry(1, 2, 100_000), BookEntry(1, 3, 1),
                                 BookEntry(1, 4, 0)])) == [
        BookEntry(1, 1, 65_535), BookEntry(1, 2, 32_767), BookEntry(1, 3, 1), BookEntry(1, 4, 0)]


@pytest.mark.parametrize(("text", "moves"), [
    ("1. e4 (1. d4 (1. c4) d5) e5 2. Nf3", ["e4", "e5", "Nf3"]),
    ("1. e4 (1. d4 e5 2. Nf3", ["e4", "(", "d4", "e5", "Nf3"]),  # a bracket that is never closed is a mark
    ("1. e4 ) e5", ["e4", ")", "e5"]),
    ("(((1. d4)))1. e4", ["e4"]),
])
def test_variations_are_ignored(text, moves):
    assert main_line(text)[0] == moves


@pytest.mark.parametrize("text", ["(" * 50_000 + ")" * 50_000, "(a" * 50_000, "1" * 100_000, "1 " * 50_000,
                                  ")" * 100_000, "$" * 100_000, "." * 100_000])
def test_foreign_texts_are_rejected_quickly(text):
    started = time.process_time()
    main_line(text)
    assert time.process_time() - started < slowness()  # seconds
