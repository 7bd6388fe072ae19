"""Ctrl-C in every long command: within a second results are printed, the cursor is restored, status 130."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.cli.interruption import run_interruptible
from engine.kernel import SOURCE_ROOT
from engine.lab.arena.configs import Config
from engine.lab.arena.training import TrainingShard
from tests.lab.arena.players import player

if os.name != "posix":
    pytest.skip("sends signals, opens pseudo-terminals", allow_module_level=True)

from tests.commands.terminal import Terminal
from tests.timing import shortest, wait_until

SECONDS = 1.0
PAUSES = (3.0, 6.0, 30.0)  # seconds of work before Ctrl-C
SHARP = "r1bqk2r/1p1nppbp/p2p1n2/3P2B1/5P2/2NQ1NPP/PPP5/2K1RB1R b kq -"
GAME = '[Event "x"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 1-0\n\n'

# A command line, and what it must have printed after some seconds; words in capitals are files of the test.
QUICK = {
    "perft 9": r"Nodes searched so far: \d{7,}",
    "bench 40": r"no\. +nodes.*\n\d+ nodes so far, .*no signature",
    "bench speed --movetime 60000": "",
    "suite SUITE --movetime 60000": r"of \d+ solved",
    "match rfp_margin=70 default --games 100000 --nodes 50": r"games: [1-9]",
    "match SLOW SLOW --movetime 100 --no-adjudication": r"games: \d",
    "selfplay --positions 100000000 --nodes 50 --out NEW": r"\d+ games, \d+ positions",  # whole blocks only
}
SLOW = {
    "perft 9 --divide": r"so far: \d+",
    "perft --suite COUNTS": r"\d+ positions?, \d+ counts?",
    "bench threads --threads 2 --movetime 60000": "",
    "bench trees --movetime 60000": "iterations/s",
    "bench perft": "",
    "bench startup": "",
    "compare position --depth 40 --give-up 60000": "",
    "compare bound --depth 20": "2 b",
    "compare search --nodes 100000000": "",
    "compare tournament --time 2000": "",
    "match --ablate --nodes 50": "without",
    "match SILENT SILENT --tc 1000+1": "games: 0",
    "tune search --nodes 50 --batch 1 --out NEW": r"[1-9]\d* of 10000 pairs played",
    "tune weights GAMES --epochs 100000 --out NEW": "epoch 1:",
    "book build PGN --out NEW": r"[1-9]\d* games used.*no book was written",
    "book check --nodes 1000000": "moves in",
    "tablebase build KQvKR --out NEW": "",
    "selfplay --positions 100000000 --nodes 20 --out NEW": r"[1-9]\d* games, [1-9]\d* positions",
    "compare evaluations --games 1000": "Elo",
    "bench network": "",
    "bench policy --runs 100": "",
    "bench shipped --runs 50": "",
    "tune wdl GAMES --nodes 100000000 --out NEW": "",
    "analyse startpos --movetime 600000": "e4|d4|Nf3|c4",
    "explain startpos --movetime 60000": "best: ",
    "annotate PGN --out NEW --movetime 2000": "",
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "suite").write_text(f"{SHARP} bm Nc5;\n" * 9)
    (tmp_path / "counts").write_text(f"{SHARP} 0 1 ;D1 42 ;D9 9999999999999\n" * 9)
    (tmp_path / "pgn").write_text(GAME * 300_000)
    shards = [TrainingShard(number, 4, 50, 1, Config()) for number in range(5)]
    (tmp_path / "games").write_bytes(b"".join(shard().content for shard in shards))
    paths = {name.upper(): str(tmp_path / name) for name in ("suite", "counts", "pgn", "games", "new")}
    return paths | {behaviour.upper(): f"cmd:{player(tmp_path, behaviour)}" for behaviour in ("slow", "silent")}


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory):
    """Compile the kernels of the quick commands before anything is timed."""
    games = tmp_path_factory.mktemp("compiled") / "games"
    for line in ("match rfp_margin=70 default --games 2 --nodes 50", "perft 3", "bench 1",
                 f"selfplay --positions 50 --nodes 20 --out {games}"):
        assert main(line.split()) == 0


def interrupted(words: list[str], pause: float) -> tuple[float, str]:
    """Press Ctrl-C after some seconds of work: (the seconds until the command ended, what it printed)."""
    terminal = Terminal(*words)
    terminal.wait_until_busy()
    time.sleep(pause)
    seconds = terminal.interrupt()
    assert terminal.process.returncode == 130, terminal.shown
    assert terminal.has_cursor()
    assert "Ctrl-C again ends at once" in terminal.shown
    assert "Traceback" not in terminal.shown
    return seconds, terminal.printed


def check(line: str, expected: str, files: dict[str, str]) -> None:
    """A busy machine gets more time for the first results, and other tries to end in time."""
    words = [files.get(word, word) for word in line.split()]
    for pause in PAUSES:
        seconds, printed = interrupted(words, pause)
        if seconds < SECONDS and re.search(expected, printed, re.DOTALL):
            return
    assert re.search(expected, printed, re.DOTALL), printed
    assert seconds < SECONDS


@pytest.mark.parametrize("line", QUICK)
def test_ctrl_c_ends_a_command_within_a_second_with_its_results_so_far(line, files):
    check(line, QUICK[line], files)


@pytest.mark.slow
@pytest.mark.parametrize("line", SLOW)
def test_ctrl_c_ends_any_command_within_a_second_with_its_results_so_far(line, files):
    check(line, SLOW[line], files)


def test_two_signals_at_once_are_one_request(files):
    """`timeout` signals the process, and then its group."""
    def seconds() -> float:
        terminal = Terminal("match", "default", "default", "--games", "100000", "--nodes", "50")
        terminal.wait_until_busy()
        time.sleep(3)
        terminal.process.send_signal(signal.SIGINT)
        taken = terminal.interrupt()
        assert re.search(r"games: \d+", terminal.printed), terminal.printed
        return taken

    assert shortest(seconds, SECONDS) < SECONDS


def test_a_second_ctrl_c_ends_at_once(files):
    def seconds_after_the_second() -> float:
        terminal = Terminal("tablebase", "build", "KQvKR", "--out", files["NEW"])
        terminal.wait_until_busy()
        os.killpg(terminal.process.pid, signal.SIGINT)
        wait_until(lambda: "Ctrl-C again ends at once" in terminal.shown)
        time.sleep(0.2)  # two signals within a tenth of a second are one request
        taken = terminal.interrupt()
        assert terminal.process.returncode == 130
        assert terminal.has_cursor()
        return taken

    assert shortest(seconds_after_the_second, 0.4) < 0.4


def test_signals_ignored_by_the_parent_stay_ignored():
    """As under `nohup`, or in a background job of a shell."""
    with subprocess.Popen([sys.executable, "-m", "engine", "perft", "5"], cwd=SOURCE_ROOT, stdout=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as process:  # noqa: PLW1509
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"4865609" in out


def test_results_and_errors_of_the_work_are_passed_on():
    assert run_interruptible(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        run_interruptible(lambda: 1 // 0)
    with pytest.raises(TimeoutError):
        run_interruptible(lambda: Future[int]().result(0))
