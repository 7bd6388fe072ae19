"""`explain` as its users see it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from engine.core.fen import parse_fen
from eval.evaluate import evaluate_entry
from eval.evaluator import built_in_evaluator
from eval.piece_worth import StaticEvaluator, piece_worths
from eval.weights import load_weights
from tests.commands.running import run

SPANISH = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 3"


def test_the_table_ends_with_the_score_of_the_evaluation(capsys):
    status, out, err = run(capsys, "explain", *SPANISH.split(), "--all")
    assert (status, err) == (0, "")
    score = int(evaluate_entry(parse_fen(SPANISH), load_weights()))
    assert f"score: {score:+} centipawns from White's point of view" in out
    assert "chances: White wins" in out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("  ")}
    assert rows["bishop_pair"][0] == rows["bishop_pair"][3] == "1"
    assert rows["mobility_queen"][-1].startswith(("+", "-"))


def test_the_worth_of_each_piece_to_the_network(capsys):
    _, out, _ = run(capsys, "explain", SPANISH, "--all")
    of_features, of_network = out.split("by the network:")
    worths = {(piece.piece, piece.square): piece for piece in piece_worths(parse_fen(SPANISH), built_in_evaluator())}
    score = StaticEvaluator(built_in_evaluator()).score(parse_fen(SPANISH))
    assert f"score: {score:+} centipawns from White's point of view" in of_network
    assert "chances: White wins" in of_features and "chances: White wins" in of_network
    lines = of_network.splitlines()
    picture = lines[lines.index(next(line for line in lines if line.startswith("8 "))):][:9]
    assert [line[0] for line in picture[:8]] == list("87654321")
    assert picture[8].split() == list("abcdefgh")
    assert sum(line.count("king") for line in picture) == 2
    assert picture[3].split()[1:5] == [".", "B", str(worths[3, 33].worth), "."]
    knight = worths[2, 21]
    row = next(line for line in lines if line.startswith("white knight f3"))
    assert row.split()[3:] == [f"{knight.worth:+}", f"{knight.features_worth:+}"]
    assert sum(line.startswith(("white ", "black ")) for line in lines) == len(worths) == 30
    assert "by the network" not in run(capsys, "explain", SPANISH, "--all", "--network", "features")[1]
    assert "by the network it changes by" in run(capsys, "explain", SPANISH, "--all", "--move", "Bxc6")[1]


@pytest.mark.parametrize("move", ["Bxc6", "b5c6"])
def test_a_move_is_explained_in_words(capsys, move):
    status, out, _ = run(capsys, "explain", SPANISH, "--move", move, "--all")
    assert status == 0
    assert "Bxc6 changes the evaluation by +" in out
    assert "takes a knight from the opponent" in out
    assert "passes the turn" in out


def test_castling_in_standard_chess_and_chess960(capsys):
    fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    for words in (("--move", "e1g1"), ("--chess960", "--move", "e1h1"), ("--move", "O-O-O")):
        assert run(capsys, "explain", fen, *words, "--nodes", "500")[0] == 0
        assert run(capsys, "explain", fen, *words, "--all")[0] == 0


def test_a_file_that_opens_next_to_the_king_is_named(capsys):
    _, out, _ = run(capsys, "explain", "6k1/5ppp/8/8/6n1/7P/5PP1/6K1 w - - 0 1", "--move", "hxg4", "--all")
    assert "opens the h-file next to its own king" in out


def test_the_picture_is_drawn(capsys, tmp_path):
    for words in ((), ("--move", "O-O")):
        assert run(capsys, "explain", SPANISH, *words, "--all", "--svg", str(tmp_path / "a.svg"))[0] == 0
        root = ET.parse(tmp_path / "a.svg").getroot()  # noqa: S314  written by ourselves
        texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert any("centipawns from White's point of view" in text for text in texts)
        assert len(texts) > 8
        largest = max(piece.worth for piece in piece_worths(parse_fen(SPANISH), built_in_evaluator()))
        assert str(largest) in texts or words
        assert root.find("{http://www.w3.org/2000/svg}svg") is not None


def test_an_exchange_is_seen_to_its_end(capsys):
    status, out, err = run(capsys, "explain", SPANISH, "--move", "Bxc6", "--nodes", "20000")
    assert (status, err) == (0, "")
    assert "then: 3...dxc6" in out
    assert "takes a knight" not in out, "the bishop is gone for it"
    worths = [float(worth) for worth in re.findall(r"^  ([+-]\d+\.\d+) ", out, re.MULTILINE)]
    assert len(worths) <= 5 and all(abs(worth) < 1.5 for worth in worths)
    assert worths or "chances are about equal" in out or "Black has doubled pawns on the c-file" in out


@pytest.mark.parametrize(("fen", "first"), [
    ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "checkmate: Black has won"),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate: Black has no move, the game is drawn"),
    ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "White is in check"),
    ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "best: 1.Ra8# (White mates in 1)"),
])
def test_mate_check_and_stalemate_come_first(capsys, fen, first):
    _, out, _ = run(capsys, "explain", fen, "--nodes", "5000")
    assert out.splitlines()[0] == first
    assert "33" not in out.splitlines()[0]


def test_a_blunder_is_refuted(capsys):
    status, out, _ = run(capsys, "explain", "--move", "g4", "--nodes", "20000", "startpos", "moves", "f3", "e5")
    assert status == 0
    assert "\ng4??: allows mate in 1: 2...Qh4#\n" in out and "then:" not in out


@pytest.mark.parametrize("words", [("startpos",), ("startpos", "moves", "e4", "--move", "f6")])
def test_scores_name_their_side(capsys, words):
    _, out, _ = run(capsys, "explain", *words, "--nodes", "500", "--json")
    found = json.loads(out)
    scores = [score for score in (found["score"], found["move_score"]) if score is not None]
    assert len(scores) == 1 + ("--move" in words)
    assert {score["side"] for score in scores} == {"white"}


def test_the_answer_as_json(capsys):
    _, out, _ = run(capsys, "explain", SPANISH, "--move", "O-O", "--nodes", "5000", "--json")
    found = json.loads(out)
    assert found["move"] == "O-O" and found["reply"].startswith("3...") and found["best"].startswith("3.")
    assert sum(found["score"]["wdl"]) == 1000


@pytest.mark.parametrize(("words", "message"), [
    (("nonsense",), "FEN"),
    ((SPANISH, "--move", "Ke5"), "'Ke5' is not a legal move"),
    ((SPANISH, "--move", "0000"), "'0000' is not a legal move"),
    ((SPANISH, "--svg", "/nowhere/at/all/a.svg"), "no folder /nowhere/at/all"),
    ((SPANISH, "--weights", "/nowhere.json"), "cannot read /nowhere.json"),
    ((SPANISH, "--network", "/nowhere.network"), "cannot read /nowhere.network"),
])
def test_bad_input_gets_one_line(capsys, words, message):
    status, out, err = run(capsys, "explain", *words)
    assert (status, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1
    assert message in err
