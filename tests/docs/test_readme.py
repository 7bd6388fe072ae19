"""README.md: short, with one line for the tests, and with examples that are what the commands print."""

from __future__ import annotations

import re

import chess
import pytest

from engine.course.lesson import LESSONS
from eval.features import FEATURES
from tests.commands.running import run
from tests.docs.pages import code_blocks, page, without_scores

README = page("README.md")
LONGEST = 220  # lines
_NUMBERS = {17: "seventeen", 18: "eighteen", 19: "nineteen"}


def test_it_is_short():
    assert len(README.splitlines()) <= LONGEST


@pytest.mark.parametrize("mark", ["start", "tests"])
def test_the_two_commands_are_one_line_each(mark):
    """`.ci/run` runs the line below the second mark."""
    (block,) = re.findall(rf"^<!-- {mark} -->\n```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert block.count("\n") == 1


def test_a_player_meets_the_tests_last():
    assert README.index("<!-- tests -->") > README.index("## For developers")


def test_its_numbers_are_right():
    assert f"{len(FEATURES)} features" in README
    assert f"{_NUMBERS[len(LESSONS)]} lessons" in README


def explanation() -> tuple[list[str], list[str]]:
    """Return the words of the example of `explain`, and the lines that the README shows for it."""
    (call,) = [block for block in code_blocks(README, "sh") if block.startswith("adversary explain")]
    (lines,) = [block for block in code_blocks(README, "") if block.startswith("best: ")]
    return call.split()[1:], lines.splitlines()


def test_the_explanation_is_what_the_command_prints(capsys):
    """Exactly, but for the scores."""
    words, lines = explanation()
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert without_scores(out).splitlines() == without_scores("\n".join(lines)).splitlines()


def test_the_explanation_is_of_a_position_that_occurs():
    words, lines = explanation()
    board = chess.Board()
    for san in words[words.index("moves") + 1 : words.index("--move")]:
        board.push_san(san)
    move = words[words.index("--move") + 1]
    best = board.copy()
    for san in moves_in(lines[0]):
        best.push_san(san)
    board.push_san(move)
    refutation = moves_in(f"refuted: {lines[1].rpartition(': ')[2]}")
    assert len(refutation) > 1
    for san in refutation:
        board.push_san(san)


def moves_in(line: str) -> list[str]:
    """Return the moves of a line such as `best: 4.Nxd4 exd4 5.O-O (+0.85: ...)`."""
    text = line.partition(": ")[2].partition(" (")[0]
    return [re.sub(r"^\d+\.+", "", word) for word in text.split()]
