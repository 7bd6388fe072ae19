"""`book` as its users see it."""

from __future__ import annotations

import chess
import chess.polyglot
import pytest

from book.polyglot import BookEntry, write_book
from tests.book.test_build import GAMES, write
from tests.commands.running import run


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.bin"
    board = chess.Board()
    entries = []
    for text in ("f2f3", "e7e5", "g2g4"):  # the fool's mate, which the engine finds, is not in the book
        key = chess.polyglot.zobrist_hash(board)
        move = chess.Move.from_uci(text)
        entries.append(BookEntry(key, move.from_square << 6 | move.to_square, 10))
        if text == "f2f3":
            entries.append(BookEntry(key, chess.E2 << 6 | chess.E4, 5, 77))
        board.push(move)
    write_book(entries, path)
    return path


def test_a_book_is_built_checked_shown_and_merged(capsys, tmp_path):
    out = tmp_path / "new.bin"
    status, text, err = run(capsys, "book", "build", str(write(tmp_path)), "--out", str(out), "--min-games", "1")
    assert status == 1  # a game was broken
    assert err == f"warning: skipped {tmp_path / 'games.pgn'}, game 3: move 3 'Ke3' is illegal\n"
    assert "3 games used, 0 filtered out, 1 broken" in text
    status, text, _ = run(capsys, "book", "check", str(out))
    assert status == 0
    assert "can be reached" in text and "0 of their moves are illegal" in text
    status, text, _ = run(capsys, "book", "show", str(out), "--moves", "e2e4", "e5", "Nf3", "b8c6", "--nodes", "500")
    assert status == 0
    assert "Bb5" in text and "66.7 %" in text and "C60 Ruy Lopez" in text
    both = tmp_path / "both.bin"
    status, text, _ = run(capsys, "book", "merge", str(out), str(out), "--out", str(both))
    assert status == 0
    assert both.stat().st_size == out.stat().st_size


def test_losing_lines_are_found_and_removed(capsys, small, tmp_path):
    words = ("book", "check", str(small), "--nodes", "3000", "--worst", "100")
    status, text, _ = run(capsys, *words)
    assert status == 1
    assert "1 leave a side worse than 100" in text and "after 1. f3 e5 2. g4" in text
    better = tmp_path / "better.bin"
    status, text, _ = run(capsys, *words, "--out", str(better))
    assert status == 0, text
    assert "1 leave a side worse than 100" in text and "after 1. f3 e5 2. g4" in text  # what was removed
    assert "0 leave a side worse than 100" in run(capsys, "book", "check", str(better), *words[3:])[1]
    assert better.stat().st_size < small.stat().st_size


def test_moves_may_stand_in_one_text(capsys, small):
    assert (run(capsys, "book", "show", str(small), "--nodes", "100", "--moves", "1.f3 e5")
            == run(capsys, "book", "show", str(small), "--nodes", "100", "--moves", "f3", "e5"))


def test_the_learning_field_is_kept(capsys, small, tmp_path):
    out = tmp_path / "merged.bin"
    assert run(capsys, "book", "merge", str(small), "--out", str(out))[0] == 0
    assert "77" in run(capsys, "book", "show", str(out), "--nodes", "500")[1]
    assert out.read_bytes() == small.read_bytes()


def test_the_built_in_book_is_shown(capsys):
    status, text, _ = run(capsys, "book", "show", "--nodes", "500")
    assert status == 0
    assert "e4" in text and "King's Pawn Game" in text
    status, text, _ = run(capsys, "book", "show", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert (status, "no moves in the book" in text) == (0, True)


@pytest.mark.parametrize(("words", "message"), [
    (("check", "/nowhere.bin"), "cannot read /nowhere.bin"),
    (("show", "/nowhere.bin"), "cannot read /nowhere.bin"),
    (("show", "--fen", "nonsense"), "FEN"),
    (("show", "--moves", "e2e5"), "not a legal move"),
    (("check", "--nodes", "0"), "--nodes"),
    (("check", "--out", "x.bin"), "--out requires --nodes"),
    (("build", "/nowhere.pgn", "--out", "x.bin"), "cannot read"),
    (("build", __file__, "--out", "/nowhere/at/all/x.bin"), "no folder /nowhere/at/all"),
    (("build", __file__, "--out", "x.bin", "--min-games", "0"), "--min-games"),
    (("merge", "/nowhere.bin", "--out", "x.bin"), "cannot read /nowhere.bin"),
    (("names", "/nowhere.tsv", "--out", "x.xz"), "cannot read"),
])
def test_bad_input_gets_one_line(capsys, words, message):
    status, out, err = run(capsys, "book", *words)
    assert (status, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1
    assert message in err


def test_an_empty_book_is_not_written(capsys, tmp_path):
    out = tmp_path / "none.bin"
    status, _, err = run(capsys, "book", "build", str(write(tmp_path, GAMES)), "--out", str(out), "--min-games", "9")
    assert status == 2
    assert "would be empty" in err.splitlines()[-1]
    assert not out.exists()
