"""Names of openings."""

from __future__ import annotations

import chess
import chess.polyglot
import pytest

from book.names import OpeningName, _names, last_opening_by_keys, opening_by_key, read_names, write_names
from engine.system.errors import InputError
from tests.positions import DATA


def keys_of(*sans: str) -> list[int]:
    board = chess.Board()
    keys = [chess.polyglot.zobrist_hash(board)]
    for san in sans:
        board.push_san(san)
        keys.append(chess.polyglot.zobrist_hash(board))
    return keys


@pytest.mark.parametrize(("sans", "eco", "name"), [
    ("e4 e5 Nf3 Nc6 Bb5", "C60", "Ruy Lopez"),
    ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "B90", "Sicilian Defense: Najdorf Variation"),
    ("d4 Nf6 c4 g6 Nc3 d5", "D80", "Grünfeld Defense"),
    ("c4 g6 Nc3 Nf6 d4 d5", "D80", "Grünfeld Defense"),  # by another order of moves
])
def test_known_openings(sans, eco, name):
    assert opening_by_key(keys_of(*sans.split())[-1]) == OpeningName(eco, name)


def test_a_game_keeps_its_last_name():
    keys = keys_of(*"e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O h3 Bb7 d3 d6 a3 Qd7 Nbd2 Rfe8".split())
    found = last_opening_by_keys(keys)
    assert found is not None and found.name.startswith("Ruy Lopez: ")
    assert last_opening_by_keys(keys[:1]) is None


def test_the_table_is_complete():
    assert len(_names()) > 3500
    assert all(len(name.eco) == 3 and name.name for name in _names().values())


def test_names_are_read_from_lists(tmp_path):
    path = tmp_path / "names.tsv"
    path.write_text("eco\tname\tpgn\nC20\tKing's Pawn Game\t1. e4 e5\n", encoding="utf-8")
    names = dict(read_names([path]))
    assert names == {keys_of("e4", "e5")[-1]: OpeningName("C20", "King's Pawn Game")}
    write_names(names, tmp_path / "names.xz")
    assert (tmp_path / "names.xz").stat().st_size > 0
    path.write_text("eco\tname\tpgn\nC20\tKing's Pawn Game\t1. e4 e5\nC99\tNonsense\t1. e4 e4\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 3"):
        list(read_names([path]))
    with pytest.raises(InputError, match="cannot read"):
        list(read_names([tmp_path / "nowhere.tsv"]))


@pytest.mark.parametrize("text", ["", "C20\tKing's Pawn Game\t1. e4 e5\n"])
def test_a_list_without_its_headings_is_refused(tmp_path, text):
    """Its first name would be taken for them."""
    path = tmp_path / "names.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="first line must be eco, name and pgn"):
        list(read_names([path]))


def test_the_table_agrees_with_the_lists():
    lists = sorted((DATA / "openings").glob("lichess-?.tsv"))
    if not lists:
        pytest.skip("needs the larger suites")
    assert dict(read_names(lists)) == _names()
