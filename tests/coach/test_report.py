"""The report, against counts by hand, the review behind it, and theory of endings."""

from __future__ import annotations

import io
import json
import math
import statistics
from dataclasses import asdict
from importlib.util import find_spec

import chess
import chess.pgn
import pytest

from engine.analysis.accuracy import PlayerAccuracy, player_accuracies
from engine.analysis.engine import Engine
from engine.analysis.move_verdicts import classify_game
from engine.analysis.review import DEFAULT_HASH, SearchEffort
from engine.analysis.review_driver import review_game
from engine.coach.report import Percentage, accuracy_of, build_report, rate_of, score_of
from engine.coach.report_advice import advice_of, move_text
from engine.coach.report_games import (
    ReportGame,
    ReportMove,
    annotated_verdicts,
    game_facts,
    game_of_row,
    judge_moves,
    player_accuracy,
)
from tests.commands.running import run

ANNOTATED = """[White "Doe, Jane"]
[Black "Roe, R"]
[Date "2024.01.05"]
[Result "0-1"]
[WhiteElo "1500"]
[BlackElo "1700"]
[TimeControl "300+0"]

1. e4 { [%eval 0.3] [%clk 0:05:00] } e5 { [%eval 0.3] [%clk 0:05:00] } 2. Bc4 { [%eval 0.2] [%clk 0:04:00] }
Nc6 { [%eval 0.2] [%clk 0:04:50] } 3. Qh5 { [%eval -0.1] [%clk 0:00:20] } g6 { [%eval -0.1] [%clk 0:04:00] }
4. Qf3 { [%eval -0.1] [%clk 0:00:10] } Nf6 { [%eval -0.1] } 5. g4 $2 { [%eval -1.6] } (5. Ne2 Bg7)
5... Nd4 { [%eval -1.7] } 6. Qd3 $4 { [%eval -6.0] } (6. Qd1) 6... d5 { [%eval -6.1] } 0-1
"""
MATED = """[White "Roe, R"]
[Black "Jane Doe"]
[Date "2024.02.07"]
[Result "1-0"]

1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 2. Bc4 { [%eval 0.2] } Nc6 { [%eval 0.2] } 3. Qh5 { [%eval -0.1] }
Nf6 { [%eval #1] } 4. Qxf7# 1-0
"""
# White wins with the king on the sixth rank in front of the pawn; after 1.Kd5 Ke7 2.e6 Ke8 Black has the opposition.
PAWN = """[White "Doe, Jane"]
[Black "Roe, R"]
[Result "1/2-1/2"]
[FEN "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"]

1. Kd5 { [%eval 0.0] } Ke7 { [%eval 0.0] } 2. e6 { [%eval 0.0] } Ke8 { [%eval 0.0] } 1/2-1/2
"""
PLAIN = """[White "Roe, R"]
[Black "Doe, Jane"]
[Date "2024.03.07"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0
"""


