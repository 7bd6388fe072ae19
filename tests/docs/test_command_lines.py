"""Every command line that a page shows is accepted, and every command and subcommand runs at its smallest size."""

from __future__ import annotations

import importlib
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.__main__ import COMMANDS, MODULES
from engine.lab.arena.configs import Config
from engine.lab.arena.training import TrainingShard
from tests.analysis import games
from tests.commands.running import run
from tests.commands.test_objects import CALLS, EPD, PERFT, SLOW_CALLS
from tests.docs.pages import ROOT, page
from tests.docs.test_commands import _TODAY, PARSERS, command_lines

FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
# What a page writes for something of the user's -> what the test writes.
NAMES = {
    **dict.fromkeys(("FILE.epd", "games.epd", "wac-new.epd", "silent-but-deadly.epd", "leorik-mate_in_1.epd",
                     "leorik-mate_in_4.epd", "UHO_4060_v3.epd.zip"), "a.epd"),
    **dict.fromkeys(("GAMES.pgn", "GAMES.pgn.xz", "FILE.pgn", "PUZZLES.pgn"), "a.pgn"),
    **dict.fromkeys(("FILE", "GAMES", "FILE..."), "training.games"),
    **dict.fromkeys(("FILE.network", "new.network"), "a.network"),
    **dict.fromkeys(("A.bin", "B.bin", "FILE.bin"), "a.bin"),
    "NAME": "Ada", "FILE.policy": "a.policy", "LIST.tsv": "names.tsv", "WEIGHTS.json": "weights.json", "DIR": "folder",
    "FEN": FEN, "A,B": "rfp_margin,nmp_base", "ADDRESS": "127.0.0.1", "A": "default", "B": "default",
    "ENGINE": sys.executable, "name=value": "rfp_margin=70", "/usr/games/stockfish": sys.executable,
}
_OUTPUTS = ("--out", "--pgn", "--svg", "--picture")  # options that name a file to write
_SHELL = re.compile(r" (?:\||#).*")
_MENTIONED = {"match", "tune search --params name", "bench threads", "play --pgn FILE"}  # words about a command

# The smallest run of every command that CALLS and SLOW_CALLS do not have, with its input.
SMALLEST = {
    "class game": "",
    "class play kuhn": "",
    "class grade --stubs new.py": "",
    "play --level 400": "quit\n",
    "book build a.pgn --min-games 1 --out new.bin": "",
    "book check a.bin --nodes 1 --fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1": "",
    "book merge a.bin a.bin --out new.bin": "",
    "book names names.tsv --out new.xz": "",
    "tune yardstick a.pgn --first-ply 1 --out new.epd": "",
}
SLOW_SMALLEST = {
    "selfplay --positions 20 --nodes 20 --out new.games": "",
    "tune wdl many.games --nodes 10 --out new.network": "",
    "compare ladder --nodes 50 --games 2": "",
    "tune search --params rfp_margin --pairs 1 --batch 1 --nodes 20 --out new": "",
    "tune screen --params rfp_margin --pairs 2 --nodes 20": "",
    "tune weights training.games --epochs 1 --out new.json": "",
    "tune policy training.games --epochs 1 --hidden 64 --held-out 2 --out new.policy": "",
    "tablebase build KQvK --out folder": "",
    "tablebase verify": "",
    "tablebase speed": "",
    "tablebase latency --positions 5": "",
}
MAY_FIND_NOTHING = "tune weights"  # which says so by its status: no epoch improved on the start
# Commands that another test file runs, as they need another engine, a browser, a folder of the user's, or hours.
ELSEWHERE = {
    "puzzles": "tests/coach/test_puzzles.py", "train": "tests/coach/test_puzzle_training.py",
    "train openings": "tests/coach/test_openings.py", "report": "tests/coach/test_report.py",
    "web": "tests/commands/test_web.py", "warmup": "tests/commands/test_commands.py",
    "compare levels": "tests/lab/test_levels.py", "tune generations": "tests/lab/test_generations.py",
    "tune blind-spots": "tests/lab/arena/test_blind_spots.py", "bench shipped": "tests/lab/test_bench.py",
    "bench policy": "tests/lab/test_bench.py"}
