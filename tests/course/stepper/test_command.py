"""`class tree` as a student types it: in a pipe, at a terminal, as a picture, as a quiz, as JSON."""

from __future__ import annotations

import io
import json
import sys
from xml.etree import ElementTree as ET

import pytest

from engine.course import svg
from engine.course.stepper.parser import parse_tree
from engine.course.stepper.searches import search_tree
from engine.course.stepper.stepping import step_through
from tests.commands.running import run
from tests.course.test_class import Student

FIGURE = "[[3,12,8],[2,4,6],[14,5,2]]"


@pytest.fixture(autouse=True)
def pipe(monkeypatch):
    """No terminal."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


def test_minimax_and_alpha_beta_are_shown_one_after_the_other(capsys):
    status, out, err = run(capsys, "class", "tree", FIGURE)
    assert (status, err) == (0, "")
    assert out.index("9 of 9 leaves") < out.index("alpha-beta") < out.index("7 of 9 leaves")
    assert "v = 2 <= alpha = 3: MAX is sure of 3 elsewhere" in out and "bb, bc cut off" in out
    assert out.count("the root is worth 3; MAX plays a") == 2
    assert "b MIN      alpha 3  beta 2  v ≤ 2" in out


@pytest.mark.parametrize(("words", "line"), [
    ((FIGURE, "--algorithm", "alphabeta", "--order", "worst"), "9 of 9 leaves were looked at"),
    ((FIGURE, "--algorithm", "alphabeta", "--order", "best"), "5 of 9 leaves were looked at"),
    ((FIGURE, "--algorithm", "expectimax"), "MAX plays a"),
    (('{"chance": [[0.5, 3], [0.5, [1, 2]]]}',), "the root is worth 2.5"),
    (("[[(1, 2, 6), (4, 2, 3)], [(6, 1, 2), (7, 4, 1)]]",), "the root is worth (7, 4, 1); player 1 plays b"),
    ((FIGURE, "--algorithm", "uct", "--iterations", "300"), "MAX plays a, the most-visited move"),
])
def test_other_algorithms(capsys, words, line):
    status, out, err = run(capsys, "class", "tree", *words)
    assert (status, err) == (0, "")
    assert line in out


@pytest.mark.parametrize(("words", "complaint"), [
    (("[[3, 12, 8], [2, 4",), "the tree cannot be read at character 19: expected , or ], got the end"),
    (('{"chance": [[0.5, 3], [0.4, 2]]}',), "add up to 0.9, not to 1"),
    (("[3, (1, 2)]",), "the leaves must all be numbers, or all tuples of one length"),
    (('[{"chance": [[1, 3]]}]', "--algorithm", "minimax"), "minimax knows only MAX and MIN"),
    (("[(1, 2)]", "--algorithm", "alphabeta"), "alpha-beta needs one number at each leaf"),
    ((f"[{'1,' * 5000}1]",), "the tree has more than 1000 nodes"),
    ((FIGURE, "--algorithm", "negamax"), "negamax"),
    ((FIGURE, "--iterations", "5"), "--iterations requires uct"),
    ((FIGURE, "--quiz", "--json"), "--quiz cannot be used with --json"),
    ((FIGURE, "--svg", "no/folder/x.svg"), "no folder no/folder"),
    ((" ",), "tree"), ((), "tree"),
])
def test_bad_input_is_one_line(capsys, words, complaint):
    status, out, err = run(capsys, "class", "tree", *words)
    assert (status, out) == (2, "")
    assert complaint in err and err.count("\n") == 1


def test_the_picture_marks_what_is_cut_off(capsys, tmp_path):
    file = tmp_path / "tree.svg"
    status, out, _ = run(capsys, "class", "tree", FIGURE, "--algorithm", "alphabeta", "--svg", str(file))
    text = file.read_text(encoding="utf-8")
    assert status == 0 and str(file) in out
    ET.fromstring(text)  # noqa: S314
    assert text.count(svg.WARNING) == 2 and "≤ 2" in text and "α 3" in text


def test_objects(capsys):
    status, out, _ = run(capsys, "class", "tree", FIGURE, "--json")
    first, second = map(json.loads, out.splitlines())
    assert status == 0 and (first["algorithm"], second["algorithm"]) == ("minimax", "alphabeta")
    assert (second["value"], second["action"], second["leaves"]) == (3, "a", 7)
    (cutoff,) = [step for step in second["steps"] if step["event"] == "cutoff"]
    assert [second["nodes"][number]["name"] for number in cutoff["skipped"]] == ["bb", "bc"]
    assert (cutoff["alpha"], cutoff["beta"]) == (3, 2)


def test_a_quiz_shows_its_answers_in_a_pipe(capsys):
    out = run(capsys, "class", "tree", FIGURE, "--quiz", "--algorithm", "alphabeta")[1]
    assert "The answer is ba." in out and "The answer is none." in out and "The answer is a." in out


def test_stepping_forwards_and_backwards(capsys):
    answers = iter(["", "n", "b", "14", "x", "e", "b", "q"])
    step_through(search_tree(parse_tree(FIGURE), "alphabeta"), lambda question: next(answers))
    out = capsys.readouterr().out
    assert [line.split("[")[0] for line in out.splitlines() if line.startswith("There are steps")]
    shown = [line for line in out.splitlines() if line.startswith("->")]
    assert [line.split()[1] for line in shown] == ["MAX", "a", "MAX", "b", "MAX", "MAX"]
    assert "bb 4   cut off" in out and "if value <= α then return value, move" in out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_at_a_terminal_the_student_steps():
    student = Student("tree", FIGURE, "--algorithm", "alphabeta")
    student.wait_for("[0 of 27] ")
    student.type(b"14\n")
    student.wait_for("[14 of 27] ")
    assert "bb, bc cut off" in student.seen
    student.type(b"b\n")
    student.wait_for("[13 of 27] ")
    student.type(b"\x04")
    assert student.leave() == 0 and "Traceback" not in student.seen


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_quiz_at_a_terminal_is_counted():
    student = Student("tree", FIGURE, "--algorithm", "alphabeta", "--quiz")
    for answer in (b"ba\n", b"ca\n", b"a\n"):
        student.wait_for("Your answer")
        student.type(answer)
        student.seen = ""
    assert student.leave() == 0 and "Score: 2 of 3" in student.seen
