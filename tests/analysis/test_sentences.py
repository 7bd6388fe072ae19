"""Sentences are true: checked by a program that shares no code with the one that writes them."""

from __future__ import annotations

import json
from math import ceil, comb
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

import engine
from engine.analysis.annotation import pgn_text
from engine.analysis.lookup import theory_plies
from engine.analysis.marks import Mark
from engine.analysis.move_verdicts import classify_move
from engine.analysis.reasons import reason_for
from engine.analysis.review import SearchEffort
from tests.analysis import checker, classics, games, judge, ladder
from tests.analysis.test_explain import assert_agreement
from tests.analysis.theory import named_lines
from tests.commands.running import run
from tests.positions import DATA

EFFORT = SearchEffort(nodes=20_000)
MOST_WRONG_MARKS, MOST_MISSED_BLUNDERS = 0.03, 0.05
_MERE_CHANCE = 0.01  # more faults than this probability allows for are not bad luck


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=16) as made:
        yield made


@pytest.mark.parametrize(("fen", "history", "move", "sentence"), [
    ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "", "Ra7", "misses mate in 1, a back-rank mate: 1.Ra8#"),
    ("r5k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "", "Rd7", "allows mate in 2, a back-rank mate: 1...Ra1+ 2.Rd1 Rxd1#"),
    ("6k1/5ppp/8/3n4/8/1B6/5PPP/6K1 b - - 0 1", "", "h6", "leaves the knight on d5 unprotected: 2.Bxd5"),
    ("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3", "", "Nf6", "does not stop 4.Qxf7#"),
    ("6k1/5ppp/8/2n5/8/2P5/1P3PPP/6K1 w - - 0 1", "", "b3", ""),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 2", "dxe4", "Be2", ""),
])
def test_a_sentence_says_what_the_line_shows(adversary, fen, history, move, sentence):
    board = chess.Board(fen)
    for san in history.split():
        board.push_san(san)
    adversary.clear()
    judged = classify_move(adversary, board, board.parse_san(move), EFFORT)
    reason = reason_for(judged)
    if sentence:
        assert judged.mark.is_bad and reason.text.startswith(sentence), reason.text
        assert reason.claim is not None and reason.claim.moves
    else:
        assert "queen" not in reason.text and "wins the knight" not in reason.text


def test_a_recapture_wins_nothing_and_is_not_praised(adversary):
    board = chess.Board()
    for san in "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6".split():
        board.push_san(san)
    adversary.clear()
    played = classify_move(adversary, board, board.parse_san("h6"), EFFORT)
    assert played.mark in (Mark.MISTAKE, Mark.BLUNDER)
    assert reason_for(played).text.startswith("should take back on c6: 4...dxc6") or (
        reason_for(played).text.startswith("should take back on c6: 4...bxc6"))
    assert classify_move(adversary, board, board.parse_san("dxc6"), EFFORT).mark is Mark.NONE


def annotated_file(adversary: engine.Engine, path: Path, names: tuple[str, ...], nodes: int) -> Path:
    """A file with annotated classics."""
    with path.open("w") as file:
        for name in names:
            game = classics.read(name)
            adversary.annotate(game, nodes=nodes)
            file.write(pgn_text(game))
    return path


def test_the_sentences_of_two_games_are_true(adversary, tmp_path):
    counts, wrong = checker.check_file(annotated_file(adversary, tmp_path / "two.pgn", ("opera", "immortal"), 1500))
    assert not wrong and counts["sentences"] >= 5


def test_the_checker_finds_what_is_wrong(adversary, tmp_path):
    game = classics.read("opera")
    node = game.end()
    for text, is_wrong in (("allows mate in 2: 17...Kd8", True), ("loses the queen: 17...Kd8", True),
                           ("a nice move", True), ("the only move", False)):
        node.parent.comment = text
        assert bool(checker.check_node(node.parent)) == is_wrong
    missed = chess.pgn.Game.from_board(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")).add_variation(
        chess.Move.from_uci("a1a7"))
    missed.comment = "misses mate in 1, a back-rank mate: 1.Ra8#"
    assert checker.check_node(missed) is None
    missed.comment = "misses mate in 2: 1.Ra8#"
    assert checker.check_node(missed)