def parsed(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors
    return game


def by_annotations(text: str, number: int, side: chess.Color) -> ReportGame:
    game = parsed(text)
    verdicts = annotated_verdicts(game)
    assert verdicts is not None
    return judge_moves(game_facts(number, game, side), game, verdicts)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pgn").write_text(f"{ANNOTATED}\n{MATED}\n{PAWN}")
    (tmp_path / "plain.pgn").write_text(f"{ANNOTATED}\n{PLAIN}")
    return tmp_path


def test_an_annotated_game_is_read_as_it_is_written():
    game = by_annotations(ANNOTATED, 1, chess.WHITE)
    assert (game.points, game.elo, game.opponent_elo, game.date) == (0.0, 1500, 1700, "2024.01.05")
    assert [(move.ply, move.mark) for move in game.moves] == [(0, ""), (2, ""), (4, ""), (6, ""), (8, "?"), (10, "??")]
    assert [move.clock for move in game.moves] == [1.0, 1.0, 0.8, pytest.approx(20 / 300, abs=1e-3),
                                                   pytest.approx(10 / 300, abs=1e-3), None]
    blunder = game.moves[-1]
    board = chess.Board(blunder.fen)
    assert board.san(board.parse_san(blunder.san)) == "Qd3" == board.san(list(parsed(ANNOTATED).mainline_moves())[10])
    assert move_text(blunder) == "6.Qd3??"
    assert blunder.lost > game.moves[4].lost > 0.1
    assert game_of_row(json.loads(json.dumps(game.as_row()))) == game


def test_a_mate_that_is_allowed_is_a_theme_and_marks_follow_from_evaluations_where_there_are_none():
    game = by_annotations(MATED, 2, chess.BLACK)
    assert [(move.san, move.mark, move.allowed, move.missed) for move in game.moves if move.mark] == [
        ("Nf6", "??", "mate", "")]


def test_games_with_few_evaluations_are_not_judged_by_them():
    assert annotated_verdicts(parsed(PLAIN)) is None
    assert annotated_verdicts(parsed(MATED.replace("{ [%eval 0.2] }", ""))) is None


def test_endings_are_judged_by_the_tables():
    game = by_annotations(PAWN, 3, chess.WHITE)
    assert game.ending == ("KPvK", 1)
    assert [move.table for move in game.moves] == [(1, 0), (0, 0)]
    (row,) = build_report("Jane", [game]).endings
    assert row == ("KPvK", 1, 1, 0, 0, 0, 1)
    (black,) = build_report("Roe", [by_annotations(PAWN, 3, chess.BLACK)]).endings
    assert black == ("KvKP", 1, 0, 0, 0, 0, 0)


def test_the_report_counts_what_one_counts_by_hand():
    games = [by_annotations(ANNOTATED, 1, chess.WHITE), by_annotations(MATED, 2, chess.BLACK),
             by_annotations(PAWN, 3, chess.WHITE)]
    report = build_report("Jane Doe", games)
    assert report.total[1:5] == (3, 0, 1, 2)
    assert report.total.score is report.total.accuracy is None  # three games
    assert [(row.name, row.games) for row in report.colors] == [("White", 2), ("Black", 1)]
    assert {row.name: row.games for row in report.openings} == {
        "Bishop's Opening (White)": 1, "Bishop's Opening (Black)": 1, "no named opening (White)": 1}
    assert [(row.name, row.games) for row in report.opponents] == [("stronger by 100 or more", 1)]
    assert [(row.name, row.missed, row.allowed) for row in report.themes if row.name == "mate"] == [("mate", 0, 1)]
    assert sum(row.moves for row in report.clocks) == sum(
        move.stake > 0 for move in games[0].moves if move.clock is not None)
    assert report.clocks[-1].name == "less than 10 %" and report.clocks[-1].mistakes == 1
    assert report.blocks == [] and report.change is None and report.performance is None


def test_scores_and_rates_have_the_errors_of_their_formulas():
    points = [1.0, 1.0, 0.5, 0.0, 1.0, 0.5]
    widened = [*points, 0.0, 1.0]
    error = 196 * statistics.pstdev(widened) / math.sqrt(len(widened))
    assert score_of(points) == (pytest.approx(100 * 4 / 6), pytest.approx(error))
    assert score_of([1.0] * 5).error > 20  # five wins prove little
    assert score_of([1.0] * 4) is None
    assert rate_of(3, 28) == (pytest.approx(100 * 3 / 28), pytest.approx(196 * math.sqrt(4 / 30 * 26 / 30 / 30)))
    assert rate_of(0, 19) is None
    assert Percentage(50, 3).differs_from(Percentage(55, 3))
    assert not Percentage(50, 4).differs_from(Percentage(55, 4))


def test_accuracy_over_games_is_pooled_and_its_error_leaves_one_game_out():
    games = [by_annotations(text, number, side) for number, (text, side) in enumerate(
        [(ANNOTATED, True), (ANNOTATED, False), (MATED, True), (MATED, False), (PAWN, True), (ANNOTATED, True)])]
    found = accuracy_of(games)
    pooled = player_accuracy(games[0])
    pooled.add_all(map(player_accuracy, games[1:]))
    assert found.value == pytest.approx(pooled.accuracy)
    without = []
    for left_out in range(6):
        others = [player_accuracy(game) for number, game in enumerate(games) if number != left_out]
        others[0].add_all(others[1:])
        without.append(others[0].accuracy)
    assert found.error == pytest.approx(1.96 * math.sqrt(5 * statistics.pvariance(without)))
    assert accuracy_of(games[:4]) is None


def invented(number: int, *moves: ReportMove, opening: str = "Caro-Kann Defense", date: str = "2024.01.01",
             points: float = 0.5) -> ReportGame:
    return ReportGame(number, "Jane", "R", date, True, points, None, None, opening, asdict(PlayerAccuracy(games=1)),
                      list(moves))


def bad(ply: int, lost: float, **fields) -> ReportMove:
    return ReportMove(ply, lost, 1.0, fields.pop("phase", "middlegame"), "??", san="Kd5",
                      fen="4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", **fields)


def test_advice_names_the_most_expensive_weaknesses_that_are_proven():
    fork, pin = {"missed": "fork"}, {"missed": "pin"}
    games = [invented(1, bad(20, 0.3, **fork), bad(30, 0.5, **fork), bad(40, 0.9, **pin)),
             invented(2, bad(20, 0.2, **fork), bad(8, 0.1, phase="opening"), bad(40, 0.9, **pin)),
             invented(3, bad(6, 0.1, phase="opening"), bad(10, 0.1, phase="opening")),
             invented(4, bad(50, 0.25, before=0.9), bad(52, 0.25, before=0.95), bad(54, 0.25, before=0.9))]
    first, second = advice_of(build_report("Jane", games))  # two pins are not enough, nor are won games in one game
    assert first.sentence == "Practise forks: you missed them 3 times in 2 of 4 games, which cost about 1.0 points"
    assert (first.cost, first.moves, first.games) == (1.0, 3, 2)
    assert [(proof.game, proof.lost, proof.move) for proof in first.proofs] == [
        (1, 0.5, "1.Kd5??"), (1, 0.3, "1.Kd5??"), (2, 0.2, "1.Kd5??")]
    assert second.sentence.startswith("Study the Caro-Kann Defense (White): you went wrong in the opening 3 times in "
                                      "2 of 4 games")


def test_time_trouble_is_named_only_if_it_is_proven():
    def played(number: int, quick: int) -> ReportGame:
        calm = [ReportMove(2 * ply, 0.0, 1.0, "middlegame", clock=0.6) for ply in range(40)]
        return invented(number, *calm, *[bad(90 + ply, 0.3, clock=0.05) for ply in range(quick)],
                        *[ReportMove(200, 0.0, 1.0, "endgame", clock=0.05) for _ in range(10)])

    (advice,) = advice_of(build_report("Jane", [played(1, 5), played(2, 5)]))
    assert advice.topic == "time"
    assert advice.sentence.startswith("Keep more time: with less than 10 % of it left, 33 ± 16 of a hundred moves")
    assert advice_of(build_report("Jane", [played(1, 0), played(2, 0)])) == []


def test_the_trend_has_parts_of_enough_games():
    games = [invented(number, date=f"2024.{number:02}.01", points=float(number > 6)) for number in range(1, 13)]
    report = build_report("Jane", [*games, invented(13, date="")])
    assert [(row.name, row.games, row.wins) for row in report.blocks] == [
        ("2024.01.01 to 2024.06.01", 6, 0), ("2024.07.01 to 2024.12.01", 6, 6)]


def test_a_reviewed_game_is_judged_as_by_the_review(folder, capsys):
    status, out, err = run(capsys, "report", "plain.pgn", "--player", "jane doe", "--nodes", "300", "--json", "--out",
                           "out.pgn")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert (found["games"], found["judged"], found["losses"], found["names"]) == (2, 2, 2, ["Doe, Jane"])
    game = parsed(PLAIN)
    with Engine(hash=DEFAULT_HASH) as engine:
        review = review_game(engine, game.board(), list(game.mainline_moves()), SearchEffort(nodes=300, hash=16))
    verdicts = classify_game(game.board(), list(game.mainline_moves()), review)
    wanted = [(verdict.ply, verdict.board.san(verdict.move), verdict.mark.text) for verdict in verdicts
              if verdict.mark.is_bad and not verdict.board.turn]
    assert [(move["ply"], move["san"], move["mark"]) for move in found["moves"] if move["game"] == 2] == wanted
    assert wanted[-1][1:] == ("Nf6", "??")
    assert player_accuracies(verdicts)[1].games == 1
    for move in found["moves"]:
        assert chess.Board(move["fen"]).parse_san(move["san"])
    # Its annotated games are judged without a search, and with the same marks.
    again = json.loads(run(capsys, "report", "out.pgn", "--player", "Doe", "--no-review", "--json")[1])
    assert [(move["san"], move["mark"]) for move in again["moves"]] == [(san, mark) for _, san, mark in wanted]


def test_reviews_are_kept_and_an_interrupted_run_is_resumed(folder, capsys, monkeypatch):
    words = ("report", "plain.pgn", "--player", "Roe", "--nodes", "300")
    status, first, err = run(capsys, *words)
    assert (status, err) == (0, "")
    assert "Roe, R: 2 games, 2024.01.05 to 2024.03.07" in first

    def fail(*_):
        raise AssertionError("searched again")

    monkeypatch.setattr("engine.analysis.review_driver.ReviewDriver.__init__", fail)
    assert run(capsys, *words)[:2] == (0, first)
    (kept,) = (folder / "cache" / "adversary" / "reports").glob("*.pgn")
    assert parsed(kept.read_text()).headers["Result"] == "1-0"


def test_without_a_review_only_annotated_games_are_judged(folder, capsys):
    status, out, err = run(capsys, "report", "plain.pgn", "--player", "Doe", "--no-review")
    assert (status, err) == (0, "")
    assert "moves are judged in 1 of 2 games" in out
    assert not (folder / "cache").exists()


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs matplotlib")
def test_plots_are_drawn(folder, capsys):
    many = "\n".join(f"{MATED}\n{ANNOTATED}".replace("2024", str(2000 + year)) for year in range(12))
    (folder / "many.pgn").write_text(many)
    assert run(capsys, "report", "many.pgn", "--player", "jane doe", "--plots", "plots")[0] == 0
    drawn = {path.name: path.read_text() for path in (folder / "plots").iterdir()}
    assert set(drawn) == {"trend.svg", "openings.svg", "phases.svg", "clocks.svg", "themes.svg"}
    assert all("<svg" in content for content in drawn.values())


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs matplotlib")
def test_games_that_show_too_little_to_draw_give_a_warning(folder, capsys):
    (folder / "short.pgn").write_text('[White "Doe"]\n[Black "Roe"]\n\n1. e4 e5 *\n')
    status, _, err = run(capsys, "report", "short.pgn", "--player", "Doe", "--no-review", "--plots", "plots")
    assert (status, err) == (0, "warning: nothing is drawn in plots: the games show too little\n")
    assert not list((folder / "plots").iterdir())


BAD = {"empty.pgn": "\n", "variant.pgn": '[White "Doe"]\n[Black "Roe"]\n[Variant "Atomic"]\n\n1. e4 e5 *\n',
       "broken.pgn": '[White "Doe"]\n\n1. e4 e5 2. Ke3 *\n', "nameless.pgn": "1. e4 e5 *\n"}


@pytest.mark.parametrize(("words", "message"), [
    (["empty.pgn", "--player", "Doe"], "contains no games"), (["variant.pgn", "--player", "Doe"], "tomic"),
    (["broken.pgn", "--player", "Doe"], "Ke3"), (["nameless.pgn", "--player", "Doe"], "no names of players"),
    (["games.pgn", "--player", "Smith"], "no player 'Smith'"), (["games.pgn"], "--player"),
    (["games.pgn", "--player", " "], "must not be empty"), (["no.pgn", "--player", "Doe"], "no.pgn"),
    (["games.pgn", "--player", "Doe", "--no-review", "--nodes", "5"], "cannot be used with"),
    (["games.pgn", "--player", "Doe", "--out", "games.pgn"], "refusing to overwrite")])
def test_bad_input_gets_one_line(folder, capsys, words, message):
    for name, text in BAD.items():
        (folder / name).write_text(text)
    status, out, err = run(capsys, "report", *words)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert message in err


def test_a_broken_game_among_others_is_skipped_with_a_warning(folder, capsys):
    (folder / "mixed.pgn").write_text(f"{BAD['broken.pgn'].replace('Doe', 'Doe, Jane')}\n{ANNOTATED}")
    status, out, err = run(capsys, "report", "mixed.pgn", "--player", "Doe")
    assert status == 1
    assert err.startswith("warning: skipped mixed.pgn, game 1")
    assert "Doe, Jane: 1 game" in out
