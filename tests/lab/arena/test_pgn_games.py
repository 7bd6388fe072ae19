"""Games in PGN become training games, checked against python-chess."""

from __future__ import annotations

import lzma

import chess
import pytest

from engine.core.game import Game
from engine.lab.arena.game_rows import unpack_position
from engine.lab.arena.pgn_games import is_pgn, read_pgn_games
from engine.lab.arena.replay import line_keys
from engine.system.errors import InputError

TWO_GAMES = """[Event "One"]
[Result "1-0"]

1. e4 {best by test} e5 2. Nf3 (2. f4 exf4) Nc6 3. Bb5 a6 4. O-O?! Nf6 1-0

[Event "Two"]
[FEN "8/P7/8/8/8/8/k6K/8 w - - 0 1"]
[SetUp "1"]

1. a8=N Kb3 1/2-1/2
"""


def lines_of(path, warnings=None):
    """(start FEN, result, moves in UCI) of all games that are read."""
    problems = warnings if warnings is not None else []
    for block in read_pgn_games(path, problems.append):
        for number, row in enumerate(block.rows):
            game = Game(unpack_position(row).fen(shredder=True), chess960=True)
            moves = []
            for move in block.moves[block.starts[number]:block.starts[number + 1]].tolist():
                moves.append(game.uci(move))
                game.push_uci(moves[-1])
            yield unpack_position(row).fen(), int(row["result"]), moves


@pytest.mark.parametrize("suffix", [".pgn", ".pgn.xz"])
def test_main_lines_are_read(tmp_path, suffix):
    path = tmp_path / f"games{suffix}"
    path.write_bytes(lzma.compress(TWO_GAMES.encode()) if suffix.endswith("xz") else TWO_GAMES.encode())
    assert is_pgn(path)
    first, second = lines_of(path)
    assert first == (chess.STARTING_FEN, 1, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1h1", "g8f6"])
    assert second == ("8/P7/8/8/8/8/k6K/8 w - - 0 1", 0, ["a7a8n", "a2b3"])


def test_a_game_ends_before_an_illegal_move(tmp_path):
    path = tmp_path / "broken.pgn"
    path.write_text('[Event "x"]\n\n1. e4 e5 2. Qh7 Nc6 *\n\n[Event "y"]\n[FEN "nonsense"]\n\n1. e4 *\n')
    warnings = []
    (line,) = lines_of(path, warnings)
    assert line[2] == ["e2e4", "e7e5"]
    assert "Qh7" in warnings[0]
    assert "game 2" in warnings[1]


def test_games_of_one_opening_line_are_held_out_together(tmp_path):
    path = tmp_path / "lines.pgn"
    common = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5"
    path.write_text(f"{common} 7. Bb3 *\n\n{common} 7. Bb3 d6 *\n\n1. d4 d5 *\n")
    (block,) = read_pgn_games(path, print)
    keys = line_keys(block).tolist()
    assert keys[0] == keys[1] != keys[2]


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(InputError):
        list(read_pgn_games(tmp_path / "none.pgn", print))
