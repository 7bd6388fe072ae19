"""`explain` as its users see it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from engine.core.fen import parse_fen
from eval.choice import built_in
from eval.evaluate import evaluate_position
from eval.men import StaticEvaluation, worth_of_men
from eval.weights import load_weights
from tests.commands.running import run

SPANISH = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 3"


def test_the_table_ends_with_the_score_of_the_evaluation(capsys):
    status, out, err = run(capsys, "explain", *SPANISH.split())
    assert (status, err) == (0, "")
    score = int(evaluate_position(parse_fen(SPANISH), load_weights()))
    assert f"score: {score:+} centipawns from white's view" in out
    assert "chances: white wins" in out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("  ")}
    assert rows["bishop_pair"][0] == rows["bishop_pair"][3] == "1"
    assert rows["mobility_queen"][-1].startswith(("+", "-"))


def test_the_network_says_what_each_man_is_worth(capsys):
    _, out, _ = run(capsys, "explain", SPANISH)
    of_features, of_network = out.split("by the network:")
    men = {(man.piece, man.square): man for man in worth_of_men(parse_fen(SPANISH), built_in())}
    score = StaticEvaluation(built_in()).score(parse_fen(SPANISH))
    assert f"score: {score:+} centipawns from white's view" in of_network
    assert "chances: white wins" in of_features and "chances: white wins" in of_network
    lines = of_network.splitlines()
    picture = lines[lines.index(next(line for line in lines if line.startswith("8 "))):][:9]
    assert [line[0] for line in picture[:8]] == list("87654321")
    assert picture[8].split() == list("abcdefgh")
    assert sum(line.count("king") for line in picture) == 2
    assert picture[3].split()[1:5] == [".", "B", str(men[3, 33].worth), "."]
    knight = men[2, 21]
    row = next(line for line in lines if line.startswith("white knight f3"))
    assert row.split()[3:] == [f"{knight.worth:+}", f"{knight.features_worth:+}"]
    assert sum(line.startswith(("white ", "black ")) for line in lines) == len(men) == 30
    assert "by the network" not in run(capsys, "explain", SPANISH, "--network", "features")[1]
    assert "by the network it changes by" in run(capsys, "explain", SPANISH, "--move", "Bxc6")[1]


@pytest.mark.parametrize("move", ["Bxc6", "b5c6"])
def test_a_move_is_explained_in_words(capsys, move):
    status, out, _ = run(capsys, "explain", SPANISH, "--move", move)
    assert status == 0
    assert "Bxc6 changes the evaluation by +" in out
    assert "takes a knight from the opponent" in out
    assert "passes the turn" in out


def test_castling_in_both_kinds_of_chess(capsys):
    fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    assert run(capsys, "explain", fen, "--move", "e1g1")[0] == 0
    assert run(capsys, "explain", fen, "--chess960", "--move", "e1h1")[0] == 0
    assert run(capsys, "explain", fen, "--move", "O-O-O")[0] == 0


def test_a_file_that_opens_next_to_the_king_is_named(capsys):
    _, out, _ = run(capsys, "explain", "6k1/5ppp/8/8/6n1/7P/5PP1/6K1 w - - 0 1", "--move", "hxg4")
    assert "opens the h-file next to its own king" in out


def test_the_picture_is_drawn(capsys, tmp_path):
    for words in ((), ("--move", "O-O")):
        assert run(capsys, "explain", SPANISH, *words, "--svg", str(tmp_path / "a.svg"))[0] == 0
        root = ET.parse(tmp_path / "a.svg").getroot()  # noqa: S314  written by ourselves
        texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert any("centipawns from white's view" in text for text in texts)
        assert len(texts) > 8
        assert str(max(man.worth for man in worth_of_men(parse_fen(SPANISH), built_in()))) in texts or words
        assert root.find("{http://www.w3.org/2000/svg}svg") is not None


@pytest.mark.parametrize(("words", "complaint"), [
    (("nonsense",), "FEN"),
    ((SPANISH, "--move", "Ke5"), "'Ke5' is no legal move"),
    ((SPANISH, "--move", "0000"), "'0000' is no legal move"),
    ((SPANISH, "--svg", "/nowhere/at/all/a.svg"), "no folder /nowhere/at/all"),
    ((SPANISH, "--weights", "/nowhere.json"), "cannot read /nowhere.json"),
    ((SPANISH, "--network", "/nowhere.network"), "cannot read /nowhere.network"),
])
def test_bad_input_gets_one_line(capsys, words, complaint):
    status, out, err = run(capsys, "explain", *words)
    assert (status, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1
    assert complaint in err
