"""PGN files as they are found: joined, torn and broken; every game that can be read is read, with its headers."""

from __future__ import annotations

import io
import random
from pathlib import Path

import chess.pgn
import pytest

from engine.analysis import pgn_split
from engine.analysis.pgn_reader import count_games, read_game_text, read_games, read_games_text
from engine.analysis.pgn_split import split_games
from engine.system.errors import InputError

GAME = '[Event "A"]\n[White "Carlsen"]\n[Black "Caruana"]\n\n1. e4 {a comment} e5 (1... c5) 2. Nf3 *\n'
OTHER = '[Event "B"]\n[White "Anand"]\n[Black "Topalov"]\n\n1. d4 d5 1/2-1/2\n'


def games_of(text: str) -> list[chess.pgn.Game]:
    read = [game for _, game in read_games_text(text)]
    games = [game for game in read if isinstance(game, chess.pgn.Game)]
    assert games == read
    return games


def headers_of(text: str) -> list[dict[str, str]]:
    return [{name: value for name, value in game.headers.items() if value not in ("?", "????.??.??")}
            for game in games_of(text)]


def test_sound_files_are_split_as_python_chess_does_it():
    bare = "1. c4 {no headers\n\nand a blank line in a comment} c5 0-1\n"
    text = f"{GAME}\n{OTHER}\n{bare}\n{GAME}"
    handle, expected = io.StringIO(text), []
    while (game := chess.pgn.read_game(handle)) is not None:
        expected.append(str(game))
    assert [str(game) for game in games_of(text)] == expected and len(expected) == 4


@pytest.mark.parametrize(("broken", "site"), [
    ('[Site "Wijk\naan Zee"]', "Wijk aan Zee"), ('[Site "Wijk\n aan\n Zee"]', "Wijk aan Zee"),
    ('[Site "Wijk aan Zee"', "Wijk aan Zee"), ("[Site Wijk aan Zee]", "Wijk aan Zee"),
    ('  [ Site "Wijk aan Zee" ]', "Wijk aan Zee"), ('[Site "the "Zee""]', 'the "Zee"'), ('[Site "Wijk', None),
    ("[Site", None), ("[]", None), ("nothing at all", None), ('[Site "\nb"]', "b")])
def test_a_broken_header_costs_no_other(broken, site):
    text = f'[Event "Keep me"]\n[White "Carlsen"]\n{broken}\n[Black "Nobody"]\n\n1. e4 *\n\n{OTHER}'
    first, second = headers_of(text)
    assert first.pop("Site", None) == site
    assert first == {"Event": "Keep me", "White": "Carlsen", "Black": "Nobody", "Result": "*"}
    assert second["White"] == "Anand"


def test_what_is_left_out_of_the_headers_is_named(tmp_path):
    file, said = tmp_path / "games.pgn", []
    file.write_text('[White "Carlsen"]\n[Site "Wijk\n[Black "Caruana"]\n\n1. e4 *\n')
    assert len(list(read_games(file, said.append))) == 1
    assert said == [f"{file}, game 1 (Carlsen - Caruana): line 2 is not a header: '[Site \"Wijk'"]


def test_games_joined_without_a_blank_line_keep_their_headers():
    joined = GAME + OTHER + GAME.replace("\n\n", "\n") + OTHER
    assert [headers["White"] for headers in headers_of(joined)] == ["Carlsen", "Anand", "Carlsen", "Anand"]
    assert [len(list(game.mainline_moves())) for game in games_of(joined)] == [3, 2, 3, 2]


def test_two_headers_in_one_line_and_a_comment_that_looks_like_headers():
    (headers,) = headers_of('[Event "A"] [White "B"]\n\n1. e4 {\n[White "C"]\n} e5 *')
    assert headers == {"Event": "A", "White": "B", "Result": "*"}


def test_a_comment_that_is_never_closed_swallows_no_other_game():
    assert [headers["White"] for headers in headers_of(GAME.replace("}", "") + "\n" + OTHER)] == ["Carlsen", "Anand"]


@pytest.mark.parametrize("text", ["d7){", "1. e4 d7) {hm} 2. Nf3 *", "1. e4 d7) ((("])
def test_a_malformed_game_is_named_and_the_others_are_read(text):
    first, broken, last = read_games_text(f"{GAME}\n{text}\n\n{OTHER}")
    assert isinstance(broken[1], str) and broken[1].startswith("game 2 (? - ?): ")
    assert [isinstance(game, chess.pgn.Game) for _, game in (first, last)] == [True, True]
    with pytest.raises(InputError):
        read_game_text(text)


def test_a_game_that_is_too_long_is_named(monkeypatch):
    monkeypatch.setattr(pgn_split, "LONGEST_GAME", 100)
    monkeypatch.setattr("engine.analysis.pgn_reader.LONGEST_GAME", 100)
    long, short = read_games_text(f"{OTHER[:-9]} {{{'long ' * 50}}}\n*\n\n{OTHER}")
    assert long[1] == "game 1 (Anand - Topalov): it is longer than 100 characters"
    assert isinstance(short[1], chess.pgn.Game)


@pytest.mark.parametrize("line", ['[Site "' + " " * 500_000, "[" * 500_000, '[Site "' + '"' * 500_000,
                                  "[Site " + "x " * 250_000, " " * 500_000 + "[", '[A "b"]' * 70_000])
def test_long_lines_take_no_long_time(line):
    list(split_games([line + "\n", "1. e4 *\n"]))


def test_torn_files_never_raise():
    chance, text = random.Random(3), (GAME + "\n" + OTHER) * 3
    alphabet = '[]{}();"%\\\n\r\t $!?*-=+#OQ019ae \ud800\0\x85\u2028'
    for _ in range(400):
        torn = list(text)
        for _ in range(chance.randrange(1, 30)):
            torn[chance.randrange(len(torn))] = chance.choice(alphabet)
        for _, game in read_games_text("".join(torn)):
            assert isinstance(game, str) or list(game.mainline_moves())


def test_games_are_counted_as_they_are_read(tmp_path: Path):
    file = tmp_path / "games.pgn"
    file.write_text(GAME + OTHER + "\nd7){\n" + OTHER)
    assert count_games(file) == len(list(read_games(file))) == 4
