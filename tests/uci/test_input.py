"""A conversation that is piped in and then ends: everything is answered, in its order, and by a real search."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import chess
import pytest

from engine.kernel import CACHE_VARIABLE, SOURCE_ROOT
from tests.client import Client


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Have the kernels in the cache: a start then takes a fraction of a second."""
    client = Client()
    client.load()
    client.quit()


def piped(*lines: str, **environment: str) -> list[str]:
    """What is said to these lines when nothing follows them."""
    done = subprocess.run([sys.executable, "-m", "engine"], input="".join(f"{line}\n" for line in lines), text=True,
                          capture_output=True, cwd=SOURCE_ROOT, timeout=120, check=False,
                          env={**os.environ, "PYTHONPATH": str(SOURCE_ROOT), **environment})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def depths(said: list[str]) -> list[int]:
    return [int(number) for line in said for number in re.findall(r"^info depth (\d+) ", line)]


def line_number(said: list[str], start: str) -> int:
    return next(number for number, line in enumerate(said) if line.startswith(start))


MATE_IN_ONE = "position startpos moves f2f3 e7e5 g2g4"


@pytest.mark.parametrize(("lines", "deepest"), [
    ([MATE_IN_ONE, "go depth 9"], 9), ([MATE_IN_ONE, "go nodes 30000"], 5), ([MATE_IN_ONE, "go mate 1"], 1)])
def test_a_search_with_a_limit_is_finished(lines, deepest):
    said = piped(*lines)
    assert max(depths(said)) >= deepest
    assert said[-1].startswith("bestmove ")
    assert not any("compiling" in line for line in said)


@pytest.mark.parametrize("go", ["go movetime 2000", "go wtime 60000 btime 60000"])
def test_a_search_on_the_clock_is_finished_at_the_end_of_the_input(go):
    """On a clock a search that is not there in time is not waited for, so that this one is begun when it is."""
    client = Client()
    client.load()
    client.say(MATE_IN_ONE, go)
    client.stdin.close()
    said = client.until("bestmove ")
    assert max(depths(said)) >= 5
    assert not any("compiling" in line for line in said)
    assert client.end() == 0


@pytest.mark.parametrize("order", ["go infinite", "go ponder wtime 1000 btime 1000", "go"])
def test_a_search_without_a_limit_ends_with_a_move(order):
    said = piped("position startpos", order)
    assert depths(said)  # by the search, not by the stop-gap
    assert re.fullmatch(r"bestmove [a-h][1-8][a-h][1-8]( ponder \w+)?", said[-1])


def test_answers_come_in_the_order_of_the_commands():
    said = piped("uci", "isready", "d", "isready", "go depth 2")
    order = [line_number(said, start) for start in ("uciok", "readyok", "Fen:", "bestmove")]
    assert order == sorted(order)
    assert [line for line in said if line == "readyok"] == ["readyok"] * 2
    assert said[-1].startswith("bestmove")


def test_a_position_that_comes_before_the_player_is_set_up():
    said = piped("position startpos moves e2e4", "position startpos moves d2d4", "d", "go depth 1")
    assert "Fen: rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1" in said
    assert chess.Board(said[line_number(said, "Fen: ")].removeprefix("Fen: ")).is_legal(
        chess.Move.from_uci(said[-1].split()[1]))


def test_a_position_that_the_player_refuses_when_it_comes_is_still_answered():
    """Nothing has just passed e6: python-chess, which checks a position before the engine can, does not mind."""
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1"
    said = piped(f"position fen {fen}", "go movetime 10000")
    assert [line for line in said if "en-passant square 'e6'" in line] == said[:1]
    assert chess.Board(fen).is_legal(chess.Move.from_uci(said[-1].split()[1]))


@pytest.mark.parametrize("lines", [["isready"], ["isready", "quit"], ["uci", "isready", "isready", "quit"]])
@pytest.mark.parametrize("is_cold", [False, True])
def test_isready_is_always_answered(lines, is_cold, tmp_path):
    said = piped(*lines, **({CACHE_VARIABLE: str(tmp_path)} if is_cold else {}))
    assert said.count("readyok") == lines.count("isready")
    assert is_cold or not any("compiling" in line for line in said)


def test_compiling_is_said_when_it_is_true(tmp_path):
    said = piped("isready", **{CACHE_VARIABLE: str(tmp_path)})
    assert any("compiling the kernels (only once)" in line for line in said)
    assert said[-1] == "readyok"


def test_the_first_start_of_all_answers_a_go_that_ends_the_input(tmp_path):
    said = piped("position startpos", "go movetime 500", **{CACHE_VARIABLE: str(tmp_path)})
    assert re.fullmatch(r"bestmove [a-h][1-8][a-h][1-8]", said[-1])


def test_a_short_clock_is_kept_even_while_kernels_are_loaded():
    """Whether the search answers or the stop-gap: what matters is an answer with a legal move."""
    said = piped("position startpos moves e2e4 e7e5", "go movetime 20")
    assert said[-1].startswith("bestmove ")