def test_claims_are_in_the_json(capsys, tmp_path):
    source, out = tmp_path / "games.pgn", tmp_path / "out.pgn"
    source.write_text(games.MATED)
    status, printed, _ = run(capsys, "annotate", str(source), "--out", str(out), "--nodes", "3000", "--json")
    assert status == 0
    rows = [json.loads(line) for line in printed.splitlines()]
    assert [row["type"] for row in rows] == ["game", "player", "player"] and len(rows[0]["summary"]) == 5
    marked = next(row for row in rows if row.get("player") == "A")["marked"]
    mate = next(row for row in marked if row["san"] == "Be2")
    assert mate["claim"]["topic"] == "mate" and mate["claim"]["moves"] == ["d4f3"] and mate["claim"]["number"] == 1


def test_a_busy_machine_gives_the_same_file(capsys, tmp_path):
    source = tmp_path / "games.pgn"
    source.write_text(games.OPERA + games.MATED)
    files = []
    for concurrency in ("1", "3"):
        files.append(tmp_path / f"{concurrency}.pgn")
        assert run(capsys, "annotate", str(source), "--out", str(files[-1]), "--nodes", "1000", "--concurrency",
                   concurrency)[0] == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.slow
def test_the_sentences_of_the_classics_are_true(adversary, tmp_path):
    path = annotated_file(adversary, tmp_path / "all.pgn", tuple(classics.GAMES), 10_000)
    counts, wrong = checker.check_file(path)
    print(f"{counts['sentences']} sentences, {len(wrong)} wrong; {counts['bad marks']} bad marks, "
          f"{counts['bad marks'] - counts['only a better move']} with a reason", *wrong, sep="\n")
    assert not wrong


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "openings" / "lichess-a.tsv").is_file(), reason="needs the lists of openings")
def test_every_named_line_is_theory():
    """But a line that ends with checkmate has its name for a blunder."""
    lines = mates = 0
    for name, moves in named_lines():
        plies, end = theory_plies(chess.Board(), moves), chess.Board()
        for move in moves:
            end.push(move)
        if end.is_checkmate():
            mates += 1
            assert len(moves) - 1 not in plies, name
        else:
            lines += 1
            assert plies == frozenset(range(len(moves))), name
    print(f"{lines} lines, theory to the last move: none can be marked ? or ??; {mates} end with checkmate")


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "tactics" / "sts-v3-lan.epd").is_file(), reason="needs the suites")
def test_explanations_add_up(adversary):
    lines = (DATA / "tactics" / "sts-v3-lan.epd").read_text().splitlines()[::5]
    with_rows = with_facts = 0
    for line in lines:
        found = adversary.explain(chess.Board.from_epd(line)[0], nodes=3000)
        assert_agreement(found)
        with_rows += bool(found.reasons)
        with_facts += bool(found.facts)
    print(f"{len(lines)} positions: {with_rows} with rows that add up, {with_facts} with facts")
    assert len(lines) >= 300


@pytest.mark.slow
@pytest.mark.skipif(not judge.STOCKFISH.exists(), reason="needs Stockfish as a judge")
def test_marks_are_right(tmp_path):
    """On games that nothing was tuned to: each run plays others, for Stockfish draws its weaker moves without a seed.

    They have about twenty marks and five blunders, so a fault is no proof that the promised rates do not hold.
    """
    source = tmp_path / "ladder.pgn"
    with chess.engine.SimpleEngine.popen_uci(str(judge.STOCKFISH)) as player, source.open("w") as file:
        for number, (white, black) in enumerate(ladder.pairings(2)):
            file.write(f"{ladder.played(player, white, black, 77_000 + number)}\n\n")
    totals = judge.judge_file(source, "held-out", judge.Judge(look=200_000, appeal=2_000_000))
    print(totals.text())
    marks = sum(totals.marks.values())
    assert chance_of_faults(marks - totals.right, marks, MOST_WRONG_MARKS) > _MERE_CHANCE and not totals.first_choices
    missed = totals.blunders - totals.blunders_marked
    assert chance_of_faults(missed, totals.blunders, MOST_MISSED_BLUNDERS) > _MERE_CHANCE


def chance_of_faults(faults: float, number: int, rate: float) -> float:
    """The probability of so many faults or more among `number` cases if each is one at this rate."""
    return sum(comb(number, count) * rate**count * (1 - rate)**(number - count)
               for count in range(ceil(faults), number + 1))


def test_the_chance_of_faults_is_binomial():
    assert chance_of_faults(0, 18, 0.03) == pytest.approx(1.0)
    assert chance_of_faults(1, 18, 0.03) == pytest.approx(1 - 0.97**18)  # 42 %: mere chance
    assert chance_of_faults(5, 18, 0.03) < _MERE_CHANCE / 2
