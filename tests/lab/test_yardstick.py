"""A yardstick has one quiet position of each game."""

from __future__ import annotations

import io

import chess
import chess.pgn

from engine.lab.tune.yardstick import quiet_positions
from tests.commands.running import run

FIRST = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Bg4 *"
SECOND = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qe5+ 4. Be2 Nf6 *"
MISSING = "1. e4 e5 2. Ke3 *"


def game_of(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    return game


def test_checks_and_captures_are_left_out():
    game = game_of(SECOND)
    boards = [node.board() for node in (game, *game.mainline())]
    assert quiet_positions(game, 0) == [boards[ply].epd() for ply in (0, 1, 4, 5, 7)]
    assert quiet_positions(game, 5) == [boards[ply].epd() for ply in (5, 7)]
    assert not quiet_positions(game, 8)


def test_one_position_of_each_game(tmp_path, capsys):
    games, out = tmp_path / "games.pgn", tmp_path / "positions.epd"
    games.write_text(f"{FIRST}\n\n{MISSING}\n\n{SECOND}\n\n1. d4 *\n")
    words = ("tune", "yardstick", str(games), "--out", str(out), "--first-ply", "4")
    status, said, complaints = run(capsys, *words, "--seed", "3")
    assert status == 0 and said == f"2 positions of 3 games in {out}\n" and "game 2" in complaints
    epds = out.read_text().splitlines()
    assert epds[0] in quiet_positions(game_of(FIRST), 4) and epds[1] in quiet_positions(game_of(SECOND), 4)
    assert run(capsys, *words, "--seed", "3")[0] == 0 and out.read_text().splitlines() == epds
    found = {run(capsys, *words, "--seed", str(seed))[0] or out.read_text() for seed in range(8)}
    assert len(found) > 1


def test_games_without_quiet_positions_are_an_error(tmp_path, capsys):
    games, out = tmp_path / "games.pgn", tmp_path / "positions.epd"
    games.write_text(FIRST)
    status, _, complaints = run(capsys, "tune", "yardstick", str(games), "--out", str(out))
    assert status == 2 and "no quiet position after ply 16 in any of 1 games" in complaints and not out.exists()
