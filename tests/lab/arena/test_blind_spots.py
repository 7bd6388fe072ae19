"""Blind spots: who knew first is read off the scores of a game, and the positions between become openings."""

from __future__ import annotations

import io

import chess
import chess.pgn
import pytest

from engine.lab.arena.blind_spots import lost_game, parse_score, spread
from engine.lab.arena.records import GameRecord, MoveRecord, Opening
from tests.commands.running import run

LINE = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 b2b4 c5b4 c2c3 b4a5 d2d4 e5d4".split()  # White's scores and Black's in turn


def game_text(scores: list[int | None], result: str, players: tuple[str, str] = ("strong", "weak")) -> str:
    moves = tuple(MoveRecord(move, score) for move, score in zip(LINE, scores, strict=False))
    return GameRecord(0, players, Opening(), moves, result, "test").pgn()


def parse(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    return game


@pytest.mark.parametrize(("comment", "score"), [
    ("+0.51", 51), ("-1.20 depth 9 0.033s", -120), ("+0.08/14 0.25s", 8), ("-M3/20 1.0s", -99_997), ("+#5", 99_995),
    ("1.00", 100), ("book", None), ("", None), ("0-1", None)])
def test_scores_are_read_as_programs_write_them(comment, score):
    assert parse_score(comment) == score


def test_the_lag_is_counted_in_plies():
    scores = [0, 0, 120, -20, 90, -30, 150, -50, 160, -110, 300, -290]  # at ply 4 White was not yet sure
    found = lost_game(parse(game_text(scores, "1-0")), "weak", 100)
    assert found is not None and (found.winner_ply, found.loser_ply, found.lag) == (6, 9, 3)
    board = chess.Board()
    for move in LINE[:6]:
        board.push_uci(move)
    assert found.fens[0] == board.epd()
    board.push_uci(LINE[6])
    board.push_uci(LINE[7])
    assert board.epd() == found.fens[2] and len(found.fens) == 3


def test_a_loser_who_knows_first_has_a_negative_lag_and_no_blind_spots():
    found = lost_game(parse(game_text([0, -150, 80, -160, 120, -300], "1-0")), "weak", 100)
    assert found is not None and found.lag == -3 and found.fens == ()


def test_a_loser_who_never_knows_is_blind_to_the_end():
    found = lost_game(parse(game_text([0, 0, 200, -10, 300, -20], "1-0")), "weak", 100)
    assert found is not None and found.loser_ply == 6 and len(found.fens) == 4


@pytest.mark.parametrize(("result", "player"), [("1/2-1/2", "weak"), ("0-1", "weak"), ("1-0", "strong"),
                                                ("1-0", "nobody"), ("*", "weak")])
def test_other_games_say_nothing(result, player):
    assert lost_game(parse(game_text([200, -200] * 6, result)), player, 100) is None


def test_a_winner_who_never_knew_says_nothing():
    assert lost_game(parse(game_text([50, -50] * 6, "1-0")), "weak", 100) is None
    assert lost_game(parse(game_text([None] * 12, "1-0")), "weak", 100) is None


def test_checks_are_left_out():
    text = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 {+2.00} f6 {0.00} 2. Qh5+ {+3.00} g6 {0.00} 1-0\n'
    found = lost_game(parse(text), "b", 100)
    assert found is not None and found.lag == 4
    assert len(found.fens) == 3 and not any(chess.Board(f"{fen} 0 1").is_check() for fen in found.fens)


def test_positions_are_spread_over_a_game():
    assert spread("abc", 5) == ["a", "b", "c"]
    assert spread("abcdefghij", 3) == ["a", "d", "g"]


def test_the_command_counts_and_writes_openings(tmp_path, capsys):
    games, out = tmp_path / "match.pgn", tmp_path / "spots.epd"
    scores = [0, 0, 120, -20, 90, -30, 150, -50, 160, -110, 300, -290]
    games.write_text(game_text(scores, "1-0") + game_text(scores[2:], "1-0") + game_text(scores, "1/2-1/2")
                     + '[White "x"]\n\n1. e4 e5 2. Ke3 1-0\n\n')
    status, said, complaints = run(capsys, "tune", "blind-spots", str(games), "--player", "weak", "--out", str(out))
    assert status == 0
    assert "2 games lost by weak: its score was decisive a median of 3 plies after the winner's, 3.0 on average" in said
    assert "skipped" in complaints and "game 4" in complaints
    fens = out.read_text().splitlines()
    assert len(fens) == len(set(fens)) == 5 and f"5 positions in {out}" in said  # one is in both games
    assert all(chess.Board(f"{fen} 0 1").is_valid() for fen in fens)


@pytest.mark.parametrize(("player", "problem"), [
    ("nobody", "no games of nobody; the players are strong, weak"), ("strong", "no games that strong lost")])
def test_nothing_found_is_an_error(tmp_path, capsys, player, problem):
    games = tmp_path / "match.pgn"
    games.write_text(game_text([200, -200] * 6, "1-0"))
    status, said, complaints = run(capsys, "tune", "blind-spots", str(games), "--player", player)
    assert status == 2 and problem in complaints and not said and complaints.count("\n") == 1


def test_a_file_of_another_kind_is_not_replaced(tmp_path, capsys):
    games, out = tmp_path / "match.pgn", tmp_path / "diary.epd"
    games.write_text(game_text([200, -200] * 6, "1-0"))
    out.write_text("dear diary\n")
    assert run(capsys, "tune", "blind-spots", str(games), "--player", "weak", "--out", str(out))[0] == 2
    assert out.read_text() == "dear diary\n"
