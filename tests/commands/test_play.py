"""`adversary play` as a process: a whole game through pipes, a session in a terminal, saved games."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import chess
import chess.pgn
import pytest
from rich.text import Text

from engine.kernel import SOURCE_ROOT
from tests.commands.running import run
from tests.processes import LineProcess

WHITE_MOVE = re.compile(r"^\d+\. (\S+)$")
END = re.compile(r"^(you (win|lose)|draw)\b")
LONG_GAME = 121  # plies; a level of 2000 has mated a random mover long before


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "engine", "play", "--no-delay", *words]


def saved_games(folder: Path) -> list[chess.pgn.Game]:
    paths = sorted((folder / "adversary" / "games").glob("*.pgn"))
    return [game for path in paths if (game := chess.pgn.read_game(io.StringIO(path.read_text()))) is not None]


def is_over(board: chess.Board) -> bool:
    """Whether the game has ended as `play` ends it: by the rules, a third repetition, or fifty moves."""
    return board.is_game_over() or board.is_repetition() or board.is_fifty_moves()


def test_a_whole_game_through_pipes(tmp_path):
    """A random mover types, and resigns if the game is long; python-chess follows every move."""
    rng, board, lines = random.Random(3), chess.Board(), list[str]()
    program = LineProcess(command("--level", "2000", "--side", "black"), cwd=SOURCE_ROOT,
                          env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    while not (lines and END.match(lines[-1])):
        line = program.next_line()
        assert line is not None, lines
        lines.append(line)
        if not (found := WHITE_MOVE.match(line)):
            continue
        board.push_san(found[1])
        if is_over(board):
            continue
        if board.ply() >= LONG_GAME:
            program.say("resign")
        else:
            move = rng.choice(list(board.legal_moves))
            program.say(rng.choice((board.san, board.uci))(move))
            board.push(move)
    program.say("quit")
    lines += program.rest()
    assert program.end() == 0 and "\n".join(lines).count("the game is saved in") == 1
    assert not any("\x1b" in line for line in lines)
    [game] = saved_games(tmp_path)
    assert game.end().board().fen() == board.fen()
    assert game.headers["Result"] == (board.result(claim_draw=True) if is_over(board) else "1-0")


def _stop_ignoring_signals() -> None:
    """What a user's shell does not ignore may be ignored here, in the background or by `nohup`."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Session:
    """The command in a pseudo-terminal, as a user sees it."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            command(*words), stdin=slave, stdout=slave, stderr=slave, cwd=SOURCE_ROOT, start_new_session=True,
            preexec_fn=_stop_ignoring_signals,  # noqa: PLW1509
            env={**os.environ, "XDG_DATA_HOME": str(folder), "TERM": "xterm-256color", "COLORTERM": "truecolor",
                 "PYTHONIOENCODING": "utf-8"})
        os.close(slave)
        self._seen = b""

    def type(self, line: str) -> None:
        os.write(self._master, f"{line}\n".encode())

    def screen(self) -> str:
        """The current screen: all output since it was last cleared."""
        return re.split(r"\x1b\[2J\x1b\[H|\x1b\[H\x1b\[2J", self._seen.decode("utf-8", "replace"))[-1]

    def wait_for(self, text: str, seconds: float = 60.0) -> str:
        """The screen without colours, once `text` is on it."""
        deadline = time.monotonic() + seconds
        while text not in (shown := Text.from_ansi(self.screen().replace("\r", "")).plain):
            assert time.monotonic() < deadline, shown
            if not self._read():
                assert text in Text.from_ansi(self.screen().replace("\r", "")).plain
        return shown

    def _read(self) -> bool:
        """Read what there is; return whether the other end is still open."""
        if select.select([self._master], [], [], 0.1)[0]:
            try:
                self._seen += os.read(self._master, 65_536)
            except OSError:
                return False
        return True

    def close(self) -> int:
        """Wait for the end; what is still written is read, since a full terminal would block the process."""
        deadline = time.monotonic() + 60.0
        while self.process.poll() is None and time.monotonic() < deadline and self._read():
            pass
        status = self.process.wait(30)
        os.close(self._master)
        return status


def test_a_session_in_a_terminal(tmp_path):
    session = Session(tmp_path, "--level", "1400", "--clock", "5+3")
    first = session.wait_for("\n> ")
    assert " 8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜" in first and "> You  5:00" in first
    session.type("e2-e4")
    answered = session.wait_for("1...")
    assert "1. e4 " in answered and "Adversary (level 1400)  5:0" in answered
    assert "\x1b[1;38;2;255;255;255;48;2;" in session.screen()  # white pieces on coloured squares
    session.type("Ke5")
    session.wait_for("'Ke5' is not a legal move")
    session.type("eval")
    session.wait_for("evaluation ")
    session.type("flip")
    assert " 1  ♜" in session.wait_for("h  g  f  e  d  c  b  a")
    session.type("quit")
    assert "continue with: adversary play --pgn" in session.wait_for("the game is saved in").replace("\n", " ")
    assert session.close() == 0
    [game] = saved_games(tmp_path)
    assert game.headers["TimeControl"] == "300+3" and all(node.clock() for node in game.mainline())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_game_is_saved_and_can_be_resumed(tmp_path, number):
    session = Session(tmp_path, "--level", "800")
    session.wait_for("\n> ")
    session.type("d4")
    session.wait_for("1...")
    os.killpg(session.process.pid, number)
    assert session.close() != 0
    [game] = saved_games(tmp_path)
    assert len(list(game.mainline_moves())) == 2
    path = next((tmp_path / "adversary" / "games").glob("*.pgn"))
    done = subprocess.run(command("--pgn", str(path)), input="moves\n", capture_output=True, text=True, cwd=SOURCE_ROOT,
                          env={**os.environ, "XDG_DATA_HOME": str(tmp_path)}, timeout=60, check=True)
    assert "you have white" in done.stdout and " 1. d4 " in done.stdout and "Nc3" in done.stdout
    assert "Adversary (level 800)" in done.stdout and "1200" not in done.stdout, "against the same opponent"


@pytest.mark.parametrize(("black", "words", "shown"), [
    ('[Black "Adversary (level 1600)"]\n[BlackElo "1600"]\n[BlackType "program"]', [], "Adversary (level 1600)"),
    ('[Black "Adversary"]\n[BlackType "program"]', [], "Adversary searches"),
    ('[Black "Adversary (level 9000)"]\n[BlackElo "9000"]\n[BlackType "program"]', [], "Adversary (level 1200)"),
    ('[Black "Fritz"]\n[BlackElo "1600"]\n[BlackType "program"]', [], "Adversary (level 1200)"),
    ('[Black "Adversary (level 1600)"]\n[BlackElo "1600"]\n[BlackType "program"]', ["--level", "400"],
     "Adversary (level 400)")])
def test_a_saved_game_goes_on_at_its_level_unless_another_is_named(black, words, shown, tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text(f'[White "You"]\n{black}\n[Result "*"]\n\n1. e4 e5 *\n')
    done = subprocess.run(command("--pgn", str(path), *words), input="quit\n", capture_output=True, text=True,
                          cwd=SOURCE_ROOT, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)}, timeout=120, check=True)
    assert done.stdout.splitlines()[1].startswith(shown)


@pytest.mark.parametrize("words", [
    ["--level", "300"], ["--level", "most"], ["--clock", "5"], ["--clock", "0+1"], ["--fen", "nonsense"],
    ["--side", "green"], ["--chess960", "960"], ["--pgn", "/nowhere.pgn"], ["--pgn", __file__],
    ["--fen", "8/8/8/8/8/8/8/8 w - - 0 1"]])
def test_bad_values_get_one_line(capsys, words):
    status, out, err = run(capsys, "play", *words)
    assert status == 2 and not out and err.startswith("error: ") and err.count("\n") == 1