# Trainers, of which only the one for the CPU is in SLOW_SMALLEST: without torch they say what to install.
TRAINERS = ("tune network training.games --out new.network", "tune teacher training.games --out new.teacher",
            "tune judge training.games")


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder with the files that the lines name."""
    folder: Path = tmp_path_factory.mktemp("files")
    for source, name in (("eval/network/selfplay.network", "a.network"), ("eval/policy/default.policy", "a.policy"),
                         ("eval/weights.json", "weights.json"), ("book/openings.bin", "a.bin")):
        shutil.copy(ROOT / source, folder / name)
    for name, content in (("a.epd", EPD), ("perft.epd", PERFT), ("a.pgn", games.MATED),
                          ("names.tsv", "eco\tname\tpgn\nB00\tKing's Pawn\t1. e4\n")):
        (folder / name).write_text(content)
    (folder / "folder").mkdir()
    write_training_games(folder / "training.games", 4)
    return folder


def write_training_games(path: Path, shards: int) -> None:
    """Write 32 quick games for each shard."""
    path.write_bytes(b"".join(TrainingShard(number, 32, 50, 1, Config())().content for number in range(shards)))


@pytest.fixture
def current_folder(files, tmp_path, monkeypatch) -> Path:
    """The current folder, with a copy of those files."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown_lines() -> Iterator[str]:
    """The command lines of the pages that a reader may type; lines in words, or wrapped by prose, are left out."""
    for name in _TODAY:
        for wrapped in command_lines(page(name)):
            line = " ".join(wrapped.split())
            if "…" not in line and line.split()[0] in COMMANDS and line not in _MENTIONED and line.count('"') % 2 == 0:
                yield _SHELL.sub("", line)


def words_of(line: str) -> list[str]:
    """A line with files and values for what it leaves to the user; files to write are new."""
    words: list[str] = []
    for word in shlex.split(line):
        is_output = bool(words) and words[-1] in _OUTPUTS
        name = NAMES.get(word, word)
        words.append(f"new-{Path(word).name}" if is_output and word != "DIR" else name)
    return words


@pytest.mark.parametrize("line", list(dict.fromkeys(shown_lines())))
def test_a_shown_line_is_accepted(line, current_folder, capsys, monkeypatch):
    """It is parsed and checked by the program itself; only the work is left out."""
    words, accepted = words_of(line), []
    command = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
    module = importlib.import_module(f"engine.commands.{MODULES.get(command, command)}")
    monkeypatch.setattr(module, "run", lambda arguments: accepted.append(arguments) or 0)
    assert run(capsys, *words)[::2] == (0, "")
    assert len(accepted) == 1


def test_many_lines_are_shown():
    assert len(set(shown_lines())) > 90


@pytest.mark.parametrize("line", [*SMALLEST, *(pytest.param(line, marks=pytest.mark.slow) for line in SLOW_SMALLEST)])
def test_a_command_runs_at_its_smallest_size(line, current_folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO({**SMALLEST, **SLOW_SMALLEST}[line]))
    if "many.games" in line:  # a model of results needs wins, draws and losses enough
        write_training_games(current_folder / "many.games", 12)
    status, out, err = run(capsys, *line.split())
    assert status == 0 or (status == 1 and line.startswith(MAY_FIND_NOTHING)), err
    assert out or err


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed: this would train")
@pytest.mark.parametrize("line", TRAINERS)
def test_a_trainer_says_what_to_install(line, current_folder, capsys):
    status, out, err = run(capsys, *line.split())
    assert (status, out) == (2, "") and "torch" in err and err.count("\n") == 1


def test_every_command_is_run():
    lines = [*CALLS, *SLOW_CALLS, *SMALLEST, *SLOW_SMALLEST, *ELSEWHERE, *TRAINERS]
    families = {name for name in PARSERS if any(other.startswith(f"{name} ") for other in PARSERS)}
    for command in PARSERS.keys() - families:
        assert any(line == command or line.startswith(f"{command} ") for line in lines), command
    for command, name in ELSEWHERE.items():
        words = command.split()
        text = (ROOT / name).read_text(encoding="utf-8")
        assert f'"{command}' in text or ", ".join(f'"{word}"' for word in words) in text, command
